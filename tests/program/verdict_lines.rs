//! Tests of a run's statements about its own figures.

#![allow(clippy::unwrap_used)]

use crate::common::{command_of, diskspd, recorded};
use diskspd::checks::{Finding, JudgedRecord, Judgement, Severity, judge};
use diskspd::formats::json;
use diskspd::machine::environment::Environment;
use diskspd::report::findings::{self, Detail};
use diskspd::report_formats::VerdictForm;
use diskspd::report_formats::format_named;
use diskspd::results::summarize;
use std::path::Path;

#[test]
fn per_thread_limit_is_stated_as_sum() {
    for (threads, is_stated) in [(3, true), (1, false)] {
        let record = recorded(&format!("-c1M -g100i -t{threads} -W0 -d1 --engine null x"));
        let judgement = JudgedRecord::new(&record).judgement;
        let names: Vec<_> = judgement.findings.iter().map(|finding| finding.name).collect();
        assert_eq!(names.contains(&"throughput-limit-per-thread"), is_stated, "{threads}: {names:?}");
    }
}

/// Returns a finding of a time span.
fn finding(name: &'static str, severity: Severity, time_span: usize) -> Finding {
    let finding = Finding::of_machine(name, severity, format!("this is {name}"));
    finding.in_time_span(Some(time_span)).shown_by("figures".into()).remedy("help")
}

#[test]
fn final_block_is_short_and_sorted_by_severity() {
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
            finding("idle-exit-latency", Note, 1),
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
NOTE: this is limited-by-storage (-v shows 2 more: steady, idle-exit-latency)
";
    assert_eq!(brief(all(), 1), expected);
    assert_eq!(full(all(), 1).matches("-> help").count(), 7, "everything, with figures and remedies");
    assert_eq!(brief(vec![], 1), "");
    let quiet_run = findings::text(&judgement(all(), 1), Detail::Wrong);
    assert_eq!(quiet_run, "WRONG: this is bad\n", "--quiet: what is wrong, in a line each");
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
        short.ends_with("NOTE: -v shows 2 more: limited-by-storage\n"),
        "a line for all time spans: {short}"
    );
    assert!(full(two(), 2).contains("NOTE: time span 1: this is limited-by-storage\n"));
}

/// A run prints five findings: all wrong ones, then the worst others.
#[test]
fn five_findings_are_printed_and_the_others_counted() {
    use Severity::{Note, Warning, Wrong};
    for (wrong, warnings, answers, printed, hidden) in [
        (0, 4, 0, 4, 0),
        (0, 5, 0, 5, 0),
        (0, 6, 0, 5, 1),
        (0, 40, 0, 5, 35),
        (2, 6, 0, 5, 3),
        (7, 3, 0, 7, 3),
        // What was run to find out is always printed.
        (0, 5, 2, 7, 0),
    ] {
        let all = [(wrong, Wrong), (warnings, Warning), (answers, Warning)];
        let mut findings: Vec<Finding> = all
            .iter()
            .flat_map(|(count, severity)| (0..*count).map(|_| finding("found", *severity, 1)))
            .collect();
        findings.iter_mut().rev().take(answers).for_each(|finding| *finding = finding.clone().as_answer());
        findings.push(finding("steady", Note, 1));
        let judgement = Judgement { findings, limits: vec![None], ..Judgement::default() };
        for detail in [Detail::Brief, Detail::Doubts] {
            let text = findings::text(&judgement, detail);
            assert_eq!(text.matches("-> help").count(), printed, "{wrong} {warnings} {answers}: {text}");
        }
        let counted = findings::notes_of(&judgement).1.in_words();
        assert!(counted.starts_with(&format!("-v shows {} more: ", hidden + 1)), "{counted}");
        let full = findings::text(&judgement, Detail::Full);
        assert_eq!(full.matches("-> help").count(), wrong + warnings + answers + 1, "{full}");
    }
}

/// With -v, findings shared by several targets are printed once.
#[test]
fn findings_of_several_targets_are_printed_once() {
    use Severity::{Note, Warning, Wrong};
    let on = |target: &str, severity| finding("found", severity, 1).on_target(&target.into());
    for (findings, blocks) in [
        (vec![on("a", Warning), on("b", Warning), on("c", Warning)], 1),
        (vec![on("a", Warning), on("b", Note)], 2),
        (vec![on("a", Wrong), on("b", Wrong)], 2),
        (vec![finding("found", Warning, 1), finding("found", Warning, 1)], 2),
        (vec![on("a", Warning), on("b", Warning).in_time_span(Some(2))], 2),
    ] {
        let judgement = Judgement { findings, limits: vec![None], ..Judgement::default() };
        let text = findings::text(&judgement, Detail::Full);
        assert_eq!(text.matches("-> help").count(), blocks, "{text}");
    }
}

#[test]
fn ordinary_run_is_brief_and_complete_with_v() {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("r.json");
    let line = format!("-c1G -D -r -o4 -W0 -d20 --engine sim --out {} x", record.display());
    let ended = diskspd(&line, Path::new(""));
    let block: Vec<&str> = ended.stderr.lines().collect();
    assert!(block.len() == 2 && block[0].starts_with("UNKNOWN: "), "{}", ended.stderr);
    assert_eq!(block[1], "NOTE: -v shows 1 more: steady");
    let report = |more: &[&str]| {
        let arguments = [&["report", record.to_str().unwrap()], more].concat();
        let output = command_of(&arguments).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(report(&[]), ended.stderr, "a saved record says the same");
    let all = report(&["-v"]);
    assert!(all.matches("\nNOTE: ").count() > ended.stderr.matches("\nNOTE: ").count(), "{all}");
}

#[test]
fn good_verdict_is_below_wrong_findings() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("r.json");
    let ended = diskspd(&format!("-c1G -r -W0 -d1 --engine sim --out {} x", file.display()), Path::new(""));
    assert!(ended.stderr.starts_with("UNKNOWN: "), "{}", ended.stderr);
    let record = json::read(&std::fs::read(file).unwrap()).unwrap();
    let mut judgement = judge(&record, &summarize(&record));
    judgement.findings.push(finding("bad", Severity::Wrong, 1));
    for detail in [Detail::Brief, Detail::Full] {
        let text = findings::text(&judgement, detail);
        let (wrong, verdict) = (text.find("WRONG: this is bad").unwrap(), text.find("UNKNOWN: ").unwrap());
        assert!(wrong < verdict, "{text}");
    }
    assert_eq!(findings::text(&judgement, Detail::Wrong), "WRONG: this is bad\n");
}

#[test]
fn quiet_good_run_prints_no_message() {
    let quiet = diskspd("--quiet -c1G -o4x -r -W0 -d1 --engine sim x", Path::new(""));
    assert!(quiet.code == 0 && quiet.stderr.is_empty() && !quiet.stdout.is_empty(), "{}", quiet.stderr);
    let told = diskspd("-c1G -o4x -r -W0 -d1 --engine sim x", Path::new(""));
    assert!(told.stderr.starts_with("WARNING: -o4x is read as -o4"), "{}", told.stderr);
}

#[test]
fn empty_csv_is_announced_before_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("r.csv");
    let line = |more: &str| format!("{more}-c1G -r -W0 -d1 --engine sim --out {} x", file.display());
    let without = diskspd(&line(""), Path::new(""));
    assert!(without.stderr.contains("CSV"), "{}", without.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 1);
    let with = diskspd(&line("-D "), Path::new(""));
    assert!(!with.stderr.contains("CSV"), "{}", with.stderr);
    assert!(std::fs::read_to_string(&file).unwrap().lines().count() > 1);
}

#[test]
fn misspelled_command_is_not_a_target() {
    let ended = diskspd("repot run.json", Path::new(""));
    ended.fails(3, &["'repot' is neither a command nor a file", "did you mean diskspd report"]);
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("repot"), vec![1; 1 << 20]).unwrap();
    let mut command = command_of(&["repot", "--engine", "null"]);
    let there = command.current_dir(directory.path()).output().unwrap();
    let said = String::from_utf8(there.stderr).unwrap();
    assert!(!there.status.success() && said.contains("'repot'"), "it is a file: {said}");
}

/// Returns the lines of an XML document without these elements.
fn without(xml: &str, elements: &[&str]) -> String {
    let mut inside = None;
    let mut lines = Vec::new();
    for line in xml.split('\n') {
        let tag = line.trim_start();
        let opened = elements.iter().find(|name| tag == format!("<{name}>"));
        inside = inside.or(opened);
        match inside {
            Some(name) if tag == format!("</{name}>") => inside = None,
            Some(_) => {}
            None => lines.push(line),
        }
    }
    lines.join("\n")
}

#[test]
fn xml_findings_follow_their_subject_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("r.json");
    let line = format!("-c1G -D -r -t2 -g100i -W0 -d20 --engine sim --out {} a&b", file.display());
    assert_eq!(diskspd(&line, Path::new("")).code, 0);
    let mut record = json::read(&std::fs::read(file).unwrap()).unwrap();
    let environment = Environment { clock_source: Some("hpet".into()), ..Environment::default() };
    record.hosts[0].system.environment = Some(environment);
    let xml = |asked| {
        let format = format_named("xml").unwrap().with_verdicts(VerdictForm { xml: asked, text: false });
        String::from_utf8(format.bytes(&record)).unwrap()
    };
    let (plain, with) = (xml(false), xml(true));
    assert_eq!(
        without(&with, &["ResponseTimes", "Parts", "DeviceVerdict", "Findings"]),
        plain,
        "what readers know is where it was"
    );
    assert!(!plain.contains("Finding"), "{plain}");
    let (_, system) = with.split_once("    </ProcessorTopology>\n").unwrap();
    let (machine, rest) = system.split_once("  </System>\n").unwrap();
    assert!(
        machine.starts_with("    <Findings>\n      <Finding>\n        <Name>clock-source</Name>\n"),
        "{machine}"
    );
    assert!(machine.contains("<Evidence>current_clocksource is hpet</Evidence>"), "{machine}");
    assert!(machine.ends_with("    </Findings>\n") && !rest.contains("clock-source"), "{machine}");
    let (_, last) = rest.split_once("    </DeviceVerdict>\n    <Findings>\n").unwrap();
    assert!(last.ends_with("    </Findings>\n  </TimeSpan>\n</Results>"), "{last}");
    for part in [
        "<Name>throughput-limit-per-thread</Name>\n        <Severity>note</Severity>\n        <Target>a&amp;b</Target>",
        "<Message>one run does not show how much the figures vary</Message>",
        "<Remedy>repeat it: --repeat 3 or more",
    ] {
        assert!(last.contains(part), "{part} is not in {last}");
    }
}
