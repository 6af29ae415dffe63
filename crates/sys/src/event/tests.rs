use super::*;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;

const LONG: Duration = Duration::from_secs(600);

fn temp_directory() -> tempfile::TempDir {
    tempfile::tempdir_in(DIRECTORY).unwrap()
}

#[test]
fn names_become_files_without_loss() {
    for (name, expected) in [
        (&b"go"[..], "diskspd.event.go"),
        (b"A-b_9", "diskspd.event.A-b_9"),
        (b"Global\\go", "diskspd.event.Global%5Cgo"),
        (b"../../etc/x", "diskspd.event.%2E%2E%2F%2E%2E%2Fetc%2Fx"),
        (b"a b%20", "diskspd.event.a%20b%2520"),
        ("ä".as_bytes(), "diskspd.event.%C3%A4"),
        (b"\xff\n", "diskspd.event.%FF%0A"),
    ] {
        assert_eq!(path(Path::new("/d"), name).unwrap(), Path::new("/d").join(expected));
    }
    assert!(matches!(path(Path::new("/d"), b""), Err(EventError::NoName)));
    assert!(path(Path::new("/d"), &[b'x'; 241]).is_ok());
    assert!(matches!(path(Path::new("/d"), &[b'x'; 242]), Err(EventError::TooLong(256))));
}

#[test]
fn event_stays_set_until_reset() {
    let directory = temp_directory();
    let at = directory.path().join("event");
    let (a, b) = (Event::open_at(&at, true).unwrap(), Event::open_at(&at, true).unwrap());
    assert!(!a.is_set().unwrap() && !b.wait(Duration::ZERO).unwrap());
    a.set().unwrap();
    a.set().unwrap();
    assert!(b.wait(LONG).unwrap() && b.wait(LONG).unwrap() && a.wait(LONG).unwrap());
    let late = Event::open_at(&at, true).unwrap();
    assert!(late.wait(LONG).unwrap(), "who comes later finds it set");
    late.reset().unwrap();
    assert!(!a.wait(Duration::from_millis(1)).unwrap());
}

#[test]
fn setting_an_event_wakes_its_waiter() {
    let directory = temp_directory();
    let at = directory.path().join("event");
    let event = Event::open_at(&at, true).unwrap();
    std::thread::scope(|scope| {
        // Whether set before or while it waits, it ends; a lost wake-up would last ten minutes.
        let waiting = scope.spawn(|| event.wait(LONG).unwrap());
        Event::open_at(&at, false).unwrap().set().unwrap();
        assert!(waiting.join().unwrap());
    });
    event.reset().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| event.wait(LONG).unwrap());
        std::fs::write(&at, "\n").unwrap();
        assert!(waiting.join().unwrap(), "a shell's echo sets it too");
    });
}

#[test]
fn event_lives_until_its_last_handle_closes() {
    let directory = temp_directory();
    let at = directory.path().join("event");
    assert!(matches!(Event::open_at(&at, false), Err(EventError::Missing)));
    let first = Event::open_at(&at, true).unwrap();
    let second = Event::open_at(&at, false).unwrap();
    first.set().unwrap();
    drop(first);
    assert!(second.is_set().unwrap());
    drop(second);
    assert!(!at.exists(), "nothing stays behind");
    assert!(matches!(Event::open_at(&at, false), Err(EventError::Missing)));
    assert!(!Event::open_at(&at, true).unwrap().is_set().unwrap(), "and begins anew, not set");
    // What a killed process left over, set.
    std::fs::write(&at, "1").unwrap();
    assert!(matches!(Event::open_at(&at, false), Err(EventError::Missing)));
    assert!(!at.exists());
    // A name that was taken by something else meanwhile stays.
    let event = Event::open_at(&at, true).unwrap();
    std::fs::remove_file(&at).unwrap();
    std::fs::write(&at, "another").unwrap();
    drop(event);
    assert_eq!(std::fs::read(&at).unwrap(), b"another");
}

/// Checks that no process ever waits on an event without a name. A process that opens it during the last
/// close gets the next event, as all others do.
#[test]
fn event_opened_during_close_is_shared() {
    let directory = temp_directory();
    let at = directory.path().join("event");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let event = Event::open_at(&at, true).unwrap();
                    let named =
                        std::fs::metadata(&at).map(|found| std::os::unix::fs::MetadataExt::ino(&found));
                    assert_eq!(named.unwrap(), fs::fstat(&event.file).unwrap().st_ino);
                }
            });
        }
    });
    assert!(!at.exists(), "the last one has taken it away");
}

#[test]
fn shared_events_are_open_to_all_and_safe() {
    let directory = temp_directory();
    let at = |name: &str| directory.path().join(name);
    let event = Event::open_at(&at("event"), true).unwrap();
    assert_eq!(std::fs::metadata(at("event")).unwrap().permissions().mode() & 0o777, 0o666);
    drop(event);
    std::fs::write(at("file"), "precious").unwrap();
    symlink("file", at("link")).unwrap();
    symlink("nothing", at("dangling")).unwrap();
    std::fs::create_dir(at("directory")).unwrap();
    rustix::fs::mknodat(CWD, at("pipe"), FileType::Fifo, 0o600.into(), 0).unwrap();
    std::fs::hard_link(at("file"), at("hard")).unwrap();
    std::fs::write(at("large"), vec![b'x'; 5000]).unwrap();
    for name in ["link", "dangling", "directory", "pipe", "hard", "large"] {
        let refused = Event::open_at(&at(name), true);
        assert!(matches!(refused, Err(EventError::NoEvent(_))), "{name}: {refused:?}");
    }
    assert_eq!(std::fs::read(at("file")).unwrap(), b"precious");
}

#[test]
fn foreign_event_file_needs_shared_permissions() {
    let directory = temp_directory();
    let at = directory.path().join("event");
    std::fs::write(&at, "1").unwrap();
    if std::os::unix::fs::chown(&at, Some(65534), None).is_err() {
        return eprintln!("SKIPPED: files cannot be given away here (needs root)");
    }
    for (mode, is_event) in [(0o600, false), (0o644, false), (0o777, false), (0o666, true)] {
        std::fs::set_permissions(&at, PermissionsExt::from_mode(mode)).unwrap();
        let opened = Event::open_at(&at, true);
        assert_eq!(opened.is_ok(), is_event, "{mode:o}: {opened:?}");
        assert_eq!(std::fs::metadata(&at).unwrap().len(), u64::from(!is_event), "{mode:o}");
    }
}

#[test]
fn event_supports_concurrent_open_and_set() {
    let directory = temp_directory();
    let at = directory.path().join("event");
    for _ in 0..50 {
        std::thread::scope(|scope| {
            let open = || Event::open_at(&at, true).unwrap();
            let events: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            let events: Vec<Event> = events.into_iter().map(|thread| thread.join().unwrap()).collect();
            assert!(events.iter().all(|event| !event.is_set().unwrap()), "left over from the last round");
            events[0].set().unwrap();
            assert!(events.iter().all(|event| event.wait(LONG).unwrap()));
        });
    }
}
