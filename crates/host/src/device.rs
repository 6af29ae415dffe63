//! Block devices from `/sys`: names, partitions, and holders.

pub(super) use super::device_number::{DeviceNumber, parse_number};
pub use super::disks::Details;
use super::root::{Root, names, number, text};
use diskspd_sys::mapper::{self, MappedPart};
use rustix::fs::FileType;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns details of the block device at a path; `None` if it is not a block device.
pub fn details(path: &Path) -> Option<Details> {
    Some(Device::find(&Root::live_system(), block_number(path)?)?.details())
}

/// Returns the globally unique name of a disk (WWN, or the UUID of a mapping) with the partition. `None`
/// if the device at this path has no such name.
pub fn name_of_world(path: &Path) -> Option<String> {
    let root = Root::live_system();
    let device = Device::find(&root, block_number(path)?)?;
    let partition = text(&device.directory.join("partition"));
    let disk = if partition.is_some() { device.directory.parent()? } else { &device.directory };
    let files = ["wwid", "device/wwid", "dm/uuid"].map(|file| text(&disk.join(file)));
    let name = files.into_iter().flatten().find(|name| !name.trim().is_empty())?;
    Some(format!("{} {}", name.trim(), partition.unwrap_or_default().trim()).trim().to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    /// Kernel name: `sda1`, `dm-0`.
    pub name: String,
    pub number: DeviceNumber,
    directory: PathBuf,
}

impl Device {
    /// The device with this number; `None` if /sys does not know it. File systems without a device have
    /// numbers too.
    pub(crate) fn find(root: &Root, number: DeviceNumber) -> Option<Device> {
        let (major, minor) = number;
        let found = || Device::from_link(&root.path(format!("/sys/dev/block/{major}:{minor}")));
        let directory = root.device_folder(number, || found().map(|device| device.directory))?;
        let name = directory.file_name()?.to_str()?.to_owned();
        Some(Device { name, number, directory })
    }

    pub(crate) fn find_by_name(root: &Root, name: &str) -> Option<Device> {
        Device::from_link(&root.path(format!("/sys/class/block/{name}")))
    }

    /// Returns the device of a path below /dev.
    pub(crate) fn of_node(root: &Root, node: &str) -> Option<Device> {
        if let Some(number) = block_number(&root.path(node)) {
            return Device::find(root, number);
        }
        // The node can be out of reach, in another mount namespace.
        let name = Path::new(node).file_name()?.to_str()?;
        Device::find_by_name(root, name)
            .or_else(|| all(root).find(|device| device.mapper_name().as_deref() == Some(name)))
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the device whose directory below `/sys` the link leads to.
    pub(crate) fn from_link(link: &Path) -> Option<Device> {
        Device::find_within(fs::canonicalize(link).ok()?)
    }

    fn find_within(directory: PathBuf) -> Option<Device> {
        let name = directory.file_name()?.to_str()?.to_owned();
        let number = parse_number(&text(&directory.join("dev"))?)?;
        Some(Device { name, number, directory })
    }

    pub(crate) fn whole_disk(&self) -> Option<Device> {
        self.is_partition().then(|| Device::from_link(self.directory.parent()?)).flatten()
    }

    pub(crate) fn partitions(&self) -> Vec<Device> {
        let below = names(&self.directory).into_iter().map(|name| self.directory.join(name));
        below
            .filter(|path| path.join("partition").exists())
            .filter_map(|path| Device::from_link(&path))
            .collect()
    }

    /// Returns the devices on top of this one: dm, md, bcache.
    pub(crate) fn holders(&self) -> Vec<Device> {
        self.linked_devices("holders")
    }

    pub(crate) fn linked_devices(&self, directory: &str) -> Vec<Device> {
        let directory = self.directory.join(directory);
        names(&directory).iter().filter_map(|name| Device::from_link(&directory.join(name))).collect()
    }

    pub(crate) fn hidden_device(root: &Root, name: &str) -> Option<Device> {
        let mut links = ["/sys/class/block", "/sys/block"].iter().map(|at| root.path(format!("{at}/{name}")));
        let directory = links.find_map(|link| fs::canonicalize(link).ok())?;
        Some(Device { name: name.to_owned(), number: (0, 0), directory })
    }

    /// Creates a device known only by its node, without /sys.
    pub(crate) fn unlisted(root: &Root, name: &str, number: DeviceNumber) -> Device {
        Device { name: name.to_owned(), number, directory: root.path(format!("/sys/class/block/{name}")) }
    }

    /// Returns the name of a device-mapper device.
    pub(crate) fn mapper_name(&self) -> Option<String> {
        text(&self.directory.join("dm/name"))
    }

    /// Returns the parts of a device-mapper device's table; `None` = unavailable, for example without root.
    pub(crate) fn mapped_parts(&self, root: &Root) -> Option<Vec<MappedPart>> {
        root.is_live().then(|| mapper::parts(self.number).ok()).flatten()
    }

    pub(crate) fn backing_file(&self) -> Option<String> {
        text(&self.directory.join("loop/backing_file"))
    }

    pub(crate) fn node(&self) -> PathBuf {
        // A slash in a name is an exclamation mark in /sys.
        Path::new("/dev").join(self.name.replace('!', "/"))
    }

    /// Whether the device is not backed directly by hardware. Multipath NVMe disks count as hardware,
    /// although the kernel lists them as virtual devices too.
    pub(crate) fn is_virtual(&self) -> bool {
        self.directory.components().rev().nth(1).is_some_and(|parent| parent.as_os_str() == "block")
            && self.directory.components().rev().nth(2).is_some_and(|parent| parent.as_os_str() == "virtual")
    }

    /// Whether the kernel reports zones that require sequential writes
    /// (Documentation/ABI/stable/sysfs-block). Those of host-aware disks do not.
    pub(crate) fn is_host_managed(&self) -> bool {
        text(&self.directory.join("queue/zoned")).is_some_and(|model| model == "host-managed")
    }

    pub(crate) fn is_partition(&self) -> bool {
        self.directory.join("partition").exists()
    }

    pub(crate) fn details(&self) -> Details {
        let queue = self.whole_disk().unwrap_or_else(|| self.clone()).directory.join("queue");
        let word = |file: &Path| text(file).filter(|text| !text.is_empty());
        Details {
            model: self.model(),
            mapper_name: self.mapper_name(),
            backing_file: self.backing_file(),
            rotational: number::<u8>(&queue.join("rotational")).map(|flag| flag != 0),
            logical_block_size: self.logical_block_size(),
            physical_block_size: number(&queue.join("physical_block_size")),
            write_cache: word(&queue.join("write_cache")),
            scheduler: word(&queue.join("scheduler"))
                .map(|text| diskspd_machine::storage::chosen_word(&text)),
            queue_depth: number(&queue.join("nr_requests")),
        }
    }

    pub(crate) fn model(&self) -> Option<String> {
        let word =
            |file: &str| text(&self.directory.join("device").join(file)).filter(|text| !text.is_empty());
        // NVMe with several paths has it in its subsystem, memory cards call it name.
        let model = ["model", "subsystem/model", "name"].into_iter().find_map(word)?;
        // ATA disks have no maker of their own, and those of virtio and PCI are numbers.
        match word("vendor").filter(|vendor| vendor != "ATA" && !vendor.starts_with("0x")) {
            Some(vendor) if !model.starts_with(&vendor) => Some(format!("{vendor} {model}")),
            _ => Some(model),
        }
    }

    pub(crate) fn size(&self) -> Option<u64> {
        number::<u64>(&self.directory.join("size"))?.checked_mul(512)
    }

    /// Returns the logical block size in bytes; of a partition, that of its disk.
    pub(crate) fn logical_block_size(&self) -> Option<u32> {
        let own = number(&self.directory.join("queue/logical_block_size"));
        own.or_else(|| self.whole_disk()?.logical_block_size())
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.mapper_name() {
            Some(mapper) => write!(f, "/dev/mapper/{mapper} ({})", self.name),
            None => write!(f, "{}", self.node().display()),
        }
    }
}

pub(super) fn all(root: &Root) -> impl Iterator<Item = Device> + '_ {
    root.names("/sys/class/block").into_iter().filter_map(|name| Device::find_by_name(root, &name))
}

/// Returns the number of the block device at a path, following links.
pub(super) fn block_number(path: &Path) -> Option<DeviceNumber> {
    let found = rustix::fs::stat(path).ok()?;
    (FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice).then(|| split(found.st_rdev))
}

/// Splits a device number of `stat` into (major, minor).
pub(super) fn split(number: u64) -> DeviceNumber {
    (rustix::fs::major(number), rustix::fs::minor(number))
}
