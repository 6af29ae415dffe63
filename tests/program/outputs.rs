//! Tests of destinations of reports, streams and messages: no existing file is destroyed, and failed
//! output spoils nothing.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, command_of, directory, diskspd, on_columns, read_json, schema, skip};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RUN: &str = "--engine sim -c1M -b4K -L -D500 -g1000i -W0 -d1";

const OPTIONS: [(&str, &str); 3] = [("--out", "json:"), ("--stream", ""), ("--io-log", "")];

/// Creates a target; returns its content.
fn target(directory: &Path) -> (PathBuf, Vec<u8>) {
    let (file, content) = (directory.join("test.dat"), vec![7; 1 << 20]);
    fs::write(&file, &content).unwrap();
    (file, content)
}

fn arguments<'a>(more: &[&'a str], file: &'a Path) -> Vec<&'a str> {
    RUN.split(' ').chain(more.iter().copied()).chain([file.to_str().unwrap()]).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn targets_and_block_devices_are_never_written_over() {
    let directory = directory();
    let (file, content) = target(directory.path());
    let at = |name: &str| directory.path().join(name);
    symlink("test.dat", at("link")).unwrap();
    fs::hard_link(&file, at("hard")).unwrap();
    let mut cases =
        vec![("test.dat", "target of the run"), ("link", "target of the run"), ("hard", "target of the run")];
    // A number that no driver has.
    match mknodat(CWD, at("block"), FileType::BlockDevice, Mode::RUSR, rustix::fs::makedev(4000, 1)) {
        Ok(()) => cases.push(("block", "would overwrite a block device")),
        Err(why) => eprintln!("without a block device: {why}"),
    }
    let before = names(directory.path());
    for (name, reason) in cases {
        let path = at(name);
        let path = path.display();
        for (option, form) in OPTIONS {
            let value = format!("{form}{path}");
            let ended = command_of(&arguments(&[option, &value], &file)).output();
            Ended::from(ended.unwrap()).fails(1, &[option, reason]);
            assert!(fs::read(&file).unwrap() == content, "{option} {value}");
            assert_eq!(names(directory.path()), before, "{option} {value}");
        }
    }
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    let new = at("new.dat");
    for (option, form) in OPTIONS {
        let value = format!("{form}{}", new.display());
        let ended = command_of(&["-c1M", "-W0", "-d1", option, &value, new.to_str().unwrap()]).output();
        Ended::from(ended.unwrap()).fails(1, &[option, "target of the run"]);
        assert!(!new.exists(), "{option}: a target that is not there yet");
    }
}

#[test]
fn output_link_is_followed() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let at = |name: &str| directory.path().join(name);
    fs::write(at("old.json"), "old").unwrap();
    for (link, to) in [("link", "old.json"), ("further", "link"), ("new-link", "new.json")] {
        symlink(to, at(link)).unwrap();
    }
    for (link, to) in [("link", "old.json"), ("further", "old.json"), ("new-link", "new.json")] {
        let _ = fs::remove_file(at(to));
        diskspd(&format!("{RUN} --out json:{} {{}}", at(link).display()), &file).report();
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
        assert!(fs::symlink_metadata(at(to)).unwrap().is_file(), "{link}");
        schema::record(&fs::read(at(to)).unwrap());
    }
    assert_eq!(names(directory.path()).len(), 6, "no partial file is left");
}

#[test]
fn pipe_receives_one_report() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let pipe = directory.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read(pipe).unwrap())
    };
    let profile = directory.path().join("two.xml");
    let out = format!("json:{}", pipe.display());
    let printed = command_of(&arguments(&["-Rpxml"], &file)).output().unwrap().stdout;
    let printed = String::from_utf8(printed).unwrap();
    let (begin, end) = (printed.find("<TimeSpan>").unwrap(), printed.rfind("</TimeSpan>").unwrap() + 11);
    fs::write(&profile, [&printed[..end], &printed[begin..]].concat()).unwrap();
    let profile = format!("-X{}", profile.display());
    let ended: Ended = command_of(&["--engine", "sim", "--out", &out, &profile]).output().unwrap().into();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let record = schema::record(&reader.join().unwrap());
    assert_eq!(
        record["hosts"][0]["results"]["time_spans"].as_array().unwrap().len(),
        2,
        "one record with both time spans"
    );
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(names(directory.path()).len(), 3);
}

#[test]
fn character_device_is_not_replaced() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let null = directory.path().join("null");
    let made = mknodat(CWD, &null, FileType::CharacterDevice, Mode::from(0o666), rustix::fs::makedev(1, 3));
    if made.is_err() || OpenOptions::new().write(true).open(&null).is_err() {
        return skip("no device can be made here (needs root)");
    }
    for option in ["--out json:", "--stream ", "--io-log "] {
        diskspd(&format!("{RUN} {option}{} {{}}", null.display()), &file).report();
        assert!(fs::metadata(&null).unwrap().file_type().is_char_device(), "{option}");
    }
    assert_eq!(names(directory.path()).len(), 2);
}

#[test]
fn report_on_standard_output_replaces_the_text() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let other = directory.path().join("other.txt");
    let other = format!("text:{}", other.display());
    for name in ["json:-", "json:/dev/stdout", "json:/dev/fd/1", "json:/proc/self/fd/1"] {
        // Into a pipe, and into a file, which another program may write to as well.
        let ended: Ended =
            command_of(&arguments(&["--out", name, "--out", &other], &file)).output().unwrap().into();
        assert_eq!(ended.code, 0, "{name}: {}", ended.stderr);
        schema::record(ended.stdout.as_bytes());
        let path = directory.path().join("redirected");
        fs::write(&path, "before\n").unwrap();
        let redirected = OpenOptions::new().append(true).open(&path).unwrap();
        let status = command_of(&arguments(&["--out", name], &file))
            .stdout(redirected)
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{name}");
        let written = fs::read_to_string(&path).unwrap();
        schema::record(written.strip_prefix("before\n").unwrap().as_bytes());
    }
    let unnamed = command_of(&arguments(&["--out", "-"], &file)).output();
    Ended::from(unnamed.unwrap()).fails(3, &["--out -", "as in --out json:"]);
    assert!(!Path::new("-").exists());
}

#[test]
fn document_on_standard_output_has_no_other_text() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let elsewhere = format!("json:{}", directory.path().join("run.json").display());
    // A real run: it says more than a simulated one.
    let talkative = ["-b4K", "-L", "-D250", "-v", "-P1", "-g2000i", "-W1", "-d1"];
    type Reader = fn(&str);
    let documents: [(&[&str], Reader); 7] = [
        (&["--out", "json:-"], |text| drop(schema::record(text.as_bytes()))),
        (&["--out", "xml:-"], |text| {
            assert!(text.starts_with("<Results>") && text.ends_with("</Results>"), "{text}")
        }),
        (&["-Rxml"], |text| assert!(text.starts_with("<Results>") && text.ends_with("</Results>"), "{text}")),
        (&["--out", "text:-"], |text| assert!(text.starts_with("\nCommand Line: "), "{text}")),
        (&["--out", "csv:-"], |text| {
            let columns = |line: &str| line.split(',').count();
            let all = columns(text.lines().next().unwrap());
            assert!(all > 5 && text.lines().all(|line| columns(line) == all), "{text}");
        }),
        (&["--stream", "-"], |text| {
            let (lines, report) = text.split_once("\n\nCommand Line: ").unwrap();
            assert!(!schema::stream(lines).is_empty() && report.contains("\nTotal IO\n"), "{text}");
        }),
        (&["--io-log", "-", "--out", &elsewhere], |text| {
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("thread,target,direction,offset,size,start_ns,latency_ns,due_ns"));
            let mut count = 0;
            lines.filter(|line| !line.starts_with("# time_span=1 ")).for_each(|line| {
                assert_eq!(line.split(',').count(), 8, "{line}");
                count += 1;
            });
            assert!(count > 0);
        }),
    ];
    let check = |options: &[&str], read: Reader| {
        let words = [&talkative, options, &[file.to_str().unwrap()]].concat();
        let ended: Ended = command_of(&words).current_dir(directory.path()).output().unwrap().into();
        assert_eq!(ended.code, 0, "{options:?}: {}", ended.stderr);
        read(&ended.stdout);
        for aside in [": warming up", ": measuring", "..."] {
            assert!(ended.stderr.contains(aside), "{options:?}: {aside} is missing: {}", ended.stderr);
        }
    };
    std::thread::scope(|scope| {
        for (options, read) in documents {
            scope.spawn(move || check(options, read));
        }
    });
    assert!(!directory.path().join("-").exists());
    schema::record(&fs::read(directory.path().join("run.json")).unwrap());
}

#[test]
fn standard_output_takes_one_document() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let elsewhere = format!("json:{}", directory.path().join("run.json").display());
    for names in [
        ["--out json:-", "--out xml:/dev/stdout"],
        ["--out json:-", "--stream -"],
        ["--out csv:-", "--stream fd:1"],
        ["--out json:-", "--io-log -"],
        ["--stream /dev/stdout", "--io-log /dev/fd/1"],
    ] {
        let words: Vec<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
        let words = [&words[..], &["--out", &elsewhere]].concat();
        let ended = command_of(&arguments(&words, &file)).current_dir(directory.path()).output();
        Ended::from(ended.unwrap()).fails(1, &["both write to standard output", "to a file"]);
    }
    // The report can't be printed into the log.
    let ended = command_of(&arguments(&["--io-log", "-"], &file)).current_dir(directory.path()).output();
    Ended::from(ended.unwrap()).fails(1, &["--io-log -", "the log replaces the report", "--out run.json"]);
    assert_eq!(names(directory.path()), ["test.dat"]);
}

#[test]
fn log_appends_to_an_open_descriptor() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let path = directory.path().join("redirected");
    fs::write(&path, "before\n").unwrap();
    let redirected = OpenOptions::new().append(true).open(&path).unwrap();
    let ended = command_of(&arguments(&["--io-log", "/dev/stderr"], &file)).stderr(redirected).output();
    Ended::from(ended.unwrap()).report();
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("before\nthread,target,direction"), "{}", &written[..100]);
}

#[test]
fn stream_appends_to_an_open_descriptor() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let path = directory.path().join("redirected");
    fs::write(&path, "before\n").unwrap();
    let redirected: File = OpenOptions::new().append(true).open(&path).unwrap();
    let line = ["-b4K", "-D500", "-W0", "-d1", "--stream", "/dev/stdout", file.to_str().unwrap()];
    let status = command_of(&line).stdout(redirected).stderr(Stdio::null()).status().unwrap();
    assert!(status.success());
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("before\n{") && written.contains("\nCommand Line: "), "{written}");
}

/// Commands, and whether they succeed. `{}` is a file, `{missing}` a missing one.
const SPEAKING: [(&str, i32); 8] = [
    ("-b4K -ft -W0 -d1 --engine sim {}", 0),
    ("-b4K -Rxml -W0 -d1 --engine sim {}", 0),
    ("-b4K -W0 -d1 {missing}", 1),
    ("-b4K -W0 -d1 --io-log {} {}", 1),
    ("-Rp -ft {}", 0),
    ("--dry-run -ft {}", 0),
    ("-b4Q {}", 3),
    ("report {missing}", 1),
];

#[test]
fn unwritable_standard_error_does_not_affect_run() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let missing = directory.path().join("missing");
    for (line, code) in SPEAKING {
        let line = line.replace("{missing}", missing.to_str().unwrap()).replace("{}", file.to_str().unwrap());
        let words: Vec<&str> = line.split(' ').collect();
        let heard: Ended = command_of(&words).output().unwrap().into();
        assert_eq!(heard.code, code, "{line}: {}", heard.stderr);
        assert!(code == 0 || !heard.stderr.is_empty(), "{line}");
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        for unheard in [Stdio::from(closed), Stdio::from(full)] {
            let output = command_of(&words).stderr(unheard).output().unwrap();
            let unheard = Ended::from(output);
            assert_eq!(unheard.code, code, "{line}");
            assert_eq!(
                unheard.stdout.lines().count(),
                heard.stdout.lines().count(),
                "{line}: {}",
                unheard.stdout
            );
            let last = |ended: &Ended| ended.stdout.lines().last().map(str::to_owned);
            assert_eq!(last(&unheard), last(&heard), "{line}: the output is complete");
        }
    }
}

#[test]
fn unwritable_standard_output_is_an_error() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let file = file.to_str().unwrap();
    for line in
        ["-b4K -v -P -W0 -d1 --engine sim", "-b4K -W0 -d1 --engine sim --out json:-", "-Rp", "--dry-run"]
    {
        let words: Vec<&str> = line.split(' ').chain([file]).collect();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = command_of(&words).stdout(full).output().unwrap();
        Ended::from(ended).fails(1, &["ERROR: ", "space"]);
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let ended: Ended = command_of(&words).stdout(closed).output().unwrap().into();
        assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "{line}: {}", ended.stderr);
    }
}

/// Checks the detection before Rust's start, because Rust replaces closed descriptors by `/dev/null`.
/// Later they are indistinguishable from Python's `DEVNULL`, which is also open for both directions.
#[test]
fn closed_standard_output_is_reported_before_the_run() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let (file, json) = (file.to_str().unwrap(), directory.path().join("run.json"));
    let out = format!("--out {} -W0 -d1 --engine sim {file}", json.display());
    let run = format!("-W0 -d1 --engine sim {file}");
    let to_itself = format!("--out json:- {run}");
    let sweep = format!("sweep -W0 -d1 -b4K,8K --engine sim {file}");
    let closed = |line: &str, how: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("\"$0\" \"$@\" {how}"), env!("CARGO_BIN_EXE_diskspd")]);
        Ended::from(crate::common::output(shell.args(line.split(' '))).unwrap())
    };
    for line in [&run, &out, &to_itself, &format!("--dry-run {run}"), "--help", "devices --json", &sweep] {
        closed(line, ">&-").fails(1, &["ERROR: ", "standard output", "closed"]);
    }
    assert!(!json.exists(), "no I/O was measured");
    closed(&run, "<&- >&- 2>&-").fails(1, &[]);
    assert_eq!(closed(&out, "<&- >/dev/null 2>&-").code, 0);
    assert!(json.exists());
    closed(&format!("--out json:/dev/stderr {run}"), "2>&-").fails(1, &[]);
    // As programs do that want nothing of it.
    assert_eq!(closed(&run, "1<>/dev/null").code, 0);
}

const NOBODY: u32 = 65534;

fn in_a_shell(line: &str, folder: &Path) -> Option<Ended> {
    let line =
        line.replace("{program}", env!("CARGO_BIN_EXE_diskspd")).replace("{}", folder.to_str().unwrap());
    if !rustix::process::geteuid().is_root() {
        skip("mounting needs root");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &line]);
    Some(crate::common::output(&mut command).unwrap().into())
}

/// Returns the options of every form of output to this file.
fn all_to(path: &Path) -> [Vec<String>; 3] {
    OPTIONS.map(|(option, form)| vec![option.to_owned(), format!("{form}{}", path.display())])
}

#[test]
fn failed_call_leaves_files_unchanged() {
    let folder = directory();
    let (file, _) = target(folder.path());
    let old = folder.path().join("old");
    fs::write(&old, "earlier").unwrap();
    let missing = folder.path().join("missing.dat");
    let before = names(folder.path());
    for out in all_to(&old) {
        // A target that isn't there, one that can't be worked on, an output that can't be written.
        for (more, target) in [
            (vec![], &missing),
            (vec!["-b1000", "-Su"], &file),
            (vec!["--out", "json:/nonexistent/run.json"], &file),
        ] {
            let mut command = command_of(&["-b4K", "-W0", "-d1", "-D250"]);
            command.args(&out).args(&more).arg(target);
            let ended: Ended = crate::common::output(&mut command).unwrap().into();
            assert_ne!(ended.code, 0, "{out:?} {more:?}: {}", ended.stderr);
            assert_eq!(fs::read(&old).unwrap(), b"earlier", "{out:?} {more:?}");
            assert_eq!(names(folder.path()), before, "{out:?} {more:?}");
        }
    }
    // Without an earlier file none is made either.
    for out in all_to(&folder.path().join("new")) {
        let ended =
            crate::common::output(command_of(&["-b4K", "-W0", "-d1"]).args(&out).arg(&missing)).unwrap();
        assert_eq!((ended.status.code(), names(folder.path())), (Some(1), before.clone()), "{out:?}");
    }
}

#[test]
fn killed_run_leaves_files_unchanged() {
    let folder = directory();
    let (file, _) = target(folder.path());
    let at = |name: &str| folder.path().join(name);
    for name in ["a", "b", "c"] {
        fs::write(at(name), "earlier").unwrap();
    }
    let before = names(folder.path());
    let [out, stream, log] = ["a", "b", "c"].map(|name| at(name).display().to_string());
    let line = format!("-v -b4K -D250 -W30 -d1 --out json:{out} --stream {stream} --io-log {log} {{}}");
    let mut running = crate::common::start(&line, &file);
    let mut said = std::io::BufReader::new(running.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("warming up") {
        assert_ne!(std::io::BufRead::read_line(&mut said, &mut text).unwrap(), 0, "{text}");
    }
    running.kill().unwrap();
    running.wait().unwrap();
    for name in ["a", "b", "c"] {
        assert_eq!(fs::read(at(name)).unwrap(), b"earlier", "{name}");
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn replaced_file_keeps_mode_owner_and_attributes() {
    let folder = directory();
    let (file, _) = target(folder.path());
    let old = folder.path().join("old");
    let root = rustix::process::geteuid().is_root();
    for out in all_to(&old) {
        fs::write(&old, "earlier").unwrap();
        let number = old.metadata().unwrap().ino();
        if root {
            std::os::unix::fs::chown(&old, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        fs::set_permissions(&old, PermissionsExt::from_mode(0o640)).unwrap();
        let with_attributes =
            rustix::fs::setxattr(&old, "user.note", b"mine", rustix::fs::XattrFlags::empty()).is_ok();
        let mut command = command_of(&["-b4K", "-W0", "-d1", "-D250", "-g200i"]);
        let ended: Ended = crate::common::output(command.args(&out).arg(&file)).unwrap().into();
        assert_eq!(ended.code, 0, "{out:?}: {}", ended.stderr);
        let found = old.metadata().unwrap();
        assert_ne!(found.ino(), number, "{out:?}: it is another file");
        assert_eq!(found.mode() & 0o7777, 0o640, "{out:?}");
        if root {
            assert_eq!((found.uid(), found.gid()), (NOBODY, NOBODY), "{out:?}");
        }
        if with_attributes {
            let mut note = [0; 8];
            let length = rustix::fs::getxattr(&old, "user.note", &mut note[..]).unwrap();
            assert_eq!(&note[..length], b"mine", "{out:?}");
        }
        fs::remove_file(&old).unwrap();
    }
}

#[test]
fn unreplaceable_outputs_are_reported_before_run() {
    let folder = directory();
    let _ = target(folder.path());
    let at = |name: &str| folder.path().join(name);
    for name in ["old.json", "other"] {
        fs::write(at(name), "earlier").unwrap();
    }
    fs::create_dir(at("closed")).unwrap();
    let run = "{program} -b4K -W0 -d60 --out {}/old.json {}/test.dat";
    let as_nobody = format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups");
    let open = "chmod 0777 {} && chmod 0666 {}/test.dat";
    for (before, run, words) in [
        ("mount --bind {}/other {}/old.json", run.to_owned(), "a separate mount"),
        ("mount --bind {} {} && mount -o remount,ro,bind {}", run.to_owned(), "ead-only"),
        ("chattr +i {}/old.json", run.to_owned(), "immutable"),
        // Somebody else's, who lets us write to it.
        (
            "chmod 0777 {} && chmod 0666 {}/old.json {}/test.dat && chown 1234 {} {}/old.json",
            format!("{as_nobody} {run}"),
            "belongs to another user",
        ),
        // In a folder of which nobody may remove what is another's.
        (
            "chown 0 {} {}/old.json && chmod 0644 {}/old.json && chmod 1777 {} && chmod 0666 {}/test.dat",
            format!("{as_nobody} {run}"),
            "ermission denied",
        ),
        (open, format!("{as_nobody} {}", run.replace("old.json", "closed/new.json")), "ermission denied"),
    ] {
        let line = format!("{before} || exit 77; {run}; code=$?; chattr -i {{}}/old.json 2>&-; exit $code");
        let Some(ended) = in_a_shell(&line, folder.path()) else { return };
        if ended.code == 77 {
            skip(&format!("{before}: {}", ended.stderr));
            continue;
        }
        ended.fails(1, &["--out ", words]);
        assert_eq!(fs::read(at("old.json")).unwrap(), b"earlier", "{before}");
        assert_eq!(names(folder.path()), ["closed", "old.json", "other", "test.dat"], "{before}");
    }
}

#[test]
fn unplaced_report_is_kept_next_to_its_target() {
    let folder = directory();
    let (file, _) = target(folder.path());
    let at = folder.path().join("run.json");
    let mut running = crate::common::start(&format!("-v -b4K -W0 -d1 --out {} {{}}", at.display()), &file);
    let mut said = std::io::BufReader::new(running.stdout.as_mut().unwrap());
    let mut text = String::new();
    while !text.contains("measuring") {
        assert_ne!(std::io::BufRead::read_line(&mut said, &mut text).unwrap(), 0, "{text}");
    }
    // Its place is taken by a folder meanwhile.
    fs::create_dir(&at).unwrap();
    let ended = Ended::from(running.wait_with_output().unwrap());
    ended.fails(1, &["--out ", "cannot be written", "it is kept as "]);
    let kept = ended.stderr.split("it is kept as ").nth(1).unwrap().lines().next().unwrap();
    schema::record(&fs::read(kept).unwrap());
    assert_eq!(Path::new(kept).parent(), Some(folder.path()));
}

fn as_nobody(line: &str, folder: &Path) -> Ended {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).uid(NOBODY).gid(NOBODY);
    crate::common::output(&mut command).unwrap().into()
}

#[test]
fn planted_links_in_shared_folder_are_not_followed() {
    if !rustix::process::geteuid().is_root() {
        return skip("acting as another user needs root");
    }
    let folder = directory();
    let (file, _) = target(folder.path());
    let precious = folder.path().join("precious");
    fs::write(&precious, "root's own").unwrap();
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    for mode in [0o1777, 0o777] {
        let shared = folder.path().join(format!("shared-{mode:o}"));
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, PermissionsExt::from_mode(mode)).unwrap();
        let at = |name: &str| shared.join(name);
        // By its own name: a link, a file, a pipe of somebody else's.
        let planted =
            as_nobody("ln -s ../precious link; ln -s nothing dangling; echo 1 >file; mkfifo pipe", &shared);
        assert_eq!(planted.code, 0, "{}", planted.stderr);
        for name in ["link", "dangling", "file", "pipe"] {
            for out in all_to(&at(name)) {
                let ended = crate::common::output(
                    command_of(&RUN.split(' ').collect::<Vec<_>>()).args(&out).arg(&file),
                );
                Ended::from(ended.unwrap()).fails(1, &[&out[0], "another user"]);
            }
        }
        // By names that are only guessed: of a process and at random.
        let newest = as_nobody("echo $$", &shared).stdout.trim().parse::<u32>().unwrap();
        for guess in 1..=3000 {
            for name in [format!("run.json.{}.partial", newest + guess), format!("run.{guess:016x}.json")] {
                symlink("../precious", at(&name)).unwrap();
                lchown(at(&name), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        for round in 0..2 {
            for out in all_to(&at("run.json")) {
                let mut command = command_of(&RUN.split(' ').collect::<Vec<_>>());
                let ended: Ended = crate::common::output(command.args(&out).arg(&file)).unwrap().into();
                assert_eq!(ended.code, 0, "{round} {out:?}: {}", ended.stderr);
                let found = fs::symlink_metadata(at("run.json"));
                // In simulated time no line is streamed.
                let written = found.is_ok_and(|found| found.is_file() && found.uid() == 0 && found.len() > 0);
                assert!(written || out[0] == "--stream", "{round} {out:?}");
            }
        }
        assert_eq!(names(&shared).len(), 4 + 6000 + 1, "nothing else is left");
    }
    assert_eq!(fs::read(&precious).unwrap(), b"root's own");
}

#[test]
fn inputs_and_outputs_must_differ() {
    let folder = directory();
    let (file, _) = target(folder.path());
    let at = |name: &str| folder.path().join(name).display().to_string();
    let printed = command_of(&arguments(&["-Rpxml"], &file)).output().unwrap().stdout;
    fs::write(at("p.xml"), &printed).unwrap();
    fs::write(at("source"), "bytes to write").unwrap();
    for (name, link) in [("p.xml", "p-link"), ("source", "source-link")] {
        symlink(name, at(link)).unwrap();
        fs::hard_link(at(name), at(&format!("{link}-hard"))).unwrap();
    }
    let before = names(folder.path());
    let file = file.to_str().unwrap();
    let check = |line: &str, words: &[&str]| {
        let line = line.replace("{}", folder.path().to_str().unwrap());
        let ended: Ended =
            crate::common::output(&mut command_of(&line.split(' ').collect::<Vec<_>>())).unwrap().into();
        ended.fails(1, words);
        assert_eq!(names(folder.path()), before, "{line}");
        assert_eq!(fs::read(at("p.xml")).unwrap(), printed, "{line}");
        assert_eq!(fs::read(at("source")).unwrap(), b"bytes to write", "{line}");
    };
    for name in ["p.xml", "p-link", "p-link-hard", "./p.xml"] {
        for (option, form) in OPTIONS {
            check(
                &format!("-X{{}}/p.xml {option} {form}{{}}/{name}"),
                &[option, "would overwrite the file that -X"],
            );
        }
    }
    let run = format!("-b4K -w100 -W0 -d1 -Z1M,{{}}/source {file}");
    for name in ["source", "source-link", "source-link-hard"] {
        check(&format!("--out xml:{{}}/{name} {run}"), &["--out", "would overwrite the file that -Z"]);
    }
    for (one, other) in [("new", "new"), ("new", "./new"), ("p-link", "p.xml")] {
        for (a, form_a) in OPTIONS {
            for (b, form_b) in OPTIONS.iter().filter(|(b, _)| *b != a || a == "--out") {
                check(
                    &format!("-b4K -W0 -d1 {a} {form_a}{{}}/{one} {b} {form_b}{{}}/{other} {file}"),
                    &["is also the file of"],
                );
            }
        }
    }
    // What the shell has redirected a report to is an output as well.
    let redirected = File::create(at("source-link")).unwrap();
    fs::write(at("source"), "bytes to write").unwrap();
    let out = format!("json:{}", at("source"));
    let ended =
        command_of(&arguments(&["--out", &out], Path::new(file))).stdout(redirected).output().unwrap();
    Ended::from(ended).fails(1, &["--out", "already redirects standard output to this file"]);
}

/// Text with all kinds of terminal control, and an imitated line.
const HOSTILE: &str = "a\u{1b}]0;title\u{7}\r\u{9b}31m\u{202e}\u{2066}\u{200f}\u{200b}\u{7f}\u{8}\nFORGED: b";

fn on_a_terminal(arguments: &[&str]) -> Option<String> {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let line: Vec<String> =
        [env!("CARGO_BIN_EXE_diskspd")].iter().chain(arguments).map(|word| quoted(word)).collect();
    let output =
        crate::common::output(Command::new("script").args(["-qec", &line.join(" "), "/dev/null"])).ok();
    if output.is_none() {
        skip("there is no script(1) to make a terminal");
    }
    Some(String::from_utf8_lossy(&output?.stdout).into_owned())
}

fn words(lines: &[String]) -> Vec<String> {
    lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect()
}

#[test]
fn only_terminal_messages_are_wrapped_and_colored() {
    let folder = directory();
    let piped = |line: &str| on_columns(50, &format!("{line} 2>&1 | cat"));
    // An error on standard error, and on standard output a comparison, which ends in a sentence.
    let record = folder.path().join("a.json").display().to_string();
    diskspd(&format!("--engine sim -c64M -b4K -W0 -d1 --out {record} {{}}"), Path::new("x")).report();
    for (line, colour) in [
        ("$PROGRAM -o1,2 -b4Q x", Some("\u{1b}[1;31mERROR: ")),
        (&format!("$PROGRAM compare {record} {record}"), None),
    ] {
        let Some(plain) = piped(line) else { return };
        assert!(plain.iter().any(|line| line.chars().count() > 50), "{plain:#?}");
        assert!(!plain.concat().contains('\u{1b}'), "{plain:#?}");
        // What is no table, which would have gaps, keeps within the width; nothing is lost.
        let Some(shown) = on_columns(50, &format!("NO_COLOR=1 {line}")) else { return };
        let too_wide = |line: &&String| {
            line.chars().count() > 50 && !line.trim().contains("  ") && !line.contains(&record)
        };
        assert_eq!(shown.iter().find(too_wide), None, "{line}: {shown:#?}");
        assert_eq!(words(&shown), words(&plain), "{line}");
        assert!(!shown.concat().contains('\u{1b}'), "{shown:#?}");
        let Some(coloured) = on_columns(50, line) else { return };
        if let Some(colour) = colour {
            assert!(coloured.iter().any(|line| line.starts_with(colour)), "{coloured:#?}");
        }
        assert!(shown.len() > plain.len(), "{line}: {shown:#?}");
    }
    // A label on standard output has the colour of what it says.
    let Some(doctor) = on_columns(50, "$PROGRAM doctor") else { return };
    let told = doctor.iter().filter(|line| line.contains("NOTE: ") || line.contains("WARNING: "));
    assert!(told.clone().all(|line| line.starts_with('\u{1b}')), "{doctor:#?}");
}

#[track_caller]
fn shows_nothing_hostile(what: &str, shown: &str) {
    // What the terminal itself makes of a line feed, and what the live line is drawn with.
    let shown = shown.replace("\r\n", "\n").replace("\u{1b}[K", "").replace('\r', "\n");
    // The labels of what is told have colours.
    let colours = ["1;31", "1;33", "1;32", "36", "2", "0"].map(|code| format!("\u{1b}[{code}m"));
    let shown = colours.iter().fold(shown, |shown, colour| shown.replace(colour, ""));
    let drives = |c: &char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || ('\u{2000}'..'\u{2070}').contains(c) && *c != '\u{2026}'
    };
    assert_eq!(shown.chars().find(drives), None, "{what}: {shown:?}");
    assert!(!shown.lines().any(|line| line.starts_with("FORGED")), "{what}: {shown}");
}

/// Puts the hostile text into each string of a record that accepts it, one by one; returns their number.
fn make_hostile(
    record: &mut serde_json::Value,
    path: &mut Vec<String>,
    takes: &dyn Fn(&[String]) -> bool,
) -> u32 {
    use serde_json::Value;
    let mut count = 0;
    match record {
        Value::String(text) if takes(path) => {
            *text = HOSTILE.into();
            count = 1;
        }
        Value::Array(values) => {
            for (index, value) in values.iter_mut().enumerate() {
                path.push(index.to_string());
                count += make_hostile(value, path, takes);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(name.clone());
                count += make_hostile(value, path, takes);
                path.pop();
            }
        }
        _ => {}
    }
    count
}

#[test]
fn hostile_record_is_escaped_on_a_terminal() {
    let folder = directory();
    let (file, _) = target(folder.path());
    let saved = folder.path().join("run.json");
    diskspd(&format!("-b4K -L -D250 -w50 -W0 -d1 --out {} {{}}", saved.display()), &file).report();
    let honest: serde_json::Value = read_json(&saved);
    // A string takes it if the record can still be read: names do, kinds don't.
    let takes = |path: &[String]| {
        let mut record = honest.clone();
        let pointer: String =
            path.iter().map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1"))).collect();
        *record.pointer_mut(&pointer).unwrap() = HOSTILE.into();
        diskspd::formats::json::read(record.to_string().as_bytes()).is_ok()
    };
    let mut hostile = honest.clone();
    for part in ["profile", "hosts"] {
        let count = make_hostile(&mut hostile[part], &mut vec![part.into()], &takes);
        assert!(count > 0, "{part}");
    }
    let record = folder.path().join("hostile.json");
    fs::write(&record, hostile.to_string()).unwrap();
    let record = record.to_str().unwrap();
    for words in [&["report", record][..], &["report", record, "-v"]] {
        let Some(shown) = on_a_terminal(words) else { return };
        assert!(shown.contains("\\x1b]0;title\\x07") && shown.contains("total:"), "{words:?}: {shown}");
        shows_nothing_hostile(&words.join(" "), &shown);
        // In a pipe the report is as DISKSPD writes it.
        let piped: Ended = crate::common::output(&mut command_of(words)).unwrap().into();
        assert!(piped.stdout.contains(HOSTILE), "{words:?}: {}", piped.stdout);
        shows_nothing_hostile("standard error", &piped.stderr);
    }
    // Answers that name the terminal as their file.
    for form in ["json", "junit", "summary", "csv"] {
        let out = format!("{form}:-");
        let Some(shown) = on_a_terminal(&["compare", record, record, "--out", &out]) else { return };
        assert!(form != "json" || shown.contains("title"), "{form}: {shown}");
        shows_nothing_hostile(form, &shown);
    }
}

#[test]
fn hostile_names_are_escaped_on_a_terminal() {
    let folder = directory();
    let name = HOSTILE.replace('/', "");
    let file = folder.path().join(&name);
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    let file = file.to_str().unwrap();
    let link = folder.path().join("link");
    symlink(&name, &link).unwrap();
    let missing = format!("{file}.missing");
    for words in [
        vec!["-b4K", "-L", "-v", "-W0", "-d1", file],
        vec!["-b4K", "-Rxml", "-W0", "-d1", "--engine", "sim", file],
        vec!["-b4K", "-W0", "-d1", "--engine", "sim", "--out", "text:-", file],
        vec!["-b4K", "-W0", "-d1", "--engine", "sim", "--out", "json:-", file],
        vec!["-Rp", file],
        vec!["-Rpxml", file],
        vec!["--dry-run", "-b4K", file],
        vec!["-b4K", "-W0", "-d1", &missing],
        vec!["-b4K", "-w100", "-Z1M,/nonexistent/\u{1b}[31m\nFORGED: x", "-W0", "-d1", file],
        vec!["-b4K", "-W0", "-d1", "--out", file, file],
        vec!["-b4K", "-W0", "-d1", "--io-log", "/nonexistent/\u{1b}[31m", file],
        vec!["report", file],
        vec!["doctor", file],
        vec!["-X/nonexistent/\u{1b}[31m\u{202e}"],
        vec!["-b4K", "-q\u{1b}[31m\u{202e}", file],
        vec!["devices"],
    ] {
        let Some(shown) = on_a_terminal(&words) else { return };
        assert!(!shown.is_empty(), "{words:?}");
        let own = ["--out", "--io-log", "report"].iter().any(|word| words.contains(word));
        // A path that the user types in a command line of one's own may have line feeds; nothing else may.
        let shown = if own { shown.replace("\r\nFORGED", "") } else { shown };
        shows_nothing_hostile(&words.join(" "), &shown);
    }
}

#[test]
fn verdict_option_without_its_form_is_reported() {
    let directory = directory();
    let (file, _) = target(directory.path());
    let out = |name: &str| directory.path().join(name).display().to_string();
    let none: &[&str] = &[];
    for (options, told) in [
        (&["--text-verdict", "--xml-verdict", "-Rxml"][..], &["--text-verdict has no effect"][..]),
        (&["--text-verdict", "--xml-verdict"], &["--xml-verdict has no effect"]),
        (&["--text-verdict", "-Rxml", "--out", &out("a.txt")], none),
        (&["--xml-verdict", "--out", &format!("xml:{}", out("a.data"))], none),
        (&["--text-verdict"], none),
    ] {
        let ended: Ended = command_of(&arguments(options, &file)).output().unwrap().into();
        assert_eq!(ended.code, 0, "{options:?}: {}", ended.stderr);
        let said: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("-verdict has")).collect();
        assert_eq!(said.len(), told.len(), "{options:?}: {said:?}");
        assert!(said.iter().zip(told).all(|(said, told)| said.contains(told)), "{options:?}: {said:?}");
    }
}

#[test]
fn report_in_file_lacks_verdict() {
    let directory = directory();
    let (target, report) = (directory.path().join("t.dat"), directory.path().join("result.txt"));
    let record = directory.path().join("r.json");
    let out = format!("--out {}", record.display());
    let store = format!("--save --store {}", directory.path().join("store").display());
    for (options, option) in [
        ("", Some("--text-verdict")),
        ("-Rxml", Some("--xml-verdict")),
        ("--quiet", None),
        ("--text-verdict", None),
        (&out, None),
        (&store, None),
    ] {
        let line = format!("-c1M -b4K BRIEF {options} {{}}");
        let run = |stdout: std::process::Stdio| -> Ended {
            let mut command = crate::common::command(&line, &target);
            let ended = command.stdout(stdout).stderr(std::process::Stdio::piped()).spawn().unwrap();
            ended.wait_with_output().unwrap().into()
        };
        let ended = run(std::fs::File::create(&report).unwrap().into()).succeeds();
        let told: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("has no verdict")).collect();
        match option {
            Some(option) => {
                assert!(
                    matches!(told[..], [line] if line.contains(option) && line.contains("--save")),
                    "{told:?}"
                );
            }
            None => assert!(told.is_empty(), "{options}: {told:?}"),
        }
        let ended = run(std::process::Stdio::piped());
        assert!(!ended.stderr.contains("has no verdict"), "{options}: {}", ended.stderr);
    }
}

#[test]
fn man_page_opens_a_pager_on_a_terminal() {
    let directory = directory();
    let at = directory.path().display();
    let roff = diskspd("man sweep", directory.path());
    assert!(roff.stdout.starts_with(".TH DISKSPD"), "{}", roff.stdout);
    let pager = directory.path().join("pager");
    std::fs::write(&pager, format!("#!/bin/sh\ncat > {at}/paged\n")).unwrap();
    std::fs::set_permissions(&pager, std::fs::Permissions::from_mode(0o755)).unwrap();
    // With man(1), where that is there, else without.
    let Some(shown) = on_columns(80, &format!("MANPAGER={at}/pager $PROGRAM man sweep")) else { return };
    let text = std::fs::read_to_string(directory.path().join("paged")).unwrap();
    assert!(text.contains("diskspd sweep") && !text.contains(".SH"), "{text}");
    assert!(shown.iter().all(|line| line.trim().is_empty()), "{shown:?}");
    // Without man(1) and pagers it is plain text.
    let tools = directory.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let plain = format!("PATH={} $PROGRAM man sweep", tools.display());
    let shown = on_columns(60, &plain).unwrap();
    assert!(shown.first().is_some_and(|line| line == "NAME"), "{shown:?}");
    assert!(shown.iter().all(|line| !line.starts_with('.') && line.chars().count() <= 60), "{shown:?}");
    // With a pager but without man(1).
    for tool in ["sh", "cat"] {
        std::os::unix::fs::symlink(format!("/bin/{tool}"), tools.join(tool)).unwrap();
    }
    let paged = format!("PATH={} PAGER={at}/pager $PROGRAM man", tools.display());
    on_columns(80, &paged).unwrap();
    assert!(std::fs::read_to_string(directory.path().join("paged")).unwrap().starts_with("NAME\n"));
}
