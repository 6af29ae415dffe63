//! A run as metrics for dashboards: for node_exporter's textfile collector and OpenMetrics readers. Names
//! and base units follow the convention of Prometheus.

use crate::openmetrics::{Dialect, Exposition, Family, Label, MetricKind, counter, gauge};
use diskspd_base::finding::Severity;
use diskspd_checks::JudgedRecord;
use diskspd_figures::stats::Histogram;
use diskspd_figures::units::seconds_of_ns;
use diskspd_formats::known;
use diskspd_results::{Accumulate, DirectionWork, RunSummary, SpanSummary, WhichIos, Work};
use std::io::{self, Write};

/// Bounds of the latency histogram, ns: the same for all runs, so that they can be added up. Six of a decade
/// from 1 µs to 10 s.
fn bounds_ns() -> impl Iterator<Item = u64> {
    let decades = (0..7).map(|power| 1000 * 10_u64.pow(power));
    let steps = |decade: u64| [10, 15, 20, 30, 50, 70].map(|tenths| decade / 10 * tenths);
    decades.flat_map(steps).chain([10_000_000_000])
}

/// Writes the metrics for node_exporter's textfile collector.
pub fn write_prometheus(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    sink.write_all(text(judged, Dialect::Prometheus).as_bytes())
}

/// Writes the metrics as OpenMetrics.
pub fn write_openmetrics(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    sink.write_all(text(judged, Dialect::OpenMetrics).as_bytes())
}

fn text(judged: &JudgedRecord, dialect: Dialect) -> String {
    let mut text = Exposition::new(dialect);
    let known = known::run(judged, "");
    of_run(&mut text, judged, &known);
    let spans: Vec<MeasuredSpan> = MeasuredSpan::all_spans(judged, &known);
    write_requested(&mut text, &spans);
    write_done(&mut text, &spans);
    write_validity(&mut text, &spans);
    write_severity(&mut text, known.worst_severity());
    write_latencies(&mut text, &spans);
    write_targets(&mut text, judged, &spans);
    text.finish()
}

struct MeasuredSpan<'a> {
    /// Counted from 1.
    number: String,
    known: &'a SpanSummary,
    targets: Vec<(usize, Work)>,
    all: Work,
    failed: u64,
    cpu: Option<f64>,
}

impl MeasuredSpan<'_> {
    fn all_spans<'a>(judged: &JudgedRecord, known: &'a RunSummary) -> Vec<MeasuredSpan<'a>> {
        let results = &judged.record.host().results.time_spans;
        let spans = known.time_spans.iter().zip(results).zip(&judged.summary.time_spans).zip(1..);
        let measured = spans.filter_map(|(((known, results), summary), number)| {
            let (known, summary) = (known.as_ref()?, summary.as_ref()?);
            let work = results.work();
            let mut all = Work::of_all(work.values());
            results.merged.iter().for_each(|merged| all.add(merged.as_ref()));
            Some(MeasuredSpan {
                number: u32::to_string(&number),
                known,
                targets: work.into_iter().map(|(id, work)| (id.index(), work)).collect(),
                all,
                failed: summary.failed,
                cpu: summary.cpu.mean_usage(),
            })
        });
        measured.collect()
    }

    /// Returns reads and writes with their labels.
    fn labelled_directions(&self) -> [(&DirectionWork, WhichIos, [Label<'_>; 2]); 2] {
        let labels = |which: WhichIos| [("time_span", &*self.number), ("direction", which.name())];
        [(&self.all.read, WhichIos::Read), (&self.all.write, WhichIos::Write)]
            .map(|(done, which)| (done, which, labels(which)))
    }
}

fn of_run(text: &mut Exposition, judged: &JudgedRecord, known: &RunSummary) {
    let line = known.command_line.as_ref().map(ToString::to_string).unwrap_or_default();
    let run = Family {
        name: "diskspd_run",
        kind: MetricKind::Info,
        unit: "",
        help: "The run: hosts, command line, unique id, version.",
    };
    text.family(run).sample(
        &[
            ("host", &known.hosts.join(",")),
            ("command_line", &line),
            ("identity", known.identity.as_deref().unwrap_or_default()),
            ("fingerprint", known.fingerprint.as_deref().unwrap_or_default()),
            ("version", env!("CARGO_PKG_VERSION")),
        ],
        1.0,
    );
    let began = gauge(
        "diskspd_run_start_timestamp_seconds",
        "seconds",
        "Start of the run, seconds since 1970-01-01 UTC.",
    );
    text.family(began).sample_if(&[], known.started_at.map(|at| at as f64));
    let mut hosts =
        text.family(gauge("diskspd_hosts", "", "Hosts that took part, by whether they have figures."));
    let present = judged.record.present().count();
    hosts.sample(&[("state", "present")], present as f64);
    hosts.sample(&[("state", "missing")], judged.record.hosts.len().saturating_sub(present) as f64);
    let found = gauge("diskspd_findings", "", "Findings by severity.");
    let mut findings = text.family(found);
    for (severity, word) in
        [(Severity::Note, "note"), (Severity::Warning, "warning"), (Severity::Wrong, "wrong")]
    {
        let of_it = judged.judgement.findings.iter().filter(|finding| finding.severity == severity);
        findings.sample(&[("severity", word)], of_it.count() as f64);
    }
}

fn write_requested(text: &mut Exposition, spans: &[MeasuredSpan]) {
    let about = Family {
        name: "diskspd_time_span",
        kind: MetricKind::Info,
        unit: "",
        help: "Requested workload of a time span; if the targets differ, the workload of the first.",
    };
    let mut asked = text.family(about);
    for span in spans {
        let parameters = &span.known.parameters;
        let access = parameters.targets.first().map(|group| group.access).unwrap_or_default();
        let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
        asked.sample(
            &[
                ("time_span", &span.number),
                ("block_bytes", &number(access.block_size.map(u64::from))),
                ("write_percent", &number(access.write_percent.map(u64::from))),
                ("random_percent", &number(access.random_percent.map(u64::from))),
                ("threads", &number(parameters.threads)),
                ("in_flight", &number(parameters.in_flight)),
            ],
            1.0,
        );
    }
}

fn write_done(text: &mut Exposition, spans: &[MeasuredSpan]) {
    let mut seconds =
        text.family(gauge("diskspd_measured_seconds", "seconds", "Length of the measured time."));
    for span in spans {
        seconds.sample_if(&[("time_span", &span.number)], span.known.seconds);
    }
    let mut ios = text.family(counter("diskspd_ios", "", "I/Os completed in the measured time."));
    for (done, _, labels) in spans.iter().flat_map(MeasuredSpan::labelled_directions) {
        ios.sample(&labels, done.ios as f64);
    }
    let bytes = counter("diskspd_transferred_bytes", "bytes", "Bytes transferred in the measured time.");
    let mut bytes = text.family(bytes);
    for (done, _, labels) in spans.iter().flat_map(MeasuredSpan::labelled_directions) {
        bytes.sample(&labels, done.bytes as f64);
    }
    let mut failed =
        text.family(counter("diskspd_failed_ios", "", "Failed I/Os, not counted in any other metric."));
    for span in spans {
        failed.sample(&[("time_span", &span.number)], span.failed as f64);
    }
    let mut rates = text.family(gauge("diskspd_ios_per_second", "", "I/Os per second of the measured time."));
    for (span, (_, which, labels)) in each_direction(spans) {
        rates.sample_if(&labels, span.known.figures(which).iops);
    }
    let mut rates = text.family(gauge(
        "diskspd_transferred_bytes_per_second",
        "",
        "Bytes transferred per second of the measured time.",
    ));
    for (span, (_, which, labels)) in each_direction(spans) {
        rates.sample_if(&labels, span.known.figures(which).mib_per_s.map(|rate| rate * 1024.0 * 1024.0));
    }
}

fn write_validity(text: &mut Exposition, spans: &[MeasuredSpan]) {
    let cpu = gauge("diskspd_cpu_busy_ratio", "ratio", "Mean CPU utilization of the machine, 0 to 1.");
    let mut busy = text.family(cpu);
    for (span, cpu) in spans.iter().filter_map(|span| Some((span, span.cpu?))) {
        busy.sample(&[("time_span", &span.number)], cpu / 100.0);
    }
    let mut outages = text.family(gauge(
        "diskspd_outages",
        "",
        "Outages: a target completed nothing, or far less than usual, for 1 s or longer.",
    ));
    for span in spans {
        outages.sample_if(&[("time_span", &span.number)], span.known.outages.map(|times| times as f64));
    }
    let longest = gauge("diskspd_longest_outage_seconds", "seconds", "Length of the longest outage.");
    let mut outages = text.family(longest);
    for span in spans {
        outages.sample_if(&[("time_span", &span.number)], span.known.longest_outage_s);
    }
    let judged = Family {
        name: "diskspd_verdict",
        kind: MetricKind::Info,
        unit: "",
        help: "Whether the devices did as much as the run counted: verified, unknown, coalesced, split, \
               amplified, shared, deferred, cached.",
    };
    let mut verdicts = text.family(judged);
    for (span, verdict) in spans.iter().filter_map(|span| Some((span, span.known.verdict?))) {
        verdicts.sample(&[("time_span", &span.number), ("verdict", &verdict.to_string())], 1.0);
    }
}

/// Writes the severity of the worst finding, as in a record.
fn write_severity(text: &mut Exposition, severity: Option<Severity>) {
    let worst = Family {
        name: "diskspd_severity",
        kind: MetricKind::Info,
        unit: "",
        help: "Severity of the worst finding: none, note, warning, wrong.",
    };
    text.family(worst).sample(&[("severity", severity.map_or("none", Severity::word))], 1.0);
}

fn each_direction<'a>(
    spans: &'a [MeasuredSpan<'a>],
) -> impl Iterator<Item = (&'a MeasuredSpan<'a>, (&'a DirectionWork, WhichIos, [Label<'a>; 2]))> {
    spans.iter().flat_map(|span| span.labelled_directions().map(|direction| (span, direction)))
}

/// `-L`: writes the histogram, and percentiles to three nines, which a histogram with few bounds cannot
/// provide.
fn write_latencies(text: &mut Exposition, spans: &[MeasuredSpan]) {
    let all = Family {
        name: "diskspd_io_latency_seconds",
        kind: MetricKind::Histogram,
        unit: "seconds",
        help: "Latency of the I/Os.",
    };
    let mut histograms = text.family(all);
    for (done, _, labels) in spans.iter().flat_map(MeasuredSpan::labelled_directions) {
        let Some(latency) = &done.latency else { continue };
        let moments = latency.moments();
        let sum = moments.mean().unwrap_or_default() * moments.count() as f64 / 1e9;
        histograms.histogram(&labels, &cumulate_counts(latency), moments.count(), sum);
    }
    let exact = gauge(
        "diskspd_io_latency_percentile_seconds",
        "seconds",
        "The latency that this percentage of the I/Os did not exceed; 0 is the shortest and 100 the longest.",
    );
    let mut percentiles = text.family(exact);
    for (done, _, [span, direction]) in spans.iter().flat_map(MeasuredSpan::labelled_directions) {
        let Some(latency) = &done.latency else { continue };
        for (percent, share) in [
            ("0", 0.0),
            ("50", 0.5),
            ("90", 0.9),
            ("95", 0.95),
            ("99", 0.99),
            ("99.9", 0.999),
            ("99.99", 0.9999),
            ("100", 1.0),
        ] {
            let at = latency.percentile(share).map(seconds_of_ns);
            percentiles.sample_if(&[span, direction, ("percentile", percent)], at);
        }
    }
}

/// Returns the cumulative number of latencies for each bound.
fn cumulate_counts(latency: &Histogram) -> Vec<(f64, u64)> {
    let count = latency.moments().count();
    let up_to = |bound: u64| count.saturating_sub(latency.longer_than(bound));
    bounds_ns().map(|bound| (seconds_of_ns(bound), up_to(bound))).collect()
}

fn write_targets(text: &mut Exposition, judged: &JudgedRecord, spans: &[MeasuredSpan]) {
    let host = judged.record.host();
    let about = Family {
        name: "diskspd_target",
        kind: MetricKind::Info,
        unit: "",
        help: "A target: its path, and its device.",
    };
    let mut known = text.family(about);
    for target in &host.targets {
        let device = target.storage.device.as_ref();
        known.sample(
            &[
                ("target", &target.id.0.to_string()),
                ("path", &target.storage.path.to_string()),
                ("device", device.map(|device| device.name.as_str()).unwrap_or_default()),
            ],
            1.0,
        );
    }
    let ios: fn(&DirectionWork) -> u64 = |done| done.ios;
    let bytes: fn(&DirectionWork) -> u64 = |done| done.bytes;
    for (family, amount) in [
        (counter("diskspd_target_ios", "", "I/Os completed on a target."), ios),
        (counter("diskspd_target_transferred_bytes", "bytes", "Bytes transferred on a target."), bytes),
    ] {
        let mut samples = text.family(family);
        for (span, (id, work)) in spans.iter().flat_map(|span| span.targets.iter().map(move |t| (span, t))) {
            for (direction, done) in [("read", &work.read), ("write", &work.write)] {
                let target = id.to_string();
                let labels = [("time_span", &*span.number), ("target", &target), ("direction", direction)];
                samples.sample(&labels, amount(done) as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_six_of_a_decade_and_rise() {
        let bounds: Vec<u64> = bounds_ns().collect();
        assert_eq!(bounds[..7], [1000, 1500, 2000, 3000, 5000, 7000, 10_000]);
        assert_eq!(bounds.len(), 43);
        assert!(bounds.is_sorted());
    }

    #[test]
    fn histogram_bound_counts_shorter_latencies() {
        let mut latency = Histogram::default();
        [900, 1000, 1001, 20_000_000_000].into_iter().for_each(|nanos| latency.record(nanos));
        let cumulated = cumulate_counts(&latency);
        assert_eq!(cumulated.first(), Some(&(1e-6, 2)));
        assert_eq!(cumulated.last(), Some(&(10.0, 3)));
    }
}
