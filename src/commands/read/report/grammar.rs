//! `diskspd report`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::{HTML, OUT, OptionRow, STORE, VERBOSE, switch};
use crate::cli::requests::{ReportRequest, TableForm};

const FULL: OptionRow = VERBOSE.with_help("of one run: with all findings, or with every percentile");
const CSV: OptionRow = switch("--csv", "a table of all runs with all columns, for programs");
const MARKDOWN: OptionRow = switch("--md", "a table of all runs in Markdown");
const REPORTS: OptionRow =
    OUT.with_help("write the report of one record in another form, as a run does (.xml, .csv, .prom)");
const PAGE: OptionRow = HTML.with_help("a page of all runs with their verdicts and charts, in this file");

pub(super) const REPORT: Command = Command {
    name: "report",
    arguments: "<file> .. [-v] [--csv|--md|--html <page>|--out <file>] [--store <folder>]",
    help: "print the report of a saved record, repetition, sweep or comparison again, or a table or page of \
           many: records, results of DISKSPD (text, XML) and fio (JSON), folders; @label or @id is a run of \
           the history",
    options: &[FULL, CSV, MARKDOWN, PAGE, REPORTS, STORE],
    exclusive: &[&[FULL, CSV, MARKDOWN, PAGE, REPORTS]],
    takes: Operands::Files,
    examples: &[
        ("diskspd report run.json", "print its report and its verdict again"),
        ("diskspd report results/ --html page.html", "write a page of all runs in a folder"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let (verbose, html) = (line.has_option(&FULL), line.path(&PAGE)?);
    let markdown = line.has_option(&MARKDOWN).then_some(TableForm::Markdown);
    let table = line.has_option(&CSV).then_some(TableForm::Csv).or(markdown);
    if line.words.is_empty() {
        return Err(line.wrong());
    }
    // How many files there are is known when patterns and labels are looked up.
    let out = line.reports(&REPORTS)?;
    let store = line.store_of(&STORE, line.words.iter().map(|word| word.as_encoded_bytes()))?;
    Ok(Invocation::Report(ReportRequest { files: line.files(), store, verbose, table, html, out }))
}
