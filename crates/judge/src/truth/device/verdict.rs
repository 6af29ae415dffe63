//! The verdicts: whether the devices did what was counted.

use crate::truth::Severity;
use diskspd_model::profile::RawText;
use diskspd_model::results::Verdict;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanVerdict {
    pub time_span: usize,
    /// The worst verdict of the parts.
    pub verdict: Verdict,
    /// How much it takes away from the figures; `None` = nothing.
    pub severity: Option<Severity>,
    /// The verdicts about targets that share devices, the worst first; at least one.
    pub parts: Vec<DeviceVerdict>,
}

/// The verdict about the targets that lie on the same devices: they can only be judged together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceVerdict {
    /// The targets, as the user gave them.
    pub targets: Vec<RawText>,
    /// The devices right beneath them, by the kernel's names; empty = there are none.
    pub devices: Vec<String>,
    /// The devices at the bottom of all; those that have nothing beneath them.
    pub leaves: Vec<String>,
    pub verdict: Verdict,
    /// How much that takes away from the figures; `None` = nothing.
    pub severity: Option<Severity>,
    /// The same in one plain sentence without a full stop.
    pub message: String,
    pub evidence: Vec<String>,
    pub remedy: Option<String>,
    /// Reads; `None` = none were counted, or the devices can't be asked.
    pub read: Option<Comparison>,
    /// Writes; `None` as above.
    pub write: Option<Comparison>,
    /// Flushes of the devices' write caches, others' included; `None` = the kernel doesn't tell, or the
    /// devices can't be asked.
    pub flushes: Option<u64>,
    /// What others read from and wrote to the devices, bytes, as far as it can be told apart.
    pub others_bytes: u64,
    /// What of the targets was in memory only when measuring had ended, bytes; `None` = not known, or
    /// nothing was written.
    pub unwritten_bytes: Option<u64>,
    /// Time to write that (`--flush-after`), s.
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
            flushes: None,
            others_bytes: 0,
            unwritten_bytes: None,
            flush_seconds: None,
        }
    }
}

/// What was counted, and what the devices right beneath the targets did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// Bytes that the report counts.
    pub counted_bytes: u64,
    /// I/Os that the report counts.
    pub counted_ios: u64,
    /// Bytes that the devices transferred, others' left out where they can be told apart.
    pub device_bytes: u64,
    /// I/Os with data that the devices did. Of others' I/Os only the bytes are known: where there were any,
    /// it is what is possible and nearest to the size that was counted. The same goes for flushes, which
    /// the kernel counts as writes too.
    pub device_ios: u64,
    /// `device_bytes` / `counted_bytes`.
    pub ratio: f64,
}
