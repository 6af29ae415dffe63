//! Standstills: stalls of single hosts for some intervals (`-D`) during activity of the others. Totals
//! hide them.
//!
//! A host is stalled in an interval with less than a tenth of its median, if the other hosts together
//! reach at least half of their median. The first and the last interval are incomplete for some hosts.

use super::{Finding, Severity, names};
use diskspd_figures::stats::median;
use diskspd_figures::units::seconds_of_ns;
use diskspd_results::{MergedHosts, Record};
use std::collections::HashMap;

const STILL: f64 = 0.1;
const MIN_ACTIVE_SHARE: f64 = 0.5;
const MAX_NAMED_INTERVALS: usize = 4;

/// I/Os of a host by interval.
struct HostSeries<'a> {
    host: &'a str,
    ios: Vec<f64>,
}

pub(super) fn finding(record: &Record, whole: &MergedHosts, index: usize) -> Option<Finding> {
    let (courses, width_s) = host_courses(record, whole, index)?;
    let totals = add_up(&courses);
    let still: Vec<(&str, Vec<usize>)> = courses
        .iter()
        .map(|course| (course.host, find_standstills(course, &totals)))
        .filter(|(_, when)| !when.is_empty())
        .collect();
    if still.is_empty() {
        return None;
    }
    let who: Vec<&str> = still.iter().map(|(host, _)| *host).collect();
    let message = format!(
        "{} of {} hosts stalled while the others continued: {}",
        who.len(),
        courses.len(),
        names(&who)
    );
    let mut finding = Finding::of_machine("host-stalled", Severity::Warning, message);
    for (host, when) in &still {
        let from = |interval: &usize| format!("{:.3} s", *interval as f64 * width_s);
        let named: Vec<String> = when.iter().take(MAX_NAMED_INTERVALS).map(from).collect();
        let more = when.len().saturating_sub(MAX_NAMED_INTERVALS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        finding = finding.shown_by(format!(
            "{host}: {} of {width_s} s each, from {}{more} on",
            if when.len() == 1 { "1 interval".into() } else { format!("{} intervals", when.len()) },
            named.join(", ")
        ));
    }
    Some(finding.remedy("check these hosts' logs at that time: paths, links, other load"))
}

/// Returns each host's intervals, and their width in s; `None` = unknown (`-D`).
fn host_courses<'a>(
    record: &'a Record,
    whole: &MergedHosts,
    index: usize,
) -> Option<(Vec<HostSeries<'a>>, f64)> {
    let span = whole.host.results.time_spans.get(index)?;
    let rows = || span.threads.iter().flat_map(|thread| &thread.targets);
    let width = rows().flat_map(|row| [&row.read.series, &row.write.series]).flatten().next()?.width();
    let hosts = || record.present().map(|host| host.name.as_str());
    let mut courses: Vec<HostSeries> = hosts().map(|host| HostSeries { host, ios: Vec::new() }).collect();
    let places: HashMap<&[u8], usize> = hosts().map(str::as_bytes).zip(0..).collect();
    for row in rows() {
        // Merging names every target `host:path`.
        let path = whole.host.path(row.target).as_bytes();
        let colons = path.iter().enumerate().filter(|(_, byte)| **byte == b':');
        for place in colons.filter_map(|(colon, _)| places.get(&path[..colon])) {
            for series in [&row.read.series, &row.write.series].into_iter().flatten() {
                let counts = series.valid().map(|interval| interval.count() as f64);
                add_to(&mut courses[*place].ios, counts);
            }
        }
    }
    Some((courses, seconds_of_ns(width)))
}

/// Adds each value to the sum of its position.
fn add_to(sums: &mut Vec<f64>, values: impl Iterator<Item = f64>) {
    for (place, value) in values.enumerate() {
        sums.resize(sums.len().max(place + 1), 0.0);
        sums[place] += value;
    }
}

/// Returns the I/Os of all hosts by interval. Sums of counts are exact, so differences are, too.
fn add_up(courses: &[HostSeries]) -> Vec<f64> {
    let mut totals = Vec::new();
    courses.iter().for_each(|course| add_to(&mut totals, course.ios.iter().copied()));
    totals
}

/// Returns the intervals in which the host stalled. `totals`: the I/Os of all hosts.
fn find_standstills(course: &HostSeries, totals: &[f64]) -> Vec<usize> {
    let own = |interval: usize| course.ios.get(interval).copied().unwrap_or(0.0);
    let others = |interval: usize| totals[interval] - own(interval);
    let inner = || 1..totals.len().saturating_sub(1);
    let own_usual = median(inner().map(own));
    let others_usual = median(inner().map(others));
    if own_usual <= 0.0 || others_usual <= 0.0 {
        return Vec::new();
    }
    let still = |interval: &usize| {
        own(*interval) < STILL * own_usual && others(*interval) >= MIN_ACTIVE_SHARE * others_usual
    };
    inner().filter(still).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn still(courses: &[&[f64]]) -> Vec<Vec<usize>> {
        let hosts = ["a", "b", "c"];
        let of = |(host, ios): (&&'static str, &&[f64])| HostSeries { host, ios: ios.to_vec() };
        let all: Vec<HostSeries> = hosts.iter().zip(courses).map(of).collect();
        let totals = add_up(&all);
        all.iter().map(|course| find_standstills(course, &totals)).collect()
    }

    #[test]
    fn stalled_host_is_found_while_others_continue() {
        type SeriesOfHosts<'a> = &'a [&'a [f64]];
        let even: &[f64] = &[50.0, 50.0, 50.0, 50.0, 50.0];
        let stalls: &[f64] = &[50.0, 50.0, 4.0, 50.0, 50.0];
        let table: [(SeriesOfHosts, &[&[usize]]); 6] = [
            (&[even, even], &[&[], &[]]),
            (&[even, stalls], &[&[], &[2]]),
            // All stand still: that is the storage.
            (&[stalls, stalls], &[&[], &[]]),
            // Edges are of a host in part; one that ended before did nothing behind its end.
            (&[even, &[1.0, 50.0, 50.0, 50.0, 1.0]], &[&[], &[]]),
            (&[even, &[50.0, 50.0, 50.0]], &[&[], &[3]]),
            // No other host is present, or none is active.
            (&[&[0.0; 5], stalls], &[&[], &[]]),
        ];
        for (courses, expected) in table {
            assert_eq!(still(courses), expected, "{courses:?}");
        }
        assert_eq!(still(&[stalls]), [Vec::<usize>::new()]);
    }
}
