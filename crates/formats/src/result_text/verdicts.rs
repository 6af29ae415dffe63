//! The verdict of this program's reports: below `Verdict:` (`--text-verdict`), or after a report whose
//! standard error went to the same file.
//!
//! ```text
//! SHARED (WARNING): time span 2: others used vda during the run
//!                   -> stop the other users of the device
//! NOTE: the limit is unclear
//! ```

use super::lines::TextPiece;
use diskspd_base::finding::Severity;
use diskspd_results::{Findings, SpanSummary, Verdict};

const HEADING: &str = "Verdict:";

/// Reads the verdicts of the devices into their time spans. Returns the findings of the run; `None` if the
/// report contains no verdict.
pub(super) fn read(report: TextPiece, spans: &mut [Option<SpanSummary>]) -> Option<Findings> {
    let is_first =
        |text: &str| text == HEADING || read_label(text).is_some_and(|(label, _)| label.0.is_some());
    let lines = report.lines().map(|line| line.text).skip_while(|text| !is_first(text));
    let mut worst = None;
    let mut is_empty = true;
    for text in lines {
        is_empty = false;
        let Some(((verdict, severity), message)) = read_label(text) else { continue };
        worst = worst.max(severity);
        let number = time_span_number(message);
        for (span, _) in spans.iter_mut().zip(1..).filter(|(_, at)| number.is_none_or(|number| number == *at))
        {
            span.iter_mut().for_each(|span| span.verdict = span.verdict.max(verdict));
        }
    }
    (!is_empty).then(|| Findings::new(worst, []))
}

type Label = (Option<Verdict>, Option<Severity>);

/// Parses `VERIFIED: ..`, `SHARED (WARNING): ..`, `NOTE: ..`.
fn read_label(text: &str) -> Option<(Label, &str)> {
    let (label, message) = text.split_once(": ")?;
    let (word, severity) = match label.strip_suffix(')').and_then(|label| label.split_once(" (")) {
        Some((word, severity)) => (word, Some(read_severity(severity)?)),
        None => (label, read_severity(label)),
    };
    let verdict = Verdict::by_name(word).filter(|verdict| verdict.word() == word);
    (verdict.is_some() || severity.is_some() && word == label).then_some(((verdict, severity), message))
}

fn read_severity(word: &str) -> Option<Severity> {
    Severity::from_word(&word.to_lowercase()).filter(|severity| severity.capitals() == word)
}

fn time_span_number(message: &str) -> Option<usize> {
    let rest = message.strip_prefix("time span ")?;
    rest.split([',', ':']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, count: usize) -> (Vec<Option<Verdict>>, Option<Option<Severity>>) {
        let mut spans = vec![Some(SpanSummary::default()); count];
        let findings = read(TextPiece { first: 1, text }, &mut spans);
        let verdicts = spans.into_iter().map(|span| span?.verdict).collect();
        (verdicts, findings.map(|findings| findings.severity))
    }

    #[test]
    fn verdict_and_worst_severity_are_read() {
        use Verdict::{Cached, Shared, Verified};
        for (text, verdicts, severity) in [
            ("", vec![None], None),
            ("WARNING: of the run, without a verdict", vec![None], None),
            ("Verdict:\nVERIFIED: as much", vec![Some(Verified)], Some(None)),
            ("total: 1\nVERIFIED: as much\nNOTE: limit", vec![Some(Verified)], Some(Some(Severity::Note))),
            (
                "Verdict:\nWARNING: busy\n  SHARED (NOTE): x",
                vec![Some(Shared)],
                Some(Some(Severity::Warning)),
            ),
            ("Verdict:\nCached: x\nthe device: 3", vec![None], Some(None)),
            (
                "Verdict:\nCACHED (WRONG): time span 2: x\nVERIFIED: time span 1, target 1 'a': x",
                vec![Some(Verified), Some(Cached)],
                Some(Some(Severity::Wrong)),
            ),
        ] {
            assert_eq!(found(text, verdicts.len()), (verdicts, severity), "{text}");
        }
    }
}
