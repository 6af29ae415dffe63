use super::*;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn list_names(folder: &Path) -> Vec<OsString> {
    let mut names: Vec<OsString> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn old_file_stays_until_replaced_and_passes_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    std::fs::write(&path, "earlier").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let place = FileTarget::open(&path).unwrap();
    let mut new = place.begin().unwrap();
    new.file().write_all(b"new").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
    drop(place.begin().unwrap());
    new.put().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o640);
    new.file().write_all(b"er").unwrap();
    new.put().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"newer");
    assert_eq!(list_names(folder.path()), ["run.json"]);
}

#[test]
fn random_names_replace_missing_unnamed_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let place = FileTarget::open(&path).unwrap();
    let begin = || {
        let (file, draft) = place.create_named(MODE).unwrap();
        NewFile { place: Arc::clone(&place), file, state: NameState::Named(draft) }
    };
    drop(begin());
    assert!(list_names(folder.path()).is_empty());
    let mut new = begin();
    new.file().write_all(b"new").unwrap();
    assert_eq!(list_names(folder.path()).len(), 1);
    new.put().unwrap();
    assert_eq!(list_names(folder.path()), ["run.json"]);
}

#[test]
fn unnamed_file_is_copied_to_named_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    std::fs::write(&path, "earlier").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o604)).unwrap();
    let place = FileTarget::open(&path).unwrap();
    let mut new = place.begin().unwrap();
    new.file().write_all(b"new").unwrap();
    let draft = new.copy_beside().unwrap();
    new.state = NameState::Named(draft);
    new.put().unwrap();
    new.file().write_all(b"er").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"newer");
    assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o604);
    assert_eq!(list_names(folder.path()), ["run.json"]);
}

#[test]
fn unplaced_file_is_kept_under_reported_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let place = FileTarget::open(&path).unwrap();
    let mut new = place.begin().unwrap();
    new.file().write_all(b"precious").unwrap();
    // Somebody makes a folder of that name meanwhile.
    std::fs::create_dir(&path).unwrap();
    let not = new.put().unwrap_err();
    let kept = not.kept.as_ref().unwrap();
    assert!(not.to_string().contains(&*kept.to_string_lossy()), "{not}");
    assert_eq!((kept.parent(), kept.extension()), (path.parent(), path.extension()));
    drop(new);
    assert_eq!(std::fs::read(kept).unwrap(), b"precious");
    // The whole folder is gone.
    let mut new = place.begin().unwrap();
    new.file().write_all(b"more").unwrap();
    std::fs::remove_dir_all(folder.path()).unwrap();
    let elsewhere = new.put().unwrap_err().kept.unwrap();
    assert_eq!(std::fs::read(&elsewhere).unwrap(), b"more");
    assert_eq!(elsewhere.metadata().unwrap().mode() & 0o777, 0o600);
    std::fs::remove_file(elsewhere).unwrap();
}

#[test]
fn links_folders_and_missing_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("file"), "precious").unwrap();
    symlink("file", at("link")).unwrap();
    symlink("nothing", at("dangling")).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    for name in ["link", "dangling", "folder", "missing/file", "file/file", ".."] {
        let refused = FileTarget::open(&at(name)).map(|_| ()).unwrap_err();
        assert!(refused.to_string().starts_with("cannot be "), "{name}: {refused}");
    }
    assert_eq!(list_names(folder.path()), ["dangling", "file", "folder", "link"]);
    assert_eq!(std::fs::read(at("file")).unwrap(), b"precious");
}

#[test]
fn temporary_names_are_random_and_short_enough() {
    let one = random_name(OsStr::new("run.json"));
    assert_ne!(one, random_name(OsStr::new("run.json")));
    let text = one.to_str().unwrap();
    assert!(text.starts_with("run.") && text.ends_with(".json") && text.len() == 25, "{text}");
    // A collector of *.prom never sees it.
    let metrics = random_name(OsStr::new("run.prom")).into_string().unwrap();
    assert!(metrics.starts_with("run.prom.") && metrics.len() == 25, "{metrics}");
    for long in ["x".repeat(255), format!("a.{}", "y".repeat(253)), format!("{}.json", "z".repeat(250))] {
        let name = random_name(OsStr::new(&long));
        assert!(name.len() <= NAME_MAX && name.len() > 17, "{name:?}");
    }
}
