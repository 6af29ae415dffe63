//! Cause of the end of a time span with `--until-written` or `--until-read`: the amount of data, or the time.

use super::{Finding, Severity, SpanContext};
use diskspd_figures::units::amount;
use diskspd_results::{EndedBy, Table};

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let Some(observed) = &span.results.observed else { return Vec::new() };
    let measured = span.measured;
    let goals = [
        ("--until-written", "written", observed.until_written, &measured.write),
        ("--until-read", "read", observed.until_read, &measured.read),
    ];
    let by = span.results.ended.map(|ended| ended.cause);
    let found = goals.into_iter().filter_map(|(option, word, asked, table)| {
        let done = |table: &Table| table.total.throughput.bytes;
        let (asked, done) = (asked?, done(table));
        let (seconds, longest) = (measured.seconds, span.asked.duration);
        match by? {
            EndedBy::Volume if done >= asked => Some(Finding::new(
                "amount-reached",
                Severity::Note,
                span,
                format!(
                    "measuring ended after {seconds:.2} s by {option}, before the time (-d{longest}): {} \
                     were {word}, {} requested",
                    amount(done),
                    amount(asked)
                ),
            )),
            EndedBy::Time if done < asked => {
                let message = format!(
                    "measuring ended by the time (-d{longest}) before {option} was reached: {} of {} were \
                     {word}, {:.0} %",
                    amount(done),
                    amount(asked),
                    (done as f64 / asked as f64 * 100.0).floor()
                );
                let remedy = format!("raise -d to allow enough time for all to be {word}");
                Some(Finding::new("amount-not-reached", Severity::Warning, span, message).remedy(remedy))
            }
            _ => None,
        }
    });
    found.collect()
}
