//! Tests of memory use for foreign files (`limits`).

#![allow(clippy::unwrap_used)]

use crate::common::{command_of, directory, directory_with, diskspd, output, skip};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const MIB: u64 = 1 << 20;
/// Runs a command; prints its exit code and the largest memory of its processes in KiB.
const MEASURE: &str = "import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

/// Returns the exit code of `report FILE` and its largest memory in bytes (`VmHWM`).
fn measured(file: &Path) -> (i32, u64) {
    let report = command_of(&["report", file.to_str().unwrap()]);
    let mut python = Command::new("python3");
    python.args(["-c", MEASURE]).arg(report.get_program()).args(report.get_args());
    let text = String::from_utf8(output(&mut python).unwrap().stdout).unwrap();
    let (code, kib) = text.trim().split_once(' ').unwrap();
    (code.parse().unwrap(), kib.parse::<u64>().unwrap() * 1024)
}

/// Checks that `report FILE` takes at most 32 MiB plus four times the size of the content; returns its exit
/// code.
fn reported(file: &Path, content: &str) -> i32 {
    let (code, bytes) = measured(file);
    let most = 32 * MIB + 4 * content.len() as u64;
    let begin = &content[..60];
    assert!(bytes <= most, "{}: {} of at most {} MiB: {begin}", file.display(), bytes / MIB, most / MIB);
    code
}

/// Writes a record with a list of that many bytes of the smallest rows, in the program's layout.
fn record_of_rows(folder: &Path, bytes: usize) -> String {
    const ROW: &str = r#" {"target":0,"size":0,"read":{"bytes":0,"ios":0},"write":{"bytes":0,"ios":0}}"#;
    diskspd("-c1M BRIEF --out {}/r.json --engine null {}/t.dat", folder);
    let record = fs::read_to_string(folder.join("r.json")).unwrap();
    let rows = vec![ROW; bytes / (ROW.len() + 2)].join(",\n");
    let is_row = |line: &&str| line.starts_with(r#" {"target":0,"size""#);
    let row = record.lines().find(is_row).unwrap();
    record.replacen(row, &rows, 1)
}

#[test]
fn results_take_bounded_memory() {
    if output(Command::new("python3").arg("--version")).is_err() {
        return skip("needs python3");
    }
    let (_folder, file) = directory_with("f.xml");
    let profile = |content: &str, times: usize| {
        let profile = content.repeat(times);
        format!("<Results><Profile><TimeSpans>{profile}</TimeSpans></Profile><TimeSpan/></Results>")
    };
    for (text, is_refused) in [
        ("<Results><TimeSpan/></Results>\n".repeat(100_000), true),
        (format!("<Results>{}</Results>", "<TimeSpan/>".repeat(300_000)), true),
        (profile("<TimeSpan/>", 300_000), true),
        (profile(&format!("<TimeSpan>{}</TimeSpan>", "<Duration/>".repeat(300_000)), 1), false),
    ] {
        fs::write(&file, &text).unwrap();
        assert_eq!(reported(&file, &text) != 0, is_refused, "{}", &text[..60]);
    }
}

#[test]
fn records_of_rows_take_bounded_memory() {
    if output(Command::new("python3").arg("--version")).is_err() {
        return skip("needs python3");
    }
    let folder = directory();
    let text = record_of_rows(folder.path(), 20 << 20);
    let file = |name: &str| folder.path().join(name);
    fs::write(file("lines.json"), &text).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    fs::write(file("packed.json.gz"), packed.finish().unwrap()).unwrap();
    fs::write(file("one_line.json"), text.replace('\n', "")).unwrap();
    for name in ["lines.json", "packed.json.gz", "one_line.json"] {
        assert_eq!(reported(&file(name), &text), 1, "{name}");
    }
}
