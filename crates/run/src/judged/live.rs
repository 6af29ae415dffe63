//! The figures of each second of a judged run, for `--stream` and the live view: the I/O of the devices.

use super::device_series::{DeviceSeries, Reading};
use diskspd_machine::io_counters::Flow;
use diskspd_results::{IntervalDirection, IntervalFigures};
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_worker::listener::{MachineSpeed, Progress, RunObserver, Speed, Subscriptions};

/// Name of the phase in the live view.
const PHASE: &str = "judge";

pub(super) struct LiveFigures<'a> {
    observer: &'a dyn RunObserver,
    wants: Subscriptions,
    begun: Nanos,
    /// Wall clock at the start in ms.
    started_at: i64,
    /// Expected end; `None` = end of the command.
    until: Option<Nanos>,
    /// Devices of the last interval, and its end.
    devices: Vec<String>,
    last: (Nanos, Reading),
}

impl<'a> LiveFigures<'a> {
    pub(super) fn new(observer: &'a dyn RunObserver, begun: Nanos, started_at: i64) -> LiveFigures<'a> {
        observer.time_span_begins(1);
        LiveFigures {
            observer,
            wants: observer.wants(),
            begun,
            started_at,
            until: None,
            devices: Vec::new(),
            last: (begun, Reading::default()),
        }
    }

    pub(super) fn until(&mut self, end: Nanos) {
        self.until = Some(end);
    }

    /// Hands over the figures of an interval if one is complete, or if it is the last one.
    pub(super) fn hand_over_interval(
        &mut self,
        course: &DeviceSeries,
        devices: impl FnOnce() -> Vec<String>,
        is_last: bool,
    ) {
        if !self.wants.intervals && !self.wants.progress {
            return;
        }
        let devices = devices();
        let Some((at, now)) = course.last(&devices) else { return };
        if self.devices != devices {
            // The counters of other devices do not continue these.
            let before = if self.devices.is_empty() { course.first(&devices) } else { Some((at, now)) };
            (self.devices, self.last) = (devices, before.unwrap_or((at, now)));
        }
        let length = at.saturating_sub(self.last.0);
        if length == 0 || length < SECOND && !is_last {
            return;
        }
        let figures = figures(self.last, (at, now), self.begun, self.started_at);
        if self.wants.intervals {
            self.observer.interval(&figures);
        }
        if self.wants.progress {
            let left_ns = self.until.map_or(0, |until| until.saturating_sub(at));
            let rates = speed(&figures);
            let machine = MachineSpeed::default();
            let (targets, hosts) = (&[], &[]);
            self.observer.progress(&Progress::Running {
                phase: PHASE,
                left_ns,
                rates,
                machine,
                targets,
                hosts,
            });
        }
        self.last = (at, now);
    }

    /// Returns a message about figures that could not be written.
    pub(super) fn finish(self) -> Option<String> {
        self.observer.progress_ends();
        self.observer.run_ended()
    }
}

fn figures(from: (Nanos, Reading), to: (Nanos, Reading), begun: Nanos, started_at: i64) -> IntervalFigures {
    let length = to.0.saturating_sub(from.0);
    let direction = |from: Flow, to: Flow| {
        let per_second = |count: u64| count as f64 * SECOND as f64 / length.max(1) as f64;
        let (ios, bytes) = (to.ios.saturating_sub(from.ios), to.bytes.saturating_sub(from.bytes));
        IntervalDirection {
            ios,
            iops: per_second(ios),
            mib_per_s: Some(per_second(bytes) / 1_048_576.0),
            latency: None,
        }
    };
    let (read, write) = (direction(from.1.read, to.1.read), direction(from.1.write, to.1.write));
    let total = IntervalDirection {
        ios: read.ios + write.ios,
        iops: read.iops + write.iops,
        mib_per_s: read.mib_per_s.zip(write.mib_per_s).map(|(read, write)| read + write),
        latency: None,
    };
    let ms = |at: Nanos| at.saturating_sub(begun) / 1_000_000;
    IntervalFigures {
        end_ms: ms(to.0),
        started_at: i64::try_from(ms(from.0)).ok().and_then(|from| started_at.checked_add(from)),
        read,
        write,
        total,
        partial_s: (length < SECOND).then(|| length as f64 / SECOND as f64),
        ..IntervalFigures::default()
    }
}

fn speed(figures: &IntervalFigures) -> Option<Speed> {
    Some(Speed {
        iops: figures.total.iops,
        bytes_per_s: figures.total.mib_per_s? * 1_048_576.0,
        latency: None,
        max: None,
        reads_and_writes: Some([figures.read.iops, figures.write.iops]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_rates_use_its_length() {
        let flow = |ios, bytes| Flow { ios, bytes, ..Flow::default() };
        let from = Reading { read: flow(10, 0), write: flow(5, 0), ..Reading::default() };
        let to = Reading { read: flow(110, 1 << 20), write: flow(5, 0), ..Reading::default() };
        let found = figures((2 * SECOND, from), (2 * SECOND + SECOND / 2, to), SECOND, 5000);
        assert_eq!((found.end_ms, found.started_at, found.partial_s), (1500, Some(6000), Some(0.5)));
        assert_eq!((found.read.ios, found.read.iops, found.read.mib_per_s), (100, 200.0, Some(2.0)));
        assert_eq!((found.write.ios, found.total.ios, found.total.mib_per_s), (0, 100, Some(2.0)));
        let speed = speed(&found).unwrap();
        assert_eq!((speed.iops, speed.reads_and_writes), (200.0, Some([200.0, 0.0])));
    }
}
