//! Addition of results over threads, targets and hosts, by one rule.

use super::{Accumulate, DirectionResults, Overdue, PacedIos, SpanResults, TargetResults};
use diskspd_figures::stats::Histogram;
use diskspd_profile::TargetId;
use std::collections::BTreeMap;

impl Accumulate for PacedIos {
    fn add(&mut self, other: &PacedIos) {
        self.delay.add(&other.delay);
        self.response.add(&other.response);
    }
}

impl Accumulate for Overdue {
    fn add(&mut self, other: &Overdue) {
        self.ios.add(&other.ios);
        self.longest = self.longest.max(other.longest);
    }
}

/// Results of one direction, without the time series (`SeriesSum`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DirectionWork {
    pub bytes: u64,
    pub ios: u64,
    pub short: u64,
    /// `-L`: latencies in ns.
    pub latency: Option<Histogram>,
    /// `-g`: adherence of these I/Os to their scheduled start times.
    pub paced: Option<PacedIos>,
}

impl Accumulate<DirectionResults> for DirectionWork {
    fn add(&mut self, other: &DirectionResults) {
        self.bytes.add(&other.bytes);
        self.ios.add(&other.ios);
        self.short.add(&other.short);
        self.latency.add(&other.latency);
        self.paced.add(&other.paced);
    }
}

impl Accumulate for DirectionWork {
    fn add(&mut self, other: &DirectionWork) {
        self.bytes.add(&other.bytes);
        self.ios.add(&other.ios);
        self.short.add(&other.short);
        self.latency.add(&other.latency);
        self.paced.add(&other.paced);
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    pub read: DirectionWork,
    pub write: DirectionWork,
    /// Other operations, whose latencies are not in any figure of I/Os.
    pub others: DirectionWork,
    /// `-g`: I/Os that were due at the end but not started.
    pub overdue: Option<Overdue>,
}

impl Accumulate<TargetResults> for Work {
    fn add(&mut self, other: &TargetResults) {
        self.read.add(&other.read);
        self.write.add(&other.write);
        other.others.iter().for_each(|(_, account)| self.others.add(account));
        self.overdue.add(&other.not_submitted);
    }
}

impl Accumulate for Work {
    fn add(&mut self, other: &Work) {
        self.read.add(&other.read);
        self.write.add(&other.write);
        self.others.add(&other.others);
        self.overdue.add(&other.overdue);
    }
}

impl Work {
    pub fn of_all<'a>(parts: impl IntoIterator<Item = &'a Work>) -> Work {
        let mut all = Work::default();
        parts.into_iter().for_each(|part| all.add(part));
        all
    }
}

impl SpanResults {
    pub fn work(&self) -> BTreeMap<TargetId, Work> {
        let mut work: BTreeMap<TargetId, Work> = BTreeMap::new();
        for target in self.threads.iter().flat_map(|thread| &thread.targets) {
            work.entry(target.target).or_default().add(target);
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ThreadResults;
    use proptest::prelude::*;

    /// I/O: whether it is a write, its latency in ns, and its lateness.
    type Io = (bool, u64, u64);

    fn sample_target(id: u32, ios: &[Io]) -> TargetResults {
        let mut results = TargetResults { target: TargetId(id), ..TargetResults::default() };
        for &(write, latency, delay) in ios {
            let direction = if write { &mut results.write } else { &mut results.read };
            direction.bytes += 512 + latency % 2 * 512;
            direction.ios += 1;
            direction.short += latency % 2;
            direction.latency.get_or_insert_default().record(latency);
            let paced = direction.paced.get_or_insert_default();
            paced.delay.record(delay);
            paced.response.get_or_insert_default().record(latency + delay);
            results.not_submitted.add(&Some(Box::new(Overdue { ios: delay % 3, longest: delay })));
        }
        results
    }

    fn work(ios: &[Io]) -> Work {
        let mut work = Work::default();
        work.add(&sample_target(0, ios));
        work
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn sum_of_workers_equals_one_worker(
            ios in prop::collection::vec(
                ((any::<bool>(), 1..1u64 << 41, 0..1u64 << 30), 0..3u32, 0..3usize),
                0..60,
            ),
        ) {
            let all: Vec<Io> = ios.iter().map(|(io, ..)| *io).collect();
            let of = |thread: usize, id: u32| {
                let own = ios.iter().filter(|(_, target, by)| (*target, *by) == (id, thread));
                sample_target(id, &own.map(|(io, ..)| *io).collect::<Vec<_>>())
            };
            let thread = |thread| ThreadResults {
                targets: (0..3).map(|id| of(thread, id)).collect(),
                ..ThreadResults::default()
            };
            let span = SpanResults { threads: (0..3).map(thread).collect(), ..SpanResults::default() };
            prop_assert_eq!(Work::of_all(span.work().values()), work(&all));
            // Or each thread on a host of its own.
            let host = |index| SpanResults { threads: vec![thread(index)], ..SpanResults::default() };
            let hosts: Vec<Work> = (0..3).map(|index| Work::of_all(host(index).work().values())).collect();
            prop_assert_eq!(Work::of_all(&hosts), work(&all));
        }

        #[test]
        fn sums_do_not_depend_on_order_or_grouping(
            parts in prop::array::uniform3(
                prop::collection::vec((any::<bool>(), any::<u32>().prop_map(u64::from), 0..1u64 << 30), 0..9)
            ),
        ) {
            let [a, b, c] = parts.map(|ios| work(&ios));
            let sum = |parts: &[&Work]| Work::of_all(parts.iter().copied());
            prop_assert_eq!(sum(&[&a, &b]), sum(&[&b, &a]));
            prop_assert_eq!(sum(&[&sum(&[&a, &b]), &c]), sum(&[&a, &sum(&[&b, &c])]));
            prop_assert_eq!(sum(&[&a, &Work::default()]), a);
        }
    }
}
