//! What a run may do to devices.

use diskspd_model::profile::RawText;

/// Permissions of the user's command line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Permission<'a> {
    /// `--destroy`: devices that carry a signature may be written to.
    pub destroy: bool,
    /// The only devices that may be written to; `None` = all that the run names.
    pub named: Option<&'a [RawText]>,
}

impl From<bool> for Permission<'_> {
    fn from(destroy: bool) -> Self {
        Permission { destroy, named: None }
    }
}
