//! The devices right beneath a file, by the file system that holds it.

use crate::device::Device;
use crate::file_place::FilePlace;
use crate::mountinfo::{self, Mount};
use crate::root::Root;
use crate::stacked::Layers;
use crate::usage::{devices_of, instances};
use diskspd_model::machine::file_systems::{FileSystemType, Home};
use diskspd_sys::failed_call::FailedCall;
use std::path::{Path, PathBuf};

/// Why a file has no device, in words.
#[derive(Debug)]
pub(super) enum Without {
    /// It lies elsewhere, or nobody knows where.
    Unknown(String),
    /// It lies in memory, as its file system says.
    Memory(String),
    /// It lies in memory, which its file system hides.
    HiddenMemory(String),
}

impl Without {
    pub fn unknown(why: impl Into<String>) -> Without {
        Without::Unknown(why.into())
    }

    pub fn is_memory(&self) -> bool {
        !matches!(self, Without::Unknown(_))
    }

    pub fn why(self) -> String {
        let (Without::Unknown(why) | Without::Memory(why) | Without::HiddenMemory(why)) = self;
        why
    }

    /// The same, said of something else.
    pub fn told(self, about: impl Fn(&str) -> String) -> Without {
        match self {
            Without::Unknown(why) => Without::Unknown(about(&why)),
            Without::Memory(why) => Without::Memory(about(&why)),
            Without::HiddenMemory(why) => Without::HiddenMemory(about(&why)),
        }
    }
}

/// The devices right beneath a file.
pub(super) struct Beneath {
    pub devices: Vec<Device>,
    pub file_system: String,
}

impl Beneath {
    pub fn file(root: &Root, place: &FilePlace, nesting: u32) -> Result<Beneath, Without> {
        let mount = place.mount(root);
        let known = place.number.and_then(|number| Device::of(root, number));
        let Some(mount) = mount else {
            let file_system = String::new();
            return known.map(|device| Beneath { devices: vec![device], file_system }).ok_or_else(|| {
                Without::unknown("its file system isn't mounted where this process can see it")
            });
        };
        if FileSystemType::named(&mount.file_system).home == Home::Overlay {
            return overlay(root, &mount, &place.path, nesting);
        }
        if let Some(without) = deviceless(&mount) {
            return Err(without);
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
                Err(Without::unknown(format!("no block device is known beneath {}{why}", mount.file_system)))
            }
            false => Ok(Beneath { devices, file_system: mount.file_system }),
        }
    }
}

/// Why a file system has no block device, or none that would count.
fn deviceless(mount: &Mount) -> Option<Without> {
    let kind = mount.file_system.as_str();
    let option = |name: &str| mount.options.split(',').any(|option| option == name);
    let why = match FileSystemType::named(kind).home {
        Home::Memory => return Some(Without::Memory(format!("{kind} keeps its files in memory"))),
        Home::Pool => {
            format!("{kind} doesn't report the devices of a file; see zpool iostat")
        }
        Home::Flash => format!("{kind} is on raw flash (MTD)"),
        Home::Host => format!("{kind}: the files are the host's, whose devices can't be seen from here"),
        Home::Program => format!("{kind}: a program serves the files from an unknown place"),
        Home::Network => {
            format!("{kind}: the files are on another host, whose devices can't be seen from here")
        }
        Home::Kernel => format!("{kind} holds settings and statistics of the kernel, not data"),
        Home::Devices | Home::Overlay | Home::Unknown if option("dax") || option("dax=always") => {
            format!("{kind} gives direct access to persistent memory (DAX), which the kernel doesn't count")
        }
        Home::Devices | Home::Overlay | Home::Unknown => return None,
    };
    Some(Without::Unknown(why))
}

/// A file of an overlay is one of the uppermost of its directories that has it.
fn overlay(root: &Root, mount: &Mount, path: &Path, nesting: u32) -> Result<Beneath, Without> {
    let hidden = || Without::unknown("overlay: its directories are in another mount namespace");
    if nesting == 0 {
        return Err(hidden());
    }
    let directories: Vec<PathBuf> = Layers::parse(&mount.options).all().collect();
    let inner = mount.inner(path);
    let mounts = root.mounts();
    for directory in &directories {
        let file = directory.join(&inner);
        // In a container the host's paths may exist by chance: then they are in the overlay itself.
        let itself = mountinfo::holding(&mounts, &file).is_none_or(|found| found == *mount);
        if !itself && root.path(&file).exists() {
            return Beneath::file(root, &FilePlace::at(file), nesting - 1).map_err(|without| match without {
                Without::Unknown(why) => Without::Unknown(why),
                Without::Memory(why) | Without::HiddenMemory(why) => Without::HiddenMemory(format!(
                    "the overlay at {} has this file in {}, and {why}",
                    mount.at,
                    directory.display()
                )),
            });
        }
    }
    // Relative to where whoever mounted it was then: nobody remembers.
    match directories.iter().any(|directory| directory.is_relative()) {
        true => Err(Without::unknown(
            "overlay: it was mounted with relative paths, which can't be followed; mount it with absolute \
             ones",
        )),
        false => Err(hidden()),
    }
}
