//! Tests of the single interface for written files, which never destroys files in use, the program's own
//! files, inputs, other outputs of the command, or other users' files.

#![allow(clippy::unwrap_used)]

use crate::common::writing_lines::{OUTPUTS, PREPARING, words};
use crate::common::{Ended, command_of, directory, directory_with, output, skip};
use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NO_OUTPUTS: [&str; 36] = [
    "--give-up",
    "--no-huge-pages",
    "--atomic",
    "--dontcache",
    "--write-hint",
    "--fdp",
    "--write-stream",
    "--fio",
    "--with-a",
    "--with-b",
    "--compress",
    "--dedupe",
    "--trim",
    "--write-zeroes",
    "--fua",
    "--zoned",
    "--replay",
    "--replay-writes",
    "--stream-of",
    "--verify",
    "--recreate",
    "--destroy",
    "--flush-after",
    "--fail-on-outage",
    "--fsync-every",
    "--stuck",
    "--prefill",
    "--metric",
    "--purge",
    "--fill",
    "--rate",
    "--requests",
    "--from",
    "--markdown",
    "--dir",
    "--against",
];

fn prepared() -> tempfile::TempDir {
    // Nobody waits for the disk that others keep busy.
    let folder = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| directory());
    let run = |line: &str| {
        in_folder(folder.path(), line, "").succeeds();
    };
    fs::write(folder.path().join("t.dat"), vec![7; 1 << 20]).unwrap();
    PREPARING.iter().for_each(|line| run(line));
    folder
}

fn in_folder(folder: &Path, line: &str, file: &str) -> Ended {
    let words = words(line, file);
    let mut command = command_of(&words.iter().map(String::as_str).collect::<Vec<_>>());
    output(command.current_dir(folder).stdin(Stdio::null())).unwrap().into()
}

#[track_caller]
fn nobody_writes_to(folder: &Path, file: &str, reason: &str) {
    let before = fs::read(folder.join(file)).unwrap();
    for (command, option, line) in OUTPUTS {
        let ended = in_folder(folder, line, file);
        assert_eq!(ended.code, 1, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{command} {option}: {}", ended.stderr);
        assert!(fs::read(folder.join(file)).unwrap() == before, "{line} has changed {file}");
    }
}

#[test]
fn no_command_writes_to_a_file_in_use() {
    let folder = prepared();
    fs::write(folder.path().join("image"), "a virtual machine's disk").unwrap();
    let mut command = Command::new("flock");
    command.arg(folder.path().join("image")).args(["sh", "-c", "echo locked; exec cat"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut holder) = crate::common::while_nothing_starts(|| command.spawn()) else {
        return skip("no flock");
    };
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut [0; 7]).unwrap();
    nobody_writes_to(folder.path(), "image", "locked by another program");
    drop(holder.stdin.take());
    holder.wait().unwrap();
}

#[test]
fn commands_never_write_a_loop_backing_file() {
    let folder = prepared();
    let Some(device) = crate::common::loops::Loop::new(4 << 20) else { return };
    symlink(device.backing(), folder.path().join("image")).unwrap();
    nobody_writes_to(folder.path(), "image", "in use");
}

#[test]
fn commands_never_overwrite_stored_runs() {
    let folder = prepared();
    let runs = fs::read_dir(folder.path().join("store/runs")).unwrap().map(|entry| entry.unwrap().path());
    let runs: Vec<PathBuf> = runs.collect();
    assert_eq!(runs.len(), 2, "a record and what is said about it");
    let record = runs.iter().find(|path| path.to_str().unwrap().ends_with(".json.gz")).unwrap();
    symlink(record, folder.path().join("link")).unwrap();
    nobody_writes_to(folder.path(), "link", "a history of runs keeps");
}

/// User without privileges.
const NOBODY: u32 = 65534;

#[test]
fn planted_files_in_shared_folder_are_refused() {
    if !rustix::process::geteuid().is_root() {
        return skip("acting as another user needs root");
    }
    let folder = prepared();
    let shared = folder.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, PermissionsExt::from_mode(0o1777)).unwrap();
    let theirs = shared.join("file");
    fs::write(&theirs, "theirs").unwrap();
    fs::set_permissions(&theirs, PermissionsExt::from_mode(0o666)).unwrap();
    lchown(&theirs, Some(NOBODY), Some(NOBODY)).unwrap();
    nobody_writes_to(folder.path(), "shared/file", "belongs to another user");
}

/// Creates a world-writable folder with a link of another user to a folder of root.
fn trap(folder: &Path, name: &str, mode: u32) {
    let shared = folder.join(name);
    fs::create_dir(&shared).unwrap();
    symlink("../private", shared.join("link")).unwrap();
    lchown(shared.join("link"), Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(&shared, PermissionsExt::from_mode(mode)).unwrap();
}

#[test]
fn commands_create_no_files_through_foreign_links() {
    if !rustix::process::geteuid().is_root() {
        return skip("acting as another user needs root");
    }
    let folder = prepared();
    fs::create_dir(folder.path().join("private")).unwrap();
    trap(folder.path(), "sticky", 0o1777);
    trap(folder.path(), "open", 0o777);
    let others = [
        ("sweep --dir {} -o1..2 SIM", "sticky/link/sweep"),
        ("--save --store {} RUN", "sticky/link/store"),
        ("-c64K -b4K -d1 -W0 {}", "sticky/link/target"),
        ("-c64K -b4K -d1 -W0 {}", "open/link/target"),
        ("--out json:{} RUN", "open/link/out"),
        ("--journal {} STAMPED new.dat", "open/link/journal"),
    ];
    let outputs = OUTPUTS.iter().map(|(.., line)| (*line, "sticky/link/out"));
    for (line, file) in outputs.chain(others) {
        let ended = in_folder(folder.path(), line, file);
        assert_eq!(ended.code, 1, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains("another user (number 65534)"), "{line}: {}", ended.stderr);
        assert_eq!(fs::read_dir(folder.path().join("private")).unwrap().count(), 0, "{line}");
    }
    // The whole history would be in a folder that another user can exchange.
    fs::create_dir(folder.path().join("history")).unwrap();
    symlink("../private", folder.path().join("history/runs")).unwrap();
    for (owner, code) in [(NOBODY, 1), (0, 0)] {
        lchown(folder.path().join("history/runs"), Some(owner), None).unwrap();
        for line in ["--save --store history RUN", "history list --store history"] {
            let ended = in_folder(folder.path(), line, "");
            assert_eq!(ended.code, code, "{owner} {line}: {}", ended.stderr);
        }
    }
}

#[test]
fn outputs_and_targets_spare_kept_files_and_inputs() {
    let folder = prepared();
    let at = |name: &str| folder.path().join(name);
    let prepare = |line: &str| {
        in_folder(folder.path(), line, "").succeeds();
    };
    prepare("sweep --dir points -o1..2 SIM");
    fs::hard_link(at("journal"), at("second")).unwrap();
    fs::create_dir(at("cuts")).unwrap();
    fs::write(at("cuts/0001.journal.cycle.json"), "{}").unwrap();
    let test = |target: &str| format!("name = 's'\n[[test]]\nname = 'a'\ncommand = '-c1M -b4K {target}'\n");
    fs::write(at("suite.toml"), test("again.toml").replace('\'', "\"")).unwrap();
    fs::hard_link(at("suite.toml"), at("again.toml")).unwrap();
    fs::write(at("job.fio"), "[a]\nfilename=job.fio\nsize=1m\nrw=write\n").unwrap();
    let (kept, journal, read) = ("keeps", "would overwrite a journal", "would overwrite the file that");
    for (line, file, reason) in [
        ("--out json:{} RUN", "store/baselines/b.json", kept),
        ("--out json:{} RUN", "store/new.json", kept),
        ("--save --store store --out json:{} RUN", "store/baselines/b.json", kept),
        ("history list --store store --html {}", "store/index.sqlite", kept),
        ("-c1M -b4K -d1 -W0 {}", "store/index.sqlite", kept),
        ("-w100 -b512 -d1 -W0 {}", "store/index.sqlite", kept),
        ("-c1M -b4K -d1 -W0 {}", "store/runs/new.dat", kept),
        ("sweep --dir points --json {} -o1..2 SIM", "points/runs/0001.json", kept),
        ("report a.json b.json --html {}", "points/page.html", kept),
        ("-c1M -b4K -d1 -W0 {}", "points/records/0001.json", kept),
        ("merge a.json b.json --out xml:{} --per-host", "points/all.xml", kept),
        ("--out json:{} RUN", "cuts/0001.journal.cycle.json", kept),
        ("--out json:{} RUN", "journal", journal),
        ("compare a.json b.json --json {}", "second", journal),
        ("-w100 -b512 -d1 -W0 {}", "second", journal),
        ("-c1M -b4K -d1 -W0 {}", "journal", journal),
        ("suite {} --store store --repeat 1", "suite.toml", read),
        ("suite suite.toml --store store --repeat 1 --json {}", "again.toml", read),
        ("--fio {}", "job.fio", read),
    ] {
        let before = fs::read(at(file)).ok();
        let ended = in_folder(folder.path(), line, file);
        assert!([1, 3].contains(&ended.code), "{line} {file}: {}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{line} {file}: {}", ended.stderr);
        assert!(fs::read(at(file)).ok() == before, "{line} has changed {file}");
    }
    for line in [
        "--save --store store --out json:store/new.json RUN",
        "history list --store store --html store/page.html",
        "sweep --dir points --html points/page.html -o1..2 SIM",
        "STAMPED --journal cuts/0002.journal new.dat",
        "--out json:a.json RUN",
    ] {
        prepare(line);
    }
}

/// Runs a line with these streams.
fn with_streams(line: &str, stdout: impl Into<Stdio>, stderr: impl Into<Stdio>) -> Ended {
    let mut command = command_of(&line.split(' ').collect::<Vec<_>>());
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    let child = crate::common::while_nothing_starts(|| command.spawn()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn streams_to_storage_in_use_are_refused() {
    let Some(device) = crate::common::loops::Loop::new(4 << 20) else { return };
    let (image, node) = (device.backing(), &device.device);
    let before = fs::read(&image).unwrap();
    let open = |path: &Path| fs::File::options().write(true).open(path).unwrap();
    for path in [&image, node] {
        for line in ["--help", "history list --store none"] {
            let ended = with_streams(line, open(path), Stdio::piped());
            assert_eq!(ended.code, 1, "{line}");
            assert!(ended.stderr.contains("ERROR: standard output: "), "{line}: {}", ended.stderr);
            let ended = with_streams(line, Stdio::piped(), open(path));
            assert_eq!(ended.code, 1, "{line}");
            assert!(ended.stdout.contains("ERROR: standard error: "), "{line}: {}", ended.stdout);
        }
        assert_eq!(with_streams("--help", open(path), open(path)).code, 1);
    }
    assert!(fs::read(&image).unwrap() == before);
    let (_folder, plain) = directory_with("out");
    let ended = with_streams("--version", fs::File::create(&plain).unwrap(), Stdio::piped());
    assert!(ended.code == 0 && fs::metadata(&plain).unwrap().len() > 0, "{}", ended.stderr);
}

#[test]
fn no_output_is_an_input_or_named_twice() {
    let folder = prepared();
    fs::hard_link(folder.path().join("log.csv"), folder.path().join("hard.csv")).unwrap();
    let reads = "would overwrite the file that";
    for (line, file, reason) in [
        ("--replay log.csv --io-log {} --engine sim t.dat", "log.csv", reads),
        ("--replay log.csv --stream {} --engine sim t.dat", "hard.csv", reads),
        ("--replay log.csv --out json:{} --engine sim t.dat", "./log.csv", reads),
        ("trace --from log.csv --out {}", "hard.csv", reads),
        ("compare a.json b.json --json {}", "b.json", reads),
        ("compare a.json b.json --html {}", "a.json", reads),
        ("report a.json b.json --html {}", "a.json", reads),
        ("merge a.json b.json --out json:{}", "a.json", reads),
        ("rerun --out json:{} a.json", "a.json", reads),
        ("compare --json {} --repeat 2 -- -o1 OPTIONS :: -o2 SIM", "t.dat", "would overwrite a target"),
        ("sweep --csv {} -o1..2 SIM", "t.dat", "would overwrite a target"),
        ("sweep --json {} --html {} -o1..2 SIM", "a.json", "is also the file of --json"),
        ("sweep --csv {} --csv {} -o1..2 SIM", "a.json", "is also the file of --csv"),
        ("compare a.json b.json --json {} --html ./{}", "log.csv", "is also the file of --json"),
        ("merge a.json b.json --out json:{} --out text:{}", "log.csv", "is also the file of --out"),
        ("--out json:{} --stream {} RUN", "log.csv", "is also the file of --out"),
    ] {
        let before = fs::read(folder.path().join(file)).unwrap();
        let ended = in_folder(folder.path(), line, file);
        assert_eq!(ended.code, 1, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{line}: {}", ended.stderr);
        assert!(fs::read(folder.path().join(file)).unwrap() == before, "{line} has changed {file}");
    }
}

#[test]
fn all_output_options_are_tested() {
    let overview = command_of(&["help"]).output().unwrap();
    let overview = String::from_utf8(overview.stdout).unwrap();
    let mut commands: Vec<&str> =
        OUTPUTS.iter().map(|(command, ..)| *command).filter(|name| overview.contains(name)).collect();
    commands.extend(["verify-after", "devices", "doctor", "event", "history"]);
    commands.dedup();
    let mut unknown = Vec::new();
    for command in commands {
        let mut asked = command_of(&[command, "--help"]);
        if command.is_empty() {
            asked = command_of(&["--help", "all"]);
        }
        let help = String::from_utf8(asked.output().unwrap().stdout).unwrap();
        // An option's help goes on in lines that are indented further.
        let joined = help.replace("\n      ", " ");
        for line in joined.lines().filter_map(|line| line.strip_prefix("  --")) {
            let name = line.split([' ', '=', '[', '<']).next().unwrap();
            let speaks = ["write", "file", "page"].iter().any(|word| line.to_lowercase().contains(word));
            let option = format!("--{name}");
            // By its ending it is --csv, --json or --html.
            let one_of_three = (command, name) == ("sweep", "out");
            let known =
                one_of_three || OUTPUTS.iter().any(|(of, known, _)| *of == command && *known == option);
            if speaks && !known && !NO_OUTPUTS.contains(&option.as_str()) {
                unknown.push(format!("{command} {option}: {line}"));
            }
        }
    }
    assert!(
        unknown.is_empty(),
        "options that speak of files; tests/program/output_door.rs has to know whether they write one:\n{}",
        unknown.join("\n")
    );
}

fn bypasses(trace: &str, folder: &Path) -> Vec<String> {
    let writes = |line: &&str| {
        let creates = line.contains("O_CREAT") && !line.contains("O_EXCL");
        let truncates = line.contains("O_TRUNC") || line.contains("truncate(");
        creates || truncates || line.contains(" creat(")
    };
    let here = |line: &&str| line.contains(folder.to_str().unwrap()) || !line.contains("\"/");
    // The index of a history is SQLite's own file, and targets are what a run is there to write.
    let known = |line: &&str| ["index.sqlite", "new.dat", "O_PATH"].iter().any(|name| line.contains(name));
    trace.lines().filter(writes).filter(here).filter(|line| !known(line)).map(str::to_owned).collect()
}

#[test]
fn commands_open_outputs_through_the_policy_only() {
    if Command::new("strace").arg("-V").output().is_err() {
        return skip("no strace");
    }
    let folder = prepared();
    let at = |name: &str| folder.path().join(name);
    for (number, (_, _, line)) in OUTPUTS.iter().enumerate() {
        let (file, trace) = (at(&format!("written-{number}")), at("trace"));
        let mut command = Command::new("strace");
        command.args([
            "-f",
            "-qq",
            "-e",
            "trace=open,openat,creat,truncate,ftruncate,rename,renameat,renameat2",
            "-o",
        ]);
        command.arg(&trace).arg(env!("CARGO_BIN_EXE_diskspd"));
        command.args(words(line, file.to_str().unwrap())).current_dir(folder.path());
        let _ = fs::remove_file(at("new.dat"));
        let ended: Ended = output(&mut command).unwrap().into();
        if ended.stderr.contains("ptrace") {
            return skip("strace may not trace here");
        }
        // In simulated time no line is streamed.
        assert!(file.exists() || line.contains("--stream"), "{line}: {}", ended.stderr);
        let found = bypasses(&fs::read_to_string(&trace).unwrap(), folder.path());
        assert!(found.is_empty(), "{line} writes beside the door:\n{}", found.join("\n"));
    }
    let caught =
        format!("1 openat(AT_FDCWD, \"{}/x\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3", folder.path().display());
    assert_eq!(bypasses(&caught, folder.path()).len(), 1);
}
