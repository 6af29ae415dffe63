//! The content of a sweep page.

use crate::input::Run;
use crate::title;
use diskspd_experiments::sweep::{SweepAnswer, SweepResult, label};
use diskspd_report::number::number;

pub struct SweepPage<'a> {
    pub sweep: &'a SweepResult,
    /// One of the runs, for the environment; `None` = there is no record.
    pub run: Option<Run<'a>>,
}

impl SweepPage<'_> {
    /// Formats `8 KiB random reads on nvme0n1, host: 76,400 IOPS at the knee, -o16`.
    pub(super) fn name(&self) -> String {
        let answer = match self.sweep.answers.as_slice() {
            [] => "no answer".to_owned(),
            [one] => self.answer(one),
            several => format!("{} answers", several.len()),
        };
        title::of_work(&self.sweep.work, &answer)
    }

    fn answer(&self, answer: &SweepAnswer) -> String {
        let points = &self.sweep.points;
        let at = |row: usize| {
            let iops = points[row].figures.as_ref().map_or(0.0, |line| line.iops);
            (number(iops), label(&points[row]))
        };
        match (answer.found_knee(), answer.objective_row) {
            (_, Some(row)) => {
                let (iops, point) = at(row);
                let objective = self.sweep.settings.objective.map(|one| one.to_string()).unwrap_or_default();
                format!("{iops} IOPS with {objective}, {point}")
            }
            (Some(row), None) => {
                let (iops, point) = at(row);
                format!("{iops} IOPS at the knee, {point}")
            }
            (None, None) => {
                let (iops, point) = at(answer.highest);
                let knee = if answer.knee.is_some() { ", knee unknown" } else { "" };
                format!("at most {iops} IOPS, {point}{knee}")
            }
        }
    }
}
