//! Files for clusters, and the metadata of packages.

use crate::common::kept::root;
use crate::common::{output, skip};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Prints the kind of each document, and each command line of the program in it.
const READ: &str = "
import sys, yaml
def lines(node):
    if isinstance(node, dict):
        for value in node.values():
            yield from lines(value)
    elif isinstance(node, list):
        if 'diskspd' in node or any(str(word).startswith('-c10G') for word in node):
            yield ' '.join(map(str, node))
        for value in node:
            yield from lines(value)
    elif isinstance(node, str) and 'diskspd -' in node:
        yield node
for document in yaml.safe_load_all(open(sys.argv[1])):
    assert document is not None, 'an empty document'
    print('kind', document.get('kind', 'compose') if isinstance(document, dict) else 'play')
    for line in lines(document):
        print('line', ' '.join(line.split()))
";

#[test]
fn fleet_manifests_are_yaml_and_have_engine() {
    if !has_yaml() {
        return skip("python3-yaml is missing");
    }
    let mut kinds = Vec::new();
    let folder = fs::read_dir(root().join("packaging/fleet")).unwrap();
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    for path in folder.map(|entry| entry.unwrap().path()).filter(is_yaml) {
        let read = output(Command::new("python3").args(["-c", READ]).arg(&path)).unwrap();
        assert!(read.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&read.stderr));
        let text = String::from_utf8(read.stdout).unwrap();
        kinds.extend(text.lines().filter_map(|line| line.strip_prefix("kind ")).map(str::to_owned));
        // Containers mostly have no io_uring.
        let lines = text.lines().filter(|line| line.starts_with("line ") && line.contains("-c10G"));
        for line in lines.filter(|_| !path.ends_with("ansible.yml")) {
            assert!(line.contains("--engine aio"), "{}: {line}", path.display());
        }
    }
    kinds.sort();
    let expected = ["Job", "MPIJob", "PersistentVolumeClaim", "PersistentVolumeClaim", "compose", "play"];
    assert_eq!(kinds, expected);
}

fn has_yaml() -> bool {
    Command::new("python3").args(["-c", "import yaml"]).output().is_ok_and(|done| done.status.success())
}

#[test]
fn deb_and_rpm_have_same_summary_and_fleet() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let value = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} = ")));
        line.and_then(|line| line.split_once(" = ")).unwrap().1.to_owned()
    };
    assert_eq!(value("summary"), value("description"));
    assert_eq!(text.matches("\"packaging/fleet/*\"").count(), 2);
}
