//! Machines made of files: `tests/data/sys/<machine>.txt` holds one file (`path: content`, with `\n` for a line end and
//! `\t` for a tab) or symbolic link (`path -> target`) per line.

#![allow(clippy::unwrap_used)]

use diskspd::host::root::Root;
use std::fs;
use std::path::Path;

/// Creates the files of the machine in a directory, which lives as long as the first value.
pub fn machine(name: &str) -> (tempfile::TempDir, Root) {
    let text =
        fs::read_to_string(format!("{}/tests/data/sys/{name}.txt", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let place = |path: &str| {
            let place = directory.path().join(path.trim_start_matches('/'));
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            place
        };
        if let Some((path, target)) = line.split_once(" -> ") {
            std::os::unix::fs::symlink(Path::new(target), place(path)).unwrap();
        } else {
            let (path, content) = line.split_once(": ").unwrap();
            let content = content.replace("\\n", "\n").replace("\\t", "\t");
            fs::write(place(path), content + "\n").unwrap();
        }
    }
    let root = Root::at(directory.path());
    (directory, root)
}
