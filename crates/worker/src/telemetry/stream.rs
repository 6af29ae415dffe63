//! Figures of consecutive intervals during the run (`--stream`). The controlling thread computes them from
//! counters shared by the workers.

use crate::telemetry::completion::IoCompletion;
use crate::telemetry::live::{Counters, WorkerSums, collect};
use diskspd_base::engines::Direction;
use diskspd_figures::units::Millis;
use diskspd_results::{
    IntervalDirection, IntervalFigures, IntervalLatency, IntervalPercentiles, IntervalResponse,
};
use diskspd_sys::clock::{self, Nanos, SECOND};
use std::sync::Arc;

/// Minimum interval of the stream in ms, because it wakes a thread and reads all counters.
const MIN_INTERVAL_MS: u32 = 100;

/// Stream counters of one worker: I/Os of the measurement, by direction.
#[derive(Debug)]
pub struct DirectionCounts {
    pub read: Counters,
    pub write: Counters,
    /// Response times of both directions, for I/Os with a scheduled start.
    pub response: Counters,
}

impl DirectionCounts {
    /// Creates empty counters, including latencies and response times if measured.
    pub fn new(latency: bool, response: bool) -> Arc<DirectionCounts> {
        let (read, write) = (Counters::new(latency), Counters::new(latency));
        Arc::new(DirectionCounts { read, write, response: Counters::new(response) })
    }
}

impl DirectionCounts {
    /// Counts equal I/Os of the measurement.
    #[inline]
    pub fn count(&self, io: IoCompletion, times: u64) {
        let counters = match io.direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
        };
        counters.add(times, times * io.bytes);
        counters.add_latencies(io.latency, times);
    }
}

/// Computes the figures of consecutive intervals.
#[derive(Debug)]
pub struct Ticker {
    start: Nanos,
    started_at: i64,
    width: Nanos,
    end: Nanos,
    /// Due time of the next line; [`Nanos::MAX`] = only the last line remains.
    pub due: Nanos,
    read: WorkerSums,
    write: WorkerSums,
    response: WorkerSums,
}

impl Ticker {
    /// Begins measuring at `start` (`started_at`: the same as wall-clock time in ms since 1970), planned
    /// until `end`; `interval` in ms.
    pub fn new((start, end): (Nanos, Nanos), started_at: i64, interval: u32) -> Ticker {
        let width = u64::from(interval.max(MIN_INTERVAL_MS)) * 1_000_000;
        let at_start = || WorkerSums { at: start, ..WorkerSums::default() };
        let mut ticker = Ticker {
            start,
            started_at,
            width,
            end,
            due: start,
            read: at_start(),
            write: at_start(),
            response: at_start(),
        };
        ticker.next(start);
        ticker
    }

    fn shortest_interval(&self) -> Nanos {
        self.width / 10
    }

    /// The next line is due. One that would leave but a sliver for the last is left to that.
    fn next(&mut self, now: Nanos) {
        while self.due <= now {
            self.due += self.width;
        }
        if self.due.saturating_add(self.shortest_interval()) > self.end {
            self.due = Nanos::MAX;
        }
    }

    /// Returns the figures since the last call at the end of measuring; `None` if hardly any time has
    /// passed.
    pub fn last(&mut self, workers: &[Arc<DirectionCounts>]) -> Option<IntervalFigures> {
        let gone_by = clock::monotonic().saturating_sub(self.read.at);
        (gone_by >= self.shortest_interval()).then(|| self.tick(workers))
    }

    pub fn tick(&mut self, workers: &[Arc<DirectionCounts>]) -> IntervalFigures {
        let now = clock::monotonic();
        let read = read_counters(workers.iter().map(|w| &w.read), now);
        let write = read_counters(workers.iter().map(|w| &w.write), now);
        let response = read_counters(workers.iter().map(|w| &w.response), now);
        let figures = IntervalFigures {
            response: response_times(&response.latencies_since(&self.response)),
            ..self.interval_figures(&read, &write)
        };
        (self.read, self.write, self.response) = (read, write, response);
        self.next(now);
        figures
    }

    fn interval_figures(&self, read: &WorkerSums, write: &WorkerSums) -> IntervalFigures {
        let seconds = read.at.saturating_sub(self.read.at).max(1) as f64 / SECOND as f64;
        let (read_cells, write_cells) =
            (read.latencies_since(&self.read), write.latencies_since(&self.write));
        let both: Vec<u64> = (0..read_cells.len().max(write_cells.len()))
            .map(|i| [&read_cells, &write_cells].iter().filter_map(|cells| cells.get(i)).sum())
            .collect();
        let sums = |now: &WorkerSums, before: &WorkerSums| {
            (now.ios - before.ios, now.bytes - before.bytes, now.latency_sum.wrapping_sub(before.latency_sum))
        };
        let (r, w) = (sums(read, &self.read), sums(write, &self.write));
        let all = (r.0 + w.0, r.1 + w.1, r.2.wrapping_add(w.2));
        let measured = all.0 > 0 && !both.is_empty();
        let percentile =
            |p| measured.then(|| Millis::of_ns(crate::telemetry::live::percentile(&both, all.0, p)));
        let usual = self.width as f64 / SECOND as f64;
        IntervalFigures {
            end_ms: read.at.saturating_sub(self.start) / 1_000_000,
            started_at: Some(self.started_at + (self.read.at.saturating_sub(self.start) / 1_000_000) as i64),
            read: interval_direction(r, &read_cells, seconds),
            write: interval_direction(w, &write_cells, seconds),
            total: interval_direction(all, &both, seconds),
            percentiles: IntervalPercentiles::new(percentile),
            response: None,
            failed: None,
            partial_s: ((seconds - usual).abs() > usual / 10.0).then_some(seconds),
        }
    }
}

fn response_times(cells: &[u64]) -> Option<IntervalResponse> {
    let (count, last) = (cells.iter().sum(), cells.iter().rposition(|n| *n > 0)?);
    let at = |p| Millis::of_ns(crate::telemetry::live::percentile(cells, count, p));
    let max = Millis::of_ns(crate::telemetry::live::middle_of(last));
    Some(IntervalResponse { p50: at(0.5), p95: at(0.95), p99: at(0.99), p999: at(0.999), max })
}

/// Returns the workers' current counts. They count an I/O before its latency, and may be between the two.
/// The number of latencies therefore decides the number of I/Os, so that each is in one line with its
/// latency.
fn read_counters<'a>(workers: impl Iterator<Item = &'a Counters>, now: Nanos) -> WorkerSums {
    let mut seen = WorkerSums { at: now, ..collect(workers) };
    if !seen.latency.is_empty() {
        seen.ios = seen.latency.iter().sum();
    }
    seen
}

/// Converts I/Os, bytes and the sum of their latencies (ns) to rates; minimum, maximum and deviation come
/// from the cells.
fn interval_direction((ios, bytes, sum): (u64, u64, u64), cells: &[u64], seconds: f64) -> IntervalDirection {
    let middle = |cell: usize| Millis::of_ns(crate::telemetry::live::middle_of(cell));
    let first = cells.iter().position(|n| *n > 0);
    let last = cells.iter().rposition(|n| *n > 0);
    let latency = first.zip(last).filter(|_| ios > 0).map(|(first, last)| {
        // The sum may lack an I/O of each worker, or have one more: among few I/Os that would be another
        // latency altogether.
        let (least, most) =
            (crate::telemetry::live::floor_of(first), crate::telemetry::live::floor_of(last + 1));
        let mean = Millis::of_mean_ns((sum as f64 / ios as f64).clamp(least as f64, most as f64));
        let filled = cells.iter().enumerate().filter(|(_, n)| **n > 0);
        let squares: f64 = filled.map(|(i, n)| *n as f64 * (middle(i).ms() - mean.ms()).powi(2)).sum();
        IntervalLatency {
            min: middle(first).min(mean),
            mean,
            max: middle(last).max(mean),
            std_dev: Millis::new((squares / ios as f64).sqrt()),
        }
    });
    IntervalDirection {
        ios,
        iops: ios as f64 / seconds,
        mib_per_s: Some(bytes as f64 / 1_048_576.0 / seconds),
        latency,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a ticker with intervals of a second and without end.
    fn sample_ticker(started_at: i64) -> Ticker {
        Ticker::new((clock::monotonic(), Nanos::MAX), started_at, 1000)
    }

    #[test]
    fn intervals_end_once_without_short_remainder() {
        const MS: Nanos = 1_000_000;
        // Duration, ms, when lines are due before the last one.
        let rows: [(u64, &[u64]); 6] = [
            (2000, &[300, 600, 900, 1200, 1500, 1800]),
            (300, &[]),
            (310, &[]),
            (331, &[300]),
            (599, &[300]),
            (600, &[300]),
        ];
        for (duration, expected) in rows {
            let mut ticker = Ticker::new((7 * MS, (7 + duration) * MS), 0, 300);
            let mut due = Vec::new();
            while ticker.due < Nanos::MAX {
                due.push(ticker.due / MS - 7);
                ticker.next(ticker.due);
            }
            assert_eq!(due, expected, "{duration} ms");
        }
        // Interrupted right behind a line.
        let mut ticker = sample_ticker(0);
        ticker.tick(&[]);
        assert!(ticker.last(&[]).is_none());
        ticker.read.at -= SECOND;
        let last = ticker.last(&[]).unwrap();
        assert_eq!(last.partial_s, None, "about as long as the others");
        ticker.read.at -= SECOND / 2;
        let last = ticker.last(&[]).unwrap();
        assert!(last.partial_s.is_some_and(|length| (0.5..0.9).contains(&length)), "{last:?}");
    }

    #[test]
    fn line_covers_time_since_previous_line() {
        let worker = DirectionCounts::new(true, false);
        let mut ticker = sample_ticker(5000);
        worker.write.add(3, 12_288);
        [1_000_000, 1_000_000, 4_000_000].into_iter().for_each(|nanos| worker.write.add_latency(nanos));
        let first = ticker.tick(std::slice::from_ref(&worker));
        assert_eq!((first.read.ios, first.write.ios, first.total.ios), (0, 3, 3));
        assert_eq!(first.started_at, Some(5000));
        assert_eq!(first.write.latency.map(|l| l.mean.ms()), Some(2.0));
        assert!(
            first
                .percentiles
                .is_some_and(|p| (p.p50.ms() - 1.0).abs() < 0.03 && (p.p99.ms() - 4.0).abs() < 0.1)
        );
        let second = ticker.tick(&[worker]);
        assert_eq!((second.total.ios, second.total.latency, second.percentiles), (0, None, None));
    }

    #[test]
    fn half_counted_io_appears_in_the_next_line() {
        let worker = DirectionCounts::new(true, false);
        let mut ticker = sample_ticker(0);
        worker.read.add(1, 4096);
        let first = ticker.tick(std::slice::from_ref(&worker));
        assert_eq!((first.total.ios, first.total.latency, first.percentiles), (0, None, None));
        worker.read.add_latency(2_000_000);
        let second = ticker.tick(&[worker]);
        assert_eq!((second.total.ios, second.total.latency.map(|latency| latency.mean.ms())), (1, Some(2.0)));
        assert!(second.percentiles.is_some_and(|p| p.p50.ms() > 1.9));

        let counters = Counters::new(true);
        counters.add_latency(2_000_000);
        let cells = collect([&counters]).latency;
        let without_its_sum = interval_direction((1, 4096, 0), &cells, 1.0).latency.unwrap();
        assert!(without_its_sum.mean.ms() > 1.9 && without_its_sum.min.ms() > 1.9, "{without_its_sum:?}");
    }
}
