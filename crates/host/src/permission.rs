//! Permissions of a run for devices.

use diskspd_profile::RawText;

/// Permissions of the user's command line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Permission<'a> {
    /// `--destroy`: devices with a signature may be overwritten.
    pub destroy: bool,
    /// The only devices that may be overwritten; `None` = every device of the run.
    pub named: Option<&'a [RawText]>,
}

impl From<bool> for Permission<'_> {
    fn from(destroy: bool) -> Self {
        Permission { destroy, named: None }
    }
}
