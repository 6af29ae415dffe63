//! The storage stack of a target: file system, partition, device mapper, RAID, loop, down to the lowest
//! devices.

mod loop_file;
mod opened;
mod remote;
mod served;
mod underlying;

use super::device::{self, Device, DeviceNumber};
use super::file_place::{FileLocation, NESTING};
use super::mountinfo::Mount;
use super::nvme::Generic;
use super::root::{Root, text};
use diskspd_machine::file_systems::{DataHome, FileSystemType};
use diskspd_machine::memory_backed::InMemory;
use diskspd_machine::stack::*;
pub use opened::{moved_to, of_open, remounted};
use std::path::Path;
use underlying::{MissingDevices, UnderlyingDevices};

pub(super) const COUNTED_ANYWAY: [&str; 3] = ["zram", "drbd", "bcache"];

pub fn stack(path: &Path) -> Stack {
    let root = Root::live_system();
    if let Some(number) = device::block_number(path) {
        return of_device(&root, number);
    }
    if let Some(generic) = Generic::find_generic(&root, path) {
        return generic.stack(&root, |number| of_device(&root, number));
    }
    match (std::fs::canonicalize(path), rustix::fs::stat(path)) {
        (Ok(place), Ok(found)) => of_file(&root, &place, Some(device::split(found.st_dev))),
        _ => Stack::without("it cannot be inspected"),
    }
}

/// Returns the mounts of other hosts with client counters.
pub fn remote_layers(root: &Root) -> Vec<Layer> {
    remote::layers(root)
}

pub fn of_device(root: &Root, number: DeviceNumber) -> Stack {
    match Device::find(root, number) {
        Some(device) => walk_down(root, vec![device], None),
        None => Stack::without("/sys does not list the device"),
    }
}

/// Returns the stack of a file. `place`: its path without links; `number`: the device number of its file
/// system, if known.
pub fn of_file(root: &Root, place: &Path, number: Option<DeviceNumber>) -> Stack {
    read_stack(root, &FileLocation { path: place.to_owned(), number, mount: None })
}

fn read_stack(root: &Root, place: &FileLocation) -> Stack {
    let key = place.mount.zip(place.number);
    if let Some(known) = key.and_then(|key| root.known_stack(key)) {
        return known;
    }
    let stack = found_at(root, place);
    // The files of an overlay lie on different file systems.
    let is_overlay = |mount: &Mount| FileSystemType::from_name(&mount.file_system).home == DataHome::Overlay;
    if let Some(key) = key
        && place.mount(root).is_some_and(|mount| !is_overlay(&mount))
    {
        root.keep_stack(key, &stack);
    }
    stack
}

fn found_at(root: &Root, place: &FileLocation) -> Stack {
    if let Some(stack) = remote::stack(root, place) {
        return stack;
    }
    match UnderlyingDevices::file(root, place, NESTING) {
        Ok(found) => {
            let stack = walk_down(root, found.devices, Some(found.file_system));
            Stack { mounts: [found.mounts, stack.mounts].concat(), ..stack }
        }
        Err(MissingDevices::HiddenMemory(why)) => {
            Stack { in_memory: Some(why.clone()), ..Stack::without(why) }
        }
        Err(without) => Stack::without(without.why()),
    }
}

fn walk_down(root: &Root, first: Vec<Device>, file_system: Option<String>) -> Stack {
    let names = |devices: &[Device]| devices.iter().map(|device| device.name.clone()).collect();
    let mut stack = Stack { file_system, top_devices: names(&first), ..Stack::default() };
    // What is met again was reached over another way down: it goes behind that one too.
    let mut open: Vec<Device> = first;
    while let Some(device) = (!open.is_empty()).then(|| open.remove(0)) {
        let (layer, mounts) = describe_layer(root, &device, &mut open);
        for mount in mounts {
            if !stack.mounts.contains(&mount) {
                stack.mounts.push(mount);
            }
        }
        stack.layers.retain(|known| known.name != layer.name);
        stack.layers.push(layer);
        if stack.layers.len() > 4096 {
            break;
        }
    }
    stack
}

/// Describes a device and the file systems under it. Appends the devices under it to `open`.
fn describe_layer(root: &Root, device: &Device, open: &mut Vec<Device>) -> (Layer, Vec<StackMount>) {
    let mut mounts = Vec::new();
    let is = |directory: &str| device.directory().join(directory).exists();
    let slaves = || match device.slave_devices() {
        slaves if slaves.is_empty() => Err(MissingDevices::new("the kernel lists no device below it")),
        slaves => Ok(slaves),
    };
    let (kind, below, faithful) = if let Some(disk) = device.whole_disk() {
        (LayerKind::Partition, Ok(vec![disk]), true)
    } else if let Some(file) = device.backing_file() {
        let found = loop_file::behind_loop(root, device, &file);
        mounts = found.as_ref().map_or_else(|_| Vec::new(), |(_, between)| between.clone());
        (LayerKind::Loop, found.map(|(below, _)| below), file.starts_with("/dev/"))
    } else if is("md") {
        let level = text(&device.directory().join("md/level")).unwrap_or_default();
        (LayerKind::Raid, slaves(), matches!(level.as_str(), "raid0" | "linear"))
    } else if device.name.starts_with("bcache") {
        // The disks beneath one have a folder `bcache`, too.
        (LayerKind::Bcache, slaves(), false)
    } else if is("dm") {
        let below = slaves();
        let faithful = is_faithful_mapper(device, &below);
        (LayerKind::Mapper, below, faithful)
    } else if let Some(why) = served::find_server(device) {
        (LayerKind::Disk, Err(MissingDevices::new(why)), true)
    } else {
        let paths = device.nvme_paths(root);
        match paths.is_empty() {
            true => (LayerKind::Disk, Ok(device.slave_devices()), true),
            false => (LayerKind::Multipath, Ok(paths), true),
        }
    };
    let file_in_memory = || below.as_ref().is_err_and(MissingDevices::is_memory).then_some(InMemory::File);
    let memory = super::memory_backed::find_memory(root, device).or_else(file_in_memory);
    let (below, unknown_below) = match below {
        Ok(below) => (below, None),
        Err(without) => (Vec::new(), Some(without.why())),
    };
    let cache = kind == LayerKind::Bcache || kind == LayerKind::Mapper && is_cache(root, device, &below);
    let on = below.iter().map(|device| device.name.clone()).collect();
    open.extend(below);
    let (name, counted, traits) = (device.name.clone(), device.is_counted(), Some(device.device_traits()));
    let number = (device.number != (0, 0)).then(|| format!("{}:{}", device.number.0, device.number.1));
    let direct = if kind == LayerKind::Loop { device.is_direct() } else { None };
    let layer = Layer {
        name,
        number,
        kind,
        lower_devices: on,
        one_to_one: faithful,
        cache,
        statistics: counted,
        direct,
        lower_unknown: unknown_below,
        queue_limits: traits,
        memory,
        remote: None,
    };
    (layer, mounts)
}

/// Whether a mapper submits no other I/O to its devices than its own.
fn is_faithful_mapper(device: &Device, below: &Result<Vec<Device>, MissingDevices>) -> bool {
    let uuid = text(&device.directory().join("dm/uuid")).unwrap_or_default();
    let alone = below.as_ref().is_ok_and(|below| below.len() == 1 && passes_on(&uuid, &below[0]));
    alone || uuid.starts_with("mpath-")
}

fn is_cache(root: &Root, mapped: &Device, below: &[Device]) -> bool {
    match mapped.mapped_parts(root) {
        Some(parts) => parts.iter().any(|part| matches!(part.kind.as_str(), "cache" | "writecache")),
        None => below
            .iter()
            .filter_map(Device::mapper_name)
            .any(|name| ["_cdata", "_cvol", "_corig", "_wcorig"].iter().any(|kind| name.ends_with(kind))),
    }
}

/// Whether a mapper over one device passes I/Os through unchanged. Only the `uuid` shows the kind, where
/// the creating program sets it; otherwise it is unknown.
fn passes_on(uuid: &str, below: &Device) -> bool {
    // Checksums and a journal of dm-integrity, by itself and beneath LUKS2.
    let checks = ["CRYPT-INTEGRITY-", "CRYPT-SUBDEV-"].iter().any(|kind| uuid.starts_with(kind));
    // What a snapshot of LVM is to keep is read from there before it is overwritten.
    let is_origin = text(&below.directory().join("dm/uuid")).is_some_and(|uuid| uuid.ends_with("-real"));
    let kinds = ["LVM-", "CRYPT-", "part"];
    kinds.iter().any(|kind| uuid.starts_with(kind)) && !checks && !is_origin
}

impl Device {
    /// Returns the devices under this one: dm, md, bcache.
    fn slave_devices(&self) -> Vec<Device> {
        self.linked_devices("slaves")
    }

    /// Whether the kernel counts its I/O. A device without a queue is assumed to be counted; some drivers
    /// count regardless of the switch.
    fn is_counted(&self) -> bool {
        if COUNTED_ANYWAY.iter().any(|driver| self.name.starts_with(driver)) {
            return true;
        }
        let disk = self.whole_disk();
        let directory = disk.as_ref().unwrap_or(self).directory();
        text(&directory.join("queue/iostats")).as_deref() != Some("0")
    }

    fn is_direct(&self) -> Option<bool> {
        text(&self.directory().join("loop/dio")).map(|value| value == "1")
    }

    fn device_traits(&self) -> Traits {
        let disk = self.whole_disk();
        let queue = disk.as_ref().unwrap_or(self).directory().join("queue");
        let kib =
            |name: &str| text(&queue.join(name))?.parse::<u64>().ok().map(|kib| kib.saturating_mul(1024));
        Traits {
            write_back: text(&queue.join("write_cache")).map(|cache| cache == "write back"),
            fua: text(&queue.join("fua")).map(|fua| fua != "0"),
            largest_io: kib("max_sectors_kb"),
            hardware_max_io: kib("max_hw_sectors_kb"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn set_cache(machine: &Path, cache: &str) {
        fs::write(machine.join("sys/devices/sda/queue/write_cache"), cache).unwrap();
    }

    /// A machine with a file system on `sda`, mount 1, and an overlay on it, mount 2.
    fn machine() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mounts = "1 0 8:0 / / rw - ext4 /dev/sda rw\n\
            2 1 0:9 / /merged rw - overlay overlay rw,lowerdir=/low,upperdir=/up\n";
        for (path, text) in [
            ("proc/self/mountinfo", mounts),
            ("sys/devices/sda/dev", "8:0"),
            ("sys/devices/sda/queue/write_cache", "write back"),
            ("up/a", ""),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(folder.path().join("sys/dev/block")).unwrap();
        symlink(folder.path().join("sys/devices/sda"), folder.path().join("sys/dev/block/8:0")).unwrap();
        folder
    }

    #[test]
    fn stack_of_a_mount_is_read_once() {
        let machine = machine();
        let root = Root::at(machine.path()).remembering();
        let place = |path: &str| FileLocation { path: path.into(), number: Some((8, 0)), mount: Some(1) };
        let write_back = |root: &Root, path: &str| {
            let stack = read_stack(root, &place(path));
            assert_eq!(stack.top_devices, ["sda"]);
            stack.layers[0].queue_limits.unwrap().write_back
        };
        assert_eq!(write_back(&root, "/a"), Some(true));
        set_cache(machine.path(), "write through");
        assert_eq!(write_back(&root, "/b"), Some(true), "remembered");
        let now = Root::at(machine.path());
        assert_eq!([(); 2].map(|()| write_back(&now, "/b")), [Some(false); 2]);
        set_cache(machine.path(), "write back");
        assert_eq!(write_back(&now, "/b"), Some(true), "nothing is remembered");
    }

    #[test]
    fn stack_of_an_overlay_is_not_remembered() {
        let machine = machine();
        let root = Root::at(machine.path()).remembering();
        let place = FileLocation { path: "/merged/a".into(), number: Some((0, 9)), mount: Some(2) };
        assert_eq!(read_stack(&root, &place).top_devices, ["sda"]);
        assert_eq!(root.known_stack((2, (0, 9))), None);
    }

    #[test]
    fn settings_of_a_device_are_read_once() {
        let machine = machine();
        let root = Root::at(machine.path()).remembering();
        let cache = |root: &Root| {
            let device = Device::find(root, (8, 0)).unwrap();
            device.settings(root).queue["write_cache"].clone()
        };
        assert_eq!(cache(&root), "write back");
        set_cache(machine.path(), "write through");
        assert_eq!(cache(&root), "write back", "remembered");
        assert_eq!(cache(&Root::at(machine.path())), "write through");
    }
}
