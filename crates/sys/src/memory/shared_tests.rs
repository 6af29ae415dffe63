//! Buffers with shared bytes behind them, on every system.

use super::{Buffer, HugePages, Shared};
use std::io;

#[test]
fn shared_bytes_lie_behind_the_private_ones_of_every_buffer() {
    let filled = |byte: u8| {
        move |bytes: &mut [u8]| -> io::Result<()> {
            bytes.fill(byte);
            Ok(())
        }
    };
    let (a, b) = (Shared::new(5000, filled(1)).unwrap(), Shared::new(1 << 20, filled(2)).unwrap());
    for private in [0, 1, 4096, 70_000] {
        let (mut buffer, places) = Buffer::with_shared(private, &[&a, &b], HugePages::AskedFor).unwrap();
        assert_eq!(buffer.as_mut_slice().len(), private, "shared bytes can't be changed");
        buffer.as_mut_slice().fill(9);
        let all = buffer.as_slice();
        assert!(all[..private].iter().all(|&byte| byte == 9));
        assert!(all[places[0]..][..5000].iter().all(|&byte| byte == 1));
        assert!(all[places[1]..][..1 << 20].iter().all(|&byte| byte == 2));
        assert!(places.iter().all(|place| (buffer.as_ptr().addr() + place).is_multiple_of(4096)));
        // Every byte of the buffer can be looked at.
        assert!(all.iter().filter(|&&byte| byte == 9).count() >= private);
    }
}

#[test]
fn a_buffer_without_shared_bytes_is_an_ordinary_one() {
    let (mut buffer, places) = Buffer::with_shared(100, &[], HugePages::AskedFor).unwrap();
    assert_eq!((buffer.len(), buffer.as_mut_slice().len(), places.len()), (100, 100, 0));
}

#[test]
fn what_filling_it_ends_in_is_handed_on() {
    let failed = Shared::new(10, |_| Err(io::Error::other("no content")));
    assert_eq!(failed.unwrap_err().to_string(), "no content");
}
