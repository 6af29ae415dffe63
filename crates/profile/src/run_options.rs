//! Run settings beyond the profile, without a DISKSPD counterpart.

use super::RawText;
use diskspd_base::access::HugePages;
use diskspd_base::engines::EngineKind;
use diskspd_figures::units::Millis;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Options of a run. Together with the profile they are sufficient to repeat the run. They are stored in
/// the record, and printed by `--dry-run`. Settings of one invocation (permissions, outputs, events) are
/// excluded.
///
/// A new option needs a field here, a row of the flag table, and the code that applies it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// `--engine`; `None` = chosen by the program.
    pub engine: Option<EngineKind>,
    pub poll: bool,
    /// `--no-huge-pages`: buffers are ordinary memory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_huge_pages: bool,
    /// `--prefill`: writes unwritten areas before the run.
    pub prefill: Option<Prefill>,
    /// `--until-steady`: maximum warm-up in s before the steady state.
    pub until_steady_s: Option<u32>,
    /// `--flush-after`: dirty data is written at the end, and its time is measured.
    pub flush_after: bool,
    /// `--cpu-latency`: maximum wake-up time of processors during the measurement, us, at most 2^31-1; `None`
    /// = the machine's setting.
    pub cpu_latency_us: Option<u32>,
    /// `--fsync-every`: number of a thread's writes on a target per flush, at least 1; `None` = never.
    pub fsync_every: Option<u32>,
    /// `--until-written`: amount of written data that also ends the measured time of a time span; `None` = no
    /// such end.
    pub until_written: Option<Volume>,
    pub until_read: Option<Volume>,
    /// `--stuck`: age in ms from which I/Os in flight are reported during the run, at least 1; `None` =
    /// not reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck_ms: Option<u64>,
    /// `--fail-on-outage`: duration without a response of a target that ends the run, ms, at least 1000;
    /// `None` = no such end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on_outage_ms: Option<u64>,
    /// `--explain`: number of slowest I/Os kept for each second and each time span, with their delays, at
    /// least 1; `None` = not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<u32>,
    /// `--preset`: name of the workload whose figures are graded; `None` = not given.
    pub preset: Option<String>,
    /// `--rate-total`: how many I/Os per second all threads start on all targets together; `None` = the
    /// profile's rates count.
    pub rate_total: Option<RateTotal>,
    /// `--verify`: stamps of writes and checks of reads; `None` = neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifyMode>,
    /// `--verify=read:2,1`: number of each target in the writing run, from 1, in order of targets; empty
    /// if not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verify_as: Vec<u32>,
    /// `--replay`: recorded I/Os instead of the profile's own; `None` = not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayOptions>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyMode {
    Write,
    /// Checks the reads of a target that an earlier run stamped.
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

/// Replay of recorded I/Os.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayOptions {
    pub file: RawText,
    /// `--replay-speed`: thousandths of the recorded speed; 0 = as fast as possible.
    pub speed_thousandths: u32,
    /// `--replay-writes`; `None` = not given, so that recorded writes are an error.
    pub writes: Option<ReplayWrites>,
    /// `--stream-of`: the target whose I/Os are done, as the file calls it; `None` = there is one alone.
    pub stream: Option<String>,
    /// Whether `-d` limits the duration.
    pub duration_given: bool,
    /// Number of executed I/Os of the file; 0 = not read yet.
    pub ios: u64,
    /// Recorded time in ns between the first and the last submission.
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

    /// Returns the mean start rate in I/Os per second; `None` = unlimited.
    pub fn ios_per_s(&self) -> Option<f64> {
        let seconds = Millis::of_ns(self.length_ns).ms() / f64::from(self.speed_thousandths);
        (self.speed_thousandths > 0 && self.ios > 0).then(|| self.ios as f64 / seconds.max(1e-3))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Volume {
    Bytes(u64),
    /// Multiple of the area that the time span may use on its written or read targets, at least 1.
    Times(u32),
}

impl Volume {
    /// Parses bytes in digits, or `2x`; `None` = invalid.
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

/// Rate shared by all threads and targets of a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateTotal {
    /// I/Os per second, 1 to [`RateTotal::MAX_RATE`].
    pub ios_per_s: u64,
    pub arrivals: Arrivals,
}

impl RateTotal {
    /// One I/O per nanosecond.
    pub const MAX_RATE: u64 = 1_000_000_000;
}

/// Distribution of the arrivals of a rate over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Exponentially distributed times between arrivals, as with independent users.
    Poisson,
    Uniform,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefill {
    /// Random data; includes block devices only if they contain only zeros.
    Auto,
    /// Random non-zero bytes.
    Random,
    Pattern,
    Zero,
}

impl RunOptions {
    pub fn huge_pages(&self) -> HugePages {
        if self.no_huge_pages { HugePages::NotAskedFor } else { HugePages::AskedFor }
    }

    /// Replaces unset values by those of another set of options.
    pub fn or_else_from(self, other: RunOptions) -> RunOptions {
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

    /// Whether the run is simulated, without files and devices.
    pub fn simulated(&self) -> bool {
        self.engine.is_some_and(|kind| !kind.row().needs_files)
    }

    pub fn virtual_time(&self) -> bool {
        self.engine.is_some_and(|kind| kind.row().virtual_time)
    }
}
