//! Layers between a target and its medium that reduce data: compression, deduplication.

use super::Reducer;
use crate::device::{Device, split};
use crate::mountinfo;
use crate::root::{Root, names, text};
use crate::usage::devices_of;
use diskspd_machine::file_systems::{FileSystemType, Trait};
use rustix::fs::{IFlags, Stat};
use std::fs::File;
use std::path::Path;

/// Maximum depth of stacked devices.
const DEPTH: u32 = 8;

const COMPRESSING: [&str; 4] = ["compress", "compress-force", "compression", "compress_algorithm"];

/// Returns the file system's reduction for a file. `allocated`, in bytes, is less than the written size on
/// compressing file systems.
pub(super) fn of_file_system(
    kind: &str,
    options: &str,
    file: &File,
    written: u64,
    allocated: u64,
) -> Option<Reducer> {
    let reducer = || {
        let option = options.split(',').find(|option| COMPRESSING.contains(&name_of(option)));
        let name = option.map_or(kind.to_owned(), |option| format!("{kind} ({option})"));
        Reducer { name, compresses: true, deduplicates: false }
    };
    let flagged = rustix::fs::ioctl_getflags(file).is_ok_and(|flags| flags.contains(IFlags::COMPRESSED));
    // Delayed allocation and rounding are no compression: by more than a tenth.
    let known = FileSystemType::from_name(kind);
    let smaller = known.has_trait(Trait::Shrinks) && allocated < written / 10 * 9;
    (flagged || smaller || known.has_trait(Trait::AlwaysCompressed)).then(reducer)
}

/// Returns the compression that these btrfs mount options apply to new data.
pub(super) fn by_option(kind: &str, options: &str) -> Option<Reducer> {
    let set = |option: &&str| COMPRESSING.contains(&name_of(option)) && !option.ends_with("=no");
    let option = options.split(',').find(set)?;
    Some(Reducer { name: format!("{kind} ({option})"), compresses: true, deduplicates: false })
}

fn name_of(option: &str) -> &str {
    option.split_once('=').map_or(option, |(name, _)| name)
}

pub(super) fn below(root: &Root, place: &Path, found: &Stat, is_device: bool) -> Vec<Reducer> {
    let number = split(if is_device { found.st_rdev } else { found.st_dev });
    let beneath = |device| {
        let mut reducers = Vec::new();
        collect_reducers(root, Some(device), DEPTH, &mut reducers);
        reducers
    };
    match Device::find(root, number) {
        Some(device) => root.reducers(number, || beneath(device)),
        None if is_device => Vec::new(),
        None => {
            let mut reducers = Vec::new();
            on_file_system(root, place, found.st_dev, DEPTH, &mut reducers);
            reducers
        }
    }
}

fn on_file_system(root: &Root, place: &Path, number: u64, depth: u32, reducers: &mut Vec<Reducer>) {
    let own = Device::find(root, split(number));
    if own.is_some() {
        return collect_reducers(root, own, depth, reducers);
    }
    // Where a file system has many devices, its own number is none of theirs.
    if let Some(mount) = mountinfo::holding(&root.mounts(), place) {
        for number in devices_of(root, mount) {
            collect_reducers(root, Device::find(root, number), depth, reducers);
        }
    }
}

fn collect_reducers(root: &Root, device: Option<Device>, depth: u32, reducers: &mut Vec<Reducer>) {
    let Some(device) = device.filter(|_| depth > 0) else { return };
    let device = device.whole_disk().unwrap_or(device);
    if let Some(reducer) = reducer(&device)
        && !reducers.contains(&reducer)
    {
        reducers.push(reducer);
    }
    let slaves = device.directory().join("slaves");
    for name in names(&slaves) {
        collect_reducers(root, Device::find_by_name(root, &name), depth - 1, reducers);
    }
    if let Some(file) = device.backing_file().map(|file| root.path(file))
        && let Ok(found) = rustix::fs::stat(&file)
    {
        on_file_system(root, &file, found.st_dev, depth - 1, reducers);
    }
}

fn reducer(device: &Device) -> Option<Reducer> {
    if device.name.starts_with("zram") {
        return Some(Reducer { name: device.name.clone(), compresses: true, deduplicates: false });
    }
    let uuid = text(&device.directory().join("dm/uuid"))?;
    // The VDO manager's own name, and what LVM appends to that of a VDO pool.
    (uuid.starts_with("VDO-") || uuid.ends_with("-vpool")).then(|| Reducer {
        name: format!("{device} (VDO)"),
        compresses: true,
        deduplicates: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn btrfs_mount_options_show_compression() {
        for (options, expected) in [
            ("rw,relatime,compress=zstd:3,space_cache", Some("btrfs (compress=zstd:3)")),
            ("rw,compress-force=lzo", Some("btrfs (compress-force=lzo)")),
            ("rw,compress", Some("btrfs (compress)")),
            ("rw,compress=no", None),
            ("rw,relatime", None),
            ("", None),
        ] {
            assert_eq!(
                by_option("btrfs", options).map(|reducer| reducer.name).as_deref(),
                expected,
                "{options}"
            );
        }
    }

    #[test]
    fn data_reducing_devices_are_found_at_any_depth() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::at(directory.path());
        let devices = directory.path().join("sys/devices/virtual/block");
        for (name, number, file, content) in [
            ("zram0", "252:0", "disksize", "1"),
            ("dm-0", "253:0", "dm/uuid", "LVM-abc-vpool"),
            ("dm-1", "253:1", "dm/uuid", "LVM-def"),
            ("sda", "8:0", "size", "1"),
        ] {
            let device = devices.join(name);
            std::fs::create_dir_all(device.join("dm")).unwrap();
            std::fs::create_dir_all(device.join("slaves")).unwrap();
            std::fs::write(device.join("dev"), number).unwrap();
            std::fs::write(device.join(file), content).unwrap();
            for link in ["sys/class/block", "sys/dev/block"] {
                let link = directory.path().join(link);
                std::fs::create_dir_all(&link).unwrap();
                let name = if link.ends_with("class/block") { name } else { number };
                std::os::unix::fs::symlink(&device, link.join(name)).unwrap();
            }
        }
        for (of, slave) in [("dm-1", "dm-0"), ("dm-0", "zram0"), ("sda", "sda")] {
            std::fs::write(devices.join(of).join("slaves").join(slave), "").unwrap();
        }
        let found = |name: &str| {
            let mut reducers = Vec::new();
            collect_reducers(&root, Device::find_by_name(&root, name), DEPTH, &mut reducers);
            reducers.into_iter().map(|reducer| (reducer.name, reducer.deduplicates)).collect::<Vec<_>>()
        };
        let (zram, vdo) = (("zram0".to_string(), false), ("/dev/dm-0 (VDO)".to_string(), true));
        assert_eq!(found("zram0"), std::slice::from_ref(&zram));
        assert_eq!(found("dm-1"), [vdo, zram]);
        assert_eq!(found("sda"), [], "a circle ends");
    }
}
