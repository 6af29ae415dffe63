//! NVMe device logs: reads the logs of [`LOG_SOURCES`] that a disk supports.

use super::device::{Device, split};
use super::nvme::Generic;
use super::root::{Root, text};
use diskspd_base::message_error::MessageError;
use diskspd_machine::device_log::{LOG_SOURCES, LogPage, LogRow, LogSource};
use diskspd_sys::nvme::{self, LogAddress, log_page};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[derive(Debug)]
pub struct DeviceLogs {
    name: String,
    file: io::Result<File>,
    rows: Vec<&'static LogRow>,
    placement_group: Option<u16>,
}

impl DeviceLogs {
    /// Returns the logs of a disk by kernel name; `None` if it is not an NVMe namespace.
    pub fn open_logs(root: &Root, name: &str) -> Option<DeviceLogs> {
        if !is_namespace(name) {
            return None;
        }
        let device = Device::find_by_name(root, name)?;
        let model = text(&device.directory().join("device/model")).unwrap_or_default();
        let file = open(&device);
        let placement_group = file.as_ref().ok().and_then(placement_group);
        let rows = LOG_SOURCES.iter().filter(|row| row.model.is_none_or(|begin| model.starts_with(begin)));
        let rows = rows.filter(|row| !row.placement || placement_group.is_some()).collect();
        Some(DeviceLogs { name: name.to_owned(), file, rows, placement_group })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads all supported logs, or the reason against each. Each takes one device command, about 100 us or
    /// more.
    pub fn read(&self) -> Vec<(LogSource, Result<LogPage, MessageError>)> {
        self.rows.iter().map(|row| (row.source, self.read_page(row))).collect()
    }

    fn read_page(&self, row: &LogRow) -> Result<LogPage, MessageError> {
        let file = self.file.as_ref();
        let file = file.map_err(|error| format!("/dev/{} cannot be opened: {error}", self.name))?;
        let mut page = vec![0; row.length as usize];
        let of = self.placement_group.filter(|_| row.placement).unwrap_or(0);
        let address = LogAddress { namespace: row.namespace, identifier: row.page, of };
        log_page(file, address, &mut page).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => "only root may read them".to_owned(),
            _ => error.to_string(),
        })?;
        (row.parse)(&page).ok_or_else(|| "its answer is invalid".into())
    }
}

/// The kernel's name of the disk that is the same namespace as the character device at a path; `None` = it is
/// no such device, or there is no such disk.
pub fn disk_of_namespace(path: &Path) -> Option<String> {
    Generic::find_generic(&Root::live_system(), path)?.block.map(|block| block.name)
}

/// Returns the endurance group of a namespace; `None` without data placement or permission. Controllers
/// without the feature are not queried, because an unsupported command adds an entry to their error log.
fn placement_group(file: &File) -> Option<u16> {
    let found = nvme::namespace(file).ok().filter(|found| found.places)?;
    nvme::is_placement_on(file, found.endurance_group).ok()?.then_some(found.endurance_group)
}

/// Whether a name such as `nvme0n1` is neither a partition nor a path (`nvme0c0n1`).
fn is_namespace(name: &str) -> bool {
    let numbers = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.strip_prefix("nvme").and_then(|rest| rest.split_once('n'));
    parts.is_some_and(|(controller, namespace)| numbers(controller) && numbers(namespace))
}

/// The node of that name, if it is that device: in a container it may be anything.
fn open(device: &Device) -> io::Result<File> {
    let file = File::open(device.node())?;
    match split(file.metadata()?.rdev()) == device.number {
        true => Ok(file),
        false => Err(io::Error::other("it is a different device")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placement_is_queried_from_capable_namespaces_only() {
        for (name, expected) in [
            ("nvme0n1", true),
            ("nvme10n22", true),
            ("nvme0n1p1", false),
            ("nvme0c0n1", false),
            ("nvmen", false),
            ("sda", false),
            ("dm-0", false),
        ] {
            assert_eq!(is_namespace(name), expected, "{name}");
        }
        let directory = tempfile::tempdir().unwrap();
        let files = [
            ("nvme0n1/dev", "259:0\n"),
            ("nvme0n1/device/model", "Amazon Elastic Block Store              \n"),
            ("nvme1n1/dev", "259:1\n"),
            ("nvme1n1/device/model", "Some SSD\n"),
        ];
        for (path, text) in files {
            let path = directory.path().join("sys/class/block").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = Root::at(directory.path());
        let sources = |name: &str| {
            let logs = DeviceLogs::open_logs(&root, name)?;
            Some(logs.read().into_iter().map(|(source, page)| (source, page.is_ok())).collect::<Vec<_>>())
        };
        let health = (LogSource::NvmeHealth, false);
        assert_eq!(sources("nvme0n1"), Some(vec![health, (LogSource::Ebs, false)]));
        assert_eq!(sources("nvme1n1"), Some(vec![health]));
        assert_eq!(sources("nvme2n1"), None);
        assert_eq!(sources("sda"), None);
    }
}
