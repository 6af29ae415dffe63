//! Targets of honest runs: files of several file systems, and devices.

use crate::harness::{Failure, Undo, tool};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Used bytes of a target, not necessarily a multiple of the block size.
const BYTES: u64 = 1 << 20;

pub struct Location {
    pub name: &'static str,
    pub target: PathBuf,
    pub journal: PathBuf,
    pub bytes: u64,
    /// Whether unbuffered I/Os may be multiples of 512 bytes.
    pub has_small_sectors: bool,
    down: Undo,
}

type MakeLocation = fn(&mut Location, &Path) -> Result<(), Failure>;

pub fn all(directory: &Path, word: &str) -> Result<Vec<Location>, Failure> {
    let kinds: [(&'static str, MakeLocation); 7] = [
        ("file", |place, _| filled(&place.target)),
        ("ext4", |place, at| file_system(place, at, "ext4", &["-q", "-F"])),
        ("xfs", |place, at| file_system(place, at, "xfs", &["-q", "-f"])),
        ("btrfs", |place, at| file_system(place, at, "btrfs", &["-q", "-f"])),
        ("loop device", |place, at| loop_device(place, at, 64 << 20)),
        ("zram", zram),
        ("dm-linear", mapped),
    ];
    let mut places = Vec::new();
    let kinds = kinds.into_iter().filter(|(name, _)| name.contains(word));
    for (number, (name, make)) in kinds.enumerate() {
        let at = directory.join(number.to_string());
        std::fs::create_dir(&at)?;
        let (target, journal) = (at.join("target"), at.join("journal"));
        let (has_small_sectors, down) = (!["file", "btrfs", "zram"].contains(&name), Undo::default());
        let mut place = Location { name, target, journal, bytes: BYTES, has_small_sectors, down };
        match make(&mut place, &at) {
            Ok(()) => places.push(place),
            Err(why) => println!("skipped: {name}: {why}"),
        }
    }
    if places.is_empty() { Err("there is no place for the runs".into()) } else { Ok(places) }
}

fn filled(file: &Path) -> Result<(), Failure> {
    Ok(std::fs::write(file, vec![0xee; BYTES as usize])?)
}

fn loop_device(place: &mut Location, at: &Path, bytes: u64) -> Result<(), Failure> {
    let image = at.join("image");
    File::create(&image)?.set_len(bytes)?;
    let device = tool(&["losetup", "--find", "--show", text(&image)?])?;
    place.down.push(&["losetup", "-d", &device]);
    place.target = device.into();
    Ok(())
}

fn file_system(place: &mut Location, at: &Path, kind: &str, options: &[&str]) -> Result<(), Failure> {
    loop_device(place, at, 512 << 20)?;
    let (device, mounted) = (place.target.clone(), at.join("mounted"));
    std::fs::create_dir(&mounted)?;
    tool(&[&[&*format!("mkfs.{kind}")], options, &[text(&device)?]].concat())?;
    tool(&["mount", text(&device)?, text(&mounted)?])?;
    place.down.push(&["umount", text(&mounted)?]);
    place.target = mounted.join("target");
    filled(&place.target)
}

fn zram(place: &mut Location, _: &Path) -> Result<(), Failure> {
    let number = std::fs::read_to_string("/sys/class/zram-control/hot_add")
        .map_err(|_| "it takes root, and zram in the kernel")?;
    let number = number.trim();
    let remove =
        format!("echo 1 > /sys/block/zram{number}/reset; echo {number} > /sys/class/zram-control/hot_remove");
    place.down.push(&["sh", "-c", &remove]);
    std::fs::write(format!("/sys/block/zram{number}/disksize"), "64M")?;
    place.target = format!("/dev/zram{number}").into();
    Ok(())
}

fn mapped(place: &mut Location, at: &Path) -> Result<(), Failure> {
    if !std::fs::read_to_string("/proc/misc").is_ok_and(|list| list.contains("device-mapper")) {
        return Err("this kernel has no device mapper".into());
    }
    loop_device(place, at, 64 << 20)?;
    let name = format!("diskspd-honest-{}", std::process::id());
    let table = format!("0 {} linear {} 0", (64 << 20) / 512, text(&place.target)?);
    tool(&["dmsetup", "create", &name, "--noudevsync", "--table", &table])?;
    place.down.push(&["dmsetup", "remove", "--noudevsync", "--retry", &name]);
    place.target = format!("/dev/mapper/{name}").into();
    if !place.target.exists() {
        // Nobody makes it where there is no udev.
        tool(&["dmsetup", "mknodes", &name])?;
    }
    Ok(())
}

fn text(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| "the path is not UTF-8".into())
}
