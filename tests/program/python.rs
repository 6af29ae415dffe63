//! Tests of the Python package (`python/`), which reads the program's output, and of its dataclasses
//! against the schemas.

#![allow(clippy::unwrap_used)]

use crate::common::{output, skip, tool};
use std::path::Path;
use std::process::Command;

#[test]
fn python_package_reads_program_output() {
    // One with pandas, where `.ci/run` has made it.
    let python = std::env::var("DISKSPD_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    // Older ones lack what the package needs.
    let ask = "import sys; sys.exit(sys.version_info < (3, 9))";
    let found = output(Command::new(&python).args(["-c", ask]));
    if !found.is_ok_and(|ended| ended.status.success()) {
        let version = tool(&format!("{python} --version")).unwrap_or_else(|| "none".to_owned());
        return skip(&format!("the Python package takes python3, 3.9 or later; found: {version}"));
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut tests = Command::new(&python);
    // -B: nothing is written into the sources.
    tests.args(["-B", "-m", "unittest", "discover", "-s", "tests"]).current_dir(package);
    let ended = output(tests.env("DISKSPD_PROGRAM", env!("CARGO_BIN_EXE_diskspd"))).unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
