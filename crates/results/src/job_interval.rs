//! The figures of one interval on all hosts of a job.

use super::{IntervalDirection, IntervalFigures, IntervalLatency};
use diskspd_figures::units::Millis;

/// Maximum number of hosts shown; larger jobs show the worst ones.
const MAX_SHOWN: usize = 20;
const WORST: usize = 10;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobInterval {
    /// Time span, numbered from 1.
    pub time_span: usize,
    /// Hosts: missing ones first, then by ascending speed.
    pub hosts: Vec<HostInterval>,
    /// Sum of all hosts, without percentiles, which cannot be added.
    pub sum: IntervalFigures,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostInterval {
    pub rank: u32,
    pub host: String,
    /// Figures; `None` = they did not arrive in time.
    pub figures: Option<IntervalFigures>,
}

impl JobInterval {
    pub fn new(time_span: usize, mut hosts: Vec<HostInterval>) -> JobInterval {
        let rate = |host: &HostInterval| host.figures.as_ref().map_or(-1.0, |figures| figures.total.iops);
        hosts.sort_by(|a, b| rate(a).total_cmp(&rate(b)).then(a.rank.cmp(&b.rank)));
        let figures: Vec<&IntervalFigures> = hosts.iter().filter_map(|host| host.figures.as_ref()).collect();
        JobInterval { time_span, sum: add_figures(&figures), hosts }
    }

    /// Returns the hosts with a row: all, or the worst ones of a large job.
    pub fn shown_rows(&self) -> &[HostInterval] {
        &self.hosts[..shown_hosts(self.hosts.len())]
    }

    /// Number of hosts without figures.
    pub fn missing(&self) -> usize {
        self.hosts.iter().filter(|host| host.figures.is_none()).count()
    }
}

/// Returns the number of hosts with a row in a live view of `count` hosts.
pub fn shown_hosts(count: usize) -> usize {
    if count > MAX_SHOWN { WORST } else { count }
}

fn add_figures(hosts: &[&IntervalFigures]) -> IntervalFigures {
    let of = |direction: fn(&IntervalFigures) -> &IntervalDirection| {
        add_directions(&hosts.iter().map(|figures| direction(figures)).collect::<Vec<_>>())
    };
    IntervalFigures {
        end_ms: hosts.iter().map(|figures| figures.end_ms).max().unwrap_or(0),
        started_at: hosts.iter().filter_map(|figures| figures.started_at).min(),
        read: of(|figures| &figures.read),
        write: of(|figures| &figures.write),
        total: of(|figures| &figures.total),
        partial_s: hosts.iter().filter_map(|figures| figures.partial_s).reduce(f64::min),
        failed: hosts.iter().filter_map(|figures| figures.failed).reduce(u64::saturating_add),
        ..IntervalFigures::default()
    }
}

fn add_directions(hosts: &[&IntervalDirection]) -> IntervalDirection {
    let with_latency = || hosts.iter().filter_map(|one| Some((one.ios as f64, one.latency?)));
    let ios: f64 = with_latency().map(|(ios, _)| ios).sum();
    let mean = with_latency().map(|(ios, latency)| ios * latency.mean.ms()).sum::<f64>() / ios;
    let squares = |(ios, latency): (f64, IntervalLatency)| {
        ios * (latency.std_dev.ms().powi(2) + (latency.mean.ms() - mean).powi(2))
    };
    let latency = (ios > 0.0).then(|| IntervalLatency {
        min: with_latency().map(|(_, latency)| latency.min).reduce(min_of).unwrap_or_default(),
        mean: Millis::new(mean),
        max: with_latency().map(|(_, latency)| latency.max).reduce(max_of).unwrap_or_default(),
        std_dev: Millis::new((with_latency().map(squares).sum::<f64>() / ios).sqrt()),
    });
    IntervalDirection {
        ios: hosts.iter().map(|one| one.ios).fold(0, u64::saturating_add),
        iops: hosts.iter().map(|one| one.iops).sum(),
        mib_per_s: hosts.iter().filter_map(|one| one.mib_per_s).reduce(|a, b| a + b),
        latency,
    }
}

fn min_of(a: Millis, b: Millis) -> Millis {
    if b.ms() < a.ms() { b } else { a }
}

fn max_of(a: Millis, b: Millis) -> Millis {
    if b.ms() > a.ms() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(rank: u32, figures: Option<(u64, f64)>) -> HostInterval {
        let figures = figures.map(|(ios, ms)| {
            let ms = Millis::new(ms);
            let latency = Some(IntervalLatency { min: ms, mean: ms, max: ms, ..Default::default() });
            let total = IntervalDirection { ios, iops: ios as f64, mib_per_s: Some(1.5), latency };
            IntervalFigures { end_ms: 1000, total, read: total, ..Default::default() }
        });
        HostInterval { rank, host: format!("h{rank}"), figures }
    }

    #[test]
    fn missing_and_slow_hosts_come_first_with_exact_sum() {
        let hosts = vec![host(0, Some((300, 1.0))), host(1, Some((100, 5.0))), host(2, None)];
        let job = JobInterval::new(1, hosts);
        let order: Vec<u32> = job.shown_rows().iter().map(|host| host.rank).collect();
        assert_eq!((order, job.missing()), (vec![2, 1, 0], 1));
        let total = job.sum.total;
        assert_eq!((total.ios, total.iops, total.mib_per_s), (400, 400.0, Some(3.0)));
        let latency = total.latency.unwrap();
        assert_eq!((latency.min.ms(), latency.mean.ms(), latency.max.ms()), (1.0, 2.0, 5.0));
        // 300 of 1 ms and 100 of 5 ms.
        assert_eq!(latency.std_dev.ms(), 3f64.sqrt());
        assert_eq!((job.sum.write.latency, job.sum.percentiles), (None, None));
    }

    #[test]
    fn more_than_twenty_hosts_show_the_worst_ten() {
        for (count, shown) in [(0, 0), (1, 1), (20, 20), (21, 10), (1000, 10)] {
            let hosts = (0..count).map(|rank| host(rank, Some((u64::from(rank) + 1, 1.0)))).collect();
            let job = JobInterval::new(1, hosts);
            assert_eq!(job.shown_rows().len(), shown, "{count}");
            assert!(job.shown_rows().iter().all(|host| host.rank < shown as u32), "{count}");
        }
    }
}
