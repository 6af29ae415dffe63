//! Most likely causes of a place's errors.

use std::io;

/// That, where its text doesn't say it: Windows' own texts do.
pub(super) fn hint(_: &io::Error) -> &'static str {
    ""
}
