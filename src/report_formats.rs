//! The formats of a report by name and by extension of a file. A format is a writer of `report` or `page`.

use crate::checks::JudgedRecord;
use crate::formats::json;
use crate::report::{csv, metrics, text, xml};
use crate::results::Record;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    /// File name extensions that stand for it, without the dot; the first one is the usual one.
    pub extensions: &'static [&'static str],
    pub of_runs: ReportRuns,
    /// Writes the whole report, in parts if it can be large. Fails with the errors of the sink.
    pub write: fn(&JudgedRecord, &mut dyn Write) -> io::Result<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportRuns {
    InTurn,
    AsOne,
    /// One answer, and a numbered file per run.
    OneEach,
    Latest,
}

impl Format {
    /// Returns this form, or on request its variant with verdicts and findings where this one has no place
    /// for them.
    pub fn with_verdicts(&'static self, asked: VerdictForm) -> &'static Format {
        match self.name {
            "xml" if asked.xml => &XML_WITH_VERDICT,
            "text" if asked.text => &TEXT_WITH_VERDICT,
            _ => self,
        }
    }

    /// Returns the whole report of a record.
    pub fn bytes(&self, record: &Record) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Memory takes everything.
        let _ = (self.write)(&JudgedRecord::new(record), &mut bytes);
        bytes
    }
}

/// DISKSPD formats that can include verdicts and findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerdictForm {
    pub xml: bool,
    pub text: bool,
}

impl VerdictForm {
    pub const ALL: VerdictForm = VerdictForm { xml: true, text: true };
}

pub const TEXT: Format =
    Format { name: "text", extensions: &["txt"], of_runs: ReportRuns::AsOne, write: text::write };

pub const HTML: Format = Format {
    name: "html",
    extensions: &["html", "htm"],
    of_runs: ReportRuns::AsOne,
    write: diskspd_page::write,
};

const XML: Format =
    Format { name: "xml", extensions: &["xml"], of_runs: ReportRuns::InTurn, write: xml::write };

pub const FORMATS: &[Format] = &[
    TEXT,
    XML,
    Format { name: "json", extensions: &["json"], of_runs: ReportRuns::OneEach, write: json::write_readable },
    Format { name: "csv", extensions: &["csv"], of_runs: ReportRuns::OneEach, write: csv::write },
    HTML,
    Format {
        name: "prom",
        extensions: &["prom"],
        of_runs: ReportRuns::Latest,
        write: metrics::write_prometheus,
    },
    Format {
        name: "openmetrics",
        extensions: &["om"],
        of_runs: ReportRuns::Latest,
        write: metrics::write_openmetrics,
    },
];

/// XML with additional elements (`--xml-verdict`).
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
