//! Tests of file preparation: on any file system the file has the exact size, and every byte of it was
//! written.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::loops::Loop;
use crate::common::side_by_side;
use diskspd::run::prepare::{
    FileOrder, Growth, Preparation, PrepareError, Reason, RewriteReason, State, all_fit, prepare,
};
use diskspd::sys::extents::all_written;
use diskspd::sys::target_error::TargetErrorKind;
use diskspd::units::amount;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const MIB: u64 = 1 << 20;

fn order(path: &Path, size: u64) -> FileOrder<'_> {
    FileOrder { path, size, zero: false, recreate: false }
}

fn go(order: &FileOrder<'_>) -> Result<Preparation, PrepareError> {
    prepare(order, &mut |_, _| (), &AtomicBool::new(false))
}

/// Checks a file system whose directory this is from end to end.
fn check(directory: &Path, name: &str) {
    let tells_extents = match name {
        "ext2" | "ext4" | "xfs" | "btrfs" => true,
        "tmpfs" => false,
        _ => return crate::common::skip(&format!("it is not known whether {name} tells what was written")),
    };
    for size in [0, 1, 511, 512, 4097, MIB + 1, 64 * MIB] {
        let path = directory.join(format!("file{size}"));
        let unknown = Preparation::Rewritten(RewriteReason::Unknown);
        let again = if tells_extents || size == 0 { Preparation::Kept } else { unknown };
        for (what, order, expected) in [
            ("new", order(&path, size), Preparation::Created),
            ("again", order(&path, size), again),
            (
                "recreate",
                FileOrder { zero: true, recreate: true, ..order(&path, size) },
                Preparation::Rewritten(RewriteReason::Asked),
            ),
        ] {
            let done = go(&order).unwrap_or_else(|error| panic!("{name} {size} {what}: {error}"));
            assert_eq!(done, expected, "{name} {size} {what}");
            let content = fs::read(&path).unwrap();
            assert_eq!(content.len() as u64, size, "{name} {what}");
            let expected: Vec<u8> = (0..1 << 16).map(|at| if order.zero { 0 } else { at as u8 }).collect();
            let wrong = content.chunks(1 << 16).position(|chunk| chunk != &expected[..chunk.len()]);
            assert_eq!(wrong, None, "{name} {size} {what}: which 64 KiB are wrong");
            if tells_extents {
                let file = File::open(&path).unwrap();
                assert!(all_written(file.as_fd(), size).unwrap(), "{name} {size} {what}");
                let stored = file.metadata().unwrap().blocks() * 512;
                assert!(stored >= size || size <= 4096, "{name} {size} {what}: {stored} bytes stored");
            }
        }
        fs::remove_file(&path).unwrap();
    }
    if tells_extents {
        check_incomplete(directory, name);
    }
}

/// Checks files with a complete size but incomplete content.
fn check_incomplete(directory: &Path, name: &str) {
    let size = 3 * MIB;
    let allocate = |file: &File| {
        let flags = rustix::fs::FallocateFlags::empty();
        rustix::fs::fallocate(file, flags, 0, size).is_ok()
    };
    let hole_behind = |file: &File| {
        std::os::unix::fs::FileExt::write_all_at(file, &vec![1; MIB as usize], 0).unwrap();
        file.set_len(size).unwrap();
        true
    };
    let hole_before = |file: &File| {
        std::os::unix::fs::FileExt::write_all_at(file, &vec![1; MIB as usize], 2 * MIB).unwrap();
        true
    };
    type Maker<'a> = (&'a str, &'a dyn Fn(&File) -> bool);
    let makers: [Maker; 4] = [
        ("sparse", &|file| file.set_len(size).is_ok()),
        ("only allocated", &allocate),
        ("hole behind", &hole_behind),
        ("hole before", &hole_before),
    ];
    for (what, make) in makers {
        let path = directory.join("incomplete");
        if !make(&File::create(&path).unwrap()) {
            // ext2 has no unwritten extents, tmpfs no extents at all.
            println!("{name} cannot make a file that is {what}");
            continue;
        }
        assert_eq!(
            go(&order(&path, size)).unwrap(),
            Preparation::Rewritten(RewriteReason::Unwritten),
            "{name}: {what}"
        );
        assert_eq!(go(&order(&path, size)).unwrap(), Preparation::Kept, "{name}: {what}");
        assert_eq!(
            go(&order(&path, size + 1)).unwrap(),
            Preparation::Rewritten(RewriteReason::Size(size)),
            "{name}: {what}"
        );
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn files_are_prepared_on_local_file_systems() {
    side_by_side(["/var/tmp", "/dev/shm"], |directory| match tempfile::tempdir_in(directory) {
        Ok(directory) => {
            let name = diskspd::host::target::probe(directory.path()).unwrap().file_system;
            check(directory.path(), &name);
        }
        Err(error) => crate::common::skip(&format!("{directory}: {error}")),
    });
}

/// ext2 cannot allocate without writing.
#[test]
fn files_are_prepared_on_mounted_file_systems() {
    side_by_side(["ext2", "ext4", "xfs", "btrfs"], |kind| {
        let Some((_device, directory)) = Loop::with_file_system(400 * MIB, kind) else { return };
        check(&directory, kind);
    });
}

#[test]
fn file_with_requested_content_is_kept() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = directory.path().join("file");
    let size = 3 * MIB + 5;
    let zeros = FileOrder { zero: true, ..order(&path, size) };
    let content = |zero| Preparation::Rewritten(RewriteReason::Content { zero });
    let fill = |byte| {
        fs::write(&path, vec![byte; size as usize]).unwrap();
        File::open(&path).unwrap().sync_all().unwrap();
    };
    assert_eq!(go(&order(&path, size)).unwrap(), Preparation::Created);
    if go(&order(&path, size)).unwrap() != Preparation::Kept {
        return crate::common::skip("/var/tmp cannot tell what was written");
    }
    assert_eq!(go(&zeros).unwrap(), content(true));
    assert!(fs::read(&path).unwrap().iter().all(|&byte| byte == 0));
    assert_eq!(go(&zeros).unwrap(), Preparation::Kept);
    assert_eq!(go(&order(&path, size)).unwrap(), content(false));
    assert!(fs::read(&path).unwrap().iter().enumerate().all(|(at, &byte)| byte == at as u8));
    // What a run with writes leaves is as good as the pattern, and no zeros.
    fill(7);
    assert_eq!(go(&order(&path, size)).unwrap(), Preparation::Kept);
    assert_eq!(go(&zeros).unwrap(), content(true));
}

fn full(error: &PrepareError) -> Option<(u64, u64)> {
    match error.reason {
        Reason::Full { size, free } => Some((size, free)),
        _ => None,
    }
}

/// Returns the free space for the superuser in bytes.
fn free(directory: &Path) -> u64 {
    let found = rustix::fs::statvfs(directory).unwrap();
    found.f_bfree * found.f_frsize
}

#[test]
fn full_disk_is_reported_and_unchanged() {
    let kinds = [("ext2", 32 * MIB), ("ext4", 32 * MIB), ("xfs", 400 * MIB), ("btrfs", 400 * MIB)];
    side_by_side(kinds, |(kind, size)| {
        let Some((_device, directory)) = Loop::with_file_system(size, kind) else { return };
        refuse_what_does_not_fit(&directory, kind, 2 * size);
    });
}

#[test]
fn full_memory_file_system_is_unchanged() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let at = directory.path().to_str().unwrap().to_owned();
    if crate::common::loops::run("mount", &["-t", "tmpfs", "-o", "size=8M", "tmpfs", &at]).is_none() {
        return;
    }
    let outcome = std::panic::catch_unwind(|| refuse_what_does_not_fit(directory.path(), "tmpfs", 16 * MIB));
    crate::common::loops::unmount(directory.path());
    outcome.unwrap();
}

fn refuse_what_does_not_fit(directory: &Path, kind: &str, size: u64) {
    let before = free(directory);
    let path = directory.join("too-large");
    let error = go(&order(&path, size)).unwrap_err();
    let (wanted, told) = full(&error).unwrap_or_else(|| panic!("{kind}: {error}"));
    assert_eq!((wanted, error.state), (size, State::Removed), "{kind}");
    assert!(told > 0 && told <= before, "{kind}: {told} of {before}");
    assert!(!path.exists());
    let text = error.to_string();
    assert!(text.contains(&format!("{} are needed", amount(size))) && text.contains("was removed"), "{text}");

    // Nothing of a file that is there is given up for what can't be had: neither for a size beyond everything, nor for
    // one that is only too large when the file system's own needs are added.
    let content = vec![7; MIB as usize];
    fs::write(&path, &content).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    let before = free(directory);
    for size in [size, 100 << 40, i64::MAX as u64, before + MIB] {
        // It takes nothing but the pages.
        if kind == "tmpfs" && size == before + MIB {
            continue;
        }
        match go(&order(&path, size)) {
            Ok(_) => panic!("{kind}: {size}"),
            // Without allocation the need for more shows in the last writes.
            Err(error) if kind == "ext2" && size == before + MIB => {
                assert_eq!(error.state, State::Unfinished { size: 0 }, "{error}");
                assert!(error.to_string().contains("the existing file was overwritten"), "{error}");
                assert_eq!(fs::metadata(&path).unwrap().len(), 0, "the space is given back");
            }
            Err(error) if error.state == State::Untouched => {
                assert!(
                    matches!(error.reason, Reason::Full { .. } | Reason::TooLarge { .. }),
                    "{kind}: {error}"
                );
                assert!(error.to_string().ends_with("no file was changed"), "{error}");
                assert_eq!(fs::read(&path).unwrap(), content, "{kind}");
            }
            Err(error) => panic!("{kind}: {size}: {error}"),
        }
    }
    if kind != "ext2" {
        assert!(free(directory) + 4 * MIB > before, "{kind}: {} of {before} are free", free(directory));
    }
    assert!(path.exists(), "{kind}: what existed before is not removed");
}

#[test]
fn files_without_space_are_unchanged() {
    let Some((_device, directory)) = Loop::with_file_system(32 * MIB, "ext4") else { return };
    let (a, b, new) = (directory.join("a"), directory.join("b"), directory.join("no/such/directory/new"));
    fs::write(&a, "first").unwrap();
    fs::write(&b, "second").unwrap();
    let fit = |files: &[(&Path, u64)], recreate| {
        all_fit(files.iter().map(|(path, size)| (*path, Growth::To(*size))), recreate)
    };
    let both = |size| [(a.as_path(), size), (b.as_path(), size)];
    fit(&both(8 * MIB), false).unwrap();
    let error = fit(&both(16 * MIB), false).unwrap_err();
    assert!(
        matches!(error.reason, Reason::FullTogether { files: 2, size, .. } if size == 32 * MIB),
        "{error}"
    );
    assert_eq!(error.state, State::Untouched);
    // A file that isn't there yet counts, one that has its size doesn't unless it's written anew.
    fit(&[(&a, 20 * MIB), (&new, 20 * MIB)], false).unwrap_err();
    go(&order(&a, 20 * MIB)).unwrap();
    fit(&[(&a, 20 * MIB), (&b, 4 * MIB), (&new, MIB)], false).unwrap();
    // What it gives back is there for the others.
    fit(&[(&a, MIB), (&b, 20 * MIB)], false).unwrap();
    fit(&[(&a, 20 * MIB), (&b, 10 * MIB)], true).unwrap_err();
    assert_eq!(fs::read(&b).unwrap(), b"second");
}

#[test]
fn single_file_without_room_is_refused() {
    let Some((_device, directory)) = Loop::with_file_system(32 * MIB, "ext4") else { return };
    let file = directory.join("file");
    let fit = |growth| all_fit([(file.as_path(), growth)], false);
    let free = fit(Growth::To(64 * MIB)).unwrap_err();
    let Reason::Full { free, size } = free.reason else { panic!("{free}") };
    assert_eq!(size, 64 * MIB);
    fit(Growth::To(free)).unwrap();
    assert!(matches!(fit(Growth::To(free + 1)).unwrap_err().reason, Reason::Full { .. }));
    assert!(!file.exists());
    // A sparse file of this size is rewritten, so it needs the space that it lacks.
    File::create(&file).unwrap().set_len(64 * MIB).unwrap();
    assert!(matches!(fit(Growth::To(64 * MIB)).unwrap_err().reason, Reason::Full { .. }));
    assert!(matches!(fit(Growth::Filled).unwrap_err().reason, Reason::FullOfHoles { files: 1, .. }));
    fit(Growth::To(8 * MIB)).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().len(), 64 * MIB);
    go(&order(&file, 20 * MIB)).unwrap();
    fit(Growth::To(20 * MIB)).unwrap();
    fit(Growth::Filled).unwrap();
    assert!(matches!(fit(Growth::To(u64::MAX)).unwrap_err().reason, Reason::TooLarge { .. }));
}

#[test]
fn stopping_before_anything_is_begun_changes_nothing() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = directory.path().join("file");
    let stopped = || prepare(&order(&path, 8 * MIB), &mut |_, _| (), &AtomicBool::new(true));

    let error = stopped().unwrap_err();
    assert!(matches!(error.reason, Reason::Stopped), "{error}");
    assert_eq!(error.state, State::Removed);
    assert!(!path.exists());

    fs::write(&path, "data").unwrap();
    let error = stopped().unwrap_err();
    assert_eq!(error.state, State::Untouched);
    assert_eq!(fs::read(&path).unwrap(), b"data");
    assert_eq!(go(&order(&path, 8 * MIB)).unwrap(), Preparation::Rewritten(RewriteReason::Size(4)));
    assert_eq!(stopped().unwrap(), Preparation::Kept, "nothing to do, nothing to stop");
}

#[test]
fn preparation_progress_reaches_the_size() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    for size in [0, 5, 4096, 20 * MIB + 77] {
        let mut told = Vec::new();
        let path = directory.path().join(size.to_string());
        prepare(&order(&path, size), &mut |done, all| told.push((done, all)), &AtomicBool::new(false))
            .unwrap();
        assert_eq!(told.last(), Some(&(size, size)));
        assert!(told.is_sorted() && told.iter().all(|(_, all)| *all == size), "{told:?}");
    }
}

#[test]
fn folders_are_not_created() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    for path in [directory.path().join("a/b/file"), Path::new("no-such-directory/file").to_owned()] {
        let error = go(&order(&path, 5)).unwrap_err();
        assert!(matches!(error.reason, Reason::Target(TargetErrorKind::NoParent)), "{error}");
        assert_eq!(error.state, State::Untouched);
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn sizes_beyond_all_file_systems_are_refused() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = directory.path().join("file");
    for size in [1 << 62, i64::MAX as u64, 1 << 63, u64::MAX] {
        let error = go(&order(&path, size)).unwrap_err();
        assert!(matches!(error.reason, Reason::TooLarge { .. } | Reason::Full { .. }), "{error}");
        assert!(!path.exists());
    }
}

#[test]
fn an_existing_link_is_followed() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let (file, link) = (directory.path().join("file"), directory.path().join("link"));
    fs::write(&file, "data").unwrap();
    symlink(&file, &link).unwrap();
    assert_eq!(go(&order(&link, 5000)).unwrap(), Preparation::Rewritten(RewriteReason::Size(4)));
    assert_eq!(fs::metadata(&file).unwrap().len(), 5000);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn unpreparable_targets_are_not_changed() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let at = |name: &str| directory.path().join(name);
    symlink("nowhere", at("dangling")).unwrap();
    fs::write(at("file"), "data").unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let mut table: Vec<(PathBuf, &str)> = vec![
        (at("."), "is a directory"),
        (at("dangling"), "is a symbolic link to nowhere, which does not exist"),
        (at("pipe"), "neither a regular file nor a block device"),
        (at("file/below"), "a part of the path is a file"),
        (at(&"x".repeat(300)), "too long"),
        ("".into(), "is not a path"),
        ("/proc/no/such".into(), "/proc/no"),
    ];
    let devices = fs::read_dir("/sys/class/block").into_iter().flatten().flatten();
    let device = devices.map(|entry| Path::new("/dev").join(entry.file_name())).find(|path| path.exists());
    table.extend(device.map(|path| (path, "is a block device, whose size is fixed")));
    for (path, expected) in table {
        let error = go(&order(&path, 4096)).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.state, State::Untouched);
    }
    assert!(!at("nowhere").exists());
    assert_eq!(fs::read(at("file")).unwrap(), b"data");
}
