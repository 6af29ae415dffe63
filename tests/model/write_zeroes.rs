//! Tests of `--write-zeroes`: the I/Os that write zeros without data, their counting, and their effects.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::{has_share, profile_and_options, requested, run, target_rows};
use crate::common::loops::Loop;
use crate::common::{directory, side_by_side, skip};
use diskspd::engine::MakeEngine;
use diskspd::machine::target::{DirectRequirements, TargetFacts, TargetKind};
use diskspd::operation::Operation;
use diskspd::plan::{self, PlanContext};
use diskspd::prelude::*;
use diskspd::profile::validate;
use diskspd::report::text;
use diskspd::report_formats::{VerdictForm, format_named};
use diskspd::results::TargetResults;
use std::path::Path;

fn count(row: &TargetResults, op: Operation) -> u64 {
    row.aux_results(op).map_or(0, |done| done.ios)
}

#[test]
fn operation_shares_are_taken_before_w() {
    for (options, zeroes, discards, writes) in [
        ("--write-zeroes 30 -w40", 30, 0, 40),
        ("--write-zeroes 20 --trim 30 -w50", 20, 30, 50),
        ("--trim 60 --write-zeroes 40 -w50", 40, 60, 0),
        ("--write-zeroes 100", 100, 0, 0),
    ] {
        let record = run(&format!("--engine sim -c1G -b4K -r -o3 -W0 -d1 {options} a.dat"));
        assert_eq!(record.check(), Ok(()));
        let row = target_rows(&record)[0];
        let zeroed = count(row, Operation::WriteZeroes);
        let discarded = count(row, Operation::Discard);
        let moved = row.read.ios + row.write.ios;
        let all = zeroed + discarded + moved;
        assert!(has_share(zeroed, all, zeroes) && has_share(discarded, all, discards), "{options}");
        assert!(moved < 200 || has_share(row.write.ios, moved, writes), "{options}");
        let account = row.aux_results(Operation::WriteZeroes).unwrap();
        assert_eq!(account.latency.as_ref().unwrap().moments().count(), zeroed, "{options}");
        assert_eq!(account.bytes, zeroed * 4096, "{options}");
    }
}

#[test]
fn new_sections_follow_diskspd_sections() {
    let line = "--engine sim -c1G -b4K -r -w50 -o2 -L -W0 -d1 --write-zeroes 10 --trim 5 a.dat";
    let record = run(line);
    let report = String::from_utf8(text::text(&record)).unwrap();
    assert!(report.contains("\twrite zeroes: 10% of all I/Os, the rest as above\n"), "{report}");
    let discards = report.find("\n\nDiscards of timespan 1:\n").unwrap();
    let zeroes = report.find("\n\nWrite zeroes of timespan 1:\n").unwrap();
    assert!(discards < zeroes && report.contains("thread | write zeroes |       bytes     |"), "{report}");
    let xml = format_named("xml").unwrap();
    assert!(!String::from_utf8(xml.bytes(&record)).unwrap().contains("<WriteZeroes>"));
    let more = String::from_utf8(xml.with_verdicts(VerdictForm::ALL).bytes(&record)).unwrap();
    assert_eq!(more.matches("<WriteZeroes>").count(), 1, "{more}");
    assert!(more.contains(">10</linux:WriteZeroesRatio>"), "{more}");
    let page = String::from_utf8(format_named("html").unwrap().bytes(&record)).unwrap();
    assert!(page.contains("Write zeroes: not counted in any other figure"), "{page}");
    let json: serde_json::Value =
        serde_json::from_slice(&format_named("json").unwrap().bytes(&record)).unwrap();
    let total = &json["figures"]["time_spans"][0]["write_zeroes"]["total"];
    assert_eq!(total["write_zeroes"], count(target_rows(&record)[0], Operation::WriteZeroes), "{total}");
    let again = diskspd::formats::json::read(&format_named("json").unwrap().bytes(&record)[..]).unwrap();
    assert_eq!(target_rows(&again)[0].others, target_rows(&record)[0].others);
}

/// Returns the number of all-zero blocks of 4 KiB.
fn zeros(file: &Path) -> u64 {
    let content = std::fs::read(file).unwrap();
    content.chunks(4096).filter(|block| block.iter().all(|byte| *byte == 0)).count() as u64
}

#[test]
fn engines_zero_files_at_written_ranges_only() {
    let directory = directory();
    let engines =
        [("uring", "-o8"), ("uring", "-o4 -Su"), ("sync", "-o1"), ("sync", "-o3 -Su"), ("null", "-o8")];
    side_by_side(engines, |(engine, options)| {
        let file = directory.path().join(format!("{engine}{}.dat", options.replace(' ', "")));
        std::fs::write(&file, vec![1; 16 << 20]).unwrap();
        let line = format!(
            "--engine {engine} {options} -b4K -s -g1000i -W0 -d1 --write-zeroes 50 {}",
            file.display()
        );
        let kind = profile_and_options(&line).1.engine.unwrap();
        if let Err(why) = kind.row().available() {
            return skip(&why.to_string());
        }
        let record = run(&line);
        let zeroed = count(target_rows(&record)[0], Operation::WriteZeroes);
        assert!(zeroed > 10, "{line}: {zeroed}");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 16 << 20, "{line}");
        let most = zeroed + zeroed / 4 + 16;
        match engine {
            "null" => assert_eq!(zeros(&file), 0),
            _ => assert!((zeroed..=most).contains(&zeros(&file)), "{line}: {zeroed}, {}", zeros(&file)),
        }
    });
}

/// Returns the kernel's counts of a device: writes and their bytes.
fn kernel_writes(device: &Path) -> (u64, u64) {
    let name = device.file_name().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(format!("/sys/class/block/{name}/stat")).unwrap();
    let fields: Vec<u64> = text.split_whitespace().map(|field| field.parse().unwrap()).collect();
    (fields[4] + fields[5], fields[6] * 512)
}

#[test]
fn kernel_and_verdict_count_zero_writes_as_writes() {
    side_by_side(["--engine uring -o8 -w30", "--engine sync -w0"], |options| {
        let Some(disk) = Loop::with(64 << 20, &[], |file| {
            std::io::Write::write_all(&mut &*file, &vec![1; 64 << 20]).unwrap();
        }) else {
            return;
        };
        let before = kernel_writes(&disk.device);
        let record = run(&format!("{options} -b64K -r -W0 -d1 --write-zeroes 50 {}", disk.device.display()));
        let after = kernel_writes(&disk.device);
        let row = target_rows(&record)[0];
        let zeroed = count(row, Operation::WriteZeroes);
        let counted = zeroed + row.write.ios;
        let kernel = (after.1 - before.1) >> 16;
        // Those in flight at the end are done and not counted; a thread without a CPU then does a few more.
        assert!(
            zeroed > 0 && (counted..=counted + 8 + counted / 20).contains(&kernel),
            "{counted}, {kernel}"
        );
        let judged = JudgedRecord::new(&record);
        let verdict = &judged.judgement.verdicts[0].parts[0];
        let write = verdict.write.as_ref().unwrap();
        assert_eq!(write.counted_ios, counted, "{verdict:?}");
        assert!((0.9..1.1).contains(&write.ratio), "{verdict:?}");
    });
}

#[test]
fn zeroed_ranges_read_as_zeros_on_every_file_system() {
    side_by_side(["ext4", "xfs", "btrfs"], |kind| {
        let Some((_disk, at)) = Loop::with_file_system(300 << 20, kind) else { return };
        let file = at.join("a.dat");
        std::fs::write(&file, vec![1; 9 << 20]).unwrap();
        // Its first 8 MiB over and over again.
        let record = run(&format!("-b64K -s -o4 -Su -f8M -W0 -d1 --write-zeroes 100 {}", file.display()));
        assert!(count(target_rows(&record)[0], Operation::WriteZeroes) > 128, "{kind}");
        assert_eq!(zeros(&file), (8 << 20) / 4096, "{kind}");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 9 << 20, "{kind}");
    });
}

#[test]
fn unsupported_zero_writes_are_refused_and_named() {
    let planned = |line: &str| {
        let facts = TargetFacts {
            kind: TargetKind::BlockDevice,
            size: 1 << 30,
            direct: Some(DirectRequirements { offset: 512, memory: 512 }),
            ..TargetFacts::default()
        };
        let request = requested(&format!("{line} /dev/x"));
        let (system, facts) = (diskspd::host::snapshot(), [facts]);
        let around = PlanContext {
            system: &system,
            facts: &facts,
            run_options: &request.run_options,
            rank: Default::default(),
        };
        let planned = plan::plan(&request.profile, &request.profile.time_spans[0], around);
        planned.err().map(|errors| errors.iter().map(|error| format!("{error}\n")).collect::<String>())
    };
    for (line, expected) in [
        ("-b4K --write-zeroes 5", None),
        ("-b4K --write-zeroes 5 --engine aio", Some("--write-zeroes: Linux AIO has no write zeroes")),
        ("-b1000 -Sb --write-zeroes 5", Some("must be aligned to the device's logical blocks of 512 bytes")),
        ("-b4K -w1 -Sb --write-zeroes 5", Some("dirty blocks in the page cache")),
    ] {
        let told = planned(line);
        assert_eq!(told.is_some(), expected.is_some(), "{line}: {told:?}");
        assert!(told.is_none_or(|told| told.contains(expected.unwrap())), "{line}");
    }
    for (line, rules) in [
        ("--write-zeroes 1 -Sm a.dat", &["T2"][..]),
        ("--write-zeroes 1 -x a.dat", &["T3"]),
        ("--write-zeroes 1 --poll -Su a.dat", &["T4"]),
        ("--write-zeroes 1 -w1 --verify a.dat", &["T5"]),
        ("--write-zeroes 50 --trim 51 a.dat", &["T6"]),
        ("--write-zeroes 50 --trim 50 a.dat", &[]),
    ] {
        let (profile, run_options) = profile_and_options(line);
        let found = validate::validate(&profile, false).into_iter();
        let found = found.chain(validate::run_options(&run_options, &profile));
        let found: Vec<&str> =
            found.map(|finding| finding.name).filter(|name| name.starts_with('T')).collect();
        assert_eq!(found, rules, "{line}");
    }
}
