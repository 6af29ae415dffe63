//! Which of standard input, output and error were closed when the process started. Rust opens `/dev/null` in
//! their place before `main` (`std::rt`), and what is written there is lost without an error. What a user
//! opens as `/dev/null` can't be told from that later: also Python's `DEVNULL` and systemd open it for both
//! directions.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A bit for each number, 0 to 2.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Called by the dynamic loader, or the start of a static program, before Rust's own start.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for number in 0..3 {
        // SAFETY: the call takes numbers alone, and changes nothing.
        if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
            CLOSED.fetch_or(1 << number, Relaxed);
        }
    }
}

/// Whether this descriptor, 0 to 2, was closed: what has its number now is not the user's.
pub(crate) fn is(number: i32) -> bool {
    (0..3).contains(&number) && CLOSED.load(Relaxed) & 1 << number != 0
}
