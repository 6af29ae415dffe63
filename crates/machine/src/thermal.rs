//! Temperatures of disks and processors.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    pub disk: String,
    pub celsius: f64,
    /// Temperature limit of the disk in degrees Celsius; `None` = not reported.
    pub limit: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Thermal {
    #[serde(default)]
    pub disks: Vec<Temperature>,
    /// Thermal slow-downs of all CPUs since the start of the machine; `None` = not counted.
    #[serde(default)]
    pub cpu_throttles: Option<u64>,
}

impl Thermal {
    pub fn is_unknown(&self) -> bool {
        self.disks.is_empty() && self.cpu_throttles.is_none()
    }
}
