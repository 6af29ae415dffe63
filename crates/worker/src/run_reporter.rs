//! Messages of a run in progress, for its listeners.

use super::listener::{MachineSpeed, NullObserver, Progress, RunObserver, Speed, Subscriptions, TargetSpeed};
use crate::telemetry::live::{self, Counters, WorkerSums, collect};
use diskspd_base::finding::Finding;
use diskspd_figures::units::Millis;
use diskspd_results::IntervalFigures;
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_sys::mutex::LockUnpoisoned;
use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Only channel for a run's messages, so that all of them can be kept.
pub struct RunReporter {
    listener: Arc<dyn RunObserver>,
    wants: Subscriptions,
    /// Current time span, numbered from 1; 0 = none yet.
    time_span: AtomicU32,
    seen: Mutex<WorkerSums>,
    said: Mutex<HashSet<String>>,
    notices: Mutex<Vec<Finding>>,
}

impl RunReporter {
    pub fn new(listener: Arc<dyn RunObserver>) -> RunReporter {
        let wants = listener.wants();
        let (time_span, seen, said, notices) = Default::default();
        RunReporter { listener, wants, time_span, seen, said, notices }
    }

    pub fn quiet() -> RunReporter {
        RunReporter::new(Arc::new(NullObserver))
    }

    pub fn is_streaming(&self) -> bool {
        self.wants.intervals
    }

    pub fn is_live(&self) -> bool {
        self.wants.progress
    }

    /// Whether latencies and directions are shown during the run.
    pub fn is_detailed(&self) -> bool {
        self.wants.details
    }

    pub fn begin_span(&self, number: usize) {
        self.said.lock_anyway().clear();
        self.time_span.store(number as u32, Ordering::Relaxed);
        self.listener.time_span_begins(number);
    }

    pub fn stream(&self, figures: &IntervalFigures) {
        self.listener.interval(figures);
    }

    /// Ends the run. Returns a message about undelivered information.
    pub fn end(&self) -> Option<String> {
        self.listener.run_ended()
    }

    /// Returns all messages so far, in order.
    pub fn notices(&self) -> Vec<Finding> {
        self.notices.lock_anyway().clone()
    }

    pub fn verbose(&self, text: impl FnOnce() -> String) {
        if self.wants.steps {
            self.listener.step(&text());
        }
    }

    pub fn warn(&self, text: &str) {
        self.report_finding(Finding::warning(text));
    }

    /// Warns once per time span about a matter common to many threads.
    pub fn warn_once(&self, text: String) {
        let mut said = self.said.lock_anyway();
        if !said.contains(&text) {
            self.warn(&text);
            said.insert(text);
        }
    }

    pub fn note(&self, text: &str) {
        self.report_finding(Finding::note(text));
    }

    /// Reports a finding about the current time span.
    pub fn report_finding(&self, finding: Finding) {
        let time_span = Some(self.time_span.load(Ordering::Relaxed)).filter(|number| *number > 0);
        let notice = finding.in_time_span(time_span.map(|number| number as usize));
        self.listener.notice(&notice);
        self.notices.lock_anyway().push(notice);
    }

    pub fn dots(&self, count: u32) {
        if count > 0 {
            self.listener.dots(count);
        }
    }

    pub fn begin(&self, workers: &[Counters]) {
        if self.wants.progress {
            *self.seen.lock_anyway() = collect(workers);
        }
    }

    /// Reports the progress since the last call, or since [`RunReporter::begin`]. `left`: time until the
    /// end of
    /// the phase in ns.
    pub fn draw(
        &self,
        phase: &str,
        left: Nanos,
        workers: &[Counters],
        (machine, targets): (MachineSpeed, &[TargetSpeed]),
    ) {
        if self.wants.progress {
            let mut seen = self.seen.lock_anyway();
            let now = collect(workers);
            let rates = speed_between(&seen, &now);
            self.listener.progress(&Progress::Running {
                phase,
                left_ns: left,
                rates,
                machine,
                targets,
                hosts: &[],
            });
            *seen = now;
        }
    }

    /// Records the marks of the user, set by `passed` ns after the start of the phase.
    pub fn note_marks(&self, phase: &str, passed: Nanos) {
        for _ in 0..self.listener.marks() {
            self.note(&format!(
                "mark: {:.0} s after the beginning of {phase}",
                passed as f64 / SECOND as f64
            ));
        }
    }

    /// Reports the progress of a file's preparation in bytes.
    pub fn draw_preparation(&self, path: &str, done: u64, total: u64) {
        if self.wants.progress {
            self.listener.progress(&Progress::Preparing { name: path, done_bytes: done, total_bytes: total });
        }
    }

    pub fn clear_line(&self) {
        self.listener.progress_ends();
    }
}

impl fmt::Debug for RunReporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Voice").field("wants", &self.wants).finish_non_exhaustive()
    }
}

/// Returns the work between two checks; `None` = the same check.
pub fn speed_between(before: &WorkerSums, now: &WorkerSums) -> Option<Speed> {
    if before.at == 0 || now.at <= before.at {
        return None;
    }
    let seconds = (now.at - before.at) as f64 / SECOND as f64;
    let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
    let cells = now.latencies_since(before);
    let count: u64 = cells.iter().sum();
    let mean = now.latency_sum.wrapping_sub(before.latency_sum) as f64 / count.max(1) as f64;
    Some(Speed {
        iops: rate(now.ios, before.ios),
        max: cells.iter().rposition(|count| *count > 0).map(|cell| Millis::of_ns(live::middle_of(cell))),
        reads_and_writes: now.splits.then(|| {
            let writes = rate(now.writes, before.writes);
            [rate(now.ios, before.ios) - writes, writes]
        }),
        bytes_per_s: rate(now.bytes, before.bytes),
        latency: (count > 0)
            .then(|| (Millis::of_mean_ns(mean), Millis::of_ns(live::percentile(&cells, count, 0.99)))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_cover_the_time_since_the_last_reading() {
        let worker = Counters::new(true).splitting(true);
        let mut before = collect(std::slice::from_ref(&worker));
        worker.add(1000, 4_096_000);
        worker.add_writes(400);
        (0..990).for_each(|_| worker.add_latency(100_000));
        (0..10).for_each(|_| worker.add_latency(900_000));
        let mut now = collect(std::slice::from_ref(&worker));
        (before.at, now.at) = (SECOND, 3 * SECOND);
        let found = speed_between(&before, &now).unwrap();
        assert_eq!((found.iops, found.bytes_per_s), (500.0, 2_048_000.0));
        let (mean, p99) = found.latency.unwrap();
        assert_eq!(mean, Millis::of_ns(108_000));
        assert!((0.099..0.101).contains(&p99.ms()), "{p99}");
        assert_eq!(found.reads_and_writes, Some([300.0, 200.0]));
        let max = found.max.unwrap();
        assert!((0.88..0.92).contains(&max.ms()), "{max}");
        assert_eq!(speed_between(&now, &now), None);
    }

    #[derive(Default)]
    struct CollectingObserver(Mutex<Vec<String>>);

    impl RunObserver for CollectingObserver {
        fn notice(&self, notice: &Finding) {
            self.0.lock().unwrap().push(notice.message.clone());
        }
    }

    #[test]
    fn equal_messages_of_threads_are_printed_once() {
        let ear = Arc::new(CollectingObserver::default());
        let voice = RunReporter::new(Arc::clone(&ear) as Arc<dyn RunObserver>);
        for number in 1..3 {
            voice.begin_span(number);
            (0..3).for_each(|_| voice.warn_once("the same".into()));
        }
        assert_eq!(*ear.0.lock().unwrap(), ["the same"; 2]);
        assert_eq!(voice.notices().len(), 2);
    }
}
