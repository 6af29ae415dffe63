//! Properties and storage of a target.

use super::found::{find_volume, properties};
use super::locate::locate;
use crate::windows::uses::{PathKind, disk_name, path_kind};
use diskspd_base::path::path as as_path;
use diskspd_machine::arrays::ArrayFacts;
use diskspd_machine::storage::{BlockDevice, FileSystem, Storage};
use diskspd_machine::target::DirectRequirements;
use diskspd_profile::RawText;
use diskspd_sys::raw_devices::may_be_device;
use diskspd_sys::storage_answers::*;
use std::path::{Path, PathBuf};

/// Volume flags that affect performance (`GetVolumeInformationByHandleW`), in the form of mount options.
const FLAGS: [(u32, &str); 3] = [(0x8000, "compressed"), (0x8_0000, "ro"), (0x2000_0000, "dax")];

pub fn arrays_beneath(_targets: &[RawText]) -> Vec<ArrayFacts> {
    Vec::new()
}

/// Returns the storage of a target on this machine; for a missing target, the storage of its folder.
pub fn storage(target: &RawText) -> Storage {
    let place = match locate(target.as_bytes()) {
        Ok(place) if may_be_device(&place) => {
            let device = find_device(&place);
            return Storage { path: target.clone(), device, ..Storage::default() };
        }
        _ => as_path(target.as_bytes()).into_owned(),
    };
    let Ok(root) = volume_path(&place) else { return Storage { path: target.clone(), ..Storage::default() } };
    let Ok(found) = information(&root) else { return Storage { path: target.clone(), ..Storage::default() } };
    let flags = FLAGS.iter().filter(|(flag, _)| found.flags & flag != 0).map(|(_, word)| *word);
    let room = room(&root);
    let file_system = FileSystem {
        kind: kind(&root, &found.file_system),
        options: flags.collect::<Vec<_>>().join(","),
        block_size: room.map(|room| room.cluster),
        size: room.map(|room| room.size),
        available: room.map(|room| room.available),
        mounted_at: root,
    };
    let device = find_volume(&place).ok().and_then(|volume| {
        let disk = properties(volume.extents.first()?.disk);
        Some(disk.block_device(&volume.name))
    });
    Storage { path: target.clone(), file_system: Some(file_system), device }
}

/// Returns the disk or volume that is the target itself.
fn find_device(place: &Path) -> Option<BlockDevice> {
    match path_kind(&place.to_string_lossy()) {
        PathKind::Disk(number) => {
            let disk = properties(number).block_device(&disk_name(number));
            Some(BlockDevice { disk: None, ..disk })
        }
        PathKind::Volume(letter) => {
            let volume = find_volume(Path::new(&format!(r"{letter}:\"))).ok()?;
            Some(properties(volume.extents.first()?.disk).block_device(&volume.name))
        }
        PathKind::Device | PathKind::File => None,
    }
}

fn kind(root: &str, told: &str) -> String {
    let kind = told.to_lowercase();
    if drive_kind(root) == DriveKind::Remote { format!("smb3.{kind}") } else { kind }
}

/// Returns the file system at a path, and the alignment of unbuffered I/O: sectors, also for memory
/// (`FILE_FLAG_NO_BUFFERING`). `None` if unknown.
pub(crate) fn at(path: &Path) -> Option<(String, Option<DirectRequirements>)> {
    let root = volume_path(path).ok()?;
    let kind = kind(&root, &information(&root).ok()?.file_system);
    let sector = room(&root).map(|room| room.sector).filter(|sector| sector.is_power_of_two());
    Some((kind, sector.map(|sector| DirectRequirements { offset: sector, memory: sector })))
}

/// Returns the first missing folder of a path; `None` = all exist.
pub(crate) fn missing_folder(path: &Path) -> Option<PathBuf> {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.take_while(|folder| !folder.exists()).last().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_has_file_system_and_sector_size() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new");
        let (kind, direct) = at(&file).unwrap();
        assert!(!kind.is_empty() && kind == kind.to_lowercase());
        assert!(direct.unwrap().offset >= 512);
        let found = storage(&file.to_str().unwrap().into());
        let system = found.file_system.unwrap();
        assert_eq!(system.kind, kind);
        assert!(system.mounted_at.ends_with('\\') && system.size >= system.available);
        assert_eq!(missing_folder(&file), None);
        assert_eq!(missing_folder(&file.join("a").join("b")), Some(file));
    }
}
