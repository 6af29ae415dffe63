//! Additions to DISKSPD's text report for a merged run: a first line with the number of hosts, and at the end
//! tables of the hosts and their differences. Reports of many hosts do not have rows of single threads,
//! targets and CPUs, and their table of hosts is limited to the slowest.

use diskspd_checks::merged::{HostFigure, HostsDifference, SlowHosts, differences, figures};
use diskspd_figures::stats::median;
use diskspd_figures::units::visible::line;
use diskspd_figures::units::{Millis, seconds_of_ns};
use diskspd_results::{Host, IopsSeries, MergedHosts, Record, Summary};

/// Maximum number of missing hosts in the first line.
const MAX_NAMED_HOSTS: usize = 4;
/// Maximum number of hosts for a full table.
const ALL_ROWS: usize = 20;
/// Number of hosts in the table of a larger run.
const MAX_WORST_HOSTS: usize = 10;
/// Maximum number of differences, and of values of each.
const MAX_DIFFERENCES: usize = 20;
const MAX_VALUES: usize = 4;

pub(crate) fn are_many(record: &Record) -> bool {
    record.hosts.len() > ALL_ROWS
}

/// Returns the totals of a run on many hosts.
pub(crate) fn condensed(summary: &Summary) -> Summary {
    let mut short = summary.clone();
    for span in short.time_spans.iter_mut().flatten() {
        [&mut span.total, &mut span.read, &mut span.write].into_iter().for_each(|table| table.rows.clear());
        span.cpu.rows.clear();
        span.distributions.clear();
        span.waits.clear();
        span.submits.clear();
        span.latency.iter_mut().for_each(|charts| charts.paths.clear());
        span.others.0.iter_mut().for_each(|table| table.rows.clear());
        span.nowait.iter_mut().for_each(|table| table.rows.clear());
        span.parts.iter_mut().for_each(|table| table.rows.truncate(MAX_WORST_HOSTS));
        span.integrity.iter_mut().for_each(|table| {
            table.rows.sort_by_key(|row| std::cmp::Reverse(row.results.counts.wrong()));
            table.rows.truncate(MAX_WORST_HOSTS);
        });
    }
    short
}

/// The first line: `63 of 64 hosts (missing: n7)`, and the figures of the time in which all measured, where
/// that is another than each host's own.
pub(crate) fn first_line(record: &Record, whole: &MergedHosts, summary: &Summary) -> String {
    let missing: Vec<&str> =
        record.hosts.iter().filter(|host| host.missing.is_some()).map(|host| host.name.as_str()).collect();
    let (all, present) = (record.hosts.len(), record.hosts.len() - missing.len());
    let hosts = match missing.len() {
        0 => format!("{all} host{}", if all == 1 { "" } else { "s" }),
        lost => {
            let more = lost.saturating_sub(MAX_NAMED_HOSTS);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let named =
                missing.iter().take(MAX_NAMED_HOSTS).map(|name| line(name)).collect::<Vec<_>>().join(", ");
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
/// without intervals the work in that time alone is unknown.
fn common_time(common_ns: u64, longest_ns: u64) -> Option<String> {
    let seconds = seconds_of_ns;
    let besides = longest_ns.saturating_sub(common_ns);
    let share = 100.0 * seconds(besides) / seconds(longest_ns.max(1));
    (longest_ns > 0).then(|| {
        format!(
            "; all measured together for {:.3} s, and the tables include up to {:.3} s ({share:.2} %) in \
             which not all did",
            seconds(common_ns),
            seconds(besides)
        )
    })
}

/// Formats `; in the 27.00 s that all measured together: 123.45 MiB/s, 31603.20 IOPS, p99 0.123 ms`.
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

pub(crate) fn write_hosts(out: &mut Vec<u8>, record: &Record) {
    let spans = record.profile.time_spans.len();
    for index in 0..spans {
        let hosts = figures(record, index);
        if hosts.is_empty() {
            continue;
        }
        let place = if spans > 1 { format!(" of timespan {}", index + 1) } else { String::new() };
        let shown = if are_many(record) { MAX_WORST_HOSTS } else { hosts.len() };
        match hosts.len() > shown {
            true => put!(out, "\nHosts{place}, the {shown} slowest of {}\n", hosts.len()),
            false => put!(out, "\nHosts{place}, slowest first\n"),
        }
        write_table(out, &hosts, shown);
    }
    let missing: Vec<&Host> = record.hosts.iter().filter(|host| host.missing.is_some()).collect();
    let listed = if are_many(record) { MAX_WORST_HOSTS } else { missing.len() };
    for host in missing.iter().take(listed) {
        let why = host.missing.as_deref().unwrap_or_default();
        put!(out, "missing: {}: {}\n", line(&host.name), line(why));
    }
    write_more(out, "missing", missing.len(), listed);
    write_differences(out, record);
}

fn write_more(out: &mut Vec<u8>, what: &str, all: usize, listed: usize) {
    if all > listed {
        put!(out, "{what}: {} more\n", all - listed);
    }
}

fn write_differences(out: &mut Vec<u8>, record: &Record) {
    let all = differences(record);
    if all.is_empty() {
        return;
    }
    put!(out, "\nDifferences over hosts\nproperty | value | hosts\n{}\n", "-".repeat(79));
    for HostsDifference { property, values } in all.iter().take(MAX_DIFFERENCES) {
        for (value, hosts) in values.iter().take(MAX_VALUES) {
            let value = value.as_deref().unwrap_or("unknown");
            put!(out, "{} | {} | {}\n", line(property), line(value), host_names(hosts));
        }
        write_more(out, &format!("{} | other values", line(property)), values.len(), MAX_VALUES);
    }
    write_more(out, "differences", all.len(), MAX_DIFFERENCES);
}

/// Formats `998: n1, n2, n3, n4 and 994 more`.
fn host_names(hosts: &[String]) -> String {
    let some = hosts.iter().take(MAX_NAMED_HOSTS).map(|name| line(name)).collect::<Vec<_>>().join(", ");
    match hosts.len().saturating_sub(MAX_NAMED_HOSTS) {
        0 => format!("{}: {some}", hosts.len()),
        more => format!("{}: {some} and {more} more", hosts.len()),
    }
}

fn write_table(out: &mut Vec<u8>, hosts: &[HostFigure], shown: usize) {
    let width = hosts.iter().map(|host| line(host.name).chars().count()).max().unwrap_or(0).max(6);
    let border = "-".repeat(width + 72);
    put!(out, "{:width$} |    MiB/s   |  I/O per s |  AvgLat  |    p99   |   CPU   | verdict\n", "host");
    put!(out, "{border}\n");
    let stragglers = SlowHosts::find(hosts);
    for host in &hosts[..shown] {
        let verdict = host.span.verdict.map_or("-".to_owned(), |verdict| verdict.to_string());
        let slow = if stragglers.has_host(host.name) { " (straggler)" } else { "" };
        put!(
            out,
            "{:width$} {}| {}{slow}\n",
            line(host.name),
            figure_cells(COLUMNS.map(|of| of(host))),
            verdict
        );
    }
    put!(out, "{border}\n");
    let min: AllHostsFigure = |values| values.into_iter().fold(f64::INFINITY, f64::min);
    let max: AllHostsFigure = |values| values.into_iter().fold(0.0, f64::max);
    let rows: [(&str, AllHostsFigure); 5] = [
        ("min", min),
        ("p10", |values| quantile(values, 0.1)),
        ("median", median),
        ("p90", |values| quantile(values, 0.9)),
        ("max", max),
    ];
    let is_short = |name: &str| !name.starts_with('p') || shown < hosts.len();
    for (name, of) in rows.into_iter().filter(|(name, _)| is_short(name)) {
        let values = COLUMNS.map(|column| {
            let known: Vec<f64> = hosts.iter().filter_map(column).collect();
            (!known.is_empty()).then(|| of(known))
        });
        put!(out, "{name:width$} {}|\n", figure_cells(values));
    }
    for (host, why) in stragglers.hosts.iter().take(shown) {
        put!(out, "straggler: {}: {why}\n", line(host));
    }
    write_more(out, "straggler", stragglers.hosts.len(), shown);
}

/// Returns the quantile `share` of the values.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (share * values.len() as f64).ceil() as usize;
    values.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
}

type AllHostsFigure = fn(Vec<f64>) -> f64;

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
