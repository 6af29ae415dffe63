//! Tests of `--rate-total` in simulated time: a rate shared by all threads and targets, its effect on
//! latencies, and whether it was reached.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::{self, profile_and_options};
use diskspd::checks::{Finding, Severity};
use diskspd::prelude::*;
use diskspd::profile::validate;
use diskspd::report::text;
use diskspd::report_formats::VerdictForm;
use diskspd::report_formats::format_named;
use diskspd::results::{DirectionResults, Overdue};

/// Runs a line on a simulated device of 1 GiB.
fn run(line: &str) -> Record {
    in_process::run(&format!("--engine sim -c1G -b4K -r {line} a.dat"))
}

fn find<'a>(judged: &'a JudgedRecord, name: &str) -> Option<&'a Finding> {
    judged.judgement.findings.iter().find(|finding| finding.name == name)
}

/// Returns the I/Os of each thread and target, and the total.
fn ios(record: &Record) -> (Vec<u64>, u64) {
    let threads = &record.host().results.time_spans[0].threads;
    let rows = threads.iter().flat_map(|thread| &thread.targets);
    let ios: Vec<u64> = rows.map(|row| row.read.ios + row.write.ios).collect();
    let all = ios.iter().sum();
    (ios, all)
}

#[test]
fn even_rate_is_divided_equally_and_exactly() {
    for (line, pairs) in [
        ("--rate-total 1000,uniform -W0 -d2", 1),
        ("--rate-total 1K,uniform -W1 -d2 -t3", 3),
        ("--rate-total 1k,uniform -W0 -d2 -t7 -o1", 7),
        ("--rate-total=1000,uniform -W0 -d2 -F2 b.dat", 4),
        ("--rate-total 1000,uniform -W0 -d2 -t2 -w40 -L b.dat c.dat", 6),
    ] {
        let (each, all) = ios(&run(line));
        assert_eq!(each.len(), pairs, "{line}");
        // The last ones are in flight when measuring ends.
        assert!((2000 - pairs as u64..=2000).contains(&all), "{line}: {all}");
        assert!(each.iter().max().unwrap() - each.iter().min().unwrap() <= 1, "{line}: {each:?}");
    }
}

#[test]
fn random_arrivals_match_the_rate_reproducibly() {
    for (line, expected) in [
        ("--rate-total 4K -t3 -o8 -W0 -d2", 8000.0_f64),
        ("--rate-total 500,poisson -t2 -o1 -W1 -d4", 2000.0),
    ] {
        let record = run(line);
        let (each, all) = ios(&record);
        assert!((all as f64 - expected).abs() <= 5.0 * expected.sqrt(), "{line}: {all}");
        assert!(each.windows(2).any(|pair| pair[0] != pair[1]), "each part is random for itself: {each:?}");
        assert_eq!(ios(&run(line)), (each.clone(), all), "{line}");
        assert_ne!(ios(&run(&format!("-z7 {line}"))).0, each, "{line}: another seed has other times");
        let (profile, run_options) = (&record.profile, record.run_options.as_ref().unwrap());
        let again = execute(profile, run_options, &Session::default()).unwrap().record;
        assert_eq!(ios(&again), (each, all), "the record has all that is needed to run it again");
    }
}

#[test]
fn rate_does_not_change_addresses_or_directions() {
    let writes = |line: &str| {
        let record = run(line);
        let row = &record.host().results.time_spans[0].threads[0].targets[0];
        (row.read.ios + row.write.ios, row.write.ios)
    };
    // As many I/Os as the rate starts in a second, evenly and one at a time: the first of the same sequence.
    let (ios, of_them) = writes("--rate-total 999,uniform -o1 -w30 -W0 -d1");
    assert_eq!(writes("-g999i -o1 -w30 -W0 -d1"), (ios, of_them));
}

#[test]
fn reached_rate_has_no_finding() {
    for rate in ["10", "1K", "6K,uniform"] {
        for load in ["-o1 -t4", "-o64 -t4 -w50", "-o2 -w100 -t2"] {
            for seed in [0, 1] {
                let line = format!("--rate-total {rate} {load} -z{seed} -L -W0 -d1");
                let record = run(&line);
                let judged = JudgedRecord::new(&record);
                assert!(
                    find(&judged, "rate-not-reached").is_none(),
                    "{line}: {:?}",
                    judged.judgement.findings
                );
            }
        }
    }
    let record = run("-g500i -o4 -t3 -W0 -d2");
    assert!(find(&JudgedRecord::new(&record), "rate-not-reached").is_none());
}

#[test]
fn unreached_rate_is_reported_for_any_option() {
    for (line, option) in [
        ("--rate-total 100K -o1 -W0 -d1", "--rate-total"),
        ("--rate-total 1M,uniform -o1 -t2 -W1 -d1", "--rate-total"),
        ("-g100000i -o1 -W0 -d1", "(-g)"),
        ("-g400000 -o1 -t2 -W0 -d1 -L", "(-g)"),
    ] {
        let record = run(line);
        let judged = JudgedRecord::new(&record);
        let finding = find(&judged, "rate-not-reached").unwrap_or_else(|| panic!("{line}"));
        assert_eq!(finding.severity, Severity::Warning, "{line}: {finding:?}");
        assert!(finding.message.contains(option), "{line}: {finding:?}");
        assert!(
            finding.evidence.iter().any(|line| line.contains("were due and never started")),
            "{finding:?}"
        );
        let late = find(&judged, "late-starts").unwrap();
        assert!(late.evidence.iter().any(|line| line.contains("the rate was not kept")), "{late:?}");
    }
}

#[test]
fn small_shortfall_is_not_a_missed_rate() {
    let mut record = run("--rate-total 1000,uniform -o8 -W0 -d2 -t2");
    // The I/Os of one thread are taken away: half of the rate. They waited, or nobody knows where they are.
    let row = &mut record.host_mut().results.time_spans[0].threads[0].targets[0];
    row.read = DirectionResults { paced: Some(Box::default()), ..DirectionResults::default() };
    assert!(find(&JudgedRecord::new(&record), "rate-not-kept").is_none(), "nobody waited");
    let overdue = |record: &mut Record, ios, longest| {
        let rows = &mut record.host_mut().results.time_spans[0].threads[1].targets;
        rows[0].not_submitted = Some(Box::new(Overdue { ios, longest }));
    };
    overdue(&mut record, 1000, 999_999);
    assert!(find(&JudgedRecord::new(&record), "rate-not-reached").is_none(), "they had just become due");
    overdue(&mut record, 900, 5_000_000);
    assert!(find(&JudgedRecord::new(&record), "rate-not-reached").is_none(), "more are missing than waited");
    overdue(&mut record, 1000, 5_000_000);
    assert!(find(&JudgedRecord::new(&record), "rate-not-reached").is_some());
}

#[test]
fn response_columns_follow_diskspd_columns() {
    for line in ["--rate-total 15K -o1 -L -w40 -W0 -d1", "-g4000i -L -W0 -d1"] {
        let record = run(line);
        let with = String::from_utf8(text::text(&record)).unwrap();
        let (before, section) = with.split_once("\n\nResponse times of timespan 1:\n").unwrap();
        assert!(before.contains("Total latency distribution:") && before.ends_with('\n'), "{before}");
        let mut rows = section.lines().skip_while(|line| !line.contains("%-ile")).skip(2);
        let mean = rows.next().unwrap();
        assert!(mean.starts_with("   mean |") && rows.clone().count() == 15, "{section}");
        let cell =
            |row: &str, column: usize| row.split('|').nth(column).unwrap().trim().parse::<f64>().unwrap();
        assert!(cell(mean, 3) >= cell(mean, 6), "response times are no shorter than service times: {mean}");
        assert!(rows.all(|row| cell(row, 3) >= cell(row, 6)), "{section}");
    }
    for line in ["--rate-total 1000 -W0 -d1", "-L -W0 -d1"] {
        let with = String::from_utf8(text::text(&run(line))).unwrap();
        assert!(!with.contains("Response times"), "nothing was timed, or nothing was due: {line}");
    }
}

#[test]
fn xml_response_times_need_linux_elements() {
    let record = run("--rate-total 15K -o1 -L -w40 -W0 -d1");
    let xml = format_named("xml").unwrap();
    let plain = String::from_utf8(xml.bytes(&record)).unwrap();
    assert!(!plain.contains("ResponseTimes"));
    let more = String::from_utf8(xml.with_verdicts(VerdictForm::ALL).bytes(&record)).unwrap();
    let at = more.find("<ResponseTimes>").unwrap();
    assert!(more.find("</Thread>").unwrap() < at && at < more.find("<DeviceVerdict>").unwrap());
    for part in
        ["<OfferedIOPS>15000.00</OfferedIOPS>", "<Response>", "<Percentile>99.99</Percentile>", "<Service>"]
    {
        assert!(more.contains(part), "{part}");
    }
}

#[test]
fn total_rate_is_refused_with_other_pacing() {
    for (line, rule) in [
        ("--rate-total 1K -g5", "M4"),
        ("--rate-total 1K -g5i", "M4"),
        ("--rate-total 1K -i5 -j10", "M5"),
        ("--rate-total 1K -x", "M6"),
        ("--rate-total 1K -F2 -O4", "M7"),
    ] {
        let (profile, run_options) = profile_and_options(&format!("{line} a.dat"));
        let rules: Vec<_> =
            validate::run_options(&run_options, &profile).iter().map(|finding| finding.name).collect();
        assert_eq!(rules, [rule], "{line}");
    }
    for line in ["--rate-total 1K -F2", "--rate-total 1000M,uniform -t4 -w50"] {
        let (profile, run_options) = profile_and_options(&format!("{line} a.dat"));
        assert!(validate::run_options(&run_options, &profile).is_empty(), "{line}");
    }
}
