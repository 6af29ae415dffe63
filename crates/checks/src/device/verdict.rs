//! Verdicts: whether the devices did the counted I/O.

use super::done::OwnDeviceIo;
use super::part::IoCount;
use super::wording::count;
use crate::Severity;
use diskspd_base::engines::Direction;
use diskspd_figures::units::{amount, seconds_of_ns};
use diskspd_profile::RawText;
use diskspd_results::Verdict;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanVerdict {
    pub time_span: usize,
    /// Worst verdict of the parts.
    pub verdict: Verdict,
    /// Severity; `None` = the figures are not affected.
    pub severity: Option<Severity>,
    /// Verdicts about targets that share devices, worst first; at least one.
    pub parts: Vec<DeviceVerdict>,
}

/// Verdict about targets on the same devices, which cannot be judged separately.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceVerdict {
    /// Targets as entered by the user.
    pub targets: Vec<RawText>,
    /// Kernel names of the devices directly under them; empty without devices.
    pub devices: Vec<String>,
    pub leaves: Vec<String>,
    pub verdict: Verdict,
    /// Severity; `None` = the figures are not affected.
    pub severity: Option<Severity>,
    /// Message: one plain sentence without a full stop.
    pub message: String,
    pub evidence: Vec<String>,
    pub remedy: Option<String>,
    /// Reads; `None` = not counted, or no counters of the devices.
    pub read: Option<Comparison>,
    /// Writes; `None` as above.
    pub write: Option<Comparison>,
    /// Reads of the devices per second; `None` as above. If the devices at the bottom did less than the upper
    /// ones, theirs.
    pub device_read: Option<DeviceWork>,
    /// Writes of the devices per second; `None` as above.
    pub device_write: Option<DeviceWork>,
    /// Mean time of a read or write at these devices in ms, other programs' included; `None` if unknown.
    pub device_mean_ms: Option<f64>,
    /// Flushes of the devices' write caches, including other programs'; `None` = not reported.
    pub flushes: Option<u64>,
    /// Bytes that other programs read from and wrote to the devices, if separable.
    pub others_bytes: u64,
    /// Dirty bytes of the targets after the measurement; `None` = unknown, or no writes.
    pub unwritten_bytes: Option<u64>,
    /// Time of writing these bytes (`--flush-after`) in s.
    pub flush_seconds: Option<f64>,
}

impl DeviceVerdict {
    pub fn of_hosts(verdict: Verdict, severity: Option<Severity>, message: String) -> DeviceVerdict {
        DeviceVerdict {
            targets: Vec::new(),
            devices: Vec::new(),
            leaves: Vec::new(),
            verdict,
            severity,
            message,
            evidence: Vec::new(),
            remedy: None,
            read: None,
            write: None,
            device_read: None,
            device_write: None,
            device_mean_ms: None,
            flushes: None,
            others_bytes: 0,
            unwritten_bytes: None,
            flush_seconds: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// Bytes in the report.
    pub counted_bytes: u64,
    /// I/Os in the report.
    pub counted_ios: u64,
    /// Bytes transferred by the devices, without other programs if separable.
    pub device_bytes: u64,
    /// I/Os with data by the devices. Only the bytes of other programs are known. The value is then the
    /// possible number closest to the counted size. The same applies to flushes, which the kernel counts
    /// as writes.
    pub device_ios: u64,
    /// Ratio `device_bytes` / `counted_bytes`.
    pub ratio: f64,
}

impl Comparison {
    pub(super) fn new(counted: IoCount, device: &OwnDeviceIo) -> Comparison {
        Comparison {
            counted_bytes: counted.bytes,
            counted_ios: counted.ios,
            device_bytes: device.bytes,
            device_ios: device.ios,
            ratio: device.bytes as f64 / counted.bytes as f64,
        }
    }
}

/// I/Os of the devices in one direction between two readings of their counters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DeviceWork {
    pub iops: f64,
    /// Mean size of an I/O in bytes.
    pub io_bytes: u64,
    /// 2^20 bytes per second.
    pub mib_per_s: f64,
}

impl DeviceWork {
    /// Returns the rates of `ios` with `bytes` in `elapsed` ns; `None` = no time passed.
    pub fn work_over(elapsed: u64, ios: u64, bytes: u64) -> Option<DeviceWork> {
        let seconds = seconds_of_ns(elapsed);
        let rates = DeviceWork {
            iops: ios as f64 / seconds,
            io_bytes: bytes.checked_div(ios).unwrap_or(0),
            mib_per_s: bytes as f64 / f64::from(1 << 20) / seconds,
        };
        (elapsed > 0).then_some(rates)
    }

    /// Formats `39 writes/s of 244 KiB (9.3 MiB/s)`.
    pub fn in_words(self, direction: Direction) -> String {
        let name = match direction {
            Direction::Read => "reads",
            Direction::Write => "writes",
        };
        let DeviceWork { iops, io_bytes, mib_per_s } = self;
        let rate = |figure: f64| match figure {
            0.0 => "0".to_owned(),
            few if few < 10.0 => format!("{few:.1}"),
            many => count(many.round() as u64),
        };
        match iops {
            0.0 => format!("0 {name}/s"),
            _ => format!("{} {name}/s of {} ({mib_per_s:.1} MiB/s)", rate(iops), amount(io_bytes)),
        }
    }
}

impl DeviceVerdict {
    /// The work of the devices in both directions: `12 reads/s of 4 KiB (0.0 MiB/s), 39 writes/s of .., 3.20
    /// ms each`; `None` = unknown.
    pub fn device_in_words(&self) -> Option<String> {
        let sides = [(Direction::Read, self.device_read), (Direction::Write, self.device_write)];
        let known: Vec<String> =
            sides.iter().filter_map(|(direction, work)| Some((*work)?.in_words(*direction))).collect();
        let each = self.device_mean_ms.map_or(String::new(), |mean| format!(", {mean:.2} ms each"));
        (!known.is_empty()).then(|| known.join(", ") + &each)
    }
}
