//! Findings in this program's results (`--xml-verdict`); DISKSPD does not write any.

use super::walk::ElementReader;
use diskspd_base::finding::Severity;
use diskspd_profile::xml::error::XmlErrorAt;
use diskspd_results::Findings;
use diskspd_results::Verdict;

#[derive(Default)]
pub(super) struct XmlFindings {
    findings: Vec<(String, Option<Severity>)>,
    verdicts: Vec<Option<Severity>>,
}

impl XmlFindings {
    pub(super) fn read(&mut self, walk: &mut ElementReader) -> Result<(), XmlErrorAt> {
        walk.children("Findings", |walk, tag, _| {
            if tag.name().as_ref() != "Finding" {
                return walk.skip();
            }
            let (mut name, mut severity) = (String::new(), None);
            walk.children("Finding", |walk, tag, at| {
                match tag.name().as_ref() {
                    "Name" => name = walk.text("Name")?,
                    "Severity" => severity = walk.word(("Severity", at), stated_severity)?,
                    _ => walk.skip()?,
                }
                Ok(())
            })?;
            self.findings.push((name, severity));
            Ok(())
        })
    }

    pub(super) fn verdict(&mut self, walk: &mut ElementReader) -> Result<Option<Verdict>, XmlErrorAt> {
        let mut verdict = None;
        walk.children("DeviceVerdict", |walk, tag, at| {
            match tag.name().as_ref() {
                "Verdict" => verdict = Some(walk.word(("Verdict", at), Verdict::by_name)?),
                "Severity" => self.verdicts.push(walk.word(("Severity", at), stated_severity)?),
                _ => walk.skip()?,
            }
            Ok(())
        })?;
        Ok(verdict)
    }

    /// Returns all findings; `None` = the results contain no verdict.
    pub(super) fn findings(mut self) -> Option<Findings> {
        if self.findings.is_empty() && self.verdicts.is_empty() {
            return None;
        }
        let severities = self.findings.iter().map(|(_, severity)| *severity).chain(self.verdicts);
        let worst = severities.max().flatten();
        self.findings.sort_by_key(|(_, severity)| std::cmp::Reverse(*severity));
        Some(Findings::new(worst, self.findings.iter().map(|(name, _)| name.as_str())))
    }
}

fn stated_severity(word: &str) -> Option<Option<Severity>> {
    match word {
        "none" => Some(None),
        word => Severity::from_word(word).map(Some),
    }
}
