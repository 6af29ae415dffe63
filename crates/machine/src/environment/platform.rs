//! The platform of the machine: hardware, a virtual machine, a cloud, or a container.

use serde::{Deserialize, Serialize};

/// Manufacturer, model and kind of the machine, as it reports them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Platform {
    pub vendor: Option<String>,
    pub product: Option<String>,
    pub virtual_machine: bool,
    pub hypervisor: Option<String>,
    pub cloud: Option<String>,
    /// Whether this process is in a container, where detectable.
    pub container: bool,
}
