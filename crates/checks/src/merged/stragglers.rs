//! Detection of slow hosts.
//!
//! A host is a straggler if its I/Os per second are below the median of all hosts by more than three times
//! their median absolute deviation and by more than 10 % of the median. The deviation is scaled by 1.4826,
//! as for a normal distribution. A host is also a straggler if its 99th percentile is above the median by
//! the same rule with 25 %. The minimum percentages keep noise from separating similar hosts. Fewer than
//! four hosts have no stragglers.

use super::{Finding, Severity, names};
use diskspd_figures::stats::median;
use diskspd_figures::units::Millis;
use diskspd_results::{Record, SpanSummary};

const MIN_HOSTS: usize = 4;
const OUTLIER_DEVIATIONS: f64 = 3.0;
const NORMAL: f64 = 1.4826;
const RATE_FLOOR: f64 = 0.1;
/// Threshold for latencies, which differ more than rates.
const LATENCY_FLOOR: f64 = 0.25;

/// Host in a time span.
#[derive(Debug, Clone, Copy)]
pub struct HostFigure<'a> {
    pub name: &'a str,
    pub span: &'a SpanSummary,
}

impl HostFigure<'_> {
    pub fn iops(&self) -> f64 {
        self.span.total.iops.unwrap_or(0.0)
    }

    /// Returns the 99th percentile of the latency in ms; `None` = not measured.
    pub fn p99(&self) -> Option<f64> {
        self.span.percentile(99.0)?.total.map(Millis::ms)
    }
}

/// Returns the hosts that measured time span `index` (from 0), slowest first.
pub fn figures(record: &Record, index: usize) -> Vec<HostFigure<'_>> {
    let of = |host: &'_ diskspd_results::Host| host.summary.as_ref().is_some();
    let hosts = record.present().filter(|host| of(host));
    let mut figures: Vec<HostFigure> = hosts
        .filter_map(|host| {
            let span = host.summary.as_ref()?.run.time_spans.get(index)?.as_ref()?;
            Some(HostFigure { name: &host.name, span })
        })
        .collect();
    figures.sort_by(|a, b| a.iops().total_cmp(&b.iops()));
    figures
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SlowHosts {
    /// Host names with the deviating figures, slowest first.
    pub hosts: Vec<(String, String)>,
    all: usize,
}

impl SlowHosts {
    pub fn find(hosts: &[HostFigure]) -> SlowHosts {
        let all = hosts.len();
        if all < MIN_HOSTS {
            return SlowHosts { hosts: Vec::new(), all };
        }
        let rates: Vec<f64> = hosts.iter().map(HostFigure::iops).collect();
        let (rate, near) = usual_spread(&rates, RATE_FLOOR);
        let latencies: Vec<f64> = hosts.iter().filter_map(HostFigure::p99).collect();
        let (latency, close) = usual_spread(&latencies, LATENCY_FLOOR);
        let why = |host: &HostFigure| {
            let mut why = Vec::new();
            if host.iops() < rate - near {
                why.push(format!("{:.2} IOPS; the median host {rate:.2}", host.iops()));
            }
            if let Some(p99) = host.p99().filter(|p99| latencies.len() >= MIN_HOSTS && *p99 > latency + close)
            {
                why.push(format!("p99 {p99:.3} ms; the median host {latency:.3} ms"));
            }
            (!why.is_empty()).then(|| (host.name.to_owned(), why.join("; ")))
        };
        SlowHosts { hosts: hosts.iter().filter_map(why).collect(), all }
    }

    pub fn has_host(&self, name: &str) -> bool {
        self.hosts.iter().any(|(host, _)| host == name)
    }

    pub(super) fn finding(&self) -> Option<Finding> {
        if self.hosts.is_empty() {
            return None;
        }
        let who: Vec<&str> = self.hosts.iter().map(|(host, _)| host.as_str()).collect();
        let message =
            format!("{} of {} hosts are slower than the others: {}", who.len(), self.all, names(&who));
        let mut finding = Finding::of_machine("stragglers", Severity::Warning, message);
        for (host, why) in &self.hosts {
            finding = finding.shown_by(format!("{host}: {why}"));
        }
        Some(finding.remedy(
            "run these hosts alone, and compare their hardware and settings with the \
                             others'",
        ))
    }
}

fn usual_spread(values: &[f64], floor: f64) -> (f64, f64) {
    let middle = median(values.iter().copied());
    let distances = values.iter().map(|value| (value - middle).abs());
    (middle, (OUTLIER_DEVIATIONS * NORMAL * median(distances)).max(floor * middle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_results::{ChartRow, DirectionSummary, PercentileSummary};

    fn sample_spans(figures: &[(f64, f64)]) -> Vec<(String, SpanSummary)> {
        let span = |(number, (iops, p99)): (usize, &(f64, f64))| {
            let total = DirectionSummary { iops: Some(*iops), ..DirectionSummary::default() };
            let latency = ChartRow { total: Some(Millis::new(*p99)), ..ChartRow::default() };
            let percentiles = vec![PercentileSummary { percent: 99.0, latency }];
            (format!("h{number}"), SpanSummary { total, percentiles, ..SpanSummary::default() })
        };
        figures.iter().enumerate().map(span).collect()
    }

    fn find_slow(figures: &[(f64, f64)]) -> Vec<String> {
        let spans = sample_spans(figures);
        let hosts: Vec<HostFigure> = spans.iter().map(|(name, span)| HostFigure { name, span }).collect();
        SlowHosts::find(&hosts).hosts.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn only_distant_hosts_are_stragglers() {
        type Hosts<'a> = &'a [(f64, f64)];
        let table: [(Hosts, &[&str]); 6] = [
            (&[(100.0, 1.0); 8], &[]),
            (&[(100.0, 1.0), (101.0, 1.0), (99.0, 1.0), (92.0, 1.0), (100.0, 1.0)], &[]),
            (&[(100.0, 1.0), (101.0, 1.0), (99.0, 1.0), (85.0, 1.0), (100.0, 1.0)], &["h3"]),
            (&[(100.0, 1.0), (101.0, 1.0), (99.0, 1.0), (100.0, 1.3), (100.0, 1.0)], &["h3"]),
            // All differ, so no host stands out.
            (&[(100.0, 1.0), (50.0, 2.0), (150.0, 0.7), (75.0, 1.5), (125.0, 0.8)], &[]),
            (&[(100.0, 1.0), (100.0, 1.0), (10.0, 9.0)], &[]),
        ];
        for (figures, expected) in table {
            assert_eq!(find_slow(figures), expected, "{figures:?}");
        }
    }
}
