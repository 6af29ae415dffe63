//! Findings about a run: an element that DISKSPD's results do not have (`--xml-verdict`).

use super::writer::Writer;
use diskspd_base::finding::{Finding, Severity};

/// Writes `<Findings>` with one `<Finding>` each, worst first; nothing without findings.
pub(super) fn write<'a>(out: &mut Writer, findings: impl Iterator<Item = &'a Finding>) {
    let mut findings = findings.peekable();
    if findings.peek().is_none() {
        return;
    }
    out.open("Findings");
    findings.for_each(|finding| write_one(out, finding));
    out.close("Findings");
}

fn write_one(out: &mut Writer, finding: &Finding) {
    out.open("Finding");
    out.value("Name", finding.name);
    out.value("Severity", severity(Some(finding.severity)));
    if let Some(target) = &finding.place.target {
        out.text("Target", target.as_bytes());
    }
    out.text("Message", finding.message.as_bytes());
    finding.evidence.iter().for_each(|evidence| out.text("Evidence", evidence.as_bytes()));
    if let Some(remedy) = &finding.remedy {
        out.text("Remedy", remedy.as_bytes());
    }
    out.close("Finding");
}

/// Returns the severity as in the JSON record; `none` = no finding.
pub(super) fn severity(severity: Option<Severity>) -> &'static str {
    severity.map_or("none", Severity::word)
}
