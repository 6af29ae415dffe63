//! Where reports, streams and messages go: nothing that is there is destroyed, and what can't be told spoils nothing.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Ended, command_of, directory, diskspd, schema, skip};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A simulated run takes no time; its targets are looked at like any other's.
const RUN: &str = "--engine sim -c1M -b4K -L -D500 -W0 -d1";

/// What writes to a file of its own, and what stands before the file's name.
const OPTIONS: [(&str, &str); 3] = [("--out", "json:"), ("--stream", ""), ("--io-log", "")];

/// A file to work on, and its content.
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
        Ok(()) => cases.push(("block", "is a block device")),
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
fn a_link_is_written_through() {
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
fn a_pipe_gets_one_report_and_stays_a_pipe() {
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
        record["results"]["time_spans"].as_array().unwrap().len(),
        2,
        "one record with both time spans"
    );
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(names(directory.path()).len(), 3);
}

#[test]
fn a_device_that_takes_characters_stays_one() {
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
fn a_report_on_standard_output_takes_the_place_of_the_text() {
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
    Ended::from(unnamed.unwrap()).fails(1, &["--out -", "as in --out json:"]);
    assert!(!Path::new("-").exists());
}

#[test]
fn a_document_on_standard_output_has_nothing_else_around_it() {
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
            assert_eq!(lines.next(), Some("thread,target,direction,offset,size,start_ns,latency_ns"));
            let mut count = 0;
            lines.for_each(|line| {
                assert_eq!(line.split(',').count(), 7, "{line}");
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
        Ended::from(ended.unwrap()).fails(1, &["standard output is named twice", "to a file"]);
    }
    // The report can't be printed into the log.
    let ended = command_of(&arguments(&["--io-log", "-"], &file)).current_dir(directory.path()).output();
    Ended::from(ended.unwrap()).fails(1, &["--io-log -", "in place of the report", "--out run.json"]);
    assert_eq!(names(directory.path()), ["test.dat"]);
}

#[test]
fn a_log_goes_on_behind_what_a_descriptor_has() {
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
fn a_stream_goes_on_behind_what_a_descriptor_has() {
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

/// Commands, and whether they succeed. `{}` is a file, `{missing}` none.
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
fn a_standard_error_that_cannot_be_written_changes_nothing() {
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
fn a_standard_output_that_cannot_be_written_is_an_error_and_a_reader_that_left_is_none() {
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
