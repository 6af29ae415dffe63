//! Identity of a rank's targets, for comparison with other ranks.

use crate::host::root::Root;
use crate::host::{mounted, name_of_world, target};
use crate::machine::file_systems::{DataHome, FileSystemType};
use crate::profile::{Profile, RawText};
use crate::ranks::target_location::{DISK, TargetLocation};
use crate::sys::inode::{self, Kind};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Returns the identity of the running kernel, shared by its containers; empty = unknown.
pub(super) fn machine() -> String {
    crate::host::boot(&Root::live_system()).unwrap_or_default()
}

/// Returns an identity for processes with the same clocks: the running kernel and the time namespace;
/// empty = unknown. Kernels without such namespaces have one clock.
pub(super) fn clock() -> String {
    let namespace = std::fs::read_link("/proc/self/ns/time").unwrap_or_default();
    let machine = machine();
    if machine.is_empty() { machine } else { format!("{machine} {}", namespace.display()) }
}

/// Returns an identity for processes that see the same devices by the same paths: the running kernel,
/// mount namespace, root and working directory; empty = unknown.
pub(super) fn view() -> String {
    let link = |name: &str| std::fs::read_link(format!("/proc/self/{name}")).ok();
    let parts = ["ns/mnt", "root", "cwd"].map(link);
    let known = parts.iter().all(Option::is_some) && !machine().is_empty();
    let parts = parts.iter().flatten().map(|part| part.display().to_string());
    if known { [machine()].into_iter().chain(parts).collect::<Vec<_>>().join(" ") } else { String::new() }
}

pub(super) fn places(profile: &Profile) -> Vec<TargetLocation> {
    let ids = crate::profile::TargetIds::from_profile(profile);
    let machine = machine();
    ids.paths().iter().map(|path| TargetLocation { machine: machine.clone(), ..target_place(path) }).collect()
}

/// Returns the size of a target in bytes; 0 = it does not exist.
pub(super) fn size(path: &RawText) -> u64 {
    let located = target::locate(path.as_bytes()).ok();
    located.and_then(|at| target::probe(&at).ok()).map_or(0, |facts| facts.size)
}

fn target_place(path: &RawText) -> TargetLocation {
    let Ok(at) = target::locate(path.as_bytes()) else { return TargetLocation::default() };
    let at = std::path::absolute(&at).unwrap_or(at);
    match std::fs::metadata(&at) {
        Ok(found) if matches!(Kind::from_metadata(&found), Kind::BlockDevice) => device_place(&at, &found),
        Ok(found) => file_place(&at, &found, None),
        Err(_) => new_file(&at),
    }
}

fn device_place(at: &Path, found: &Metadata) -> TargetLocation {
    let name = name_of_world(at);
    TargetLocation {
        number: Some((0, inode::device_number(found))),
        may_be_shared: name.is_none(),
        shared: name.map(|name| format!("{DISK}{name}")),
        ..TargetLocation::default()
    }
}

fn file_place(at: &Path, found: &Metadata, new_name: Option<String>) -> TargetLocation {
    let (shared, may_be_shared) = match mounted(at) {
        Some((kind, source)) => file_system_reach(&kind, &source),
        None => (None, true),
    };
    TargetLocation {
        number: Some(inode::identity(found)),
        new_name,
        shared,
        may_be_shared,
        ..TargetLocation::default()
    }
}

fn file_system_reach(kind: &str, source: &str) -> (Option<String>, bool) {
    let of = FileSystemType::from_name(kind);
    match of.home {
        DataHome::Memory | DataHome::Overlay | DataHome::Flash | DataHome::Kernel => (None, false),
        // Those that several hosts have on one disk.
        DataHome::Devices => (None, ["gfs2", "ocfs2"].contains(&kind)),
        DataHome::Network => (Some(format!("{kind} {source}")), true),
        DataHome::Pool => (None, false),
        DataHome::Host | DataHome::Program | DataHome::Unknown => (None, true),
    }
}

/// A missing file: its nearest existing folder, and the rest of the path.
fn new_file(at: &Path) -> TargetLocation {
    let mut folder: PathBuf = at.to_owned();
    while folder.pop() {
        if let Ok(found) = std::fs::metadata(&folder) {
            let rest = at.strip_prefix(&folder).unwrap_or(at);
            return file_place(&folder, &found, Some(rest.to_string_lossy().into_owned()));
        }
    }
    TargetLocation::default()
}
