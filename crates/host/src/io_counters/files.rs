//! The counters as files of `/sys` and `/proc`.

use crate::reading::Reading;
use crate::root::Root;
use crate::stack::COUNTED_ANYWAY;
use diskspd_machine::io_counters::*;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Open counter files. Reading again takes a few µs per file, without a path lookup.
#[derive(Debug)]
pub struct Counters {
    devices: Vec<Option<File>>,
    switches: Vec<Option<File>>,
    own: Option<File>,
    memory: Option<File>,
    text: Vec<u8>,
}

impl Counters {
    /// Opens the counters of these devices, by kernel name, and the counters of this process and the
    /// machine.
    pub fn open(root: &Root, devices: &[String]) -> Counters {
        let open = |path: &str| File::open(root.path(path)).ok();
        let switch = |name: &String| {
            // A partition has its disk's.
            let at = |up: &str| open(&format!("/sys/class/block/{name}/{up}queue/iostats"));
            let counts_anyway = COUNTED_ANYWAY.iter().any(|driver| name.starts_with(driver));
            if counts_anyway { None } else { at("").or_else(|| at("../")) }
        };
        let switches = devices.iter().map(switch).collect();
        let devices = devices.iter().map(|name| open(&format!("/sys/class/block/{name}/stat"))).collect();
        let (own, memory) = (open("/proc/self/io"), open("/proc/meminfo"));
        Counters { devices, switches, own, memory, text: vec![0; 8192] }
    }

    /// Returns whether the kernel currently counts the I/O of each device.
    pub fn counted(&self) -> Vec<bool> {
        let mut value = [0; 2];
        let mut is_on = |file: &File| file.read_at(&mut value, 0).is_err() || value[0] != b'0';
        self.switches.iter().map(|file| file.as_ref().is_none_or(&mut is_on)).collect()
    }

    pub fn read(&mut self) -> Reading {
        let counted = self.counted();
        let text = &mut self.text;
        let mut read = |file: &Option<File>| {
            let length = file.as_ref()?.read_at(text, 0).ok()?;
            Some(String::from_utf8_lossy(text.get(..length)?).into_owned())
        };
        let devices = self.devices.iter().map(|file| Activity::parse(&read(file)?)).collect();
        let own = read(&self.own).and_then(|text| OwnIo::parse(&text));
        let unwritten = read(&self.memory).and_then(|text| dirty_bytes(&text));
        Reading { devices, counted, own, unwritten }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_counters_are_absent() {
        let empty = tempfile::tempdir().unwrap();
        let mut counters = Counters::open(&Root::at(empty.path()), &["sda".into()]);
        let nothing = Reading { devices: vec![None], counted: vec![true], own: None, unwritten: None };
        assert_eq!(counters.read(), nothing);
    }
}
