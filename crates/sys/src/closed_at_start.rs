//! Standard input, output and error that were closed at process start. Rust replaces them by `/dev/null`
//! before `main` (`std::rt`), and output to them is lost without an error. Later they are
//! indistinguishable from a user's `/dev/null`, because Python's `DEVNULL` and systemd also open it for
//! both directions.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Closed descriptors 0 to 2, one bit each.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Called by the dynamic loader, or the startup code of a static program, before Rust's startup.
#[used]
#[unsafe(link_section = ".init_array")]
static CHECK_AT_START: extern "C" fn() = check_descriptors;

extern "C" fn check_descriptors() {
    for number in 0..3 {
        // SAFETY: the call takes numbers alone, and changes nothing.
        if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
            CLOSED.fetch_or(1 << number, Relaxed);
        }
    }
}

/// Whether this descriptor (0 to 2) was closed, so that its current file is not the user's.
pub(crate) fn is_closed(number: i32) -> bool {
    (0..3).contains(&number) && CLOSED.load(Relaxed) & 1 << number != 0
}
