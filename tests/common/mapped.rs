//! Devices of the device mapper with tables that can change during a run.

use super::loops::run;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Mapped {
    name: String,
    /// Path `/dev/mapper/..`.
    pub path: PathBuf,
    /// Device with the counters: `/dev/dm-0`.
    pub device: PathBuf,
}

impl Mapped {
    pub fn is_possible() -> bool {
        let is_there = std::fs::read_to_string("/proc/misc").is_ok_and(|list| list.contains("device-mapper"));
        if !is_there {
            eprintln!("SKIPPED: this kernel has no device mapper");
        }
        is_there
    }

    /// Whether this kernel supports a kind of table (`dmsetup targets`). Prints a message otherwise.
    pub fn knows(kind: &str) -> bool {
        let known = run("dmsetup", &["targets"]).unwrap_or_default();
        let is_known = known.lines().any(|line| line.split_whitespace().next() == Some(kind));
        if !is_known {
            eprintln!("SKIPPED: the device mapper of this kernel has no dm-{kind}");
        }
        is_known
    }

    /// Creates a device with this table; `None` with a printed reason if that is impossible.
    pub fn new(table: &str) -> Option<Mapped> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("diskspd-test-{}-{number}", std::process::id());
        run("dmsetup", &["create", &name, "--noudevsync", "--table", table])?;
        let path = format!("/dev/mapper/{name}").into();
        let mut made = Mapped { name, path, device: PathBuf::new() };
        let minor = run("dmsetup", &["info", "-c", "--noheadings", "-o", "minor", &made.name])?;
        made.device = format!("/dev/dm-{}", minor.trim()).into();
        if !made.path.exists() {
            // Nobody makes it where there is no udev.
            run("dmsetup", &["mknodes", &made.name])?;
        }
        Some(made)
    }

    pub fn change(&self, table: &str) {
        let dmsetup = |arguments: &[&str]| run("dmsetup", arguments).expect("the table changes");
        dmsetup(&["load", &self.name, "--table", table]);
        dmsetup(&["suspend", "--noudevsync", "--nolockfs", &self.name]);
        dmsetup(&["resume", "--noudevsync", &self.name]);
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        run("dmsetup", &["remove", "--noudevsync", "--retry", &self.name]);
    }
}
