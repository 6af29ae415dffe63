//! Fast search for equal runs among many.

use super::RunSummary;
use std::collections::HashMap;

/// Places of runs in a list of the caller's, by all that two summaries of one run share
/// ([`RunSummary::is_of_run`]).
#[derive(Debug, Default)]
pub struct RunIndex {
    by_identity: HashMap<String, usize>,
    by_start: HashMap<(i64, Vec<String>), Vec<usize>>,
}

impl RunIndex {
    /// Creates the index of a list.
    pub fn from_runs<'a>(runs: impl IntoIterator<Item = &'a RunSummary>) -> RunIndex {
        let mut index = RunIndex::default();
        runs.into_iter().enumerate().for_each(|(place, run)| index.add(run, place));
        index
    }

    /// Adds the run at this position. Several forms of a run may share a position.
    pub fn add(&mut self, run: &RunSummary, place: usize) {
        if let Some(identity) = &run.identity {
            self.by_identity.entry(identity.clone()).or_insert(place);
        }
        if let Some(started_at) = run.started_at {
            let places = self.by_start.entry((started_at, run.hosts.clone())).or_default();
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }

    /// Returns the first position of this run. `at` returns the current run of a position.
    pub fn find<'a>(&self, run: &RunSummary, at: impl Fn(usize) -> Option<&'a RunSummary>) -> Option<usize> {
        let of_record = run.identity.as_ref().and_then(|identity| self.by_identity.get(identity));
        let of_start = run.started_at.and_then(|start| self.by_start.get(&(start, run.hosts.clone())));
        let candidates = of_record.into_iter().chain(of_start.into_iter().flatten()).copied();
        candidates.filter(|place| at(*place).is_some_and(|known| known.is_of_run(run))).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    fn run(identity: Option<u8>, started_at: Option<i64>, host: &str) -> RunSummary {
        RunSummary {
            identity: identity.map(|number| format!("run{number}")),
            started_at,
            hosts: vec![host.to_owned()],
            ..RunSummary::new("r".to_owned(), Origin::Record { version: 2 })
        }
    }

    #[test]
    fn run_index_matches_exhaustive_comparison() {
        let mut runs = Vec::new();
        for identity in [None, Some(1), Some(2), Some(3)] {
            for started_at in [None, Some(0), Some(7)] {
                runs.extend(["a", "b"].map(|host| run(identity, started_at, host)));
            }
        }
        for turned in [false, true] {
            if turned {
                runs.reverse();
            }
            let index = RunIndex::from_runs(&runs);
            let mut found = 0;
            for wanted in &runs {
                let expected = runs.iter().position(|known| known.is_of_run(wanted));
                assert_eq!(index.find(wanted, |place| runs.get(place)), expected, "{wanted:?}");
                found += usize::from(expected.is_some());
            }
            assert!(found > 0 && found < runs.len(), "{found} of {}", runs.len());
        }
        assert_eq!(RunIndex::default().find(&runs[0], |place| runs.get(place)), None);
    }

    /// A record that takes the place of its result XML is found by its identity from then on.
    #[test]
    fn second_form_of_a_run_joins_the_first() {
        let (xml, record) = (run(None, Some(7), "a"), run(Some(1), Some(7), "a"));
        let mut index = RunIndex::from_runs([&xml]);
        assert_eq!(index.find(&record, |_| Some(&xml)), Some(0));
        index.add(&record, 0);
        assert_eq!(index.find(&run(Some(1), None, "b"), |_| Some(&record)), Some(0));
        assert_eq!(index.find(&run(Some(2), None, "a"), |_| Some(&record)), None);
    }
}
