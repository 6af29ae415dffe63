//! A comparison for people.

use super::{ChangeVerdict, Compared, RunComparison, SideDifference, SpanCompared};
use crate::units::visible::line;
use std::fmt::Write;

/// The whole answer: both sides, the figures, what differs besides.
pub fn text(comparison: &RunComparison) -> String {
    let mut text = String::new();
    for (letter, side) in ["A", "B"].iter().zip(&comparison.sides) {
        let runs = if side.runs.len() == 1 { "1 run".into() } else { format!("{} runs", side.runs.len()) };
        let _ = writeln!(text, "{letter}: {} ({runs})", line(&side.name));
    }
    for difference in &comparison.not_comparable {
        let _ = writeln!(text, "\nNOT COMPARABLE: {}", sentence(difference));
    }
    for span in &comparison.time_spans {
        text.push('\n');
        if comparison.time_spans.len() > 1 {
            let _ = writeln!(text, "time span {}", span.time_span);
        }
        put_span(&mut text, span, comparison.same_percent);
    }
    if !comparison.differences.is_empty() {
        text.push_str("\nWhat differs besides:\n");
        for difference in &comparison.differences {
            let _ = writeln!(text, "  {}", sentence(difference));
        }
    }
    text
}

/// What differs, as a sentence: `kernel: 6.1 in A, 6.2 in B`.
pub fn sentence(difference: &SideDifference) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not recorded".into());
    line(&format!(
        "{}: {} in A, {} in B",
        difference.what,
        value(&difference.first),
        value(&difference.other)
    ))
    .into_owned()
}

fn put_span(text: &mut String, span: &SpanCompared, same: f64) {
    let heads = ["", "A", "B", "change", "95 % interval", "verdict"].map(str::to_owned);
    let rows = span.all().filter(|metric| metric.sides.is_some()).map(row);
    let rows: Vec<[String; 6]> = [heads].into_iter().chain(rows).collect();
    let mut widths = [0; 6];
    for row in &rows {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
    }
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let _ = match column {
                0 | 5 => write!(line, "{cell:<width$}  "),
                _ => write!(line, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if let Some(primary) = span.metrics.first() {
        let ChangeAnswer { verdict, more, found } = answer(primary, same);
        let lines: Vec<String> = [Some(verdict), more, found].into_iter().flatten().collect();
        let _ = writeln!(text, "\n{}", lines.join("\n"));
        span.why_this_decides.iter().for_each(|why| text.push_str(&format!("{why}\n")));
    }
    for part in span.parts.iter().filter(|part| part.is_change()) {
        let _ = writeln!(text, "In the mix: {}", answer(part, same).verdict);
    }
    for metric in span.all().filter(|metric| metric.sides.is_none()) {
        let why = metric.why_not.as_deref().unwrap_or_default();
        let _ = writeln!(text, "not compared: {}: {}", metric.title, line(why));
    }
}

fn row(metric: &Compared) -> [String; 6] {
    let medians = metric.sides.as_ref().map(|sides| [sides[0].median, sides[1].median]);
    let [first, other] = medians.map_or([String::new(), String::new()], |medians| medians.map(number));
    let interval = match (metric.low_percent, metric.high_percent) {
        (Some(low), Some(high)) => format!("{} .. {}", signed(low), signed(high)),
        _ => "-".into(),
    };
    [
        metric.title.clone(),
        first,
        other,
        metric.change_percent.map(signed).unwrap_or_default(),
        interval,
        metric.verdict.word().to_owned(),
    ]
}

/// What a figure says, in sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeAnswer {
    /// Better, worse, the same, or why that can't be told.
    pub verdict: String,
    /// How many runs more would tell; `None` = it's told.
    pub more: Option<String>,
    /// What so many runs can find; `None` = not known of single runs.
    pub found: Option<String>,
}

/// What a figure says, in words; `same`: so near is the same, percent.
pub fn answer(metric: &Compared, same: f64) -> ChangeAnswer {
    let title = &metric.title;
    let change = signed(metric.change_percent.unwrap_or_default());
    let between = match (metric.low_percent, metric.high_percent, metric.confidence_percent) {
        (Some(low), Some(high), Some(sure)) => {
            format!("between {} and {} ({sure:.1} % sure)", signed(low), signed(high))
        }
        _ => String::new(),
    };
    let verdict = match metric.verdict {
        ChangeVerdict::Better => format!("{title}: B is better: {change}, {between}."),
        ChangeVerdict::Worse => format!("{title}: B is worse: {change}, {between}."),
        ChangeVerdict::Same => format!("{title}: the same within {same} %: {between}."),
        ChangeVerdict::CantTell if between.is_empty() => {
            format!(
                "{title}: can't tell: {}.",
                "fewer than 4 runs on each side can't be sure of any difference"
            )
        }
        ChangeVerdict::CantTell => format!("{title}: can't tell: {between}."),
        ChangeVerdict::TwoRuns => format!(
            "{title}: differs by {change} in these two runs. Whether it will again, two runs can't say: \
            repeat both."
        ),
        ChangeVerdict::NotCompared => format!("{title}: not compared."),
    };
    ChangeAnswer { verdict, more: more(metric), found: found(metric) }
}

/// What two times the same tells of the machine: a sentence for each figure that decides.
pub fn noise(comparison: &RunComparison) -> Vec<String> {
    let sentence = |metric: &Compared| {
        let (noise, least) = metric.noise_percent.zip(metric.detectable_percent)?;
        Some(format!(
            "{}: one run differs from the next by about {noise:.1} %; a real change has to be {least:.1} % \
            to be found by so many runs in 80 of 100 cases",
            metric.title
        ))
    };
    comparison.primary().filter_map(sentence).collect()
}

fn more(metric: &Compared) -> Option<String> {
    if metric.verdict != ChangeVerdict::CantTell {
        return None;
    }
    Some(match metric.more_runs {
        Some(more) => format!("About {more} more of each side would probably tell."),
        None => {
            "Not even a thousand runs of each side would probably tell: the noise has to become less.".into()
        }
    })
}

/// What so many runs can find.
fn found(metric: &Compared) -> Option<String> {
    let (noise, five) = (metric.noise_percent?, metric.finds_5_percent?);
    let least = match metric.detectable_percent {
        Some(least) => format!(", one of {least:.1} % in 80 of 100 cases"),
        None => String::new(),
    };
    let runs = metric.sides.as_ref()?.iter().map(|side| side.values.len()).min()?;
    let roughly = match runs < ENOUGH {
        true => " Roughly: so few runs say little about how they scatter.",
        false => "",
    };
    Some(format!(
        "Runs scatter by {noise:.1} %; so many find a change of 5 % in {five:.0} of 100 cases{least}.\
         {roughly}"
    ))
}

/// From so many runs a side on the chance of finding a change is what is printed, within 2 in 100
/// (docs/compare.md); of fewer the scatter is often taken for less than it is.
const ENOUGH: usize = 8;

/// A change: `+4.2 %`.
pub fn signed(percent: f64) -> String {
    format!("{percent:+.1} %")
}

fn number(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
