//! Who uses a block device now: whatever would be hurt by writing to it behind its back.

use super::device::{self, Device, Number};
use super::mountinfo::{self, Mount};
use super::root::Root;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;

/// One use of a device, or of what is made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Use {
    /// The device in use, as a user finds it; not always the one asked about, but a partition or holder of it.
    pub device: String,
    /// How it's used.
    #[serde(flatten)]
    pub how: How,
}

/// How a device is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum How {
    /// A file system on it is mounted.
    Mounted {
        /// Where; of several places the first.
        at: String,
        /// Type of the file system.
        file_system: String,
    },
    /// It's one of the devices of a mounted file system of this type that keeps track of them itself.
    Member {
        /// Type of the file system.
        file_system: &'static str,
    },
    /// It's swap space.
    Swap,
    /// Another device is made of it: LVM, RAID, multipath, encryption, loop.
    HeldBy {
        /// That device.
        holder: String,
    },
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.how {
            How::Mounted { at, file_system } => {
                write!(f, "{} is mounted at {at} ({file_system}): umount it first", self.device)
            }
            How::Member { file_system } => {
                write!(f, "{} belongs to a mounted {file_system} file system: umount that first", self.device)
            }
            How::Swap => write!(f, "{} is swap space: swapoff it first", self.device),
            How::HeldBy { holder } => {
                write!(
                    f,
                    "{} is part of {holder}: use that device instead, or take it apart first",
                    self.device
                )
            }
        }
    }
}

/// All uses of the device: of itself, its partitions, the disk it's a partition of, and what is made of any of them.
/// Other partitions of the same disk are nobody's concern.
pub(super) fn uses(root: &Root, device: &Device) -> Vec<Use> {
    let loops: Vec<Device> = device::all(root).filter(|device| device.backing_file().is_some()).collect();
    let mut uses = Vec::new();
    let mut related: Vec<Device> = Vec::new();
    let mut queue: VecDeque<Device> = [device.clone()].into();
    queue.extend(device.whole());
    let whole = device.whole();
    while let Some(next) = queue.pop_front() {
        if related.contains(&next) {
            continue;
        }
        let mut holders = next.holders();
        holders.extend(loops.iter().filter(|each| backs(root, each, &next)).cloned());
        for holder in &holders {
            uses.push(Use { device: next.to_string(), how: How::HeldBy { holder: holder.to_string() } });
        }
        queue.extend(holders);
        if whole.as_ref() != Some(&next) {
            queue.extend(next.partitions());
        }
        related.push(next);
    }
    let related = |number: Number| related.iter().find(|device| device.number == number);
    let mut found = |device: &Device, how: How| {
        let device = device.to_string();
        let same = |known: &Use| {
            known.device == device && std::mem::discriminant(&known.how) == std::mem::discriminant(&how)
        };
        if !uses.iter().any(same) {
            uses.push(Use { device, how });
        }
    };
    for mount in mountinfo::parse(&root.text("/proc/self/mountinfo").unwrap_or_default()) {
        if let Some(device) = devices_of(root, &mount).into_iter().find_map(&related) {
            found(device, How::Mounted { at: mount.at, file_system: mount.file_system });
        }
    }
    for (file_system, number) in members(root) {
        if let Some(device) = related(number) {
            found(device, How::Member { file_system });
        }
    }
    for number in swaps(root) {
        if let Some(device) = related(number) {
            found(device, How::Swap);
        }
    }
    uses
}

fn backs(root: &Root, loop_device: &Device, device: &Device) -> bool {
    let file = loop_device.backing_file().filter(|file| file.starts_with("/dev/"));
    file.and_then(|file| Device::of_node(root, &file)).is_some_and(|backing| backing == *device)
}

/// Number of the file system and those of the devices it was mounted from: they differ where a file system has many.
pub(super) fn devices_of(root: &Root, mount: &Mount) -> Vec<Number> {
    // bcachefs names all its devices, with colons between.
    let nodes = mount.source.split(':').filter(|node| node.starts_with("/dev/"));
    let devices = nodes.filter_map(|node| Device::of_node(root, node)).map(|device| device.number);
    [mount.number].into_iter().chain(devices).collect()
}

/// The devices of mounted file systems that can have many, each with the type of its file system.
fn members(root: &Root) -> Vec<(&'static str, Number)> {
    let instances = instances(root).into_iter();
    instances.flat_map(|(kind, devices)| devices.into_iter().map(move |each| (kind, each.number))).collect()
}

/// The mounted file systems that can have many devices, each with all of them: only their own directories list those.
pub(super) fn instances(root: &Root) -> Vec<(&'static str, Vec<Device>)> {
    let mut instances = Vec::new();
    for (file_system, below) in [("btrfs", "devices"), ("bcachefs", "")] {
        let directory = format!("/sys/fs/{file_system}");
        for instance in root.names(&directory) {
            let devices = format!("{directory}/{instance}/{below}");
            let device = |name: &String| {
                // btrfs links to the device under its own name, bcachefs has a link in `dev-<n>`.
                let link = root.path(format!("{devices}/{name}/block"));
                let linked = std::fs::canonicalize(link)
                    .ok()
                    .and_then(|path| Device::named(root, path.file_name()?.to_str()?));
                let named = || if below.is_empty() { None } else { Device::named(root, name) };
                linked.or_else(named)
            };
            instances.push((file_system, root.names(&devices).iter().filter_map(device).collect()));
        }
    }
    instances
}

/// `/proc/swaps`: a heading, then lines that begin with the file or device.
fn swaps(root: &Root) -> Vec<Number> {
    let text = root.text("/proc/swaps").unwrap_or_default();
    let nodes = text.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().next());
    nodes
        .map(mountinfo::unescape)
        .filter(|node| node.starts_with("/dev/"))
        .filter_map(|node| Device::of_node(root, &node))
        .map(|device| device.number)
        .collect()
}
