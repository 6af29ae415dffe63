//! `--with`: runs that another DISKSPD makes, here a stand-in that answers at once with results that the profile
//! decides (`tests/data/with/diskspd`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::lab::Lab;
use crate::common::{Ended, output, while_nothing_starts};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

/// Creates a folder with stand-ins of DISKSPD, ssh and sftp, and a history. `DISKSPD` in a line is `--with`
/// and the stand-in.
fn stand_ins() -> Lab {
    let lab = Lab::new().with_word("DISKSPD", "--with=./diskspd");
    let path = format!("{}:/usr/bin:/bin", lab.folder().display());
    let temporary = lab.path("tmp");
    let lab = lab.with_variable("PATH", path).with_variable("TMPDIR", temporary);
    let from = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/with"));
    for name in ["there", "tmp"] {
        fs::create_dir(lab.path(name)).unwrap();
    }
    for (name, place) in
        [("diskspd", "diskspd"), ("ssh", "ssh"), ("sftp", "sftp"), ("diskspd", "there/diskspd")]
    {
        fs::copy(from.join(name), lab.path(place)).unwrap();
    }
    lab
}

/// Returns the number of runs of the stand-in.
fn count_runs(lab: &Lab) -> u32 {
    lab.read("runs").trim().parse().unwrap_or(0)
}

#[test]
fn external_run_is_printed_written_and_kept() {
    let lab = stand_ins();
    let ended = lab.done("DISKSPD -b4K -r -o4 -L -d2 --save=first --out r.xml --out r.html C:\\test.dat");
    assert!(ended.stderr.contains("DISKSPD 2.1.0 (./diskspd)"), "{}", ended.stderr);
    for words in ["XML 2.1.0, of WIN-LAB", "4 outstanding, 4 KiB", "C:\\test.dat", "8000"] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    assert!(
        lab.read("r.xml").starts_with("<Results>") && lab.read("r.xml").contains("<Path>C:\\test.dat</Path>")
    );
    assert!(lab.read("r.html").contains("WIN-LAB"));
    assert!(lab.done("history list").stdout.contains("4000"), "4 outstanding, 1 ms each");
    // As XML it is what DISKSPD printed.
    let xml = lab.done("DISKSPD -b4K -Rxml -d2 x.dat").stdout;
    assert!(xml.starts_with("<Results>") && xml.trim_end().ends_with("</Results>"), "{xml}");
    assert_eq!(fs::read_dir(lab.path("tmp")).unwrap().count(), 0, "profiles and results are left behind");
}

#[test]
fn repeated_runs_have_summary_and_separate_seeds() {
    let lab = stand_ins();
    let ended = lab.done("DISKSPD --repeat 3 -b4K -r -o4 -L -d1 -z7 --out all.xml --out all.html x.dat");
    assert!(ended.stderr.contains("run 3: 4000"), "{}", ended.stderr);
    assert!(ended.stdout.contains("random seeds: run 1 uses 7"), "{}", ended.stdout);
    let all = lab.read("all.xml");
    assert_eq!(all.matches("<Results>").count(), 3);
    let seeds: std::collections::BTreeSet<&str> =
        all.lines().filter(|line| line.contains("<RandSeed>")).collect();
    assert_eq!(seeds.len(), 3, "{seeds:?}");
    assert_eq!(lab.done("report all.xml --csv").stdout.lines().count(), 4);
    assert!(lab.read("all.html").contains(">Run 3</a>"));
    let ended = lab.done("DISKSPD --repeat 2 -b4K -r -d1 --out all.json x.dat");
    assert!(ended.stdout.starts_with("2 runs: "), "{}", ended.stdout);
    let answer: serde_json::Value = serde_json::from_str(&lab.read("all.json")).unwrap();
    assert_eq!(answer["runs"].as_array().unwrap().len(), 2);
    assert!(answer["runs"][0]["file"].is_null(), "DISKSPD writes no record");
}

#[test]
fn killed_sweep_continues_to_its_knee() {
    let lab = stand_ins();
    let line = "sweep DISKSPD -o1..32 -b4K -r -d1 x.dat";
    let whole = lab.done(line).stdout;
    assert!(whole.contains("knee          -o8: 8000 IOPS at 1.000 ms"), "{whole}");
    assert!(whole.contains("use           diskspd --with=./diskspd -b4K -r -o8"), "{whole}");
    assert!(whole.contains("UNKNOWN") && !whole.contains(" ok\n"), "nobody looked at the devices: {whole}");
    // The run that it is killed in is made again.
    let kept = format!("sweep --dir points --html p.html {}", &line["sweep ".len()..]);
    lab.write("runs", "0");
    lab.write("stop", "4");
    assert_eq!(lab.run(&kept).code, -1, "it was killed");
    assert_eq!(fs::read_dir(lab.path("points/records")).unwrap().count(), 3);
    let ended = lab.done(&kept);
    assert_eq!(ended.stdout, whole);
    let runs = fs::read_dir(lab.path("points/records")).unwrap().count();
    assert_eq!(count_runs(&lab) as usize, runs + 1, "the run that it was killed in was made again");
    assert_eq!(lab.done("report points --csv").stdout.lines().count(), runs + 1, "as any folder of runs");
    assert!(lab.read("p.html").contains("WIN-LAB"), "the page has one of the runs");
}

#[test]
fn external_sides_alternate_and_are_compared() {
    let lab = stand_ins();
    let ended =
        lab.done("compare --repeat 4 -- DISKSPD -b4K -r -o2 -L -d1 :: DISKSPD -b4K -r -o4 -L -d1 x.dat");
    assert_eq!(count_runs(&lab), 8);
    assert!(ended.stdout.contains("2000") && ended.stdout.contains("4000"), "{}", ended.stdout);
}

#[test]
fn a_suite_becomes_a_baseline_and_is_checked() {
    let lab = stand_ins();
    lab.write("s.toml", "name = 'win'\n\n[[test]]\nname = 'reads'\ncommand = '-b4K -r -o4 -d1'\n");
    lab.done("suite s.toml x.dat --repeat 3 DISKSPD");
    assert_eq!(count_runs(&lab), 3);
    lab.done("baseline set win");
    lab.run("baseline check win").fails(3, &["test 'reads' cannot be run again", "--with"]);
    let ended = lab.done("baseline check win DISKSPD");
    assert!(
        count_runs(&lab) == 6 && ended.stdout.contains("reads  IOPS      4000  4000"),
        "{}",
        ended.stdout
    );
    // It is told by the profile within the results that are kept.
    let paths = lab.done("baseline check win y.dat DISKSPD --repeat 1");
    assert!(lab.done("history list").stdout.contains("y.dat"), "{}", paths.stdout);
}

#[test]
fn unsupported_options_of_with_are_refused_before_start() {
    let lab = stand_ins();
    for (line, words) in [
        ("DISKSPD --engine=sync -b4K x", &["DISKSPD has no option like --engine=sync"][..]),
        ("DISKSPD --rate-total=100 -b4K x", &["--rate-total=100"]),
        ("DISKSPD --trim=10 --mix=70:-b8K;30:-b4K x", &["--trim=10", "--mix="]),
        ("DISKSPD --fsync-every=8 -w100 x", &["--fsync-every=8"]),
        ("DISKSPD --recreate -c1M x", &["--recreate"]),
        ("DISKSPD --replay t.csv x", &["--replay"]),
        ("DISKSPD --verify=read x", &["--verify=read"]),
        ("DISKSPD --write-hint=short -w100 x", &["--write-hint=short"]),
        ("DISKSPD --fdp=0-1 --write-stream=2 -w100 x", &["--fdp=0,1", "--write-stream=2"]),
        ("DISKSPD --bs-split 4K/60:8K/40 x", &["--bs-split"]),
        ("DISKSPD --stream s.json x", &["--stream"]),
        ("DISKSPD -P1 x", &["-P"]),
        ("DISKSPD --out r.json x", &["--out r.json", ".xml or .html"]),
        ("DISKSPD --compat 2.3 x", &["--compat 2.3", "DISKSPD 2.1.0"]),
        ("DISKSPD -u8 x", &["DISKSPD 2.1.0", "leave out the options of a newer DISKSPD"]),
        ("DISKSPD -ac x", &["leave out the options of a newer DISKSPD"]),
        ("DISKSPD -w100 #1", &["#1 would be overwritten", "--destroy"]),
        ("DISKSPD -w10 \\\\.\\PhysicalDrive3", &["--destroy"]),
        ("DISKSPD -w10 E:", &["--destroy"]),
        ("sweep DISKSPD --slo p99=5ms -o32 -b4K x", &["--rate-total"]),
        ("sweep DISKSPD --engine=sim -o1..4 -b4K x", &["--engine=sim"]),
        ("precondition x DISKSPD", &["--with"]),
        ("compare --repeat 2 --with-b ./diskspd DISKSPD -b4K x", &["--with cannot be used with --with-a"]),
        ("--with ./missing x", &["--with ./missing: cannot be started"]),
        ("--with true x", &["does not print a version of DISKSPD"]),
        ("--with=ssh x", &["ssh needs a host and the program there"]),
    ] {
        let ended = lab.run(line);
        assert_ne!(ended.code, 0, "{line}");
        for word in words {
            assert!(ended.stderr.contains(word), "{line}: {}", ended.stderr);
        }
        assert_eq!(count_runs(&lab), 0, "{line}");
    }
    // Reading is harmless.
    lab.done("DISKSPD -b4K -d1 #1");
    lab.done("DISKSPD -b4K -d1 -w100 --destroy #1");
}

#[test]
fn dry_runs_start_no_program() {
    let lab = stand_ins();
    let marking = "#!/bin/sh\n: > started\nexec ./diskspd \"$@\"\n";
    lab.write("marking", marking);
    fs::set_permissions(lab.path("marking"), PermissionsExt::from_mode(0o755)).unwrap();
    for (line, shown) in [
        ("--with ./marking --dry-run -b8K -o3 x.dat", "<BlockSize>8192</BlockSize>"),
        ("sweep --with ./marking --between=./marking --dry-run -o1..2 -b8K x.dat", "2 points"),
        ("suite before-and-after x.dat --with ./marking --dry-run", "4 tests"),
        ("suite before-and-after x.dat --dry-run -- --with ./marking", "4 tests"),
    ] {
        let printed = lab.done(line).stdout;
        assert!(printed.contains(shown), "{line}: {printed}");
        assert!(!lab.path("started").exists(), "{line}");
    }
    lab.done("--with ./marking -b8K -o3 x.dat");
    assert!(lab.path("started").exists());
}

#[test]
fn failures_of_the_other_program_are_reported() {
    let lab = stand_ins();
    lab.write("fail", "");
    lab.run("DISKSPD -b4K x.dat")
        .fails(1, &["DISKSPD 2.1.0 (./diskspd) ended with exit code 1", "threads execution"]);
    lab.run("sweep DISKSPD -o1..2 -b4K x.dat").fails(1, &["threads execution"]);
    fs::remove_file(lab.path("fail")).unwrap();
    lab.write("garbage", "");
    lab.run("DISKSPD -b4K x.dat").fails(1, &["printed results that cannot be used", "no"]);
}

#[test]
fn ctrl_c_ends_the_wait() {
    let lab = stand_ins();
    lab.write("hang", "");
    let mut command = lab.command("DISKSPD -b4K x.dat");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = while_nothing_starts(|| command.spawn()).unwrap();
    while !lab.path("hangs").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let ended: Ended = child.wait_with_output().unwrap().into();
    ended.fails(1, &["the run was interrupted"]);
}

#[test]
fn remote_host_gets_profile_by_sftp() {
    let lab = stand_ins();
    let mut command = lab.command("-b4K -r -o2 -d1 x.dat");
    let ended: Ended = output(command.args(["--with", "not read"])).unwrap().into();
    assert_ne!(ended.code, 0, "options stand before targets");
    let far = |line: &str| -> Ended {
        let mut command = lab.command("--with");
        command.arg("ssh -4 win ./diskspd").args(line.split_whitespace());
        output(&mut command).unwrap().into()
    };
    let ended = far("--repeat 2 -b4K -r -o2 -d1 x.dat").succeeds();
    assert!(ended.stderr.contains("run 2: 2000"), "{}", ended.stderr);
    let log = lab.read("log");
    let log: Vec<&str> = log.lines().collect();
    assert_eq!(log[0], "ssh win ./diskspd -?");
    let of_run = |lines: &[&str]| {
        lines[0] == "sftp win put"
            && lines[1].starts_with("ssh win ./diskspd -Xdiskspd-")
            && lines[2] == "sftp win rm"
    };
    assert!(log.len() == 7 && of_run(&log[1..4]) && of_run(&log[4..7]), "{log:#?}");
    let left: Vec<_> =
        fs::read_dir(lab.path("there")).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".xml")), "{left:?}");
}
