//! What results of fio say besides, for people.

use super::number::time_or;
use super::runs::aligned;
use diskspd_model::results::{FioFigures, FioSeries, FioSeriesOf};
use diskspd_model::units::visible::line;

/// What the figures are of, the jobs, discards and flushes, and what the log files hold.
pub fn text(fio: &FioFigures) -> String {
    let mut text = String::new();
    for fact in facts(fio) {
        text += &format!("{fact}\n");
    }
    let others = others(fio);
    if others.len() > 1 {
        text += &format!("\n{}", aligned(&others));
    }
    if !fio.series.is_empty() {
        text += &format!("\nlog files:\n{}", aligned(&courses(&fio.series)));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Why there are none.
const NO_PERCENTILES: &str = "percentiles: none: those that fio states of several jobs don't add up; \
                              --output-format=json+ or --group_reporting gives them";

/// One sentence for each: the jobs, and what the latencies are.
pub fn facts(fio: &FioFigures) -> Vec<String> {
    let names: Vec<String> = fio.jobs.iter().map(|name| line(name).into_owned()).collect();
    let failed = fio.failed.iter().map(|(name, error)| {
        format!("job {} ended with error {error}: its figures are of a part of the work", line(name))
    });
    let jobs = (!names.is_empty()).then(|| format!("fio's jobs: {}", names.join(", ")));
    let figures =
        if fio.percentiles.is_some() { "mean and deviation" } else { "mean, deviation, min and max" };
    let latency = fio.latency.map(|kind| format!("{figures}: {kind}"));
    let percentiles = match fio.percentiles {
        Some((kind, source)) => Some(format!("percentiles, min and max: {kind}, {source}")),
        // Or fio was told not to.
        None => fio.latency.map(|_| NO_PERCENTILES.to_owned()),
    };
    jobs.into_iter().chain(latency).chain(percentiles).chain(failed).collect()
}

/// Discards and flushes, below their head.
pub fn others(fio: &FioFigures) -> Vec<[String; 8]> {
    let head = ["", "number", "per s", "mean ms", "50 %", "99 %", "99.9 %", "max ms"];
    let mut rows = vec![head.map(str::to_owned)];
    for of in fio.trims.iter().chain(&fio.syncs) {
        let (name, per_s) = (of.plural().to_owned(), format!("{:.2}", of.per_s));
        let [mean, median, p99, p999, max] = of.times().map(|time| time_or("-", time));
        rows.push([name, of.count.to_string(), per_s, mean, median, p99, p999, max]);
    }
    rows
}

/// What a course is of: `IOPS, read`.
pub fn title(series: &FioSeries) -> String {
    let of = match series.of {
        FioSeriesOf::Latency => "total latency, ms",
        FioSeriesOf::CompletionLatency => "completion latency, ms",
        FioSeriesOf::Iops => "IOPS",
        FioSeriesOf::MibPerS => "MiB/s",
    };
    format!("{of}, {}", line(&series.direction))
}

fn courses(all: &[FioSeries]) -> Vec<[String; 6]> {
    let mut rows = vec![["", "intervals", "s each", "lowest", "mean", "highest"].map(str::to_owned)];
    for series in all {
        let known: Vec<f64> = series.values.iter().flatten().copied().collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let decimals = if matches!(series.of, FioSeriesOf::Iops | FioSeriesOf::MibPerS) { 2 } else { 3 };
        let figure = |figure: f64| format!("{figure:.decimals$}");
        rows.push([
            title(series),
            known.len().to_string(),
            series.interval_s.to_string(),
            figure(known.iter().copied().fold(f64::INFINITY, f64::min)),
            figure(mean),
            figure(known.iter().copied().fold(0.0, f64::max)),
        ]);
    }
    rows
}
