//! Distinguishing parameters of runs: depth, kind and size of I/Os, and targets. Plain data, also for runs
//! with a partly known profile.

use super::{
    CacheMode, OperationShares, RateTotal, RawText, RunOptions, Target, Throughput, TimeSpan, percents,
};
use serde::{Deserialize, Serialize};

/// Known parameters of a time span; `None` = not recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    pub threads: Option<u64>,
    /// Maximum I/Os in flight of all threads together.
    pub in_flight: Option<u64>,
    /// `-O`: whether the I/Os of a thread float between its targets.
    pub floating_pool: Option<bool>,
    pub duration_s: Option<u32>,
    /// `-W`: time before the measurement in s.
    pub warmup_s: Option<u32>,
    pub rand_seed: Option<u32>,
    /// `--rate-total`, which replaces the rates of targets; `None` = not given, or not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_total: Option<RateTotal>,
    /// `--fsync-every`: writes of a thread per flush; `None` = not given, or not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fsync_every: Option<u32>,
    /// Targets, grouped by equal work; empty = not recorded.
    pub targets: Vec<TargetGroup>,
}

/// Targets with the same work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetGroup {
    /// Targets as entered by the user.
    pub paths: Vec<RawText>,
    pub access: Access,
}

/// Access to a target; `None` = not recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    pub threads: Option<u32>,
    /// I/Os that a thread keeps in flight on it (`-o`), or in a floating pool on all targets (`-O`).
    pub outstanding: Option<u32>,
    /// `-b`: size of an I/O in bytes.
    pub block_size: Option<u32>,
    /// `-w`: share of writes in percent.
    pub write_percent: Option<u32>,
    /// Shares of other operations (`--trim`); empty = not given, or not recorded.
    #[serde(flatten, with = "percents")]
    pub shares: OperationShares,
    /// Share of random I/O in percent: 0 = sequential, 100 = random.
    pub random_percent: Option<u32>,
    /// `-r<n>`, `-s<n>`: alignment or stride in bytes.
    pub stride: Option<u64>,
    /// `-g` per thread.
    pub rate: Option<Rate>,
    pub caching: Option<Caching>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    Unlimited,
    BytesPerMillisecond(u32),
    Iops(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caching {
    pub mode: CacheMode,
    pub write_through: bool,
    pub memory_mapped: bool,
    /// Whether `-Sb` enables the cache for block devices, which are unbuffered by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached_devices: bool,
    /// Whether the targets are block devices; `None` = not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_device: Option<bool>,
}

impl Caching {
    /// Whether I/Os use the page cache; `None` = depends on an unknown kind of target.
    pub fn is_cached(self) -> Option<bool> {
        match self.mode {
            _ if self.memory_mapped => Some(true),
            CacheMode::Cached if !self.cached_devices => self.block_device.map(|device| !device),
            mode => Some(mode == CacheMode::Cached),
        }
    }

    /// Returns the effective mode: block devices without cache by default are equivalent to `-Su`.
    pub fn effective_mode(self) -> CacheMode {
        match (self.mode, self.is_cached()) {
            (CacheMode::Cached, Some(false)) => CacheMode::DisableOsCache,
            (mode, _) => mode,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommonValue<T> {
    Unknown,
    One(T),
    Several,
}

impl<T> CommonValue<T> {
    pub fn common_value(self) -> Option<T> {
        match self {
            CommonValue::One(value) => Some(value),
            CommonValue::Unknown | CommonValue::Several => None,
        }
    }
}

impl Access {
    pub fn from_target(span: &TimeSpan, target: &Target) -> Access {
        let rate = match target.throughput {
            None | Some(Throughput::BytesPerMillisecond(0) | Throughput::Iops(0)) => Rate::Unlimited,
            Some(Throughput::BytesPerMillisecond(limit)) => Rate::BytesPerMillisecond(limit),
            Some(Throughput::Iops(limit)) => Rate::Iops(limit),
        };
        let pool = span.is_floating_pool();
        Access {
            threads: Some(span.threads_on(target)),
            outstanding: Some(if pool { span.request_count } else { target.request_count }),
            block_size: Some(target.block_size),
            write_percent: Some(target.write_ratio),
            shares: target.shares,
            random_percent: Some(target.random_ratio),
            stride: Some(target.stride()),
            rate: Some(rate),
            caching: Some(Caching {
                mode: target.cache_mode,
                write_through: target.write_through,
                memory_mapped: target.memory_mapped_io,
                cached_devices: target.is_cached(true),
                block_device: None,
            }),
        }
    }

    pub fn for_target(self, block_device: Option<bool>) -> Access {
        Access { caching: self.caching.map(|caching| Caching { block_device, ..caching }), ..self }
    }
}

impl Parameters {
    pub const UNKNOWN: Parameters = Parameters {
        threads: None,
        in_flight: None,
        floating_pool: None,
        duration_s: None,
        warmup_s: None,
        rand_seed: None,
        rate_total: None,
        fsync_every: None,
        targets: Vec::new(),
    };

    pub fn from_span(span: &TimeSpan) -> Parameters {
        Parameters::with(span, |target, _| Access::from_target(span, target))
    }

    pub fn done_by(self, run_options: &RunOptions) -> Parameters {
        Parameters { rate_total: run_options.rate_total, fsync_every: run_options.fsync_every, ..self }
    }

    pub fn with(span: &TimeSpan, access: impl Fn(&Target, usize) -> Access) -> Parameters {
        let accesses = || span.targets.iter().enumerate().map(|(place, target)| access(target, place));
        let sum = |of: fn(Access) -> Option<u64>| {
            accesses().map(of).try_fold(0_u64, |sum, one| Some(sum.saturating_add(one?)))
        };
        let threads = match span.thread_count {
            0 => sum(|access| access.threads.map(u64::from)),
            pool => Some(pool.into()),
        };
        let in_flight = match span.is_floating_pool() {
            true => threads.map(|threads| threads.saturating_mul(span.request_count.into())),
            false => sum(|access| Some(u64::from(access.threads?) * u64::from(access.outstanding?))),
        };
        let mut parameters = Parameters {
            threads,
            in_flight,
            floating_pool: Some(span.is_floating_pool()),
            duration_s: Some(span.duration),
            warmup_s: Some(span.warmup),
            rand_seed: Some(span.rand_seed),
            rate_total: None,
            fsync_every: None,
            targets: Vec::new(),
        };
        span.targets.iter().zip(accesses()).for_each(|(target, access)| parameters.add(target, access));
        parameters
    }

    fn add(&mut self, target: &Target, access: Access) {
        /// Maximum number of groups searched, because a profile may have ten thousand targets.
        const GROUPS: usize = 64;
        match self.targets.iter_mut().take(GROUPS).find(|group| group.access == access) {
            Some(group) => group.paths.push(target.path.clone()),
            None => self.targets.push(TargetGroup { paths: vec![target.path.clone()], access }),
        }
    }

    pub fn common<T: PartialEq>(&self, of: impl Fn(&Access) -> Option<T>) -> CommonValue<T> {
        let values: Option<Vec<T>> = self.targets.iter().map(|group| of(&group.access)).collect();
        let Some(mut values) = values else { return CommonValue::Unknown };
        match values.pop() {
            None => CommonValue::Unknown,
            Some(last) if values.iter().all(|value| *value == last) => CommonValue::One(last),
            Some(_) => CommonValue::Several,
        }
    }

    /// Returns all targets as entered by the user.
    pub fn paths(&self) -> impl Iterator<Item = &RawText> {
        self.targets.iter().flat_map(|group| &group.paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_span(targets: &[(&str, u32, u32)]) -> TimeSpan {
        let target = |(path, threads_per_file, block_size): &(&str, u32, u32)| Target {
            path: (*path).into(),
            threads_per_file: *threads_per_file,
            block_size: *block_size,
            request_count: 8,
            ..Target::default()
        };
        TimeSpan { targets: targets.iter().map(target).collect(), ..TimeSpan::default() }
    }

    #[test]
    fn equal_targets_are_grouped() {
        let parameters =
            Parameters::from_span(&sample_span(&[("a", 2, 4096), ("b", 1, 512), ("c", 2, 4096)]));
        assert_eq!((parameters.threads, parameters.in_flight), (Some(5), Some(40)));
        assert_eq!(parameters.targets.len(), 2);
        assert_eq!(parameters.paths().map(ToString::to_string).collect::<Vec<_>>(), ["a", "c", "b"]);
        assert_eq!(parameters.common(|access| access.block_size), CommonValue::Several);
        assert_eq!(parameters.common(|access| access.outstanding), CommonValue::One(8));
    }

    #[test]
    fn pool_requests_are_counted_once_for_all_targets() {
        let pool =
            TimeSpan { thread_count: 3, request_count: 32, ..sample_span(&[("a", 1, 512), ("b", 1, 512)]) };
        let parameters = Parameters::from_span(&pool);
        assert_eq!((parameters.threads, parameters.in_flight), (Some(3), Some(96)));
        assert_eq!(parameters.common(|access| access.outstanding).common_value(), Some(32));
    }

    #[test]
    fn files_are_cached_and_block_devices_uncached() {
        let cached = CacheMode::Cached;
        let bypassed = CacheMode::DisableOsCache;
        let table = [
            // The mode, -Sb given, a device; whether it is cached, the mode of what was done.
            (cached, false, Some(false), Some(true), cached),
            (cached, false, Some(true), Some(false), bypassed),
            (cached, false, None, None, cached),
            (cached, true, Some(true), Some(true), cached),
            (cached, true, None, Some(true), cached),
            (bypassed, false, None, Some(false), bypassed),
            (CacheMode::DisableLocalCache, false, Some(false), Some(false), CacheMode::DisableLocalCache),
        ];
        for (mode, cached_devices, block_device, is_cached, effective) in table {
            let target = Target {
                path: "a".into(),
                cache_mode: mode,
                uncached_devices: !cached_devices,
                ..Target::default()
            };
            let access = Access::from_target(&TimeSpan::default(), &target).for_target(block_device);
            let caching = access.caching.unwrap();
            assert_eq!(
                (caching.is_cached(), caching.effective_mode()),
                (is_cached, effective),
                "{caching:?}"
            );
        }
        let mapped = Target { memory_mapped_io: true, uncached_devices: true, ..Target::default() };
        let mapped =
            Access::from_target(&TimeSpan::default(), &mapped).for_target(Some(true)).caching.unwrap();
        assert_eq!(mapped.is_cached(), Some(true));
    }

    #[test]
    fn value_unknown_for_one_target_is_unknown() {
        let span = sample_span(&[("a", 1, 512), ("b", 1, 512)]);
        let parameters = Parameters::with(&span, |target, place| Access {
            block_size: (place == 0).then_some(512),
            threads: None,
            ..Access::from_target(&span, target)
        });
        assert_eq!(parameters.common(|access| access.block_size), CommonValue::Unknown);
        assert_eq!((parameters.threads, parameters.in_flight), (None, None));
        assert_eq!(Parameters::default().common(|access| access.block_size), CommonValue::Unknown);
    }
}
