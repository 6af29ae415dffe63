//! What an error of a place most likely comes from.

use std::io;

/// That, where its text doesn't say it: Windows' own texts do.
pub(super) fn hint(_: &io::Error) -> &'static str {
    ""
}
