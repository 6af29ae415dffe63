//! Numbers of Windows' errors.

use diskspd_base::io_error::of_windows;
use std::io;

/// Returns the negated stored number of an error, as in [`crate::Done::result`].
pub(crate) fn negated(error: &io::Error) -> i64 {
    // That of a parameter that is wrong, where the system didn't say it.
    const INVALID_PARAMETER: u32 = 87;
    -i64::from(of_windows(error.raw_os_error().map_or(INVALID_PARAMETER, i32::cast_unsigned)))
}
