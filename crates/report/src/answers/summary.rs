//! Markdown, as GitHub's job summary, merge requests and chats take it.

use super::{CaseOutcome, ComparisonReport, list_cases};
use crate::number::number;
use diskspd_experiments::compare::{self, interval_text};
use diskspd_figures::units::table::signed;
use diskspd_figures::units::visible::line;

/// Writes a heading, a table of the figures that decide, and the other differences.
pub fn summary(told: &ComparisonReport) -> Vec<u8> {
    let mut text = format!("### DiskSpd: {}\n\n", escape_cell(told.title));
    for (letter, side) in ["A", "B"].iter().zip(&told.comparison.sides) {
        text += &format!("* {letter}: {} ({} runs)\n", escape_cell(&side.name), side.runs.len());
    }
    if let Some(sure) = &told.comparison.until_sure {
        text += &format!("* {}\n", escape_cell(&sure.sentence()));
    }
    for wrong in compare::wrong_figures(told.comparison) {
        text += &format!("\n⚠️ {}\n", escape_cell(&wrong));
    }
    text += "\n| | test | figure | A | B | change | interval | verdict |\n";
    text += "| --- | --- | --- | ---: | ---: | ---: | --- | --- |\n";
    for case in list_cases(told) {
        let sign = match case.end {
            CaseOutcome::Passed => "✅",
            CaseOutcome::Failed => "❌",
            CaseOutcome::Unclear => "❔",
            CaseOutcome::NotCompared => "⚠️",
        };
        let row = match case.deciding_metric() {
            None => [String::new(), String::new(), String::new(), String::new(), String::new(), case.message],
            Some(metric) => {
                let medians =
                    metric.sides.as_ref().map(|sides| [0, 1].map(|side| number(sides[side].median)));
                let [first, other] = medians.unwrap_or_default();
                [
                    metric.title.clone(),
                    first,
                    other,
                    metric.change_percent.map(signed).unwrap_or_default(),
                    interval_text(metric, "..").unwrap_or_else(|| "-".into()),
                    match metric.verdict.word() {
                        "" => case.message,
                        word => word.to_owned(),
                    },
                ]
            }
        };
        let cells: Vec<String> = row.iter().map(|text| escape_cell(text)).collect();
        text += &format!("| {sign} | {} | {} |\n", escape_cell(&case.name), cells.join(" | "));
    }
    if !told.comparison.differences.is_empty() {
        text += "\n<details><summary>Other differences</summary>\n\n";
        for differing in compare::differences_text(&told.comparison.differences) {
            text += &format!("* {}\n", escape_cell(&differing));
        }
        text += "\n</details>\n";
    }
    text.into_bytes()
}

fn escape_cell(text: &str) -> String {
    let mut out = String::new();
    for c in line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
