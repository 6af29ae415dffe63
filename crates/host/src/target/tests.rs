use super::*;
use std::os::unix::fs::symlink;

#[test]
fn drive_letters_are_recognized_and_files_are_not() {
    for (target, expected) in
        [("c:", true), ("Z:", true), ("1:", false), ("c:\\file", false), ("cc:", false), ("", false)]
    {
        assert_eq!(is_drive_letter(target.as_bytes()), expected, "{target}");
    }
}

#[test]
fn ordinary_paths_resolve_to_themselves() {
    for target in ["a.dat", "/dev/sda", "#", "./#1", "", "c:", "a#1", "///a/b/c", "//a", "//tmp/..//x"] {
        assert_eq!(locate(target.as_bytes()).unwrap(), Path::new(target), "{target}");
    }
    let not_utf8 = b"//a\xff/b/c";
    assert_eq!(locate(not_utf8).unwrap().as_os_str().as_encoded_bytes(), not_utf8);
}

#[test]
fn shares_are_found_at_mount_points() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir_all(at("proc/self")).unwrap();
    std::fs::create_dir_all(at("home/me")).unwrap();
    std::fs::write(at("proc/self/mountinfo"), "30 27 0:50 / /mnt/data rw - cifs //srv/data rw\n").unwrap();
    let root = Root::at(directory.path());
    let located = |target: &str| locate_at(&root, target.as_bytes());
    assert_eq!(located("\\\\srv\\data\\a b").unwrap(), Path::new("/mnt/data/a b"));
    assert_eq!(located("//SRV/data/a/b").unwrap(), Path::new("/mnt/data/a/b"));
    assert_eq!(located("//home/me/a").unwrap(), Path::new("//home/me/a"));
    let network = "31 27 0:51 / /net rw - fuse.smbnetfs smbnetfs rw\n";
    let mounts = std::fs::read_to_string(at("proc/self/mountinfo")).unwrap();
    std::fs::write(at("proc/self/mountinfo"), mounts.clone() + network).unwrap();
    assert_eq!(located("//srv/data/a").unwrap(), Path::new("/mnt/data/a"));
    assert_eq!(located("//srv/other/a").unwrap(), Path::new("/net/srv/other/a"));
    assert_eq!(located("//home/me/a").unwrap(), Path::new("//home/me/a"));
    assert_eq!(located("\\\\home\\me\\a").unwrap(), Path::new("/net/home/me/a"));
    std::fs::write(at("proc/self/mountinfo"), mounts).unwrap();
    for target in ["//srv/other/a", "\\\\home\\me\\a"] {
        let message = located(target).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("'{target}'")) && message.contains("mount -t cifs"),
            "{message}"
        );
    }
}

#[test]
fn target_kind_is_found_by_path() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("file"), vec![0; 5000]).unwrap();
    symlink("file", at("link")).unwrap();
    let file_system = diskspd_sys::file_systems::type_name(directory.path());
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
fn inaccessible_target_has_next_step() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("file"), "").unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    let long = "x".repeat(300);
    for (path, expected) in [
        (at("dangling"), "link to nowhere, which does not exist; name the file itself"),
        (at("a"), "form a loop"),
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
fn direct_io_requirements_are_sufficient() {
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
            let mut buffer = diskspd_sys::memory::Buffer::new(direct.offset as usize).unwrap();
            rustix::io::pread(&file, buffer.as_mut_slice(), direct.offset.into()).unwrap();
        }
    }
}
