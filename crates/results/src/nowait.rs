//! I/Os that were tried without waiting first (`--nowait`), and would have waited.

use super::by_thread::rows as by_thread;
use super::{Accumulate, DirectionResults, Host, SpanResults, TargetResults};
use diskspd_profile::RawText;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NowaitTable {
    /// Rows of the threads with the option, ascending; targets in the thread's order.
    pub rows: Vec<NowaitRow>,
    pub total: NowaitFigures,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NowaitRow {
    pub thread: u32,
    /// Path of the target as entered by the user.
    pub path: RawText,
    #[serde(flatten)]
    pub figures: NowaitFigures,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct NowaitFigures {
    pub read: NowaitCounts,
    pub write: NowaitCounts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct NowaitCounts {
    pub ios: u64,
    pub misses: u64,
    /// Share of these I/Os in percent; `None` without I/Os.
    pub percent: Option<f64>,
}

impl NowaitTable {
    pub(super) fn new(host: &Host, results: &SpanResults) -> Option<NowaitTable> {
        let asked = |target: &TargetResults| target.read.nowait_misses.is_some();
        let (mut read, mut write) = (NowaitCounts::default(), NowaitCounts::default());
        let mut rows = Vec::new();
        for (thread, target) in by_thread(&results.threads).filter(|(_, target)| asked(target)) {
            let figures =
                NowaitFigures { read: from_results(&target.read), write: from_results(&target.write) };
            read.add(&figures.read);
            write.add(&figures.write);
            rows.push(NowaitRow { thread, path: host.path(target.target).clone(), figures });
        }
        (!rows.is_empty()).then_some(NowaitTable { rows, total: NowaitFigures { read, write } })
    }
}

fn from_results(results: &DirectionResults) -> NowaitCounts {
    NowaitCounts::new(results.ios, results.nowait_misses.unwrap_or(0))
}

impl NowaitCounts {
    fn new(ios: u64, misses: u64) -> NowaitCounts {
        NowaitCounts { ios, misses, percent: (ios > 0).then(|| 100.0 * misses as f64 / ios as f64) }
    }
}

impl Accumulate for NowaitCounts {
    fn add(&mut self, other: &NowaitCounts) {
        let [ios, misses] = [(self.ios, other.ios), (self.misses, other.misses)];
        *self = NowaitCounts::new(ios.0.saturating_add(ios.1), misses.0.saturating_add(misses.1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Record, Results, ThreadResults};
    use diskspd_profile::Profile;

    #[test]
    fn nowait_misses_add_up_over_supporting_targets() {
        let target = |ios, misses| TargetResults {
            read: DirectionResults { ios, nowait_misses: misses, ..DirectionResults::default() },
            ..TargetResults::default()
        };
        let thread = |target| ThreadResults { targets: vec![target], ..ThreadResults::default() };
        let record = Record::new(Profile::default(), Default::default(), Results::default());
        let table =
            |threads| NowaitTable::new(record.host(), &SpanResults { threads, ..SpanResults::default() });
        assert_eq!(table(vec![thread(target(9, None))]), None);
        let asked = [target(8, Some(2)), target(9, None), target(0, Some(0))].map(thread).to_vec();
        let table = table(asked).unwrap();
        assert_eq!(table.rows.iter().map(|row| row.thread).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(table.rows[1].figures.read.percent, None);
        assert_eq!(table.total.read, NowaitCounts { ios: 8, misses: 2, percent: Some(25.0) });
        assert_eq!(table.total.write, NowaitCounts::default());
    }
}
