//! Tests of `--until-written`, `--until-read`: the end of a time span by its volume.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::directory_with;
use crate::common::in_process::{profile_and_options as parse, run, target_rows};
use diskspd::checks::JudgedRecord;
use diskspd::prelude::*;
use diskspd::profile::validate;
use diskspd::results::EndedBy;

/// Returns bytes read and written.
fn done(record: &Record) -> (u64, u64) {
    target_rows(record)
        .into_iter()
        .fold((0, 0), |(read, write), row| (read + row.read.bytes, write + row.write.bytes))
}

fn found(record: &Record) -> Vec<(String, String)> {
    let findings = JudgedRecord::new(record).judgement.findings;
    let about = ["amount-reached", "amount-not-reached", "ended-early"];
    let these = findings.into_iter().filter(|finding| about.contains(&finding.name));
    these.map(|finding| (finding.name.to_owned(), finding.message)).collect()
}

#[test]
fn run_ends_at_the_requested_volume() {
    for (line, read, written) in [
        ("--until-written 64M -w100 -b64K -t2", 0, 64 << 20),
        ("--until-read 64M -b64K -o4 -L", 64 << 20, 0),
        ("--until-written 3x -w100 -b64K -c8M -t3", 0, 24 << 20),
        // Of the target that is written to alone, and of that what -B and -f leave.
        ("--until-written 2x -w100 -b64K -c8M -B1M:3M", 0, 6 << 20),
        ("--until-read 2x -w50 -b64K -c8M b.dat", 32 << 20, 0),
        ("--until-read 1T --until-written 16M -w30 -b64K -W1 -C1", 0, 16 << 20),
    ] {
        let record = run(&format!("--engine null -c64M -d600 -W0 {line} a.dat"));
        let span = &record.host().results.time_spans[0];
        assert_eq!(span.ended.unwrap().cause, EndedBy::Volume, "{line}");
        let (was_read, was_written) = done(&record);
        assert!(was_read >= read && was_written >= written, "{line}: {was_read}, {was_written}");
        // At most the last I/O of each of three threads more, and what two of them had in flight from before
        // measuring began, when the third had done all by itself in no time.
        let most = (3 + 2 * 2) * (64 << 10);
        let exact = (read == 0 || was_read <= read + most) && (written == 0 || was_written <= written + most);
        assert!(exact, "{line}: {was_read}, {was_written}");
        assert!(span.measured < 600_000_000_000, "{line}");
        let found = found(&record);
        assert!(found.len() == 1 && found[0].0 == "amount-reached", "{line}: {found:?}");
        let again = record.run_options.as_ref().unwrap();
        assert!(again.until_written.or(again.until_read).is_some());
    }
}

#[test]
fn engines_never_exceed_the_requested_volume() {
    let (_directory, file) = directory_with("a.dat");
    for line in [
        "-o8 --engine uring",
        "-o8 --engine aio",
        "--engine sync",
        "-Sm",
        "-x -o4",
        "-Zr -t2 -o4",
        "-g100000 -t2",
        "-W1",
    ] {
        let common = "-c8M -d600 -w100 -b64K -r --until-written 12M";
        let warmup = if line == "-W1" { "" } else { "-W0" };
        let record = run(&format!("{common} {warmup} {line} {}", file.display()));
        let span = &record.host().results.time_spans[0];
        assert_eq!(span.ended.unwrap().cause, EndedBy::Volume, "{line}");
        let written = done(&record).1;
        // What several threads submit at the same moment, one I/O each.
        assert!((12 << 20..=(12 << 20) + 2 * (64 << 10)).contains(&written), "{line}: {written}");
    }
}

#[test]
fn unreached_volume_at_time_limit_is_reported() {
    let record = run("--engine null -c1M --until-read 1T -w0 -b4K -o1 -W0 -d1 a.dat");
    assert_eq!(record.host().results.time_spans[0].ended.unwrap().cause, EndedBy::Time);
    let found = found(&record);
    assert!(found.len() == 1 && found[0].0 == "amount-not-reached", "{found:?}");
}

#[test]
fn file_is_written_the_requested_number_of_times() {
    let (_directory, file) = directory_with("a.dat");
    let record = run(&format!("-c4M -w100 -b128K -o4 -t1 --until-written 2x -d600 -W0 {}", file.display()));
    assert_eq!(record.host().results.time_spans[0].ended.unwrap().cause, EndedBy::Volume);
    assert_eq!(done(&record).1, 8 << 20);
    // Sequentially, and more than once round: all of it.
    let pattern = |bytes: &[u8]| bytes.iter().zip(0u8..=255).all(|(byte, expected)| *byte == expected);
    assert!(std::fs::read(&file).unwrap().chunks(256).all(pattern));
}

#[test]
fn unreachable_amount_is_refused() {
    for (line, rules) in [
        ("--engine sim --until-written 1G -w100 a.dat", &["M12"][..]),
        ("--engine sim:cliff --until-read 1G a.dat", &["M12"]),
        ("--until-written 2x a.dat", &["M14"]),
        ("--until-read 2x -w100 a.dat", &["M15"]),
        ("--until-written 2x --until-read 2x a.dat", &["M14"]),
        ("--until-written 2x --until-read 2x -w1 a.dat", &[]),
        ("--engine null --until-written 2x -w100 a.dat", &[]),
    ] {
        let (profile, run_options) = parse(line);
        let found: Vec<_> =
            validate::run_options(&run_options, &profile).iter().map(|finding| finding.name).collect();
        assert_eq!(found, rules, "{line}");
    }
    let (profile, mut run_options) = parse("--until-written 1 -w100 a.dat");
    run_options.until_written = Some(diskspd::profile::Volume::Times(0));
    assert_eq!(validate::run_options(&run_options, &profile)[0].name, "M13");
}
