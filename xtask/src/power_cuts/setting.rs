//! The requested settings.

use super::place::CutStorage;
use std::path::PathBuf;

pub struct Setting {
    pub diskspd: PathBuf,
    pub cuts: usize,
    pub seed: u64,
    pub seconds: u32,
    /// Where; `None` = as the campaign has it.
    pub place: Option<CutStorage>,
    /// Options of the runs on honest storage; `None` = each of the campaign's own.
    pub way: Option<String>,
    /// Where what wrong cuts leave is kept; `None` = nowhere.
    pub keep: Option<PathBuf>,
    pub block: String,
}
