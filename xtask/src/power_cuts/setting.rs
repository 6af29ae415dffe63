//! The requested settings.

use super::place::Place;
use std::path::PathBuf;

pub struct Setting {
    /// The program.
    pub diskspd: PathBuf,
    /// How many cuts.
    pub cuts: usize,
    pub seed: u64,
    /// How long each run is.
    pub seconds: u32,
    /// Where; `None` = as the campaign has it.
    pub place: Option<Place>,
    /// Options of the runs on honest storage; `None` = each of the campaign's own.
    pub way: Option<String>,
    /// Where what wrong cuts leave is kept; `None` = nowhere.
    pub keep: Option<PathBuf>,
    /// Block size of atomic writes.
    pub block: String,
}
