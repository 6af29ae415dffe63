//! Storage that never replies to one call: every command names the file and the call, and ends.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::hanging_storage::{Call, HangingStorage};
use crate::common::{command_of, directory, while_nothing_starts};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Limit of unresponsive storage.
const GIVE_UP: &str = "2500ms";
/// Time limit of all cases together, which detects a command that never ends.
const LONG: Duration = Duration::from_secs(60);

/// Command line (`{}` = unresponsive storage, `HERE` = another folder), unanswered call, text on standard
/// error, exit code.
const CASES: &[(&str, Call, &str, i32)] = &[
    // Never-ending before: a run, without a limit of time.
    ("-b4K -d1 -W0 -w100 --flush-after {}/f", Call::Fsync, "fsync of '{}/f'", 1),
    ("-b4K -d1 -W0 --trim=50 {}/f", Call::Fallocate, "fallocate of '{}/f'", 1),
    ("precondition {}/f --standard custom --round 1 -- -b4K -w100 -W0 -d1", Call::Write, "on '{}/f'", 1),
    ("-b4K -d1 -W0 {}/f", Call::Flush, "close of '{}/f'", 1),
    ("report {}/a.json", Call::Flush, "close of '{}/a.json'", 1),
    ("-X{}/p.xml", Call::Flush, "close of '{}/p.xml'", 1),
    ("compare {}/a.json {}/d/a.json", Call::Flush, "close of a file in '{}'", 1),
    ("-b4K -d1 -W0 -w100 -Sm {}/f", Call::Write, "msync of '{}/f'", 1),
    // Silent before.
    ("-X{}/p.xml", Call::Read, "read of '{}/p.xml'", 1),
    ("-X{}/p.xml", Call::Open, "open of '{}/p.xml'", 1),
    ("report {}/a.json", Call::Read, "read of '{}/a.json'", 1),
    ("report {}/a.json", Call::Getattr, "stat of '{}/a.json'", 1),
    ("compare {}/a.json HERE/a.json", Call::Open, "open of '{}/a.json'", 1),
    ("history import {}/a.json --store HERE/store", Call::Read, "read of '{}/a.json'", 1),
    ("rerun {}/a.json", Call::Read, "read of '{}/a.json'", 1),
    ("--fio {}/job.fio", Call::Read, "read of '{}/job.fio'", 1),
    ("convert {}/job.fio", Call::Open, "open of '{}/job.fio'", 1),
    ("-b4K -d1 -W0 -w100 -Z1M,{}/f HERE/t", Call::Read, "read of '{}/f'", 1),
    ("merge {}/a.json HERE/a.json --out HERE/m.json", Call::Read, "read of '{}/a.json'", 1),
    ("trace --from {}/log.csv", Call::Read, "read of '{}/log.csv'", 1),
    ("suite {}/s.toml HERE/t", Call::Read, "read of '{}/s.toml'", 1),
    // Silent and unkillable before.
    ("doctor {}/f", Call::Statfs, "statfs of '{}/f'", 1),
    ("doctor {}/f", Call::Getattr, "stat of '{}/f'", 1),
    ("verify-after {}/journal", Call::Read, "read of '{}/journal'", 1),
    ("history list --store {}/store", Call::Lookup, "stat of '{}/store", 1),
    ("report {}/d", Call::Opendir, "open of '{}/d'", 1),
    ("report {}/d", Call::Readdir, "readdir of '{}/d'", 1),
    // A plain run, from its first look to its outputs.
    ("-b4K -d1 -W0 {}/f", Call::Lookup, "readlink of '{}/f'", 1),
    ("-b4K -d1 -W0 {}/f", Call::Open, "open of '{}/f", 1),
    ("-b4K -d1 -W0 {}/f", Call::Read, "read of '{}/f'", 1),
    ("-b4K -d1 -W0 -c8M {}/new", Call::Create, "open of '{}/new'", 1),
    ("-b4K -d1 -W0 -c8M {}/new", Call::Fallocate, "fallocate of '{}/new'", 1),
    ("-b4K -d1 -W0 -c8M {}/new", Call::Write, "write of '{}/new'", 1),
    ("-b4K -d1 -W0 -c8M {}/f", Call::Setattr, "truncate of '{}/f'", 1),
    ("-b4K -d1 -W0 -c8M {}/f", Call::Lseek, "lseek of '{}/f'", 0),
    ("suite HERE/s.toml {}/f", Call::Read, "read of '{}/f'", 1),
    ("compare --repeat 2 -- -b4K -d1 -W0 -o1 :: -b4K -d1 -W0 -o2 {}/f", Call::Open, "open of '{}/f", 1),
    ("sweep -o1,2 --dir {}/sweep -b4K -d1 -W0 HERE/t", Call::Create, "open of '{}/sweep/", 1),
    ("-b4K -d1 -W0 --stream {}/s.jsonl HERE/t", Call::Write, "write of '{}/s.", 0),
    ("-b4K -d1 -W0 --io-log {}/l.csv HERE/t", Call::Write, "write of '{}/l.", 1),
    ("-b4K -d1 -W0 --out {}/o.json HERE/t", Call::Fsync, "fsync of '{}/o.", 1),
];

/// Returns exit code and standard error of a command; `None` if its output, or the command itself, did not
/// end.
#[allow(clippy::zombie_processes)] // a process that never ends cannot be waited for
fn ended(line: &str, at: &Path) -> Option<(i32, String)> {
    let words: Vec<&str> = line.split(' ').collect();
    // Before the options of a run.
    let own = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let mut command = command_of(&words[..own]);
    command.args(["--give-up", GIVE_UP]).args(&words[own..]).current_dir(at);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = while_nothing_starts(|| command.spawn()).unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let said = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let began = Instant::now();
    while began.elapsed() < LONG {
        if let Some(status) = child.try_wait().unwrap() {
            std::thread::sleep(Duration::from_millis(200));
            return said.is_finished().then(|| (status.code().unwrap_or(-1), said.join().unwrap()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    None
}

#[test]
fn every_command_names_the_call_that_hangs_and_ends() {
    let here = directory();
    let at = |name: &str| here.path().join(name);
    fs::write(at("t"), vec![7; 1 << 20]).unwrap();
    let out = at("a.json");
    let line = format!("-b4K -W0 -d1 --quiet --engine null --out {} {{}}", out.display());
    assert_eq!(crate::common::diskspd(&line, &at("t")).code, 0);
    let suite = "name = \"s\"\n[[test]]\nname = \"a\"\ncommand = \"-b4K -d1 -W0\"\n";
    let profile = crate::common::diskspd("-b4K -W0 -d1 -Rpxml {}", &at("t")).stdout;
    fs::write(at("s.toml"), suite).unwrap();
    let record = fs::read(out).unwrap();
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("f", vec![7; 1 << 20]),
        ("a.json", record.clone()),
        ("d/a.json", record),
        ("p.xml", profile.into()),
        ("s.toml", suite.into()),
        ("job.fio", b"[j]\nfilename=t\nrw=read\nsize=1m\n".to_vec()),
        ("log.csv", b"time\n".to_vec()),
        ("journal", vec![0; 4096]),
        ("store/runs/x", Vec::new()),
    ];
    // One that can't be mounted says so once.
    let Some(probe) = HangingStorage::with(&files) else { return };
    drop(probe);
    // All at once: nearly all of them wait.
    std::thread::scope(|scope| {
        for case in CASES {
            scope.spawn(|| ends(case, &files, here.path()));
        }
    });
}

fn ends((line, call, words, code): &(&str, Call, &str, i32), files: &[(&str, Vec<u8>)], here: &Path) {
    let Some(storage) = HangingStorage::with(files) else { return };
    let (there, here) = (storage.mounted.to_str().unwrap(), here.to_str().unwrap());
    let place = |text: &str| text.replace("{}", there).replace("HERE", here);
    storage.hang(*call);
    let ended = ended(&place(line), Path::new(here));
    let Some((found, stderr)) = ended else { panic!("{line}, {call:?}: it has not ended") };
    assert_eq!(found, *code, "{line}, {call:?}: {stderr}");
    assert!(stderr.contains(&place(words)), "{line}, {call:?}: {words}: {stderr}");
}

/// Command line (`PIPE` is a pipe that no other process opens), and the missing use of the other end.
const PIPE_CASES: &[(&str, &str)] = &[
    ("-b4K -d1 -W0 --out json:PIPE HERE/t", "reading"),
    ("-b4K -d1 -W0 --stream PIPE HERE/t", "reading"),
    ("-b4K -d1 -W0 --io-log PIPE HERE/t", "reading"),
    ("report HERE/a.json --html PIPE", "reading"),
    ("compare HERE/a.json HERE/a.json --json PIPE", "reading"),
    ("sweep -o1,2 --csv PIPE --engine sim -c1M -d1 -W0 HERE/t", "reading"),
    ("report PIPE", "writing"),
    ("-XPIPE -Rp", "writing"),
    ("verify-after PIPE", "writing"),
    ("suite PIPE HERE/t", "writing"),
    ("-b4K -d1 -W0 -w100 -Z1M,PIPE HERE/t", "writing"),
];

#[test]
fn pipes_without_other_end_are_given_up() {
    let here = directory();
    let at = |name: &str| here.path().join(name);
    fs::write(at("t"), vec![7; 1 << 20]).unwrap();
    let line = format!("-b4K -W0 -d1 --quiet --engine null --out {} {{}}", at("a.json").display());
    assert_eq!(crate::common::diskspd(&line, &at("t")).code, 0);
    crate::common::side_by_side(PIPE_CASES.iter().enumerate(), |(number, (line, end))| {
        let pipe = make_pipe(&at(&format!("pipe{number}")));
        let line = line.replace("PIPE", &pipe).replace("HERE", here.path().to_str().unwrap());
        let Some((code, stderr)) = ended(&line, here.path()) else { panic!("{line}: it has not ended") };
        assert_eq!(code, 1, "{line}: {stderr}");
        let named = format!("open of '{pipe}': no program has opened this pipe for {end}");
        assert!(stderr.contains(&named), "{line}: {stderr}");
    });
}

#[test]
fn pipes_opened_late_are_used() {
    let here = directory();
    let at = |name: &str| here.path().join(name);
    let profile = crate::common::diskspd("-b4K -d1 -W0 --engine null -c1M -Rpxml {}", &at("t")).stdout;
    let (input, output) = (make_pipe(&at("input")), make_pipe(&at("output")));
    let line = format!("-X{input} --engine null --give-up 50s --out json:{output}");
    let run = crate::common::start(&line, Path::new(""));
    std::thread::sleep(Duration::from_secs(3));
    fs::write(&input, &profile).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let record = fs::read(&output).unwrap();
    let ended = run.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    crate::common::schema::record(&record);
}

/// Command lines with a pipe whose reader does not read.
const UNREAD_CASES: [&str; 4] = [
    "RUN --io-log PIPE t",
    "RUN --out json:PIPE t",
    "report a.json --html PIPE",
    "compare a.json a.json --json PIPE",
];

#[test]
fn unread_pipes_are_named_instead_of_storage() {
    let here = directory();
    let at = |name: &str| here.path().join(name);
    fs::write(at("t"), vec![7; 1 << 20]).unwrap();
    let run = "--engine sim -c1M -b4K -W0 -d1 -g9000i";
    let line = format!("{run} --quiet --out {} {{}}", at("a.json").display());
    assert_eq!(crate::common::diskspd(&line, &at("t")).code, 0);
    crate::common::side_by_side(UNREAD_CASES.iter().enumerate(), |(number, line)| {
        let pipe = make_pipe(&at(&format!("unread{number}")));
        let mut full =
            fs::File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&pipe).unwrap();
        while full.write(&[0; 4096]).is_ok() {}
        let line = format!("{} --give-up {GIVE_UP}", line.replace("RUN", run).replace("PIPE", &pipe));
        let mut command = command_of(&line.split(' ').collect::<Vec<_>>());
        command.current_dir(here.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = while_nothing_starts(|| command.spawn()).unwrap();
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        let mut text = String::new();
        while !text.contains(&format!("waiting for write of '{pipe}'")) {
            assert_ne!(messages.read_line(&mut text).unwrap(), 0, "{line}: {text}");
        }
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        messages.read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        assert!(!text.contains("storage"), "{line}: {text}");
    });
}

fn make_pipe(path: &Path) -> String {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    path.display().to_string()
}

#[test]
fn storage_that_replies_is_not_named() {
    let Some(storage) = HangingStorage::with(&[("f", vec![7; 1 << 20])]) else { return };
    let line = format!("-b4K -W0 -d1 -w50 --flush-after {}/f", storage.mounted.display());
    let (code, stderr) = ended(&line, Path::new("/")).unwrap();
    assert!(code == 0 && !stderr.contains("waiting for"), "{stderr}");
}
