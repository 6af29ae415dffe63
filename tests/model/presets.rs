//! Tests of `--preset`: named workloads are valid profiles that run, print correctly, and are judged.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::requested;
use crate::common::kept::is_kept;
use diskspd::cli;
use diskspd::engines::Direction;
use diskspd::finding::Severity;
use diskspd::prelude::*;
use diskspd::presets::{self, PRESETS};
use diskspd::profile::TargetId;
use diskspd::profile::validate::validate;
use diskspd::profile::{validate, xml};
use diskspd::report::findings::{self, Detail};
use diskspd::report::profile_xml;
use diskspd::results::IoErrors;
use std::ffi::OsString;

#[test]
fn every_preset_is_complete_and_valid_and_runs() {
    for preset in PRESETS {
        assert!(!preset.parts.is_empty() && !preset.reasons.is_empty() && !preset.sources.is_empty());
        let line = format!("--preset {} --engine sim -c11G -W0 -d1 a.dat", preset.name);
        let request = requested(&line);
        let findings = validate(&request.profile, false);
        assert!(findings.is_empty() && request.warnings.is_empty(), "{line}: {findings:?}");
        assert!(validate::run_options(&request.run_options, &request.profile).is_empty(), "{line}");
        let mut short = request.profile;
        // A second of each is enough, and large blocks are slow to make.
        short.time_spans.truncate(2);
        let record = execute(&short, &request.run_options, &Session::default()).unwrap().record;
        let judged = JudgedRecord::new(&record);
        assert!(judged.summary.time_spans.iter().all(Option::is_some), "{line}");
        let graded = judged.judgement.findings.iter().filter(|finding| finding.name == "preset-threshold");
        assert_eq!(graded.count(), preset.thresholds.len(), "{line}");
    }
}

#[test]
fn shown_command_lines_give_the_same_profile() {
    for preset in PRESETS {
        let whole = requested(&format!("--preset {} a.dat", preset.name));
        let mut targets =
            whole.profile.time_spans.iter().flat_map(|span| span.targets.iter().map(move |t| (span, t)));
        for part in preset.parts {
            let shown = presets::show(preset);
            assert!(shown.contains(&format!("diskspd {} TARGET\n", part.options)), "{shown}");
            let alone = requested(&format!("{} a.dat", part.options));
            let (span, target) = targets.next().unwrap();
            let [of_part] = &alone.profile.time_spans[..] else { panic!("one time span") };
            assert_eq!([target], [&of_part.targets[0]], "{}", preset.name);
            let same = TimeSpan { targets: span.targets.clone(), ..of_part.clone() };
            assert_eq!(span, &same, "{}", preset.name);
            let run_options = RunOptions { preset: whole.run_options.preset.clone(), ..alone.run_options };
            assert_eq!(whole.run_options, run_options, "{}", preset.name);
        }
        assert!(targets.next().is_none(), "{}", preset.name);
    }
}

#[test]
fn shown_xml_equals_the_profile() {
    for preset in PRESETS {
        let profile = requested(&format!("--preset {} *1", preset.name)).profile;
        let mut bytes = Vec::new();
        profile_xml::write_profile(&mut bytes, &profile, 0);
        let read = xml::read(&bytes).unwrap();
        let uncached = |profile: &Profile| {
            let mut spans = profile.time_spans.clone();
            // XML has no form for it, and always names the alignment.
            let targets = spans.iter_mut().flat_map(|span| &mut span.targets);
            targets.for_each(|target| target.block_alignment = target.stride());
            spans
                .iter_mut()
                .flat_map(|span| &mut span.targets)
                .for_each(|target| target.uncached_devices = true);
            spans
        };
        assert_eq!(uncached(&read), uncached(&profile), "{}", preset.name);
    }
}

#[test]
fn command_line_options_override_preset_in_all_parts() {
    let request = requested("--preset=fleet-sql -d3 -o5 -c20G a.dat");
    let [span] = &request.profile.time_spans[..] else { panic!("one time span") };
    assert!(span.duration == 3 && span.targets.len() == 2);
    assert!(
        span.targets.iter().all(|target| target.request_count == 5 && target.file_size == Some(20 << 30))
    );
    assert_eq!(request.run_options.preset.as_deref(), Some("fleet-sql"));
    for line in [
        "--preset sql a.dat",
        "--preset",
        "--preset sql-log --preset tempdb a.dat",
        "--preset sql-log -Xp.xml",
    ] {
        let words = ["diskspd"].into_iter().chain(line.split_whitespace());
        assert!(cli::parse(&words.map(Into::into).collect::<Vec<OsString>>()).is_err(), "{line}");
    }
}

/// The grade is printed after each run. It depends on the latency if each I/O waits for the others.
#[test]
fn sql_grade_needs_a_rate_for_data_files() {
    for (line, told, severity) in [
        ("--preset sql-log", "is excellent for sql-log", Severity::Note),
        ("--preset sql-log -o8", "each of 8 outstanding I/Os waits", Severity::Note),
        (
            "--preset sql-oltp",
            "is not graded: at full load each of 32 outstanding I/Os waits",
            Severity::Note,
        ),
        (
            "--preset sql-oltp --rate-total 200",
            "response time of reads at 200 I/Os per second",
            Severity::Note,
        ),
        ("--preset sql-oltp -g50i", "is excellent for sql-oltp", Severity::Note),
        ("--preset sql-oltp --rate-total 40", "reads are too few for it, 100 are needed", Severity::Note),
        // More than the drive does: what waits counts.
        ("--preset sql-oltp --rate-total 10000000", "is bad for sql-oltp", Severity::Warning),
    ] {
        let request = requested(&format!("{line} --engine sim -c1G -W0 -d1 a.dat"));
        let record = execute(&request.profile, &request.run_options, &Session::default()).unwrap().record;
        let judged = JudgedRecord::new(&record);
        let grade =
            judged.judgement.findings.iter().find(|finding| finding.name == "preset-threshold").unwrap();
        assert!(grade.message.contains(told) && grade.severity == severity, "{line}: {grade:?}");
        let text = findings::text(&judged.judgement, Detail::Brief);
        assert!(text.contains(&grade.message), "{line}: {text}");
        assert!(!text.contains("more: preset-threshold"), "{text}");
    }
}

#[test]
fn wrong_figures_are_not_graded() {
    let request = requested("--preset sql-log --engine sim -c1G -W0 -d1 a.dat");
    let mut record = execute(&request.profile, &request.run_options, &Session::default()).unwrap().record;
    let error = IoErrors {
        target: TargetId(0),
        direction: Direction::Read,
        errno: 5,
        count: 1,
        first_offset: 0,
        at_us: Vec::new(),
    };
    record.hosts[0].results.time_spans[0].errors.push(error);
    let findings = JudgedRecord::new(&record).judgement.findings;
    let grade = findings.iter().find(|finding| finding.name == "preset-threshold").unwrap();
    assert!(grade.message.ends_with("is not graded: the figures are WRONG"), "{grade:?}");
    assert_eq!(grade.severity, Severity::Note);
}

#[test]
fn preset_figures_use_literature_names() {
    let log = &presets::find("sql-log").unwrap().thresholds[0];
    for (ms, word, beyond) in
        [(0.5, "excellent", false), (5.0, "good", false), (9.9, "fair", false), (10.1, "poor", true)]
    {
        assert_eq!(log.judge(ms), (word, beyond), "{ms}");
    }
}

#[test]
fn preset_page_matches_the_table() {
    is_kept("docs/reference/presets.md", &presets::markdown());
}
