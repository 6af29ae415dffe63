//! Targets of the runs: files, and an exclusive loop device, so that no other process changes its
//! counters.

use super::log::Line;
use super::tracepoints::Trace;
use crate::harness::{Failure, Undo, output};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of each target.
const SIZE: usize = 16 << 20;
const LOOKED_AT: u64 = 4 << 20;

/// Files and device, removed on drop.
pub struct AuditStorage {
    directory: PathBuf,
    device: Option<String>,
    _undo: Undo,
}

pub struct Counters {
    read: u64,
    written: u64,
}

impl AuditStorage {
    /// Creates filled files, and a device if possible.
    pub fn new(directory: &Path) -> Result<AuditStorage, Failure> {
        let content: Vec<u8> = (0..SIZE).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for name in ["f", "g", "image"] {
            std::fs::write(directory.join(name), &content)?;
        }
        // Large enough for most I/Os to have a place of their own: that tells their requests from each other.
        std::fs::OpenOptions::new().write(true).open(directory.join("image"))?.set_len(1 << 30)?;
        let mut attach = Command::new("losetup");
        attach.args(["--find", "--show", "--direct-io=on"]).arg(directory.join("image"));
        let device = output(&mut attach).ok();
        let mut undo = Undo::default();
        device.iter().for_each(|device| undo.push(&["losetup", "--detach", device]));
        Ok(AuditStorage { directory: directory.to_path_buf(), device, _undo: undo })
    }

    /// Returns the words of a line; `None` = there is no such target here.
    pub fn fill_in(&self, line: &str) -> Option<Vec<String>> {
        let path = |name: &str| self.directory.join(name).display().to_string();
        let word = |word: &str| match word {
            "{f}" | "{g}" | "{n}" | "{m}" => Some(path(&word[1..2])),
            "{d}" => self.device.clone(),
            _ => Some(word.to_owned()),
        };
        line.split_ascii_whitespace().map(word).collect()
    }

    /// Whether the line works on the device.
    pub fn is_device(&self, words: &[String]) -> bool {
        self.device.is_some() && words.last() == self.device.as_ref()
    }

    /// Starts recording the device's requests; `None` = not possible.
    pub fn trace(&self) -> Option<Trace> {
        let name = self.device.as_ref()?.strip_prefix("/dev/")?;
        Trace::begin(&std::fs::read_to_string(format!("/sys/class/block/{name}/dev")).ok()?)
    }

    /// Returns the bytes read and written that the log may lack: see [`AuditStorage::compare`].
    pub fn missing(lines: &[Line], depth: u64) -> [u64; 2] {
        let block = lines.iter().map(|line| line.size).max().unwrap_or(0);
        [depth * block + LOOKED_AT, depth * block]
    }

    pub fn counters(&self) -> Option<Counters> {
        let name = self.device.as_ref()?.strip_prefix("/dev/")?;
        let text = std::fs::read_to_string(format!("/sys/class/block/{name}/stat")).ok()?;
        let numbers: Vec<u64> = text.split_ascii_whitespace().filter_map(|n| n.parse().ok()).collect();
        Some(Counters { read: numbers.get(2)? * 512, written: numbers.get(6)? * 512 })
    }

    /// Returns differences of the device's counters that the log does not explain. The log lacks I/Os in
    /// flight at the end, and the program inspects the device before the run.
    pub fn compare(&self, lines: &[Line], depth: u64, before: &Counters, after: &Counters) -> Vec<String> {
        let sum =
            |write: bool| lines.iter().filter(|line| line.write == write).map(|line| line.size).sum::<u64>();
        let compare = |what: &str, done: u64, logged: u64, more: u64| {
            (done < logged || done > logged + more).then(|| {
                format!(
                    "device: {done} bytes {what}, the log has {logged}, and at most {more} can be \
                         missing in it"
                )
            })
        };
        let [reads, writes] = AuditStorage::missing(lines, depth);
        [
            compare("read", after.read - before.read, sum(false), reads),
            compare("written", after.written - before.written, sum(true), writes),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
