//! `--bisect`, the exit codes of `git bisect run`, by git itself.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, directory, output, skip};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_diskspd");

fn ran(program: &str, arguments: &[&str], folder: &Path) -> Ended {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    output(&mut command).unwrap().into()
}

/// Compares simulated runs with these depths.
fn compared(loss: &str, depths: [&str; 2], folder: &Path) -> Ended {
    let options = "-b4K -r -d1 -W0 -c64M --engine sim";
    let line = format!(
        "compare --repeat 6 --bisect {loss} -- -o{} {options} :: -o{} {options} s.dat",
        depths[0], depths[1]
    );
    ran(PROGRAM, &line.split(' ').collect::<Vec<_>>(), folder)
}

#[test]
fn bisection_exits_with_git_codes() {
    let folder = directory();
    for (loss, depths, code) in
        [("50%", ["8", "8"], 0), ("50%", ["8", "1"], 1), ("50%", ["1", "8"], 0), ("99.99%", ["8", "1"], 0)]
    {
        let ended = compared(loss, depths, folder.path());
        assert_eq!(ended.code, code, "{loss} {depths:?} {}", ended.stderr);
    }
}

/// Failures must differ from results of the bisection.
#[test]
fn failed_bisections_skip_or_abort() {
    let folder = directory();
    for (line, code) in [
        ("compare --bisect 20% none.json other.json", 125),
        ("compare --bisect 20% --nonsense a.json b.json", 128),
        ("compare --bisect 20% --fail-if worse a.json b.json", 128),
        ("compare --bisect 0% a.json b.json", 128),
        ("compare --bisect=100% a.json b.json", 128),
        ("compare --bisect", 128),
        ("baseline check none --bisect 20%", 128),
        ("compare --repeat 4 --bisect 20% -- -b4K -d1 :: -b4K -d1 none/none.dat", 125),
    ] {
        let ended = ran(PROGRAM, &line.split(' ').collect::<Vec<_>>(), folder.path());
        assert_eq!(ended.code, code, "{line} {}", ended.stderr);
    }
    // One run of each side is not enough for a judgement.
    for run in ["a.json", "b.json"] {
        let line = ["-b4K", "-d1", "-W0", "-c1M", "--engine", "sim", "--quiet", "--out", run, "s.dat"];
        assert_eq!(ran(PROGRAM, &line, folder.path()).code, 0);
    }
    let ended = ran(PROGRAM, &["compare", "--bisect", "20%", "a.json", "b.json"], folder.path());
    assert_eq!(ended.code, 125, "{}", ended.stderr);
}

#[test]
fn git_finds_the_commit_that_made_io_slower() {
    let folder = directory();
    let git = |words: &str| ran("git", &words.split(' ').collect::<Vec<_>>(), folder.path());
    if Command::new("git").arg("--version").output().is_err() {
        return skip("no git");
    }
    assert_eq!(git("init --quiet .").code, 0);
    for (key, value) in [("user.name", "Tester"), ("user.email", "tester@example.org")] {
        git(&format!("config {key} {value}"));
    }
    // The "program" under test is its depth; the fifth commit makes it slower.
    for (number, depth) in (1..=8).map(|number| (number, if number < 5 { 8 } else { 1 })) {
        fs::write(folder.path().join("depth"), format!("{depth}\n{number}\n")).unwrap();
        git("add depth");
        assert_eq!(git(&format!("commit --quiet -m change-{number}")).code, 0);
    }
    let options = "-b4K -r -d1 -W0 -c64M --engine sim";
    let script = format!(
        "#!/bin/sh\nexec '{PROGRAM}' compare --repeat 6 --bisect 50% -- -o8 {options} :: \
         -o$(head -n1 depth) {options} s.dat\n"
    );
    let path = folder.path().join("step");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    git("bisect start HEAD HEAD~7");
    let ended = git("bisect run ./step").succeeds();
    let found = git("show --no-patch --format=%s refs/bisect/bad");
    assert_eq!(found.stdout.trim(), "change-5", "{}", ended.stdout);
}
