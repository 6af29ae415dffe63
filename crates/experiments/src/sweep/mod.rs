//! A sweep: many runs that differ in an option or two, and one answer.
//!
//! ```text
//! values with ranges ──axis──▶ values of an option ──grid──▶ the settings of every point
//! points, settings, what has been run ──next──▶ what is run next
//! what has been run ──rows──▶ a row per point ──answer──▶ knee, highest, objective ──table, data──▶ bytes
//! ```

mod answer;
mod answer_text;
mod axis;
mod data;
mod drift;
mod error;
mod estimate;
mod grid;
mod hosts;
mod knee;
mod levels;
mod next;
mod objective;
mod order;
mod result;
mod rows;
mod settings;
mod slices;
mod table;

pub use answer::{SufficientThreads, SweepAnswer};
pub use answer_text::{AnswerRow, lines as answer_lines, text as answer_text, unanswered};
pub use axis::{ValueForm, is_range, values};
pub use data::csv;
pub use drift::Drift;
pub use error::AxisError;
pub use estimate::{Estimate, estimate, words as time_in_words};
pub use grid::{Axis, Setting, diagonal, points};
pub use hosts::{HostsAnswer, SlowHost};
pub use knee::{Knee, KneeStatus};
pub use levels::Enough;
pub use next::{NextPoint, next};
pub use objective::{LoadOutcome, Measure, Objective, SloResult, find_kept};
pub use result::{SweepOutcome, SweepResult};
pub use rows::{PointRow, rows};
pub use settings::{Settings, SweepOrder, curve, seconds};
pub use slices::MIN_SLICES;
pub use table::{
    FindingPoints, PointFigures, findings as findings_text, label, lines as point_lines, text as table_text,
    told_once,
};

use crate::RunRow;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Points in the order of the command line; a curve starts with the point that finds the maximum.
    pub points: Vec<SweepPoint>,
    pub settings: Settings,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepPoint {
    /// Options of the point with their values.
    pub settings: Vec<Setting>,
    /// Maximum outstanding I/Os, or requested IOPS if only these vary.
    pub load: u64,
    /// Whether the load is I/Os per second.
    pub by_rate: bool,
    pub threads: u64,
    /// Group of points that differ only in load.
    pub group: usize,
    /// Planned duration of its run in s.
    pub seconds: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepAction {
    /// Point by its number, from 0.
    Point(usize),
    Reference(usize),
    Rate(u64),
    /// Slice of a point before the storage is settled, not used for the answer.
    WarmUp(usize),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompletedPoint {
    pub what: SweepAction,
    /// Duration with preparation and cleanup in s.
    pub seconds: f64,
    pub line: Option<RunRow>,
    pub failure: Option<String>,
}

impl SweepPoint {
    pub fn label(&self) -> String {
        let words: Vec<String> = self.settings.iter().map(Setting::written).collect();
        words.join(" ")
    }
}

impl Setting {
    pub fn written(&self) -> String {
        match self.option.starts_with("--") {
            true => format!("{}={}", self.option, self.value),
            false => format!("{}{}", self.option, self.value),
        }
    }

    /// Whether the axis changes the work itself, so that IOPS cannot be ranked.
    pub fn is_work(&self) -> bool {
        const WORK: &str =
            "-b -w -r -rs -s -B -f --trim --write-zeroes --fua --fsync-every --compress --dedupe";
        WORK.split(' ').any(|option| option == self.option)
    }

    pub fn is_load(&self) -> bool {
        ["-o", "-O", "-t", "-F", "--hosts"].contains(&self.option.as_str())
    }
}
