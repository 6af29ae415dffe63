//! Most likely causes of a place's errors.

use std::io;

/// Returns an empty hint, because Windows' messages are sufficient.
pub(super) fn hint(_: &io::Error) -> &'static str {
    ""
}
