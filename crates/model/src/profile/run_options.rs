//! How a run is done, as far as the profile doesn't say: what DISKSPD has no words for.

use super::RawText;
use crate::access::HugePages;
use crate::engines::EngineKind;
use crate::units::Millis;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a profile is run. With the profile it is all that is needed to run it again: it is stored in the
/// record, and printed by `--dry-run`. What is of one invocation only (permissions, outputs, events) is not
/// in it.
///
/// A new option is a field here, a row of the flag table, and the place that acts on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// `--engine`; `None` = the program chooses.
    pub engine: Option<EngineKind>,
    pub poll: bool,
    /// `--no-huge-pages`: buffers are memory as programs usually have it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_huge_pages: bool,
    /// `--prefill`: what was never written is written before the run.
    pub prefill: Option<Prefill>,
    /// `--until-steady`: the warm-up goes on until the run is steady, but no longer than this, s.
    pub until_steady_s: Option<u32>,
    /// `--flush-after`: what is still in memory at the end is written, and that is timed.
    pub flush_after: bool,
    /// `--cpu-latency`: while it measures no processor may take longer than this to wake up, us, at most
    /// 2^31-1; `None` = as the machine has it.
    pub cpu_latency_us: Option<u32>,
    /// `--fsync-every`: after so many writes of a thread on a target it flushes the target, at least 1;
    /// `None` = it never does.
    pub fsync_every: Option<u32>,
    /// `--until-written`: the measured time of a time span also ends when so much has been written in it;
    /// `None` = it doesn't.
    pub until_written: Option<Volume>,
    pub until_read: Option<Volume>,
    /// `--stuck`: I/Os that are in flight for longer than this are named while the run goes on, ms, at least
    /// 1; `None` = they aren't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck_ms: Option<u64>,
    /// `--fail-on-outage`: the run ends when a target has answered nothing for so long, ms, at least 1000;
    /// `None` = it doesn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on_outage_ms: Option<u64>,
    /// `--explain`: so many of the slowest I/Os of each second and of a time span are kept, with where they
    /// lost their time, at least 1; `None` = none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<u32>,
    /// `--preset`: the named workload that the profile is, whose figures are judged; `None` = none.
    pub preset: Option<String>,
    /// `--rate-total`: how many I/Os per second all threads start on all targets together; `None` = the
    /// profile's rates count.
    pub rate_total: Option<RateTotal>,
    /// `--verify`: what is written is stamped, what is read is checked; `None` = neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifyMode>,
    /// `--verify=read:2,1`: which target each one was of the run that stamped them, from 1, in the order of
    /// targets; empty = it wasn't said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verify_as: Vec<u32>,
    /// `--replay`: recorded I/Os are done instead of the profile's own; `None` = they aren't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayOptions>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyMode {
    Write,
    /// Reads are checked, of a target that an earlier run has stamped.
    Read,
    Both,
}

impl VerifyMode {
    pub fn stamps(self) -> bool {
        self != VerifyMode::Read
    }

    pub fn checks(self) -> bool {
        self != VerifyMode::Write
    }
}

/// Recorded I/Os that are done again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayOptions {
    pub file: RawText,
    /// `--replay-speed`: thousandths of the speed at which they were recorded; 0 = as fast as possible.
    pub speed_thousandths: u32,
    /// `--replay-writes`; `None` = nothing was said, and there must be none.
    pub writes: Option<ReplayWrites>,
    /// `--stream-of`: the target whose I/Os are done, as the file calls it; `None` = there is one alone.
    pub stream: Option<String>,
    /// `-d` says how long it takes at most.
    pub duration_given: bool,
    /// How many I/Os the file has that are done; 0 = it hasn't been read yet.
    pub ios: u64,
    /// When the last of them was submitted, ns after the first one, when they were recorded.
    pub length_ns: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayWrites {
    Issue,
    Skip,
}

impl ReplayOptions {
    pub const AS_RECORDED: u32 = 1000;

    /// I/Os per second that are to be started, on average; `None` = as many as possible.
    pub fn ios_per_s(&self) -> Option<f64> {
        let seconds = Millis::of_ns(self.length_ns).ms() / f64::from(self.speed_thousandths);
        (self.speed_thousandths > 0 && self.ios > 0).then(|| self.ios as f64 / seconds.max(1e-3))
    }
}

/// How much is to be written or read before a time span may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Volume {
    Bytes(u64),
    /// So many times what the time span may touch of the targets that it writes or reads, at least 1.
    Times(u32),
}

impl Volume {
    /// Reads bytes, in digits, or `2x`; `None` = it is neither, or nothing.
    pub fn parse(text: &str) -> Option<Volume> {
        let number = |digits: &str| {
            digits
                .bytes()
                .all(|digit| digit.is_ascii_digit())
                .then_some(())
                .and_then(|()| digits.parse().ok())
                .filter(|number: &u64| *number > 0)
        };
        match text.strip_suffix('x') {
            None => number(text).map(Volume::Bytes),
            Some(times) => u32::try_from(number(times)?).ok().map(Volume::Times),
        }
    }
}

impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Volume::Bytes(bytes) => write!(f, "{bytes}"),
            Volume::Times(times) => write!(f, "{times}x"),
        }
    }
}

/// A rate that all threads and targets of a time span share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateTotal {
    /// I/Os per second, 1 to [`RateTotal::HIGHEST`].
    pub ios_per_s: u64,
    pub arrivals: Arrivals,
}

impl RateTotal {
    /// An I/O each nanosecond.
    pub const HIGHEST: u64 = 1_000_000_000;
}

/// How the I/Os of a rate are spread over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// As those of many users who know nothing of each other: the times between them are exponentially
    /// distributed.
    Poisson,
    Uniform,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefill {
    /// As random; block devices only when nothing but zeros is found on them.
    Auto,
    /// Random bytes, none of them zero.
    Random,
    Pattern,
    Zero,
}

impl RunOptions {
    pub fn huge_pages(&self) -> HugePages {
        if self.no_huge_pages { HugePages::NotAskedFor } else { HugePages::AskedFor }
    }

    /// This, and where it says nothing what another one says.
    pub fn or(self, other: RunOptions) -> RunOptions {
        RunOptions {
            engine: self.engine.or(other.engine),
            poll: self.poll || other.poll,
            no_huge_pages: self.no_huge_pages || other.no_huge_pages,
            prefill: self.prefill.or(other.prefill),
            until_steady_s: self.until_steady_s.or(other.until_steady_s),
            flush_after: self.flush_after || other.flush_after,
            cpu_latency_us: self.cpu_latency_us.or(other.cpu_latency_us),
            fsync_every: self.fsync_every.or(other.fsync_every),
            until_written: self.until_written.or(other.until_written),
            until_read: self.until_read.or(other.until_read),
            stuck_ms: self.stuck_ms.or(other.stuck_ms),
            fail_on_outage_ms: self.fail_on_outage_ms.or(other.fail_on_outage_ms),
            explain: self.explain.or(other.explain),
            preset: self.preset.or(other.preset),
            rate_total: self.rate_total.or(other.rate_total),
            verify: self.verify.or(other.verify),
            verify_as: if self.verify_as.is_empty() { other.verify_as } else { self.verify_as },
            replay: self.replay.or(other.replay),
        }
    }

    /// No file is opened, no device touched.
    pub fn simulated(&self) -> bool {
        self.engine.is_some_and(|kind| !kind.row().needs_files)
    }

    pub fn virtual_time(&self) -> bool {
        self.engine.is_some_and(|kind| kind.row().virtual_time)
    }
}
