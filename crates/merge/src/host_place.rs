//! A host's place in a merged record.

use super::machines::MachineIndexes;
use diskspd_profile::RawText;

#[derive(Debug)]
pub(super) struct HostIndexes {
    pub(super) label: String,
    pub(super) first_target: u32,
    pub(super) machine: MachineIndexes,
}

impl HostIndexes {
    /// Returns a name of the path that is unique among all hosts.
    pub(super) fn path(&self, path: &RawText) -> RawText {
        RawText::from([self.label.as_bytes(), b":", path.as_bytes()].concat())
    }
}
