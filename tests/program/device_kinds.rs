//! Tests of partitions and device-mapper devices: writes stay inside them, and their lower devices are
//! protected.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{self, Loop};
use crate::common::mapped::Mapped;
use crate::common::{diskspd, report_agrees_with_kernel, skip};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

const MIB: u64 = 1 << 20;

#[test]
fn a_run_on_a_partition_stays_inside_it() {
    // One partition of type 0x83 from sector 2048, 16 MiB long; 0xee before and behind it.
    let entry = [0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0x80, 0, 0];
    let guard = vec![0xee; MIB as usize - 4096];
    let Some(disk) = Loop::with(32 * MIB, &["--partscan"], |image| {
        image.write_all_at(&entry, 446).unwrap();
        image.write_all_at(&[0x55, 0xaa], 510).unwrap();
        image.write_all_at(&guard, 4096).unwrap();
        image.write_all_at(&guard, 17 * MIB).unwrap();
    }) else {
        return;
    };
    let partition = PathBuf::from(format!("{}p1", disk.device.display()));
    if !partition.exists() {
        // The kernel may not know this kind of table, but can be told.
        loops::run("addpart", &[disk.device.to_str().unwrap(), "1", "2048", "32768"]);
    }
    if !partition.exists() {
        return skip(&format!("the kernel made no partition {}", partition.display()));
    }
    diskspd("-b64K -w100 -o4 -Su -W0 -d1 {}", &disk.device).fails(1, &["partition table", "--destroy"]);
    report_agrees_with_kernel("-b64K -w100 -o4 -Su -W0 -d1 {}", &partition, &partition);
    // Like a disk it has no cache above it, unless one is asked for.
    report_agrees_with_kernel("-b64K -o4 -W0 -d1 {}", &partition, &partition);
    let image = std::fs::File::open(disk.backing()).unwrap();
    let mut bytes = vec![0; 32 * MIB as usize];
    image.read_exact_at(&mut bytes, 0).unwrap();
    assert!(bytes[446..462] == entry && bytes[4096..MIB as usize] == guard[..], "before the partition");
    assert!(bytes[17 * MIB as usize..][..guard.len()] == guard[..], "behind the partition");
    assert!(bytes[MIB as usize..][..256].iter().enumerate().all(|(i, &b)| b == i as u8), "and in it");
}

#[test]
fn mapper_device_is_accepted_without_its_members() {
    if !Mapped::is_possible() {
        return;
    }
    let Some(disk) = Loop::new(64 * MIB) else { return };
    let table = format!("0 {} linear {} 0", 64 * MIB / 512, disk.device.display());
    let Some(mapped) = Mapped::new(&table) else { return };
    let (path, counters) = (&mapped.path, &mapped.device);
    report_agrees_with_kernel("-b4K -r -w50 -o8 -Su -W0 -d1 --destroy {}", path, counters);
    // Without a word about the cache, too.
    report_agrees_with_kernel("-b4K -r -o8 -W0 -d1 {}", path, counters);
    for line in ["-w100 -W0 -d600 {}", "-w100 -W0 -d600 --destroy {}"] {
        diskspd(line, &disk.device).fails(1, &["in use", &format!("is part of {}", path.display())]);
    }
    diskspd("-b4K -r -W0 -d1 {}", &disk.device).report();
    let list = diskspd("devices", "".as_ref());
    let name = counters.file_name().unwrap().to_string_lossy();
    assert!(list.report().0.contains(&format!("{} ({name})", path.display())), "{}", list.stdout);
}
