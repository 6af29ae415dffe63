//! `verify-after --campaign FOLDER`: repeated power cuts. The folder contains a journal for each cycle,
//! and its result.
//!
//! ```text
//! 0001.journal              what the run of this cycle told is durable
//! 0001.journal.cycle.json   what was read back behind it
//! ```

use super::cycle::{COLUMNS, Cycle, CycleRow};
use super::journal::read_all;
use crate::cli::{Exit, VerifyAfterRequest};
use crate::commands::shared::command_error::CommandError;
use crate::integrity::journal::format;
use crate::limits;
use crate::results::{Accumulate, IntegrityCounts};
use crate::run::{HangGuard, OutputPolicy};
use crate::sys::files;
use crate::sys::standard_output;
use crate::units::count_of;
use crate::units::table;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;

const JOURNAL: &str = ".journal";
const CYCLE: &str = ".cycle.json";

struct Journal {
    name: String,
    /// When it was begun, ms since 1970; `None` = it was cut before it had a beginning.
    began_ms: Option<i64>,
    cycle: Option<Cycle>,
}

/// Reads back the newest journal unless that was done before. Returns the table of all cycles.
pub(super) fn continue_campaign(
    folder: &Path,
    request: &VerifyAfterRequest,
) -> Result<(String, Exit), CommandError> {
    let mut journals = list_journals(folder)?;
    let newest = journals.last_mut().ok_or_else(|| {
        format!(
            "--campaign {}: it holds no journal (FILE{JOURNAL}); make one by a run with --verify --journal \
             {}",
            folder.display(),
            folder.join("0001.journal").display()
        )
    })?;
    let mut text = String::new();
    // Behind an older one others have written.
    if newest.cycle.is_none() && newest.began_ms.is_some() {
        let found = read_all(&folder.join(&newest.name), request)?;
        let cycle = Cycle::from_read_back(&newest.name, &found);
        keep_cycle(folder, &cycle)?;
        newest.cycle = Some(cycle);
        text = found.text + "\n";
    }
    let nothing = newest.cycle.as_ref().is_none_or(|cycle| {
        let counts = cycle.counts();
        counts.verified == 0 && counts.wrong() == 0
    });
    let incomplete = newest.cycle.as_ref().is_some_and(Cycle::is_incomplete);
    text += &table_of(&journals);
    let damaged = journals.iter().filter_map(|journal| journal.cycle.as_ref()).any(is_damaged);
    let exit = match (damaged, nothing, incomplete) {
        (true, ..) => Exit::Corrupt,
        (_, true, _) => Exit::Doubtful,
        (.., true) => Exit::Incomplete,
        (.., false) => Exit::Success,
    };
    Ok((text, exit))
}

fn unreadable(file: &Path, why: impl fmt::Display) -> CommandError {
    format!("{}: {why}", file.display()).into()
}

fn is_damaged(cycle: &Cycle) -> bool {
    cycle.counts().wrong() > 0
}

/// Returns the journals of a folder, newest last. Journals without a beginning are ordered by their file
/// names.
fn list_journals(folder: &Path) -> Result<Vec<Journal>, CommandError> {
    let of_folder = |why: io::Error| format!("--campaign {}: {why}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(of_folder)? {
        let name = entry.map_err(of_folder)?.file_name();
        names.extend(name.to_str().filter(|name| name.ends_with(JOURNAL)).map(str::to_owned));
    }
    names.sort();
    let mut journals: Vec<Journal> =
        names.into_iter().map(|name| read_journal(folder, name)).collect::<Result<_, _>>()?;
    // By their clocks, where all of them tell; a rig without a clock has names that count.
    if journals.iter().all(|journal| journal.began_ms.is_some()) {
        journals.sort_by_key(|journal| journal.began_ms);
    }
    Ok(journals)
}

fn read_journal(folder: &Path, name: String) -> Result<Journal, CommandError> {
    let kept = folder.join(format!("{name}{CYCLE}"));
    let cycle = match files::read_input(&kept, limits::NOTES) {
        Ok(bytes) => Some(Cycle::read(&bytes).map_err(|why| {
            unreadable(&kept, format!("{why}; remove it to have the table of the other cycles"))
        })?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(why) => return Err(unreadable(&kept, why)),
    };
    let began_ms = match &cycle {
        Some(cycle) => Some(cycle.began_ms),
        None => {
            let file = folder.join(&name);
            let open = files::open_input(&file).map_err(|why| unreadable(&file, why))?;
            format::began_ms(BufReader::new(open))
        }
    };
    Ok(Journal { name, began_ms, cycle })
}

fn keep_cycle(folder: &Path, cycle: &Cycle) -> Result<(), CommandError> {
    let file = folder.join(format!("{}{CYCLE}", cycle.journal));
    let unwritable = |why: io::Error| unreadable(&file, why);
    let mut bytes = serde_json::to_vec_pretty(cycle).map_err(|why| unwritable(why.into()))?;
    bytes.push(b'\n');
    OutputPolicy::permit_own("--campaign", &file)?.open(&HangGuard::default())?.put(bytes)?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(unwritable)
}

fn table_of(journals: &[Journal]) -> String {
    let rows: Vec<CycleRow> = (1..)
        .zip(journals)
        .map(|(number, journal)| CycleRow {
            number,
            cycle: journal.cycle.clone(),
            journal: journal.name.clone(),
            missed: match journal.began_ms {
                None => "its run has not started: nothing to read back",
                Some(_) => "not read back before the next run",
            },
        })
        .collect();
    let cycles: Vec<&Cycle> = journals.iter().filter_map(|journal| journal.cycle.as_ref()).collect();
    format!("{}\n{}\n", table::text_within(COLUMNS, &rows, standard_output::room()), conclusion(&cycles))
}

pub(super) fn table_of_one(cycle: Cycle) -> String {
    table_of(&[Journal { name: cycle.journal.clone(), began_ms: Some(cycle.began_ms), cycle: Some(cycle) }])
}

fn conclusion(cycles: &[&Cycle]) -> String {
    let mut all = IntegrityCounts::default();
    cycles.iter().for_each(|cycle| all.add(&cycle.counts()));
    let cuts = cycles.iter().filter(|cycle| cycle.is_proof()).count();
    let damaged = cycles.iter().filter(|cycle| is_damaged(cycle)).count();
    let incomplete = match cycles.iter().filter(|cycle| cycle.is_incomplete()).count() {
        0 => String::new(),
        number => format!(", {number} incomplete (damaged journal)"),
    };
    let counted = format!(
        "{} read back, {cuts} with a power cut{incomplete}: {} sectors verified, {} undecided",
        count_of(cycles.len(), "cycle"),
        all.verified,
        all.undecided
    );
    if damaged > 0 {
        return format!("{counted}.\nDAMAGED in {}: {}.", counted_of(damaged, cycles.len()), all.described());
    }
    match cuts {
        0 if !incomplete.is_empty() => format!("{counted}; no data was lost where the journals can be read."),
        0 => format!("{counted}; no data was lost, but no power was cut either."),
        _ => format!(
            "{counted}; no data was lost in any cycle.\nStorage that loses data in {:.1} % of power cuts or \
             more would have lost some by now (95 % sure).",
            100.0 * still_possible(cuts)
        ),
    }
}

/// Returns the upper limit of the damage rate after n power cuts without damage, at 95 %: `1 - 0.05^(1/n)`
/// (Clopper and Pearson 1934, for no success in n).
fn still_possible(cuts: usize) -> f64 {
    1.0 - 0.05f64.powf(1.0 / cuts as f64)
}

fn counted_of(number: usize, all: usize) -> String {
    format!("{number} of {}", count_of(all, "cycle"))
}

#[cfg(test)]
mod tests {
    use super::super::cycle::{CycleKind, CycleTarget};
    use super::*;
    use crate::results::{IntegrityResults, SectorState};

    fn sample_cycle(end: CycleKind, verified: u64, lost: u64) -> Cycle {
        let failed = (lost > 0).then_some((SectorState::Lost, lost)).into_iter().collect();
        let counts = IntegrityCounts { verified, failed, ..IntegrityCounts::default() };
        let results = IntegrityResults { counts, ..IntegrityResults::default() };
        Cycle { end, targets: vec![CycleTarget { results, ..CycleTarget::default() }], ..Cycle::default() }
    }

    #[test]
    fn campaign_result_names_its_error_bound() {
        let cut = sample_cycle(CycleKind::Cut, 1000, 0);
        for (cycles, expected) in [
            (vec![sample_cycle(CycleKind::Killed, 10, 0)], "no data was lost, but no power was cut either"),
            (vec![sample_cycle(CycleKind::Cut, 0, 0)], "no data was lost, but no power was cut either"),
            (vec![cut.clone()], "in 95.0 % of power cuts or more"),
            (vec![cut.clone(); 59], "in 5.0 % of power cuts or more"),
            (vec![cut.clone(), sample_cycle(CycleKind::Cut, 7, 3)], "DAMAGED in 1 of 2 cycles: 3 lost."),
        ] {
            let told = conclusion(&cycles.iter().collect::<Vec<_>>());
            assert!(told.contains(expected), "{told}");
        }
    }
}
