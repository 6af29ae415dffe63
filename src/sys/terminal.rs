//! The terminal that somebody watches a run on.

/// Columns of the terminal that standard error goes to; `None` = it goes elsewhere, or the terminal doesn't
/// tell.
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
