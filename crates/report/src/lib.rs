//! Reports: pure functions of a record.

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

/// Appends formatted text to a `Vec<u8>`, which can't fail. Bytes, not a `String`, because paths need not
/// be UTF-8.
macro_rules! put {
    ($out:expr, $($format:tt)*) => {{
        use std::io::Write;
        let _ = $out.write_fmt(format_args!($($format)*));
    }};
}

pub mod answers;
pub mod csv;
pub mod findings;
mod fio_text;
mod hosts;
mod hosts_text;
pub mod html;
pub mod live;
pub mod metrics;
mod number;
pub mod openmetrics;
mod paced_text;
pub mod plan_text;
pub mod profile_text;
pub mod profile_xml;
mod program_text;
pub mod run_summary_text;
pub mod run_text;
pub mod runs;
pub mod secondary;
mod slow_text;
pub mod spark;
pub mod text;
mod text_tables;
mod text_v2_3;
mod trace_sections;
mod trace_text;
pub mod verdicts;
pub mod workload_text;
pub mod xml;

use diskspd_judge::checks::JudgedRecord;
use diskspd_judge::record::json;
use diskspd_model::results::Record;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    /// File name extensions that stand for it, without the dot; the first one is the usual one.
    pub extensions: &'static [&'static str],
    pub of_runs: OfRuns,
    /// Writes the whole report, in parts if it can be large. Fails with the errors of the sink.
    pub write: fn(&JudgedRecord, &mut dyn Write) -> io::Result<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfRuns {
    /// One report after the other.
    InTurn,
    /// The answer of the repetition.
    AsOne,
    /// The answer, and a numbered file for each run.
    OneEach,
    /// The report of the latest run.
    Latest,
}

impl Format {
    /// Returns this form, or on request its variant with verdicts and findings where this one has no place
    /// for them.
    pub fn with_verdicts(&'static self, asked: WithVerdicts) -> &'static Format {
        match self.name {
            "xml" if asked.xml => &XML_WITH_VERDICT,
            "text" if asked.text => &TEXT_WITH_VERDICT,
            _ => self,
        }
    }

    /// The whole report of a record at once.
    pub fn bytes(&self, record: &Record) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Memory takes everything.
        let _ = (self.write)(&JudgedRecord::new(record), &mut bytes);
        bytes
    }
}

/// The DISKSPD forms that additionally get verdicts and findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WithVerdicts {
    pub xml: bool,
    pub text: bool,
}

impl WithVerdicts {
    pub const ALL: WithVerdicts = WithVerdicts { xml: true, text: true };
}

pub const TEXT: Format =
    Format { name: "text", extensions: &["txt"], of_runs: OfRuns::AsOne, write: text::write };

pub const HTML: Format =
    Format { name: "html", extensions: &["html", "htm"], of_runs: OfRuns::AsOne, write: html::write };

const XML: Format = Format { name: "xml", extensions: &["xml"], of_runs: OfRuns::InTurn, write: xml::write };

pub const FORMATS: &[Format] = &[
    TEXT,
    XML,
    Format { name: "json", extensions: &["json"], of_runs: OfRuns::OneEach, write: json::write_readable },
    Format { name: "csv", extensions: &["csv"], of_runs: OfRuns::OneEach, write: csv::write },
    HTML,
    Format { name: "prom", extensions: &["prom"], of_runs: OfRuns::Latest, write: metrics::write_prometheus },
    Format {
        name: "openmetrics",
        extensions: &["om"],
        of_runs: OfRuns::Latest,
        write: metrics::write_openmetrics,
    },
];

/// XML with elements more than DISKSPD's has (`--xml-verdict`).
static XML_WITH_VERDICT: Format = Format { write: xml::write_with_verdict, ..XML };

static TEXT_WITH_VERDICT: Format = Format { write: text::write_with_verdict, ..TEXT };

pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Returns the form for a file's extension, in either case; `None` if unknown.
pub fn format_of(file: &Path) -> Option<&'static Format> {
    let extension = file.extension()?.to_str()?;
    FORMATS.iter().find(|f| f.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension)))
}
