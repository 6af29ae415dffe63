//! The counters of disks and volumes.

use super::found::open;
use super::root::Root;
use crate::reading::Reading;
use crate::windows::disk_answers::{ExtendedCounters, Performance};
use diskspd_sys::storage_answers::{StorageQuery, ask};
use std::fs::File;

/// Open disks and volumes; rereading their counters costs one call each.
///
/// The I/O of this process on devices is unknown, because `GetProcessIoCounters` also counts cached reads
/// and writes. The amount of unwritten memory is unknown too.
#[derive(Debug)]
pub struct Counters {
    devices: Vec<(Option<File>, ExtendedCounters)>,
}

impl Counters {
    /// Opens the counters of these disks and volumes, by their names in stacks, and enables counting.
    pub fn open(_: &Root, devices: &[String]) -> Counters {
        let opened = |name: &String| {
            let file = open(name).ok();
            if let Some(file) = &file {
                // The first question switches counting on.
                let _ = ask(file, StorageQuery::Performance);
            }
            (file, ExtendedCounters::default())
        };
        Counters { devices: devices.iter().map(opened).collect() }
    }

    /// Whether the system counts the I/O of each device. Counting stays enabled until shutdown, unless
    /// another program disables it, which makes a later reading fail.
    pub fn counted(&self) -> Vec<bool> {
        vec![true; self.devices.len()]
    }

    pub fn read(&mut self) -> Reading {
        let one = |(file, counted): &mut (Option<File>, ExtendedCounters)| {
            let answer = ask(file.as_ref()?, StorageQuery::Performance).ok()?;
            Some(counted.read(Performance::parse(&answer.bytes)?))
        };
        let devices = self.devices.iter_mut().map(one).collect();
        Reading { devices, counted: self.counted(), own: None, unwritten: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_counters_are_absent() {
        let mut counters = Counters::open(&Root::live_system(), &["PhysicalDrive4711".into()]);
        let nothing = Reading { devices: vec![None], counted: vec![true], own: None, unwritten: None };
        assert_eq!(counters.read(), nothing);
    }
}
