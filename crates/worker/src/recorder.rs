//! The accounts of one worker: its work on each of its targets.

pub use crate::telemetry::completion::IoCompletion;
use crate::telemetry::stream::DirectionCounts;
use diskspd_base::engines::Direction;
use diskspd_base::io_error;
use diskspd_base::operation::Operation;
use diskspd_figures::stats::{Histogram, IntervalLog, Intervals, LatencyLog, LatencySeries, Moments, Series};
use diskspd_plan::workload::ThreadWorkload;
use diskspd_plan::{SpanPlan, WorkerPlan};
use diskspd_results::{
    AuxResults, DirectionResults, IoErrors, Overdue, PacedIos, TargetResults, ThreadResults,
};
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_sys::mutex::LockUnpoisoned;
use std::sync::{Arc, Mutex};

/// Counter of a worker's I/Os. [`Recorder::new`] allocates all memory; counting does not allocate, lock, or
/// divide by a float.
#[derive(Debug)]
pub struct Recorder {
    targets: Vec<TargetResults>,
    errors: Vec<IoErrors>,
    intervals: Option<IntervalLog>,
    responses: Option<IntervalLog>,
    course: Option<LatencyLog>,
    shared: Arc<JointAccounts>,
    progress: Option<Arc<DirectionCounts>>,
    /// Whether latencies, intervals or the stream need the time of an I/O.
    timed: bool,
    /// Whether intervals or the stream need each I/O.
    detailed: bool,
}

/// Accounts of all workers of a span together, only used after their end.
#[derive(Debug, Default)]
pub struct JointAccounts {
    intervals: Mutex<Option<Intervals>>,
    responses: Mutex<Option<Intervals>>,
    latencies: Mutex<Option<LatencySeries>>,
}

impl JointAccounts {
    fn add(sum: &Mutex<Option<Intervals>>, log: Option<IntervalLog>) {
        let Some(log) = log else { return };
        let mut all = sum.lock_anyway();
        all.get_or_insert_default().add(log);
    }

    /// Returns the merged intervals of the ended workers.
    pub fn take_intervals(&self) -> Option<Intervals> {
        self.intervals.lock_anyway().take()
    }

    /// Returns the latency series of all ended workers.
    pub fn take_latencies(&self) -> Option<LatencySeries> {
        self.latencies.lock_anyway().take()
    }

    pub fn take_responses(&self) -> Option<Intervals> {
        self.responses.lock_anyway().take()
    }
}

/// Successful completed I/O; the I/Os of a batch are mostly equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedIo {
    /// Index of the target in the worker's list.
    pub target: u32,
    pub op: Operation,
    pub bytes: u64,
    pub asked: u32,
    /// Submission time; arbitrary without time stamps.
    pub started: Nanos,
}

impl CountedIo {
    #[inline(always)]
    fn is_short(&self) -> bool {
        self.bytes < u64::from(self.asked)
    }

    #[inline(always)]
    fn io_completion(&self, now: Nanos, since_start: u64) -> IoCompletion {
        IoCompletion {
            target: self.target as usize,
            direction: self.op.direction(),
            bytes: self.bytes,
            short: self.is_short(),
            latency: now.saturating_sub(self.started),
            since_start,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct PacedDelay {
    /// Index of the target in the worker's list.
    pub target: usize,
    pub direction: Direction,
    /// Submission delay after the scheduled start in ns.
    pub delay: u64,
    /// Time from the scheduled start to the reap in ns; arbitrary without time stamps.
    pub response: u64,
    /// Reap time since the start of the measurement in ns.
    pub since_start: u64,
}

/// Sums of a batch on a target, kept in registers, because each addition in memory would wait for the
/// previous one.
#[derive(Debug, Default)]
struct BatchSums {
    all: Tally,
    writes: Tally,
}

#[derive(Debug, Default)]
struct Tally {
    ios: u64,
    bytes: u64,
    short: u64,
}

impl BatchSums {
    #[inline(always)]
    fn add(&mut self, io: CountedIo) {
        let write = u64::from(io.op == Operation::Write);
        let short = u64::from(io.is_short());
        self.all.ios += 1;
        self.all.bytes += io.bytes;
        self.all.short += short;
        self.writes.ios += write;
        self.writes.bytes += write.wrapping_neg() & io.bytes;
        self.writes.short += write & short;
    }

    fn add_to(self, target: &mut TargetResults) {
        let BatchSums { all, writes } = self;
        target.read.ios += all.ios - writes.ios;
        target.read.bytes += all.bytes - writes.bytes;
        target.read.short += all.short - writes.short;
        target.write.ios += writes.ios;
        target.write.bytes += writes.bytes;
        target.write.short += writes.short;
    }
}

impl Recorder {
    pub fn new(
        span: &SpanPlan,
        worker: &WorkerPlan,
        workload: &ThreadWorkload,
        shared: Arc<JointAccounts>,
        progress: Option<Arc<DirectionCounts>>,
    ) -> Recorder {
        let mut targets = empty(span, worker);
        for (index, target) in targets.iter_mut().enumerate() {
            target.distribution = workload.effective(index).to_vec();
        }
        let threads = span.workers.len();
        Recorder {
            targets,
            errors: Vec::new(),
            intervals: span
                .iops_interval
                .map(|ms| IntervalLog::new(ms, span.duration, span.measure_latency, threads)),
            responses: span
                .iops_interval
                .filter(|_| worker.is_paced() && span.measure_latency)
                .map(|ms| IntervalLog::new(ms, span.duration, true, threads)),
            course: span.measure_latency.then(|| LatencyLog::new(span.duration)),
            shared,
            timed: span.measure_latency || span.iops_interval.is_some() || progress.is_some(),
            detailed: span.iops_interval.is_some() || progress.is_some(),
            progress,
        }
    }

    /// Returns the number of counted reads and writes, by target in the worker's list.
    pub fn ios(&self) -> impl Iterator<Item = u64> + '_ {
        self.targets.iter().map(|target| target.read.ios + target.write.ios)
    }

    /// Counts I/Os that were reaped together at `now`, `since_start` after the start of the measurement.
    #[inline(always)]
    pub fn count(&mut self, mut ios: impl Iterator<Item = CountedIo>, now: Nanos, since_start: u64) {
        // What can be is decided once for all of them.
        if let ([only], false) = (&mut self.targets[..], self.timed) {
            let mut sums = BatchSums::default();
            ios.for_each(|io| sums.add(io));
            return sums.add_to(only);
        }
        // Which of several it is may be a matter of chance (a mix), so nothing is guessed of it.
        if !self.timed {
            return ios.for_each(|io| {
                let mut sums = BatchSums::default();
                sums.add(io);
                sums.add_to(&mut self.targets[io.target as usize]);
            });
        }
        self.close_finished_intervals(since_start);
        // I/Os submitted together and reaped together had the same times, and are counted together.
        let Some(mut alike) = ios.next() else { return };
        let mut times = 1;
        for io in ios {
            if io == alike {
                times += 1;
                continue;
            }
            self.count_many(alike.io_completion(now, since_start), times);
            (alike, times) = (io, 1);
        }
        self.count_many(alike.io_completion(now, since_start), times);
    }

    // Once a batch: inlined it would take registers from what is done for each I/O.
    #[inline(never)]
    fn count_many(&mut self, io: IoCompletion, times: u32) {
        self.count_alike(io, times);
    }

    /// Counts one I/O that was reaped at `now`, `since_start` after the start of the measurement.
    #[inline(always)]
    pub(crate) fn count_one(&mut self, io: CountedIo, now: Nanos, since_start: u64) {
        if self.timed {
            self.close_finished_intervals(since_start);
            return self.count_alike(io.io_completion(now, since_start), 1);
        }
        let account = of_direction(&mut self.targets[io.target as usize], io.op.direction());
        account.ios += 1;
        account.bytes += io.bytes;
        account.short += u64::from(io.is_short());
    }

    #[inline(always)]
    fn close_finished_intervals(&mut self, since_start: u64) {
        if self.course.as_ref().is_some_and(|course| course.is_over(since_start)) {
            self.close_interval(since_start);
        }
    }

    /// Closes an interval of the latency series, once a second.
    #[cold]
    fn close_interval(&mut self, since_start: u64) {
        let all = self.latency_moments();
        self.course.iter_mut().for_each(|course| course.close(since_start, &all));
    }

    fn latency_moments(&self) -> Moments {
        let directions = self.targets.iter().flat_map(|target| [&target.read, &target.write]);
        let mut all = Moments::default();
        directions
            .filter_map(|direction| direction.latency.as_ref())
            .for_each(|latency| all.merge(latency.moments()));
        all
    }

    #[inline(always)]
    fn count_alike(&mut self, io: IoCompletion, times: u32) {
        let account = of_direction(&mut self.targets[io.target], io.direction);
        let many = u64::from(times);
        account.ios += many;
        account.bytes += many * io.bytes;
        account.short += many * u64::from(io.short);
        if let Some(latency) = &mut account.latency {
            match times {
                1 => latency.record(io.latency),
                _ => latency.record_equal(io.latency, many),
            }
        }
        if self.detailed {
            self.record_detail(io, times);
        }
    }

    /// Counts I/Os in all figures except the sums of the whole span.
    #[inline(never)]
    fn record_detail(&mut self, io: IoCompletion, times: u32) {
        let account = of_direction(&mut self.targets[io.target], io.direction);
        let many = u64::from(times);
        if let Some(series) = &mut account.series {
            series.record_equal(io.since_start, io.latency, many);
        }
        if let Some(intervals) = &mut self.intervals {
            let write = io.direction == Direction::Write;
            intervals.record_equal(io.since_start, io.latency, times, io.bytes, write);
        }
        if let Some(progress) = &self.progress {
            progress.count(io, many);
        }
    }

    /// Counts an I/O's start delay and response time, after its regular accounting.
    #[inline]
    pub(crate) fn count_on_time(&mut self, io: PacedDelay) {
        let PacedDelay { target, direction, delay, response, since_start } = io;
        let account = of_direction(&mut self.targets[target], direction);
        let Some(paced) = &mut account.paced else { return };
        paced.delay.record(delay);
        let Some(responses) = &mut paced.response else { return };
        debug_assert!(
            response >= delay,
            "reaped {response} ns after its due time, submitted {delay} ns after it"
        );
        responses.record(response);
        if let Some(intervals) = &mut self.responses {
            intervals.record(since_start, response, 0, direction == Direction::Write);
        }
        if let Some(progress) = &self.progress {
            progress.response.add_latency(response);
        }
    }

    /// Counts another operation on a target, with its bytes and latency in ns.
    pub(crate) fn count_other(&mut self, target: usize, op: Operation, bytes: u64, latency: u64) {
        let Some(account) = self.targets[target].others.of_mut(op) else { return };
        account.ios += 1;
        account.bytes += bytes;
        if let Some(latencies) = &mut account.latency {
            latencies.record(latency);
        }
    }

    /// Counts the lateness of another operation that is already counted.
    pub(crate) fn other_on_time(&mut self, target: usize, op: Operation, delay: u64) {
        let account = self.targets[target].others.of_mut(op);
        if let Some(paced) = account.and_then(|account| account.paced.as_mut()) {
            paced.delay.record(delay);
        }
    }

    /// Counts an I/O that would have waited, and is already counted.
    pub fn count_missed(&mut self, target: usize, direction: Direction) {
        let account = of_direction(&mut self.targets[target], direction);
        account.nowait_misses.iter_mut().for_each(|misses| *misses += 1);
    }

    /// Records I/Os due but not submitted at the end of measuring, and the delay of the first in ns.
    pub fn overdue(&mut self, target: usize, ios: u64, longest: u64) {
        self.targets[target].not_submitted = Some(Box::new(Overdue { ios, longest }));
    }

    /// Counts a failed I/O. Failures end the run, so this may be slow.
    pub fn error(&mut self, target: usize, direction: Direction, errno: i32, offset: u64, now: Nanos) {
        let at_us = (now / 1000) as i64;
        let target = self.targets[target].target;
        let same = |e: &&mut IoErrors| e.errno == errno && e.direction == direction && e.target == target;
        match self.errors.iter_mut().find(same) {
            Some(known) => {
                known.count += 1;
                known.at_us.push(at_us);
                keep_first_and_last(&mut known.at_us);
            }
            None => self.errors.push(IoErrors {
                target,
                direction,
                errno,
                count: 1,
                first_offset: offset,
                at_us: vec![at_us],
            }),
        }
    }

    /// The longest latency that was counted on a target, ns; `None` = none was counted, or none is measured.
    pub fn longest(&self, target: usize) -> Option<u64> {
        let target = &self.targets[target];
        [&target.read, &target.write].into_iter().filter_map(DirectionResults::longest).max()
    }

    pub fn finish(&mut self) -> (ThreadResults, Vec<IoErrors>) {
        JointAccounts::add(&self.shared.intervals, self.intervals.take());
        JointAccounts::add(&self.shared.responses, self.responses.take());
        if let Some(course) = self.course.take() {
            let course = course.finish(&self.latency_moments());
            self.shared.latencies.lock_anyway().get_or_insert_default().add(course);
        }
        let targets = std::mem::take(&mut self.targets);
        debug_assert!(targets.iter().all(|target| counts_agree(&target.read)
            && counts_agree(&target.write)
            && target.others.iter().all(|(_, account)| counts_agree(account))));
        (ThreadResults { targets, ..ThreadResults::default() }, std::mem::take(&mut self.errors))
    }
}

fn counts_agree(account: &DirectionResults) -> bool {
    let counted = |histogram: &Histogram| histogram.moments().count();
    let paced = account.paced.as_ref();
    let on_time = paced.map_or(0, |paced| counted(&paced.delay));
    account.short <= account.ios
        && account.latency.as_ref().is_none_or(|latency| counted(latency) == account.ios)
        && account
            .series
            .as_ref()
            .is_none_or(|series| series.valid().map(|interval| interval.count()).sum::<u64>() <= account.ios)
        && on_time <= account.ios
        && paced.and_then(|paced| paced.response.as_ref()).is_none_or(|all| counted(all) == on_time)
}

/// Returns empty results of a worker.
pub fn empty(span: &SpanPlan, worker: &WorkerPlan) -> Vec<TargetResults> {
    let direction = |paced: bool, no_wait: bool| DirectionResults {
        nowait_misses: no_wait.then_some(0),
        latency: span.measure_latency.then(|| Box::new(Histogram::new())),
        series: span.iops_interval.map(|ms| Box::new(Series::new(ms, span.duration))),
        paced: paced.then(|| {
            let response = span.measure_latency.then(Histogram::new);
            Box::new(PacedIos { delay: Histogram::new(), response })
        }),
        ..DirectionResults::default()
    };
    // Always timed, and in no other figure. What follows from others has no time to start at.
    let others = |target: &diskspd_plan::WorkerTarget, paced: bool| {
        let mut others = AuxResults::default();
        for op in worker.others_on(target) {
            let paced = (paced && !op.follows_others() && !op.moves_data()).then(Box::default);
            let latency = Some(Box::new(Histogram::new()));
            others.set(op, DirectionResults { latency, paced, ..DirectionResults::default() });
        }
        others
    };
    let target = |(index, target): (usize, &diskspd_plan::WorkerTarget)| TargetResults {
        target: target.id,
        size: target.size,
        read: direction(worker.is_paced_on(index), target.ways.no_wait),
        write: direction(worker.is_paced_on(index), target.ways.no_wait),
        not_submitted: None,
        integrity: None,
        others: others(target, worker.is_paced_on(index)),
        distribution: Vec::new(),
        unfinished: Vec::new(),
        parts: Vec::new(),
    };
    worker.targets.iter().enumerate().map(target).collect()
}

/// The accounts of portions of a target (`--mix`, `--bs-split`) become one, with each of them in it.
pub(crate) fn whole_targets(worker: &WorkerPlan, entries: Vec<TargetResults>) -> Vec<TargetResults> {
    let mut whole: Vec<TargetResults> = Vec::with_capacity(entries.len());
    for (target, entry) in worker.targets.iter().zip(entries) {
        let portion = target.workload.portion;
        let part = portion.map(|portion| entry.as_part(portion.part, target.workload.block_size));
        match whole.last_mut().filter(|_| target.is_further_portion()) {
            Some(last) => {
                last.add_portion(entry);
                last.parts.extend(part);
            }
            // Where random I/O goes may differ from part to part.
            None if part.is_some() => {
                whole.push(TargetResults {
                    parts: part.into_iter().collect(),
                    distribution: Vec::new(),
                    ..entry
                });
            }
            None => whole.push(entry),
        }
    }
    whole
}

/// Adds the errors of a worker to the total, by kind.
pub fn merge_errors(all: &mut Vec<IoErrors>, more: Vec<IoErrors>) {
    for error in more {
        let same = |e: &&mut IoErrors| {
            (e.errno, e.direction, e.target) == (error.errno, error.direction, error.target)
        };
        match all.iter_mut().find(same) {
            Some(known) => {
                known.count += error.count;
                known.at_us.extend(error.at_us);
                known.at_us.sort_unstable();
                keep_first_and_last(&mut known.at_us);
            }
            None => all.push(error),
        }
    }
}

/// Maximum number of kept times per kind of error.
const MAX_ERROR_TIMES: usize = 1024;

fn keep_first_and_last(times: &mut Vec<i64>) {
    if times.len() > MAX_ERROR_TIMES {
        times.drain(MAX_ERROR_TIMES - 1..times.len() - 1);
    }
}

/// Converts the times of errors from the workers' clocks to times since the start of the measurement.
pub fn count_from(start: Nanos, errors: &mut [IoErrors]) {
    let times = errors.iter_mut().flat_map(|error| &mut error.at_us);
    times.for_each(|at| *at = at.saturating_sub((start / 1000) as i64));
}

/// Describes this kind of error in a line: `read of 'x': 3 x Input/output error (EIO 5), first at offset
/// 4096`.
pub fn describe_error(plan: &SpanPlan, error: &IoErrors) -> String {
    let direction = Operation::from(error.direction).row().name;
    let path = plan.path_of(error.target);
    format!(
        "{direction} of '{path}' failed: {} (first at offset {}, {} in all)",
        io_error::describe(error.errno),
        error.first_offset,
        error.count
    )
}

pub fn seconds(s: u32) -> u64 {
    u64::from(s) * SECOND
}

#[inline(always)]
fn of_direction(target: &mut TargetResults, direction: Direction) -> &mut DirectionResults {
    match direction {
        Direction::Read => &mut target.read,
        Direction::Write => &mut target.write,
    }
}
