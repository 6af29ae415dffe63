//! `diskspd merge`: its grammar.

use super::error::CliError;
use super::flag::Form;
use super::words::{self, Known};
use super::{Invocation, OutRequest};
use std::ffi::OsString;
use std::path::PathBuf;

/// What is merged, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// Records or result XML, folders that hold them; at least one.
    pub files: Vec<PathBuf>,
    /// `--out`: further reports, in order.
    pub out: Vec<OutRequest>,
    /// `--per-host`: beside each XML one for each host.
    pub per_host: bool,
    /// `--xml-verdict`
    pub xml_verdict: bool,
    /// `-v`: everything that was found.
    pub verbose: bool,
    /// `--store`: where `@label` is looked for; `None` = the usual history.
    pub store: Option<PathBuf>,
}

/// For the help.
pub const OPTIONS: &[Form] = &[
    ("--out", "write a further report, as for a run: a record of all hosts as .json, .xml, .csv, .html"),
    ("--per-host", "beside each --out FILE.xml one for each host: FILE.HOST.xml"),
    ("--xml-verdict", "add verdict and findings to the XML results"),
    ("-v", "with everything that was found"),
    ("--store", "the folder of the history, for @label and @id"),
];

const KNOWN: &[Known] =
    &[("--out", true), ("--per-host", false), ("--xml-verdict", false), ("-v", false), ("--store", true)];

/// Reads what follows the word `merge`.
///
/// # Errors
/// It makes no sense.
pub fn read(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let given = words::read(arguments, KNOWN)?;
    let files: Vec<PathBuf> = given.words.iter().map(|word| word.into()).collect();
    if files.is_empty() {
        return Err(
            CliError::new("merge: no file is named").hint("diskspd merge a.json b.json --out all.json")
        );
    }
    let out = given.raw("--out").map(|value| {
        OutRequest::read(value).ok_or_else(|| {
            let error = CliError::at(value, value.len(), "--out: the file is missing");
            CliError { expected: Some("the name of a file to write".into()), ..error }
        })
    });
    let out: Vec<OutRequest> = out.collect::<Result<_, _>>()?;
    let per_host = given.has("--per-host");
    if per_host && !out.iter().any(OutRequest::is_xml) {
        return Err(CliError::new("--per-host: there is no XML beside which it could be written")
            .hint("name one: --out all.xml --per-host writes all.xml, and all.HOST.xml for each host"));
    }
    Ok(Invocation::Merge(MergeRequest {
        files,
        out,
        per_host,
        xml_verdict: given.has("--xml-verdict"),
        verbose: given.has("-v"),
        store: given.path("--store"),
    }))
}
