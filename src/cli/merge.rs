//! `diskspd merge`: its grammar.

use super::error::CliError;
use super::own_option::{self, OptionRow, OwnOption, own, own_path};
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
    /// `--text-verdict`
    pub text_verdict: bool,
    /// `-v`: everything that was found.
    pub verbose: bool,
    /// `--store`: where `@label` is looked for; `None` = the usual history.
    pub store: Option<PathBuf>,
}

/// For the help.
pub const ROWS: [OptionRow; OWN.len()] = own_option::rows(&OWN);

/// What is given, before it is looked at together.
#[derive(Default)]
struct MergeOptions {
    out: Vec<PathBuf>,
    per_host: bool,
    xml_verdict: bool,
    text_verdict: bool,
    verbose: bool,
    store: Option<PathBuf>,
}

const OWN: [OwnOption<MergeOptions>; 6] = [
    own_path(
        "--out",
        "<file>",
        "write a further report, as for a run: a record of all hosts as .json, .xml, .csv, .html",
        |given, path| given.out.push(path),
    ),
    own("--per-host", "", "beside each --out FILE.xml one for each host: FILE.HOST.xml", |given, _| {
        given.per_host = true;
        Ok(())
    }),
    own("--xml-verdict", "", "add verdict and findings to the XML results", |given, _| {
        given.xml_verdict = true;
        Ok(())
    }),
    own("--text-verdict", "", "add verdict and findings behind each text report", |given, _| {
        given.text_verdict = true;
        Ok(())
    }),
    own("-v", "", "with everything that was found", |given, _| {
        given.verbose = true;
        Ok(())
    }),
    own_path("--store", "<folder>", "the folder of the history, for @label and @id", |given, path| {
        given.store = Some(path);
    }),
];

/// Reads what follows the word `merge`.
///
/// # Errors
/// It makes no sense.
pub fn read(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let mut options = MergeOptions::default();
    let given = own_option::read_all(&OWN, &mut options, arguments)?;
    let MergeOptions { out, per_host, xml_verdict, text_verdict, verbose, store } = options;
    let files: Vec<PathBuf> = given.words.iter().map(|word| word.into()).collect();
    if files.is_empty() {
        return Err(
            CliError::new("merge: no file is named").hint("diskspd merge a.json b.json --out all.json")
        );
    }
    let out = out.iter().map(|path| {
        let value = path.as_os_str().as_encoded_bytes();
        OutRequest::read(value).ok_or_else(|| {
            let error = CliError::at(value, value.len(), "--out: the file is missing");
            CliError { expected: Some("the name of a file to write".into()), ..error }
        })
    });
    let out: Vec<OutRequest> = out.collect::<Result<_, _>>()?;
    if per_host && !out.iter().any(OutRequest::is_xml) {
        return Err(CliError::new("--per-host needs an XML output (--out FILE.xml)")
            .hint("name one: --out all.xml --per-host writes all.xml, and all.HOST.xml for each host"));
    }
    Ok(Invocation::Merge(MergeRequest { files, out, per_host, xml_verdict, text_verdict, verbose, store }))
}
