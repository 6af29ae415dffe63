//! A cycle of a campaign: one run, one power cut, one read-back. Its result is kept next to its journal.

use super::journal::JournalReadBack;
use crate::commands::shared::command_error::CommandError;
use crate::integrity::Power;
use crate::profile::RawText;
use crate::results::{Accumulate, IntegrityCounts, IntegrityResults};
use crate::units::start_time::date_and_time;
use crate::units::table::{Cell, TableColumn};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CycleKind {
    /// The run had not ended, and since then the machine was restarted or the storage lost power.
    #[default]
    Cut,
    /// The program was killed, but the machine did not restart.
    Killed,
    Ended,
}

impl CycleKind {
    fn end_word(self) -> &'static str {
        match self {
            CycleKind::Cut => "power cut",
            CycleKind::Killed => "killed",
            CycleKind::Ended => "ended",
        }
    }
}

const FORMAT: &str = "diskspd-power-cycle 1";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Cycle {
    /// Always `diskspd-power-cycle 1`.
    pub format: String,
    /// File name of the journal in the folder.
    pub journal: String,
    /// Number of the run in the journal and in all its stamps; 16 hexadecimal digits.
    pub run: String,
    /// Start time in ms since 1970-01-01 00:00 UTC.
    pub began_ms: i64,
    pub end: CycleKind,
    /// Bytes of the journal that are damaged: not all that was acknowledged could be verified.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_journal_bytes: u64,
    pub targets: Vec<CycleTarget>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CycleTarget {
    pub path: RawText,
    pub acknowledged_places: u64,
    /// Sectors with a later version that was never acknowledged.
    pub newer: u64,
    #[serde(flatten)]
    pub results: IntegrityResults,
}

impl Cycle {
    pub(crate) fn from_read_back(journal: &str, found: &JournalReadBack) -> Cycle {
        let content = &found.content;
        let end = match (content.has_ended, found.power) {
            (true, _) => CycleKind::Ended,
            (_, Power::Held) => CycleKind::Killed,
            (_, Power::Lost | Power::Unknown) => CycleKind::Cut,
        };
        let targets = content.targets.values().zip(&found.targets).map(|(target, found)| CycleTarget {
            path: target.path.clone(),
            acknowledged_places: found.units,
            newer: found.newer,
            results: found.results.clone(),
        });
        Cycle {
            format: FORMAT.into(),
            journal: journal.into(),
            run: format!("{:016x}", content.run),
            began_ms: content.began_ms,
            end,
            damaged_journal_bytes: content.damage.bytes,
            targets: targets.collect(),
        }
    }

    /// Reads a stored cycle.
    ///
    /// # Errors
    /// Fails if the content is of another kind, or damaged.
    pub(crate) fn read(bytes: &[u8]) -> Result<Cycle, CommandError> {
        let cycle: Cycle =
            crate::json_reader::read_json(bytes).map_err(|error| format!("it is damaged: {error}"))?;
        match cycle.format == FORMAT {
            true => Ok(cycle),
            false => Err(CommandError::failed(["is not a result of verify-after --campaign"])),
        }
    }

    pub(crate) fn counts(&self) -> IntegrityCounts {
        let mut all = IntegrityCounts::default();
        self.targets.iter().for_each(|target| all.add(&target.results.counts));
        all
    }

    /// Whether it says something about power cuts: one happened, and all that was acknowledged could be
    /// read back.
    pub(crate) fn is_proof(&self) -> bool {
        self.end == CycleKind::Cut && self.counts().verified > 0 && !self.is_incomplete()
    }

    pub(crate) fn is_incomplete(&self) -> bool {
        self.damaged_journal_bytes > 0
    }
}

/// Omits the field if 0, because older versions reject it.
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

/// Row of the table: number of the cycle, from 1, and its data if known.
pub(super) struct CycleRow {
    pub number: u64,
    /// Cycle; `None` = its journal was not read back.
    pub cycle: Option<Cycle>,
    pub journal: String,
    pub missed: &'static str,
}

impl CycleRow {
    fn whole_cell(&self, of: impl Fn(&Cycle) -> u64) -> Cell {
        Cell::number_cell(self.cycle.as_ref().map(of))
    }
}

pub(super) const COLUMNS: &[TableColumn<CycleRow>] = &[
    TableColumn::number("cycle", |row: &CycleRow| Cell::Whole(row.number)).brief(),
    TableColumn::words("journal", |row: &CycleRow| Cell::Text(row.journal.clone())).brief(),
    TableColumn::words("begun", |row: &CycleRow| {
        Cell::text(row.cycle.as_ref().and_then(|cycle| date_and_time(cycle.began_ms.div_euclid(1000))))
    })
    .brief(),
    TableColumn::words("ended", |row: &CycleRow| {
        Cell::text(row.cycle.as_ref().map(|cycle| cycle.end.end_word()))
    })
    .brief(),
    TableColumn::number("acknowledged_places", |row: &CycleRow| {
        row.whole_cell(|cycle| cycle.targets.iter().map(|target| target.acknowledged_places).sum())
    })
    .brief(),
    TableColumn::number("verified_sectors", |row: &CycleRow| row.whole_cell(|cycle| cycle.counts().verified))
        .brief(),
    TableColumn::number("undecided_sectors", |row: &CycleRow| {
        row.whole_cell(|cycle| cycle.counts().undecided)
    })
    .brief(),
    TableColumn::words("damaged_sectors", |row: &CycleRow| match row.cycle.as_ref().map(Cycle::counts) {
        None => Cell::Text(row.missed.into()),
        Some(counts) if counts.wrong() == 0 => {
            let incomplete = row.cycle.as_ref().is_some_and(Cycle::is_incomplete);
            Cell::Text(if incomplete { "none found, incomplete" } else { "none" }.into())
        }
        Some(counts) => Cell::Text(counts.described()),
    })
    .brief(),
];
