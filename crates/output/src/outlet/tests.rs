use super::*;
use crate::StreamedFile;
use diskspd_sys::inode::symlink;
use diskspd_sys::{locks, reach};
use std::sync::atomic::{AtomicBool, Ordering};

/// Rounds of a race. Every second name leads to the file in use, so each round can hit it.
const RACE_ROUNDS: usize = 8;

type Written = fn(Outlet) -> Result<(), OutputError>;

const WRITERS: [(&str, Written); 3] = [
    ("whole", |outlet| outlet.put(b"report".to_vec())),
    ("again", |outlet| outlet.put(b"one".to_vec()).and_then(|()| outlet.put(b"two".to_vec()))),
    ("line by line", |outlet| {
        let mut file = StreamedFile::open(outlet)?;
        let _ = file.write_all(b"line");
        file.show();
        Ok(())
    }),
];

#[test]
fn spares_file_in_use_while_links_change() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["a", "b"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::fs::write(at("free"), "").unwrap();
    std::fs::write(at("image"), "precious").unwrap();
    std::fs::hard_link(at("image"), at("b/out")).unwrap();
    std::fs::write(at("a/out"), "").unwrap();
    for (to, link) in [("free", "one"), ("image", "two"), ("a", "folder"), ("b", "other")] {
        symlink(to, at(link)).unwrap();
    }
    let held = File::open(at("image")).unwrap();
    assert!(locks::hold(&held).unwrap());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for (one, two) in [("one", "two"), ("folder", "other"), ("a", "b")] {
                    reach::exchange(&at(one), &at(two)).unwrap();
                }
            }
        });
        let mut written = 0;
        for (way, write) in WRITERS {
            for path in [at("one"), at("folder/out"), at("a/out")] {
                for _ in 0..RACE_ROUNDS {
                    let done = OutputPolicy::default()
                        .permit("--out", &path)
                        .and_then(|permitted| permitted.open(&HangGuard::default()))
                        .and_then(write);
                    written += u32::from(done.is_ok());
                    let there = std::fs::read(at("image")).unwrap();
                    assert_eq!(there, b"precious", "{way} {}", path.display());
                    let names =
                        std::fs::read_dir(at("b")).unwrap().chain(std::fs::read_dir(at("a")).unwrap());
                    assert!(names.count() <= 3, "nothing is left behind");
                }
            }
        }
        assert!(written > 0, "the free file is written");
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(inode_of(&at("image")), inode_of_open(&held), "the file in use is still there");
    assert!([at("a/out"), at("b/out")].iter().any(|path| inode_of(path) == inode_of_open(&held)));
}

fn inode_of(path: &Path) -> (u64, u64) {
    diskspd_sys::inode::identity_at(path).unwrap()
}

fn inode_of_open(file: &File) -> (u64, u64) {
    diskspd_sys::inode::identity_of_open(file).unwrap()
}

#[test]
fn spares_file_taken_into_use_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.json");
    for is_there_before in [false, true] {
        let _ = std::fs::remove_file(&path);
        if is_there_before {
            std::fs::write(&path, "earlier").unwrap();
        }
        let outlet = OutputPolicy::default().permit("--out", &path).unwrap();
        let outlet = outlet.open(&HangGuard::default()).unwrap();
        std::fs::write(&path, "precious").unwrap();
        let held = File::open(&path).unwrap();
        assert!(locks::hold(&held).unwrap());
        let kept = match outlet.put(b"report".to_vec()) {
            Err(OutputError::Output {
                fault: OutputErrorKind::NotWritten(WriteError::NotPut(not)), ..
            }) => not.kept,
            other => panic!("{other:?}"),
        };
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        assert_eq!(std::fs::read(kept.unwrap()).unwrap(), b"report", "what was measured is not lost");
    }
}

#[test]
fn spares_inputs_targets_and_journals_after_renames() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let journal = [&[0; 9][..], crate::JOURNAL_MAGIC].concat();
    for (name, content) in [("input", &b"x"[..]), ("target", b"x"), ("journal", &journal), ("free", b"x")] {
        std::fs::write(at(name), content).unwrap();
        std::fs::write(at("out"), "earlier").unwrap();
        let mut door =
            OutputPolicy::default().which_reads([NamedOutput { by: "-X".into(), path: at("input") }]);
        door.targets.push(at("target"));
        let permitted = door.permit("--out", &at("out")).unwrap();
        std::fs::rename(at(name), at("out")).unwrap();
        let opened = permitted.open(&HangGuard::default());
        assert_eq!(opened.is_ok(), name == "free", "{name}: {opened:?}");
    }
}
