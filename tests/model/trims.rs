//! Tests of `--trim`: the I/Os replaced by discards, their counting, and their effects.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::{has_share, profile_and_options, requested, run, target_rows};
use crate::common::io_log;
use crate::common::loops::Loop;
use crate::common::{Zram, directory, side_by_side, skip};
use diskspd::engine::MakeEngine;
use diskspd::machine::discards::Discards;
use diskspd::machine::target::{DirectRequirements, TargetFacts, TargetKind};
use diskspd::operation::Operation;
use diskspd::plan::{self, PlanContext, PlanError, SpanPlan};
use diskspd::prelude::*;
use diskspd::profile::validate;
use diskspd::report::{plan_text, text};
use diskspd::report_formats::VerdictForm;
use diskspd::report_formats::format_named;
use diskspd::results::TargetResults;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

fn done(row: &TargetResults) -> (u64, u64, u64) {
    (row.read.ios, row.write.ios, row.aux_results(Operation::Discard).map_or(0, |discards| discards.ios))
}

#[test]
fn discard_share_is_taken_before_w() {
    let lines: [(&str, u64, u64); 14] = [
        ("-o3 -r -w40", 30, 40),
        ("-o1 -r -w0", 10, 0),
        ("-o3 -s -w100", 50, 100),
        ("-o3 -t3 -T1M -w30 -L -D", 20, 30),
        ("-o2 -F2 -r -w50 -L b.dat", 25, 50),
        ("-F2 -O5 -r -w50 b.dat", 25, 50),
        ("-o4 -r -w50 -g20000i -L", 40, 50),
        ("-o4 -r -w50 --rate-total 20000 -t2 -L b.dat", 40, 50),
        ("-o3 -w100 --fsync-every 4", 15, 100),
        ("-o3 -r -w60 -Zr", 35, 60),
        ("-o3 -p -w60", 35, 60),
        ("-o3 -si -t2 -w60", 35, 60),
        ("-o3 -r -w60 --bs-split 4K/50:16K/50", 35, 60),
        ("-o2 -r -w20", 100, 20),
    ];
    side_by_side(lines, |(line, trims, writes)| {
        let size = if line.contains("--bs-split") { "" } else { "-b4K" };
        let line = format!("--engine sim -c1G {size} -W0 -d1 --trim {trims} {line} a.dat");
        let record = run(&line);
        assert_eq!(record.check(), Ok(()));
        for row in target_rows(&record) {
            let (read, written, discarded) = done(row);
            let all = read + written + discarded;
            assert!(has_share(discarded, all, trims), "{line}: {discarded} of {all}");
            assert!(trims == 100 || has_share(written, read + written, writes), "{line}: {written}, {read}");
            let discards = row.aux_results(Operation::Discard).unwrap();
            assert_eq!(discards.latency.as_ref().unwrap().moments().count(), discarded, "{line}");
            if !line.contains("--bs-split") {
                assert_eq!(discards.bytes, discarded * 4096, "{line}");
            }
        }
    });
}

#[test]
fn rate_limit_includes_discards() {
    for line in ["-g2000i", "--rate-total 2000", "--rate-total 2000,uniform"] {
        let record = run(&format!("--engine sim -c1G -b4K -r -w50 -o8 -W0 -d2 -L --trim 50 {line} a.dat"));
        let judged = JudgedRecord::new(&record);
        let paced = judged.summary.time_spans[0].as_ref().unwrap().paced.clone().unwrap();
        let all = done(target_rows(&record)[0]);
        assert_eq!(paced.ios, all.0 + all.1 + all.2, "{line}");
        assert!((paced.iops - 2000.0).abs() < 150.0, "{line}: {paced:?}");
        assert!(judged.judgement.findings.iter().all(|finding| !finding.name.contains("rate")), "{line}");
    }
}

/// Returns direction and offset of each I/O of a simulated run, in the order of starts.
fn logged(line: &str) -> Vec<(String, u64)> {
    let ios = io_log::of_run(&format!("--engine sim -c64M -W0 -d1 {line} a.dat"));
    ios.into_iter().map(|io| (io.direction, io.offset)).collect()
}

#[test]
fn discards_do_not_change_addresses_or_directions() {
    for line in ["-b4K -r -w50 -o1", "-b8K -rs50 -w30 -o1", "-b4K -s -o1", "-b4K -r -w50 -o1 -Zr"] {
        let (without, with) = (logged(line), logged(&format!("{line} --trim 40")));
        let both = without.iter().zip(&with);
        assert!(both.len() > 1000 && both.clone().any(|(_, (direction, _))| direction == "discard"));
        for ((direction, offset), (with, at)) in both {
            assert_eq!(offset, at, "{line}");
            assert!(with == direction || with == "discard", "{line}: {direction}, {with}");
        }
        assert!(without.iter().all(|(direction, _)| direction != "discard"), "{line}");
    }
}

#[test]
fn simulated_report_is_reproducible() {
    let line = "--engine sim -c1G -b4K -r -w50 -o4 -t2 -W1 -d1 --trim 10 a.dat";
    let report = String::from_utf8(text::text(&run(line))).unwrap();
    let (before, section) = report.split_once("\n\nDiscards of timespan 1:\n").unwrap();
    assert!(before.contains("\tdiscards: 10% of all I/Os, the rest as above\n"), "{before}");
    assert_eq!(section, GOLDEN);
    let (profile, run_options) = profile_and_options(line);
    let again = execute(&profile, &run_options, &Session::default()).unwrap().record;
    assert!(text::text(&again).ends_with(GOLDEN.as_bytes()));
}

const GOLDEN: &str = "\
*******************************************************************************

thread |   discards   |       bytes     |  per s   | mean (ms) |  50th (ms) |  99th (ms) | 3-nines (ms) |  max (ms) |  file
---------------------------------------------------------------------------------------------------------------------------
     0 |         8039 |        32927744 |  8039.00 |     0.060 |      0.054 |      0.134 |        0.183 |     0.279 | a.dat
     1 |         7940 |        32522240 |  7940.00 |     0.060 |      0.053 |      0.131 |        0.165 |     0.195 | a.dat
---------------------------------------------------------------------------------------------------------------------------
total: |        15979 |        65449984 | 15979.00 |     0.060 |      0.053 |      0.132 |        0.180 |     0.279
";

#[test]
fn discard_columns_follow_diskspd_columns_with_the_option_only() {
    let line = "--engine sim -c1G -b4K -r -w50 -o2 -t2 -L -W0 -d1";
    let record = run(&format!("{line} --trim 30 a.dat"));
    let xml = format_named("xml").unwrap();
    assert!(!String::from_utf8(xml.bytes(&record)).unwrap().contains("<Discards>"));
    let more = String::from_utf8(xml.with_verdicts(VerdictForm::ALL).bytes(&record)).unwrap();
    assert_eq!(more.matches("<Discards>").count(), 1, "{more}");
    assert!(
        more.contains("<linux:TrimRatio xmlns:linux=\"urn:diskspd-linux:profile:1\">30</linux:TrimRatio>")
    );
    let plain = run(&format!("{line} a.dat"));
    assert!(target_rows(&plain)[0].aux_results(Operation::Discard).is_none());
    for bytes in [text::text(&plain), xml.with_verdicts(VerdictForm::ALL).bytes(&plain)] {
        let printed = String::from_utf8(bytes).unwrap();
        assert!(!printed.contains("iscards") && !printed.contains("TrimRatio"), "{printed}");
    }
}

/// Returns the number of all-zero blocks of 4 KiB.
fn zeros(file: &Path) -> u64 {
    let content = std::fs::read(file).unwrap();
    assert!(content.chunks(4096).all(|block| block.iter().all(|byte| *byte == block[0])), "parts of blocks");
    content.chunks(4096).filter(|block| block[0] == 0).count() as u64
}

#[test]
fn engines_discard_by_punching_holes() {
    let directory = directory();
    let engines =
        [("uring", "-o8"), ("uring", "-o4 -Su"), ("sync", "-o1"), ("sync", "-o3 -Su"), ("null", "-o8")];
    side_by_side(engines, |(engine, options)| {
        let file = directory.path().join(format!("{engine}{}.dat", options.replace(' ', "")));
        std::fs::write(&file, vec![1; 16 << 20]).unwrap();
        let before = std::fs::metadata(&file).unwrap();
        let line =
            format!("--engine {engine} {options} -b4K -s -g2000i -W0 -d1 --trim 20 {}", file.display());
        let kind = profile_and_options(&line).1.engine.unwrap();
        if let Err(why) = kind.row().available() {
            return skip(&why.to_string());
        }
        let record = run(&line);
        let (reads, writes, discards) = done(target_rows(&record)[0]);
        assert!(reads > 20 && writes == 0 && discards > 20, "{line}: {reads}, {writes}, {discards}");
        let (after, zeros) = (std::fs::metadata(&file).unwrap(), zeros(&file));
        assert_eq!(before.len(), after.len(), "{line}");
        if engine == "null" {
            return assert_eq!(zeros, 0);
        }
        // Each block once, in order; what is done before and behind the measured time isn't counted.
        let most = discards + discards / 4 + 16;
        assert!((discards..=most).contains(&zeros), "{line}: {discards} discards, {zeros} holes");
        let freed = (before.blocks() - after.blocks()) * 512;
        // The list of extents grows with them.
        let least = zeros.saturating_sub(16) * 4096;
        assert!((least..=zeros * 4096).contains(&freed), "{line}: {freed} bytes for {zeros} holes");
        let found = &JudgedRecord::new(&record).judgement.findings;
        assert!(found.iter().any(|finding| finding.name == "content-discarded"), "{line}: {found:?}");
    });
}

/// Returns the kernel's counts of a device: discards and their bytes.
fn kernel_discards(device: &Path) -> (u64, u64) {
    let name = device.file_name().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(format!("/sys/class/block/{name}/stat")).unwrap();
    let fields: Vec<u64> = text.split_whitespace().map(|field| field.parse().unwrap()).collect();
    (fields[11] + fields[12], fields[13] * 512)
}

#[test]
fn kernel_counts_the_discards_and_the_file_shrinks() {
    let lines = [
        "--engine uring -o8 -w30",
        "--engine uring -o4 -w0 -Sb",
        "--engine sync -w30",
        "--engine sync -w0 -Sb",
    ];
    side_by_side(lines, |options| {
        let Some(disk) = Loop::with(64 << 20, &[], |file| {
            std::io::Write::write_all(&mut &*file, &vec![1; 64 << 20]).unwrap();
        }) else {
            return;
        };
        let backing = || std::fs::metadata(disk.backing()).unwrap().blocks() * 512;
        let (before, full) = (kernel_discards(&disk.device), backing());
        let record = run(&format!("{options} -b64K -r -W0 -d1 --trim 50 {}", disk.device.display()));
        let after = kernel_discards(&disk.device);
        let (_, _, discards) = done(target_rows(&record)[0]);
        let kernel = (after.0 - before.0, after.1 - before.1);
        // Those in flight at the end are done and not counted; a thread without a CPU then does a few more.
        let at_most = discards + 8 + discards / 20;
        assert!(
            discards > 0 && (discards..=at_most).contains(&kernel.0),
            "{options}: {discards}, {kernel:?}"
        );
        assert_eq!(kernel.1, kernel.0 << 16, "{options}");
        assert!(backing() < full, "{options}: the file behind the device has shrunk");
    });
    let Some(disk) = Zram::new(64) else { return };
    let device = disk.0.display();
    run(&format!("-b1M -s -w100 -o1 -Su -Zr -W0 -d1 {device}"));
    let used = || {
        let name = disk.0.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(format!("/sys/block/{name}/mm_stat")).unwrap();
        text.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    let full = used();
    let record = run(&format!("-b64K -r -w0 -o4 -Su -W0 -d1 --trim 50 {device}"));
    assert!(done(target_rows(&record)[0]).2 > 0 && used() < full / 2, "{} of {full}", used());
}

#[test]
fn discards_free_space_on_every_file_system() {
    side_by_side(["ext4", "xfs", "btrfs"], |kind| {
        // The least that mkfs.xfs makes.
        let Some((_disk, at)) = Loop::with_file_system(300 << 20, kind) else { return };
        let file = at.join("a.dat");
        let stay = 1 << 20;
        std::fs::write(&file, vec![1; (8 << 20) + stay]).unwrap();
        // Its first 8 MiB over and over again.
        let record = run(&format!("-b64K -s -o4 -Su -f8M -W0 -d1 --trim 100 {}", file.display()));
        let (reads, writes, discards) = done(target_rows(&record)[0]);
        assert!(reads + writes == 0 && discards > 128, "{kind}: {reads}, {writes}, {discards}");
        assert_eq!(zeros(&file), (8 << 20) / 4096, "{kind}");
        std::fs::File::open(&file).unwrap().sync_all().unwrap();
        let left = std::fs::metadata(&file).unwrap().blocks() * 512;
        assert!((stay as u64..2 * stay as u64).contains(&left), "{kind}: {left} bytes are left");
    });
}

#[test]
fn mounted_devices_are_not_written_or_discarded() {
    let Some((disk, _)) = Loop::with_file_system(64 << 20, "ext4") else { return };
    let (profile, run_options) =
        profile_and_options(&format!("--trim 1 -w0 -W0 -d1 {}", disk.device.display()));
    let before = kernel_discards(&disk.device);
    for destroy in [false, true] {
        let session = Session::from(Options { destroy, ..Options::default() });
        let executed = execute(&profile, &run_options, &session).unwrap();
        assert!(executed.failures[0].contains(disk.device.to_str().unwrap()), "{:?}", executed.failures);
    }
    assert_eq!(kernel_discards(&disk.device), before);
}

/// Plans a line for a target with these facts.
fn planned(line: &str, facts: TargetFacts) -> Result<SpanPlan, Vec<PlanError>> {
    let request = requested(line);
    let around = PlanContext {
        system: &diskspd::host::snapshot(),
        facts: &[facts],
        run_options: &request.run_options,
        rank: Default::default(),
    };
    plan::plan(&request.profile, &request.profile.time_spans[0], around)
}

#[test]
fn discards_need_write_permission() {
    let facts = || TargetFacts { kind: TargetKind::File, size: 1 << 30, ..TargetFacts::default() };
    for (options, open) in
        [("-w0", (true, false)), ("-w0 --trim 1", (true, true)), ("-w100 --trim 1", (false, true))]
    {
        let plan = planned(&format!("{options} a.dat"), facts()).unwrap();
        let mode = plan.workers[0].targets[0].open;
        assert_eq!((mode.read, mode.write), open, "{options}");
        let mut text = Vec::new();
        plan_text::write_plan(&mut text, 1, &plan);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.contains("1% discards, rest "), options.contains("--trim"), "{text}");
    }
}

#[test]
fn unsupported_discards_are_refused_and_ignored_ones_reported() {
    let able = || Discards { unit: 4096, ..Discards::default() };
    let unable = || Discards { impossible: Some("/dev/x".into()), ..able() };
    let old = || Discards { not_by_uring: Some("Operation not supported".into()), ..able() };
    for (options, discards, expected) in [
        ("-b4K -w50", able(), Ok("")),
        ("-b512 -r", able(), Ok("whole units of 4096 bytes, but the block size (-b) of 512 and the stride")),
        ("-b8K -B512", able(), Ok("the base offset (-B) of 512 is not a multiple")),
        ("-b4K", unable(), Err("/dev/x does not support discard (discard_max_bytes")),
        ("-b4K", old(), Err("needs Linux 6.12): choose --engine sync")),
        ("-b4K --engine sync", old(), Ok("")),
        ("-b4K --engine aio", able(), Err("--trim: Linux AIO has no discards")),
        ("-b1000 -Sb", able(), Err("device's logical blocks of 512 bytes; the block size (-b) of 1000")),
        ("-b4K -w1 -Sb", able(), Err("dirty blocks in the page cache")),
        ("-b4K -Sb", able(), Ok("")),
    ] {
        let facts = TargetFacts {
            kind: TargetKind::BlockDevice,
            size: 1 << 30,
            direct: Some(DirectRequirements { offset: 512, memory: 512 }),
            discards: Some(discards),
            ..TargetFacts::default()
        };
        let line = |trim: &str| format!("{options} {trim} /dev/x");
        let told = planned(&line("--trim 5"), facts.clone());
        let told =
            told.map(|plan| plan.warnings.iter().map(|found| found.message.clone()).collect::<String>());
        match expected {
            Ok("") => assert_eq!(told, Ok(String::new()), "{options}"),
            Ok(part) => assert!(told.as_ref().is_ok_and(|told| told.contains(part)), "{options}: {told:?}"),
            Err(part) => {
                let refused = |errors: &Vec<PlanError>| errors.iter().any(|e| e.to_string().contains(part));
                assert!(told.as_ref().is_err_and(refused), "{options}: {told:?}");
            }
        }
        if !options.contains("1000") {
            assert!(planned(&line(""), facts).is_ok_and(|plan| plan.warnings.is_empty()), "{options}");
        }
    }
}

#[test]
fn options_incompatible_with_discards_are_refused() {
    for (line, rules) in [
        ("--trim 1 a.dat", &[][..]),
        ("--trim 1 -Sm a.dat", &["T2"]),
        ("--trim 1 -x a.dat", &["T3"]),
        ("--trim 1 --poll -Su a.dat", &["T4"]),
        ("--trim 100 --fsync-every 2 -w1 -u -Su a.dat", &[]),
    ] {
        let (mut profile, run_options) = profile_and_options(line);
        let rules_of = |profile: &Profile| -> Vec<&'static str> {
            let found = validate::validate(profile, false).into_iter();
            let found = found.chain(validate::run_options(&run_options, profile));
            found.map(|finding| finding.name).filter(|name| name.starts_with('T')).collect()
        };
        assert_eq!(rules_of(&profile), rules, "{line}");
        profile.time_spans[0].targets[0].shares.set(Operation::Discard, 101);
        assert!(rules_of(&profile).contains(&"T1"), "{line}");
    }
}
