//! One time span of all hosts.

use super::HostIndexes;
use super::axis::{HostTimes, TimeAxis};
use super::machines::MachineIndexes;
use diskspd_figures::stats::Intervals;
use diskspd_profile::TargetId;
use diskspd_results::{
    Alignment, Chart, CpuTimes, HostWindow, IoErrors, MergedLatencies, SpanResults, TargetLatencies,
    TargetResults,
};

#[derive(Debug, Default)]
pub(crate) struct SpanSum {
    pub index: usize,
    pub axis: TimeAxis,
    results: SpanResults,
    latencies: MergedLatencies,
    intervals: Option<AlignedSum>,
    responses: Option<AlignedSum>,
    shifts: Vec<i64>,
    /// Shifts for each kind of failed I/O.
    error_shifts: Vec<i64>,
}

/// Sum of the hosts' intervals; the first interval may precede the first host's start.
#[derive(Debug, Default)]
struct AlignedSum {
    /// Index of the first interval relative to the first host's start; at most 0.
    begin: i64,
    intervals: Intervals,
}

impl AlignedSum {
    fn add(&mut self, shift: i64, other: &Intervals) {
        if shift < self.begin {
            self.intervals.put_before(interval_distance(shift, self.begin));
            self.begin = shift;
        }
        self.intervals.merge_at(interval_distance(self.begin, shift), other);
    }
}

/// Stores a host's CPU times by machine. Of ranks on one machine, the longest observation is kept.
fn add_cpus(all: &mut Vec<CpuTimes>, own: Vec<CpuTimes>, machine: MachineIndexes) {
    let end = machine.first_cpu.saturating_add(machine.cpus);
    all.resize(all.len().max(end), CpuTimes::default());
    let total = |times: &[CpuTimes]| {
        times.iter().flat_map(|one| [one.idle, one.kernel, one.user]).fold(0, u64::saturating_add)
    };
    let known = &mut all[machine.first_cpu..end];
    if own.len() == known.len() && total(&own) > total(known) {
        known.copy_from_slice(&own);
    }
}

fn interval_distance(first: i64, second: i64) -> usize {
    usize::try_from(second.saturating_sub(first)).unwrap_or(0)
}

impl SpanSum {
    pub(crate) fn new(index: usize) -> SpanSum {
        SpanSum { index, ..SpanSum::default() }
    }

    pub(crate) fn add(
        &mut self,
        mut results: SpanResults,
        window: Option<HostTimes>,
        charts: Vec<(TargetId, Chart)>,
        place: &HostIndexes,
    ) -> HostWindow {
        let window = self.axis.add(&results, window);
        let global = |id: TargetId| TargetId(place.first_target.saturating_add(id.0));
        let all = &mut self.results;
        all.measured = all.measured.max(results.measured);
        add_cpus(&mut all.cpus, std::mem::take(&mut results.cpus), place.machine);
        if all.ended.is_none_or(|ended| ended.cause == Default::default()) {
            all.ended = results.ended.or(all.ended);
        }
        for (theirs, sum) in
            [(&results.intervals, &mut self.intervals), (&results.responses, &mut self.responses)]
        {
            if let Some(theirs) = theirs {
                sum.get_or_insert_default().add(window.shift, theirs);
            }
        }
        let errors = results.errors.into_iter();
        all.errors.extend(errors.map(|error| IoErrors { target: global(error.target), ..error }));
        self.error_shifts.resize(all.errors.len(), window.shift);
        let charts = charts.iter().map(|(target, chart)| TargetLatencies::new(global(*target), chart));
        self.latencies.targets.extend(charts);
        for mut thread in results.threads {
            thread
                .targets
                .iter_mut()
                .for_each(|row| take_latencies(&mut self.latencies, row, global(row.target)));
            thread.targets.shrink_to_fit();
            all.threads.push(thread);
        }
        self.shifts.resize(all.threads.len(), window.shift);
        window
    }

    /// Returns the sum of all hosts; `targets` = final numbers of targets.
    pub(crate) fn finish(self, targets: &[TargetId]) -> (SpanResults, Alignment) {
        let SpanSum { axis, mut results, mut latencies, intervals, responses, shifts, error_shifts, .. } =
            self;
        let renumber = |id: &mut TargetId| *id = targets.get(id.index()).copied().unwrap_or_default();
        results.started_at = axis.started_at();
        results.intervals = intervals.map(|sum| sum.common_intervals(&axis));
        results.responses = responses.map(|sum| sum.common_intervals(&axis));
        for (thread, shift) in results.threads.iter_mut().zip(shifts) {
            for row in &mut thread.targets {
                renumber(&mut row.target);
                if let Some((begin, count)) = axis.common() {
                    cut_intervals(row, begin.saturating_sub(shift).max(0).unsigned_abs(), count);
                }
            }
        }
        for (error, shift) in results.errors.iter_mut().zip(error_shifts) {
            renumber(&mut error.target);
            let begin = axis.common().map_or(0, |(begin, _)| begin);
            let later = shift.saturating_sub(begin).saturating_mul((axis.width / 1000) as i64);
            error.at_us.iter_mut().for_each(|at| *at = at.saturating_add(later));
        }
        latencies.targets.iter_mut().for_each(|one| renumber(&mut one.target));
        latencies.covered = axis.common().map(|(_, count)| count.saturating_mul(axis.width));
        results.merged = results.was_measured().then(|| Box::new(latencies));
        (results, axis.alignment())
    }
}

impl AlignedSum {
    fn common_intervals(mut self, axis: &TimeAxis) -> Intervals {
        if let Some((begin, count)) = axis.common() {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            self.intervals.keep(interval_distance(self.begin, begin), count);
        }
        self.intervals
    }
}

/// Keeps only these intervals of a thread on a target.
fn cut_intervals(row: &mut TargetResults, first: u64, count: u64) {
    for series in [&mut row.read.series, &mut row.write.series] {
        *series = series.as_ref().map(|series| Box::new(series.part(first, count)));
    }
}

fn take_latencies(latencies: &mut MergedLatencies, row: &mut TargetResults, target: TargetId) {
    row.target = target;
    row.unfinished = Vec::new();
    let paced = row.read.paced.is_some() || row.write.paced.is_some();
    latencies.read.take(&mut row.read, paced);
    latencies.write.take(&mut row.write, paced);
}
