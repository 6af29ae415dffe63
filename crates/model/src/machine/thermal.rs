//! How hot disks and processors were.

use serde::{Deserialize, Serialize};

/// Temperature of a disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// The disk: `nvme0n1`.
    pub disk: String,
    /// Degrees Celsius.
    pub celsius: f64,
    /// From where on the disk says that it is too hot, degrees Celsius; `None` = it doesn't say.
    pub limit: Option<f64>,
}

/// How hot it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Thermal {
    /// Of the disks that have a sensor.
    #[serde(default)]
    pub disks: Vec<Temperature>,
    /// How often all CPUs together slowed down since the machine was started; `None` = the machine doesn't
    /// count it.
    #[serde(default)]
    pub cpu_throttles: Option<u64>,
}

impl Thermal {
    /// Whether nothing can be said.
    pub fn is_unknown(&self) -> bool {
        self.disks.is_empty() && self.cpu_throttles.is_none()
    }
}
