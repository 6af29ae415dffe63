//! What holds files and devices without a claim that the kernel would mind: loop devices, swap files,
//! storage servers.

use super::device::{Device, DeviceNumber, split};
use super::mountinfo;
use super::root::Root;
use diskspd_sys::files;
use diskspd_sys::loops;
use rustix::fs::FileType;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// What a name leads to, whatever other names it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// A regular file: (major, minor) of its file system, and its inode there.
    File(DeviceNumber, u64),
    /// A block device.
    Device(DeviceNumber),
    /// Nothing more is known than the name: it leads nowhere from here.
    Named(PathBuf),
}

impl Identity {
    /// Of what is at a path of the machine.
    pub fn at(root: &Root, path: &Path) -> Identity {
        match rustix::fs::stat(root.path(path)) {
            Ok(found) => Identity::of(&found),
            Err(_) => {
                let node = path.to_str().filter(|path| path.starts_with("/dev/"));
                let device = node.and_then(|node| Device::of_node(root, node));
                device.map_or(Identity::Named(path.into()), |device| Identity::Device(device.number))
            }
        }
    }

    /// Of what `stat` has found.
    pub fn of(found: &rustix::fs::Stat) -> Identity {
        match FileType::from_raw_mode(found.st_mode) {
            FileType::BlockDevice => Identity::Device(split(found.st_rdev)),
            _ => Identity::File(split(found.st_dev), found.st_ino),
        }
    }
}

/// Something that is held.
#[derive(Debug, Clone)]
pub(super) struct Holding {
    /// What is held.
    pub what: Identity,
    /// As the holder calls it.
    pub name: String,
    /// By whom.
    pub by: Holder,
}

/// Who holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holder {
    /// A loop device.
    Loop(Device),
    /// It's a swap file. Devices that are swap space are left to [`super::usage`].
    Swap,
    /// A server or driver of this machine that gives it to others, described.
    Server(String),
}

/// Why it can't be found out what is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// What is missing.
    pub why: String,
    /// It isn't there at all, as in a container without /sys, or isn't ours to read; else reading it failed.
    pub absent: bool,
}

impl Unknown {
    pub(super) fn absent(why: impl Into<String>) -> Unknown {
        Unknown { why: why.into(), absent: true }
    }

    pub(super) fn unread(what: impl AsRef<Path>) -> impl Fn(io::Error) -> Unknown {
        move |error| Unknown {
            why: format!("{} can't be read: {error}", what.as_ref().display()),
            absent: error.kind() == io::ErrorKind::PermissionDenied,
        }
    }
}

/// Files of servers and drivers that name what they hold, `*` for any name, and what these are called.
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

/// All that is held on the machine.
///
/// # Errors
/// It can't be found out: less than all is as good as nothing.
pub(super) fn all(root: &Root) -> Result<Vec<Holding>, Unknown> {
    let mut holdings = loops(root)?;
    holdings.extend(swap_files(root)?);
    for (pattern, name) in SERVERS {
        for file in expand(root, pattern)? {
            let text = root.read(&file).map_err(Unknown::unread(&file))?.unwrap_or_default();
            let Some(held) = named_in(&text) else { continue };
            let what = Identity::at(root, Path::new(held));
            let by = Holder::Server(format!("{name} ({})", parent_name(&file)));
            holdings.push(Holding { what, name: held.to_owned(), by });
        }
    }
    // Documentation/admin-guide/md.rst: an array's bitmap can be a file.
    let arrays = root.read("/proc/mdstat").map_err(Unknown::unread("/proc/mdstat"))?.unwrap_or_default();
    for file in arrays.lines().filter_map(|line| line.trim().split_once(", file: ")).map(|(_, file)| file) {
        let what = Identity::at(root, Path::new(file));
        let by = Holder::Server("a RAID, as its bitmap".into());
        holdings.push(Holding { what, name: file.to_owned(), by });
    }
    Ok(holdings)
}

/// The path in a file of a server: all of its first line, or what is behind `File: ` or `PATH: ` in a line
/// of LIO's.
fn named_in(text: &str) -> Option<&str> {
    let first = text.lines().next().filter(|line| line.starts_with('/'));
    let told = || {
        let (_, rest) = text.split_once(" File: ").or_else(|| text.split_once(" PATH: "))?;
        let end = rest.find("  ").or_else(|| rest.find('\n')).unwrap_or(rest.len());
        rest.get(..end).map(str::trim).filter(|path| path.starts_with('/'))
    };
    first.or_else(told)
}

/// The directory that a file is in, without that in which a mere number is.
fn parent_name(file: &str) -> String {
    let mut names = file.rsplit('/').skip(1);
    match (names.next(), names.next()) {
        (Some(name), Some(before)) if before != "devices" && before != "block" => format!("{before}/{name}"),
        (Some(name), _) => name.to_owned(),
        _ => String::new(),
    }
}

/// The files that a pattern stands for.
fn expand(root: &Root, pattern: &str) -> Result<Vec<String>, Unknown> {
    let Some((directory, rest)) = pattern.split_once("/*") else { return Ok(vec![pattern.to_owned()]) };
    let mut found = Vec::new();
    for name in root.list(directory).map_err(Unknown::unread(directory))? {
        found.extend(expand(root, &format!("{directory}/{name}{rest}"))?);
    }
    Ok(found)
}

fn loops(root: &Root) -> Result<Vec<Holding>, Unknown> {
    const DEVICES: &str = "/sys/class/block";
    let names = root.list(DEVICES).map_err(Unknown::unread(DEVICES))?;
    if names.is_empty() {
        return Err(Unknown::absent(format!("{DEVICES} is not there")));
    }
    let mut found = Vec::new();
    for name in names.iter().filter(|name| name.starts_with("loop")) {
        let file = format!("{DEVICES}/{name}/loop/backing_file");
        let Some(backing) = root.read(&file).map_err(Unknown::unread(&file))? else { continue };
        let Some(device) = Device::named(root, name) else { continue };
        if let Some(what) = behind(root, &device, &backing)? {
            found.push(Holding { what, name: backing, by: Holder::Loop(device) });
        }
    }
    Ok(found)
}

/// What is behind a loop device whose file has this name, as far as it can be seen from here; `None` =
/// nothing any more.
fn behind(root: &Root, device: &Device, name: &str) -> Result<Option<Identity>, Unknown> {
    let by_name = || Identity::at(root, Path::new(name));
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
        Err(error) => return Err(Unknown { why: error.to_string(), absent: false }),
    };
    match backing {
        Ok(backing) if backing.itself != (0, 0) => Ok(Some(Identity::Device(backing.itself))),
        Ok(backing) => Ok(Some(Identity::File(backing.device, backing.inode))),
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Ok(None),
        Err(error) => Err(Unknown::unread(&node)(error)),
    }
}

fn swap_files(root: &Root) -> Result<Vec<Holding>, Unknown> {
    const SWAPS: &str = "/proc/swaps";
    // A kernel without swap has no such file.
    let text = root.read(SWAPS).map_err(Unknown::unread(SWAPS))?.unwrap_or_default();
    let names = text.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().next());
    let files = names.map(mountinfo::unescape).map(|name| (Identity::at(root, Path::new(&name)), name));
    Ok(files
        .filter(|(what, _)| !matches!(what, Identity::Device(_)))
        .map(|(what, name)| Holding { what, name, by: Holder::Swap })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_servers_hold_is_read_from_their_files() {
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
