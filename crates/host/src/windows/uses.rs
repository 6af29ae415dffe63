//! Current users of a disk or file, which a write to it could damage.

use super::disk_answers::{DeviceNumber, Extent, PartitionFound};
use crate::disks::{DiskUse, Use};
use diskspd_machine::target::is_drive_letter;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VolumeFound {
    /// User-visible name: `C:`, or the volume name without a letter.
    pub name: String,
    /// Mount points; empty = not mounted.
    pub at: Vec<String>,
    /// 33 File system type; `None` = not recognized by Windows.
    pub file_system: Option<String>,
    /// Numbers of its disks; `None` = unknown.
    pub disks: Option<Vec<u32>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DiskFound {
    /// The n of `PhysicalDrive<n>`.
    pub number: u32,
    pub partitions: Option<Vec<PartitionFound>>,
}

/// Known properties of an open disk or volume. They are queried by its handle, so they describe the
/// written device even if the name now leads elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OpenFound {
    pub number: Option<DeviceNumber>,
    pub partitions: Option<Vec<PartitionFound>>,
    pub extents: Option<Vec<Extent>>,
    /// Type of a volume's file system; `None` if Windows does not recognize one.
    pub file_system: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(super) struct UncheckedUse {
    pub why: String,
}

pub(super) fn disk_name(number: u32) -> String {
    format!("PhysicalDrive{number}")
}

/// Returns all uses of a disk: file systems of its volumes, their paging files, and composite devices.
/// Unmounted file systems count too, because Windows mounts them on access.
///
/// # Errors
/// Fails if the location of a volume with a file system, or the partitions of the disk, are unknown.
pub(super) fn of_disk(
    disk: &DiskFound,
    volumes: &[VolumeFound],
    page_files: &[String],
) -> Result<Vec<Use>, UncheckedUse> {
    let name = disk_name(disk.number);
    let Some(partitions) = &disk.partitions else {
        return Err(UncheckedUse { why: format!("the partitions of {name} cannot be read") });
    };
    let mut uses = Vec::new();
    for volume in volumes {
        let Some(file_system) = &volume.file_system else { continue };
        let Some(disks) = &volume.disks else {
            return Err(UncheckedUse { why: format!("the disks below {} cannot be read", volume.name) });
        };
        if disks.contains(&disk.number) {
            let at = volume.at.first().unwrap_or(&volume.name).clone();
            let how = DiskUse::Mounted { at, file_system: file_system.clone() };
            uses.push(Use { device: volume.name.clone(), how });
            let is_there = |file: &&String| volume.at.iter().any(|at| begins_with(file, at));
            let files = page_files.iter().filter(is_there);
            uses.extend(files.map(|file| Use { device: file.clone(), how: DiskUse::Swap }));
        }
    }
    let holders = partitions.iter().filter_map(|partition| Some((partition.number, partition.holder?)));
    for (number, holder) in holders {
        let device = format!("{name}, partition {number},");
        uses.push(Use { device, how: DiskUse::HeldBy { holder: holder.to_owned() } });
    }
    Ok(uses)
}

/// Returns all uses of an open disk or volume with this name. A volume is free if it has no file system
/// and is an ordinary partition of one disk.
///
/// # Errors
/// Fails if the uses are unknown, or the name refers to another device.
pub(super) fn of_open(
    named: PathKind,
    open: &OpenFound,
    volumes: &[VolumeFound],
    page_files: &[String],
) -> Result<Vec<Use>, UncheckedUse> {
    let unknown = |why: &str| UncheckedUse { why: why.to_owned() };
    let number = open.number.ok_or_else(|| unknown("Windows does not report which disk it is"))?;
    let letter = match named {
        PathKind::Disk(disk) if (number.disk, number.partition) == (disk, 0) => {
            let found = DiskFound { number: disk, partitions: open.partitions.clone() };
            return of_disk(&found, volumes, page_files);
        }
        PathKind::Volume(letter) => letter,
        PathKind::Disk(_) => return Err(unknown("its name refers to another device")),
        PathKind::Device | PathKind::File => {
            return Err(unknown("it is neither a disk nor a volume with a letter"));
        }
    };
    let name = format!("{letter}:");
    if let Some(file_system) = &open.file_system {
        let how = DiskUse::Mounted { at: format!(r"{name}\"), file_system: file_system.clone() };
        return Ok(vec![Use { device: name, how }]);
    }
    match open.extents.as_deref() {
        Some([extent]) if extent.disk == number.disk => {}
        Some(_) => return Err(unknown("it is not exactly one part of one disk")),
        None => return Err(unknown("the disks below it cannot be read")),
    }
    let disk = disk_name(number.disk);
    let Some(partitions) = &open.partitions else {
        return Err(unknown(&format!("the partitions of {disk} cannot be read")));
    };
    // A disk without a partition table is a volume as a whole.
    let own = partitions.iter().find(|partition| partition.number == number.partition);
    if own.is_none() && (number.partition, partitions.len()) != (0, 0) {
        return Err(unknown(&format!("it is not a partition of {disk}")));
    }
    let holder = own.and_then(|partition| partition.holder);
    let held = holder.map(|holder| Use { device: name, how: DiskUse::HeldBy { holder: holder.to_owned() } });
    Ok(held.into_iter().collect())
}

pub(super) fn of_file(path: &str, page_files: &[String]) -> Vec<Use> {
    let plain = |path: &str| path.trim_start_matches(r"\\?\").replace('/', r"\").to_lowercase();
    let is_it = |file: &&String| plain(file) == plain(path);
    let files = page_files.iter().filter(is_it);
    files.map(|file| Use { device: file.clone(), how: DiskUse::Swap }).collect()
}

fn begins_with(path: &str, place: &str) -> bool {
    path.to_lowercase().starts_with(&place.to_lowercase())
}

/// Returns the paging files of the registry, without the prefix of system paths.
pub(super) fn page_files(listed: &[String]) -> Vec<String> {
    listed.iter().map(|file| file.strip_prefix(r"\??\").unwrap_or(file).to_owned()).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathKind {
    Disk(u32),
    Volume(char),
    Device,
    File,
}

/// Classifies a path by its form. `\\.\PhysicalDrive0`, `\\.\C:`, `\\?\Volume{..}` and every name directly
/// below `\\.\` are devices. `C:` is a volume, as in DISKSPD. With a further path component they are
/// files.
pub(super) fn path_kind(path: &str) -> PathKind {
    let path = path.replace('/', r"\");
    if let Some(letter) = letter_of(&path) {
        return PathKind::Volume(letter);
    }
    let Some(device) = path.strip_prefix(r"\\.\").or_else(|| path.strip_prefix(r"\\?\")) else {
        return PathKind::File;
    };
    let lower = device.to_lowercase();
    if let Some(number) = lower.strip_prefix("physicaldrive").and_then(|number| number.parse().ok()) {
        return PathKind::Disk(number);
    }
    if let Some(letter) = letter_of(device) {
        return PathKind::Volume(letter);
    }
    let is_whole = !device.contains('\\');
    match path.starts_with(r"\\.\") || lower.starts_with("volume{") || lower.ends_with(':') {
        true if is_whole && !device.is_empty() => PathKind::Device,
        _ => PathKind::File,
    }
}

fn letter_of(name: &str) -> Option<char> {
    let letter = name.chars().next().filter(|_| is_drive_letter(name.as_bytes()))?;
    Some(letter.to_ascii_uppercase())
}

/// Location of a target that names a disk or a volume as in DISKSPD: `#<n>` is `\\.\PhysicalDrive<n>`, `X:`
/// is `\\.\X:`; `None` = a path.
pub(super) fn place_of(target: &str) -> Option<String> {
    if let Some(letter) = letter_of(target) {
        return Some(format!(r"\\.\{letter}:"));
    }
    let number = target.strip_prefix('#').filter(|rest| rest.bytes().all(|digit| digit.is_ascii_digit()))?;
    number.parse().ok().map(|number: u32| format!(r"\\.\{}", disk_name(number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_refused::{BOOT, told_on_windows as told};

    fn sample_volume(name: &str, at: &[&str], file_system: Option<&str>, disks: &[u32]) -> VolumeFound {
        VolumeFound {
            name: name.into(),
            at: at.iter().map(|at| (*at).to_owned()).collect(),
            file_system: file_system.map(str::to_owned),
            disks: Some(disks.to_vec()),
        }
    }

    fn sample_disk(number: u32, holders: &[Option<&'static str>]) -> DiskFound {
        let partition = |(number, holder): (u32, &Option<&'static str>)| PartitionFound {
            number,
            length: 1,
            holder: *holder,
        };
        DiskFound { number, partitions: Some((1..).zip(holders).map(partition).collect()) }
    }

    #[test]
    fn disk_uses_include_volumes_paging_files_and_pools() {
        let volumes = [
            sample_volume("C:", &[r"C:\"], Some("ntfs"), &[0]),
            sample_volume(r"\\?\Volume{1}", &[], Some("fat32"), &[0]),
            sample_volume("D:", &[r"D:\"], Some("refs"), &[1, 2]),
            sample_volume("E:", &[r"E:\"], None, &[3]),
        ];
        let files = page_files(&[r"\??\C:\pagefile.sys".into(), r"D:\pagefile.sys".into()]);
        let told = |disk: &DiskFound| {
            let uses = of_disk(disk, &volumes, &files).unwrap();
            uses.into_iter().map(|used| used.device).collect::<Vec<_>>()
        };
        assert_eq!(told(&sample_disk(0, &[None])), ["C:", r"C:\pagefile.sys", r"\\?\Volume{1}"]);
        assert_eq!(told(&sample_disk(2, &[])), ["D:", r"D:\pagefile.sys"]);
        assert_eq!(told(&sample_disk(3, &[None])), [""; 0], "a volume without a file system is free");
        let pooled = of_disk(&sample_disk(4, &[None, Some("a pool")]), &volumes, &files).unwrap();
        let holder = DiskUse::HeldBy { holder: "a pool".into() };
        assert_eq!(pooled, [Use { device: "PhysicalDrive4, partition 2,".into(), how: holder }]);
    }

    #[test]
    fn unknown_use_grants_nothing() {
        let hidden = VolumeFound { disks: None, ..sample_volume("C:", &[], Some("ntfs"), &[]) };
        let without = DiskFound { number: 1, partitions: None };
        let fails = |disk: &DiskFound, volumes: &[VolumeFound]| of_disk(disk, volumes, &[]).unwrap_err().why;
        assert_eq!(
            fails(&sample_disk(1, &[]), std::slice::from_ref(&hidden)),
            "the disks below C: cannot be read"
        );
        assert_eq!(fails(&without, &[]), "the partitions of PhysicalDrive1 cannot be read");
        let empty = VolumeFound { file_system: None, ..hidden };
        assert_eq!(
            of_disk(&sample_disk(1, &[]), &[empty], &[]),
            Ok(Vec::new()),
            "as card readers without a card"
        );
    }

    #[test]
    fn open_disk_is_free_only_if_fully_known() {
        let part = |number, holder| PartitionFound { number, length: 1, holder };
        let at = |disk, partition| Some(DeviceNumber { disk, partition });
        let extent = |disk| Extent { disk, length: 1 };
        let plain = OpenFound {
            number: at(1, 2),
            partitions: Some(vec![part(1, Some(BOOT)), part(2, None)]),
            extents: Some(vec![extent(1)]),
            file_system: None,
        };
        let volumes = [sample_volume("C:", &[r"C:\"], Some("ntfs"), &[0])];
        let asked = |named, open: &OpenFound| of_open(named, open, &volumes, &[]);
        let uses = |named, open: &OpenFound| asked(named, open).unwrap().iter().map(told).collect::<Vec<_>>();
        let unknown = |named, open: &OpenFound| asked(named, open).unwrap_err().why;
        let volume = PathKind::Volume('X');
        assert_eq!(asked(volume, &plain), Ok(vec![]), "another partition's uses are not its own");
        let with = OpenFound { file_system: Some("ntfs".into()), ..plain.clone() };
        assert!(uses(volume, &with)[0].starts_with(r"X: holds a file system (ntfs, at X:\)"));
        let held = OpenFound { partitions: Some(vec![part(2, Some("a pool"))]), ..plain.clone() };
        assert!(uses(volume, &held)[0].contains("X: is part of a pool"));
        for (open, why) in [
            (OpenFound { number: None, ..plain.clone() }, "does not report which disk"),
            (OpenFound { extents: None, ..plain.clone() }, "the disks below it cannot be read"),
            (OpenFound { extents: Some(vec![]), ..plain.clone() }, "one part of one disk"),
            (OpenFound { extents: Some(vec![extent(2)]), ..plain.clone() }, "one part of one disk"),
            (OpenFound { extents: Some(vec![extent(1); 2]), ..plain.clone() }, "one part of one disk"),
            (OpenFound { partitions: None, ..plain.clone() }, "the partitions of PhysicalDrive1 cannot"),
            (OpenFound { partitions: Some(vec![part(1, None)]), ..plain.clone() }, "not a partition of"),
            (OpenFound::default(), "does not report which disk"),
        ] {
            assert!(unknown(volume, &open).contains(why), "{open:?}");
        }
        let whole = OpenFound { number: at(1, 0), partitions: Some(vec![]), ..plain.clone() };
        assert_eq!(asked(volume, &whole), Ok(vec![]), "a disk without partitions that has a letter");

        let disk = PathKind::Disk(1);
        assert_eq!(asked(disk, &whole), Ok(vec![]));
        let starts = OpenFound { number: at(1, 0), ..plain.clone() };
        assert!(uses(disk, &starts)[0].contains("a boot partition"));
        assert!(unknown(disk, &plain).contains("another device"), "a partition by the name of its disk");
        assert!(unknown(PathKind::Disk(2), &whole).contains("another device"));
        assert!(
            unknown(disk, &OpenFound { partitions: None, ..whole.clone() }).contains("the partitions of")
        );
        assert!(
            unknown(PathKind::Device, &whole).contains("neither")
                && unknown(PathKind::File, &whole).len() > 9
        );
        let system = OpenFound { number: at(0, 0), ..whole.clone() };
        assert!(uses(PathKind::Disk(0), &system)[0].contains(r"C: holds a file system (ntfs, at C:\)"));
    }

    #[test]
    fn disks_and_volumes_are_named_as_by_diskspd() {
        for (target, place) in [
            ("#0", Some(r"\\.\PhysicalDrive0")),
            ("#012", Some(r"\\.\PhysicalDrive12")),
            ("x:", Some(r"\\.\X:")),
            ("#", None),
            ("#+1", None),
            ("#4294967296", None),
            ("#x", None),
            (r"x:\", None),
            (r"\\.\X:", None),
            ("", None),
        ] {
            assert_eq!(place_of(target).as_deref(), place, "{target}");
        }
    }

    #[test]
    fn paging_file_is_found_in_any_spelling() {
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
    fn device_paths_are_recognized_by_form() {
        for (path, expected) in [
            (r"\\.\PhysicalDrive0", PathKind::Disk(0)),
            (r"//?/physicaldrive12", PathKind::Disk(12)),
            (r"\\.\PhysicalDrive", PathKind::Device),
            (r"\\.\c:", PathKind::Volume('C')),
            (r"\\?\C:", PathKind::Volume('C')),
            ("c:", PathKind::Volume('C')),
            (r"\\.\CdRom0", PathKind::Device),
            (r"c:\", PathKind::File),
            (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}", PathKind::Device),
            (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\x", PathKind::File),
            (r"\\?\C:\x.dat", PathKind::File),
            (r"\\.\C:\x.dat", PathKind::File),
            (r"\\server\share\x", PathKind::File),
            (r"C:\x.dat", PathKind::File),
            (r"\\.\", PathKind::File),
            ("", PathKind::File),
        ] {
            assert_eq!(path_kind(path), expected, "{path}");
        }
    }
}
