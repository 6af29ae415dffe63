//! Tests of the end of a run on a terminal: six lines after the report, and only there.

#![allow(clippy::unwrap_used)]

use crate::common::kept::is_kept;
use crate::common::{Ended, command_of, directory, on_columns, output};
use diskspd::checks::{Finding, JudgedRecord, Judgement, Severity, Verdict};
use diskspd::formats::json;
use diskspd::page::run_summary_text::{self, NextCommand, SummaryTone};
use diskspd::results::{Observations, Record, Sample};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const RUN: &str = "--engine sim -c64M -b4K -r -w25 -t2 -o8 -L -W0 -d1";

fn simulated(options: &str, folder: &Path) -> Record {
    let line = format!("{options} --out run.json test.dat");
    let mut command = command_of(&line.split(' ').collect::<Vec<_>>());
    let ended: Ended = output(command.current_dir(folder)).unwrap().into();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let mut record = json::read(&fs::read(folder.join("run.json")).unwrap()).unwrap();
    record.host_mut().system.environment = None;
    record
}

/// Returns the block without colors.
fn seen(record: &Record, next: Option<&NextCommand>, columns: usize) -> String {
    let lines = run_summary_text::of_run(&JudgedRecord::new(record), next, columns, true);
    let line = |line: Vec<run_summary_text::SummaryPiece>| {
        line.into_iter().map(|piece| piece.text).collect::<String>()
    };
    lines.into_iter().map(|pieces| line(pieces) + "\n").collect()
}

#[test]
fn final_block_fits_any_width() {
    let folder = directory();
    let words =
        ["diskspd", "--repeat", "5", "-c64M", "-b4K", "-r", "-w25", "-t2", "-o8", "-L", "'a file.dat'"];
    let next = NextCommand { why: "to see run-to-run variation", words: words.map(str::to_owned).to_vec() };
    let runs = [
        RUN,
        "--engine sim -c64M -b64K -w100 -W0 -d1",
        "--engine sim -c64M -b4K -r -g500i -L -W0 -d1",
        "--engine sim -c64M --preset four-corners -W0 -d1",
        "--engine sim -c64M --preset sql-oltp --rate-total 2000 -W0 -d1",
    ];
    let mut all = String::new();
    for options in runs {
        let record = simulated(options, folder.path());
        for columns in [60, 80, 120] {
            let block = seen(&record, Some(&next), columns);
            let wide = block.lines().find(|line| line.chars().count() > columns);
            assert_eq!(wide, None, "{columns}: {block}");
            let _ = writeln!(all, "{options}, {columns} columns:\n\n{block}");
        }
    }
    is_kept("tests/data/first-hour/end-block.txt", &all);
}

#[test]
fn wrapped_command_line_equals_the_original_in_a_shell() {
    let folder = directory();
    let record = simulated(RUN, folder.path());
    let words = ["printf", "'%s|'", "-c64M", "'two  blanks'", "-b4K", "'it'\\''s'", "--rate-total", "2000"];
    let next = NextCommand { why: "to see", words: words.map(str::to_owned).to_vec() };
    for columns in [30, 45, 60, 120] {
        let block = seen(&record, Some(&next), columns);
        let typed = block.split_once("to see:").unwrap().1;
        let printed = std::process::Command::new("sh").args(["-c", typed.trim()]).output().unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert_eq!(printed, "-c64M|two  blanks|-b4K|it's|--rate-total|2000|", "{columns}: {block}");
    }
}

#[test]
fn limitations_of_figures_are_marked_in_verdict() {
    let folder = directory();
    let of = |options: &str, tone: SummaryTone| -> Vec<String> {
        let record = simulated(options, folder.path());
        let pieces =
            run_summary_text::of_run(&JudgedRecord::new(&record), None, 80, true).into_iter().flatten();
        pieces.filter(|piece| piece.tone == tone).map(|piece| piece.text.trim().to_owned()).collect()
    };
    // More than the drive can do.
    let hurried = RUN.replace("-L", "-L --rate-total 9000000");
    assert_eq!(of(&hurried, SummaryTone::Doubtful).first().map(String::as_str), Some("WARNING"));
    assert!(of(RUN, SummaryTone::Doubtful).is_empty() && of(RUN, SummaryTone::Wrong).is_empty());
    assert_eq!(of(RUN, SummaryTone::Label)[..4], ["workload", "figures", "course", "verdict"]);
}

#[test]
fn final_block_separates_verdict_and_severity() {
    let folder = directory();
    let record = simulated(RUN, folder.path());
    let warning = |name, message: &str| Finding { name, ..Finding::warning(message) };
    let limit = warning("limited-by-cpu-quota", "limited by a CPU quota");
    for (device, findings, expected) in [
        ((Verdict::Verified, None), vec![], "verdict   VERIFIED: as counted\nseverity  none: "),
        (
            (Verdict::Verified, None),
            vec![warning("rising", "still rising"), warning("x", "another")],
            "verdict   VERIFIED: as counted\nseverity  WARNING: rising, x\n",
        ),
        (
            (Verdict::Cached, Some(Severity::Wrong)),
            vec![warning("rising", "still rising")],
            "verdict   CACHED: as above\nseverity  WRONG: cached, rising\n",
        ),
        // An unobservable device does not limit the figures.
        (
            (Verdict::Unknown, None),
            vec![limit],
            "verdict   UNKNOWN: as counted\nseverity  WARNING: limited-by-cpu-quota\nlimit     WARNING: ",
        ),
    ] {
        let mut judged = JudgedRecord::new(&record);
        let part = &mut judged.judgement.verdicts[0].parts[0];
        (part.verdict, part.severity) = device;
        part.message = "as counted".to_owned();
        judged.judgement.findings = findings;
        let lines = run_summary_text::of_run(&judged, None, 100, true);
        let block: String = lines
            .iter()
            .map(|line| line.iter().map(|p| p.text.as_str()).collect::<String>() + "\n")
            .collect();
        assert!(block.contains(expected), "{expected}: {block}");
    }
    let mut judged = JudgedRecord::new(&record);
    judged.judgement = Judgement::default();
    let lines = run_summary_text::of_run(&judged, None, 200, true);
    let verdict: String = lines[3].iter().map(|piece| piece.text.as_str()).collect();
    assert!(verdict.starts_with("verdict   NOT CHECKED: "), "{verdict}");
}

fn ending(lines: &[String]) -> String {
    let begin = lines.iter().rposition(|line| line.trim().is_empty()).unwrap_or(0);
    lines[begin..].join("\n")
}

#[test]
fn final_block_is_printed_on_terminals_only() {
    let folder = directory();
    let at = folder.path().display();
    let begin = format!("cd {at}; export PATH=$(dirname $PROGRAM):$PATH;");
    let run = format!("diskspd {RUN} test.dat");
    let Some(shown) = on_columns(80, &format!("{begin} NO_COLOR=1 {run}")) else { return };
    let block = ending(&shown);
    for label in ["workload  Random I/Os of 4 KiB", "\nfigures   ", "\nverdict   ", "\nnext      to "] {
        assert!(block.contains(label), "{label}: {block}");
    }
    assert!(!block.contains('\u{1b}'), "{block}");
    assert!(block.lines().all(|line| line.chars().count() <= 80), "{block}");
    // What is to be typed next is a command line of the same program.
    let typed = block.split_once("next ").unwrap().1.split_once(": ").unwrap().1.replace("\\\n", " ");
    assert!(typed.starts_with("diskspd "), "{typed}");
    let words: Vec<std::ffi::OsString> = typed.split_whitespace().map(Into::into).collect();
    assert!(diskspd::cli::parse(&words).is_ok(), "{typed}");
    // Colours are those of the terminal.
    let coloured = on_columns(80, &format!("{begin} {run}")).unwrap();
    assert!(ending(&coloured).contains("\u{1b}[2mworkload  \u{1b}[0m"), "{coloured:#?}");
    for elsewhere in [
        format!("{run} | cat"),
        format!("{run} 2>errors.txt"),
        format!("{run} >report.txt"),
        format!("{run} --quiet").replace("test.dat --quiet", "--quiet test.dat"),
        run.replace("-L", "-L -Rxml"),
        run.replace("-L", "-L --out json:-"),
        format!("TERM=dumb {run}"),
    ] {
        let shown = on_columns(80, &format!("{begin} {elsewhere}")).unwrap().join("\n");
        assert!(!shown.contains("workload  "), "{elsewhere}: {shown}");
    }
    // The report is the same in a file and above the block.
    let report = fs::read_to_string(folder.path().join("report.txt")).unwrap();
    assert!(!report.contains("workload  ") && report.contains("Command Line: diskspd "), "{report}");
}

#[test]
fn repetition_ends_with_its_mean() {
    let folder = directory();
    let begin = format!("cd {}; export NO_COLOR=1 PATH=$(dirname $PROGRAM):$PATH;", folder.path().display());
    for columns in [60, 80, 120] {
        let line = format!("{begin} diskspd {RUN} --repeat 3 test.dat");
        let Some(shown) = on_columns(columns, &line) else { return };
        let block = ending(&shown);
        assert_eq!(shown.iter().filter(|line| line.starts_with("workload  ")).count(), 1, "{shown:#?}");
        assert!(block.contains("\nfigures   mean of 3 runs: ") && block.contains("+-"), "{block}");
        assert!(block.contains("\nverdict   ") && block.contains("in all 3 runs"), "{block}");
        assert!(block.contains("--save=before"), "{block}");
        assert!(block.lines().all(|line| line.chars().count() <= columns as usize), "{block}");
    }
}

#[test]
fn several_time_spans_end_in_a_table() {
    let folder = directory();
    let begin = format!("cd {}; export NO_COLOR=1 PATH=$(dirname $PROGRAM):$PATH;", folder.path().display());
    let profile = folder.path().join("two.xml");
    let of_span = |size: u32| {
        format!(
            "<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><MeasureLatency>true</MeasureLatency><Targets>\
             <Target><Path>test.dat</Path><BlockSize>{size}</BlockSize><FileSize>67108864</FileSize></Target>\
             </Targets></TimeSpan>"
        )
    };
    let both = of_span(4096) + &of_span(65536);
    fs::write(&profile, format!("<Profile><TimeSpans>{both}</TimeSpans></Profile>")).unwrap();
    for (columns, names) in [(80, "\n   1  Sequential reads of 4 KiB"), (120, "  Sequential reads of 4 KiB")]
    {
        let line = format!("{begin} diskspd --engine sim -Xtwo.xml");
        let Some(shown) = on_columns(columns, &line) else { return };
        let block = ending(&shown);
        assert!(block.contains("\nspan ") && block.contains(names), "{columns}: {block}");
        assert!(block.contains("Sequential reads of 64 KiB"), "{columns}: {block}");
        assert!(block.lines().all(|line| line.chars().count() <= columns as usize), "{block}");
    }
}

#[test]
fn final_block_shows_time_series_and_peaks() {
    let folder = directory();
    let run =
        |options: &str| simulated(&format!("--engine sim -c64M -b4K -r -o8 -W0 {options}"), folder.path());
    let lines = |record: &Record, columns: usize, blocks: bool| -> Vec<String> {
        let lines = run_summary_text::of_run(&JudgedRecord::new(record), None, columns, blocks);
        lines.into_iter().map(|line| line.into_iter().map(|piece| piece.text).collect()).collect()
    };
    let course = |lines: &[String]| -> Vec<String> {
        let begin = lines.iter().position(|line| line.starts_with("course    IOPS "));
        let of_course = |line: &&String| line.starts_with("course") || line.starts_with("          ");
        begin.map(|at| lines[at..].iter().take_while(of_course).cloned().collect()).unwrap_or_default()
    };
    let timed = run("-L -D -d30");
    for columns in [30, 40, 60, 80, 120, 300] {
        for blocks in [false, true] {
            let shown = course(&lines(&timed, columns, blocks));
            let rows = if columns < 70 { 3 } else { 2 };
            assert!(columns < 40 || shown.len() == rows, "{columns}: {shown:?}");
            assert!(shown[0].contains("highest ") && shown.join(" ").contains("longest"), "{shown:?}");
            assert!(shown.iter().all(|line| line.chars().count() <= columns), "{columns}: {shown:?}");
            assert!(blocks || shown.iter().all(|line| line.is_ascii()), "{shown:?}");
        }
    }
    let shown = course(&lines(&timed, 300, true));
    let bars = shown[0].chars().filter(|character| ('\u{2581}'..='\u{2588}').contains(character));
    assert_eq!(bars.count(), 30, "a character for each interval: {shown:?}");
    let untimed = course(&lines(&run("-D -d10"), 80, true));
    assert_eq!(untimed.len(), 1, "no latency was measured: {untimed:?}");
    assert!(!untimed[0].contains("longest"), "{untimed:?}");
    let short = lines(&run("-L -D -d2"), 80, true);
    assert_eq!(course(&short), [""; 0], "two intervals show no course");
    assert!(short.iter().any(|line| line.starts_with("course    longest I/O ")), "{short:?}");
    assert_eq!(course(&lines(&run("-L -D -d3"), 80, true)).len(), 2);
    let mut watched = run("-L -d4");
    let samples =
        (1..=4).map(|second| Sample { end_us: second * 1_000_000, ios: second, bytes: 0 }).collect();
    let p99_ns = vec![2_000_000, 0, 8_000_000, 4_000_000];
    let observed = Observations { samples, p99_ns, ..Observations::default() };
    watched.hosts[0].results.time_spans[0].observed = Some(observed);
    let shown = course(&lines(&watched, 80, true));
    assert!(shown[1].contains("p99  ▂ █▄ highest 8.000 ms"), "{shown:?}");
}

/// A path can neither control the terminal nor imitate a line of the block.
#[test]
fn hostile_path_stays_in_its_line() {
    let folder = directory();
    let mut record = simulated(RUN, folder.path());
    for target in &mut record.profile.time_spans[0].targets {
        target.path = "a\u{1b}[31m\nverdict   VERIFIED: b".into();
    }
    let block = seen(&record, None, 120);
    assert_eq!(block.lines().filter(|line| line.starts_with("verdict")).count(), 1, "{block}");
    assert!(!block.contains('\u{1b}'), "{block}");
}
