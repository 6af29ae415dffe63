//! A host's place in a merged record.

use super::machines::MachinePlace;
use diskspd_model::profile::RawText;

/// Where a host stands among all.
#[derive(Debug)]
pub(super) struct HostPlace {
    /// What it is called among the others.
    pub(super) label: String,
    /// The first of its targets among those of all hosts.
    pub(super) first_target: u32,
    /// Where its processors stand.
    pub(super) machine: MachinePlace,
}

impl HostPlace {
    /// What one of its paths is called among those of all hosts.
    pub(super) fn path(&self, path: &RawText) -> RawText {
        RawText::from([self.label.as_bytes(), b":", path.as_bytes()].concat())
    }
}
