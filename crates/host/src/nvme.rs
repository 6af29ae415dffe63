//! The character devices of NVMe namespaces, and the corresponding block devices.
//!
//! The driver creates both, for example `ng0n1` and `nvme0n1` (drivers/nvme/host/core.c,
//! `nvme_add_ns_cdev`; multipath.c for several paths).

use super::device::{Device, DeviceNumber, split};
use super::root::{Root, number, text};
use super::unclaimed_users::{IN_USE, UncheckedUse};
use diskspd_machine::nvme::NvmeFacts;
use diskspd_machine::stack::Stack;
use diskspd_sys::anchor::Location;
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::nvme::Namespace;
use rustix::fs::{FileType, Stat};
use std::path::{Path, PathBuf};

/// Character device of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Generic {
    /// Kernel name: `ng0n1`.
    pub name: String,
    /// Block device of the same namespace, if any.
    pub block: Option<Device>,
}

impl Generic {
    /// Returns the character device of a `stat` result; `None` if it is something else, or /sys has no
    /// entry.
    pub(crate) fn from_stat(root: &Root, found: &Stat) -> Option<Generic> {
        let is_character = FileType::from_raw_mode(found.st_mode) == FileType::CharacterDevice;
        is_character.then(|| Generic::find_by_number(root, split(found.st_rdev))).flatten()
    }

    /// Finds the character device at a path, following links.
    pub(crate) fn find_generic(root: &Root, path: &Path) -> Option<Generic> {
        Generic::from_stat(root, &rustix::fs::stat(path).ok()?)
    }

    pub(crate) fn find_by_number(root: &Root, (major, minor): DeviceNumber) -> Option<Generic> {
        let directory = root.resolved(&format!("/sys/dev/char/{major}:{minor}"))?;
        let class = std::fs::canonicalize(directory.join("subsystem")).ok()?;
        if class.file_name()? != "nvme-generic" {
            return None;
        }
        let name = directory.file_name()?.to_str()?.to_owned();
        let sibling = format!("nvme{}", name.strip_prefix("ng")?);
        let block = Device::from_link(&directory.parent()?.join(sibling));
        Some(Generic { name, block })
    }

    /// Returns the block device, which is required to find the users of the namespace.
    ///
    /// # Errors
    /// Fails if there is no block device.
    pub(crate) fn used_as(&self) -> Result<&Device, UncheckedUse> {
        let sibling = || format!("/sys/class/block/nvme{}", self.name.trim_start_matches("ng"));
        let unknown = || UncheckedUse::new(IN_USE, FailedCall::absent(sibling()));
        self.block.as_ref().ok_or_else(unknown)
    }

    pub(crate) fn facts(&self, answer: &Namespace) -> NvmeFacts {
        let kib = |device: &Device| number::<u64>(&device.directory().join("queue/max_hw_sectors_kb"));
        let of_kernel = self.block.as_ref().and_then(kib).map(|kib| kib.saturating_mul(1024));
        NvmeFacts {
            block_size: answer.block_size(),
            metadata: answer.metadata,
            protected: answer.guards_itself().then_some(answer.protection),
            placement: None,
            // Only root may query the namespace's command set.
            zoned: answer.zoned || self.block.as_ref().is_some_and(Device::is_host_managed),
            deallocates: answer.deallocates,
            writes_zeroes: answer.writes_zeroes,
            largest_io: [of_kernel, answer.most_bytes].into_iter().flatten().min(),
            block_device: self.block.as_ref().map(|device| device.name.clone()),
        }
    }

    /// Returns the target stack of the commands. The disk is included if the kernel counts commands (Linux
    /// 6.13, if enabled).
    pub(crate) fn stack(&self, root: &Root, of_device: impl FnOnce(DeviceNumber) -> Stack) -> Stack {
        let Some(device) = &self.block else {
            return Stack::without(
                "it is an NVMe namespace without a block device, so nothing counts its I/O",
            );
        };
        let name = &device.name;
        if !device.nvme_paths(root).is_empty() {
            return Stack::without(format!(
                "the paths of {name} count its NVMe pass-through commands, each its own"
            ));
        }
        match text(&device.directory().join("queue/iostats_passthrough")).as_deref() {
            Some("1") => of_device(device.number),
            Some(_) => Stack::without(format!(
                "the kernel does not count NVMe pass-through commands on {name} by default; to count them: \
                 echo 1 >/sys/block/{name}/queue/iostats_passthrough"
            )),
            None => Stack::without(format!(
                "this kernel does not count NVMe pass-through commands: Linux 6.13 or later does, after \
                 echo 1 >/sys/block/{name}/queue/iostats_passthrough"
            )),
        }
    }
}

impl Device {
    /// Returns the paths of an NVMe multipath device: `nvme0c0n1`, `nvme0c1n1` of `nvme0n1`. They have no
    /// device number.
    pub(super) fn nvme_paths(&self, root: &Root) -> Vec<Device> {
        let Some((head, namespace)) = self.name.strip_prefix("nvme").and_then(|rest| rest.split_once('n'))
        else {
            return Vec::new();
        };
        let is_path = |name: &String| {
            let path = name.strip_prefix("nvme").and_then(|rest| rest.strip_prefix(head)?.strip_prefix('c'));
            path.and_then(|path| path.split_once('n')).is_some_and(|(_, n)| n == namespace)
        };
        let names = root.names("/sys/class/block").into_iter().chain(root.names("/sys/block"));
        let mut names: Vec<String> = names.filter(is_path).collect();
        names.sort();
        names.dedup();
        names.iter().filter_map(|name| Device::hidden_device(root, name)).collect()
    }
}

/// The checked and claimed device of a written target: the target, or the block device of the same NVMe
/// namespace.
#[derive(Debug)]
pub(super) struct Claimable {
    name: PathBuf,
    way: PathBuf,
}

impl Claimable {
    /// Returns the block device itself as the device to claim.
    pub(crate) fn itself<L: Location + ?Sized>(target: &L) -> Claimable {
        Claimable { name: target.name().to_owned(), way: target.access_path().to_owned() }
    }

    pub(crate) fn instead<L: Location + ?Sized>(target: &L, device: &Device) -> Claimable {
        Claimable { name: target.name().to_owned(), way: device.node() }
    }
}

impl Location for Claimable {
    fn name(&self) -> &Path {
        &self.name
    }

    fn access_path(&self) -> &Path {
        &self.way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// A machine with `ng0n1` (10:1), its block device if there is one, and another character device (10:2).
    fn sample_machine(counted: Option<&str>, with_block: bool) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let controller = "sys/devices/pci/nvme/nvme0";
        for directory in ["ng0n1", "nvme0n1/queue", "other"] {
            fs::create_dir_all(at(&format!("{controller}/{directory}"))).unwrap();
        }
        fs::create_dir_all(at("sys/class/nvme-generic")).unwrap();
        fs::create_dir_all(at("sys/class/misc")).unwrap();
        fs::create_dir_all(at("sys/dev/char")).unwrap();
        symlink(at("sys/class/nvme-generic"), at(&format!("{controller}/ng0n1/subsystem"))).unwrap();
        symlink(at("sys/class/misc"), at(&format!("{controller}/other/subsystem"))).unwrap();
        symlink(at(&format!("{controller}/ng0n1")), at("sys/dev/char/10:1")).unwrap();
        symlink(at(&format!("{controller}/other")), at("sys/dev/char/10:2")).unwrap();
        if with_block {
            fs::write(at(&format!("{controller}/nvme0n1/dev")), "259:0\n").unwrap();
        }
        fs::write(at(&format!("{controller}/nvme0n1/queue/max_hw_sectors_kb")), "128\n").unwrap();
        if let Some(counted) = counted {
            fs::write(at(&format!("{controller}/nvme0n1/queue/iostats_passthrough")), counted).unwrap();
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn namespace_is_found_by_class_with_its_block_device() {
        let (_folder, root) = sample_machine(None, true);
        let found = Generic::find_by_number(&root, (10, 1)).unwrap();
        let block = found.used_as().unwrap();
        assert_eq!((found.name.as_str(), block.name.as_str(), block.number), ("ng0n1", "nvme0n1", (259, 0)));
        assert_eq!(Generic::find_by_number(&root, (10, 2)), None);
        assert_eq!(Generic::find_by_number(&root, (10, 3)), None);
        let (_folder, root) = sample_machine(None, false);
        let alone = Generic::find_by_number(&root, (10, 1)).unwrap();
        assert!(alone.used_as().unwrap_err().to_string().contains("/sys/class/block/nvme"));
    }

    fn identify_answer(most_bytes: Option<u64>) -> Namespace {
        Namespace {
            id: 1,
            blocks: 8,
            block_shift: 9,
            metadata: 0,
            protection: 0,
            zoned: false,
            deallocates: false,
            writes_zeroes: true,
            most_bytes,
            endurance_group: 0,
            places: false,
        }
    }

    #[test]
    fn smaller_command_limit_applies() {
        let (_folder, root) = sample_machine(None, true);
        let found = Generic::find_by_number(&root, (10, 1)).unwrap();
        for (most, expected) in [(None, 128 << 10), (Some(64 << 10), 64 << 10), (Some(1 << 20), 128 << 10)] {
            assert_eq!(found.facts(&identify_answer(most)).largest_io, Some(expected));
        }
    }

    #[test]
    fn zones_come_from_namespace_or_kernel() {
        for (asked, model, expected) in
            [(false, "none", false), (false, "host-managed", true), (true, "none", true), (false, "", false)]
        {
            let (folder, root) = sample_machine(None, true);
            let queue = folder.path().join("sys/devices/pci/nvme/nvme0/nvme0n1/queue");
            fs::write(queue.join("zoned"), model).unwrap();
            let found = Generic::find_by_number(&root, (10, 1)).unwrap();
            assert_eq!(
                found.facts(&Namespace { zoned: asked, ..identify_answer(None) }).zoned,
                expected,
                "{asked} {model}"
            );
        }
    }

    #[test]
    fn commands_are_compared_only_with_available_counters() {
        for (counted, expected) in [(None, "Linux 6.13"), (Some("0"), "echo 1"), (Some("1"), "")] {
            let (_folder, root) = sample_machine(counted, true);
            let stack = Generic::find_by_number(&root, (10, 1)).unwrap().stack(&root, |number| {
                assert_eq!(number, (259, 0));
                Stack::default()
            });
            assert!(stack.no_device_reason.unwrap_or_default().contains(expected), "{counted:?}");
        }
    }
}
