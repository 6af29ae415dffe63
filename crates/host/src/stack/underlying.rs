//! Finds the first devices under a file, by type of file system.

use crate::device::Device;
use crate::file_place::FileLocation;
use crate::mountinfo::{self, Mount};
use crate::root::Root;
use crate::stacked::Layers;
use crate::usage::{devices_of, instances};
use diskspd_machine::file_systems::{DataHome, FileSystemType};
use diskspd_machine::stack::StackMount;
use diskspd_sys::failed_call::FailedCall;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) enum MissingDevices {
    Unknown(String),
    Memory(String),
    HiddenMemory(String),
}

impl MissingDevices {
    pub(super) fn new(why: impl Into<String>) -> MissingDevices {
        MissingDevices::Unknown(why.into())
    }

    pub(super) fn is_memory(&self) -> bool {
        !matches!(self, MissingDevices::Unknown(_))
    }

    pub(super) fn why(self) -> String {
        let (MissingDevices::Unknown(why) | MissingDevices::Memory(why) | MissingDevices::HiddenMemory(why)) =
            self;
        why
    }

    pub(super) fn with_text(self, about: impl Fn(&str) -> String) -> MissingDevices {
        match self {
            MissingDevices::Unknown(why) => MissingDevices::Unknown(about(&why)),
            MissingDevices::Memory(why) => MissingDevices::Memory(about(&why)),
            MissingDevices::HiddenMemory(why) => MissingDevices::HiddenMemory(about(&why)),
        }
    }
}

pub(super) struct UnderlyingDevices {
    pub devices: Vec<Device>,
    pub file_system: String,
    /// File systems in between, the upper one first; an overlay has several.
    pub mounts: Vec<StackMount>,
}

impl UnderlyingDevices {
    pub(super) fn file(
        root: &Root,
        place: &FileLocation,
        nesting: u32,
    ) -> Result<UnderlyingDevices, MissingDevices> {
        let mount = place.mount(root);
        let known = place.number.and_then(|number| Device::find(root, number));
        let Some(mount) = mount else {
            let file_system = String::new();
            let alone = |device| UnderlyingDevices { devices: vec![device], file_system, mounts: Vec::new() };
            return known.map(alone).ok_or_else(|| {
                MissingDevices::new("its file system is not mounted where this process can see it")
            });
        };
        if FileSystemType::from_name(&mount.file_system).home == DataHome::Overlay {
            return resolve_overlay(root, &mount, &place.path, nesting);
        }
        if let Some(without) = without_device(&mount) {
            return Err(without);
        }
        let own = devices_of(root, &mount);
        let member = |devices: &[Device]| devices.iter().any(|device| own.contains(&device.number));
        let many =
            instances(root).into_iter().find(|(kind, devices)| *kind == mount.file_system && member(devices));
        let devices = match many {
            Some((_, devices)) => devices,
            None => {
                let main = known.or_else(|| own.iter().find_map(|number| Device::find(root, *number)));
                let others = main.as_ref().map_or_else(Vec::new, |main| other_devices(root, &mount, main));
                main.into_iter().chain(others).collect()
            }
        };
        match devices.is_empty() {
            true => {
                // As in a container that hides it: then no device is known at all.
                const NUMBERS: &str = "/sys/dev/block";
                let why = match std::fs::read_dir(root.path(NUMBERS)) {
                    Ok(_) => String::new(),
                    Err(error) => {
                        let failed = FailedCall::reading(NUMBERS, &error);
                        format!(": {failed}; {}", failed.remedy())
                    }
                };
                Err(MissingDevices::new(format!("no block device is known below {}{why}", mount.file_system)))
            }
            false => {
                let mounts = vec![describe_mount(&mount)];
                Ok(UnderlyingDevices { devices, file_system: mount.file_system, mounts })
            }
        }
    }
}

fn describe_mount(mount: &Mount) -> StackMount {
    let Mount { at, file_system, options, .. } = mount.clone();
    StackMount { mount_point: at, kind: file_system, options }
}

/// Returns further devices of a file system: external journals, and realtime data (XFS).
fn other_devices(root: &Root, mount: &Mount, main: &Device) -> Vec<Device> {
    let option = |option: &str| {
        let node = ["logdev=", "rtdev="].iter().find_map(|name| option.strip_prefix(name))?;
        Device::of_node(root, node)
    };
    let mut found: Vec<Device> = match mount.file_system.as_str() {
        "xfs" => mount.options.split(',').filter_map(option).collect(),
        "ext4" | "ext3" => external_journal(root, main).into_iter().collect(),
        _ => Vec::new(),
    };
    found.retain(|device| device.number != main.number);
    found
}

/// The device of an external ext4 journal. The kernel names the journal's thread after it, with the inode
/// number if the journal is within the file system; the name may be truncated.
fn external_journal(root: &Root, main: &Device) -> Option<Device> {
    let task = root.text(format!("/sys/fs/ext4/{}/journal_task", main.name))?;
    let begin = root.text(format!("/proc/{task}/comm"))?.strip_prefix("jbd2/")?.to_owned();
    let journals = root.names("/proc/fs/jbd2");
    let mut named = journals.iter().filter(|name| name.starts_with(&begin));
    let journal = named.next().filter(|_| named.next().is_none())?;
    Device::find_by_name(root, journal)
}

/// Returns the reason for a file system without a counted block device.
fn without_device(mount: &Mount) -> Option<MissingDevices> {
    let kind = mount.file_system.as_str();
    let option = |name: &str| mount.options.split(',').any(|option| option == name);
    let why = match FileSystemType::from_name(kind).home {
        DataHome::Memory => return Some(MissingDevices::Memory(format!("{kind} keeps its files in memory"))),
        DataHome::Pool => {
            format!("{kind} does not report the devices of a file; see zpool iostat")
        }
        DataHome::Flash => format!("{kind} is on raw flash (MTD)"),
        DataHome::Host => format!(
            "{kind}: the files are in the host's file system, whose devices are not \
            visible from here"
        ),
        DataHome::Program => format!("{kind}: a program serves the files from an unknown place"),
        DataHome::Network => {
            format!("{kind}: the files are on another host, whose devices are not visible from here")
        }
        DataHome::Kernel => format!("{kind} holds settings and statistics of the kernel, not data"),
        DataHome::Devices | DataHome::Overlay | DataHome::Unknown
            if option("dax") || option("dax=always") =>
        {
            format!("{kind} gives direct access to persistent memory (DAX), which the kernel does not count")
        }
        DataHome::Devices | DataHome::Overlay | DataHome::Unknown => return None,
    };
    Some(MissingDevices::Unknown(why))
}

/// Finds a file of an overlay in the uppermost directory that contains it.
fn resolve_overlay(
    root: &Root,
    mount: &Mount,
    path: &Path,
    nesting: u32,
) -> Result<UnderlyingDevices, MissingDevices> {
    let hidden = || MissingDevices::new("overlay: its directories are in another mount namespace");
    if nesting == 0 {
        return Err(hidden());
    }
    let directories: Vec<PathBuf> = Layers::parse(&mount.options).all().collect();
    let inner = mount.inner(path);
    let mounts = root.mounts();
    for directory in &directories {
        let file = directory.join(&inner);
        // In a container the host's paths may exist by chance: then they are in the overlay itself.
        let itself = mountinfo::holding(&mounts, &file).is_none_or(|found| found == mount);
        if !itself && root.path(&file).exists() {
            let found =
                UnderlyingDevices::file(root, &FileLocation::from_path(file), nesting - 1).map(|found| {
                    UnderlyingDevices {
                        mounts: [vec![describe_mount(mount)], found.mounts].concat(),
                        ..found
                    }
                });
            return found.map_err(|without| match without {
                MissingDevices::Unknown(why) => MissingDevices::Unknown(why),
                MissingDevices::Memory(why) | MissingDevices::HiddenMemory(why) => {
                    MissingDevices::HiddenMemory(format!(
                        "the overlay at {} has this file in {}, and {why}",
                        mount.at,
                        directory.display()
                    ))
                }
            });
        }
    }
    // Relative to where whoever mounted it was then: nobody remembers.
    match directories.iter().any(|directory| directory.is_relative()) {
        true => Err(MissingDevices::new(
            "overlay: it was mounted with relative paths, which cannot be followed; mount it with absolute \
             ones",
        )),
        false => Err(hidden()),
    }
}
