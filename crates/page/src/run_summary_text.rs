//! The result of a run in a few lines, for readers without time for the report: the last lines on a terminal.
//!
//! ```text
//! workload  Random reads of 4 KiB, 64 outstanding, 2 threads
//! figures   126,948 IOPS, 495.9 MiB/s, mean 0.504 ms, p99 0.910 ms
//! course    IOPS ▇▇█▃▇ highest 131,000
//!           p99  ▂▂▁█▂ highest 2.100 ms, longest I/O 118.900 ms
//! verdict   VERIFIED: the device read what was counted (1.00 x, 634,740 reads of 4 KiB)
//! limit     the storage at this depth, with 64 I/Os outstanding
//! next      to see how far runs differ: diskspd --repeat 5 -b4K -r -o32 -t2 -Su -L test.dat
//! ```

use crate::Run;
use crate::series::Timeline;
use crate::span::RecordedSpan;
use crate::verdict::span_verdict;
use diskspd_checks::{DeviceVerdict, Finding, JudgedRecord, Judgement, Limiter, Severity, Verdict};
use diskspd_experiments::repetition::{NOTHING_FOUND, RepeatedFigure, Repetition};
use diskspd_figures::units::mark::Tone;
use diskspd_figures::units::visible;
use diskspd_figures::units::wrapped::{width, wrapped};
use diskspd_figures::units::{Millis, count_of};
use diskspd_formats::known;
use diskspd_report::findings::notes_of;
use diskspd_report::number::{number, time_or};
use diskspd_report::{spark, workload_text};
use diskspd_results::{RunVerdict, SpanSummary};

const LABELS: usize = 10;
const MIN_WIDE_COLUMNS: usize = 100;

/// Stands for a blank at which no line ends. Texts of others are harmless before it is put there.
const WITHIN: char = '\u{1}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryTone {
    Plain,
    Label,
    Good,
    Note,
    Doubtful,
    Wrong,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryPiece {
    pub tone: SummaryTone,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextCommand {
    pub why: &'static str,
    /// Words quoted for a shell.
    pub words: Vec<String>,
}

/// Returns the lines of a run in at most `columns`; `blocks` = with block characters, otherwise ASCII.
pub fn of_run(
    judged: &JudgedRecord,
    next: Option<&NextCommand>,
    columns: usize,
    blocks: bool,
) -> Vec<Vec<SummaryPiece>> {
    let run = Run { known: known::run(judged, ""), judged: Some(judged) };
    let judgement = &judged.judgement;
    let mut lines = match run.known.time_spans.as_slice() {
        [span] => {
            let work = workload_text(&run, 0);
            let course = course_pieces(judged, span.as_ref(), columns, blocks);
            let device = device(judgement, columns);
            [row_pieces("workload", None, &work, columns), figures(span.as_ref(), columns), device, course]
                .concat()
        }
        _ => of_spans(&run, columns),
    };
    let (word, tone, said) = verdict_text(judgement);
    lines.extend(row_pieces("verdict", Some((word, tone)), &said, columns));
    lines.extend(severity_pieces(judgement, columns));
    let outages = judgement.findings.iter().filter(|found| found.name == "outage");
    lines.extend(outages.flat_map(|found| of_finding("outage", found, &said_once(found), columns)));
    lines.extend(limit_pieces(judged, columns));
    let graded = judgement.findings.iter().filter(|found| found.name == "preset-threshold");
    lines.extend(graded.flat_map(|found| of_finding("preset", found, &said_once(found), columns)));
    lines.extend(next.map(|next| command_pieces("next", next, columns)).unwrap_or_default());
    lines
}

/// Returns the lines of a repetition (`--repeat`).
pub fn of_repetition(
    repetition: &Repetition,
    next: Option<&NextCommand>,
    columns: usize,
) -> Vec<Vec<SummaryPiece>> {
    let mut lines = row_pieces("workload", None, &repetition.work.to_string(), columns);
    let mean = |figure: &RepeatedFigure| match figure.uncertainty_percent {
        Some(percent) => format!("{} (+- {percent:.1} %)", number(figure.mean)),
        None => number(figure.mean),
    };
    let means = repetition.rows().into_iter().filter(|row| !row.name.starts_with("CPU"));
    let means = means.map(|row| match row.name.strip_suffix(" ms") {
        Some(name) => format!("{name} {} ms", mean(row.figure)),
        None => format!("{} {}", mean(row.figure), row.name),
    });
    let means: Vec<String> = means.map(|part| part.replace(' ', &WITHIN.to_string())).collect();
    let whole = format!("mean of {}: {}", count_of(repetition.runs.len(), "run"), means.join(", "));
    let shown = wrapped(&whole, columns, LABELS, LABELS).replace(WITHIN, " ");
    lines.extend(label_pieces("figures", &shown, None));
    let (word, tone) = verdict_word(repetition.verdict.device);
    lines.extend(row_pieces("verdict", Some((word, tone)), &repetition.verdict_runs(), columns));
    lines.extend(match repetition.verdict.severity {
        Some(severity) => {
            let word = (severity.capitals(), tone_of(Some(severity)));
            row_pieces("severity", Some(word), &repetition.severity_runs(), columns)
        }
        None => row_pieces("severity", None, NOTHING_FOUND, columns),
    });
    lines.extend(next.map(|next| command_pieces("next", next, columns)).unwrap_or_default());
    lines
}

/// Describes time span `index`, from 0, with its targets.
fn workload_text(run: &Run, index: usize) -> String {
    let name = workload_text::names(&run.known).into_iter().nth(index).unwrap_or_default();
    let span = run.known.time_spans.get(index).and_then(Option::as_ref);
    let paths: Vec<String> =
        span.iter().flat_map(|span| span.parameters.paths()).map(ToString::to_string).collect();
    match paths.as_slice() {
        [] => name,
        [one] => format!("{name}: {one}"),
        [one, more @ ..] => format!("{name}: {one} and {} more", more.len()),
    }
}

/// Formats rate, throughput and latencies; a figure and its unit stay together.
fn figures(span: Option<&SpanSummary>, columns: usize) -> Vec<Vec<SummaryPiece>> {
    let known = |figure: Option<f64>| figure.map_or("-".to_owned(), number);
    let mut parts = Vec::new();
    let mut behind = "";
    match span {
        None => behind = "none: it ended before measuring began",
        Some(span) => {
            parts.push(format!("{} IOPS", known(span.total.iops)));
            parts.push(format!("{} MiB/s", known(span.total.mib_per_s)));
            match user_latency(span) {
                (what, Some(mean), Some(p99)) => {
                    parts.extend([format!("{what}mean {mean} ms"), format!("p99 {p99} ms")]);
                }
                _ if span.total.ios == Some(0) => behind = "; no I/O was done",
                _ => behind = "; no latencies: -L measures them",
            }
        }
    }
    let parts: Vec<String> = parts.iter().map(|part| part.replace(' ', &WITHIN.to_string())).collect();
    let whole = parts.join(", ") + behind;
    label_pieces("figures", &wrapped(&whole, columns, LABELS, LABELS).replace(WITHIN, " "), None)
}

/// Formats the work of the devices, if the figures do not describe them.
fn device(judgement: &Judgement, columns: usize) -> Vec<Vec<SummaryPiece>> {
    let parts = judgement.verdicts.iter().flat_map(|verdict| &verdict.parts);
    let works = parts.filter(|part| part.verdict.is_of_memory()).filter_map(DeviceVerdict::device_in_words);
    works.flat_map(|work| row_pieces("device", None, &work, columns)).collect()
}

/// Minimum number of intervals for a series.
const MIN_INTERVALS: usize = 3;
const MAX_SERIES_WIDTH: usize = 60;
/// From this width on, the longest I/O is in the row of the 99th percentile.
const MIN_COLUMNS_OF_LONGEST: usize = 70;

/// The IOPS and the 99th percentile of each interval, with the highest figures; only the longest I/O if the
/// intervals are too few.
fn course_pieces(
    judged: &JudgedRecord,
    span: Option<&SpanSummary>,
    columns: usize,
    blocks: bool,
) -> Vec<Vec<SummaryPiece>> {
    let measured = judged.summary.time_spans.first().and_then(Option::as_ref);
    let over_time =
        measured.and_then(|measured| Timeline::from_span(&RecordedSpan { judged, index: 0, measured }));
    let longest = span.and_then(|span| span.total.max_ms).map(|time| format!("longest I/O {time} ms"));
    let fitted = |text: &str| wrapped(text, columns, LABELS, LABELS);
    let Some(over_time) = over_time.filter(|course| course.iops().len() >= MIN_INTERVALS) else {
        return longest.map_or_else(Vec::new, |longest| label_pieces("course", &fitted(&longest), None));
    };
    let highest = |figures: &[Option<f64>]| figures.iter().flatten().copied().fold(0.0, f64::max);
    let (iops, p99) = (over_time.iops(), over_time.p99());
    let mut ends = vec![("IOPS", &iops, f64::min as fn(f64, f64) -> f64, vec![number(highest(&iops))])];
    if !p99.is_empty() {
        ends.push(("p99", &p99, f64::max, vec![format!("{:.3} ms", highest(&p99))]));
    }
    let (beside, apart) = if columns < MIN_COLUMNS_OF_LONGEST { (None, longest) } else { (longest, None) };
    if let Some((.., end)) = ends.last_mut() {
        end.extend(beside);
    }
    let ends = ends.into_iter().map(|(name, figures, condense, end)| {
        let highest = format!("highest {}", end.join(", "));
        (name, figures, condense, highest)
    });
    let ends: Vec<_> = ends.collect();
    let wide = ends.iter().map(|(.., end)| width(end)).max().unwrap_or(0);
    let room = columns.saturating_sub(LABELS + "IOPS ".len() + " ".len() + wide).min(MAX_SERIES_WIDTH);
    let shown = ends.iter().map(|(name, figures, condense, end)| {
        let line = spark::line(figures, room, blocks, *condense);
        match line.is_empty() {
            true => fitted(&format!("{name:<4} {end}")),
            false => format!("{name:<4} {line} {end}"),
        }
    });
    let indent = format!("\n{}", " ".repeat(LABELS));
    let rows: Vec<String> = shown.chain(apart.map(|longest| fitted(&longest))).collect();
    label_pieces("course", &rows.join(&indent), None)
}

fn user_latency(span: &SpanSummary) -> (&'static str, Option<Millis>, Option<Millis>) {
    let response = span.response.as_ref().filter(|response| response.mean_ms.total.is_some());
    match response {
        Some(response) => {
            let p99 = response.percentile(99.0).and_then(|row| row.total);
            ("response time: ", response.mean_ms.total, p99)
        }
        None => ("", span.total.mean_ms, span.percentile(99.0).and_then(|row| row.total)),
    }
}

/// Formats a finding; warnings are printed above, so that only their names are repeated.
fn said_once(found: &Finding) -> String {
    match found.severity {
        Severity::Note => found.message.clone(),
        _ => format!("{}, as above", found.name),
    }
}

/// Returns the worst verdict of the devices, with its reason unless it is printed above.
fn verdict_text(judgement: &Judgement) -> (&'static str, SummaryTone, String) {
    let parts = judgement.verdicts.iter().flat_map(|verdict| &verdict.parts);
    let Some(worst) = parts.max_by_key(|part| (part.severity, part.verdict)) else {
        return ("NOT CHECKED", SummaryTone::Plain, "no device could confirm the figures".to_owned());
    };
    let is_above = worst.severity > Some(Severity::Note);
    let said = if is_above { "as above" } else { worst.message.as_str() };
    let (word, tone) = verdict_word(Some(worst.verdict));
    (word, if is_above { tone_of(worst.severity) } else { tone }, said.to_owned())
}

fn verdict_word(verdict: Option<Verdict>) -> (&'static str, SummaryTone) {
    verdict.map_or(("NOT CHECKED", SummaryTone::Plain), |known| (known.word(), end_tone(known.mark().tone)))
}

/// Maximum number of findings in the row of the severity.
const MAX_NAMED: usize = 4;

/// Formats the worst severity, with the names of verdicts and findings that limit the figures.
fn severity_pieces(judgement: &Judgement, columns: usize) -> Vec<Vec<SummaryPiece>> {
    let limiting: Vec<(Severity, String)> = limiting_names(judgement);
    let Some(worst) = limiting.iter().map(|(severity, _)| *severity).max() else {
        return row_pieces("severity", None, NOTHING_FOUND, columns);
    };
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in &limiting {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.truncate(MAX_NAMED);
    let said = format!("{}{more}", names.join(", "));
    row_pieces("severity", Some((worst.capitals(), tone_of(Some(worst)))), &said, columns)
}

/// Returns the names of verdicts and findings that limit the figures, worst first.
fn limiting_names(judgement: &Judgement) -> Vec<(Severity, String)> {
    let parts = judgement.verdicts.iter().flat_map(|verdict| &verdict.parts);
    let devices = parts.filter_map(|part| Some((part.severity?, part.verdict.to_string())));
    let findings = judgement.findings.iter().filter(|found| !found.quiet);
    let findings = findings.map(|found| (found.severity, found.name.to_owned()));
    let mut limiting: Vec<(Severity, String)> =
        devices.chain(findings).filter(|(severity, _)| *severity > Severity::Note).collect();
    // Stable: verdicts come before findings of the same severity.
    limiting.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    limiting
}

fn tone_of(severity: Option<Severity>) -> SummaryTone {
    match severity {
        None => SummaryTone::Plain,
        Some(Severity::Note) => SummaryTone::Note,
        Some(Severity::Warning) => SummaryTone::Doubtful,
        Some(Severity::Wrong | Severity::Error) => SummaryTone::Wrong,
    }
}

fn limit_pieces(judged: &JudgedRecord, columns: usize) -> Vec<Vec<SummaryPiece>> {
    let (_, others) = notes_of(&judged.judgement);
    // With -v all of it stands above.
    let more = if judged.record.profile.verbose { String::new() } else { others.in_words() };
    let is_limit = |found: &&Finding| judged.judgement.limits.len() == 1 && Limiter::is_name(found.name);
    match (judged.judgement.findings.iter().find(is_limit), more.as_str()) {
        (None, "") => Vec::new(),
        (None, more) => row_pieces("notes", None, more, columns),
        (Some(found), "") => of_finding("limit", found, without_label(&said_once(found)), columns),
        (Some(found), more) => {
            let said = format!("{} ({more})", without_label(&said_once(found)));
            of_finding("limit", found, &said, columns)
        }
    }
}

/// Removes the label from `limited by the storage` or `the limit is unclear`.
fn without_label(message: &str) -> &str {
    let rest = message.strip_prefix("limited by ").or_else(|| message.strip_prefix("the limit is "));
    rest.unwrap_or(message)
}

fn of_finding(label: &str, found: &Finding, said: &str, columns: usize) -> Vec<Vec<SummaryPiece>> {
    let word = found.severity.capitals();
    let word = (found.severity > Severity::Note).then_some((word, tone_of(Some(found.severity))));
    row_pieces(label, word, said, columns)
}

fn row_pieces(
    label: &str,
    word: Option<(&str, SummaryTone)>,
    text: &str,
    columns: usize,
) -> Vec<Vec<SummaryPiece>> {
    let whole = match word {
        Some((word, _)) => format!("{word}: {text}"),
        None => text.to_owned(),
    };
    let shown = wrapped(&visible::line(&whole), columns, LABELS, LABELS);
    label_pieces(label, &shown, word)
}

fn label_pieces(label: &str, shown: &str, word: Option<(&str, SummaryTone)>) -> Vec<Vec<SummaryPiece>> {
    let plain = |text: &str| SummaryPiece { tone: SummaryTone::Plain, text: text.to_owned() };
    let mut lines: Vec<Vec<SummaryPiece>> = shown.split('\n').map(|line| vec![plain(line)]).collect();
    let first = shown.split('\n').next().unwrap_or_default();
    let mut begun = vec![SummaryPiece { tone: SummaryTone::Label, text: format!("{label:<LABELS$}") }];
    match word.and_then(|(word, tone)| Some((word, tone, first.strip_prefix(word)?))) {
        Some((word, tone, rest)) => begun.extend([SummaryPiece { tone, text: word.to_owned() }, plain(rest)]),
        None => begun.push(plain(first)),
    }
    lines[0] = begun;
    lines
}

fn command_pieces(label: &str, next: &NextCommand, columns: usize) -> Vec<Vec<SummaryPiece>> {
    let words: Vec<String> =
        next.words.iter().map(|word| visible::line(word).replace(' ', &WITHIN.to_string())).collect();
    let before = format!("{}:", next.why);
    let whole = format!("{before} {}", words.join(" "));
    let shown = wrapped(&whole, columns.saturating_sub(" \\".len()), LABELS, LABELS);
    let (mut taken, mut lines) = (0, Vec::new());
    let count = shown.split('\n').count();
    for (number, line) in shown.split('\n').enumerate() {
        taken += line.trim_start().chars().count() + 1;
        let goes_on = number + 1 < count && taken > before.chars().count() + 1;
        lines.push(format!("{}{}", line.replace(WITHIN, " "), if goes_on { " \\" } else { "" }));
    }
    label_pieces(label, &lines.join("\n"), None)
}

struct EndTableRow {
    figures: [String; 4],
    verdict: (String, SummaryTone),
    severity: (String, SummaryTone),
    workload: String,
}

const HEAD: [&str; 4] = ["IOPS", "MiB/s", "mean ms", "p99 ms"];

fn of_spans(run: &Run, columns: usize) -> Vec<Vec<SummaryPiece>> {
    let of_span = |(index, span): (usize, &Option<SpanSummary>)| {
        let RunVerdict { device, severity } = span_verdict(run, index + 1);
        let (word, tone) = verdict_word(device);
        let verdict = match span {
            Some(_) => (word.to_owned(), tone),
            None => ("not measured".to_owned(), SummaryTone::Doubtful),
        };
        let severity = severity.map(|severity| (severity.capitals().to_owned(), tone_of(Some(severity))));
        let latency = span.as_ref().map_or(("", None, None), user_latency);
        let total = span.as_ref().map(|span| span.total).unwrap_or_default();
        EndTableRow {
            figures: figure_cells([total.iops, total.mib_per_s], [latency.1, latency.2]),
            verdict,
            severity: severity.unwrap_or_else(|| ("-".to_owned(), SummaryTone::Plain)),
            workload: workload_text(run, index),
        }
    };
    let rows: Vec<EndTableRow> = run.known.time_spans.iter().enumerate().map(of_span).collect();
    table_pieces("span", &rows, columns)
}

fn figure_cells(rates: [Option<f64>; 2], latencies: [Option<Millis>; 2]) -> [String; 4] {
    let [iops, mib] = rates.map(|rate| rate.map_or("-".to_owned(), number));
    let [mean, p99] = latencies.map(|time| time_or("-", time));
    [iops, mib, mean, p99]
}

fn end_tone(tone: Tone) -> SummaryTone {
    match tone {
        Tone::Good => SummaryTone::Good,
        Tone::Wrong => SummaryTone::Wrong,
        Tone::Warning => SummaryTone::Doubtful,
        Tone::Note => SummaryTone::Note,
        Tone::Unknown => SummaryTone::Plain,
    }
}

fn table_pieces(what: &str, rows: &[EndTableRow], columns: usize) -> Vec<Vec<SummaryPiece>> {
    let piece = |tone, text: String| SummaryPiece { tone, text };
    let wide = |place: usize| {
        let cells = rows.iter().map(|row| width(&row.figures[place]));
        cells.chain([HEAD[place].len()]).max().unwrap_or(0)
    };
    let widths: [usize; 4] = std::array::from_fn(wide);
    let word_width = |name: &str, of: fn(&EndTableRow) -> &str| {
        rows.iter().map(|row| width(of(row))).chain([name.len()]).max().unwrap_or(0)
    };
    let verdict_width = word_width("verdict", |row| &row.verdict.0);
    let severity_width = word_width("severity", |row| &row.severity.0);
    let padded = |text: &str, wide: usize| format!("{text}{}", " ".repeat(wide.saturating_sub(width(text))));
    let figures = |cells: [&str; 4]| -> String {
        cells.iter().zip(widths).map(|(cell, wide)| format!("{cell:>wide$}  ")).collect()
    };
    let with_work = rows.iter().any(|row| !row.workload.is_empty());
    let beside = with_work && columns >= MIN_WIDE_COLUMNS;
    let words = format!("{}  {}", padded("verdict", verdict_width), padded("severity", severity_width));
    let head = format!("{what:<4}  {}{words}{}", figures(HEAD), if beside { "  workload" } else { "" });
    let head = head.trim_end().to_owned();
    let mut lines = vec![vec![piece(SummaryTone::Label, head)]];
    for (row, number) in rows.iter().zip(1..) {
        let begin = format!("{number:>4}  {}", figures(row.figures.each_ref().map(String::as_str)));
        let words = [
            piece(row.verdict.1, padded(&row.verdict.0, verdict_width)),
            piece(SummaryTone::Plain, "  ".to_owned()),
            piece(row.severity.1, row.severity.0.clone()),
        ];
        let work = visible::line(&row.workload);
        let begun = begin.len() + verdict_width + severity_width + 4;
        if !beside {
            if with_work {
                let shown = wrapped(&work, columns, 6, 6);
                let mut of_work = shown.split('\n');
                let first = of_work.next().unwrap_or_default();
                lines.push(vec![piece(SummaryTone::Plain, format!("{number:>4}  {first}"))]);
                lines.extend(of_work.map(|line| vec![piece(SummaryTone::Plain, line.to_owned())]));
            }
            let begin = if with_work { format!("{:6}{}", "", &begin[6..]) } else { begin };
            lines.push([piece(SummaryTone::Plain, begin)].into_iter().chain(words).collect());
            continue;
        }
        let shown = wrapped(&work, columns, begun, begun);
        let mut of_work = shown.split('\n');
        let gap = " ".repeat(severity_width + 2 - width(&row.severity.0));
        let first = format!("{gap}{}", of_work.next().unwrap_or_default());
        let ends = [piece(SummaryTone::Plain, first)];
        lines.push([piece(SummaryTone::Plain, begin)].into_iter().chain(words).chain(ends).collect());
        lines.extend(of_work.map(|line| vec![piece(SummaryTone::Plain, line.to_owned())]));
    }
    lines
}
