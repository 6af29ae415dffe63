//! Rings of files, seen from outside.

use super::*;
use crate::memory::{HugePages, Shared};

const READ: Transfer = Transfer {
    op: Operation::Read,
    file: 0,
    offset: 0,
    start: 0,
    length: 1,
    tag: 0,
    priority: IoPriority::Unstated,
};

fn flush(tag: u32) -> Transfer {
    Transfer { op: Operation::Flush, length: 0, tag, ..READ }
}

/// A ring with every request but one reading from an empty pipe, half of them not yet submitted.
fn busy_ring(options: RingOptions) -> io::Result<(Ring, io::PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    let mut ring = Ring::new(8, vec![reader.into()], Buffer::new(8)?, options)?;
    let transfer = |tag| Transfer { start: tag as usize, tag, ..READ };
    assert_eq!(ring.push((0..4).map(transfer)), 4);
    assert_eq!(ring.enter(0, Duration::ZERO)?, EnterOutcome::Complete);
    assert_eq!(ring.push((4..7).map(transfer)), 3);
    Ok((ring, writer))
}

#[test]
fn drain_completes_all_ios_or_reports_failure() {
    let full = RingOptions::default();
    let single = RingOptions { cancel_any: false, ..full };
    for options in [full, single] {
        match busy_ring(options) {
            Ok((mut ring, _writer)) => {
                ring.options.drain_limit = Duration::ZERO;
                assert!(!ring.drain());
                assert_eq!(ring.in_flight(), 7);
                ring.options.drain_limit = full.drain_limit;
                assert!(ring.drain());
                assert_eq!((ring.in_flight(), ring.queued()), (0, 0));
            }
            Err(error) => eprintln!("skipped, no io_uring: {error}"),
        }
    }
}

#[test]
fn transfer_outside_bounds_is_rejected() {
    match busy_ring(RingOptions::default()) {
        Ok((mut ring, _writer)) => {
            let good = Transfer { start: 7, tag: 7, ..READ };
            for bad in [
                Transfer { start: 8, ..good },
                Transfer { start: usize::MAX, ..good },
                Transfer { length: 2, ..good },
                Transfer { file: 1, ..good },
                Transfer { tag: 8, ..good },
            ] {
                assert_eq!(ring.push([bad].into_iter()), 0, "{bad:?}");
            }
            assert_eq!(ring.push([good, good].into_iter()), 1, "room for one");
            assert_eq!(ring.push([flush(0)].into_iter()), 0, "the ring is full");
        }
        Err(error) => eprintln!("skipped, no io_uring: {error}"),
    }
}

#[test]
fn tag_in_flight_is_reusable_after_completion() {
    let file: OwnedFd = tempfile::tempfile().unwrap().into();
    let Ok(mut ring) = Ring::new(4, vec![file], Buffer::new(8).unwrap(), RingOptions::default()) else {
        return eprintln!("skipped, no io_uring");
    };
    let (zero, one) = (READ, Transfer { start: 1, tag: 1, ..READ });
    let discard = Transfer { op: Operation::Discard, length: 512, ..READ };
    assert_eq!(ring.push([zero, zero].into_iter()), 1, "queued");
    for (other, taken) in [(flush(0), 0), (discard, 0), (flush(3), 1)] {
        assert_eq!(ring.push([other].into_iter()), taken, "{other:?}");
    }
    assert_eq!(ring.push_nops(4), 2, "of those that are free");
    assert_eq!(ring.push([one].into_iter()), 0);
    assert_eq!(ring.in_flight(), 4);
    let mut ended = Vec::new();
    while ring.in_flight() > 0 {
        ring.enter(1, NO_TIMEOUT).unwrap();
        ring.reap(|tag, _| ended.push(tag));
    }
    ended.sort_unstable();
    assert_eq!(ended, [0, 1, 2, 3], "each came back once");
    assert_eq!(ring.push([zero, one].into_iter()), 2);
    assert_eq!(ring.push([zero].into_iter()), 0, "submitted or not");
}

#[test]
fn shared_buffer_bytes_reject_kernel_writes() {
    let shared = Shared::new(4096, |mut bytes| -> io::Result<()> {
        bytes.fill_with(|| [5]);
        Ok(())
    });
    let (memory, places) = Buffer::with_shared(4096, &[&shared.unwrap()], HugePages::AskedFor).unwrap();
    let file: OwnedFd = tempfile::tempfile().unwrap().into();
    let Ok(mut ring) = Ring::new(8, vec![file], memory, RingOptions::default()) else {
        return eprintln!("skipped, no io_uring");
    };
    for (start, length, write, taken) in [
        (places[0], 4096, true, 1),
        (places[0], 1, false, 0),
        (4095, 1, false, 1),
        (4095, 2, false, 0),
        (4095, 2, true, 1),
    ] {
        let tag = ring.in_flight();
        let op = if write { Operation::Write } else { Operation::Read };
        let transfer = Transfer { start, length, op, tag, ..READ };
        assert_eq!(ring.push([transfer].into_iter()), taken, "{transfer:?}");
    }
}

#[test]
fn wait_ends_at_its_timeout_on_every_kernel() {
    let full = RingOptions::default();
    for options in [full, RingOptions { registered_wait: false, ..full }] {
        let Ok((mut ring, mut writer)) = busy_ring(options) else {
            return eprintln!("skipped, no io_uring");
        };
        for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(30)] {
            let begin = monotonic();
            assert_eq!(ring.enter(1, timeout).expect("enter"), EnterOutcome::Complete);
            assert_eq!((ring.visible(), ring.queued()), (0, 0));
            assert!(u128::from(monotonic() - begin) >= timeout.as_nanos(), "{timeout:?}, {:?}", ring.notes());
        }
        // Without one it waits for the requested number.
        std::io::Write::write_all(&mut writer, &[1; 2]).expect("written");
        assert_eq!(ring.enter(2, Duration::MAX).expect("enter"), EnterOutcome::Complete);
        assert_eq!(ring.reap(|_, _| ()), 2);
    }
}

#[test]
fn requested_ring_features_need_kernel_support() {
    let Ok(ring) = Ring::new(1, vec![], Buffer::new(0).expect("none"), RingOptions::default()) else {
        return eprintln!("skipped, no io_uring");
    };
    let noted = |ring: &Ring| ring.notes().iter().any(|note| note == "registered wait");
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").expect("/proc");
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|digits| digits.parse().unwrap_or(0));
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    // Some distributions add features to older kernels.
    assert!(noted(&ring) || version < (6, 13), "{release}: {:?}", ring.notes());
    let without = RingOptions { registered_wait: false, ..RingOptions::default() };
    let ring = Ring::new(1, vec![], Buffer::new(0).expect("none"), without).expect("a ring");
    assert!(!noted(&ring));
}
