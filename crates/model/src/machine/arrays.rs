//! Software RAIDs (md, and those of LVM): what they did by themselves while it was measured, and what they
//! lacked.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ArrayFacts {
    /// The kernel's name: `md0`, `dm-3`.
    pub name: String,
    /// How many members it is made of; `None` = the kernel doesn't tell.
    pub members: Option<u64>,
    /// How many of these were missing when measuring began, and when it had ended.
    pub missing: (u64, u64),
    /// What it did and lacked may not be asked: only root may, of one of LVM.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub state_unknown: bool,
    /// What it did by itself at one of the looks; `None` = nothing at any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<Upkeep>,
}

/// What a RAID does by itself, on the same members as the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Upkeep {
    /// The kernel's word: `resync`, `recover`, `check`, `repair`, `reshape`.
    pub action: String,
    /// How much of it was done at the first look that saw it, and at the last, as shares.
    pub done: (f64, f64),
}
