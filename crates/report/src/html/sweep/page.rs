//! What a page of a sweep shows.

use crate::html::input::Run;
use diskspd_judge::lab::sweep::{Drift, PointRow, Settings, SweepAnswer};

pub struct SweepPage<'a> {
    /// The whole command line, as it can be typed.
    pub command_line: &'a str,
    pub settings: &'a Settings,
    pub rows: &'a [PointRow],
    pub answers: &'a [SweepAnswer],
    pub drift: Option<&'a Drift>,
    pub command: &'a dyn Fn(&PointRow) -> String,
    pub unfinished: Option<&'a str>,
    /// One of its runs, for what they have in common; `None` = none is kept.
    pub run: Option<Run<'a>>,
}

impl SweepPage<'_> {
    /// `-o, -t`: what has more than one value; empty = rates were offered.
    pub(super) fn varied(&self) -> String {
        let mut options: Vec<&str> = Vec::new();
        for setting in self.rows.iter().flat_map(|row| &row.settings) {
            if !options.contains(&setting.option.as_str()) {
                options.push(&setting.option);
            }
        }
        options.join(", ")
    }

    pub(super) fn name(&self) -> String {
        match self.varied() {
            varied if varied.is_empty() => "Sweep of offered rates".into(),
            varied => format!("Sweep of {varied}"),
        }
    }
}
