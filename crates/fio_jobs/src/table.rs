//! The tables of fio's options and engines for the documentation.

use super::options::{ENGINES, EngineRule, FioKind, FioOption, GROUPS};
use std::fmt::Write;

fn verdict(row: &FioOption) -> String {
    match row.kind {
        FioKind::Same => "same, or refused by its value".to_owned(),
        FioKind::Near(what) => format!("near: {what}"),
        FioKind::Refused { reason, remedy } if row.harmless.is_empty() => {
            format!("refused: {reason}; {remedy}")
        }
        FioKind::Refused { reason, remedy } => {
            format!("refused, but for {}: {reason}; {remedy}", row.harmless.join(", "))
        }
    }
}

pub fn options_table() -> String {
    let mut text = String::new();
    for group in GROUPS {
        let _ = write!(text, "### {}\n\n| Option | Value | Here |\n|---|---|---|\n", group.title);
        for row in group.rows {
            let names: Vec<String> =
                std::iter::once(&row.name).chain(row.aliases).map(|name| format!("`{name}`")).collect();
            let verdict = verdict(row).replace('|', "\\|").replace('<', "\\<");
            let _ = writeln!(text, "| {} | {} | {verdict} |", names.join(", "), row.form.name());
        }
        text.push('\n');
    }
    text
}

pub fn engines_table() -> String {
    let mut text = "| fio's engine | Here |\n|---|---|\n".to_owned();
    for (name, rule) in ENGINES {
        let rule = match rule {
            EngineRule::Is(kind) => format!("`--engine {}`", kind.row().name),
            EngineRule::Near(kind, what) => format!("near, `--engine {}`: {what}", kind.row().name),
            EngineRule::Refused(reason) => format!("refused: {reason}"),
        };
        let _ = writeln!(text, "| `{name}` | {rule} |");
    }
    text
}
