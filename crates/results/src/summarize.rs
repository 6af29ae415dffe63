//! Record -> Summary. Defined for any record, regardless of its content.

use super::by_thread::rows;
use super::charts::*;
use super::interval_figures::IopsSeries;
use super::summary::*;
use super::{
    Accumulate, AuxTables, CompletionFigures, CompletionSeries, CompletionTimes, CpuTable, DeviceFigures,
    DeviceTimes, DirectionResults, DirectionWork, EffectiveRange, Host, IntegrityTable, LATE_START_NS,
    LATENESS, NowaitTable, Overdue, PacedFigures, PacedLatency, PartTable, Quantiles, Record, SpanResults,
    TargetLatencies, TargetResults, ThreadResults, TraceFigures, Work,
};
use diskspd_figures::stats::{Histogram, Moments, SeriesSum};
use diskspd_figures::units::{Millis, seconds_of_ns};
use diskspd_profile::{RawText, Target, TargetId, TimeSpan};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Derives every figure that reports show.
pub fn summarize(record: &Record) -> Summary {
    let (asked, got) = (&record.profile.time_spans, &record.host().results.time_spans);
    let never = SpanResults::default();
    let measured = |(index, span)| Measured::new(record, span, got.get(index).unwrap_or(&never));
    let time_spans: Vec<_> = asked.iter().enumerate().map(measured).collect();
    let totals = (asked.len() > 1).then(|| Totals::new(&time_spans));
    Summary { time_spans, totals }
}

impl Measured {
    fn new(record: &Record, span: &TimeSpan, results: &SpanResults) -> Option<Measured> {
        if !results.was_measured() {
            return None;
        }
        let host = record.host();
        let seconds = seconds_of_ns(results.measured);
        let created = u32::try_from(results.threads.len()).unwrap_or(u32::MAX);
        let Tables { total, read, write, course } = build_tables(host, span, seconds, &results.threads);
        let work = results.work();
        let mut all = Work::of_all(work.values());
        results.merged.iter().for_each(|merged| all.add(merged.as_ref()));
        Some(Measured {
            seconds,
            thread_count: if span.thread_count > 0 { span.thread_count } else { created },
            request_count: span.request_count,
            floating_pool: span.is_floating_pool(),
            failed: results.errors.iter().map(|error| error.count).fold(0, u64::saturating_add),
            cpu: CpuTable::new(&host.system.topology, &results.cpus),
            distributions: distribution_groups(host, &results.threads),
            total,
            read,
            write,
            fine_percentiles: span.measure_latency.then(|| FineChart::new(&all)),
            iops: span.calculate_iops_std_dev.then(|| IopsSeries::of_span(&course, results)),
            paced: paced_figures(results, &all, seconds, record.offered_ios_per_s(span))
                .map(|figures| figures.with_lateness(record, &all)),
            parts: PartTable::new(host, results, seconds),
            integrity: IntegrityTable::new(host, results),
            others: AuxTables::new(host, results, seconds),
            nowait: NowaitTable::new(host, results),
            trace: trace_of(results),
            latency: span.measure_latency.then(|| LatencyCharts::new(host, results, &work, &all)),
            waits: wait_statistics(record, span, &results.threads),
            submits: thread_submits(&results.threads, seconds),
        })
    }
}

fn wait_statistics(record: &Record, span: &TimeSpan, threads: &[ThreadResults]) -> Vec<ThreadWaits> {
    if !record.profile.verbose_stats {
        return Vec::new();
    }
    let host = record.host();
    let of_all = record.rate_total().is_some();
    // As in DISKSPD, where the threads of -u and of completion routines are never called so.
    let limited = |results: &ThreadResults| {
        let paths: Vec<&RawText> = results.targets.iter().map(|target| host.path(target.target)).collect();
        let limits =
            |target: &Target| of_all || target.throughput.is_some() || target.think_time.unwrap_or(0) > 0;
        let queue = span.io_ring.is_none() && !span.completion_routines;
        queue && span.targets.iter().any(|target| limits(target) && paths.contains(&&target.path))
    };
    (0..)
        .zip(threads)
        .map(|(thread, results)| ThreadWaits {
            thread,
            waits: results.wait.unwrap_or_default(),
            throttled: record.profile.compat.is_2_3() && limited(results),
        })
        .collect()
}

fn thread_submits(threads: &[ThreadResults], seconds: f64) -> Vec<ThreadSubmits> {
    let rates = (0..).zip(threads).filter_map(|(thread, results)| Some((thread, results.submits?)));
    rates.map(|(thread, count)| ThreadSubmits { thread, per_second: count as f64 / seconds }).collect()
}

struct Tables {
    total: Table,
    read: Table,
    write: Table,
    course: CompletionSeries,
}

fn build_tables(host: &Host, span: &TimeSpan, seconds: f64, threads: &[ThreadResults]) -> Tables {
    let (mut all_reads, mut all_writes) = (DirectionSums::default(), DirectionSums::default());
    let [mut total, mut read, mut write] = [(); 3].map(|()| Vec::new());
    for (thread, target) in rows(threads) {
        let row = |sums: &DirectionSums| {
            let figures = sums.to_figures(span, seconds);
            Row { thread, path: host.path(target.target).clone(), size: target.size, figures }
        };
        // Unpacking a series takes longer than all that is done with it here: once is enough.
        let (mut reads, writes) =
            (DirectionSums::from_results(&target.read), DirectionSums::from_results(&target.write));
        read.push(row(&reads));
        write.push(row(&writes));
        all_reads.add(&reads);
        all_writes.add(&writes);
        reads.add(&writes);
        total.push(row(&reads));
    }
    let [read_total, write_total] = [&all_reads, &all_writes].map(|sums| sums.to_figures(span, seconds));
    let course = CompletionSeries::of_sums(all_reads.series.clone(), all_writes.series.clone());
    all_reads.add(&all_writes);
    debug_assert_eq!(
        total.iter().map(|row| row.figures.throughput.ios).fold(0, u64::saturating_add),
        all_reads.ios
    );
    Tables {
        total: Table { rows: total, total: all_reads.to_figures(span, seconds) },
        read: Table { rows: read, total: read_total },
        write: Table { rows: write, total: write_total },
        course,
    }
}

/// Raw data of a row. Mean and deviation follow from the moments; merging the histograms would cost far more.
#[derive(Default)]
struct DirectionSums {
    bytes: u64,
    ios: u64,
    latency: Moments,
    series: SeriesSum,
}

impl DirectionSums {
    fn from_results(results: &DirectionResults) -> DirectionSums {
        let mut series = SeriesSum::default();
        results.series.iter().for_each(|one| series.add(one));
        let latency = results.latency_moments().unwrap_or_default();
        DirectionSums { bytes: results.bytes, ios: results.ios, latency, series }
    }

    fn to_figures(&self, span: &TimeSpan, seconds: f64) -> Figures {
        let latency = LatencyFigures {
            mean: self.latency.mean().map(Millis::of_mean_ns),
            std_dev: self.latency.std_dev().map(Millis::of_mean_ns),
        };
        Figures {
            throughput: Throughput::new(self.bytes, self.ios, seconds),
            latency: span.measure_latency.then_some(latency),
            iops_std_dev: span.calculate_iops_std_dev.then(|| self.series.iops_std_dev()),
        }
    }
}

impl Accumulate for DirectionSums {
    fn add(&mut self, other: &DirectionSums) {
        self.bytes.add(&other.bytes);
        self.ios.add(&other.ios);
        self.latency.add(&other.latency);
        Accumulate::add(&mut self.series, &other.series);
    }
}

impl LatencyCharts {
    fn new(host: &Host, results: &SpanResults, work: &BTreeMap<TargetId, Work>, all: &Work) -> LatencyCharts {
        let mut order: Vec<TargetId> = Vec::new();
        for (_, target) in rows(&results.threads) {
            if !order.contains(&target.target) {
                order.push(target.target);
            }
        }
        let chart = |id: &TargetId| {
            let chart = Latencies::from_work(work.get(id)?).chart();
            Some(PathChart { path: host.path(*id).clone(), chart })
        };
        let paths = match &results.merged {
            _ if order.len() < 2 => Vec::new(),
            None => order.iter().filter_map(chart).collect(),
            Some(merged) => merged.targets.iter().map(|one| PathChart::from_latencies(host, one)).collect(),
        };
        LatencyCharts { paths, all: Latencies::from_work(all).chart() }
    }
}

impl PathChart {
    fn from_latencies(host: &Host, target: &TargetLatencies) -> PathChart {
        PathChart { path: host.path(target.target).clone(), chart: target.chart() }
    }
}

impl FineChart {
    fn new(all: &Work) -> FineChart {
        let all = Latencies::from_work(all);
        let total = all.total();
        let row = |percent: f64| all.percentile_row(&total, percent / 100.0);
        FineChart {
            distinct_reads: all.read.distinct() as u64,
            distinct_writes: all.write.distinct() as u64,
            distinct_total: total.distinct() as u64,
            rows: FINE_PERCENTILES.into_iter().map(row).collect(),
        }
    }
}

/// Latencies of both directions; empty if not measured.
struct Latencies<'a> {
    read: Cow<'a, Histogram>,
    write: Cow<'a, Histogram>,
    either: Histogram,
}

impl Latencies<'_> {
    fn from_work(work: &Work) -> Latencies<'_> {
        Latencies::collect_latencies(work, |done| done.latency.as_ref())
    }

    fn collect_latencies(work: &Work, times: fn(&DirectionWork) -> Option<&Histogram>) -> Latencies<'_> {
        let known = |done| times(done).map_or_else(Cow::default, Cow::Borrowed);
        Latencies { read: known(&work.read), write: known(&work.write), either: Histogram::default() }
    }

    fn total(&self) -> Histogram {
        let mut total = self.read.clone().into_owned();
        total.add(&self.write);
        total.add(&self.either);
        total
    }

    /// Adds due I/Os that were never started, with their age at the end of measuring as the minimum
    /// response time. Their due times were evenly spaced, at least on average.
    fn add_overdue(&mut self, overdue: Overdue) {
        let mut ages = Histogram::default();
        let steps = overdue.ios.min(1000);
        for step in 0..steps {
            let upto = |step: u64| (u128::from(overdue.ios) * u128::from(step) / u128::from(steps)) as u64;
            let age = (u128::from(overdue.longest) * u128::from(steps - step) / u128::from(steps)) as u64;
            // Whatever fell due a moment ago is not late.
            if age > LATE_START_NS {
                ages.record_equal(age, upto(step + 1) - upto(step));
            }
        }
        match (self.read.moments().count(), self.write.moments().count()) {
            (0, 1..) => self.write.to_mut().add(&ages),
            (1.., 0) => self.read.to_mut().add(&ages),
            _ => self.either.add(&ages),
        }
    }

    fn percentile_row(&self, total: &Histogram, p: f64) -> ChartRow {
        let at = |histogram: &Histogram| histogram.percentile(p).map(Millis::of_ns_as_diskspd);
        ChartRow { read: at(&self.read), write: at(&self.write), total: at(total) }
    }

    fn chart(&self) -> Chart {
        let total = self.total();
        let row = |p: f64| self.percentile_row(&total, p);
        Chart { min: row(0.0), percentiles: PERCENTILES.into_iter().map(row).collect(), max: row(1.0) }
    }

    fn paced(&self) -> PacedLatency {
        let figures = |latencies: &Histogram| {
            let moments = latencies.moments();
            LatencyFigures {
                mean: moments.mean().map(Millis::of_mean_ns),
                std_dev: moments.std_dev().map(Millis::of_mean_ns),
            }
        };
        let (read, write, total) = (figures(&self.read), figures(&self.write), figures(&self.total()));
        PacedLatency { read, write, total, chart: self.chart() }
    }
}

impl PacedFigures {
    /// Adds the lateness of recorded I/Os.
    fn with_lateness(mut self, record: &Record, all: &Work) -> PacedFigures {
        if record.run_options.as_ref().is_some_and(|run_options| run_options.replay.is_some()) {
            let directions =
                || [&all.read, &all.write, &all.others].into_iter().filter_map(|done| done.paced.as_ref());
            let later = |nanos| {
                directions().fold(0u64, |sum, paced| sum.saturating_add(paced.delay.longer_than(nanos)))
            };
            self.later_than = LATENESS.iter().map(|(nanos, _)| later(*nanos)).collect();
        }
        self
    }
}

/// Returns the figures of scheduled I/Os; `None` without them. `all`: all I/O during `seconds`; `offered`:
/// offered I/Os per second.
fn paced_figures(results: &SpanResults, all: &Work, seconds: f64, offered: f64) -> Option<PacedFigures> {
    let directions =
        || [&all.read, &all.write, &all.others].into_iter().filter_map(|done| done.paced.as_ref());
    directions().next()?;
    let mut delay = Histogram::default();
    directions().for_each(|paced| delay.add(&paced.delay));
    let timed = directions().any(|paced| paced.response.is_some());
    let mut response = Latencies::collect_latencies(all, |done| done.paced.as_ref()?.response.as_ref());
    let never_started =
        rows(&results.threads).filter_map(|(_, target)| target.not_submitted.as_deref().copied());
    never_started.for_each(|overdue| response.add_overdue(overdue));
    // Targets without a rate are not among them.
    let mut service = Work::default();
    let is_paced = |target: &&TargetResults| target.read.paced.is_some() || target.write.paced.is_some();
    rows(&results.threads).map(|(_, target)| target).filter(is_paced).for_each(|target| service.add(target));
    if let Some(merged) = &results.merged {
        service.read.latency.add(&merged.read.service);
        service.write.latency.add(&merged.write.service);
    }
    let Overdue { ios: overdue, longest } = all.overdue.unwrap_or_default();
    let delays = delay.moments();
    Some(PacedFigures {
        offered_iops: offered,
        iops: delays.count() as f64 / seconds,
        ios: delays.count(),
        late_starts: delay.longer_than(LATE_START_NS),
        mean_delay: delays.mean().map(Millis::of_mean_ns),
        max_delay: delays.max().map(Millis::of_ns),
        not_submitted: overdue,
        max_not_submitted_delay: (overdue > 0).then(|| Millis::of_ns(longest)),
        later_than: Vec::new(),
        service: timed.then(|| Latencies::from_work(&service).paced()),
        response: timed.then(|| response.paced()),
    })
}

fn trace_of(results: &SpanResults) -> Option<TraceFigures> {
    let trace = results.observed.as_ref()?.trace.as_ref()?;
    let devices = trace.devices.as_ref().map(|devices| {
        devices.iter().map(|device| device_figures(device, &results.threads)).collect::<Vec<DeviceFigures>>()
    });
    Some(TraceFigures { counts: trace.counts.clone(), devices, session: trace.session.clone() })
}

fn device_figures(device: &DeviceTimes, threads: &[ThreadResults]) -> DeviceFigures {
    let on_device: HashSet<TargetId> = device.targets.iter().copied().collect();
    let figures = |times: &CompletionTimes, direction: fn(&TargetResults) -> &DirectionResults| {
        let mut own = Moments::default();
        rows(threads)
            .filter(|(_, target)| on_device.contains(&target.target))
            .filter_map(|(_, target)| direction(target).latency.as_ref())
            .for_each(|latency| own.merge(latency.moments()));
        let Quantiles { mean, p50: median, p99, .. } = Quantiles::from_times(&times.times);
        CompletionFigures {
            requests: times.requests,
            timed: times.times.moments().count(),
            mean,
            median,
            p99,
            own: own.mean().map(Millis::of_mean_ns),
        }
    };
    DeviceFigures {
        device: device.device.clone(),
        read: figures(&device.read, |target| &target.read),
        write: figures(&device.write, |target| &target.write),
        flushes: device.flushes,
        reason: device.reason.clone(),
    }
}

fn distribution_groups(host: &Host, threads: &[ThreadResults]) -> Vec<DistributionGroup> {
    let mut groups: BTreeMap<&[EffectiveRange], BTreeMap<&RawText, BTreeSet<u32>>> = BTreeMap::new();
    for (thread, target) in rows(threads).filter(|(_, target)| !target.distribution.is_empty()) {
        groups
            .entry(&target.distribution)
            .or_default()
            .entry(host.path(target.target))
            .or_default()
            .insert(thread);
    }
    let user = |(path, threads): (&RawText, BTreeSet<u32>)| DistributionUser {
        path: path.clone(),
        threads: threads.into_iter().collect(),
    };
    let group = |(ranges, users): (&[EffectiveRange], BTreeMap<_, _>)| DistributionGroup {
        users: users.into_iter().map(user).collect(),
        ranges: ranges.to_vec(),
    };
    groups.into_iter().map(group).collect()
}

impl Totals {
    fn new(time_spans: &[Option<Measured>]) -> Totals {
        let measured = || time_spans.iter().flatten();
        // `sum` of nothing is -0.
        let seconds = measured().map(|span| span.seconds).fold(0.0, |sum, x| sum + x);
        let over = |table: fn(&Measured) -> &Table| {
            let sum = |amount: fn(&Throughput) -> u64| {
                measured().map(|span| amount(&table(span).total.throughput)).fold(0, u64::saturating_add)
            };
            Throughput::new(sum(|figures| figures.bytes), sum(|figures| figures.ios), seconds)
        };
        Totals {
            seconds,
            write: over(|span| &span.write),
            read: over(|span| &span.read),
            total: over(|span| &span.total),
        }
    }
}
