//! What a run says about its own figures.

#![allow(clippy::unwrap_used)]

mod common;

use common::{command_of, diskspd};
use diskspd::report::findings::{self, Detail};
use diskspd::truth::{Finding, Judgement, Severity};
use std::path::Path;

#[test]
fn a_limit_that_every_thread_has_for_itself_is_stated_as_their_sum() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    let ended = diskspd("-v -c1M -g100i -t3 -W0 -d1 --engine null {}", &file);
    assert!(ended.stderr.contains("NOTE: -g limits each of the 3 threads"), "{}", ended.stderr);
    assert!(ended.stderr.contains("300 IOPS in all"), "{}", ended.stderr);
    let alone = diskspd("-v -c1M -g100i -t1 -W0 -d1 --engine null {}", &file);
    assert!(!alone.stderr.contains("-g limits each"), "{}", alone.stderr);
}

/// A finding of a time span.
fn finding(name: &'static str, severity: Severity, time_span: usize) -> Finding {
    let finding = Finding::of_machine(name, severity, format!("this is {name}"));
    Finding { time_span: Some(time_span), ..finding }.shown_by("figures".into()).remedy("help")
}

#[test]
fn the_block_after_a_run_is_short_and_has_the_worst_first() {
    use Severity::{Note, Warning, Wrong};
    let quiet = |finding: Finding| finding.quietly();
    let judgement = |findings: Vec<Finding>, spans: usize| Judgement {
        findings,
        limits: vec![None; spans],
        ..Judgement::default()
    };
    let brief = |findings, spans| findings::text(&judgement(findings, spans), Detail::Brief);
    let full = |findings, spans| findings::text(&judgement(findings, spans), Detail::Full);
    let all = || {
        vec![
            finding("bad", Wrong, 1),
            finding("doubtful", Warning, 1),
            quiet(finding("for-programs", Warning, 1)),
            finding("limited-by-storage", Note, 1),
            finding("steady", Note, 1),
            finding("waking-up", Note, 1),
            quiet(finding("single-run", Note, 1)),
        ]
    };
    let expected = "\
WRONG: this is bad
       figures
       -> help
WARNING: this is doubtful
         figures
         -> help
NOTE: this is limited-by-storage
NOTE: -v shows more: steady, waking-up
";
    assert_eq!(brief(all(), 1), expected);
    assert_eq!(full(all(), 1).matches("-> help").count(), 7, "everything, with figures and remedies");
    assert_eq!(brief(vec![], 1), "");
    let two = || {
        vec![
            finding("doubtful", Warning, 2),
            finding("limited-by-storage", Note, 1),
            finding("limited-by-storage", Note, 2),
        ]
    };
    let short = brief(two(), 2);
    assert!(short.starts_with("WARNING: time span 2: this is doubtful\n"), "{short}");
    assert!(
        short.ends_with("NOTE: -v shows more: limited-by-storage\n"),
        "a line for all time spans: {short}"
    );
    assert!(full(two(), 2).contains("NOTE: time span 1: this is limited-by-storage\n"));
}

#[test]
fn an_ordinary_run_says_little_and_all_of_it_if_asked() {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("r.json");
    let line = format!("-c1G -D -r -o4 -W0 -d20 --engine sim --out {} x", record.display());
    let ended = diskspd(&line, Path::new(""));
    let block: Vec<&str> = ended.stderr.lines().collect();
    assert!(block.len() == 2 && block[0].starts_with("UNKNOWN: "), "{}", ended.stderr);
    assert_eq!(block[1], "NOTE: -v shows more: steady");
    let report = |more: &[&str]| {
        let arguments = [&["report", record.to_str().unwrap()], more].concat();
        let output = command_of(&arguments).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(report(&[]), ended.stderr, "a saved record says the same");
    let all = report(&["-v"]);
    assert!(all.contains("NOTE: steady for 20 s") && all.contains("NOTE: one run does not show"), "{all}");
}
