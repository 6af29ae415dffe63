//! What the machine is, or pretends to be: hardware, a virtual machine, somebody's cloud, a container.

use serde::{Deserialize, Serialize};

/// The machine by its own account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Platform {
    /// Who made it.
    pub vendor: Option<String>,
    /// What it's called.
    pub product: Option<String>,
    /// Whether it's a virtual machine, as far as can be told.
    pub virtual_machine: bool,
    /// What runs the virtual machine: `kvm`, `vmware`, `hyper-v`, `xen`.
    pub hypervisor: Option<String>,
    /// Whose cloud it belongs to; bare metal can too.
    pub cloud: Option<String>,
    /// Whether this process is in a container, as far as can be told.
    pub container: bool,
}
