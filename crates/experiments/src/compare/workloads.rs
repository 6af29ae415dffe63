//! Sides with several workloads. Each is compared only with its counterpart.

use super::facts;
use super::{Runs, Side, SideRun};
use diskspd_profile::{Caching, Parameters};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct MatchedWorkload {
    pub name: String,
    pub is_test: bool,
    /// Indexes of its runs in both sides.
    pub places: [Vec<usize>; 2],
}

pub(super) struct Workloads {
    pub both: Vec<MatchedWorkload>,
    pub alone: [Vec<String>; 2],
}

/// Indexes of the runs of a workload in a side.
type WorkloadRuns = Vec<usize>;

impl MatchedWorkload {
    pub(super) fn runs<'a>(&self, sides: [&'a Side; 2]) -> [Vec<&'a SideRun>; 2] {
        [0, 1].map(|side| self.places[side].iter().map(|place| &sides[side].runs[*place]).collect())
    }
}

/// Returns the workloads of both sides. A single workload per side is assumed to be the same, and the
/// must-agree facts check it.
pub(super) fn from_sides(sides: [&Side; 2]) -> Workloads {
    if let Some(tests) = by_tests(sides) {
        return tests;
    }
    // On the same targets, if that leaves any; else whatever they are called.
    let groups = |with_targets: bool| sides.map(|side| group_runs(side, with_targets));
    let mut grouped = groups(true);
    let in_both = |[first, other]: &[Vec<KeyedRuns>; 2]| {
        first.iter().any(|(key, _)| other.iter().any(|(found, _)| fit(found, key)))
    };
    if !in_both(&grouped) {
        grouped = groups(false);
    }
    let [first, other] = grouped;
    if first.len() == 1 && other.len() == 1 {
        let places = sides.map(|side| (0..side.runs.len()).collect());
        let both = vec![MatchedWorkload { name: String::new(), is_test: false, places }];
        return Workloads { both, alone: Default::default() };
    }
    let (found, left) = match_counterparts(sides, &first, &other);
    let all: Vec<(usize, &WorkloadRuns)> =
        first.iter().map(|(_, group)| (0, group)).chain(other.iter().map(|(_, group)| (1, group))).collect();
    let names = group_names(sides, &all);
    let name = |group: &WorkloadRuns, side: usize| {
        let place = all.iter().position(|(of, one)| *of == side && *one == group);
        place.map(|place| names[place].clone()).unwrap_or_default()
    };
    let mut both = Vec::new();
    let mut alone: [Vec<String>; 2] = Default::default();
    for ((_, group), counterpart) in first.iter().zip(found) {
        match counterpart {
            Some(of_other) => {
                let places = [group.clone(), of_other];
                both.push(MatchedWorkload { name: name(group, 0), is_test: false, places });
            }
            None => alone[0].push(name(group, 0)),
        }
    }
    alone[1] = left.into_iter().flatten().map(|group| name(&group, 1)).collect();
    Workloads { both, alone }
}

/// Returns the tests of suites by name; `None` = a run does not belong to a suite.
fn by_tests(sides: [&Side; 2]) -> Option<Workloads> {
    let mut tests: Vec<(&str, [WorkloadRuns; 2])> = Vec::new();
    for (number, side) in sides.into_iter().enumerate() {
        for (place, run) in side.runs.iter().enumerate() {
            let name = run.test.as_deref()?;
            match tests.iter_mut().find(|(found, _)| *found == name) {
                Some((_, places)) => places[number].push(place),
                None => {
                    let mut places = [Vec::new(), Vec::new()];
                    places[number].push(place);
                    tests.push((name, places));
                }
            }
        }
    }
    let mut found = Workloads { both: Vec::new(), alone: Default::default() };
    for (name, places) in tests {
        match places.iter().position(Vec::is_empty) {
            None => found.both.push(MatchedWorkload { name: name.to_owned(), is_test: true, places }),
            Some(lacking) => found.alone[1 - lacking].push(name.to_owned()),
        }
    }
    Some(found)
}

type KeyedRuns = (WorkKey, WorkloadRuns);

fn match_counterparts(
    sides: [&Side; 2],
    first: &[KeyedRuns],
    other: &[KeyedRuns],
) -> (Vec<Option<WorkloadRuns>>, Vec<Option<WorkloadRuns>>) {
    let mut left: Vec<Option<WorkloadRuns>> = other.iter().map(|(_, group)| Some(group.clone())).collect();
    let mut found: Vec<Option<WorkloadRuns>> = Vec::new();
    for (key, _) in first {
        let place = other.iter().position(|(of_other, _)| fit(of_other, key));
        found.push(place.and_then(|place| left[place].take()));
    }
    // What one side didn't record can't be held against it, where there is but one that it could be.
    let fits = |one: &WorkloadRuns, of: &WorkloadRuns| {
        let runs = [of_places(sides[0], one), of_places(sides[1], of)];
        facts::differences(borrowed(&runs)).1.is_empty()
    };
    for place in 0..first.len() {
        let group = &first[place].1;
        if found[place].is_some() {
            continue;
        }
        let mut candidates =
            (0..left.len()).filter(|at| left[*at].as_ref().is_some_and(|of| fits(group, of)));
        if let (Some(only), None) = (candidates.next(), candidates.next()) {
            let rivals = (0..first.len()).filter(|at| found[*at].is_none());
            let fit = |at: &usize| left[only].as_ref().is_some_and(|of| fits(&first[*at].1, of));
            if rivals.filter(fit).count() == 1 {
                found[place] = left[only].take();
            }
        }
    }
    (found, left)
}

fn of_places<'a>(side: &'a Side, places: &[usize]) -> Vec<&'a SideRun> {
    places.iter().map(|place| &side.runs[*place]).collect()
}

/// Requested parameters of each time span; `None` = ended before the measurement.
type WorkKey = Vec<Option<Parameters>>;

/// Returns the workloads of a side by key, in order of appearance. A run without a measured time span
/// belongs to the group with the same other spans.
fn group_runs(side: &Side, with_targets: bool) -> Vec<KeyedRuns> {
    let mut groups: Vec<KeyedRuns> = Vec::new();
    let keys: Vec<WorkKey> = side.runs.iter().map(|run| work_key(run, with_targets)).collect();
    let is_whole = |place: &usize| keys[*place].iter().all(Option::is_some);
    let (whole, cut): (Vec<usize>, Vec<usize>) = (0..keys.len()).partition(is_whole);
    for place in whole.into_iter().chain(cut) {
        match groups.iter_mut().find(|(found, _)| fit(found, &keys[place])) {
            Some((_, group)) => group.push(place),
            None => groups.push((keys[place].clone(), vec![place])),
        }
    }
    groups.iter_mut().for_each(|(_, places)| places.sort_unstable());
    groups
}

fn fit(one: &WorkKey, other: &WorkKey) -> bool {
    let same = |(one, other): (&Option<Parameters>, &Option<Parameters>)| {
        one.is_none() || other.is_none() || one == other
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// Returns the requested work without irrelevant parameters: seed, times, form of the cache option.
fn work_key(run: &SideRun, with_targets: bool) -> WorkKey {
    let of_span = |span: &Option<diskspd_results::SpanSummary>| {
        let mut asked = span.as_ref()?.parameters.clone();
        (asked.rand_seed, asked.duration_s, asked.warmup_s) = (None, None, None);
        for caching in asked.targets.iter_mut().filter_map(|group| group.access.caching.as_mut()) {
            let mode = caching.effective_mode();
            *caching = Caching { mode, cached_devices: false, block_device: None, ..*caching };
        }
        if !with_targets {
            asked.targets.iter_mut().for_each(|group| group.paths = Vec::new());
        }
        Some(asked)
    };
    run.known.time_spans.iter().map(of_span).collect()
}

/// Whether two runs have the same work on the same targets.
pub(super) fn same(one: &SideRun, other: &SideRun) -> bool {
    work_key(one, true) == work_key(other, true)
}

fn group_names(sides: [&Side; 2], groups: &[(usize, &WorkloadRuns)]) -> Vec<String> {
    let facts: Vec<BTreeMap<String, String>> = groups
        .iter()
        .map(|(side, group)| {
            group.first().map(|run| facts::of_work(&sides[*side].runs[*run])).unwrap_or_default()
        })
        .collect();
    let all: BTreeSet<&String> = facts.iter().flat_map(BTreeMap::keys).collect();
    let differ: Vec<&String> = all
        .into_iter()
        .filter(|name| facts.iter().any(|one| one.get(*name) != facts[0].get(*name)))
        .collect();
    let (shape, rest): (Vec<&String>, Vec<&String>) =
        differ.iter().partition(|name| facts::is_of_shape(name));
    let kinds = |names: &[&String]| {
        let values = |one: &BTreeMap<String, String>| -> Vec<Option<String>> {
            names.iter().map(|name| one.get(*name).cloned()).collect()
        };
        facts.iter().map(values).collect::<BTreeSet<_>>().len()
    };
    // A further fact is in the names only where the shape of the I/O is not enough.
    let shown = if kinds(&shape) == kinds(&[&shape[..], &rest[..]].concat()) { shape } else { differ };
    let name = |(place, known): (usize, &BTreeMap<String, String>)| {
        let words: Vec<String> =
            shown.iter().filter_map(|name| Some(format!("{name} {}", known.get(*name)?))).collect();
        if words.is_empty() { format!("workload {}", place + 1) } else { words.join(", ") }
    };
    facts.iter().enumerate().map(name).collect()
}

pub(super) fn borrowed<'a>(runs: &'a [Vec<&'a SideRun>; 2]) -> Runs<'a> {
    [&runs[0], &runs[1]]
}
