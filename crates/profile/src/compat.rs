//! The DISKSPD version for compatibility, where versions differ.

use serde::{Deserialize, Serialize};

/// Version of DISKSPD whose command lines, profiles and reports are the default.
pub const COMPATIBLE_VERSION: &str = "2.2.0";
/// Date of [`COMPATIBLE_VERSION`], as DISKSPD writes it.
pub const COMPATIBLE_VERSION_DATE: &str = "2024/6/3";

/// `--compat`: version for defaults, rules and output. The syntax of both versions is always accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compat {
    #[default]
    #[serde(rename = "2.2")]
    V2_2,
    #[serde(rename = "2.3")]
    V2_3,
}

impl Compat {
    pub fn version(self) -> &'static str {
        match self {
            Compat::V2_2 => COMPATIBLE_VERSION,
            Compat::V2_3 => "2.3.0",
        }
    }

    pub fn version_date(self) -> &'static str {
        match self {
            Compat::V2_2 => COMPATIBLE_VERSION_DATE,
            // Common/Version.h of the release; a state before it had 2026/05/08.
            Compat::V2_3 => "2026/06/15",
        }
    }

    /// Whether it is 2.2, the default in records.
    pub fn is_2_2(&self) -> bool {
        *self == Compat::V2_2
    }

    pub fn is_2_3(self) -> bool {
        self == Compat::V2_3
    }
}
