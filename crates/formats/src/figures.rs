//! The figures of a record's time spans as lists, tables and comparisons show them.

use diskspd_checks::{DeviceVerdict, DeviceWork, JudgedRecord, Judgement};
use diskspd_figures::units::Millis;
use diskspd_profile::{Access, Parameters, RawText, Target, TargetGroup, TargetIds, TimeSpan};
use diskspd_results::{
    Chart, ChartRow, DirectionSummary, FINE_PERCENTILES, Measured, NowaitFigures, PacedFigures, PacedLatency,
    PartFigures, PartKey, PartSummary, PartTable, PercentileSummary, Record, ResponseSummary, SpanSummary,
    TEXT_PERCENTS, Table, UnmeasuredSpan, find_percentile,
};

/// Returns the figures of each time span, with the percentiles of the text report.
pub(crate) fn spans(judged: &JudgedRecord) -> Vec<Option<SpanSummary>> {
    let spans = requested_work(judged.record).zip(&judged.summary.time_spans).zip(1..);
    spans
        .map(|((asked, measured), number)| {
            Some(summarize_span(asked, measured.as_ref()?, &judged.judgement, number))
        })
        .collect()
}

pub(crate) fn unmeasured(judged: &JudgedRecord) -> Vec<UnmeasuredSpan> {
    let spans = requested_work(judged.record).zip(&judged.summary.time_spans).zip(1..);
    let unmeasured = spans.filter(|((_, measured), _)| measured.is_none());
    unmeasured.map(|((parameters, _), time_span)| UnmeasuredSpan { time_span, parameters }).collect()
}

fn requested_work(record: &Record) -> impl Iterator<Item = Parameters> {
    let (host, ids) = (record.host(), TargetIds::from_profile(&record.profile));
    record.profile.time_spans.iter().map(move |asked| {
        let device = |target: &Target| host.storage(ids.get(&target.path)?)?.is_block_device();
        let parameters = Parameters::with(asked, |target, _| {
            Access::from_target(asked, target).for_target(device(target))
        });
        if record.program.is_some() {
            // Of another program nothing was requested here but the targets.
            return of_program(asked);
        }
        match &record.run_options {
            Some(run_options) => parameters.done_by(run_options),
            None => parameters,
        }
    })
}

fn of_program(asked: &TimeSpan) -> Parameters {
    let paths = asked.targets.iter().map(|target| target.path.clone()).collect();
    let targets = vec![TargetGroup { paths, access: Access::default() }];
    Parameters { targets, ..Parameters::default() }
}

fn summarize_span(
    parameters: Parameters,
    measured: &Measured,
    judgement: &Judgement,
    number: usize,
) -> SpanSummary {
    let verdict = judgement.verdicts.iter().find(|verdict| verdict.time_span == number);
    let outages = judgement.outages.get(number - 1).and_then(Option::as_ref);
    let chart = measured.latency.as_ref().map(|charts| &charts.all);
    let iops = measured.iops.as_ref();
    let figures = |table: &Table, direction: fn(&ChartRow) -> Option<Millis>, iops_std_dev: Option<f64>| {
        let (throughput, latency) = (table.total.throughput, table.total.latency);
        DirectionSummary {
            ios: Some(throughput.ios),
            bytes: Some(throughput.bytes),
            iops: Some(throughput.iops),
            mib_per_s: Some(throughput.mib_per_s),
            mean_ms: latency.and_then(|latency| latency.mean),
            std_dev_ms: latency.and_then(|latency| latency.std_dev),
            min_ms: chart.and_then(|chart| direction(&chart.min)),
            max_ms: chart.and_then(|chart| direction(&chart.max)),
            iops_std_dev,
            ..DirectionSummary::default()
        }
    };
    let nowait = measured.nowait.as_ref().map(|table| table.total);
    let parts_of_verdict = verdict.map(|verdict| verdict.parts.as_slice()).unwrap_or_default();
    let device_read = of_devices(parts_of_verdict, |part| [part.device_read, None]);
    let device_write = of_devices(parts_of_verdict, |part| [part.device_write, None]);
    let device_total = of_devices(parts_of_verdict, |part| [part.device_read, part.device_write]);
    let missed = |counts: fn(&NowaitFigures) -> u64, device: [Option<f64>; 2], figures: DirectionSummary| {
        let (nowait_misses, [device_iops, device_mib_per_s]) = (nowait.as_ref().map(counts), device);
        DirectionSummary { nowait_misses, device_iops, device_mib_per_s, ..figures }
    };
    SpanSummary {
        parameters,
        seconds: Some(measured.seconds),
        cpu_percent: measured.cpu.mean_usage(),
        busiest_cpu_percent: None,
        verdict: verdict.map(|verdict| verdict.verdict),
        read: missed(
            |counts| counts.read.misses,
            device_read,
            figures(&measured.read, |row| row.read, iops.and_then(|iops| iops.read_std_dev)),
        ),
        write: missed(
            |counts| counts.write.misses,
            device_write,
            figures(&measured.write, |row| row.write, iops.and_then(|iops| iops.write_std_dev)),
        ),
        total: missed(
            |counts| counts.read.misses.saturating_add(counts.write.misses),
            device_total,
            figures(&measured.total, |row| row.total, iops.and_then(|iops| iops.total_std_dev)),
        ),
        percentiles: chart.map(text_percentiles).unwrap_or_default(),
        response: measured.paced.as_ref().and_then(known_response),
        parts: measured.parts.as_ref().map(known_parts).unwrap_or_default(),
        device_mean_ms: mean_at_devices(parts_of_verdict),
        outages: outages.map(|outages| outages.len() as u64),
        longest_outage_s: outages.map(|all| all.iter().map(|one| one.length_s).fold(0.0, f64::max)),
        fio: None,
    }
}

/// Returns I/Os and MiB per second of the devices of all parts; `None` = unknown.
fn of_devices(
    parts: &[DeviceVerdict],
    of: fn(&DeviceVerdict) -> [Option<DeviceWork>; 2],
) -> [Option<f64>; 2] {
    let known = || parts.iter().flat_map(of).flatten();
    let sum = |rate: fn(DeviceWork) -> f64| known().map(rate).reduce(|sum, more| sum + more);
    [sum(|work| work.iops), sum(|work| work.mib_per_s)]
}

/// Returns the mean time of an I/O at the devices of all parts in ms; `None` = unknown.
fn mean_at_devices(parts: &[DeviceVerdict]) -> Option<f64> {
    let (mut time, mut ios) = (0.0, 0.0);
    for part in parts {
        let works = [part.device_read, part.device_write].into_iter().flatten();
        let iops: f64 = works.map(|work| work.iops).sum();
        time += iops * part.device_mean_ms.filter(|_| iops > 0.0).unwrap_or_default();
        ios += if part.device_mean_ms.is_some() { iops } else { 0.0 };
    }
    (ios > 0.0).then(|| time / ios)
}

fn known_parts(table: &PartTable) -> Vec<PartSummary> {
    let mut paths: Vec<&RawText> = Vec::new();
    let mut parts = Vec::new();
    for row in &table.rows {
        let known = paths.iter().position(|path| **path == row.path);
        let target = known.unwrap_or_else(|| {
            paths.push(&row.path);
            paths.len() - 1
        });
        let key = PartKey { target: target as u32 + 1, part: row.part, block_size: row.block_size };
        let PartFigures { ios, iops, mean, p99, .. } = row.figures;
        parts.push(PartSummary { key, ios, iops, mean_ms: mean, p99_ms: p99 });
    }
    parts
}

fn known_response(paced: &PacedFigures) -> Option<ResponseSummary> {
    let PacedLatency { read, write, total, chart } = paced.response.as_ref()?;
    let mean_ms = ChartRow { read: read.mean, write: write.mean, total: total.mean };
    Some(ResponseSummary { ios: paced.ios, mean_ms, percentiles: text_percentiles(chart) })
}

fn text_percentiles(chart: &Chart) -> Vec<PercentileSummary> {
    let rows = TEXT_PERCENTS.iter().zip(&chart.percentiles);
    rows.map(|(percent, latency)| PercentileSummary { percent: *percent, latency: *latency }).collect()
}

/// Percentiles of the text report and XML. The text report's value has priority, so a figure has one value
/// (docs/reference/record-fields.md explains the differences).
pub(crate) fn all_percentiles(measured: &Measured) -> Vec<PercentileSummary> {
    let text = measured.latency.as_ref().map(|charts| text_percentiles(&charts.all)).unwrap_or_default();
    let Some(fine) = &measured.fine_percentiles else { return text };
    let rows = FINE_PERCENTILES.iter().zip(&fine.rows);
    let rows = rows.filter(|(percent, _)| **percent > 0.0 && **percent < 100.0);
    rows.map(|(percent, latency)| {
        let of_text = find_percentile(text.iter().map(|row| (row.percent, row)), *percent);
        of_text.copied().unwrap_or(PercentileSummary { percent: *percent, latency: *latency })
    })
    .collect()
}
