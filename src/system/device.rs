//! Block devices as `/sys` knows them: names, partitions, and who holds whom.

use super::root::{Root, names, number, text};
use rustix::fs::FileType;
use std::fs;
use std::path::{Path, PathBuf};

/// (major, minor).
pub(super) type Number = (u32, u32);

/// A block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    /// The kernel's name: `sda1`, `dm-0`.
    pub name: String,
    /// Its number.
    pub number: Number,
    /// Its directory below `/sys/devices`.
    directory: PathBuf,
}

impl Device {
    /// The device with this number; `None` when /sys doesn't know it (file systems without a device have numbers too).
    pub fn of(root: &Root, (major, minor): Number) -> Option<Device> {
        Device::at(&root.path(format!("/sys/dev/block/{major}:{minor}")))
    }

    /// The device with this kernel name.
    pub fn named(root: &Root, name: &str) -> Option<Device> {
        Device::at(&root.path(format!("/sys/class/block/{name}")))
    }

    /// The device that a path below /dev leads to.
    pub fn of_node(root: &Root, node: &str) -> Option<Device> {
        if let Some(number) = block_number(&root.path(node)) {
            return Device::of(root, number);
        }
        // The node can be out of reach, in another mount namespace.
        let name = Path::new(node).file_name()?.to_str()?;
        Device::named(root, name)
            .or_else(|| all(root).find(|device| device.mapper_name().as_deref() == Some(name)))
    }

    /// Its directory below `/sys/devices`.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn at(link: &Path) -> Option<Device> {
        let directory = fs::canonicalize(link).ok()?;
        let name = directory.file_name()?.to_str()?.to_owned();
        let number = parse_number(&text(&directory.join("dev"))?)?;
        Some(Device { name, number, directory })
    }

    /// The disk that this is a partition of.
    pub fn whole(&self) -> Option<Device> {
        self.directory.join("partition").exists().then(|| Device::at(self.directory.parent()?)).flatten()
    }

    /// The partitions of this disk.
    pub fn partitions(&self) -> Vec<Device> {
        let below = names(&self.directory).into_iter().map(|name| self.directory.join(name));
        below.filter(|path| path.join("partition").exists()).filter_map(|path| Device::at(&path)).collect()
    }

    /// The devices that are made of this one: dm, md, bcache.
    pub fn holders(&self) -> Vec<Device> {
        let directory = self.directory.join("holders");
        names(&directory).iter().filter_map(|name| Device::at(&directory.join(name))).collect()
    }

    /// The name that a device-mapper device was given.
    pub fn mapper_name(&self) -> Option<String> {
        text(&self.directory.join("dm/name"))
    }

    /// The file or device behind a loop device.
    pub fn backing_file(&self) -> Option<String> {
        text(&self.directory.join("loop/backing_file"))
    }

    /// Capacity, bytes.
    pub fn size(&self) -> Option<u64> {
        number::<u64>(&self.directory.join("size"))?.checked_mul(512)
    }

    /// Logical block size, bytes; a partition has that of its disk.
    pub fn logical_block_size(&self) -> Option<u32> {
        let own = number(&self.directory.join("queue/logical_block_size"));
        own.or_else(|| self.whole()?.logical_block_size())
    }
}

/// As a user finds it: `/dev/mapper/vg-root (dm-0)`, `/dev/sda1`.
impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.mapper_name() {
            Some(mapper) => write!(f, "/dev/mapper/{mapper} ({})", self.name),
            // A slash in a name is an exclamation mark in /sys.
            None => write!(f, "/dev/{}", self.name.replace('!', "/")),
        }
    }
}

/// All block devices.
pub(super) fn all(root: &Root) -> impl Iterator<Item = Device> + '_ {
    root.names("/sys/class/block").into_iter().filter_map(|name| Device::named(root, &name))
}

/// Number of the block device at a path, links followed.
pub(super) fn block_number(path: &Path) -> Option<Number> {
    let found = rustix::fs::stat(path).ok()?;
    (FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice).then(|| split(found.st_rdev))
}

/// A device number as `stat` gives it.
pub(super) fn split(number: u64) -> Number {
    (rustix::fs::major(number), rustix::fs::minor(number))
}

/// `254:0`.
pub(super) fn parse_number(text: &str) -> Option<Number> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
