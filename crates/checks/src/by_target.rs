//! Results and facts of each target of a time span, by the target's id.

use diskspd_machine::environment::Disk;
use diskspd_machine::io_counters::TargetDevices;
use diskspd_profile::TargetId;
use diskspd_results::{SpanResults, TargetResults};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(crate) struct ByTarget<'a>(HashMap<TargetId, TargetGroup<'a>>);

#[derive(Debug, Default)]
struct TargetGroup<'a> {
    /// Indexes of the target among the targets of the span.
    places: Vec<usize>,
    rows: Vec<&'a TargetResults>,
    facts: Vec<&'a TargetDevices>,
    disks: Vec<&'a Disk>,
    /// Number of threads with rows.
    threads: u64,
    last_thread: Option<usize>,
}

impl<'a> ByTarget<'a> {
    pub(crate) fn new(ids: &[TargetId], results: &'a SpanResults, disks: &'a [Disk]) -> ByTarget<'a> {
        let mut all: HashMap<TargetId, TargetGroup> = HashMap::new();
        for (place, id) in ids.iter().enumerate() {
            all.entry(*id).or_default().places.push(place);
        }
        for (thread, of_thread) in results.threads.iter().enumerate() {
            for row in &of_thread.targets {
                let known = all.entry(row.target).or_default();
                known.rows.push(row);
                known.threads += u64::from(known.last_thread != Some(thread));
                known.last_thread = Some(thread);
            }
        }
        let devices = results.observed.as_ref().and_then(|observed| observed.devices.as_ref());
        for facts in devices.iter().flat_map(|devices| &devices.targets) {
            all.entry(facts.target).or_default().facts.push(facts);
        }
        for disk in disks {
            disk.targets.iter().for_each(|id| all.entry(*id).or_default().disks.push(disk));
        }
        ByTarget(all)
    }

    /// Returns the indexes of a target in the profile, which may list a path several times.
    pub(crate) fn places(&self, id: TargetId) -> &[usize] {
        self.0.get(&id).map_or(&[], |known| &known.places)
    }

    pub(crate) fn rows(&self, id: TargetId) -> impl Iterator<Item = &'a TargetResults> + Clone {
        self.0.get(&id).map_or(&[][..], |known| &known.rows).iter().copied()
    }

    pub(crate) fn facts(&self, id: TargetId) -> impl Iterator<Item = &'a TargetDevices> {
        self.0.get(&id).map_or(&[][..], |known| &known.facts).iter().copied()
    }

    pub(crate) fn disks(&self, id: TargetId) -> impl Iterator<Item = &'a Disk> {
        self.0.get(&id).map_or(&[][..], |known| &known.disks).iter().copied()
    }

    /// Returns the number of threads that used a target.
    pub(crate) fn threads(&self, id: TargetId) -> u64 {
        self.0.get(&id).map_or(0, |known| known.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_results::ThreadResults;

    #[test]
    fn rows_are_found_by_target_in_order_of_threads() {
        let row = |target, size| TargetResults { target: TargetId(target), size, ..TargetResults::default() };
        let thread = |targets| ThreadResults { targets, ..ThreadResults::default() };
        let threads = vec![thread(vec![row(0, 1), row(1, 2), row(1, 3)]), thread(vec![row(1, 4)])];
        let results = SpanResults { threads, ..SpanResults::default() };
        let known = ByTarget::new(&[TargetId(1), TargetId(1), TargetId(2)], &results, &[]);
        let sizes = |id| known.rows(TargetId(id)).map(|row| row.size).collect::<Vec<_>>();
        assert_eq!([sizes(0), sizes(1), sizes(2), sizes(3)], [vec![1], vec![2, 3, 4], vec![], vec![]]);
        assert_eq!([0, 1, 2, 3].map(|id| known.threads(TargetId(id))), [1, 2, 0, 0]);
        assert_eq!([0, 1, 2].map(|id| known.places(TargetId(id))), [&[][..], &[0, 1], &[2]]);
    }
}
