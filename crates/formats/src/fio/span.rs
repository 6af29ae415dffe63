//! The figures of a group of jobs.

use super::jobs::FioJob;
use super::latency::{FioDistribution, FioTimes, times};
use super::options;
use diskspd_base::operation::Operation;
use diskspd_figures::units::Millis;
use diskspd_results::{
    AuxFigures, ChartRow, DirectionSummary, FioFigures, FioLatency, FioPercentiles, PercentileSummary,
    Quantiles, SpanSummary,
};
use serde_json::Value;

/// Returns the figures of concurrent jobs as one time span.
pub(super) fn from_group(group: &[FioJob]) -> SpanSummary {
    let mut jobs: Vec<String> = group.iter().map(|job| job.name.to_owned()).collect();
    jobs.dedup();
    let failed = group.iter().filter_map(failed_job).collect();
    let parameters = options::parameters(group);
    let mut span = of_entries(group);
    if parameters.threads != Some(1) {
        // What fio makes of those of several threads (group_reporting) is none of their sum.
        for figures in [&mut span.read, &mut span.write, &mut span.total] {
            figures.iops_std_dev = None;
        }
    }
    let fio = span.fio.map(|fio| Box::new(FioFigures { jobs, failed, ..*fio }));
    SpanSummary { parameters, fio, ..span }
}

fn failed_job(job: &FioJob) -> Option<(String, i64)> {
    let error = job.value.get("error")?.as_i64()?;
    (error != 0).then(|| (job.name.to_owned(), error))
}

fn of_entries(entries: &[FioJob]) -> SpanSummary {
    let of = |name: &str| entries.iter().filter_map(|job| job.value.get(name)).collect::<Vec<&Value>>();
    let (reads, writes, mixed) = (of("read"), of("write"), of("mixed"));
    let apart: Vec<&Value> = reads.iter().chain(&writes).copied().collect();
    // With `unified_rw_reporting` reads and writes are not distinguished; `both` reports everything twice.
    let only_mixed = !mixed.is_empty() && !apart.iter().any(|direction| is_busy(direction));
    let all = if only_mixed { mixed } else { apart };
    let ms = entries.iter().map(FioJob::runtime_ms).max().filter(|ms| *ms > 0);
    let seconds = ms.map(|ms| ms as f64 / 1000.0);
    let latency = common_kind(&all, |times| times.mean().is_some());
    let place = common_kind(&all, |times| times.percentiles().is_some());
    let kind = if entries.iter().any(FioJob::misplaces_percentiles) { place.and(latency) } else { place };
    let sum = |directions: &[&Value]| of_directions(directions, SpanFigures { latency, kind, seconds });
    let figures = |directions: &[&Value]| match only_mixed {
        true => DirectionSummary::default(),
        false => sum(directions),
    };
    let charts = place.map(|place| Charts {
        read: chart(&reads, place),
        write: chart(&writes, place),
        total: chart(&all, place),
    });
    SpanSummary {
        seconds,
        read: figures(&reads),
        write: figures(&writes),
        total: sum(&all),
        percentiles: charts.as_ref().map(Charts::percentile_rows).unwrap_or_default(),
        fio: Some(Box::new(FioFigures {
            latency,
            percentiles: kind.zip(charts.as_ref().and_then(Charts::percentile_source)),
            open_end: charts.as_ref().and_then(Charts::open_end),
            percentiles_apart: charts.as_ref().is_some_and(|charts| charts.percentile_source().is_none()),
            trims: trim_figures(&of("trim"), seconds),
            syncs: sync_figures(&of("sync"), seconds),
            ..FioFigures::default()
        })),
        ..SpanSummary::default()
    }
}

/// The kind of times that all have which did any I/O; the total latency before that of completion.
fn common_kind(directions: &[&Value], has: impl Fn(FioTimes) -> bool) -> Option<FioLatency> {
    let busy: Vec<&&Value> = directions.iter().filter(|direction| is_busy(direction)).collect();
    let all =
        |kind| !busy.is_empty() && busy.iter().all(|direction| times(direction, kind).is_some_and(&has));
    [FioLatency::Total, FioLatency::Completion].into_iter().find(|kind| all(*kind))
}

fn number_field(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// Whether it performed any I/O; fio before 2.1.14 only counted bytes.
fn is_busy(direction: &Value) -> bool {
    let amount = direction.get("total_ios").or_else(|| direction.get("io_bytes"));
    amount.and_then(Value::as_u64).unwrap_or(0) > 0
}

/// Before 2.21 fio called KiB bytes; such results have times in µs, and no amount that is called KiB.
fn read_bytes(direction: &Value) -> Option<u64> {
    let in_kib = direction.get("lat").is_some() && direction.get("io_kbytes").is_none();
    direction.get("io_bytes")?.as_u64()?.checked_mul(if in_kib { 1024 } else { 1 })
}

#[derive(Clone, Copy)]
struct SpanFigures {
    latency: Option<FioLatency>,
    /// Kind of the percentiles. The extremes have the same kind, so that values stay in order.
    kind: Option<FioLatency>,
    /// Duration in s to which rates refer.
    seconds: Option<f64>,
}

/// Returns the sum over this time; jobs that ended earlier count as idle for the rest.
fn of_directions(directions: &[&Value], taken: SpanFigures) -> DirectionSummary {
    let each: Vec<DirectionSummary> =
        directions.iter().map(|direction| of_direction(direction, taken)).collect();
    let sum = DirectionSummary::of_all(&each.iter().collect::<Vec<_>>());
    let rate = |amount: Option<u64>| Some(amount? as f64 / taken.seconds?);
    let busy: Vec<&DirectionSummary> = each.iter().filter(|figures| figures.ios != Some(0)).collect();
    DirectionSummary {
        iops: rate(sum.ios),
        mib_per_s: rate(sum.bytes).map(|bytes| bytes / 1024.0 / 1024.0),
        // The deviation of a sum doesn't follow from those of its parts.
        iops_std_dev: if let [one] = busy[..] { one.iops_std_dev } else { None },
        ..sum
    }
}

fn of_direction(direction: &Value, taken: SpanFigures) -> DirectionSummary {
    let deviation = direction.get("iops_stddev").and_then(Value::as_f64);
    let sampled = number_field(direction, "iops_samples") > 1;
    let mut figures = DirectionSummary {
        ios: match direction.get("total_ios") {
            Some(ios) => ios.as_u64(),
            None => read_bytes(direction).filter(|bytes| *bytes == 0),
        },
        bytes: read_bytes(direction),
        iops_std_dev: deviation.filter(|deviation| sampled && *deviation >= 0.0),
        ..DirectionSummary::default()
    };
    let of = |kind: Option<FioLatency>| times(direction, kind?);
    if let Some(times) = of(taken.latency) {
        times.put_moments(&mut figures);
    }
    if let Some(times) = of(taken.kind.or(taken.latency)) {
        times.put_extremes(&mut figures);
    }
    figures
}

/// Distributions by direction, and of all I/Os; `None` = missing, or not additive.
struct Charts {
    read: Option<FioDistribution>,
    write: Option<FioDistribution>,
    total: Option<FioDistribution>,
}

fn chart(directions: &[&Value], kind: FioLatency) -> Option<FioDistribution> {
    let busy = directions.iter().filter_map(|direction| times(direction, kind));
    let known: Option<Vec<FioDistribution>> = busy.map(FioTimes::percentiles).collect();
    FioDistribution::of_all(&known?)
}

impl Charts {
    fn all_charts(&self) -> impl Iterator<Item = &FioDistribution> {
        [&self.read, &self.write, &self.total].into_iter().flatten()
    }

    fn percentile_source(&self) -> Option<FioPercentiles> {
        let stated = |chart: &FioDistribution| chart.source() == FioPercentiles::Stated;
        let source =
            if self.all_charts().any(stated) { FioPercentiles::Stated } else { FioPercentiles::Counted };
        self.all_charts().next().map(|_| source)
    }

    /// Returns the smallest percentile that is a lower bound.
    fn open_end(&self) -> Option<Millis> {
        self.all_charts().find_map(FioDistribution::open_end)
    }

    fn percentile_rows(&self) -> Vec<PercentileSummary> {
        let mut percents: Vec<f64> = self.all_charts().flat_map(FioDistribution::percents).collect();
        percents.sort_by(f64::total_cmp);
        percents.dedup();
        let at = |chart: &Option<FioDistribution>, percent| chart.as_ref()?.percentile(percent);
        let row = |percent| ChartRow {
            read: at(&self.read, percent),
            write: at(&self.write, percent),
            total: at(&self.total, percent),
        };
        percents.into_iter().map(|percent| PercentileSummary { percent, latency: row(percent) }).collect()
    }
}

/// Returns the mean of `times` with the percentiles and the maximum of `charted`; also the smallest
/// percentile that is a lower bound.
fn quantiles(times: &[FioTimes], charted: &[FioTimes]) -> (Quantiles, Option<Millis>) {
    let known: Option<Vec<FioDistribution>> = charted.iter().map(|times| times.percentiles()).collect();
    let chart = known.and_then(|known| FioDistribution::of_all(&known));
    let at = |percent| chart.as_ref()?.percentile(percent);
    let mean = if let [one] = times { one.mean() } else { None };
    let max = charted.iter().map(|times| times.max()).reduce(|a, b| Some(a?.max(b?))).flatten();
    let open_end = chart.as_ref().and_then(FioDistribution::open_end);
    (Quantiles::from_percentiles(mean, at, max), open_end)
}

fn trim_figures(all: &[&Value], seconds: Option<f64>) -> Option<AuxFigures> {
    let sum = |of: fn(&Value) -> u64| all.iter().map(|trims| of(trims)).fold(0_u64, u64::saturating_add);
    let discards = sum(|trims| number_field(trims, "total_ios"));
    let bytes = sum(|trims| read_bytes(trims).unwrap_or(0));
    let latency = common_kind(all, |times| times.mean().is_some());
    let charted = common_kind(all, |times| times.percentiles().is_some()).or(latency);
    let of = |kind: Option<FioLatency>| -> Vec<FioTimes> {
        all.iter().filter_map(|trims| times(trims, kind?)).collect()
    };
    let row = Operation::Discard.row().other.as_ref()?;
    let (times, open_end) = quantiles(&of(latency), &of(charted));
    let figures = AuxFigures::from_summary(row, discards, bytes, seconds?, times).with_open_end(open_end);
    // fio counts one discard where none was done.
    (bytes > 0).then_some(figures)
}

fn sync_figures(all: &[&Value], seconds: Option<f64>) -> Option<AuxFigures> {
    let flushes = all.iter().map(|syncs| number_field(syncs, "total_ios")).fold(0_u64, u64::saturating_add);
    let times: Vec<FioTimes> =
        all.iter().filter_map(|syncs| FioTimes::from_value(syncs.get("lat_ns")?)).collect();
    let row = Operation::Flush.row().other.as_ref()?;
    let (times, open_end) = quantiles(&times, &times);
    let figures = AuxFigures::from_summary(row, flushes, 0, seconds?, times).with_open_end(open_end);
    (flushes > 0).then_some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_figures::units::table::Cell;
    use serde_json::json;

    #[test]
    fn trims_and_syncs_in_open_bin_are_lower_bounds() {
        let last_bin = Millis::new(17_045.651_456);
        for (slow, p99) in [(0, Cell::Time(Millis::new(1.000_448))), (50, Cell::AtLeast(last_bin))] {
            let times = json!({
                "N": 100 + slow, "min": 1000, "max": 60_000_000_000_u64, "mean": 5e6,
                "bins": {"1000448": 100, "17112760320": slow},
            });
            let trims = json!({"total_ios": 100 + slow, "io_bytes": 4096, "lat_ns": times});
            let syncs = json!({"total_ios": 100 + slow, "lat_ns": times});
            for found in [trims_of(&trims), syncs_of(&syncs)] {
                assert_eq!(found.percentile_cell(found.times.p99), p99);
                assert_eq!(found.percentile_cell(found.times.p50), Cell::Time(Millis::new(1.000_448)));
                assert_eq!(found.open_end, (slow > 0).then_some(last_bin));
                let stored = serde_json::to_string(&found).unwrap();
                assert_eq!(serde_json::from_str::<AuxFigures>(&stored).unwrap(), found);
            }
        }
    }

    fn trims_of(value: &Value) -> AuxFigures {
        trim_figures(&[value], Some(1.0)).unwrap()
    }

    fn syncs_of(value: &Value) -> AuxFigures {
        sync_figures(&[value], Some(1.0)).unwrap()
    }
}
