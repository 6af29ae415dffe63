//! What a target lies on, all the way down: file system, partition, device mapper, RAID, loop, to the
//! devices that have nothing beneath them.

use super::device::{self, Device, Number};
use super::memory_backed::InMemory;
use super::mountinfo::{self, Mount};
use super::root::{Root, text};
#[cfg(target_os = "linux")]
use super::usage::{devices_of, instances};
use crate::sys::file_systems::{FileSystemType, Home};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The block devices beneath a target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// Type of the file system; `None` = the target is a device, or its file system isn't known.
    pub file_system: Option<String>,
    /// Names of the devices right beneath it: one, but for file systems that manage many.
    pub first: Vec<String>,
    /// All devices, each once, every one before those that it lies on.
    pub layers: Vec<Layer>,
    /// Why there is no device; `None` = there is one.
    pub without: Option<String>,
}

/// One block device of a stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The kernel's name: `dm-0`, `sda1`.
    pub name: String,
    /// What it is.
    pub kind: LayerKind,
    /// Names of the devices it lies on; empty = nothing is beneath it, or nothing that is known.
    pub on: Vec<String>,
    /// Whether every byte asked of it is asked once of what it lies on, by it alone: not so for redundant
    /// RAID, caches and files.
    pub faithful: bool,
    /// Whether the kernel counts its I/O (`queue/iostats`).
    pub counted: bool,
    /// Why it isn't known what is beneath it.
    pub unknown_below: Option<String>,
    /// How the kernel feeds it; missing = in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traits: Option<Traits>,
    /// How it keeps its content in memory; missing = as far as can be seen, it doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<InMemory>,
}

/// What the kernel does with the I/Os of a device; a partition has its disk's. `None` = it doesn't tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits {
    /// Whether its write cache loses what is in it with the power, so that it has to be flushed
    /// (`write_cache`).
    pub write_back: Option<bool>,
    /// Whether single writes can go past that cache (`fua`): nothing counts these.
    pub fua: Option<bool>,
    /// The largest I/O that it is given, bytes (`max_sectors_kb`), ..
    pub largest_io: Option<u64>,
    /// .. and the largest that it could take (`max_hw_sectors_kb`).
    pub possible_io: Option<u64>,
}

/// What a block device is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// A disk, or what looks like one.
    #[default]
    Disk,
    /// A part of a disk.
    Partition,
    /// Of the device mapper: LVM, encryption, multipath and more.
    Mapper,
    /// Software RAID (md).
    Raid,
    /// A file or device made to look like a disk.
    Loop,
    /// A disk behind a cache of bcache.
    Bcache,
    /// NVMe over several paths.
    Multipath,
}

impl Stack {
    /// The devices with nothing beneath them.
    pub fn leaves(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(|layer| layer.on.is_empty())
    }

    /// The layer of this name.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// A target without devices, and why.
    pub fn without(why: impl Into<String>) -> Stack {
        Stack { without: Some(why.into()), ..Stack::default() }
    }
}

/// What an existing target of this machine lies on.
#[cfg(target_os = "linux")]
pub fn stack(path: &Path) -> Stack {
    let root = Root::live();
    if let Some(number) = device::block_number(path) {
        return of_device(&root, number);
    }
    match (std::fs::canonicalize(path), rustix::fs::stat(path)) {
        (Ok(place), Ok(found)) => of_file(&root, &place, Some(device::split(found.st_dev))),
        _ => Stack::without("it can't be looked at"),
    }
}

/// What the block device with this number lies on.
#[cfg(target_os = "linux")]
pub fn of_device(root: &Root, number: Number) -> Stack {
    match Device::of(root, number) {
        Some(device) => downwards(root, vec![device], None),
        None => Stack::without("/sys doesn't know the device"),
    }
}

/// What a file lies on. `place`: its path without links; `number`: of its file system's device, where known.
#[cfg(target_os = "linux")]
pub fn of_file(root: &Root, place: &Path, number: Option<Number>) -> Stack {
    match Beneath::file(root, place, number, NESTING) {
        Ok(found) => downwards(root, found.devices, Some(found.file_system)),
        Err(why) => Stack::without(why),
    }
}

/// How many file systems lie on each other at most, by loop devices and overlays.
const NESTING: u32 = 8;

#[cfg(target_os = "linux")]
fn downwards(root: &Root, first: Vec<Device>, file_system: Option<String>) -> Stack {
    let names = |devices: &[Device]| devices.iter().map(|device| device.name.clone()).collect();
    let mut stack = Stack { file_system, first: names(&first), ..Stack::default() };
    // What is met again was reached over another way down: it goes behind that one too.
    let mut open: Vec<Device> = first;
    while let Some(device) = (!open.is_empty()).then(|| open.remove(0)) {
        let layer = layer(root, &device, &mut open);
        stack.layers.retain(|known| known.name != layer.name);
        stack.layers.push(layer);
        if stack.layers.len() > 4096 {
            break;
        }
    }
    stack
}

/// Describes a device; what it lies on is appended to `open`.
#[cfg(target_os = "linux")]
fn layer(root: &Root, device: &Device, open: &mut Vec<Device>) -> Layer {
    let is = |directory: &str| device.directory().join(directory).exists();
    let slaves = device.slaves();
    let (kind, below, faithful) = if let Some(disk) = device.whole() {
        (LayerKind::Partition, Ok(vec![disk]), true)
    } else if let Some(file) = device.backing_file() {
        let below = behind_loop(root, &file);
        (LayerKind::Loop, below, file.starts_with("/dev/"))
    } else if is("md") {
        let level = text(&device.directory().join("md/level")).unwrap_or_default();
        (LayerKind::Raid, Ok(slaves), matches!(level.as_str(), "raid0" | "linear"))
    } else if is("bcache") || device.name.starts_with("bcache") {
        (LayerKind::Bcache, Ok(slaves), false)
    } else if is("dm") {
        let uuid = text(&device.directory().join("dm/uuid")).unwrap_or_default();
        let faithful = slaves.len() == 1 || uuid.starts_with("mpath-");
        (LayerKind::Mapper, Ok(slaves), faithful)
    } else {
        let paths = device.nvme_paths(root);
        match paths.is_empty() {
            true => (LayerKind::Disk, Ok(slaves), true),
            false => (LayerKind::Multipath, Ok(paths), true),
        }
    };
    let (below, unknown_below) = match below {
        Ok(below) => (below, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let on = below.iter().map(|device| device.name.clone()).collect();
    open.extend(below);
    let (name, counted, traits) = (device.name.clone(), device.is_counted(), Some(device.traits()));
    let memory = InMemory::of(root, device);
    Layer { name, kind, on, faithful, counted, unknown_below, traits, memory }
}

#[cfg(target_os = "linux")]
fn behind_loop(root: &Root, file: &str) -> Result<Vec<Device>, String> {
    if file.ends_with(" (deleted)") {
        return Err(format!("the file behind it, {file}, has no name any more"));
    }
    if file.starts_with("/dev/")
        && let Some(device) = Device::of_node(root, file)
    {
        return Ok(vec![device]);
    }
    Beneath::file(root, Path::new(file), None, NESTING - 1)
        .map(|found| found.devices)
        .map_err(|why| format!("the file behind it, {file}: {why}"))
}

/// The devices right beneath a file.
struct Beneath {
    devices: Vec<Device>,
    file_system: String,
}

impl Beneath {
    #[cfg(target_os = "linux")]
    fn file(root: &Root, place: &Path, number: Option<Number>, nesting: u32) -> Result<Beneath, String> {
        let mounts = root.text("/proc/self/mountinfo").unwrap_or_default();
        let mount = mountinfo::holding(&mounts, place);
        let known = number.and_then(|number| Device::of(root, number));
        let Some(mount) = mount else {
            let file_system = String::new();
            return known
                .map(|device| Beneath { devices: vec![device], file_system })
                .ok_or_else(|| "its file system is mounted nowhere in sight".into());
        };
        if FileSystemType::named(&mount.file_system).home == Home::Overlay {
            return overlay(root, &mount, place, nesting);
        }
        if let Some(why) = deviceless(&mount) {
            return Err(why);
        }
        let own = devices_of(root, &mount);
        let member = |devices: &[Device]| devices.iter().any(|device| own.contains(&device.number));
        let many =
            instances(root).into_iter().find(|(kind, devices)| *kind == mount.file_system && member(devices));
        let devices = match many {
            Some((_, devices)) => devices,
            None => known
                .or_else(|| own.iter().find_map(|number| Device::of(root, *number)))
                .into_iter()
                .collect(),
        };
        match devices.is_empty() {
            true => Err(format!("no block device is known beneath {}", mount.file_system)),
            false => Ok(Beneath { devices, file_system: mount.file_system }),
        }
    }
}

/// Why a file system has no block device, or none that would count.
fn deviceless(mount: &Mount) -> Option<String> {
    let kind = mount.file_system.as_str();
    let option = |name: &str| mount.options.split(',').any(|option| option == name);
    match FileSystemType::named(kind).home {
        Home::Memory => Some(format!("{kind} keeps its files in memory")),
        Home::Pool => {
            Some(format!("{kind} doesn't tell which devices a file lies on; zpool iostat shows what they do"))
        }
        Home::Flash => Some(format!("{kind} lies on flash memory that is no block device")),
        Home::Host => {
            Some(format!("{kind}: the files are the host's, whose devices can't be seen from here"))
        }
        Home::Program => Some(format!("{kind}: a program serves the files, from where isn't known")),
        Home::Network => {
            Some(format!("{kind}: the files are on another host, whose devices can't be seen from here"))
        }
        Home::Devices | Home::Overlay | Home::Unknown if option("dax") || option("dax=always") => Some(
            format!("{kind} gives direct access to memory that keeps its content (dax), which nobody counts"),
        ),
        Home::Devices | Home::Overlay | Home::Unknown => None,
    }
}

/// A file of an overlay is one of the uppermost of its directories that has it.
#[cfg(target_os = "linux")]
fn overlay(root: &Root, mount: &Mount, place: &Path, nesting: u32) -> Result<Beneath, String> {
    let hidden =
        || "overlay: the directories it is made of are out of sight, in another mount namespace".to_string();
    if nesting == 0 {
        return Err(hidden());
    }
    let directories = directories(&mount.options);
    let within = Path::new(&mount.root).join(place.strip_prefix(&mount.at).unwrap_or(place));
    let mounts = root.text("/proc/self/mountinfo").unwrap_or_default();
    for directory in &directories {
        let file = directory.join(within.strip_prefix("/").unwrap_or(&within));
        // In a container the host's paths may exist by chance: then they are in the overlay itself.
        let itself = mountinfo::holding(&mounts, &file).is_none_or(|found| found == *mount);
        if !itself && root.path(&file).exists() {
            return Beneath::file(root, &file, None, nesting - 1);
        }
    }
    // Relative to where whoever mounted it was then: nobody remembers.
    match directories.iter().any(|directory| directory.is_relative()) {
        true => Err(
            "overlay: it was mounted with relative paths of the directories it is made of, which can't be \
                     followed; mount it with absolute ones"
                .into(),
        ),
        false => Err(hidden()),
    }
}

/// The directories of an overlay, uppermost first: `upperdir=`, then `lowerdir=` with colons between, or
/// several `lowerdir+=`.
fn directories(options: &str) -> Vec<PathBuf> {
    let values = |names: &'static [&str]| {
        let options = options.split(',');
        options.filter_map(move |option| names.iter().find_map(|name| option.strip_prefix(name)))
    };
    let upper = values(&["upperdir="]);
    let lower = values(&["lowerdir=", "lowerdir+="]).flat_map(|list| list.split(':'));
    upper.chain(lower).map(|directory| mountinfo::unescape(directory).into()).collect()
}

impl Device {
    /// The devices this one is made of: dm, md, bcache.
    fn slaves(&self) -> Vec<Device> {
        self.linked("slaves")
    }

    /// Whether the kernel counts its I/O. A device without a queue of its own is taken to be counted; some
    /// drivers count whatever the switch says.
    fn is_counted(&self) -> bool {
        if ["zram", "drbd", "bcache"].iter().any(|driver| self.name.starts_with(driver)) {
            return true;
        }
        let disk = self.whole();
        let directory = disk.as_ref().unwrap_or(self).directory();
        text(&directory.join("queue/iostats")).as_deref() != Some("0")
    }

    fn traits(&self) -> Traits {
        let disk = self.whole();
        let queue = disk.as_ref().unwrap_or(self).directory().join("queue");
        let kib =
            |name: &str| text(&queue.join(name))?.parse::<u64>().ok().map(|kib| kib.saturating_mul(1024));
        Traits {
            write_back: text(&queue.join("write_cache")).map(|cache| cache == "write back"),
            fua: text(&queue.join("fua")).map(|fua| fua != "0"),
            largest_io: kib("max_sectors_kb"),
            possible_io: kib("max_hw_sectors_kb"),
        }
    }

    /// The paths of an NVMe device over several: `nvme0c0n1`, `nvme0c1n1` of `nvme0n1`. They have no number.
    fn nvme_paths(&self, root: &Root) -> Vec<Device> {
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
        names.iter().filter_map(|name| Device::hidden(root, name)).collect()
    }
}
