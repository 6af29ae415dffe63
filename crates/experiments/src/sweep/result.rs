//! A sweep with its answer: printed, written as JSON, and read again (`record::answers`).

use super::{Drift, PointRow, Settings, SweepAnswer, answer_text, label, table_text};
use crate::repetition::RepeatedWork;
use crate::{AnswerFormat, StoredAnswer};
use diskspd_results::RunSummary;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepResult {
    pub format: AnswerFormat,
    pub command_line: String,
    #[serde(flatten)]
    pub work: RepeatedWork,
    pub ended: SweepOutcome,
    pub settings: Settings,
    pub points: Vec<PointRow>,
    /// Command lines of the points.
    pub commands: Vec<String>,
    /// Answers, which a reader recomputes from the points.
    #[serde(skip_deserializing)]
    pub answers: Vec<SweepAnswer>,
    pub drift: Option<Drift>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepOutcome {
    Complete,
    OutOfBudget,
    Interrupted,
}

impl SweepOutcome {
    /// Returns the reason for missing points or runs; `None` = none are missing.
    pub fn in_words(self) -> Option<&'static str> {
        match self {
            SweepOutcome::Complete => None,
            SweepOutcome::OutOfBudget => {
                Some("The budget is exhausted: points have fewer repetitions than requested.")
            }
            SweepOutcome::Interrupted => {
                Some("The sweep was interrupted: points or repetitions are missing.")
            }
        }
    }
}

impl StoredAnswer for SweepResult {
    const TITLE: &'static str = "a sweep (sweep --json)";
    const NAME: &'static str = "diskspd sweep";
    const VERSION: u32 = 4;

    fn completed(self) -> SweepResult {
        SweepResult { answers: SweepAnswer::find_answers(&self.points, &self.settings), ..self }
    }
}

impl SweepResult {
    /// Returns the table in at most `room` columns, then the answer.
    pub fn text(&self, room: usize) -> String {
        let mut text = table_text(&self.points, room);
        if self.ended != SweepOutcome::Interrupted && !self.points.is_empty() {
            text += "\n";
            text += &answer_text(&self.answers, &self.points, &self.settings, |place| self.command(place));
            text.extend(self.drift.as_ref().map(|drift| format!("{}\n", drift.text())));
        }
        text
    }

    pub fn json(&self) -> String {
        // Can't fail: there are no maps in it, and memory takes everything.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    pub fn csv(&self) -> String {
        super::csv(&self.points)
    }

    /// Returns the command line of a point by its index.
    pub fn command(&self, place: usize) -> String {
        self.commands.get(place).cloned().unwrap_or_default()
    }

    /// Returns all runs of all points, labelled with their points.
    pub fn summaries(&self, name: &str) -> Vec<RunSummary> {
        let runs = self.points.iter().flat_map(|row| row.runs.iter().map(move |line| (row, line)));
        let summary = |((row, line), number): ((&PointRow, &crate::RunRow), usize)| RunSummary {
            label: Some(label(row)),
            hosts: self.work.machine.iter().cloned().collect(),
            ..line.summary(&format!("{name}#{number}"))
        };
        runs.zip(1..).map(summary).collect()
    }
}
