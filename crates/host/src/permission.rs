//! Permissions of a run for devices.

use diskspd_profile::RawText;

#[derive(Debug, Clone, Copy, Default)]
pub struct Permission<'a> {
    /// `--destroy`: permission to overwrite devices with a signature.
    pub destroy: bool,
    /// Devices that may be overwritten; `None` = all devices of the run.
    pub named: Option<&'a [RawText]>,
}

impl From<bool> for Permission<'_> {
    fn from(destroy: bool) -> Self {
        Permission { destroy, named: None }
    }
}
