//! Who traced this program while it measured.

use serde::{Deserialize, Serialize};

/// Who traces a thread of this program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracer {
    /// Its process, by the kernel's number.
    pub pid: u32,
    /// What it is called; empty = not known.
    pub name: String,
    /// In how many of the looks somebody traced it.
    pub looks: u32,
    /// How often it was looked.
    pub of: u32,
}
