//! The table of a sweep as data.

use super::{Drift, PointRow, SweepAnswer};
use crate::lab::RunLine;
use crate::truth::Limiter;
use diskspd_model::units::{Millis, table::csv_cell};
use serde::Serialize;

/// One line of CSV per run, with a line of names above them: what failed has no figures.
pub fn csv(rows: &[PointRow]) -> String {
    let mut options: Vec<&str> = Vec::new();
    for setting in rows.iter().flat_map(|row| &row.settings) {
        if !options.contains(&setting.option.as_str()) {
            options.push(&setting.option);
        }
    }
    let names: String =
        options.iter().map(|option| format!("{},", csv_cell(option.trim_start_matches('-')))).collect();
    let mut text = format!(
        "{names}offered_iops,threads,load,run,iops,mib_per_s,avg_latency_ms,p99_latency_ms,p99_9_latency_ms,\
         avg_response_ms,p99_response_ms,p99_9_response_ms,cpu_percent,hottest_cpu_percent,limited_by,\
         verdict,failure\n"
    );
    for row in rows {
        let settings: String = options
            .iter()
            .map(|option| {
                let setting = row.settings.iter().find(|setting| setting.option == *option);
                format!("{},", csv_cell(setting.map_or("", |setting| &setting.value)))
            })
            .collect();
        let offered = if row.by_rate { row.load.to_string() } else { String::new() };
        let before = format!("{settings}{offered},{},{}", row.threads, row.load);
        for (number, line) in row.runs.iter().enumerate() {
            text += &format!("{before},{},{},\n", number + 1, figures(line));
        }
        if let Some(failure) = &row.failure {
            text += &format!("{before},,,,,,,,,,,,,,,{}\n", csv_cell(failure));
        }
    }
    text
}

fn figures(line: &RunLine) -> String {
    let latencies = [line.latency, line.response].map(|latency| match latency {
        Some(latency) => [latency.mean_ms, latency.p99_ms, latency.p999_ms].map(Millis::in_full).join(","),
        None => ",,".to_owned(),
    });
    let limit = line.limited_by.map(Limiter::name).unwrap_or_default();
    format!(
        "{:.3},{:.3},{},{},{:.2},{:.2},{limit},{}",
        line.iops,
        line.mib_per_s,
        latencies[0],
        latencies[1],
        line.cpu,
        line.hottest,
        line.verdict.word()
    )
}

/// The whole sweep.
#[derive(Serialize)]
struct Document<'a> {
    format: DocumentForm,
    command_line: &'a str,
    points: &'a [PointRow],
    answers: &'a [SweepAnswer],
    drift: Option<&'a Drift>,
}

#[derive(Serialize)]
struct DocumentForm {
    name: &'static str,
    version: u32,
}

/// The whole sweep as JSON: points with all their runs, answers (which name points by their places), drift.
pub fn json(
    command_line: &str,
    points: &[PointRow],
    answers: &[SweepAnswer],
    drift: Option<&Drift>,
) -> String {
    let format = DocumentForm { name: "diskspd sweep", version: 2 };
    let document = Document { format, command_line, points, answers, drift };
    // Can't fail: there are no maps in it, and memory takes everything.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}
