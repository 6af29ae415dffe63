//! The size of a stream's terminal.

use std::fs::File;
pub use std::os::fd::AsFd as AsStream;

/// Returns the visible columns and lines; `None` = unknown, or not a terminal.
pub fn window(stream: &impl AsStream) -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some((size.ws_col.into(), size.ws_row.into()))
}

/// Whether the terminal supports control sequences (colors): false only for `TERM=dumb`.
pub(crate) fn takes_sequences(_: &impl AsStream) -> bool {
    true
}

pub(crate) fn is_regular_file(stream: &impl AsStream) -> bool {
    let owned = stream.as_fd().try_clone_to_owned();
    owned.is_ok_and(|owned| File::from(owned).metadata().is_ok_and(|found| found.is_file()))
}
