//! Tests of opening targets: errors include advice.

use diskspd::plan::OpenMode;
use diskspd::sys::files::open;

fn mode(read: bool, write: bool, direct: bool, dsync: bool) -> OpenMode {
    OpenMode { read, write, direct, dsync, ..OpenMode::default() }
}

#[test]
fn open_mode_matches_kernel_flags() {
    let file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    file.as_file().set_len(12345).unwrap();
    // The kernel's numbers: names of libraries have stood for others. O_SYNC contains O_DSYNC.
    let interesting = libc::O_ACCMODE | libc::O_DIRECT | libc::O_SYNC | libc::O_EXCL | libc::O_NOATIME;
    for (mode, expected) in [
        (mode(true, false, false, false), libc::O_RDONLY),
        (mode(false, true, false, false), libc::O_WRONLY),
        (mode(true, true, false, false), libc::O_RDWR),
        (mode(true, true, true, false), libc::O_RDWR | libc::O_DIRECT),
        (mode(true, false, false, true), libc::O_RDONLY | libc::O_DSYNC),
        (mode(true, true, true, true), libc::O_RDWR | libc::O_DIRECT | libc::O_DSYNC),
    ] {
        let target = open(file.path(), &mode).unwrap();
        assert_eq!(target.size, 12345);
        let flags = rustix::fs::fcntl_getfl(&target.file).unwrap().bits() as i32;
        // The file is ours: reading it is to leave no access time.
        assert_eq!(flags & interesting, expected | libc::O_NOATIME, "{mode:?}");
        let inherited = rustix::io::fcntl_getfd(&target.file).unwrap();
        assert!(inherited.contains(rustix::io::FdFlags::CLOEXEC));
    }
}

#[test]
fn open_errors_have_a_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("empty"), "").unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for (path, expected) in [
        (at("missing"), "let -c<size> create the file"),
        (at("."), "is a directory; name a file in it"),
        (at("empty"), "its size is 0"),
        (at("empty/below"), "a part of the path is a file"),
        (at("pipe"), "neither a regular file nor a block device"),
        ("/dev/null".into(), "neither a regular file nor a block device"),
        ("".into(), "is not a path"),
    ] {
        let error = open(&path, &mode(true, true, false, false)).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
    }
    let error = open(std::path::Path::new("/proc/version"), &mode(true, false, true, false)).unwrap_err();
    assert!(
        error.to_string().contains("proc cannot bypass the page cache (O_DIRECT) here; leave out -Su"),
        "{error}"
    );
}
