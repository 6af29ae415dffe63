//! Settings of devices that may change during a run.

use super::device::Device;
use super::root::Root;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Names in `/sys/block/<device>/queue`.
const QUEUE_SETTINGS: [&str; 7] = [
    "scheduler",
    "nr_requests",
    "write_cache",
    "max_sectors_kb",
    "nomerges",
    "wbt_lat_usec",
    "read_ahead_kb",
];
/// Names in `/sys/block/<device>`.
const DEVICE_SETTINGS: [&str; 2] = ["loop/dio", "size"];

/// One setting of a device; its file stays open, because reading it again then takes only microseconds.
#[derive(Debug)]
pub struct QueueSetting {
    pub device: String,
    pub name: &'static str,
    file: File,
}

impl QueueSetting {
    /// All settings of these devices, by the kernel's names. A partition has the settings of its disk.
    pub fn read(root: &Root, devices: &[String]) -> Vec<QueueSetting> {
        let devices = devices.iter().filter_map(|name| Device::find_by_name(root, name));
        let settings = devices.flat_map(|device| {
            let queue = device.directory().join("queue");
            let queued = QUEUE_SETTINGS.map(|name| (name, queue.join(name)));
            let own = DEVICE_SETTINGS.map(|name| (name, device.directory().join(name)));
            queued.into_iter().chain(own).filter_map(move |(name, path)| {
                let file = File::open(path).ok()?;
                Some(QueueSetting { device: device.name.clone(), name, file })
            })
        });
        settings.collect()
    }

    /// Reads the value; `None` = unreadable.
    pub fn value(&self) -> Option<String> {
        let mut text = [0; 256];
        let length = self.file.read_at(&mut text, 0).ok()?;
        Some(String::from_utf8_lossy(text.get(..length)?).trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn reads_settings_again_after_a_change() {
        let directory = tempfile::tempdir().unwrap();
        let queue = directory.path().join("sys/class/block/sda/queue");
        fs::create_dir_all(&queue).unwrap();
        fs::write(directory.path().join("sys/class/block/sda/dev"), "8:0\n").unwrap();
        fs::write(queue.join("nr_requests"), "64\n").unwrap();
        let settings = QueueSetting::read(&Root::at(directory.path()), &["sda".into(), "sdb".into()]);
        let values = || {
            let value = |setting: &QueueSetting| (setting.device.clone(), setting.name, setting.value());
            settings.iter().map(value).collect::<Vec<_>>()
        };
        assert_eq!(values(), [("sda".to_owned(), "nr_requests", Some("64".to_owned()))]);
        fs::write(queue.join("nr_requests"), "4\n").unwrap();
        assert_eq!(values(), [("sda".to_owned(), "nr_requests", Some("4".to_owned()))]);
        let device = directory.path().join("sys/class/block/sda");
        fs::create_dir(device.join("loop")).unwrap();
        fs::write(device.join("loop/dio"), "1\n").unwrap();
        fs::write(device.join("size"), "2048\n").unwrap();
        let settings = QueueSetting::read(&Root::at(directory.path()), &["sda".into()]);
        let names: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
        assert_eq!(names, ["nr_requests", "loop/dio", "size"]);
    }
}
