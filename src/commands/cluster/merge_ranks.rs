//! The record of the whole run, combined from all ranks.

use super::messages::RankOutcome;
use super::names::{by_message, ranks, tell_notices};
use crate::commands::shared::runs::runnable::Runnable;
use crate::machine::System;
use crate::merge::Merge;
use crate::ranks::offset::Offset;
use crate::results::{CommonWindow, EndedBy, Host, HostClock, Record, Results, RunOutcome};
use crate::run::ExecutedRun;
use crate::sys::standard_error::print_line;
use crate::units::{Millis, seconds_of_ns};

pub(super) struct RankPart {
    /// Host name; empty = unknown.
    pub name: String,
    pub lost: Option<String>,
    pub outcome: Option<RankOutcome>,
    pub before: Option<Offset>,
    pub after: Option<Offset>,
}

pub(super) struct WholeRun {
    pub executed: ExecutedRun,
    /// First line of the output; `None` if all hosts have figures, or no host does.
    pub first_line: Option<String>,
}

pub(super) fn merge_ranks(asked: &Runnable, parts: Vec<RankPart>, names: &[String]) -> WholeRun {
    let size = parts.len();
    let common_wall_ns = parts.first().and_then(|part| part.before).map_or(0, |offset| offset.wall_ns);
    let (mut failed, mut troubles, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let mut merge = Merge::default();
    let mut without = Record::new(asked.profile.clone(), System::default(), no_results(asked));
    let mut measured = 0;
    for (rank, part) in parts.into_iter().enumerate() {
        let outcome = part.outcome.unwrap_or_default();
        failed.extend(outcome.failures.iter().map(|why| (rank, why.clone())));
        troubles.extend(outcome.troubles.iter().map(|why| (rank, why.clone())));
        let clock =
            part.before.map(|before| host_clock(before, part.after, common_wall_ns, &outcome.windows));
        let why = match outcome.record {
            Some(mut record) if record.host().results.have_figures() => {
                let host = record.host_mut();
                (host.rank, host.name, host.clock) = (rank as u32, part.name.clone(), clock.clone());
                // It is the first one, as it was run here.
                if rank == 0 {
                    without = record.clone();
                }
                merge.add(record, &ranks(&[rank], names)).err().map(|error| error.to_string())
            }
            _ => Some(part.lost.unwrap_or_else(|| match outcome.failures.is_empty() {
                true => "it measured nothing".to_owned(),
                false => format!("it failed: {}", outcome.failures.join("; ")),
            })),
        };
        match why {
            None => measured += 1,
            Some(why) => {
                missing.push((rank, format!("missing: {why}")));
                let missing = Some(why);
                merge.miss(Host { name: part.name, rank: rank as u32, clock, missing, ..Host::default() });
            }
        }
    }
    let mut record = merge.finish().unwrap_or(without);
    if let Some(whole) = &mut record.merged {
        whole.profile = asked.profile.clone();
    }
    let record = record.with_run_options(asked.run_options.clone());
    let lost = by_message(missing, names);
    let mut executed = ExecutedRun {
        record,
        failures: Vec::new(),
        troubles: Vec::new(),
        refused: false,
        left_behind: false,
    };
    executed.troubles = by_message(troubles, names);
    let mut first_line = None;
    if measured == 0 {
        executed.failures = if failed.is_empty() { lost } else { by_message(failed, names) };
    } else if measured < size {
        first_line = Some(format!("the figures cover only {measured} of {size} hosts"));
        executed.troubles.extend(lost);
    }
    WholeRun { executed, first_line }
}

/// Returns the result of a run that ended before a measurement.
pub(super) fn without_results(asked: &Runnable, failures: Vec<String>) -> ExecutedRun {
    let mut results = no_results(asked);
    let ended = RunOutcome { cause: EndedBy::Interrupt, after: None };
    results.time_spans.iter_mut().for_each(|span| span.ended = Some(ended));
    let record = Record::new(asked.profile.clone(), System::default(), results);
    ExecutedRun { record, failures, troubles: Vec::new(), refused: true, left_behind: false }
}

/// Returns empty results that match the profile.
fn no_results(asked: &Runnable) -> Results {
    let mut results = Results::default();
    results.time_spans.resize_with(asked.profile.time_spans.len(), Default::default);
    results
}

/// Returns a host's clock, with its windows on the common clock.
fn host_clock(
    before: Offset,
    after: Option<Offset>,
    common_wall_ns: i64,
    windows: &[Option<(u64, u64)>],
) -> HostClock {
    let common = |own: u64| (before.to_own(own) as i64).wrapping_add(common_wall_ns);
    let window = |window: &Option<(u64, u64)>| {
        window.map(|(begin, end)| CommonWindow { start_ns: common(begin), end_ns: common(end) })
    };
    HostClock {
        offset_ns: before.ahead_ns.wrapping_add(before.wall_ns).wrapping_sub(common_wall_ns),
        uncertainty_ns: before.uncertainty_ns,
        drift_ns: after.map(|after| after.ahead_ns.wrapping_sub(before.ahead_ns)),
        uncertainty_after_ns: after.map(|after| after.uncertainty_ns),
        windows: windows.iter().map(window).collect(),
    }
}

/// Reports facts about the whole that are not shown elsewhere: measuring times of the hosts, and other
/// hosts' findings.
pub(super) fn report_missing(record: &Record, names: &[String]) {
    let noticed = record.hosts.iter().enumerate();
    tell_notices(
        noticed.flat_map(|(rank, host)| host.notices.iter().map(move |notice| (rank, notice))),
        names,
    );
    for (index, _) in record.profile.time_spans.iter().enumerate() {
        let window =
            |host: &Host| Some((host.rank as usize, *host.clock.as_ref()?.windows.get(index)?.as_ref()?));
        let windows: Vec<(usize, CommonWindow)> = record.hosts.iter().filter_map(window).collect();
        if windows.len() > 1 {
            let place = if record.profile.time_spans.len() > 1 {
                format!("time span {}: ", index + 1)
            } else {
                String::new()
            };
            print_line(format!("{place}{}", together_text(&windows, record, names)));
        }
    }
}

/// Describes the common time of the hosts.
fn together_text(windows: &[(usize, CommonWindow)], record: &Record, names: &[String]) -> String {
    let begins = || windows.iter().map(|(_, window)| window.start_ns);
    let ends = || windows.iter().map(|(_, window)| window.end_ns);
    let (first, last) = (begins().min().unwrap_or(0), begins().max().unwrap_or(0));
    let (first_end, last_end) = (ends().min().unwrap_or(0), ends().max().unwrap_or(0));
    let uncertain = |host: &Host| host.clock.as_ref().map_or(0, |clock| clock.uncertainty_ns);
    let clocks = record.hosts.iter().map(uncertain).max().unwrap_or(0);
    let late = windows.iter().max_by_key(|(_, window)| window.start_ns).map_or(0, |(rank, _)| *rank);
    format!(
        "{} ranks measured together for {:.3} s: they began within {} ms ({} last) and ended within \
         {} ms of each other, by {}",
        windows.len(),
        seconds_of_ns(first_end.saturating_sub(last).max(0)),
        Millis::of_mean_ns(last.saturating_sub(first) as f64),
        ranks(&[late], names),
        Millis::of_mean_ns(last_end.saturating_sub(first_end) as f64),
        match clocks {
            0 => "one clock".to_owned(),
            _ => format!("clocks whose offsets are known within {} ms", Millis::of_ns(clocks)),
        },
    )
}
