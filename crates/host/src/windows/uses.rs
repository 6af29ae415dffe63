//! Who uses a disk or a file: whatever would be hurt by writing to it behind its back.

use super::disk_answers::PartitionFound;
use crate::disks::{How, Use};
use diskspd_model::machine::target::is_drive_letter;

/// A volume, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VolumeFound {
    /// As a user finds it: `C:`, or its name where it has no letter.
    pub name: String,
    /// Where it is mounted; empty = nowhere.
    pub at: Vec<String>,
    /// Type of its file system; `None` = there is none that Windows knows.
    pub file_system: Option<String>,
    /// Numbers of the disks that it lies on; `None` = it isn't told.
    pub disks: Option<Vec<u32>>,
}

/// A disk, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DiskFound {
    /// n of `PhysicalDrive<n>`.
    pub number: u32,
    /// `None` = it isn't told.
    pub partitions: Option<Vec<PartitionFound>>,
}

/// It isn't known who uses a disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unknown {
    /// What is missing.
    pub why: String,
}

/// The name of a disk: `PhysicalDrive0`.
pub(super) fn disk_name(number: u32) -> String {
    format!("PhysicalDrive{number}")
}

/// All uses of a disk: by the file systems of volumes on it, by paging files of these, and by what it is a
/// part of. A file system counts whether it is mounted at a place or not: Windows mounts it when it is asked
/// for.
///
/// # Errors
/// Of a volume with a file system it isn't known where it lies, or the partitions of the disk aren't known.
pub(super) fn of_disk(
    disk: &DiskFound,
    volumes: &[VolumeFound],
    page_files: &[String],
) -> Result<Vec<Use>, Unknown> {
    let name = disk_name(disk.number);
    let Some(partitions) = &disk.partitions else {
        return Err(Unknown { why: format!("the partitions of {name} can't be read") });
    };
    let mut uses = Vec::new();
    for volume in volumes {
        let Some(file_system) = &volume.file_system else { continue };
        let Some(disks) = &volume.disks else {
            return Err(Unknown { why: format!("the disks beneath {} can't be read", volume.name) });
        };
        if disks.contains(&disk.number) {
            let at = volume.at.first().unwrap_or(&volume.name).clone();
            let how = How::Mounted { at, file_system: file_system.clone() };
            uses.push(Use { device: volume.name.clone(), how });
            let is_there = |file: &&String| volume.at.iter().any(|at| begins_with(file, at));
            let files = page_files.iter().filter(is_there);
            uses.extend(files.map(|file| Use { device: file.clone(), how: How::Swap }));
        }
    }
    let holders = partitions.iter().filter_map(|partition| Some((partition.number, partition.holder?)));
    for (number, holder) in holders {
        let device = format!("{name}, partition {number},");
        uses.push(Use { device, how: How::HeldBy { holder: holder.to_owned() } });
    }
    Ok(uses)
}

/// Why a file is in use: it is a paging file.
pub(super) fn of_file(path: &str, page_files: &[String]) -> Vec<Use> {
    let plain = |path: &str| path.trim_start_matches(r"\\?\").replace('/', r"\").to_lowercase();
    let is_it = |file: &&String| plain(file) == plain(path);
    let files = page_files.iter().filter(is_it);
    files.map(|file| Use { device: file.clone(), how: How::Swap }).collect()
}

/// Whether a path lies below a place, whatever the case of its letters.
fn begins_with(path: &str, place: &str) -> bool {
    path.to_lowercase().starts_with(&place.to_lowercase())
}

/// The paging files that the registry lists, without the system's own way of writing paths.
pub(super) fn page_files(listed: &[String]) -> Vec<String> {
    listed.iter().map(|file| file.strip_prefix(r"\??\").unwrap_or(file).to_owned()).collect()
}

/// A use, and what to do about it.
pub(super) fn told(used: &Use) -> String {
    let device = &used.device;
    match &used.how {
        How::Mounted { at, file_system } => format!(
            "{device} holds a file system ({file_system}, at {at}): take a disk without volumes, or \
             remove the volume first (Remove-Partition of PowerShell, which destroys what is on it)"
        ),
        How::Swap => format!("{device} is a paging file: Windows itself lives in it"),
        How::HeldBy { holder } => format!("{device} is part of {holder}: use what is made of it instead"),
        How::Member { file_system } => format!("{device} belongs to a {file_system}"),
        How::Served { by } => format!("{device} is used by {by}: stop that first"),
        How::Locked { .. } => format!("{device} is locked by another program: stop it first"),
    }
}

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// A disk, by its number.
    Disk(u32),
    /// A volume, or another device.
    Device,
    /// A file, or what may be one.
    File,
}

/// What a path names by its form: `\\.\PhysicalDrive0`, `\\.\C:`, `\\?\Volume{..}` are devices, as are
/// everything right below `\\.\`, and `C:`, which DISKSPD takes for the volume; with something behind them
/// they are files.
pub(super) fn named(path: &str) -> Named {
    let path = path.replace('/', r"\");
    if is_drive_letter(path.as_bytes()) {
        return Named::Device;
    }
    let Some(device) = path.strip_prefix(r"\\.\").or_else(|| path.strip_prefix(r"\\?\")) else {
        return Named::File;
    };
    let lower = device.to_lowercase();
    if let Some(number) = lower.strip_prefix("physicaldrive").and_then(|number| number.parse().ok()) {
        return Named::Disk(number);
    }
    let is_whole = !device.contains('\\');
    match path.starts_with(r"\\.\") || lower.starts_with("volume{") || lower.ends_with(':') {
        true if is_whole && !device.is_empty() => Named::Device,
        _ => Named::File,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(name: &str, at: &[&str], file_system: Option<&str>, disks: &[u32]) -> VolumeFound {
        VolumeFound {
            name: name.into(),
            at: at.iter().map(|at| (*at).to_owned()).collect(),
            file_system: file_system.map(str::to_owned),
            disks: Some(disks.to_vec()),
        }
    }

    fn disk(number: u32, holders: &[Option<&'static str>]) -> DiskFound {
        let partition = |(number, holder): (u32, &Option<&'static str>)| PartitionFound {
            number,
            length: 1,
            holder: *holder,
        };
        DiskFound { number, partitions: Some((1..).zip(holders).map(partition).collect()) }
    }

    #[test]
    fn a_disk_is_used_by_volumes_paging_files_and_pools() {
        let volumes = [
            volume("C:", &[r"C:\"], Some("ntfs"), &[0]),
            volume(r"\\?\Volume{1}", &[], Some("fat32"), &[0]),
            volume("D:", &[r"D:\"], Some("refs"), &[1, 2]),
            volume("E:", &[r"E:\"], None, &[3]),
        ];
        let files = page_files(&[r"\??\C:\pagefile.sys".into(), r"D:\pagefile.sys".into()]);
        let told = |disk: &DiskFound| {
            let uses = of_disk(disk, &volumes, &files).unwrap();
            uses.into_iter().map(|used| used.device).collect::<Vec<_>>()
        };
        assert_eq!(told(&disk(0, &[None])), ["C:", r"C:\pagefile.sys", r"\\?\Volume{1}"]);
        assert_eq!(told(&disk(2, &[])), ["D:", r"D:\pagefile.sys"]);
        assert_eq!(told(&disk(3, &[None])), [""; 0], "a volume without a file system is free");
        let pooled = of_disk(&disk(4, &[None, Some("a pool")]), &volumes, &files).unwrap();
        let holder = How::HeldBy { holder: "a pool".into() };
        assert_eq!(pooled, [Use { device: "PhysicalDrive4, partition 2,".into(), how: holder }]);
    }

    #[test]
    fn what_is_not_known_is_no_permission() {
        let hidden = VolumeFound { disks: None, ..volume("C:", &[], Some("ntfs"), &[]) };
        let without = DiskFound { number: 1, partitions: None };
        let fails = |disk: &DiskFound, volumes: &[VolumeFound]| of_disk(disk, volumes, &[]).unwrap_err().why;
        assert_eq!(fails(&disk(1, &[]), std::slice::from_ref(&hidden)), "the disks beneath C: can't be read");
        assert_eq!(fails(&without, &[]), "the partitions of PhysicalDrive1 can't be read");
        let empty = VolumeFound { file_system: None, ..hidden };
        assert_eq!(of_disk(&disk(1, &[]), &[empty], &[]), Ok(Vec::new()), "as card readers without a card");
    }

    #[test]
    fn a_paging_file_is_known_however_it_is_written() {
        let files = page_files(&[r"\??\C:\pagefile.sys".into()]);
        for (path, expected) in [
            (r"C:\pagefile.sys", 1),
            ("c:/PageFile.sys", 1),
            (r"\\?\C:\pagefile.sys", 1),
            (r"C:\data\pagefile.sys", 0),
            ("", 0),
        ] {
            let uses = of_file(path, &files);
            assert_eq!(uses.len(), expected, "{path}");
            assert!(uses.iter().all(|used| told(used).contains("paging file")));
        }
    }

    #[test]
    fn devices_are_known_by_the_form_of_their_names() {
        for (path, expected) in [
            (r"\\.\PhysicalDrive0", Named::Disk(0)),
            (r"//?/physicaldrive12", Named::Disk(12)),
            (r"\\.\PhysicalDrive", Named::Device),
            (r"\\.\C:", Named::Device),
            (r"\\?\C:", Named::Device),
            ("c:", Named::Device),
            (r"c:\", Named::File),
            (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}", Named::Device),
            (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\x", Named::File),
            (r"\\?\C:\x.dat", Named::File),
            (r"\\.\C:\x.dat", Named::File),
            (r"\\server\share\x", Named::File),
            (r"C:\x.dat", Named::File),
            (r"\\.\", Named::File),
            ("", Named::File),
        ] {
            assert_eq!(named(path), expected, "{path}");
        }
    }
}
