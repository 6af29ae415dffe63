//! The tables of fio's options and engines for the documentation.

use super::options::{COMMAND_LINE, ENGINES, EngineRule, FioKind, FioOption, GROUPS};
use std::fmt::Write;

const OPTIONS_HEAD: &str = "| Option | Value | Result | Explanation |\n|---|---|---|---|\n";

/// Returns the cells of a row after the name and the form: result, explanation.
fn verdict_cells(row: &FioOption) -> String {
    match row.kind {
        FioKind::Same => "same |".to_owned(),
        FioKind::Near(what) => format!("similar | {what}"),
        FioKind::Refused { reason, remedy } if row.harmless.is_empty() => {
            format!("refused | {reason}; {remedy}")
        }
        FioKind::Refused { reason, remedy } => {
            format!("refused, except {} | {reason}; {remedy}", row.harmless.join(", "))
        }
    }
}

/// Returns a table per group; consecutive options with the same cells share a row.
pub fn options_table() -> String {
    let mut text = String::new();
    for group in GROUPS.iter().chain([&COMMAND_LINE]) {
        let _ = write!(text, "### {}\n\n{OPTIONS_HEAD}", group.title);
        let mut rows: Vec<(Vec<String>, String)> = Vec::new();
        for row in group.rows {
            let names = std::iter::once(&row.name).chain(row.aliases).map(|name| format!("`{name}`"));
            let cells = format!("{} | {}", row.form.name(), verdict_cells(row).replace('<', "\\<"));
            match rows.last_mut() {
                Some((known, same)) if *same == cells => known.extend(names),
                _ => rows.push((names.collect(), cells)),
            }
        }
        for (names, cells) in rows {
            let _ = writeln!(text, "| {} | {cells} |", names.join(", "));
        }
        text.push('\n');
    }
    text
}

/// Returns the table of engines; engines with the same result share a row.
pub fn engines_table() -> String {
    let mut text = "| fio's engine | Result | Explanation |\n|---|---|---|\n".to_owned();
    let mut rows: Vec<(Vec<String>, String)> = Vec::new();
    for (name, rule) in ENGINES {
        let cells = match rule {
            EngineRule::Is(kind) => format!("`--engine {}` |", kind.row().name),
            EngineRule::Near(kind, what) => format!("similar, `--engine {}` | {what}", kind.row().name),
            EngineRule::Refused(reason) => format!("refused | {reason}"),
        };
        match rows.iter_mut().find(|(_, same)| *same == cells) {
            Some((names, _)) => names.push(format!("`{name}`")),
            None => rows.push((vec![format!("`{name}`")], cells)),
        }
    }
    for (names, cells) in rows {
        let _ = writeln!(text, "| {} | {cells} |", names.join(", "));
    }
    text
}
