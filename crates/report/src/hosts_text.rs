//! What the text report of a merged run has beyond DISKSPD's: a first line that says of how many hosts the
//! figures are, and a table of the hosts behind all else.

use diskspd_judge::truth::merged::{HostFigure, Stragglers, figures};
use diskspd_model::results::{IopsSeries, Record, Summary, Whole};
use diskspd_model::stats::median;
use diskspd_model::units::visible::line;
use diskspd_model::units::{Millis, seconds_of_ns};

/// Hosts that the first line names when they are missing.
const FEW: usize = 4;

/// The first line: `63 of 64 hosts (missing: n7)`, and the figures of the time in which all measured, where
/// that is another than each host's own.
pub fn first_line(record: &Record, whole: &Whole, summary: &Summary) -> String {
    let missing: Vec<&str> =
        record.hosts.iter().filter(|host| host.missing.is_some()).map(|host| host.name.as_str()).collect();
    let (all, present) = (record.hosts.len(), record.hosts.len() - missing.len());
    let hosts = match missing.len() {
        0 => format!("{all} host{}", if all == 1 { "" } else { "s" }),
        lost => {
            let more = lost.saturating_sub(FEW);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let named = missing.iter().take(FEW).map(|name| line(name)).collect::<Vec<_>>().join(", ");
            format!("{present} of {all} hosts (missing: {named}{more})")
        }
    };
    let spans = whole.host.results.time_spans.iter().zip(&summary.time_spans).zip(&whole.alignments);
    let common = spans.filter_map(|((results, measured), alignment)| {
        let series = measured.as_ref()?.iops.as_ref();
        let Some(series) = series.filter(|_| alignment.shifted || alignment.truncated) else {
            return common_time(alignment.common_ns.filter(|_| present > 1)?, results.measured);
        };
        let merged = results.intervals.as_ref().map(|intervals| intervals.all());
        let p99 = merged.and_then(|all| all.percentile(0.99)).map(Millis::of_ns);
        Some(common_figures(series, seconds_of_ns(results.covered()), p99))
    });
    format!("{hosts}{}\n", common.collect::<String>())
}

/// `; all measured together for 59.998 s; the tables include up to 0.002 s (0.00 %) in which not all did`:
/// without intervals nothing tells what was done in that time alone.
fn common_time(common_ns: u64, longest_ns: u64) -> Option<String> {
    let seconds = seconds_of_ns;
    let besides = longest_ns.saturating_sub(common_ns);
    let share = 100.0 * seconds(besides) / seconds(longest_ns.max(1));
    (longest_ns > 0).then(|| {
        format!(
            "; all measured together for {:.3} s; the tables include up to {:.3} s ({share:.2} %) in which \
             not all did",
            seconds(common_ns),
            seconds(besides)
        )
    })
}

/// `; in the 27.00 s that all measured together: 123.45 MiB/s, 31603.20 IOPS, p99 0.123 ms`
fn common_figures(series: &IopsSeries, seconds: f64, p99: Option<Millis>) -> String {
    if series.intervals.is_empty() {
        return "; no complete interval was measured by all hosts together".into();
    }
    let time = seconds.max(f64::MIN_POSITIVE);
    let counts = series.intervals.iter().map(|interval| interval.total.ios);
    let ios = counts.fold(0u64, u64::saturating_add);
    let width = seconds / series.intervals.len().max(1) as f64;
    let mib = series.intervals.iter().map(|interval| interval.total.mib_per_s);
    let mib = mib.sum::<Option<f64>>().map(|sum| format!("{:.2} MiB/s, ", sum * width / time));
    let p99 = p99.map(|p99| format!(", p99 {p99} ms")).unwrap_or_default();
    let iops = ios as f64 / time;
    format!(
        "; in the {seconds:.2} s that all measured together: {}{iops:.2} IOPS{p99}",
        mib.unwrap_or_default()
    )
}

/// The table of the hosts of each time span, the slowest first.
pub fn write_hosts(out: &mut Vec<u8>, record: &Record) {
    let spans = record.profile.time_spans.len();
    for index in 0..spans {
        let hosts = figures(record, index);
        if hosts.is_empty() {
            continue;
        }
        let place = if spans > 1 { format!(" of timespan {}", index + 1) } else { String::new() };
        put!(out, "\nHosts{place}, the slowest first\n");
        write_table(out, &hosts);
    }
    for host in record.hosts.iter().filter(|host| host.missing.is_some()) {
        let why = host.missing.as_deref().unwrap_or_default();
        put!(out, "missing: {}: {}\n", line(&host.name), line(why));
    }
}

fn write_table(out: &mut Vec<u8>, hosts: &[HostFigure]) {
    let width = hosts.iter().map(|host| line(host.name).chars().count()).max().unwrap_or(0).max(6);
    let border = "-".repeat(width + 72);
    put!(out, "{:width$} |    MiB/s   |  I/O per s |  AvgLat  |    p99   |   CPU   | verdict\n", "host");
    put!(out, "{border}\n");
    let stragglers = Stragglers::find(hosts);
    for host in hosts {
        let verdict = host.span.verdict.map_or("-".to_owned(), |verdict| verdict.to_string());
        let slow = if stragglers.has(host.name) { " (straggler)" } else { "" };
        put!(
            out,
            "{:width$} {}| {}{slow}\n",
            line(host.name),
            figure_cells(COLUMNS.map(|of| of(host))),
            verdict
        );
    }
    put!(out, "{border}\n");
    let min: OfAll = |values| values.into_iter().fold(f64::INFINITY, f64::min);
    let max: OfAll = |values| values.into_iter().fold(0.0, f64::max);
    let rows: [(&str, OfAll); 3] = [("min", min), ("median", median), ("max", max)];
    for (name, of) in rows {
        let values = COLUMNS.map(|column| {
            let known: Vec<f64> = hosts.iter().filter_map(column).collect();
            (!known.is_empty()).then(|| of(known))
        });
        put!(out, "{name:width$} {}|\n", figure_cells(values));
    }
    for (host, why) in &stragglers.hosts {
        put!(out, "straggler: {}: {why}\n", line(host));
    }
}

type OfAll = fn(Vec<f64>) -> f64;

type HostColumn = fn(&HostFigure) -> Option<f64>;

const COLUMNS: [HostColumn; 5] = [
    |host| host.span.total.mib_per_s,
    |host| host.span.total.iops,
    |host| host.span.total.mean_ms.map(Millis::ms),
    |host| host.p99(),
    |host| host.span.cpu_percent,
];

fn figure_cells([mib, iops, mean, p99, cpu]: [Option<f64>; 5]) -> String {
    let cell = |value: Option<f64>, width: usize, decimals: usize| match value {
        Some(value) => format!("| {value:width$.decimals$} "),
        None => format!("| {:>width$} ", "-"),
    };
    let cpu = cpu.map_or(format!("| {:>7} ", "-"), |percent| format!("| {percent:6.2}% "));
    [cell(mib, 10, 2), cell(iops, 10, 2), cell(mean, 8, 3), cell(p99, 8, 3), cpu].concat()
}
