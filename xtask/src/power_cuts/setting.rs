//! The requested settings.

use super::place::CutStorage;
use std::path::PathBuf;

pub struct Setting {
    pub diskspd: PathBuf,
    pub cuts: usize,
    pub seed: u64,
    pub seconds: u32,
    /// Storage; `None` = as in the campaign.
    pub place: Option<CutStorage>,
    /// Options of the runs on honest storage; `None` = each of the campaign's own.
    pub way: Option<String>,
    /// Folder for the state after wrong cuts; `None` = not kept.
    pub keep: Option<PathBuf>,
    pub block: String,
}
