//! Volumes and disks, asked.

use crate::windows::disk_answers::*;
use crate::windows::layers::{DiskProperties, VolumeBeneath, stack as stack_of, stack_of_disk};
use crate::windows::uses::{
    DiskFound, OpenFound, PathKind, VolumeFound, disk_name, page_files as plain, path_kind,
};
use diskspd_base::message_error::MessageError;
use diskspd_machine::stack::Stack;
use diskspd_sys::registry;
use diskspd_sys::storage_answers::*;
use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::path::Path;

/// Properties by their numbers (`STORAGE_PROPERTY_ID`).
const DEVICE: u32 = 0;
const ADAPTER: u32 = 1;
const WRITE_CACHE: u32 = 4;
const ALIGNMENT: u32 = 6;
const SEEK_PENALTY: u32 = 7;

/// Registry key with the paging files in use.
const MEMORY: &str = r"SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management";

pub(super) fn open(name: &str) -> io::Result<File> {
    let bare = name.strip_prefix(r"\\?\").unwrap_or(name);
    open_to_ask(Path::new(&format!(r"\\.\{bare}")))
}

pub(super) fn disks() -> Vec<u32> {
    let names = device_names().unwrap_or_default();
    let numbers = names.iter().filter_map(|name| name.strip_prefix("PhysicalDrive")?.parse().ok());
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

pub(super) fn properties(number: u32) -> DiskProperties {
    let Ok(disk) = open(&disk_name(number)) else {
        return DiskProperties { number, ..DiskProperties::default() };
    };
    let asked = |question| ask(&disk, question).ok().map(|answer| answer.bytes);
    let property = |id| asked(StorageQuery::Property(id));
    DiskProperties {
        number,
        descriptor: property(DEVICE).and_then(|answer| Descriptor::parse(&answer)),
        size: asked(StorageQuery::Geometry).and_then(|answer| disk_size(&answer)),
        sectors: property(ALIGNMENT).and_then(|answer| sectors(&answer)),
        rotates: property(SEEK_PENALTY).and_then(|answer| rotates(&answer)),
        writes_back: property(WRITE_CACHE).and_then(|answer| writes_back(&answer)),
        largest_transfer: property(ADAPTER).and_then(|answer| largest_transfer(&answer)),
        counted: is_counted(&disk),
    }
}

fn is_counted(device: &File) -> bool {
    let answer = ask(device, StorageQuery::Performance);
    answer.is_ok_and(|answer| Performance::parse(&answer.bytes).is_some())
}

pub(super) fn disk(number: u32) -> DiskFound {
    let answer = open(&disk_name(number)).and_then(|disk| ask(&disk, StorageQuery::Layout));
    DiskFound { number, partitions: answer.ok().and_then(|answer| partitions(&answer.bytes)) }
}

/// Queries an open device by its handle. Only the partitions of a volume's disk need the disk's name,
/// which contains its number while the volume is open.
pub(super) fn open_found(named: PathKind, device: &impl AsHandle) -> OpenFound {
    let asked = |question| ask(device, question).ok().map(|answer| answer.bytes);
    let number = asked(StorageQuery::DeviceNumber).and_then(|answer| DeviceNumber::parse(&answer));
    if let PathKind::Disk(_) = named {
        let partitions = asked(StorageQuery::Layout).and_then(|answer| partitions(&answer));
        return OpenFound { number, partitions, ..OpenFound::default() };
    }
    OpenFound {
        number,
        partitions: number.and_then(|number| disk(number.disk).partitions),
        extents: asked(StorageQuery::Extents).and_then(|answer| extents_of(&answer)),
        file_system: file_system(information_of(device)),
    }
}

/// Returns the sector size of a disk or volume in bytes, the alignment of all its I/Os.
pub(super) fn sector(device: &impl AsHandle) -> Option<u32> {
    let asked = |question| ask(device, question).ok().map(|answer| answer.bytes);
    let told = asked(StorageQuery::Property(ALIGNMENT)).and_then(|answer| sectors(&answer));
    let geometry = || asked(StorageQuery::Geometry).and_then(|answer| disk_sector(&answer));
    told.map(|(logical, _)| logical).or_else(geometry)
}

/// Returns all volumes on disks.
pub(super) fn volumes_found() -> io::Result<Vec<VolumeFound>> {
    let local = |volume: &String| drive_kind(volume) != DriveKind::Optical;
    Ok(volumes()?.into_iter().filter(local).map(|volume| read_volume(&volume)).collect())
}

fn read_volume(volume: &str) -> VolumeFound {
    let at = mounted_at(volume).unwrap_or_default();
    let name = short_name(&at, volume);
    let extents = open(&name).and_then(|volume| ask(&volume, StorageQuery::Extents));
    let extents = extents.ok().and_then(|answer| extents_of(&answer.bytes));
    let disks = extents.map(|extents| extents.iter().map(|extent| extent.disk).collect());
    VolumeFound { name, at, file_system: file_system(information(volume)), disks }
}

/// Returns the file system of a volume; `None` if Windows does not recognize it. A locked, encrypted or
/// damaged volume does not report its content, so it may be in use.
fn file_system(told: io::Result<VolumeInformation>) -> Option<String> {
    match told {
        Ok(found) => Some(found.file_system.to_lowercase()).filter(|kind| !kind.is_empty() && kind != "raw"),
        Err(error) => (!is_empty(&error)).then(|| "an unreadable one".to_owned()),
    }
}

fn is_empty(error: &io::Error) -> bool {
    // ERROR_NOT_READY, ERROR_UNRECOGNIZED_VOLUME
    matches!(error.raw_os_error(), Some(21 | 1005))
}

fn short_name(at: &[String], volume: &str) -> String {
    let letter = at.iter().find(|at| at.len() == 3 && at.ends_with(r":\"));
    letter.map_or(volume, |at| at).trim_end_matches('\\').to_owned()
}

/// Returns the paging files in use.
pub(super) fn page_files() -> Vec<String> {
    plain(&registry::texts(MEMORY, "ExistingPageFiles"))
}

/// Returns the volume of a path, existing or not, and the numbers of its disks.
///
/// # Errors
/// Fails if there are no disks, or the system does not report them.
pub(super) fn find_volume(path: &Path) -> Result<VolumeBeneath, MessageError> {
    let not = |why: &str| MessageError::from(why);
    let root = volume_path(path).map_err(|error| format!("Windows does not report its volume: {error}"))?;
    match drive_kind(&root) {
        DriveKind::Remote => {
            return Err(not("its files are on another host, and Windows does not report its disks"));
        }
        DriveKind::Memory => return Err(not("it is a RAM disk")),
        _ => {}
    }
    let volume = volume_name(&root).ok_or_else(|| not("Windows does not report the name of its volume"))?;
    let name = short_name(&mounted_at(&volume).unwrap_or_else(|_| vec![root.clone()]), &volume);
    let file_system = information(&root).map(|found| found.file_system.to_lowercase()).unwrap_or_default();
    let asked = open(&name).and_then(|device| Ok((ask(&device, StorageQuery::Extents)?, device)));
    let (answer, device) =
        asked.map_err(|error| format!("the disks below {name} cannot be read: {error}"))?;
    let extents =
        extents_of(&answer.bytes).ok_or_else(|| not("Windows' answer about its disks is invalid"))?;
    let file_system = Some(file_system);
    Ok(VolumeBeneath { name, file_system, extents, counted: is_counted(&device) })
}

/// Returns the stack of an existing file; for a disk or volume, the stack includes the device.
pub fn stack(path: &Path) -> Stack {
    let beneath = match path_kind(&path.to_string_lossy()) {
        PathKind::Disk(number) => return stack_of_disk(&properties(number)),
        PathKind::Volume(letter) => {
            find_volume(Path::new(&format!(r"{letter}:\"))).map(|volume| VolumeBeneath {
                // Its I/Os don't pass through one.
                file_system: None,
                ..volume
            })
        }
        PathKind::Device | PathKind::File => find_volume(path),
    };
    match beneath {
        Err(why) => Stack::without(why.to_string()),
        Ok(volume) => {
            let mut numbers: Vec<u32> = volume.extents.iter().map(|extent| extent.disk).collect();
            numbers.sort_unstable();
            numbers.dedup();
            stack_of(&volume, &numbers.into_iter().map(properties).collect::<Vec<_>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volume_and_disk_of_file_are_found_or_reason() {
        let folder = tempfile::tempdir().unwrap();
        let found = stack(&folder.path().join("new"));
        assert!(found.without.is_some() != !found.layers.is_empty(), "{found:?}");
        let numbers = disks();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
        assert!(volumes_found().unwrap().iter().all(|volume| !volume.name.ends_with('\\')));
        assert_eq!(short_name(&[r"D:\mounted\".into(), r"E:\".into()], r"\\?\Volume{1}\"), "E:");
        assert_eq!(short_name(&[r"D:\mounted\".into()], r"\\?\Volume{1}\"), r"\\?\Volume{1}");
    }
}
