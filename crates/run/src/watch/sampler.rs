//! Work of all workers by second, from the counts that the controlling thread reads anyway.

use diskspd_results::Sample;
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_worker::telemetry::live::{self, Counters};

/// Maximum number of samples; above it, pairs are merged and the distance doubles.
const MAX_SAMPLES: usize = 4096;

/// Takes a sample whenever one is due.
#[derive(Debug)]
pub(crate) struct Sampler<'a> {
    workers: &'a [Counters],
    start: Nanos,
    width: Nanos,
    /// Time of the next sample.
    pub due: Nanos,
    /// I/Os and bytes at the last sample.
    before: (u64, u64),
    samples: Vec<Sample>,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(workers: &'a [Counters], start: Nanos) -> Sampler<'a> {
        let before = live::totals(workers);
        Sampler { workers, start, width: SECOND, due: start + SECOND, before, samples: Vec::new() }
    }

    /// Takes a sample at `now`, if it is due.
    pub(crate) fn take_sample(&mut self, now: Nanos) {
        if now < self.due {
            return;
        }
        let (ios, bytes) = live::totals(self.workers);
        let end_us = now.saturating_sub(self.start) / 1000;
        self.samples.push(Sample { end_us, ios: ios - self.before.0, bytes: bytes - self.before.1 });
        self.before = (ios, bytes);
        if self.samples.len() >= MAX_SAMPLES {
            self.samples = self.samples.chunks(2).filter_map(join_samples).collect();
            self.width *= 2;
        }
        while self.due <= now {
            self.due += self.width;
        }
    }

    pub(crate) fn workers(&self) -> &'a [Counters] {
        self.workers
    }

    pub(crate) fn samples(&self) -> &[Sample] {
        &self.samples
    }
}

fn join_samples(samples: &[Sample]) -> Option<Sample> {
    let add =
        |a: Sample, b: Sample| Sample { end_us: b.end_us, ios: a.ios + b.ios, bytes: a.bytes + b.bytes };
    samples.iter().copied().reduce(add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_timely_and_incremental() {
        let workers = [Counters::new(false), Counters::new(false)];
        workers[0].add(7, 7);
        let mut sampler = Sampler::new(&workers, 5 * SECOND);
        workers[0].add(2, 8192);
        workers[1].add(1, 4096);
        sampler.take_sample(6 * SECOND - 1);
        assert_eq!(sampler.samples(), []);
        sampler.take_sample(6 * SECOND);
        workers[1].add(4, 1);
        // Woken late: no two samples at once.
        sampler.take_sample(8 * SECOND + 500_000_000);
        let expected = [
            Sample { end_us: 1_000_000, ios: 3, bytes: 12_288 },
            Sample { end_us: 3_500_000, ios: 4, bytes: 1 },
        ];
        assert_eq!((sampler.samples(), sampler.due), (&expected[..], 9 * SECOND));
    }

    #[test]
    fn long_runs_have_coarser_samples() {
        let workers = [Counters::new(false)];
        let mut sampler = Sampler::new(&workers, 0);
        for second in 1..=2 * MAX_SAMPLES as u64 {
            workers[0].add(1, 10);
            sampler.take_sample(second * SECOND);
        }
        let samples = sampler.samples();
        assert!(samples.len() < MAX_SAMPLES);
        assert!(
            samples.iter().all(|sample| sample.ios * 10 == sample.bytes && sample.ios >= 2),
            "{samples:?}"
        );
    }
}
