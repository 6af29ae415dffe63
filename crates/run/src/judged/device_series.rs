//! The I/O of the devices from second to second.

use diskspd_host::io_counters::Counters;
use diskspd_host::root::Root;
use diskspd_machine::io_counters::{Activity, Flow};
use diskspd_machine::stack::Stack;
use diskspd_profile::TargetId;
use diskspd_results::{CompletionGap, Observations, OutageObservations, Sample, SizeClass, TickCounts};
use diskspd_sys::clock::{self, Nanos, SECOND};

/// Minimum interval between two readings.
const BEAT: Nanos = SECOND / 10;
/// Divisor of the time that readings may take.
const SHARE: Nanos = 500;
/// Maximum number of kept readings.
const MAX_READINGS: usize = 100_000;
/// Minimum length of a recorded gap.
const SILENCE: Nanos = SECOND / 2;

/// Counter readings of devices at regular intervals.
#[derive(Debug)]
pub(super) struct DeviceSeries {
    names: Vec<String>,
    counters: Counters,
    begun: Nanos,
    width: Nanos,
    due: Nanos,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    at: Nanos,
    devices: Vec<Reading>,
}

/// Completed I/O of several devices, and their I/Os in flight.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reading {
    pub read: Flow,
    pub write: Flow,
    pub in_flight: u64,
}

impl Reading {
    fn ios(&self) -> u64 {
        self.read.ios + self.write.ios
    }

    fn bytes(&self) -> u64 {
        self.read.bytes + self.write.bytes
    }
}

impl From<&Activity> for Reading {
    fn from(activity: &Activity) -> Reading {
        Reading { read: activity.read, write: activity.write, in_flight: activity.in_flight }
    }
}

impl DeviceSeries {
    pub(super) fn new(names: Vec<String>) -> DeviceSeries {
        let counters = Counters::open(&Root::live_system(), &names);
        DeviceSeries { names, counters, begun: 0, width: BEAT, due: 0, rows: Vec::new() }
    }

    pub(super) fn begin(&mut self, now: Nanos) {
        self.begun = now;
        let began = clock::thread_cpu_time();
        self.read(now);
        let took = clock::thread_cpu_time().saturating_sub(began);
        self.width = BEAT.max(took.saturating_mul(SHARE));
        self.due = now + self.width;
    }

    /// Reads the counters if due; returns whether it did.
    pub(super) fn sample_tree(&mut self, now: Nanos) -> bool {
        if now < self.due || self.rows.len() >= MAX_READINGS {
            return false;
        }
        self.read(now);
        while self.due <= now {
            self.due += self.width;
        }
        true
    }

    fn read(&mut self, now: Nanos) {
        let reading = self.counters.read();
        let device = |activity: &Option<Activity>| activity.as_ref().map(Reading::from).unwrap_or_default();
        self.rows.push(Row { at: now, devices: reading.devices.iter().map(device).collect() });
    }

    fn select_devices(&self, devices: &[String]) -> Vec<usize> {
        let all = self.names.iter().enumerate();
        all.filter(|(_, name)| devices.contains(name)).map(|(index, _)| index).collect()
    }

    /// Returns the time of the first reading, and the counters of these devices.
    pub(super) fn first(&self, devices: &[String]) -> Option<(Nanos, Reading)> {
        self.rows.first().map(|row| (row.at, row.sum(&self.select_devices(devices))))
    }

    pub(super) fn last(&self, devices: &[String]) -> Option<(Nanos, Reading)> {
        self.rows.last().map(|row| (row.at, row.sum(&self.select_devices(devices))))
    }

    /// Returns samples of the I/Os in flight at the devices under the targets.
    pub(super) fn in_flight(&self, stack: &Stack) -> Vec<SizeClass> {
        let (chosen, mut classes) = (self.select_devices(&stack.top_devices), Vec::new());
        // The first reading precedes the I/O.
        for row in self.rows.iter().skip(1).filter(|_| !chosen.is_empty()) {
            SizeClass::count(&mut classes, row.sum(&chosen).in_flight);
        }
        classes
    }

    /// Returns the time series of the devices directly under the files.
    pub(super) fn observed(&self, stack: &Stack, measured: Nanos) -> Observations {
        let chosen = self.select_devices(&stack.top_devices);
        if chosen.is_empty() || self.rows.len() < 2 {
            return Observations::default();
        }
        let rows: Vec<(Nanos, Reading)> =
            self.rows.iter().map(|row| (row.at - self.begun, row.sum(&chosen))).collect();
        let quiet = OutageObservations {
            gaps: silences(&rows),
            watcher_gaps: Vec::new(),
            ..OutageObservations::default()
        };
        Observations {
            samples: samples(&rows, measured),
            ticks: Some(beats(&rows, self.width, measured)),
            outage_observations: Some(quiet),
            ..Observations::default()
        }
    }
}

impl Row {
    fn sum(&self, chosen: &[usize]) -> Reading {
        chosen.iter().filter_map(|index| self.devices.get(*index)).fold(Reading::default(), |sum, one| {
            let add = |a: Flow, b: Flow| Flow { ios: a.ios + b.ios, bytes: a.bytes + b.bytes, ..a };
            Reading {
                read: add(sum.read, one.read),
                write: add(sum.write, one.write),
                in_flight: sum.in_flight + one.in_flight,
            }
        })
    }
}

fn samples(rows: &[(Nanos, Reading)], measured: Nanos) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut last = rows[0];
    for row in rows.iter().filter(|(at, _)| *at <= measured) {
        if row.0 >= last.0 + SECOND {
            samples.push(Sample {
                end_us: row.0 / 1000,
                ios: row.1.ios().saturating_sub(last.1.ios()),
                bytes: row.1.bytes().saturating_sub(last.1.bytes()),
            });
            last = *row;
        }
    }
    samples
}

/// I/Os by beats of one width. A reading that came late belongs to all beats since the one before.
fn beats(rows: &[(Nanos, Reading)], width: Nanos, measured: Nanos) -> TickCounts {
    let mut counts = vec![0_u64; usize::try_from(measured / width).unwrap_or(0)];
    for pair in rows.windows(2) {
        let done = pair[1].1.ios().saturating_sub(pair[0].1.ios());
        let (from, to) =
            ((pair[0].0 / width) as usize, (pair[1].0 / width).max(pair[0].0 / width + 1) as usize);
        let beats = (to - from).max(1) as u64;
        for (index, beat) in (from..to).enumerate() {
            let part = done / beats + u64::from((index as u64) < done % beats);
            counts.get_mut(beat).into_iter().for_each(|count| *count += part);
        }
    }
    TickCounts { width_us: width / 1000, ios: diskspd_figures::stats::PackedCounts(counts) }
}

/// Returns times without completions, with their I/Os in flight.
fn silences(rows: &[(Nanos, Reading)]) -> Vec<CompletionGap> {
    let mut found = Vec::new();
    let mut first = 0;
    for index in 1..=rows.len() {
        if rows.get(index).is_some_and(|row| row.1.ios() == rows[first].1.ios()) {
            continue;
        }
        let end = index.min(rows.len() - 1);
        if rows[end].0.saturating_sub(rows[first].0) >= SILENCE && index - first > 1 && found.len() < 256 {
            // At the edges of a silence I/Os can be in flight that are not late.
            let within = &rows[first + 1..index];
            found.push(CompletionGap {
                target: TargetId(0),
                start_us: rows[first].0 / 1000,
                end_us: rows[end].0 / 1000,
                in_flight: within.iter().map(|row| row.1.in_flight).min(),
                changes: Vec::new(),
            });
        }
        first = index;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(ios: u64) -> Reading {
        Reading { read: Flow { ios, ..Flow::default() }, ..Reading::default() }
    }

    fn rows(ios: &[(u64, u64)]) -> Vec<(Nanos, Reading)> {
        let row = |(index, (ios, in_flight)): (usize, &(u64, u64))| {
            (index as u64 * BEAT, Reading { in_flight: *in_flight, ..reading(*ios) })
        };
        ios.iter().enumerate().map(row).collect()
    }

    #[test]
    fn silent_time_states_ios_in_flight() {
        let mut counts: Vec<(u64, u64)> = vec![(0, 0), (5, 1)];
        counts.extend([(5, 2); 8]);
        counts.push((9, 0));
        let found = silences(&rows(&counts));
        let [silence] = &found[..] else { unreachable!("{found:?}") };
        assert_eq!((silence.start_us, silence.end_us, silence.in_flight), (100_000, 1_000_000, Some(2)));
        assert_eq!(silences(&rows(&[(0, 0), (1, 0), (2, 0)])), []);
    }

    #[test]
    fn late_reading_is_divided_over_ticks() {
        let rows = vec![(0, Reading::default()), (3 * BEAT, reading(7))];
        assert_eq!(beats(&rows, BEAT, 4 * BEAT).ios.0, [3, 2, 2, 0]);
    }
}
