//! Changes by other processes during the measurement: settings of queues, and files of targets.

use diskspd_host::file_state;
use diskspd_host::queue_settings::QueueSetting;
use diskspd_host::root::Root;
use diskspd_machine::io_counters::{DeviceActivity, FileState, SettingChange};
use diskspd_sys::clock::Nanos;
use std::fs::File;

/// Maximum number of recorded changes.
const MAX_CHANGES: usize = 64;

/// Watches the settings of devices. A look takes about 10 us per device, of the controlling thread.
#[derive(Debug)]
pub(crate) struct SettingsWatch {
    settings: Vec<(QueueSetting, Option<String>)>,
    changes: Vec<(String, SettingChange)>,
    /// Time of the last check in µs since the start of the measurement.
    last_us: u64,
}

impl SettingsWatch {
    /// Starts the watch of these devices' settings; names of the kernel.
    pub(crate) fn start(devices: &[String]) -> SettingsWatch {
        let settings = QueueSetting::read(&Root::live_system(), devices).into_iter();
        let settings = settings.map(|setting| (setting, None)).collect();
        SettingsWatch { settings, changes: Vec::new(), last_us: 0 }
    }

    /// Called shortly before the measurement.
    pub(crate) fn begin(&mut self) {
        self.settings.iter_mut().for_each(|(setting, value)| *value = setting.value());
    }

    /// Reads the settings; `now_us` counts from the start of the measurement.
    pub(crate) fn read_changes(&mut self, now_us: u64) {
        for (setting, value) in &mut self.settings {
            let now = setting.value();
            if now == *value {
                continue;
            }
            if let Some((from, to)) =
                value.take().zip(now.clone()).filter(|_| self.changes.len() < MAX_CHANGES)
            {
                let (setting, device) = (setting.name.to_owned(), setting.device.clone());
                let change = SettingChange { setting, from, to, after_us: self.last_us, observed_us: now_us };
                self.changes.push((device, change));
            }
            *value = now;
        }
        self.last_us = now_us;
    }

    /// Adds the changes to their devices.
    pub(crate) fn finish(self, devices: &mut [DeviceActivity]) {
        for (name, change) in self.changes {
            let device = devices.iter_mut().find(|device| device.name == name);
            device.into_iter().for_each(|device| device.changes.push(change.clone()));
        }
    }
}

#[derive(Debug)]
pub(crate) struct FileWatch {
    file: File,
    needs_server: bool,
    states: Vec<FileState>,
}

impl FileWatch {
    /// Starts the watch of an open file; `None` = not a regular file.
    pub(crate) fn start(file: &File) -> Option<FileWatch> {
        file_state::read(file, 0, false)?;
        let needs_server = file_state::needs_server(file);
        Some(FileWatch { file: file.try_clone().ok()?, needs_server, states: Vec::new() })
    }

    /// Reads the state; `now_us` counts from the start of the measurement.
    pub(crate) fn read_changes(&mut self, now_us: u64) {
        let now = file_state::read(&self.file, now_us, self.needs_server);
        let same = |last: &FileState| {
            now.is_some_and(|now| FileState { observed_us: last.observed_us, ..now } == *last)
        };
        if self.states.len() < MAX_CHANGES && !self.states.last().is_some_and(same) {
            self.states.extend(now);
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the states if there were several.
    pub(crate) fn finish(self) -> Vec<FileState> {
        if self.states.len() > 1 { self.states } else { Vec::new() }
    }
}

/// Time since the start of the measurement in µs.
pub(crate) fn micros(begun: Nanos, now: Nanos) -> u64 {
    now.saturating_sub(begun) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_each_state_of_a_file_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [0; 100]).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        let states = |change: &dyn Fn()| {
            let mut watch = FileWatch::start(&file).unwrap();
            watch.read_changes(0);
            watch.read_changes(1_000);
            change();
            watch.read_changes(2_000);
            watch.read_changes(3_000);
            let states = watch.finish().into_iter();
            states.map(|state| (state.observed_us, state.size, state.links)).collect::<Vec<_>>()
        };
        assert_eq!(states(&|| ()), [], "nothing changed");
        assert_eq!(states(&|| file.set_len(50).unwrap()), [(0, 100, 1), (2_000, 50, 1)]);
        assert_eq!(states(&|| file.set_len(150).unwrap()), [(0, 50, 1), (2_000, 150, 1)]);
        assert_eq!(states(&|| std::fs::remove_file(&path).unwrap()), [(0, 150, 1), (2_000, 150, 0)]);
        assert!(FileWatch::start(&File::open(folder.path()).unwrap()).is_none(), "a folder");
    }
}
