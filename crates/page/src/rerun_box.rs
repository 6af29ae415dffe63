//! The commands that repeat the run.

use super::page::command;
use diskspd_results::{Origin, RunSummary};
use maud::{Markup, html};

/// Renders the command line, and the command that repeats the saved record.
pub(crate) fn render_rerun(run: &RunSummary) -> Markup {
    let of_record = matches!(run.origin, Origin::Record { .. });
    html! {
        @match &run.command_line {
            Some(line) => { (command(&String::from_utf8_lossy(line.as_bytes()))) },
            None => p { "The command line is not recorded." },
        }
        @if of_record { p.quiet {
            "Or, with the record of this run (" code { "--out run.json" } "), on the same targets, with the "
            "same settings and method: " code { "diskspd rerun run.json" } ", which also says what about the "
            "machine has changed."
        } }
    }
}
