//! Tests of the effects of options on the device, the page cache and the content, checked by the kernel
//! and the bytes instead of the report.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{DeviceCounters, diskspd, side_by_side};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const MIB: u64 = 1 << 20;
const KIB: usize = 1 << 10;
const MARKER: u8 = 0xee;

/// File on a fresh ext4 and bare device, each with logical blocks of both sizes.
struct Places {
    disks: Vec<(Loop, u64)>,
    file: PathBuf,
    _file_system: Loop,
}

impl Places {
    /// Fills the bare devices with `bytes` of the marker; the test writes the file.
    fn new(bytes: u64) -> Option<Places> {
        let fill = |image: &File| image.write_all_at(&vec![MARKER; bytes as usize], 0).unwrap();
        let mut disks = Vec::new();
        for block in ["512", "4096"] {
            let disk = Loop::with(bytes, &["--sector-size", block], fill)?;
            disks.push((disk, block.parse().unwrap()));
        }
        let (file_system, directory) = Loop::with_file_system(64 * MIB, "ext4")?;
        Some(Places { disks, file: directory.join("test.dat"), _file_system: file_system })
    }

    /// Returns all targets with the devices that their I/Os reach.
    fn all(&self) -> Vec<(&Path, &Path)> {
        let disks = self.disks.iter().map(|(disk, _)| (disk.device.as_path(), disk.device.as_path()));
        disks.chain([(self.file.as_path(), self._file_system.device.as_path())]).collect()
    }
}

#[test]
fn write_through_sends_flushes_and_other_modes_do_not() {
    let Some(places) = Places::new(8 * MIB) else { return };
    diskspd("-c8M BRIEF {}", &places.file).report();
    side_by_side(places.all(), |(target, device)| {
        let name = device.file_name().unwrap().to_string_lossy().into_owned();
        let cache = fs::read_to_string(format!("/sys/class/block/{name}/queue/write_cache")).unwrap();
        if cache.trim() != "write back" {
            return crate::common::skip(&format!("{name} has no write cache that could be flushed"));
        }
        for (mode, depth, engine) in [
            ("-Sw", 1, ""),
            ("-Sw", 4, ""),
            ("-Sh", 1, ""),
            ("-h", 4, ""),
            ("-Suw", 4, "--engine aio"),
            ("-Sbw", 2, "--engine aio"),
        ] {
            let line = format!("{mode} -o{depth} {engine} -w100 -b4K -r BRIEF --destroy {{}}");
            let before = DeviceCounters::read(device);
            let ended = diskspd(&line, target);
            let counted = DeviceCounters::read(device).since(before);
            let ios = ended.report().total("Write IO").ios;
            // The writes that are in flight together can share a flush, others can't.
            assert!(ios > 0 && counted.flushes >= ios / depth, "{line}: {ios} writes, {counted:?}");
            assert!(counted.writes >= ios / depth, "{line}: {ios} writes, {counted:?}");
            // One for the data of each write and no more: what it is written to is allocated and was written before. Of a
            // bare device the kernel asks two for a write past the cache, which is what it is without -Sb: one with the write, one for the device. The
            // journal of the file system flushes now and then for reasons of its own.
            let direct = mode != "-Sbw";
            let most = if target == device && direct { 2 * ios } else { ios };
            assert!(counted.flushes <= most + most / 20 + 20, "{line}: {ios} writes, {counted:?}");
        }
        for (mode, depth) in [("-Sb", 1), ("-Su", 1), ("-Su", 4)] {
            let line = format!("{mode} -o{depth} -w100 -b4K -r BRIEF --destroy {{}}");
            let before = DeviceCounters::read(device);
            let ended = diskspd(&line, target);
            let counted = DeviceCounters::read(device).since(before);
            let ios = ended.report().total("Write IO").ios;
            // The journal of the file system may flush now and then: the slower the disk, the more often in as many writes.
            assert!(ios > 0 && counted.flushes <= 5 + ios / 10, "{line}: {ios} writes, {counted:?}");
        }
    });
}

fn cached(path: &Path) -> Option<u64> {
    let output =
        Command::new("fincore").args(["--noheadings", "--bytes", "--output", "RES"]).arg(path).output();
    let text = output.ok().filter(|o| o.status.success()).map(|o| String::from_utf8(o.stdout).unwrap());
    if text.is_none() {
        crate::common::skip("fincore (util-linux) is missing");
    }
    Some(text?.trim().parse().unwrap())
}

#[test]
fn uncached_io_leaves_page_cache_unchanged() {
    let directory = crate::common::directory();
    let uncached = [
        "-Su -w0 -r -o8",
        "-Sh -w50 -r -o1",
        "-S -w100 -o4",
        "-Su -w50 -o8 --engine aio",
        "-h -w30 -rs50 -t2 -o2",
    ];
    side_by_side(uncached.into_iter().enumerate(), |(number, options)| {
        let file = directory.path().join(format!("uncached-{number}.dat"));
        let line = format!("-c4M {options} -b4K BRIEF {{}}");
        assert!(diskspd(&line, &file).report().total("Total IO").ios > 0);
        let Some(bytes) = cached(&file) else { return };
        assert_eq!(bytes, 0, "{line}");
    });
    // The same in the cache, so that it is certain that this is measured at all.
    side_by_side(["-Sb", "-Sw", "-Sm"].into_iter().enumerate(), |(number, mode)| {
        let file = directory.path().join(format!("cached-{number}.dat"));
        diskspd(&format!("-c4M {mode} -w50 -o1 -b64K BRIEF {{}}"), &file).report();
        let Some(bytes) = cached(&file) else { return };
        assert!(bytes > 0, "{mode}");
    });
}

fn content_after(line: &str, target: &Path, bytes: u64) -> Vec<u8> {
    let fill = |file: File| {
        file.write_all_at(&vec![MARKER; bytes as usize], 0).unwrap();
        file.sync_all().unwrap();
    };
    fill(File::options().write(true).create(true).truncate(false).open(target).unwrap());
    assert!(diskspd(line, target).report().total("Write IO").ios > 0, "{line}");
    let content = fs::read(target).unwrap();
    assert_eq!(content.len() as u64, bytes, "{line}: the size of the target");
    content
}

/// Asserts that each of these ranges was written, and no other byte.
#[track_caller]
fn only(line: &str, content: &[u8], ranges: &[(usize, usize)]) {
    let marked = |from: usize, to: usize| content[from..to].iter().all(|&byte| byte == MARKER);
    let mut end = 0;
    for &(from, to) in ranges {
        assert!(marked(end, from), "{line}: something was written between {end} and {from}");
        assert!(!marked(from, to), "{line}: no data was written from {from} to {to}");
        end = to;
    }
    assert!(marked(end, content.len()), "{line}: something was written behind {end}");
}

#[test]
fn writes_stay_inside_the_area() {
    let Some(places) = Places::new(MIB) else { return };
    let patterns = ["-r -o8 -Su", "-si -t2 -o4 -Su", "-rs50 -o8 -Su --engine aio", "-o1 -Sb"];
    side_by_side(places.all().into_iter().enumerate(), |(number, (target, _))| {
        // Every target gets every area and every pattern, each time in other pairs.
        let mut patterns = patterns.iter().cycle().skip(number);
        for (area, from, to) in [
            ("-B64K:256K", 64 * KIB, 320 * KIB),
            ("-B64K -f320K", 64 * KIB, 320 * KIB),
            ("-f128K", 0, 128 * KIB),
            ("-B960K", 960 * KIB, MIB as usize),
            // An end that no block ends at: the last whole block counts.
            ("-B512K -f647K", 512 * KIB, 644 * KIB),
        ] {
            let pattern = patterns.next().unwrap();
            let line = format!("{area} {pattern} -w100 -b4K BRIEF --destroy {{}}");
            only(&line, &content_after(&line, target, MIB), &[(from, to)]);
        }
    });
}

#[test]
fn distribution_accesses_only_its_ranges() {
    let Some(places) = Places::new(MIB) else { return };
    side_by_side(places.all(), |(target, _)| {
        for (distribution, ranges) in [
            ("-rdabs50/64K:0/128K:50/64K:0/100M", &[(0, 64 * KIB), (192 * KIB, 256 * KIB)][..]),
            ("-rdpct0/25:100/25:0/50", &[(256 * KIB, 512 * KIB)]),
            ("-rdpct30/12:0/38:70/50 -B512K", &[(512 * KIB, 572 * KIB), (768 * KIB, MIB as usize)]),
        ] {
            for way in ["-o8 -Su", "-o8 -Su --engine aio", "-o1 -Sb -t2"] {
                let line = format!("-r {distribution} {way} -w100 -b4K BRIEF --destroy {{}}");
                only(&line, &content_after(&line, target, MIB), ranges);
            }
        }
    });
}

#[test]
fn uncached_io_respects_logical_blocks() {
    let Some(places) = Places::new(MIB) else { return };
    side_by_side(&places.disks, |(disk, block)| {
        let name = disk.device.to_str().unwrap();
        let line = |size: &str| format!("-b{size} -Su -w50 -r -o4 BRIEF --destroy {{}}");
        diskspd(&line("4K"), &disk.device).report();
        let small = diskspd(&line("512"), &disk.device);
        if *block == 512 {
            small.report();
        } else {
            small.fails(1, &[name, "logical blocks", "4096", "(-b) of 512"]);
            diskspd("-b4K -r512 -Su BRIEF {}", &disk.device).fails(1, &[name, "4096", "(-s, -r) of 512"]);
            // So is what is uncached because it is a device, and told how it would be cached.
            diskspd("-b512 -r BRIEF {}", &disk.device)
                .fails(1, &[name, "4096", "(-b) of 512", "unless -Sb", "or use -Sb"]);
        }
        // The cache does any size.
        diskspd("-b512 -Sb -r -o4 BRIEF {}", &disk.device).report();
    });
    // A file system on such a device hands the rule on.
    let Some(mut below) = Loop::with(64 * MIB, &["--sector-size", "4096"], |_| ()) else { return };
    let device = below.device.clone();
    let Some(directory) = below.mkfs("ext4").and_then(|()| below.mount(&device)) else { return };
    let file = directory.join("test.dat");
    diskspd("-c1M -b4K -Su BRIEF {}", &file).report();
    diskspd("-b512 -Su BRIEF {}", &file).fails(1, &["test.dat", "4096", "(-b) of 512"]);
}
