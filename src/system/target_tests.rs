use super::*;
use std::os::unix::fs::symlink;

#[test]
fn windows_devices_are_recognized_and_files_are_not() {
    let disk = Some(WindowsForm::PhysicalDisk);
    let volume = Some(WindowsForm::Volume);
    for (target, expected) in [
        ("#0", disk),
        ("#12", disk),
        ("#", None),
        ("#1a", None),
        ("./#1", None),
        ("c:", volume),
        ("Z:", volume),
        ("1:", None),
        ("c:\\file", None),
        ("", None),
        ("/dev/sda", None),
    ] {
        assert_eq!(windows_form(target.as_bytes()), expected, "{target}");
    }
}

#[test]
fn what_is_found_at_a_path() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("file"), vec![0; 5000]).unwrap();
    symlink("file", at("link")).unwrap();
    let file_system = file_systems::type_name(directory.path());
    assert!(!file_system.is_empty());
    for (name, kind, size) in [
        ("file", TargetKind::File, 5000),
        ("link", TargetKind::File, 5000),
        (".", TargetKind::Directory, 0),
        ("none", TargetKind::Missing, 0),
        ("no/such/directory/none", TargetKind::Missing, 0),
    ] {
        let facts = probe(&at(name)).unwrap();
        assert_eq!((facts.kind, facts.size), (kind, size), "{name}");
        assert_eq!(facts.file_system, file_system, "{name}");
    }
    let device = probe(Path::new("/dev/null")).unwrap();
    assert_eq!((device.kind, device.file_system.as_str()), (TargetKind::Other, ""));
}

#[test]
fn what_keeps_us_from_looking_is_told_with_the_next_step() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("file"), "").unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    let long = "x".repeat(300);
    for (path, expected) in [
        (at("dangling"), "link to nowhere, which does not exist; name the file itself"),
        (at("a"), "lead in a circle"),
        (at(&long), "too long for the file system; use a shorter one"),
        (at("file/below"), "is a file and not a directory; check the path"),
        (PathBuf::new(), "is not a path"),
        (at("zero\0byte"), "is not a path"),
    ] {
        let error = probe(&path).unwrap_err();
        assert_eq!(error.path, path);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn requirements_for_direct_io_are_those_that_work() {
    for directory in ["/var/tmp", "/dev/shm"] {
        let Ok(file) = tempfile::NamedTempFile::new_in(directory) else {
            println!("skipped {directory}: no file can be created there");
            continue;
        };
        file.as_file().set_len(1 << 20).unwrap();
        let facts = probe(file.path()).unwrap();
        let direct = facts.direct.unwrap();
        let opened = rustix::fs::open(file.path(), OFlags::RDONLY | OFlags::DIRECT, Mode::empty());
        assert_eq!(opened.is_ok(), direct.offset > 0, "{directory} {facts:?}");
        if let Ok(file) = opened {
            assert!(direct.offset.is_power_of_two() && direct.memory.is_power_of_two(), "{facts:?}");
            let mut buffer = crate::sys::memory::Buffer::new(direct.offset as usize).unwrap();
            rustix::io::pread(&file, buffer.as_mut_slice(), direct.offset.into()).unwrap();
        }
    }
}
