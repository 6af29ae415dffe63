//! `diskspd merge`.

use super::Command;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::{OUT, OptionRow, STORE, VERBOSE, switch};
use crate::cli::requests::MergeRequest;
use crate::cli::{Invocation, OutRequest};

const REPORTS: OptionRow =
    OUT.with_help("write a further report, as for a run: a record of all hosts as .json, .xml, .csv, .html");
const PER_HOST: OptionRow = switch(
    "--per-host",
    "for each --out FILE.xml also one per host: FILE.HOST.xml; for FILE.csv a table of hosts: FILE.hosts.csv",
);
const XML_VERDICT: OptionRow = switch("--xml-verdict", "add verdict and findings to the XML results");
const TEXT_VERDICT: OptionRow = switch("--text-verdict", "add verdict and findings after each text report");

pub(super) const MERGE: Command = Command {
    name: "merge",
    arguments: "<file> <file> .. [--out <file>] [--per-host] [-v]",
    help: "merge the records of one run on several hosts, with one report (docs/reference/merge.md)",
    options: &[REPORTS, PER_HOST, XML_VERDICT, TEXT_VERDICT, VERBOSE, STORE],
    exclusive: &[],
    takes: Operands::Files,
    examples: &[
        ("diskspd merge node1.json node2.json", "print one report of both hosts"),
        ("diskspd merge node1.json node2.json --out all.json", "keep it as a record, too"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let files = line.files();
    if files.is_empty() {
        return Err(
            CliError::new("merge: no file is named").hint("diskspd merge a.json b.json --out all.json")
        );
    }
    let (out, per_host) = (line.reports(&REPORTS)?, line.has_option(&PER_HOST));
    let is_by_host = |out: &OutRequest| ["xml", "csv"].iter().any(|form| out.has_form(form));
    if per_host && !out.iter().any(is_by_host) {
        return Err(CliError::new("--per-host needs an XML or CSV output (--out FILE.xml, --out FILE.csv)")
            .hint("name one: --out all.xml --per-host writes all.xml, and all.HOST.xml for each host"));
    }
    Ok(Invocation::Merge(MergeRequest {
        files,
        out,
        per_host,
        xml_verdict: line.has_option(&XML_VERDICT),
        text_verdict: line.has_option(&TEXT_VERDICT),
        verbose: line.has_option(&VERBOSE),
        store: line.path(&STORE)?,
    }))
}
