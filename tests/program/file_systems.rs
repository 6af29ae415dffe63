//! Files on every kind of file system: created, written, read back, with and without the cache.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{self, Loop};
use crate::common::{diskspd, side_by_side, skip};
use rustix::fs::{Mode, OFlags};
use std::path::{Path, PathBuf};

const MIB: usize = 1 << 20;

/// Mounted file system, unmounted on drop.
pub(super) struct Mounted {
    pub(super) at: PathBuf,
    _below: tempfile::TempDir,
}

impl Mounted {
    /// Mounts with a command; `{}` is a directory for its use (with `lower`, `upper`, `work` in it), the
    /// mount point is added. `None` with a printed reason if that is impossible.
    pub(super) fn by(command: &str) -> Option<Mounted> {
        if !rustix::process::geteuid().is_root() {
            skip("mounting needs root");
            return None;
        }
        let below = crate::common::directory();
        for name in ["lower", "upper", "work", "mounted"] {
            std::fs::create_dir(below.path().join(name)).unwrap();
        }
        let at = below.path().join("mounted");
        let command = command.replace("{}", below.path().to_str().unwrap());
        let (program, arguments) = command.split_once(' ').unwrap();
        let mut arguments: Vec<&str> = arguments.split(' ').collect();
        arguments.push(at.to_str().unwrap());
        loops::run(program, &arguments)?;
        Some(Mounted { at, _below: below })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        loops::unmount(&self.at);
    }
}

/// Checks all modes in a directory; `name` = name of the file system in messages.
#[track_caller]
fn all_modes_work(directory: &Path, name: &str) {
    let written = directory.join("written.dat");
    std::fs::write(&written, vec![0xee; 3 * MIB]).unwrap();
    let ended = diskspd("-b64K -w100 -o4 -B1M:1M BRIEF {}", &written);
    assert!(ended.report().total("Write IO").ios > 0);
    let content = std::fs::read(&written).unwrap();
    let pattern: Vec<u8> = (0..MIB).map(|i| i as u8).collect();
    assert!(content[MIB..2 * MIB] == pattern[..], "{name}: what was written is read back");
    assert!(content[..MIB].iter().chain(&content[2 * MIB..]).all(|&b| b == 0xee), "{name}: and nothing else");

    let created = directory.join("created.dat");
    let ended = diskspd("-c4M -b4K -r -o8 -Sw -w50 BRIEF {}", &created);
    assert!(ended.report().total("Total IO").ios > 0);
    assert_eq!(std::fs::read(&created).unwrap(), pattern.repeat(4), "{name}: all of it is the pattern");

    let direct = rustix::fs::open(&created, OFlags::RDONLY | OFlags::DIRECT, Mode::empty());
    for option in ["-Su -o8", "-Sh -o1"] {
        let ended = diskspd(&format!("-b4K -r -w50 {option} BRIEF {{}}"), &created);
        match &direct {
            Ok(_) => assert!(ended.report().total("Total IO").ios > 0, "{name} {option}"),
            Err(_) => ended.fails(1, &["created.dat", name, "O_DIRECT", "use -Sb"]),
        }
    }
    assert_eq!(std::fs::read(&created).unwrap(), pattern.repeat(4), "{name}: all of it is still the pattern");
}

#[track_caller]
fn has_no_client_cache(directory: &Path, name: &str) {
    let file = directory.join("local.dat");
    std::fs::write(&file, vec![0; MIB]).unwrap();
    for option in ["-Sr", "-Srw"] {
        diskspd(&format!("-b4K {option} -W0 -d600 {{}}"), &file)
            .fails(1, &["local.dat", "-Sr", &format!("is on file system {name}"), "-Su"]);
    }
}

#[test]
fn runs_on_ext4_xfs_and_btrfs_are_complete() {
    side_by_side([("ext4", 64), ("xfs", 400), ("btrfs", 200)], |(kind, size)| {
        let Some((_disk, directory)) = Loop::with_file_system(size << 20, kind) else { return };
        all_modes_work(&directory, kind);
        has_no_client_cache(&directory, kind);
    });
}

#[test]
fn runs_on_tmpfs_are_complete() {
    let Some(mounted) = Mounted::by("mount -t tmpfs -o size=64m tmpfs") else { return };
    all_modes_work(&mounted.at, "tmpfs");
    has_no_client_cache(&mounted.at, "tmpfs");
}

#[test]
fn runs_on_overlay_are_complete() {
    let line = "mount -t overlay -o lowerdir={}/lower,upperdir={}/upper,workdir={}/work overlay";
    let Some(mounted) = Mounted::by(line) else { return };
    all_modes_work(&mounted.at, "overlay");
    has_no_client_cache(&mounted.at, "overlay");
}

#[test]
fn fuse_without_direct_io_bypasses_the_client_cache() {
    let Some(mounted) = Mounted::by("bindfs {}/lower") else { return };
    all_modes_work(&mounted.at, "fuse");
    let file = mounted.at.join("remote.dat");
    for option in ["-Sr", "-Srw"] {
        let ended = diskspd(&format!("-c1M -b4K -r -o4 -w50 {option} BRIEF {{}}"), &file);
        assert!(ended.report().total("Total IO").ios > 0);
    }
    diskspd("-b1000 -Sr -W0 -d600 {}", &file).fails(1, &["block size (-b) of 1000", "-Sr"]);
}

#[test]
fn share_path_resolves_to_its_mount() {
    // What counts is the name it was mounted by; which file system serves it doesn't matter to finding it.
    let Some(shared) = Mounted::by("mount -t tmpfs -o size=16m //test-server/Some-Share") else { return };
    let name = "\\\\TEST-SERVER\\some-share\\dir.dat";
    let ended = diskspd(&format!("-c1M -b4K -r BRIEF {name}"), Path::new(""));
    assert!(ended.report().total("Total IO").ios > 0);
    assert!(ended.stdout.contains(&format!("\tpath: '{name}'\n")), "{}", ended.stdout);
    assert_eq!(std::fs::metadata(shared.at.join("dir.dat")).unwrap().len(), MIB as u64);
    diskspd("BRIEF //test-server/other/dir.dat", Path::new(""))
        .fails(1, &["share //test-server/other", "mount -t cifs //test-server/other"]);
}

/// Asserts that the run and its plan are refused with these words before the first write.
#[track_caller]
fn has_no_room(line: &str, file: &Path, words: &[&str]) {
    for options in ["", "--dry-run "] {
        let ended = diskspd(&line.replace("DRY ", options), file);
        ended.fails(1, words);
        assert!(!ended.stdout.contains("The test was interrupted"), "{line}: {}", ended.stdout);
    }
}

#[test]
fn run_without_room_is_refused_before_it_writes() {
    let Some((_device, at)) = Loop::with_file_system(64 * MIB as u64, "ext4") else { return };
    let file = at.join("file");
    has_no_room(
        "DRY -c1000G -W0 -d1 {}",
        &file,
        &["the file system is full", "1000 GiB", "no file was changed"],
    );
    assert!(!file.exists());
    let two = format!("DRY -c30M -W0 -d1 {{}} {}", at.join("other").display());
    has_no_room(&two, &file, &["its 2 files need 60 MiB together"]);
    std::fs::File::create(&file).unwrap().set_len(256 << 20).unwrap();
    has_no_room("DRY -c256M -W0 -d1 {}", &file, &["the file system is full", "256 MiB are needed"]);
    has_no_room("DRY --prefill -W0 -d1 {}", &file, &["the holes of 1 file need 256 MiB", "--prefill"]);
    let span = |name: &str| {
        format!(
            "<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target><Path>{}</Path>\
             <FileSize>{}</FileSize></Target></Targets></TimeSpan>",
            at.join(name).display(),
            30 * MIB
        )
    };
    let profile = at.join("profile.xml");
    let spans = span("first") + &span("second");
    std::fs::write(&profile, format!("<Profile><TimeSpans>{spans}</TimeSpans></Profile>")).unwrap();
    has_no_room("DRY -X{}", &profile, &["its 2 files need 60 MiB together"]);
    assert!(!at.join("first").exists(), "no time span begins");
    let job = at.join("job.fio");
    let text = format!("[job]\nfilename={}\nrw=read\nsize=1000g\nruntime=1\n", at.join("fio").display());
    std::fs::write(&job, text).unwrap();
    has_no_room("DRY --fio={}", &job, &["the file system is full", "no file was changed"]);
    diskspd("-c16M -b4K BRIEF {}", &file).succeeds();
}
