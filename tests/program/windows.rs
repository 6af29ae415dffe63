//! `diskspd.exe` under Wine. It reads, judges, compares and keeps results like the program for Linux, byte for
//! byte. Without Wine, the cross compiler or the program, the tests are skipped with a message
//! (`docs/reference/windows.md` explains the requirements).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{Ended, output, side_by_side, skip, while_nothing_starts};
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const EXE: &str = "DISKSPD_TEST_EXE";

const STAND_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wine/bcryptprimitives.c");

struct Windows {
    exe: PathBuf,
    /// Folder of Wine's files and of the stand-in.
    folder: PathBuf,
}

struct Missing(String);

fn windows() -> Option<&'static Windows> {
    static FOUND: OnceLock<Result<Windows, Missing>> = OnceLock::new();
    let given = std::env::var_os(EXE);
    if given.as_deref() == Some(OsStr::new("")) {
        eprintln!("SKIPPED: {EXE} is empty: no program for Windows could be built");
        return None;
    }
    let found = FOUND.get_or_init(|| {
        let exe = given.map_or_else(built, PathBuf::from);
        let windows = Windows { exe, folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("wine") };
        windows.prepared().map(|()| windows)
    });
    match found {
        Ok(windows) => Some(windows),
        Err(why) => {
            skip(&why.0);
            None
        }
    }
}

fn built() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_diskspd")).ancestors().nth(2).unwrap();
    target.join("x86_64-pc-windows-gnu/debug/diskspd.exe")
}

impl Windows {
    fn prepared(&self) -> Result<(), Missing> {
        if !self.exe.is_file() {
            let exe = self.exe.display();
            let how = "cargo build -p diskspd --target x86_64-pc-windows-gnu makes it";
            return Err(Missing(format!("no {exe}: {how}")));
        }
        fs::create_dir_all(&self.folder).unwrap();
        let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
        compiler.args(["-shared", "-o", "bcryptprimitives.dll", STAND_IN, "-ladvapi32"]);
        let compiled = output(compiler.current_dir(&self.folder));
        if !compiled.is_ok_and(|compiled| compiled.status.success()) {
            let what = "no stand-in for a library of Wine: apt-get install gcc-mingw-w64-x86-64";
            return Err(Missing(what.to_owned()));
        }
        // The first start sets Wine up, which takes seconds.
        match ended(self.command(Path::new("."), &["--version"])) {
            Ok(ended) if ended.code == 0 => Ok(()),
            Ok(ended) => Err(Missing(format!("Wine cannot start the program: {}", ended.stderr))),
            Err(_) => Err(Missing("no wine: apt-get install wine wine64".into())),
        }
    }

    fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new("wine");
        command.arg(&self.exe).args(arguments).current_dir(folder);
        command.env("WINEPREFIX", self.folder.join("prefix")).env("WINEDEBUG", "-all");
        // Wine asks for neither a browser nor .NET.
        command.env("WINEDLLOVERRIDES", "mscoree,mshtml=").env("WINEPATH", &self.folder);
        // The usual history is Windows' own.
        command.env_remove("DISKSPD_STORE").env_remove("XDG_DATA_HOME");
        command
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Ended {
        // Wine's server ends with the last program, and may do so just when the next one turns to it: that ends with 1 and without a
        // word, or is killed at its own end.
        let mut tries = std::iter::repeat_with(|| ended(self.command(folder, arguments)).unwrap());
        let is_silent = |ended: &Ended| ended.code == 1 && ended.stdout.is_empty() && ended.stderr.is_empty();
        let is_killed = |ended: &Ended| ended.code == -1;
        let is_served = |ended: &Ended| {
            !ended.stderr.contains("wine client error") && !is_silent(ended) && !is_killed(ended)
        };
        tries.by_ref().take(10).find(is_served).unwrap_or_else(|| panic!("{arguments:?}: Wine's server ends"))
    }

    #[track_caller]
    fn same(&self, folder: &Path, line: &str) -> Ended {
        self.alike(folder, line, |ended| ended)
    }

    /// As [`same`], for output with file names, which Windows writes differently.
    #[track_caller]
    fn same_but_for_paths(&self, folder: &Path, line: &str) -> Ended {
        self.alike(folder, line, |ended| Ended { stdout: ended.stdout.replace('\\', "/"), ..ended })
    }

    #[track_caller]
    fn alike(&self, folder: &Path, line: &str, seen: fn(Ended) -> Ended) -> Ended {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let (here, there) = (seen(on_linux(folder, &arguments)), seen(self.run(folder, &arguments)));
        assert_eq!(there.stdout, here.stdout, "{line}: {} {}", there.code, there.stderr);
        assert_eq!(there.stderr, here.stderr, "{line}");
        assert_eq!(there.code, here.code, "{line}");
        there
    }
}

/// Runs a program in Wine to its end. Its output goes to files, because services of Wine may keep pipes open
/// for a minute.
fn ended(mut command: Command) -> std::io::Result<Ended> {
    // `--out -` writes the bytes of a file.
    let is_file = command.get_args().any(|word| word == "-");
    let mut said = [tempfile::tempfile()?, tempfile::tempfile()?];
    command.stdin(Stdio::null()).stdout(said[0].try_clone()?).stderr(said[1].try_clone()?);
    let status = while_nothing_starts(|| command.spawn())?.wait()?;
    let [stdout, stderr] = said.each_mut().map(|file| {
        let mut text = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut text)).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let ends = stdout.matches("\r\n").count();
    assert!(is_file || stdout.matches('\n').count() == ends, "{stdout:?}");
    Ok(Ended { code: status.code().unwrap_or(-1), stdout: stdout.replace("\r\n", "\n"), stderr })
}

fn on_linux(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    output(command.args(arguments).current_dir(folder)).unwrap().into()
}

/// Creates a folder with runs of DISKSPD, fio and this program, and a job file.
fn with_runs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for file in [
        "samples/text-a-random-read-latency.txt",
        "synth/01_plain.xml",
        "synth/04_lat_write.xml",
        "synth/10_two_files_t2.xml",
        "fio/mix.json",
        "records/one-line.json",
    ] {
        let name = file.rsplit('/').next().unwrap();
        fs::copy(data.join(file), folder.path().join(name)).unwrap();
    }
    let job =
        "[global]\nbs=4k\nrw=randread\nruntime=5\ntime_based\nfilename=x.dat\nsize=1g\n[a]\niodepth=4\n";
    fs::write(folder.path().join("job.fio"), job).unwrap();
    folder
}

fn redirected(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16().flat_map(|unit| match unit {
        0x0a => vec![0x0d, 0x0a],
        unit => vec![unit],
    }));
    units.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn runs_are_read_judged_and_compared_as_on_linux() {
    let Some(windows) = windows() else { return };
    let folder = with_runs();
    let path = folder.path();
    for name in ["text-a-random-read-latency.txt", "01_plain.xml", "one-line.json", "job.fio"] {
        let text = fs::read_to_string(path.join(name)).unwrap();
        fs::write(path.join(format!("wide-{name}")), redirected(&text)).unwrap();
    }
    let read = windows.same(path, "report text-a-random-read-latency.txt");
    let wide = windows.same(path, "report wide-text-a-random-read-latency.txt").stdout;
    assert_eq!(wide.strip_prefix("wide-"), Some(&*read.stdout));
    for line in [
        "report one-line.json",
        "report wide-one-line.json",
        "report wide-01_plain.xml",
        "report mix.json -v",
        "report 0*.xml --md",
        "merge one-line.json one-line.json",
        "preset",
        "preset sql-log",
        "suite --list",
        "convert wide-job.fio",
        "-b4K -w50 -Rpxml C:\\data\\x.dat \\\\server\\share\\x.dat #0",
        "--preset sql-oltp -Rpxml x.dat",
        "-bfoo x.dat",
        "repot one-line.json",
        "help sweep",
        "completions powershell",
    ] {
        windows.same(path, line);
    }
    windows.same_but_for_paths(path, "report . --csv");
    // DISKSPD takes both.
    let [dash, slash] = ["-b4K -w5 -Rpxml x.dat", "/b4K /w5 /Rpxml x.dat"]
        .map(|line| windows.run(path, &line.split(' ').collect::<Vec<_>>()).stdout);
    assert_eq!(slash, dash);
    assert_eq!(windows.run(path, &["/?"]).code, 0);
    assert_eq!(windows.same(path, "compare 01_plain.xml 04_lat_write.xml").code, 3, "other work");
    assert_eq!(windows.same(path, "compare 01_plain.xml 04_lat_write.xml --anyway").code, 0);
    assert_eq!(windows.same(path, "compare 01_plain.xml 01_plain.xml --fail-if unsure").code, 2);
}

#[test]
fn outputs_are_equal_and_inputs_stay() {
    let Some(windows) = windows() else { return };
    let folder = with_runs();
    let path = folder.path();
    for line in [
        "report 01_plain.xml 04_lat_write.xml one-line.json --html page.html",
        "compare 01_plain.xml 01_plain.xml --json page.json --html compared.html",
        "merge one-line.json one-line.json --out page.json --out page.xml --out page.txt",
        "convert job.fio --out page.xml",
    ] {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let pages: Vec<&str> = arguments
            .iter()
            .copied()
            .filter(|word| word.starts_with("page") || word.starts_with("comp"))
            .collect();
        let pages: Vec<&str> = pages.into_iter().filter(|page| page.contains('.')).collect();
        // Pages name the program.
        let content = |page: &&str| {
            let text = fs::read_to_string(path.join(page)).unwrap();
            if page.ends_with(".html") {
                text.replace("DiskSpd for Linux", "DiskSpd lab for Windows")
            } else {
                text
            }
        };
        let kept = |ended: &Ended| {
            assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
            pages.iter().map(content).collect::<Vec<_>>()
        };
        let here = kept(&on_linux(path, &arguments));
        // What Linux's program has left there is replaced.
        assert!(kept(&windows.run(path, &arguments)) == here, "{line}");
    }
    windows.same(path, "convert page.xml");
    windows.same(path, "convert job.fio --out -");
    windows.same(path, "report 01_plain.xml --html 01_plain.xml");
    windows.same(path, "compare 01_plain.xml 01_plain.xml --json c.json --html c.json");
    let left: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name.to_str().unwrap().matches('.').count() == 1), "drafts: {left:?}");
}

#[test]
fn history_is_equal_on_both_systems() {
    let Some(windows) = windows() else { return };
    let folder = with_runs();
    let path = folder.path();
    let files = "01_plain.xml 04_lat_write.xml one-line.json mix.json";
    let import = format!("history import {files} --store kept --label old");
    let imported = windows.run(path, &import.split(' ').collect::<Vec<_>>());
    assert_eq!((imported.code, imported.stdout.matches("kept as @").count()), (0, 4), "{}", imported.stderr);
    let set = "baseline set b 01_plain.xml --store kept";
    assert_eq!(windows.run(path, &set.split(' ').collect::<Vec<_>>()).code, 0);
    for line in [
        &*import,
        "history --store kept",
        "history trend --store kept",
        "history export --csv --store kept",
        "compare @old 01_plain.xml --store kept --anyway",
        set,
        "baseline list --store kept",
        "baseline check b --against 01_plain.xml --store kept",
        "history tag @old nightly --store kept",
        "history pin @old --store kept",
        "history --tag nightly --store kept",
        "history reindex --store kept",
    ] {
        windows.same(path, line);
    }
    windows.same_but_for_paths(path, "report @old --store kept");
    let usual = windows.run(path, &["history"]);
    assert!(usual.stderr.contains("\\AppData\\Local\\diskspd"), "{}", usual.stderr);
}

#[test]
fn linux_only_options_are_refused_with_remedy() {
    let Some(windows) = windows() else { return };
    let folder = with_runs();
    let path = folder.path();
    for (line, words) in [
        ("-w100 #one", ["'#one' is not a file, a disk", "diskspd devices"]),
        (r"-w100 \\.\CdRom0", [r"'\\.\CdRom0' is not a file", "X: or"]),
        (r"-w100 \\?\C:", [r"'\\?\C:' is not a file", "#<n>"]),
        (r"-w100 \\?\C:\x.dat", ["is not a file", "X: or"]),
        ("-c1M CON", ["'CON' is a device of Windows", "use another name"]),
        (r"-w100 C:\x\NUL.dat", ["NUL.dat' is a device of Windows", "use another name"]),
        ("-u -c1M x.dat", ["-u is not available on Windows", "leave it out"]),
        ("-Suy -c1M x.dat", ["BypassIO", "-Su"]),
        ("-w10 --trim 10 -c1M x.dat", ["--trim is not available on Windows", "leave it out"]),
        ("--prefill -w10 -c1M x.dat", ["--prefill is not available on Windows", "leave it out"]),
        ("--engine uring -c1M x.dat", ["engine uring is not available", "iocp"]),
        ("--engine null -ePROCESS -d1 -c1M x.dat", ["-e is not available on Windows", "leave it out"]),
        (
            "--engine null --cpu-latency 5 -d1 -c1M \
            x.dat",
            [
                "--cpu-latency is not available on",
                "leave it \
            out",
            ],
        ),
    ] {
        windows.run(path, &line.split(' ').collect::<Vec<_>>()).fails(3, &words);
    }
    for line in ["compare --repeat 2 -- -o1 :: -o2 -b4K x.dat", "-b4K -d1 x.dat", "-Xjob.fio x.dat"] {
        let ended = windows.run(path, &line.split(' ').collect::<Vec<_>>());
        assert!(ended.code != 0 && !ended.stderr.is_empty(), "{line}");
    }
    assert!(!path.join("x.dat").exists(), "nothing was run");
}

#[test]
fn machine_is_described_as_on_linux() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| {
        let ended = windows.run(folder.path(), &line.split(' ').collect::<Vec<_>>()).succeeds();
        ended.stdout
    };
    let (here, there) = (on_linux(folder.path(), &["-Rsxml"]).stdout, run("-Rsxml"));
    // Wine takes processors, groups and nodes from the machine that it runs on.
    let rows = |text: &str, name: &str| {
        let rows = text.lines().map(str::trim).filter(|row| row.starts_with(name));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    for name in ["<Group Group", "<Node", "<Core"] {
        assert_eq!(rows(&there, name).len(), rows(&here, name).len(), "{name}: {there}");
        assert!(!rows(&there, name).is_empty(), "{name}: {there}");
    }
    let active = |text: &str| {
        rows(text, "<Group Group")
            .iter()
            .find_map(|row| Some(row.split_once("ActiveProcessorMask")?.1.to_owned()))
    };
    assert_eq!(active(&there), active(&here));
    let text = run("-Rs");
    assert!(text.contains("page size:            4KiB") && text.contains("L1d   |"), "{text}");
    run("-b4K -d1 -W0 -o1 --engine sim -c1M --out r.json x.dat");
    let record = fs::read(folder.path().join("r.json")).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
    let system = &record["hosts"][0]["system"];
    let kernel = system["kernel"].as_str().unwrap();
    assert!(kernel.starts_with("Windows ") && kernel.contains('.'), "{kernel}");
    assert!(system["memory_total"].as_u64() > Some(1 << 20), "{system}");
}

#[test]
fn doctor_lists_its_checks() {
    let Some(windows) = windows() else { return };
    let folder = with_runs();
    let run = |line: &str| windows.run(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let told = run("doctor --json mix.json");
    let answer: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let (system, findings) = (&answer["system"], answer["findings"].as_array().unwrap());
    let worse = findings.iter().any(|finding| finding["severity"] != "note");
    assert_eq!(told.code, if worse { 2 } else { 0 }, "{}", told.stdout);
    let target = &system["targets"][0];
    assert_eq!(target["path"].as_str(), Some("mix.json"));
    assert!(target["file_system"]["size"].as_u64() > Some(0), "{target}");
    assert!(system["environment"]["platform"].is_object() && system["fingerprint"]["hash"].is_string());
    let text = run("doctor").stdout;
    assert!(text.contains("fingerprint: "), "{text}");
    // What wasn't looked at is said.
    assert!(text.contains("not checked on Windows"), "{text}");
}

#[test]
fn disks_are_listed_by_number_and_refused_as_outputs() {
    let Some(windows) = windows() else { return };
    let folder = with_runs();
    let run = |line: &str| windows.run(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let listed = run("devices --json").succeeds();
    let disks: Vec<serde_json::Value> = serde_json::from_str(&listed.stdout).unwrap();
    for disk in &disks {
        let number = disk["number"].as_u64().unwrap();
        assert_eq!(disk["path"].as_str(), Some(&*format!(r"\\.\PhysicalDrive{number}")));
        assert!(disk["size"].is_u64() && disk["uses"].is_array(), "{disk}");
    }
    let table = run("devices").stdout;
    assert_eq!(table.lines().count(), disks.len() + 1, "{table}");
    assert!(table.starts_with("#   device") || disks.is_empty(), "{table}");
    for device in [r"\\.\PhysicalDrive0", r"\\.\C:", "//./PhysicalDrive1"] {
        run(&format!("report one-line.json --html {device}")).fails(1, &[device, "name a file"]);
    }
}

/// Creates a folder with a stand-in for Microsoft's tool.
fn with_tool() -> tempfile::TempDir {
    const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wine/diskspd.c");
    let folder = tempfile::tempdir().unwrap();
    let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
    compiler.args(["-O1", "-o", "ms.exe", SOURCE]).current_dir(folder.path());
    assert!(output(&mut compiler).unwrap().status.success());
    fs::write(
        folder.path().join("s.toml"),
        "name = 's'\n\n[[test]]\nname = 'reads'\ncommand = '-b4K -r -o4 -d1'\n",
    )
    .unwrap();
    folder
}

#[test]
fn runs_are_executed_by_microsoft_diskspd() {
    let Some(windows) = windows() else { return };
    let folder = with_tool();
    let path = folder.path();
    let run = |line: &str| windows.run(path, &line.split(' ').collect::<Vec<_>>());
    let done = |line: &str| run(line).succeeds();
    let swept =
        done("sweep --dir points --html p.html --with .\\ms.exe -o1..32 -b4K -r -d1 C:\\data\\x.dat").stdout;
    assert!(swept.contains("knee          -o8: 8000 IOPS at 1.000 ms"), "{swept}");
    let again = done("sweep --dir points --html p.html --with .\\ms.exe -o1..32 -b4K -r -d1 C:\\data\\x.dat");
    assert!(again.stdout == swept && again.stderr.contains("continuing after"), "{}", again.stderr);
    let repeated = done("--with .\\ms.exe --repeat 3 --each -b4K -r -o2 -d1 --out all.xml C:\\data\\x.dat");
    assert!(repeated.stderr.contains("run 3: 2000") && repeated.stdout.contains("XML 2.1.0, of WIN-LAB"));
    assert_eq!(fs::read_to_string(path.join("all.xml")).unwrap().matches("<Results>").count(), 3);
    let sides = "compare --repeat 2 -- --with .\\ms.exe -b4K -o2 -d1 :: --with .\\ms.exe -b4K -o4 -d1 x.dat";
    assert!(done(sides).stdout.contains("4000"));
    done("suite s.toml x.dat --repeat 2 --store kept --with .\\ms.exe");
    done("baseline set s --store kept");
    assert!(
        done("baseline check s --store kept --with .\\ms.exe").stdout.contains("reads  IOPS      4000  4000")
    );
    run("--with .\\ms.exe -w100 -b4K #1").fails(3, &["#1 would be overwritten", "--destroy"]);
    run("--with missing.exe -b4K x.dat").fails(1, &["--with missing.exe: cannot be started"]);
}

const ONE_IN: usize = 12;

#[test]
fn recorded_command_lines_mean_the_same() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let lines = include_str!("../data/command-lines/recorded.jsonl").lines();
    let lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let printed = lines.filter(|line| {
        let text = line["args"].to_string();
        text.contains("-Rp") && !text.contains("\"-X") && line["files"].is_null()
    });
    let every = std::env::var("DISKSPD_TEST_ALL_LINES").map_or(ONE_IN, |_| 1);
    let some: Vec<_> = printed.step_by(every).collect();
    assert!(some.len() > 20);
    side_by_side(some, |line| {
        let arguments: Vec<&str> =
            line["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let (here, there) = (on_linux(folder.path(), &arguments), windows.run(folder.path(), &arguments));
        assert_eq!(there.code, here.code, "{arguments:?}");
        assert_eq!(without_program(&there.stdout), without_program(&here.stdout), "{arguments:?}");
        assert_eq!(there.stderr, here.stderr, "{arguments:?}");
    });
}

/// Removes the name of the called program, which differs.
fn without_program(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("Command Line: ").and_then(|rest| rest.split_once(" -")) {
        Some((_, rest)) => format!("Command Line: -{rest}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn without_machine(text: &str) -> String {
    let hidden = [
        ("Command Line: ", "\n"),
        ("System information:", "Results for timespan"),
        ("CPU |  Usage", "Total IO"),
        ("<System>", "</System>"),
        ("<CpuUtilization>", "</CpuUtilization>"),
    ];
    let cut = |text: String, (from, to): (&str, &str)| {
        let mut parts = text.split(from);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |told, part| {
            let (_, rest) = part.split_once(to).unwrap_or_else(|| panic!("{from} without {to}: {text}"));
            told + rest
        })
    };
    hidden.into_iter().fold(text.to_owned(), cut)
}

#[test]
fn a_simulated_run_is_the_same_on_both_systems() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let seen = |ended: Ended| Ended { stdout: without_machine(&ended.stdout), ..ended };
    for (line, words) in [
        ("-b4K -r -o8 -t2 -d1 -W0 -L -D --engine sim -z1 -c1G x.dat", "total:"),
        ("-b4K -r -o8 -t2 -d1 -W0 -L -D --engine sim -z1 -c1G -Rxml x.dat", "</Results>"),
        ("-b64K -w100 -o4 -d1 -W0 -L -Z1M --engine sim:cliff -z3 -c1G -Rxml x.dat", "</Results>"),
        ("-b4K -r -rdpct90/10 -w50 -F3 -d1 -W0 -C1 -g1000 --engine sim:stall -c1G a.dat b.dat", "total:"),
        ("-b4K -si -t2 -d1 -W0 --engine sim:drift -c1G x.dat", "total:"),
        ("-b4K -r -o8 -d1 --engine sim x.dat", "x.dat"),
        ("-b4K -o8 -d1 --engine sim -c1G --dry-run x.dat", "sim"),
        ("-b4K -r -o8 -d1 -W0 --engine sim -c1G --repeat 2 x.dat", "IOPS"),
        (
            "compare --repeat 2 --order-seed 1 -- --engine sim -d1 -W0 -c1G -o1 x.dat :: --engine sim -d1 -W0 -c1G -o2 x.dat",
            "IOPS",
        ),
    ] {
        let there = windows.alike(path, line, seen);
        assert!(format!("{}{}", there.stdout, there.stderr).contains(words), "{line}: {}", there.stdout);
    }
    assert!(!path.join("x.dat").exists(), "nothing is made for a simulated run");
}

#[test]
fn a_simulated_run_is_kept_run_again_and_logged() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| windows.run(path, &line.split(' ').collect::<Vec<_>>());
    run("-b4K -r -o4 -d1 -W0 --engine sim -z5 -c1G --io-log log.csv --out r.json x.dat").succeeds();
    let logged = fs::read(path.join("log.csv")).unwrap();
    run("rerun --io-log again.csv r.json").succeeds();
    assert!(logged == fs::read(path.join("again.csv")).unwrap(), "the same I/Os at the same times");
    // Linux' program does the same again, too.
    on_linux(path, &["rerun", "--io-log", "here.csv", "r.json"]).succeeds();
    assert!(logged == fs::read(path.join("here.csv")).unwrap());
    let traced = windows.same(path, "trace --from log.csv");
    assert!(
        traced.code == 0 && traced.stdout.contains("47969.2 I/Os per second"),
        "{} {}",
        traced.stdout,
        traced.stderr
    );
    run("trace -d1 x.dat").fails(1, &["cannot be traced on Windows", "--from"]);
    let swept = run("sweep -o1..4 -b4K -r -d1 -W0 --engine sim -c1G x.dat");
    assert!(swept.code == 0 && swept.stdout.contains("-o4"), "{} {}", swept.stdout, swept.stderr);
    let engines = run("--engine help").stdout;
    assert!(engines.contains("uring") && engines.contains("not available: it needs Linux"));
    assert!(engines.contains("available, queue depth up to 1048576"), "{engines}");
}

fn texts_between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    text.split(from).skip(1).map(|rest| rest.split_once(to).unwrap().0).collect()
}

#[test]
fn real_time_run_is_measured_and_kept() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| windows.run(path, &line.split(' ').collect::<Vec<_>>());
    let line = "--engine null -b4K -r -w30 -o4 -t2 -a0 -W1 -d1 -C1 -L -D -c1G -v --out r.json -Rxml x.dat";
    let xml = run(line).succeeds();
    for step in
        ["thread 1 ready", "group 0 CPU 0", "warming up for 1 s", "measuring for 1 s", "cooling down for 1 s"]
    {
        assert!(xml.stderr.contains(step), "{step}: {}", xml.stderr);
    }
    let number = |text: &str| text.parse::<f64>().unwrap();
    let measured = number(texts_between(&xml.stdout, "<TestTimeSeconds>", "<")[0]);
    let ios = texts_between(&xml.stdout, "<IOCount>", "<");
    assert!(measured >= 1.0 && ios.iter().all(|ios| number(ios) > 0.0), "{measured} {ios:?} {}", xml.stderr);
    // Elements are those of Linux's program.
    let here = on_linux(
        path,
        &["--engine", "null", "-r", "-w30", "-t2", "-W0", "-d1", "-L", "-D", "-c1G", "-Rxml", "x.dat"],
    );
    let elements = |text: &str| -> std::collections::BTreeSet<String> {
        let results = text.split_once("<TestTimeSeconds>").unwrap().1;
        texts_between(results, "<", ">")
            .into_iter()
            .map(|tag| tag.split(' ').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(elements(&xml.stdout), elements(&here.stdout));
    // One processor at least was at work.
    let idle = texts_between(&xml.stdout, "<IdlePercent>", "<");
    assert!(idle.iter().any(|share| number(share) < 50.0), "{idle:?}");
    let text = windows.same(path, "report r.json");
    assert!(text.code == 0 && text.stdout.contains("avg.|"), "{}", text.stdout);
    assert!(!path.join("x.dat").exists(), "the null engine needs no file");
}

#[test]
fn either_program_verifies_written_data() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| windows.run(path, &line.split(' ').collect::<Vec<_>>());
    let line = "--verify --journal j -c256K -b4K -r -w50 -o4 -Sh -W0 -d1 x.dat";
    let verified = run(line).succeeds();
    assert!(verified.stdout.contains("Verified sectors"), "{}", verified.stdout);
    let whole = windows.same(path, "verify-after j");
    assert!(whole.code == 0 && whole.stdout.contains("failed:    none"), "{}", whole.stdout);
    // Of every sector some byte is wrong.
    let mut bytes = fs::read(path.join("x.dat")).unwrap();
    bytes.iter_mut().skip(100).step_by(512).for_each(|byte| *byte ^= 1);
    fs::write(path.join("x.dat"), bytes).unwrap();
    let damaged = windows.same(path, "verify-after j");
    assert_eq!(damaged.code, 4, "{}", damaged.stdout);
    assert!(damaged.stdout.contains("verified:  0 sectors"), "{}", damaged.stdout);
    run(line).fails(1, &["--journal j: would overwrite a journal", "name another file"]);
    // FlushViewOfFile doesn't wait for the disk.
    run("--verify --journal k -b4K -w50 -Sm -Nv -W0 -d1 x.dat").fails(1, &["ever count as durable", "-Nn"]);
}

fn begun(windows: &Windows, folder: &Path, line: &str, told: &str) -> std::process::Child {
    let mut command = windows.command(folder, &line.split(' ').collect::<Vec<_>>());
    let file = fs::File::create(folder.join(told)).unwrap();
    command.stdin(Stdio::null()).stderr(file.try_clone().unwrap()).stdout(file);
    while_nothing_starts(|| command.spawn()).unwrap()
}

#[test]
fn events_begin_and_end_runs() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| windows.run(path, &line.split(' ').collect::<Vec<_>>());
    let name = std::process::id();
    let line = format!("--engine null -c1M -W0 -d3600 -v -yrgo{name} -ypstop{name} x.dat");
    let mut program = begun(windows, path, &line, "told.txt");
    let mut until = |words: &str| {
        while !fs::read_to_string(path.join("told.txt")).unwrap().contains(words) {
            assert!(program.try_wait().unwrap().is_none(), "it ended before: {words}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    until("waiting for the event of -yr");
    let set = run(&format!("-yego{name}"));
    assert_eq!((set.code, set.stdout), (1, format!("event 'go{name}' is set\n")), "{}", set.stderr);
    until("measuring for");
    run(&format!("event wait go{name}")).succeeds();
    // What a measured window needs to have figures at all.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(run(&format!("event set stop{name}")).code, 0);
    let ended = program.wait().unwrap();
    let told = fs::read_to_string(path.join("told.txt")).unwrap();
    assert!(ended.success() && told.contains("actual test time:"), "{told}");
    run(&format!("event set stop{name}")).fails(1, &["there is no such event", "event wait"]);
    run(&format!("-W0 -d1 -c1M --engine null -ys{} x.dat", "x".repeat(261))).fails(1, &["-ysx", "260"]);
}

#[test]
fn ctrl_c_ends_a_run_with_its_report() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let said = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    let begin = |line: &str| {
        let mut command = windows.command(path, &line.split(' ').collect::<Vec<_>>());
        let files = ["told.txt", "printed.txt"].map(|name| fs::File::create(path.join(name)).unwrap());
        let [error, output] = files;
        command.stdin(Stdio::null()).stderr(error).stdout(output);
        while_nothing_starts(|| command.spawn()).unwrap()
    };
    for (line, begun, fails) in [
        ("--engine null -W0 -d3600 -c1G -v x.dat", "measuring for", None),
        // It takes as long as the processor does.
        ("--engine sim -W0 -d3600 -c1G -v x.dat", "ready", Some("Ctrl-C ended the run")),
    ] {
        let mut program = begin(line);
        while !said("printed.txt").contains(begun) {
            assert!(program.try_wait().unwrap().is_none(), "{}{}", said("printed.txt"), said("told.txt"));
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // What a measured window needs to have figures at all.
        std::thread::sleep(std::time::Duration::from_millis(300));
        // Wine tells the program of it as the console of Windows does.
        let process = rustix::process::Pid::from_child(&program);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        let ended = program.wait().unwrap();
        let (told, printed) = (said("told.txt"), said("printed.txt"));
        assert_eq!(ended.code(), Some(0), "{told}");
        assert!(printed.contains("*** Interrupted: the run ends here"), "{printed}");
        match fails {
            Some(words) => assert!(told.contains(words), "{told}"),
            None => assert!(printed.contains("actual test time:") && printed.contains("total:"), "{printed}"),
        }
    }
}

#[test]
fn files_work_in_every_access_mode() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| windows.run(path, &line.split(' ').collect::<Vec<_>>());
    let done = |line: &str| run(line).succeeds();
    let content = || fs::read(path.join("x.dat")).unwrap();
    // Made, as DISKSPD makes them: each byte is its offset's lowest.
    let made = done("-c1M -b4K -r -w50 -o4 -F2 -W0 -d1 -Su -L -v --out r.json x.dat y.dat");
    assert!(made.stdout.contains("creating 'x.dat' with 1048576 bytes"), "{}", made.stdout);
    assert!(made.stdout.contains("overlapped I/O: completion port"), "{}", made.stdout);
    // Wine tells of no disk beneath a volume.
    let unknown = "UNKNOWN: no device to compare the figures with: the disks below ";
    assert!(made.stderr.contains(unknown), "{}", made.stderr);
    // Where the right is held its space is declared valid instead: it holds what was on the disk.
    let is_valid = |ended: &Ended| ended.stdout.contains("SetFileValidData");
    let is_pattern = || content().iter().zip(0_u64..).all(|(byte, at)| *byte == at as u8);
    assert!(content().len() == 1 << 20 && (is_valid(&made) || is_pattern()), "{}", made.stdout);
    assert!(fs::read_to_string(path.join("r.json")).unwrap().contains("\"iocp\""));
    assert_eq!(windows.same(path, "report r.json").code, 0);
    let figures = |ended: &Ended| {
        let total = ended.stdout.lines().find(|line| line.starts_with("total:")).unwrap().to_owned();
        total.split('|').nth(1).unwrap().trim().parse::<u64>().unwrap()
    };
    // Each writes all of the file: zeros with -Z, and what was there before without.
    for (options, zeros, way) in [
        ("-o4 -Sh -Z --fsync-every 100", true, "completion port"),
        ("-o4 -x -Su", false, "completion routines"),
        ("-o1 -Sw -Z --fsync-every 100", true, "ReadFile and WriteFile"),
        ("-o1 --engine apc -fs -I1", false, "completion routines"),
        ("-o4 -Sm -Nv -Z --fsync-every 100", true, "mmap: copies"),
        ("-Smw", false, "mmap: copies"),
    ] {
        let ended = done(&format!("-w100 -b64K -W0 -d1 -v {options} x.dat"));
        assert!(ended.stdout.contains(way), "{options}: {}", ended.stdout);
        assert!(figures(&ended) >= 16, "{options}: all blocks");
        let expected = |at: u64| if zeros { 0 } else { at as u8 };
        assert!(content().iter().zip(0_u64..).all(|(byte, at)| *byte == expected(at)), "{options}");
    }
    // One that has its size is used as it is, unless it is to be made anew.
    fs::write(path.join("x.dat"), vec![9; 1 << 20]).unwrap();
    let used = done("-c1M -b4K -o2 -W0 -d1 -v x.dat");
    assert!(used.stdout.contains("already has the requested size") && content()[5] == 9, "{}", used.stdout);
    let anew = done("-c1M --recreate -b4K -o2 -W0 -d1 -v x.dat");
    assert!(content().len() == 1 << 20 && content()[5] != 9 && (is_valid(&anew) || is_pattern()));
    for (line, words) in [
        ("-b1000 -Su -W0 -d1 x.dat", ["must be aligned", "of 512 bytes"]),
        ("-b4K -Sm -Nn -w100 -W0 -d1 x.dat", ["persistent memory", "use -Nv"]),
        ("-b4K -W0 -d1 none.dat", ["'none.dat' does not exist", "-c<size>"]),
        ("-c1M -b4K -W0 -d1 nowhere\\x.dat", ["the folder 'nowhere' does not exist", "create the folder"]),
    ] {
        run(line).fails(1, &words);
    }
}

#[test]
fn reading_volumes_and_disks_changes_nothing() {
    let Some(windows) = windows() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let image = path.join("image");
    let content: Vec<u8> = (0..8 << 20).map(|at: u32| (at >> 9) as u8).collect();
    fs::write(&image, &content).unwrap();
    // Wine opens what this leads to as the volume Y:, and answers few of the questions that Windows does.
    let link = windows.folder.join("prefix/dosdevices/y::");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(&image, &link).unwrap();
    let run = |line: &str| windows.run(path, &line.split(' ').collect::<Vec<_>>());
    let total = |line: &str| {
        let ended = run(line).succeeds();
        assert!(ended.stdout.contains("(8MiB)"), "{line}: {}", ended.stdout);
        assert!(ended.stderr.contains("UNKNOWN: "), "Wine counts nothing: {}", ended.stderr);
        let total = ended.stdout.lines().find(|line| line.starts_with("total:")).unwrap().to_owned();
        total.split('|').nth(1).unwrap().trim().parse::<u64>().unwrap()
    };
    assert!(total("-b64K -r -o4 -W0 -d1 -L Y:") > 0);
    assert!(total(r"-b4K -B1M -f2M -o1 -W0 -d1 -Su \\.\y:") > 0);
    // As far as the end, and no farther.
    assert!(total("-b512 -B8388096 -o2 -x -W0 -d1 Y:") > 0);
    for (line, words) in [
        ("-b512 -B8M -d1 Y:", ["'Y:': ", "8388608"]),
        ("-b100 -d1 Y:", ["whole sectors, here of 512 bytes", "block size (-b) of 100"]),
        ("-b100 -Sb -d1 Y:", ["whole sectors, here of 512 bytes", "block size (-b) of 100"]),
        ("-b4K -d1 Q:", [r"there is no \\.\Q:", "diskspd devices"]),
        ("-b4K -d1 #4711", [r"there is no \\.\PhysicalDrive4711", "diskspd devices"]),
        // What Wine says of Y: counts, whatever is there; of disks it tells no partitions.
        ("-w100 -d1 Y:", [r"refusing to overwrite \\.\Y:", "holds a file system"]),
        ("-w1 --destroy -d1 Y:", [r"refusing to overwrite \\.\Y:", "holds a file system"]),
        ("-w100 --destroy --dry-run -d1 y:", [r"refusing to overwrite \\.\Y:", "holds a file system"]),
        ("-w100 --destroy -d1 C:", [r"refusing to overwrite \\.\C:", "holds a file system"]),
        ("-w1 --destroy -d1 x.dat Y:", [r"refusing to overwrite \\.\Y:", "holds a file system"]),
    ] {
        fs::write(path.join("x.dat"), [0; 65536]).unwrap();
        run(line).fails(1, &words);
        assert!(fs::read(path.join("x.dat")).unwrap() == [0; 65536], "{line}");
    }
    fs::remove_file(&link).unwrap();
    assert!(fs::read(&image).unwrap() == content, "no data was written");
}
