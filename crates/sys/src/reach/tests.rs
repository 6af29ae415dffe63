use super::*;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

const NOBODY: u32 = 65534;

fn spot_at(path: &Path) -> FolderEntry {
    match reach(path, LastName::Followed).unwrap() {
        ReachedObject::FolderEntry(spot) => spot,
        ReachedObject::Descriptor(number) => panic!("descriptor {number}"),
    }
}

#[test]
fn paths_lead_through_links_to_names_and_descriptors() {
    let directory = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(directory.path()).unwrap();
    let at = |name: &str| root.join(name);
    std::fs::create_dir_all(at("a/b")).unwrap();
    std::fs::write(at("a/file"), "").unwrap();
    for (to, link) in [
        ("a/file", "one"),
        ("one", "two"),
        ("gone", "nowhere"),
        ("a/b/..", "up"),
        ("/proc/self/fd/1", "out"),
        ("circle", "circle"),
    ] {
        symlink(to, at(link)).unwrap();
    }
    symlink(at("a"), at("whole")).unwrap();
    for (path, end) in [
        ("a/file", "a/file"),
        ("two", "a/file"),
        ("nowhere", "gone"),
        ("up/new", "a/new"),
        ("whole/b/../file", "a/file"),
        ("./a/./file", "a/file"),
        ("a/b", "a/b"),
    ] {
        let found = spot_at(&at(path));
        assert_eq!((found.path(), found.real_folder().unwrap().join(found.name())), (&*at(end), at(end)));
        assert_eq!(found.kind().is_some(), at(end).exists(), "{path}");
        assert_eq!(found.key(), spot_at(&at(end)).key(), "{path}");
    }
    for (path, number) in [("out", 1), ("/dev/stdout", 1), ("/dev/fd/7", 7), ("/proc/self/fd/9", 9)] {
        let found = reach(&root.join(path), LastName::Followed).unwrap();
        assert!(matches!(found, ReachedObject::Descriptor(found) if found == number), "{path}: {found:?}");
    }
    for path in ["missing/file", "circle", "a/file/x", "", "/", "a/.."] {
        let path = if path.is_empty() { PathBuf::new() } else { at(path) };
        assert!(reach(&path, LastName::Followed).is_err(), "{}", path.display());
    }
    assert_eq!(spot(&at("two")).unwrap().kind(), Some(Kind::Other), "the link itself");
}

#[test]
fn objects_of_other_processes_are_reached_by_handle() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let path = format!("/proc/thread-self/fd/{}", writer.as_raw_fd());
    let pipe = spot_at(Path::new(&path));
    assert_eq!(pipe.kind(), Some(Kind::Pipe));
    std::io::Write::write_all(&mut pipe.open_to_write().unwrap(), b"x").unwrap();
    std::io::Write::write_all(&mut writer, b"y").unwrap();
    let mut read = [0; 2];
    std::io::Read::read_exact(&mut { reader }, &mut read).unwrap();
    assert_eq!(&read, b"xy");
    let directory = tempfile::tempdir().unwrap();
    let through = Path::new("/proc/thread-self/root").join(directory.path().strip_prefix("/").unwrap());
    assert_eq!(spot_at(&through.join("new")).key(), spot_at(&directory.path().join("new")).key());
}

#[test]
fn refuses_links_of_others_in_open_folders() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir_all(at("own")).unwrap();
    let mut is_tried = false;
    for (folder, mode, link_owner, folder_owner, followed) in [
        ("sticky", 0o1777, NOBODY, 0, false),
        ("open", 0o777, NOBODY, 0, false),
        ("group", 0o1775, NOBODY, 0, false),
        ("mine", 0o1777, 0, 0, true),
        ("theirs", 0o1777, NOBODY, NOBODY, true),
        ("closed", 0o755, NOBODY, 0, true),
    ] {
        std::fs::create_dir(at(folder)).unwrap();
        let (end, on_the_way) = (at(folder).join("file"), at(folder).join("folder"));
        symlink("../own/file", &end).unwrap();
        symlink("../own", &on_the_way).unwrap();
        let give = |path: &Path, owner| lchown(path, Some(owner), None);
        if give(&end, link_owner).is_err() || !rustix::process::geteuid().is_root() {
            continue;
        }
        is_tried = true;
        give(&on_the_way, link_owner).unwrap();
        give(&at(folder), folder_owner).unwrap();
        std::fs::set_permissions(at(folder), PermissionsExt::from_mode(mode)).unwrap();
        for path in [end, on_the_way.join("file"), on_the_way.join("../own/x")] {
            let found = reach(&path, LastName::Followed);
            match followed {
                true => assert!(found.is_ok(), "{}: {found:?}", path.display()),
                false => assert!(
                    matches!(found, Err(ReachError::Planted { owner: NOBODY, .. })),
                    "{}: {found:?}",
                    path.display()
                ),
            }
        }
        assert_eq!(make_folders(&on_the_way.join("new")).is_ok(), followed, "{folder}");
        assert_eq!(open_folder(&on_the_way).is_ok(), followed, "{folder}");
        assert_eq!(at("own/new").exists(), followed, "{folder}");
        let _ = std::fs::remove_dir(at("own/new"));
    }
    if !is_tried {
        eprintln!("SKIPPED: giving a link away needs root");
    }
}

#[test]
fn path_race_never_mixes_two_objects() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for folder in ["a", "b"] {
        std::fs::create_dir(at(folder)).unwrap();
        std::fs::write(at(folder).join("file"), folder).unwrap();
    }
    symlink("a/file", at("one")).unwrap();
    symlink("b/file", at("two")).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for (one, two) in [("one", "two"), ("a", "b")] {
                    exchange(&at(one), &at(two)).unwrap();
                }
            }
        });
        for _ in 0..500 {
            let found = spot_at(&at("one"));
            let Some(SpotKey::There(key)) = found.key() else { panic!("{found:?}") };
            let read = found.open_to_read().unwrap();
            assert_eq!(super::super::inode::identity(&read.metadata().unwrap()), key);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn folders_are_made_and_foreign_links_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    make_folders(&at("a/b/c")).unwrap();
    make_folders(&at("a/b/c")).unwrap();
    std::fs::write(at("file"), "").unwrap();
    assert!(at("a/b/c").is_dir() && make_folders(&at("file/x")).is_err());
    let private = spot(&at("private")).unwrap();
    private.make_private_folder().unwrap();
    assert_eq!(std::fs::metadata(at("private")).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(private.create_new().is_err() && spot(&at("new")).unwrap().create_new().is_ok());
    symlink("a", at("link")).unwrap();
    refuse_foreign_link(&at("link")).unwrap();
    refuse_foreign_link(&at("none")).unwrap();
    if lchown(at("link"), Some(NOBODY), None).is_ok() {
        assert!(matches!(refuse_foreign_link(&at("link")), Err(ReachError::Foreign { owner: NOBODY })));
    }
}
