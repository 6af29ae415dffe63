//! A device whose requests are recorded.

use diskspd_host::tracing::devices::TracedDevice;
use diskspd_profile::TargetId;

#[derive(Debug)]
pub(super) struct DeviceTargets {
    pub(super) device: TracedDevice,
    pub(super) targets: Vec<TargetId>,
}
