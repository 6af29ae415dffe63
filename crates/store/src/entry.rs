//! A row of the index: the data of a run for lists and searches.

use super::{RunNotes, SpanWork, StoredForm};
use diskspd_base::fnv::Fnv;
use diskspd_profile::Parameters;
use diskspd_results::{RunSummary, SpanSummary};
use std::collections::HashSet;

#[derive(Debug, Clone, PartialEq)]
pub struct StoreEntry {
    pub id: String,
    pub source: StoredForm,
    pub about: RunNotes,
    /// Hash of the request: equal values mean the same work on the same targets. 16 hexadecimal digits.
    pub workload: String,
    pub targets: Vec<String>,
    pub work: Vec<SpanWork>,
    /// Indexed parts of the run: the severity of the worst finding, the percentiles [`INDEXED_PERCENTILES`],
    /// and the fields above instead of parameters.
    pub run: RunSummary,
}

pub(super) const INDEXED_PERCENTILES: [f64; 3] = [50.0, 99.0, 99.9];

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

impl StoreEntry {
    /// Returns the position of the run in the order of storage.
    pub fn kept_at(&self) -> i64 {
        self.about.order.unwrap_or_else(|| self.about.saved_at.saturating_mul(SECOND))
    }

    /// Returns its position in the order of keeping, independent of clock changes. For an imported run,
    /// its start time.
    pub fn position(&self) -> i64 {
        let began = self.run.started_at.filter(|_| self.about.imported_from.is_some());
        began.map_or_else(|| self.kept_at(), |at| at.saturating_mul(SECOND))
    }

    /// Returns the start time, otherwise the storage time, in seconds since 1970.
    pub fn time_of_run(&self) -> i64 {
        self.run.started_at.unwrap_or(self.about.saved_at)
    }

    pub fn new(id: &str, source: StoredForm, about: RunNotes, run: RunSummary) -> StoreEntry {
        let (mut targets, mut known): (Vec<String>, HashSet<String>) = Default::default();
        // As the index has them.
        let run = RunSummary { hosts: run.computer().into_iter().collect(), ..run };
        let asked: Vec<&Parameters> = run.requested_work().collect();
        for path in asked.iter().flat_map(|asked| asked.paths()) {
            let path = path.to_string();
            if known.insert(path.clone()) {
                targets.push(path);
            }
        }
        StoreEntry {
            id: id.to_owned(),
            source,
            about,
            workload: workload_text(&asked),
            targets,
            work: asked
                .iter()
                .zip(1..)
                .map(|(asked, number)| SpanWork::from_parameters(number, asked))
                .collect(),
            run,
        }
    }

    /// Returns the requested work of a time span (from 1); `None` if not recorded.
    pub fn work_of(&self, time_span: u32) -> Option<&SpanWork> {
        self.work.iter().find(|work| work.time_span == time_span)
    }

    /// Returns the time spans with their numbers from 1; unmeasured ones have no figures.
    pub fn time_spans(&self) -> impl Iterator<Item = (u32, Option<&SpanSummary>)> {
        (1..).zip(&self.run.time_spans).map(|(number, span)| (number, span.as_ref()))
    }
}

/// Returns the 64-bit FNV-1a hash over the parameters of all time spans. The seed is excluded. Target
/// types only count for devices that bypass the cache. Indexes of older programs lack it, and default
/// settings must stay the same work.
fn workload_text(asked: &[&Parameters]) -> String {
    let mut hash = Fnv::default();
    for span in asked {
        let mut parameters = Parameters { rand_seed: None, ..(*span).clone() };
        for caching in parameters.targets.iter_mut().filter_map(|group| group.access.caching.as_mut()) {
            caching.cached_devices &= caching.block_device == Some(true);
            caching.block_device = None;
        }
        hash.add(&serde_json::to_vec(&parameters).unwrap_or_default());
    }
    hash.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_profile::{Access, CacheMode, Target, TimeSpan};

    #[test]
    fn missing_device_facts_do_not_change_workload() {
        let span = TimeSpan::default();
        let work = |cache_mode, uncached_devices, device: Option<bool>| {
            let target = Target { path: "/dev/x".into(), cache_mode, uncached_devices, ..Target::default() };
            let span = TimeSpan { targets: vec![target], ..span.clone() };
            workload_text(&[&Parameters::with(&span, |target, _| {
                Access::from_target(&span, target).for_target(device)
            })])
        };
        let (cached, bypassed) = (CacheMode::Cached, CacheMode::DisableOsCache);
        let old = work(cached, true, None);
        for device in [Some(true), Some(false)] {
            assert_eq!(work(cached, true, device), old, "by default, {device:?}");
        }
        assert_eq!(work(cached, false, Some(false)), old, "files are cached with -Sb and without");
        assert_eq!(work(bypassed, true, Some(true)), work(bypassed, true, None));
        let others = [work(cached, false, Some(true)), work(bypassed, true, Some(true))];
        assert!(!others.contains(&old) && others[0] != others[1], "{others:?}");
    }
}
