//! `--fio` and `convert`, by the program itself.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, directory, output};
use std::fs;
use std::path::Path;
use std::process::Command;

fn diskspd(arguments: &[&str], folder: &Path) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    output(command.current_dir(folder).args(arguments)).unwrap().into()
}

const JOBS: &str = "[global]\nioengine=null\nsize=1g\nruntime=1\ntime_based\nnorandommap\n\
                    [one]\nrw=randread\nbs=8k\n[two]\nstonewall\nrw=randrw\nrwmixread=70\niodepth=4\n";

#[test]
fn fio_jobs_run_with_notes_on_standard_error_once() {
    let folder = directory();
    fs::write(folder.path().join("j.fio"), format!("{JOBS}write_lat_log=x\n")).unwrap();
    let ended = diskspd(&["--fio", "j.fio", "--engine", "sim", "-d1"], folder.path()).succeeds();
    let note =
        "NOTE: fio's write_lat_log (two): no such log is written; use --io-log, or -D with --out FILE.csv";
    assert_eq!(ended.stderr.lines().filter(|line| *line == note).count(), 1, "{}", ended.stderr);
    for path in ["one.0.0", "two.0.0"] {
        assert!(ended.stdout.contains(path), "{}", ended.stdout);
    }
    let quiet = diskspd(&["--fio", "j.fio", "--engine", "sim", "-d1", "--quiet", "-Rp"], folder.path());
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
}

#[test]
fn unsupported_job_exits_like_wrong_profile_without_file() {
    let folder = directory();
    fs::write(folder.path().join("j.fio"), "[a]\nsize=1m\nrw=write\nzonemode=zbd\n").unwrap();
    for (arguments, told) in [
        (&["--fio", "j.fio"][..], "ERROR: j.fio:4: [a]: zonemode=zbd: writes to zones bypass the page cache"),
        (&["convert", "j.fio"], "ERROR: j.fio:4: [a]: zonemode=zbd"),
        (&["convert", "j.fio", "--out", "p.xml"], "ERROR: j.fio:4: [a]: zonemode=zbd"),
        (&["--fio", "none.fio"], "ERROR: --fio none.fio: no such file"),
        (&["--fio", "."], "is a directory"),
        (&["--fio", "j.fio", "x.dat"], "a job file of fio names its own files"),
        (&["--fio", "j.fio", "-b8K"], "-b and a job file of fio (--fio) exclude each other"),
        (&["--fio", "j.fio", "-Xp.xml"], "a second XML profile"),
        (&["--fio", "j.fio", "--preset", "sql-oltp"], "--fio and --preset exclude each other"),
        (&["--fio"], "--fio: the value is missing"),
        (&["convert"], "convert: no file is named"),
    ] {
        let ended = diskspd(arguments, folder.path());
        assert_eq!(ended.code, 3, "{arguments:?} {}", ended.stderr);
        assert!(ended.stderr.contains(told), "{arguments:?} {}", ended.stderr);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn fio_job_converts_to_line_or_profile_and_back() {
    let folder = directory();
    let job = "[a]\nfilename=x.dat\nsize=1g\nrw=randrw\nioengine=null\niodepth=4\nruntime=1\ntime_based\nnorandommap\n";
    fs::write(folder.path().join("a.fio"), job).unwrap();
    let line = diskspd(&["convert", "a.fio"], folder.path());
    let expected = "diskspd -b4K -c1G -f1G -fr -r -w50 -Z4M -t1 -o4 -n -Sb -d1 -W0 -L --engine=null x.dat\n";
    assert_eq!((line.code, line.stdout.as_str()), (0, expected), "{}", line.stderr);
    let made = diskspd(&["convert", "a.fio", "--out", "a.xml"], folder.path());
    assert_eq!(
        made.stdout,
        format!("run it: diskspd -Xa.xml --engine=null\nor:     {expected}"),
        "{}",
        made.stderr
    );
    let again = diskspd(&["convert", "a.xml"], folder.path());
    assert_eq!(again.stdout, expected.replace("--engine=null ", ""), "{}", again.stderr);

    fs::write(folder.path().join("b.fio"), JOBS).unwrap();
    let none = diskspd(&["convert", "b.fio"], folder.path());
    assert_eq!(none.code, 3);
    for told in [
        "b.fio: cannot be expressed as one command line: it has 2 time spans",
        "write a profile: diskspd convert b.fio --out FILE.xml",
    ] {
        assert!(none.stderr.contains(told), "{}", none.stderr);
    }
    assert_eq!(diskspd(&["convert", "b.fio", "--out", "b.xml"], folder.path()).code, 0);
    diskspd(&["-Xb.xml", "--engine", "sim", "--quiet"], folder.path()).succeeds();
}

#[test]
fn command_line_of_fio_runs_and_converts() {
    let folder = directory();
    let fio = "--name=x --rw=randrw --bs=4k --size=1g --filename=x.dat --ioengine=null --iodepth=4 --runtime=1 \
               --time_based --norandommap";
    let words: Vec<&str> = fio.split(' ').collect();
    let line = diskspd(&[&["convert", "fio"], &words[..]].concat(), folder.path());
    let expected = "diskspd -b4K -c1G -f1G -fr -r -w50 -Z4M -t1 -o4 -n -Sb -d1 -W0 -L --engine=null x.dat\n";
    assert_eq!((line.code, line.stdout.as_str()), (0, expected), "{}", line.stderr);
    let ours = ["--engine", "sim", "-z7", "--quiet", "--out", "r.json"];
    diskspd(&[&["fio"], &words[..4], &ours, &words[4..]].concat(), folder.path()).succeeds();
    let record = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let profile = &record["profile"];
    assert_eq!(profile["time_spans"][0]["rand_seed"], 7, "{profile}");
    let typed = profile["command_line"].as_str().unwrap();
    assert!(typed.starts_with("diskspd fio --name=x --rw=randrw"), "{typed}");
    diskspd(&["rerun", "--dry-run", "r.json"], folder.path()).succeeds();
}

#[test]
fn job_file_gets_target_and_size_from_outside() {
    let folder = directory();
    let job = "[j]\ninclude block.inc\nrw=read\nruntime=1\n";
    fs::create_dir(folder.path().join("jobs")).unwrap();
    fs::write(folder.path().join("jobs/j.fio"), job).unwrap();
    fs::write(folder.path().join("jobs/block.inc"), "bs=64k\n").unwrap();
    let line = ["convert", "fio", "--filename=t.dat", "--size=4m", "jobs/j.fio"];
    let converted = diskspd(&line, folder.path()).succeeds();
    for word in ["-c4M", "-b64K", " t.dat"] {
        assert!(converted.stdout.contains(word), "{word}: {}", converted.stdout);
    }
    diskspd(&["fio", "--filename=t.dat", "--size=4m", "jobs/j.fio", "--quiet"], folder.path()).succeeds();
    assert_eq!(fs::metadata(folder.path().join("t.dat")).unwrap().len(), 4 << 20);
}

#[test]
fn invalid_fio_command_line_exits_with_3() {
    let folder = directory();
    fs::write(folder.path().join("j.fio"), "[j]\nsize=1m\n").unwrap();
    let out = ["fio", "j.fio", "--out", "j.fio"];
    for (words, told) in [
        (&["fio"][..], "there is no job"),
        (&["fio", "--name=x", "--iodept=3", "--size=1m"], "did you mean iodepth?"),
        (&["fio", "--name=x", "--size=1m", "-b4K"], "-b cannot be among fio's options"),
        (
            &["fio", "--name=x", "--size=1m", "--verify-after", "j"],
            "--verify-after cannot be among fio's options",
        ),
        (&["fio", "--name=x", "--size=1m", "--out"], "--out: the value is missing"),
        (&["fio", "none.fio"], "cannot read the job file none.fio"),
        (&["convert", "fio", "--name=x", "--size=1m", "--dry-run"], "convert runs nothing"),
        (&["convert", "fio", "--nam=x"], "there is no job"),
        (&out, "j.fio"),
    ] {
        diskspd(words, folder.path()).fails(3, &[told]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Jobs without a time limit end by their size.
#[test]
fn time_span_ends_at_its_volume() {
    let folder = directory();
    let job = "[w]\nfilename=x.dat\nsize=4m\nrw=write\nbs=64k\n[r]\nstonewall\nfilename=x.dat\nsize=4m\nbs=64k\nloops=3\n";
    fs::write(folder.path().join("j.fio"), job).unwrap();
    diskspd(&["--fio", "j.fio", "--quiet", "--out", "r.json"], folder.path()).succeeds();
    let record = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let done = |span: usize, way: &str| {
        let spans = &record["hosts"][0]["results"]["time_spans"];
        spans[span]["threads"][0]["targets"][0][way]["bytes"].as_u64().unwrap()
    };
    assert_eq!((done(0, "write"), done(1, "read")), (4 << 20, 12 << 20));
}

/// There are more targets than a profile can have, so that neither a command line nor a profile is suggested.
#[test]
fn unconvertible_job_is_run_directly() {
    let folder = directory();
    let job = "[a]\nsize=1g\nnumjobs=16\nnrfiles=1024\nruntime=1\n";
    fs::write(folder.path().join("files.fio"), job).unwrap();
    for words in [&["convert", "files.fio"][..], &["convert", "files.fio", "--out", "files.xml"]] {
        let ended = diskspd(words, folder.path());
        ended.fails(3, &["run it directly: diskspd --fio files.fio"]);
        assert!(!ended.stderr.contains("--out FILE.xml"), "{}", ended.stderr);
    }
    assert!(!folder.path().join("files.xml").exists());
}
