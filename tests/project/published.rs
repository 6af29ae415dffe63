//! Tests of the single definition of the publishing location, and of the version in the recipes.

#![allow(clippy::unwrap_used)]

use crate::common::kept::root;
use crate::common::tool;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns all texts of a folder.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(texts(&path)),
            false => found.extend(fs::read_to_string(&path).ok().map(|text| (path, text))),
        }
    }
    found
}

#[test]
fn recipes_name_the_repository_of_the_manifest() {
    let repository = env!("CARGO_PKG_REPOSITORY");
    assert!(repository.starts_with("https://") && !repository.ends_with('/'), "{repository}");
    let (_, after) = repository.split_once("://").unwrap();
    let (domain, _) = after.split_once('/').unwrap();
    for (path, text) in texts(&root().join("packaging")) {
        for place in text.match_indices(domain).map(|(place, _)| place) {
            // The maintainer's address is one of mail.
            let is_mail = text[..place].ends_with('@');
            let begins = text[..place].ends_with("https://") && text[place..].starts_with(after);
            assert!(is_mail || begins, "{}: {}", path.display(), &text[place..text.len().min(place + 60)]);
        }
    }
    for recipe in [
        "homebrew/diskspd.rb",
        "aur/PKGBUILD",
        "nix/package.nix",
        "scoop/diskspd-lab.json",
        "winget/diskspd-lab.installer.yaml",
    ] {
        let text = fs::read_to_string(root().join("packaging").join(recipe)).unwrap();
        assert!(text.contains(repository), "{recipe}");
    }
}

#[test]
fn recipes_manifests_and_python_package_have_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, said) in [
        ("packaging/homebrew/diskspd.rb", format!("/v{version}.tar.gz")),
        ("packaging/aur/PKGBUILD", format!("pkgver={version}")),
        ("packaging/nix/package.nix", format!("version = \"{version}\"")),
        ("packaging/scoop/diskspd-lab.json", format!("/v{version}/diskspd-{version}-windows-x86_64.zip")),
        ("packaging/scoop/diskspd-lab.json", format!("\"version\": \"{version}\"")),
        ("packaging/winget/diskspd-lab.yaml", format!("PackageVersion: {version}")),
        ("packaging/winget/diskspd-lab.locale.en-US.yaml", format!("PackageVersion: {version}")),
        ("packaging/winget/diskspd-lab.installer.yaml", format!("PackageVersion: {version}")),
        (
            "packaging/winget/diskspd-lab.installer.yaml",
            format!("/v{version}/diskspd-{version}-windows-x86_64.zip"),
        ),
        ("packaging/fleet/kubernetes-job.yaml", format!("/diskspd:{version}")),
        ("packaging/fleet/kubernetes-mpijob.yaml", format!("/diskspd-mpi:{version}")),
        ("python/pyproject.toml", format!("version = \"{version}\"")),
    ] {
        assert!(fs::read_to_string(root().join(file)).unwrap().contains(&said), "{file}: {said}");
    }
}

#[test]
fn scripts_and_recipes_are_well_formed() {
    let scoop = fs::read_to_string(root().join("packaging/scoop/diskspd-lab.json")).unwrap();
    let scoop: serde_json::Value = serde_json::from_str(&scoop).unwrap();
    assert_eq!(scoop["bin"][0][1], "diskspd-lab", "beside Microsoft's diskspd");
    for script in [
        "packaging/fleet/diskspd.sbatch",
        "packaging/aur/PKGBUILD",
        "packaging/try-packages",
        "packaging/try-windows",
        ".ci/run",
        ".ci/checks/packages",
    ] {
        assert!(tool(&format!("bash -n {}", root().join(script).display())).is_some(), "bash -n {script}");
    }
    for (reader, files) in
        [("ruby -c", "homebrew/diskspd.rb"), ("nix-instantiate --parse", "nix/package.nix")]
    {
        let program = reader.split(' ').next().unwrap();
        if tool(&format!("{program} --version")).is_some() {
            let file = root().join("packaging").join(files);
            assert!(tool(&format!("{reader} {}", file.display())).is_some(), "{reader} {files}");
        }
    }
}
