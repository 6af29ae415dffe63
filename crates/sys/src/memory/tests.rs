//! Tests of buffers followed by shared bytes, on every system.

use super::{Buffer, HugePages, Shared, SlotMut};
use std::io;

#[test]
fn shared_bytes_follow_private_bytes_of_buffer() {
    let filled = |byte: u8| {
        move |mut bytes: SlotMut<'_>| -> io::Result<()> {
            bytes.fill_with(|| [byte]);
            Ok(())
        }
    };
    let (a, b) = (Shared::new(5000, filled(1)).unwrap(), Shared::new(1 << 20, filled(2)).unwrap());
    for private in [0, 1, 4096, 70_000] {
        let (mut buffer, places) = Buffer::with_shared(private, &[&a, &b], HugePages::AskedFor).unwrap();
        assert_eq!(buffer.as_mut_slice().len(), private, "shared bytes cannot be changed");
        buffer.as_mut_slice().fill(9);
        let mut all = vec![0; buffer.len()];
        buffer.slot(0, buffer.len()).unwrap().copy_to(&mut all);
        assert_eq!(buffer.as_slice(), &all[..private], "no slice refers to shared bytes");
        assert!(all[..private].iter().all(|&byte| byte == 9));
        assert!(all[places[0]..][..5000].iter().all(|&byte| byte == 1));
        assert!(all[places[1]..][..1 << 20].iter().all(|&byte| byte == 2));
        assert!(places.iter().all(|place| (buffer.as_ptr().addr() + place).is_multiple_of(4096)));
    }
}

#[test]
fn buffer_without_shared_bytes_is_private() {
    let (mut buffer, places) = Buffer::with_shared(100, &[], HugePages::AskedFor).unwrap();
    assert_eq!((buffer.len(), buffer.as_mut_slice().len(), places.len()), (100, 100, 0));
}

#[test]
fn fill_error_is_returned() {
    let failed = Shared::new(10, |_| Err(io::Error::other("no content")));
    assert_eq!(failed.unwrap_err().to_string(), "no content");
}

#[test]
fn lengths_beyond_the_address_space_are_refused() {
    let shared = Shared::new(5000, |_| Ok::<(), io::Error>(())).unwrap();
    let most = usize::MAX;
    for private in [most, most - 1, most - 4096, most - 8191, most / 2] {
        let usual = Buffer::with_shared(private, &[&shared], HugePages::NotAskedFor);
        assert_eq!(usual.unwrap_err().kind(), io::ErrorKind::OutOfMemory, "{private:#x}");
        let separated = Buffer::separated(private, 1 << 20, &[&shared], HugePages::NotAskedFor);
        assert_eq!(separated.unwrap_err().kind(), io::ErrorKind::OutOfMemory, "{private:#x}");
        assert!(Buffer::of_large_pages_with(private, &[&shared]).is_err(), "{private:#x}");
        assert!(Buffer::of_large_pages(private).is_err(), "{private:#x}");
    }
}
