//! The program as a user runs it, on real files.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, Running, directory, directory_with, diskspd, read_json, side_by_side};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn first_readme_command_prints_the_whole_report() {
    let (_directory, file) = directory_with("test.dat");
    let ended = diskspd("-c32M -b4K -r -w25 -t2 -o32 -Su -L -D -W1 -d2 {}", &file);
    let report = ended.report();
    for part in [
        "\nCommand Line: ",
        "\nInput parameters:\n",
        "\tmeasuring latency\n",
        "\tgathering IOPS at intervals of 1000ms\n",
        "\nSystem information:\n",
        "\nResults for timespan 1:\n",
        "\nthread count:\t\t2\n",
        "\navg.|",
        "\nTotal latency distribution:\n",
        "\n9-nines |",
    ] {
        assert!(ended.stdout.contains(part), "{part:?} is missing:\n{}", ended.stdout);
    }
    let (total, read, write) = (report.total("Total IO"), report.total("Read IO"), report.total("Write IO"));
    assert_eq!(total.bytes, total.ios * 4096);
    assert_eq!((total.ios, total.bytes), (read.ios + write.ios, read.bytes + write.bytes));
    let share = write.ios as f64 / total.ios as f64;
    assert!((0.2..0.3).contains(&share), "a quarter of the I/Os are writes, not {share}");
    let rows = report.rows("Total IO");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows.iter().map(|row| row[2].parse::<u64>().unwrap()).sum::<u64>(), total.ios);
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 32 << 20);
}

#[test]
fn published_commands_run_with_path_and_scale_changed() {
    let (_directory, file) = directory_with("test.dat");
    let created = diskspd("-b8K -d1 -W0 -h -L -o32 -t3 -r -w75 -c16M {}", &file);
    assert!(created.report().total("Total IO").ios > 0, "{}", created.stdout);
    let lines = [
        "-r -w0 -t8 -o8 -b8K -h -L BRIEF {}",
        "-t2 -si4K -b4K BRIEF -L -o1 -w100 -D -h {}",
        "-b64K BRIEF -t4 -o4 -si {}",
        "-b512K -T512K -t4 -o2 BRIEF -Sb -w50 {}",
        "-b4K -rs50 -w50 -F2 -o4 BRIEF -z7 {}",
        "-b4K -r -F2 -O8 BRIEF -n {}",
        "-b4K -r -rdpct90/10:5/20 -a0 -W0 -C1 -d1 -fr {}",
        "-b4K -B1M:8M -s16K -p -o4 BRIEF {}",
        "-b4K -f8M -Sw -w100 -o1 BRIEF -Z {}",
    ];
    side_by_side(lines, |line| {
        let ended = diskspd(line, &file);
        let total = ended.report().total("Total IO");
        assert!(total.ios > 0, "{line}: {}", ended.stdout);
    });
}

#[test]
fn writes_carry_the_pattern_and_stay_inside_the_bounds() {
    let (_directory, file) = directory_with("test.dat");
    std::fs::write(&file, vec![0xee; 4 << 20]).unwrap();
    diskspd("-b4K -w100 -o4 -B1M:1M BRIEF {}", &file).report();
    let content = std::fs::read(&file).unwrap();
    let pattern = |range: std::ops::Range<usize>| range.map(|i| i as u8).collect::<Vec<u8>>();
    assert!(content[..1 << 20].iter().all(|&b| b == 0xee), "nothing before the base offset is touched");
    assert!(content[1 << 20..2 << 20] == pattern(0..1 << 20)[..], "every block is written with 0, 1, .. 255");
    assert!(content[2 << 20..].iter().all(|&b| b == 0xee), "nothing beyond the end is touched");
}

#[test]
fn several_targets_have_separate_threads_and_rows() {
    let directory = directory();
    let (a, b) = (directory.path().join("a.dat"), directory.path().join("b.dat"));
    let line = format!("-c8M -b4K -t2 -o2 -r -L -W0 -d1 {} {{}}", a.display());
    let ended = diskspd(&line, &b);
    let rows = ended.report().rows("Total IO");
    let files: Vec<&str> = rows.iter().map(|row| row.last().unwrap().as_str()).collect();
    let expected = [&a, &a, &b, &b].map(|path| format!("{} (8MiB)", path.display()));
    assert_eq!(files, expected);
    assert!(ended.stdout.contains(&format!("\nLatency distribution: {}\n", a.display())));
}

#[test]
fn complete_file_is_kept_and_recreate_rewrites_it() {
    let (_directory, file) = directory_with("test.dat");
    diskspd("-c1M -b4K BRIEF {}", &file).report();
    std::fs::write(&file, vec![7; 1 << 20]).unwrap();
    let kept = diskspd("-c1M -b4K BRIEF {}", &file);
    kept.report();
    assert!(kept.stderr.contains("kept"), "{}", kept.stderr);
    assert!(std::fs::read(&file).unwrap().iter().all(|&b| b == 7));
    diskspd("-c1M -b4K BRIEF --recreate {}", &file).report();
    diskspd("-b4K BRIEF --recreate {}", &file).fails(3, &["--recreate has no effect", "-c"]);
    assert!(std::fs::read(&file).unwrap().iter().enumerate().all(|(i, &b)| b == i as u8));
}

#[test]
fn files_hold_zeros_only_with_requested_zeros() {
    let (_directory, file) = directory_with("test.dat");
    let holds_zeros = || std::fs::read(&file).unwrap().iter().all(|&byte| byte == 0);
    for (line, zeros, told) in [
        ("-c1M -w100", false, ""),
        ("-c1M", false, "kept"),
        ("-c1M -Z", true, "rewritten: it held data instead of the requested zeros (-Z)"),
        // Its own writes don't change that: a loop around it pays once.
        ("-c1M -Z -w100", true, "kept"),
        ("-c1M -Z", true, "kept"),
        ("-c1M", false, "rewritten: it held zeros"),
        ("-c1M -Zr -w100", false, "kept"),
        ("-c1M", false, "kept"),
    ] {
        let ended = diskspd(&format!("{line} -b4K BRIEF {{}}"), &file);
        ended.report();
        assert!(ended.stderr.contains(told), "{line}: {}", ended.stderr);
        assert_eq!(holds_zeros(), zeros, "{line}");
    }
}

#[test]
fn a_record_prints_the_same_report_again() {
    let directory = directory();
    let (file, record) = (directory.path().join("test.dat"), directory.path().join("run.json"));
    let line = format!("-c4M -b4K -r -w50 -o4 -L -D100 -W0 -d1 --out {} {{}}", record.display());
    let ended = diskspd(&line, &file);
    ended.report();
    let again = diskspd("report {}", &record);
    assert_eq!(again.report().0, ended.stdout);
    let mut piped = crate::common::command_of(&["report", "/dev/stdin"]);
    let mut piped = piped.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    piped.stdin.take().unwrap().write_all(&std::fs::read(&record).unwrap()).unwrap();
    assert_eq!(piped.wait_with_output().unwrap().stdout, ended.stdout.as_bytes());
}

/// Interrupts a run shortly after this output.
fn interrupt(line: &str, file: &Path, phase: &str) -> Ended {
    let running = Running::until(phase, line, file);
    std::thread::sleep(Duration::from_millis(300));
    running.signal("INT");
    running.end()
}

#[test]
fn rerun_repeats_a_record() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    let (one, other) = (at("first.json"), at("again.json"));
    let line = format!("--engine sim -c64M -b8K -r -w30 -z7 -L -d1 -W0 --out {} {{}}", one.display());
    diskspd(&line, &at("a target")).report();
    let again = diskspd(&format!("rerun --out {} {{}}", other.display()), &one);
    assert_eq!(
        again.report().total("Total IO").ios,
        diskspd(&line, &at("a target")).report().total("Total IO").ios
    );
    let record = |path: &Path| crate::common::schema::record(&fs::read(path).unwrap());
    let (one_record, other_record) = (record(&one), record(&other));
    assert_eq!(
        (&one_record["profile"], &one_record["method"]),
        (&other_record["profile"], &other_record["method"])
    );
    assert_eq!(
        one_record["figures"]["time_spans"][0]["total"],
        other_record["figures"]["time_spans"][0]["total"]
    );
    assert!(!again.stderr.contains("in the record"), "the machine is the same: {}", again.stderr);
    // Recorded elsewhere.
    let mut elsewhere: serde_json::Value = read_json(&one);
    elsewhere["hosts"][0]["system"]["computer_name"] = "elsewhere".into();
    elsewhere["hosts"][0]["system"]["kernel"] = "1.2.3".into();
    fs::write(at("elsewhere.json"), elsewhere.to_string()).unwrap();
    let moved = diskspd("rerun --dry-run {}", &at("elsewhere.json")).succeeds();
    assert!(moved.stderr.contains("NOTE: recorded on 'elsewhere'; this is '"), "{}", moved.stderr);
    assert!(moved.stderr.contains("and 1.2.3 in the record"), "{}", moved.stderr);
    // What is in the record isn't asked for again, and the record isn't overwritten.
    diskspd("rerun -o8 {}", &one).fails(3, &["-o8", "the record defines what to run"]);
    diskspd(&format!("rerun --out {} {{}}", one.display()), &one)
        .fails(1, &["would overwrite the file that rerun reads"]);
    diskspd("rerun {}", &at("none.json")).fails(3, &["cannot be read"]);
    // One that doesn't say how it was run.
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/records/one-line.json");
    let planned = diskspd("rerun --dry-run {}", &old);
    assert!(planned.stderr.contains("the record lacks the run's options"), "{}", planned.stderr);
}

#[test]
fn ctrl_c_reports_completed_measurements() {
    let (_directory, file) = directory_with("test.dat");
    diskspd("-c4M -b4K BRIEF {}", &file).report();
    let began = Instant::now();
    let measuring = interrupt("-b4K -r -o4 -L -W0 -d600 {}", &file, ": measuring");
    assert!(began.elapsed() < Duration::from_secs(500), "the run goes on after Ctrl-C");
    let total = measuring.report().total("Total IO");
    assert!(total.ios > 0);
    // The rate divides by the time that was measured, not by the 600 s asked for.
    assert!(total.iops > total.ios as f64 / 500.0, "{}", measuring.stdout);
    let warming = interrupt("-b4K -r -o4 -W600 -d600 {}", &file, ": warming up");
    assert_eq!(warming.code, 0);
    assert!(
        warming
            .stdout
            .ends_with("The test was interrupted before the measurements began. No results are displayed.\n")
    );
}

#[test]
fn the_simulated_device_gives_the_same_report_every_time() {
    let (_directory, nowhere) = directory_with("there-is-no-such-file.dat");
    let line = "--engine sim -c1G -b4K -r -w30 -t2 -o8 -L -D100 -W0 -d2 {}";
    let results = |ended: Ended| {
        ended.report();
        ended.stdout.split_once("\nTotal IO\n").unwrap().1.to_string()
    };
    assert_eq!(results(diskspd(line, &nowhere)), results(diskspd(line, &nowhere)));
    assert!(!nowhere.exists());
}

#[test]
fn every_engine_carries_out_the_same_profile() {
    let (_directory, file) = directory_with("test.dat");
    diskspd("-c4M -b4K BRIEF {}", &file).report();
    let engines =
        [("uring", 1), ("uring", 16), ("aio", 1), ("aio", 16), ("sync", 1), ("null", 16), ("sim", 16)];
    side_by_side(engines, |(engine, depth)| {
        let ended = diskspd(&format!("--engine {engine} -o{depth} -b4K -r -w10 -L -D BRIEF {{}}"), &file);
        assert!(ended.report().total("Total IO").ios > 100, "{engine}: {}", ended.stdout);
    });
    let help = diskspd("--engine help", &file);
    assert!(
        ["uring", "aio", "sync", "mmap", "null", "sim"].iter().all(|engine| help.report().0.contains(engine))
    );
}

#[test]
fn dry_run_prints_the_plan_and_changes_no_file() {
    let (_directory, file) = directory_with("test.dat");
    let ended = diskspd("--dry-run -c1G -b4K -r -t2 -o32 -Su -z5 {}", &file);
    ended.report();
    for part in ["Plan for timespan 1:", "uring", "O_DIRECT", "[0, 1073741824) of 1GiB", "random"] {
        assert!(ended.stdout.contains(part), "{part:?} is missing:\n{}", ended.stdout);
    }
    assert!(!file.exists());
}

#[test]
fn progress_dots_and_verbose_lines_come_before_the_report() {
    let (_directory, file) = directory_with("test.dat");
    let ended = diskspd("-c1M -b4K -v -P100 -o4 -W1 -d1 {}", &file);
    let (before, report) = ended.stdout.split_once("\nCommand Line: ").unwrap();
    assert!(
        before.contains("..") && before.contains(": warming up") && before.contains(": measuring"),
        "{before}"
    );
    assert!(report.contains("\n\tusing verbose mode\n"));
}
