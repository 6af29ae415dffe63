//! Users of files and devices that do not claim them in the kernel: loop devices, swap files, storage
//! servers.

use super::device::{Device, DeviceNumber, split};
use super::file_place::FileLocation;
use super::mountinfo;
use super::root::Root;
use super::stacked::{Role, other_places};
use diskspd_machine::file_systems::FileSystemType;
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::file_systems;
use diskspd_sys::files;
use diskspd_sys::loops;
use rustix::fs::FileType;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// Regular file: (major, minor) of its file system, and its inode.
    File(DeviceNumber, u64),
    Device(DeviceNumber),
    /// Name that cannot be resolved in this namespace.
    Named(PathBuf),
}

impl Identity {
    pub(crate) fn read_identity(root: &Root, path: &Path) -> Identity {
        match rustix::fs::stat(root.path(path)) {
            Ok(found) => Identity::from_stat(&found),
            Err(_) => {
                let node = path.to_str().filter(|path| path.starts_with("/dev/"));
                let device = node.and_then(|node| Device::of_node(root, node));
                device.map_or(Identity::Named(path.into()), |device| Identity::Device(device.number))
            }
        }
    }

    pub(crate) fn from_stat(found: &rustix::fs::Stat) -> Identity {
        match FileType::from_raw_mode(found.st_mode) {
            FileType::BlockDevice => Identity::Device(split(found.st_rdev)),
            _ => Identity::File(split(found.st_dev), found.st_ino),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct DeviceUse {
    /// File or device, and files of other file systems with the same data.
    pub what: Vec<Identity>,
    pub name: String,
    pub by: Holder,
}

impl DeviceUse {
    fn new(root: &Root, what: Identity, name: &str, by: Holder) -> DeviceUse {
        let place = FileLocation::from_path(name);
        // A name that now leads to another file gives no information about this one.
        let is_named =
            matches!(what, Identity::File(..)) && Identity::read_identity(root, &place.path) == what;
        let others = match is_named && (!root.is_live() || is_stacked(&place.path)) {
            true => other_places(root, &place, Role::Used).paths,
            false => Vec::new(),
        };
        let others = others.iter().map(|path| Identity::read_identity(root, path));
        DeviceUse { what: [what].into_iter().chain(others).collect(), name: name.to_owned(), by }
    }
}

fn is_stacked(path: &Path) -> bool {
    FileSystemType::from_name(&file_systems::type_name(path)).may_be_stacked()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holder {
    Loop(Device),
    /// Swap file. Swap devices are detected by [`super::usage`].
    Swap,
    /// Description of a server or driver of this machine that exports it.
    Server(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct UncheckedUse {
    /// Possible use, as in "it may be ..".
    pub guards: &'static str,
    pub cause: FailedCall,
}

impl UncheckedUse {
    pub(super) fn new(guards: &'static str, cause: FailedCall) -> UncheckedUse {
        UncheckedUse { guards, cause }
    }
}

/// Uses on the machine, and uses that could not be checked.
#[derive(Debug, Default)]
pub(super) struct DeviceUses {
    pub found: Vec<DeviceUse>,
    pub unknown: Vec<UncheckedUse>,
}

pub(super) const IN_USE: &str = "in use";
const BACKING_FILE: &str = "the backing file of a loop device";
const SWAP_FILE: &str = "a swap file";
const SERVED_BY_TARGET: &str = "served by a storage target of this machine";
const BITMAP: &str = "the bitmap of a RAID";

/// Files of servers and drivers that list their devices (`*` for any name), and the servers' names.
const SERVERS: [(&str, &str); 7] = [
    // Documentation/target, of Linux: the object's name is the directory.
    ("/sys/kernel/config/target/core/*/*/udev_path", "the storage target LIO"),
    ("/sys/kernel/config/target/core/*/*/info", "the storage target LIO"),
    // drivers/nvme/target/configfs.c
    ("/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path", "the NVMe target"),
    // Documentation/usb/mass-storage.rst
    ("/sys/kernel/config/usb_gadget/*/functions/*/*/file", "a USB gadget"),
    ("/sys/kernel/scst_tgt/devices/*/filename", "the storage target SCST"),
    // Documentation/ABI/testing/sysfs-block-nbd: what its client was told to call it.
    ("/sys/block/*/backend", "a network block device"),
    // Documentation/admin-guide/blockdev/zram.rst
    ("/sys/block/*/backing_dev", "zram, which writes back to it"),
];

/// Returns all uses without a claim on the machine, and the uses that could not be checked.
pub(super) fn all(root: &Root) -> DeviceUses {
    let mut holdings = DeviceUses::default();
    for (guards, read) in [
        (BACKING_FILE, find_loops as fn(&Root) -> Result<Vec<DeviceUse>, FailedCall>),
        (SWAP_FILE, swap_files),
        (SERVED_BY_TARGET, find_served),
        (BITMAP, find_bitmaps),
    ] {
        match read(root) {
            Ok(found) => holdings.found.extend(found),
            Err(cause) => {
                if guards == BACKING_FILE {
                    holdings.found.extend(loops_with_node(root));
                }
                holdings.unknown.push(UncheckedUse::new(guards, cause));
            }
        }
    }
    holdings
}

fn find_served(root: &Root) -> Result<Vec<DeviceUse>, FailedCall> {
    let mut found = Vec::new();
    for (pattern, name) in SERVERS {
        for file in expand_pattern(root, pattern)? {
            let text =
                root.read(&file).map_err(|error| FailedCall::reading(&file, &error))?.unwrap_or_default();
            let Some(held) = named_in(&text) else { continue };
            let what = Identity::read_identity(root, Path::new(held));
            let by = Holder::Server(format!("{name} ({})", parent_name(&file)));
            found.push(DeviceUse::new(root, what, held, by));
        }
    }
    Ok(found)
}

/// Finds bitmaps of arrays that are files (Documentation/admin-guide/md.rst).
fn find_bitmaps(root: &Root) -> Result<Vec<DeviceUse>, FailedCall> {
    const ARRAYS: &str = "/proc/mdstat";
    let arrays = root.read(ARRAYS).map_err(|error| FailedCall::reading(ARRAYS, &error))?.unwrap_or_default();
    let files = arrays.lines().filter_map(|line| line.trim().split_once(", file: ")).map(|(_, file)| file);
    let by = || Holder::Server("a RAID, as its bitmap".into());
    Ok(files
        .map(|file| DeviceUse::new(root, Identity::read_identity(root, Path::new(file)), file, by()))
        .collect())
}

/// Returns the path in a server's file: its first line, or the text after `File: ` or `PATH: ` in an LIO
/// line.
fn named_in(text: &str) -> Option<&str> {
    let first = text.lines().next().filter(|line| line.starts_with('/'));
    let told = || {
        let (_, rest) = text.split_once(" File: ").or_else(|| text.split_once(" PATH: "))?;
        let end = rest.find("  ").or_else(|| rest.find('\n')).unwrap_or(rest.len());
        rest.get(..end).map(str::trim).filter(|path| path.starts_with('/'))
    };
    first.or_else(told)
}

fn parent_name(file: &str) -> String {
    let mut names = file.rsplit('/').skip(1);
    match (names.next(), names.next()) {
        (Some(name), Some(before)) if before != "devices" && before != "block" => format!("{before}/{name}"),
        (Some(name), _) => name.to_owned(),
        _ => String::new(),
    }
}

fn expand_pattern(root: &Root, pattern: &str) -> Result<Vec<String>, FailedCall> {
    let Some((directory, rest)) = pattern.split_once("/*") else { return Ok(vec![pattern.to_owned()]) };
    let mut found = Vec::new();
    for name in root.list(directory).map_err(|error| FailedCall::reading(directory, &error))? {
        found.extend(expand_pattern(root, &format!("{directory}/{name}{rest}"))?);
    }
    Ok(found)
}

pub(super) const DEVICES: &str = "/sys/class/block";

fn find_loops(root: &Root) -> Result<Vec<DeviceUse>, FailedCall> {
    let names = match root.list(DEVICES) {
        Ok(names) if !names.is_empty() => names,
        Ok(_) => return loops_without_sys(root, FailedCall::absent(DEVICES)),
        Err(error) => return loops_without_sys(root, FailedCall::reading(DEVICES, &error)),
    };
    let mut found = Vec::new();
    for name in names.iter().filter(|name| name.starts_with("loop")) {
        let file = format!("{DEVICES}/{name}/loop/backing_file");
        let Some(backing) = root.read(&file).map_err(|error| FailedCall::reading(&file, &error))? else {
            continue;
        };
        let Some(device) = Device::find_by_name(root, name) else { continue };
        if let Some(what) = find_backing(root, &device, &backing)? {
            found.push(DeviceUse::new(root, what, &backing, Holder::Loop(device)));
        }
    }
    Ok(found)
}

/// Queries the loop devices with a size (`7 0 65536 loop0` in /proc/partitions) for their backing files.
fn loops_without_sys(root: &Root, why: FailedCall) -> Result<Vec<DeviceUse>, FailedCall> {
    const PARTITIONS: &str = "/proc/partitions";
    let Ok(Some(partitions)) = root.read(PARTITIONS) else { return Err(why) };
    let names = partitions.lines().filter_map(|line| line.split_ascii_whitespace().nth(3));
    let queried = names.filter(|name| is_loop(name)).map(|name| queried_loop(root, name));
    queried.collect::<Option<_>>().ok_or(why)
}

/// The loop devices with a node in /dev, for a machine that hides its list of devices.
fn loops_with_node(root: &Root) -> Vec<DeviceUse> {
    let names = root.names("/dev");
    names.iter().filter(|name| is_loop(name)).filter_map(|name| queried_loop(root, name)).collect()
}

fn is_loop(name: &str) -> bool {
    name.strip_prefix("loop").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Returns the backing file reported by a loop device; `None` = it has no file.
fn queried_loop(root: &Root, name: &str) -> Option<DeviceUse> {
    let device = File::from(files::look_into(&root.path(Path::new("/dev").join(name))).ok()?);
    let backing = loops::backing(device.as_fd()).ok()?;
    let device = Device::unlisted(root, name, split(files::device_number(&device)?));
    Some(DeviceUse::new(root, backing_identity(&backing), &backing.name, Holder::Loop(device)))
}

fn backing_identity(backing: &loops::Backing) -> Identity {
    match backing.itself {
        (0, 0) => Identity::File(backing.device, backing.inode),
        device => Identity::Device(device),
    }
}

/// Returns the file of a loop device, if it is visible from here; `None` if it no longer exists.
fn find_backing(root: &Root, device: &Device, name: &str) -> Result<Option<Identity>, FailedCall> {
    let by_name = || Identity::read_identity(root, Path::new(name));
    if !root.is_live() {
        return Ok(Some(by_name()));
    }
    let node = device.node();
    let backing = match files::look_into(&node) {
        Ok(file) if files::device_number(&file).map(split) == Some(device.number) => {
            loops::backing(File::from(file).as_fd())
        }
        // Its node isn't here, or isn't ours to open.
        Ok(_) => return Ok(Some(by_name())),
        Err(error) if error.is_out_of_reach() => return Ok(Some(by_name())),
        Err(error) => return Err(FailedCall::inspecting(&error)),
    };
    match backing {
        Ok(backing) => Ok(Some(backing_identity(&backing))),
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Ok(None),
        Err(error) => Err(FailedCall::reading(&node, &error)),
    }
}

fn swap_files(root: &Root) -> Result<Vec<DeviceUse>, FailedCall> {
    const SWAPS: &str = "/proc/swaps";
    let text = match root.read(SWAPS).map_err(|error| FailedCall::reading(SWAPS, &error))? {
        // Its heading is always there: something empty was mounted over it.
        Some(text) if text.is_empty() => return Err(FailedCall::absent(SWAPS)),
        Some(text) => text,
        // A kernel without swap has no such file.
        None if root.path("/proc/self").exists() => return Ok(Vec::new()),
        None => return Err(FailedCall::absent(SWAPS)),
    };
    let names = text.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().next());
    let files =
        names.map(mountinfo::unescape).map(|name| (Identity::read_identity(root, Path::new(&name)), name));
    Ok(files
        .filter(|(what, _)| !matches!(what, Identity::Device(_)))
        .map(|(what, name)| DeviceUse::new(root, what, &name, Holder::Swap))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_held_by_servers_are_found() {
        for (text, expected) in [
            ("/srv/a b.img\n[key]", Some("/srv/a b.img")),
            (
                "Status: ACTIVATED\n        \
                 TCM FILEIO ID: 0        File: /srv/a b.img  Size: 5  Mode: O_DSYNC",
                Some("/srv/a b.img"),
            ),
            (
                "Status: ACTIVATED\n        iBlock device: sdb  UDEV PATH: /dev/sdb\n        Major: 8",
                Some("/dev/sdb"),
            ),
            ("none", None),
            ("", None),
        ] {
            assert_eq!(named_in(text), expected, "{text:?}");
        }
        assert_eq!(parent_name("/sys/kernel/config/target/core/fileio_0/disk/info"), "fileio_0/disk");
        assert_eq!(parent_name("/sys/block/nbd0/backend"), "nbd0");
    }
}
