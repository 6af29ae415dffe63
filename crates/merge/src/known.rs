//! Combination of other programs' results for several hosts, where figures add up. Amounts and rates do.
//! Means and deviations follow from them with the number of I/Os. The extremes cover all hosts.
//! Percentiles cannot be combined, and CPU usage requires the number of CPUs, so they are omitted.

use super::MergeError;
use diskspd_results::{DirectionSummary, RunIndex, RunSummary, SpanSummary};

/// Merges these runs into one.
///
/// # Errors
/// Fails without runs, or if their time spans differ.
pub fn merge_known(runs: &[RunSummary]) -> Result<RunSummary, MergeError> {
    let first = runs.first().ok_or(MergeError::Nothing)?;
    for run in runs {
        if let Some(what) = run_difference(first, run) {
            return Err(MergeError::Different { name: run.name.clone(), first: first.name.clone(), what });
        }
    }
    if let Some((copy, first)) = find_copies(runs) {
        return Err(MergeError::Twice { name: copy.name.clone(), first: first.name.clone() });
    }
    let all_known = runs.iter().all(|run| !run.hosts.is_empty());
    let spans = (0..first.time_spans.len()).map(|index| {
        let spans: Option<Vec<&SpanSummary>> =
            runs.iter().map(|run| run.time_spans.get(index)?.as_ref()).collect();
        spans.map(|spans| merge_spans(&spans))
    });
    Ok(RunSummary {
        started_at: runs.iter().map(|run| run.started_at).min().flatten(),
        hosts: runs.iter().filter(|_| all_known).flat_map(|run| run.hosts.clone()).collect(),
        time_spans: spans.collect(),
        ..RunSummary::new(format!("{} hosts", runs.len()), first.origin.clone())
    })
}

/// Returns two copies of one run, in order. Simulated runs have no time, so they may be equal without
/// being copies.
fn find_copies(runs: &[RunSummary]) -> Option<(&RunSummary, &RunSummary)> {
    let mut index = RunIndex::default();
    runs.iter().enumerate().find_map(|(place, run)| {
        let first = index.find(run, |place| runs.get(place)).filter(|_| run.started_at.is_some());
        index.add(run, place);
        first.and_then(|place| runs.get(place)).map(|first| (run, first))
    })
}

fn run_difference(first: &RunSummary, other: &RunSummary) -> Option<String> {
    let (own, its) = (first.time_spans.len(), other.time_spans.len());
    if own != its {
        return Some(format!("it has {its} time spans instead of {own}"));
    }
    first.time_spans.iter().zip(&other.time_spans).flat_map(|(a, b)| a.iter().zip(b)).find_map(|(a, b)| {
        let (a, b) = (&a.parameters, &b.parameters);
        let durations = [a.duration_s, b.duration_s];
        let access = |of: &diskspd_profile::Parameters| {
            (
                of.common(|access| access.block_size),
                of.common(|access| access.write_percent),
                of.common(|access| Some(access.shares)),
                of.common(|access| access.random_percent),
            )
        };
        if let [Some(own), Some(its)] = durations
            && own != its
        {
            return Some(format!("the duration is {its} s instead of {own} s"));
        }
        (access(a) != access(b)).then(|| "block size, mix or pattern".to_owned())
    })
}

fn merge_spans(spans: &[&SpanSummary]) -> SpanSummary {
    let of = |figures: fn(&SpanSummary) -> &DirectionSummary| {
        DirectionSummary::of_all(&spans.iter().map(|span| figures(span)).collect::<Vec<_>>())
    };
    let mut parameters = spans[0].parameters.clone();
    let sum = |of: fn(&SpanSummary) -> Option<u64>| spans.iter().map(|span| of(span)).sum::<Option<u64>>();
    parameters.threads = sum(|span| span.parameters.threads);
    parameters.in_flight = sum(|span| span.parameters.in_flight);
    let seconds = spans.iter().map(|span| span.seconds).collect::<Option<Vec<f64>>>();
    SpanSummary {
        parameters,
        seconds: seconds.map(|all| all.into_iter().fold(0.0, f64::max)),
        read: of(|span| &span.read),
        write: of(|span| &span.write),
        total: of(|span| &span.total),
        ..SpanSummary::default()
    }
}
