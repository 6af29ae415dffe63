//! Tests of one slow target or thread among others, in simulated runs.

use crate::common::in_process;
use diskspd::checks::JudgedRecord;
use diskspd::finding::{Finding, Severity};
use diskspd::results::{Overdue, Record};

fn record(line: &str) -> Record {
    in_process::run(&format!("--engine sim -c64M -b4K -r -W0 -d2 {line}"))
}

/// Returns the findings about slow targets, slow threads, and missed rates.
fn findings(record: &Record) -> Vec<Finding> {
    let names = ["slow-target", "slow-thread", "rate-not-reached"];
    let judgement = JudgedRecord::new(record).judgement;
    judgement.findings.into_iter().filter(|finding| names.contains(&finding.name)).collect()
}

/// Keeps only a share of the I/Os of threads on a target.
fn slow_down(record: &mut Record, threads: &[usize], target: usize, share: f64) {
    for thread in threads {
        let row = &mut record.hosts[0].results.time_spans[0].threads[*thread].targets[target];
        let less = |number: u64| (number as f64 * share) as u64;
        for way in [&mut row.read, &mut row.write] {
            (way.ios, way.bytes) = (less(way.ios), less(way.bytes));
        }
    }
}

#[test]
fn slow_target_among_equal_ones_is_named() {
    let four = "w x y z";
    for (line, threads, target, share, expected) in [
        ("-o4 -F1 w x y z", &[0][..], 2, 0.0001, Some("slow-target")),
        ("-o4 -F1 w x y z", &[0], 2, 0.0, Some("slow-target")),
        ("-o4 -F1 w x", &[0], 1, 0.05, Some("slow-target")),
        ("-o4 -F1 w x y z", &[0], 2, 0.3, None),
        ("-o4 -F1 w x y z", &[0], 2, 1.0, None),
        // A thread for each target: the target is what is slow.
        ("-o4 -t1 w x y z", &[2], 0, 0.01, Some("slow-target")),
        ("-o4 -t8 w", &[5], 0, 0.01, Some("slow-thread")),
        ("-o4 -t3 w", &[0], 0, 0.0, Some("slow-thread")),
        ("-o4 -t8 w", &[5], 0, 0.5, None),
        // Two threads don't tell which of them is usual.
        ("-o4 -t2 w", &[1], 0, 0.01, None),
        // A limited rate is done by those that keep to it.
        ("-o4 -F1 -g10i w x y z", &[0], 2, 1.0, None),
    ] {
        let mut record = record(line);
        slow_down(&mut record, threads, target, share);
        let found = findings(&record);
        let names: Vec<&str> = found.iter().map(|finding| finding.name).collect();
        assert_eq!(names.first().copied(), expected, "{line} {share}: {found:?}");
        assert!(found.iter().all(|finding| finding.severity == Severity::Warning), "{found:?}");
        if expected == Some("slow-target") && line.ends_with(four) {
            assert!(found[0].message.contains("'y'"), "{found:?}");
        }
        if expected == Some("slow-thread") {
            assert!(found[0].message.contains(&format!("thread {}", threads[0])), "{found:?}");
        }
    }
}

#[test]
fn targets_with_other_work_are_not_compared() {
    let mut record = record("-o4 -F1 w x y");
    record.profile.time_spans[0].targets[1].block_size = 65_536;
    slow_down(&mut record, &[0], 1, 0.01);
    assert_eq!(findings(&record), []);
    record.hosts[0].results.time_spans[0].threads[0].targets[2].read.ios = 0;
    assert_eq!(findings(&record).len(), 1, "the two that are alike are");
}

#[test]
fn targets_that_miss_their_rate_are_named() {
    for (share, waiting, named) in [
        // All of it was done; half of one target's I/Os were not, and waited; they did not wait.
        (1.0, 0, false),
        (0.5, 1000, true),
        (0.0, 2000, true),
        (0.5, 0, false),
        // As good as reached.
        (0.97, 60, false),
    ] {
        let mut record = record("-o1 -F1 -g1000i w x y z");
        slow_down(&mut record, &[0], 2, share);
        let row = &mut record.hosts[0].results.time_spans[0].threads[0].targets[2];
        row.not_submitted = Some(Box::new(Overdue { ios: waiting, longest: 5_000_000 }));
        let found = findings(&record);
        let text = format!("{found:?}");
        assert_eq!(text.contains("'y'"), named, "{share}: {text}");
        assert!(
            !text.contains("'x'") && found.iter().all(|finding| finding.name == "rate-not-reached"),
            "{text}"
        );
    }
    // Where all miss it, the finding is about all.
    let found = findings(&record("-o1 -F1 -g900000i w x"));
    assert_eq!(found.iter().map(|finding| finding.name).collect::<Vec<_>>(), ["rate-not-reached"]);
}
