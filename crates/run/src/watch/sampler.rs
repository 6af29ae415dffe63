//! Work of all workers by second, from the counts that the controlling thread reads anyway.

use diskspd_results::Sample;
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_worker::telemetry::live::{self, Counters, WorkerSums};

/// Maximum number of samples; above it, pairs are merged and the interval doubles.
const MAX_SAMPLES: usize = 4096;

#[derive(Debug)]
pub(crate) struct Sampler<'a> {
    workers: &'a [Counters],
    start: Nanos,
    width: Nanos,
    pub due: Nanos,
    before: (u64, u64),
    samples: Vec<Sample>,
    /// Counts at the last sample; `None` = the workers do not publish latencies.
    sums_before: Option<WorkerSums>,
    p99_ns: Vec<u64>,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(workers: &'a [Counters], start: Nanos) -> Sampler<'a> {
        let before = live::totals(workers);
        let sums_before = workers.iter().any(Counters::has_latencies).then(|| live::collect(workers));
        let (samples, p99_ns) = (Vec::new(), Vec::new());
        Sampler { workers, start, width: SECOND, due: start + SECOND, before, samples, sums_before, p99_ns }
    }

    /// Takes a sample if one is due at `now`.
    pub(crate) fn take_sample(&mut self, now: Nanos) {
        if now < self.due {
            return;
        }
        let (ios, bytes) = live::totals(self.workers);
        let end_us = now.saturating_sub(self.start) / 1000;
        self.samples.push(Sample { end_us, ios: ios - self.before.0, bytes: bytes - self.before.1 });
        self.before = (ios, bytes);
        self.add_percentile();
        if self.samples.len() >= MAX_SAMPLES {
            self.samples = self.samples.chunks(2).filter_map(join_samples).collect();
            self.p99_ns = self.p99_ns.chunks(2).filter_map(|pair| pair.iter().copied().max()).collect();
            self.width *= 2;
        }
        while self.due <= now {
            self.due += self.width;
        }
    }

    fn add_percentile(&mut self) {
        let Some(before) = &mut self.sums_before else { return };
        let now = live::collect(self.workers);
        let cells = now.latencies_since(before);
        self.p99_ns.push(live::percentile(&cells, cells.iter().sum(), 0.99));
        *before = now;
    }

    pub(crate) fn workers(&self) -> &'a [Counters] {
        self.workers
    }

    pub(crate) fn samples(&self) -> &[Sample] {
        &self.samples
    }

    pub(crate) fn p99_ns(&self) -> &[u64] {
        &self.p99_ns
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
    fn percentiles_belong_to_single_samples() {
        let workers = [Counters::new(true), Counters::new(true)];
        workers[0].add_latency(1_000_000_000);
        let mut sampler = Sampler::new(&workers, 0);
        workers[0].add_latency(1_000_000);
        workers[1].add_latency(2_000_000);
        sampler.take_sample(SECOND);
        sampler.take_sample(2 * SECOND);
        workers[1].add_latency(4_000_000);
        sampler.take_sample(3 * SECOND);
        let ms: Vec<u64> = sampler.p99_ns().iter().map(|ns| (ns + 500_000) / 1_000_000).collect();
        assert_eq!(ms, [2, 0, 4]);
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
