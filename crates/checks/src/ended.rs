//! Premature end of a run. It applies to the whole run, because the end of a time span cancels the rest.

use super::{Finding, Severity};
use diskspd_figures::units::seconds_of_ns;
use diskspd_results::{EndedBy, Record};

/// Returns the end of a run. Hosts that report theirs do so with their names.
pub(super) fn of_run(record: &Record) -> Option<Finding> {
    let by_hosts = record.hosts.iter().filter_map(|host| host.summary.as_ref());
    if by_hosts.flat_map(|kept| &kept.findings).any(|found| found.name == "ended-early") {
        return None;
    }
    let spans = record.profile.time_spans.iter().zip(&record.host().results.time_spans);
    let early = |(_, (asked, got)): &(usize, (&diskspd_profile::TimeSpan, &diskspd_results::SpanResults))| {
        let complete =
            got.ended.and_then(|ended| ended.after).unwrap_or(0) >= u64::from(asked.duration) * 1_000_000_000;
        got.ended
            .is_some_and(|ended| !matches!(ended.cause, EndedBy::Time | EndedBy::Volume | EndedBy::Failure))
            && !complete
    };
    let (index, (asked, got)) = spans.enumerate().find(early)?;
    let ended = got.ended?;
    let count = record.profile.time_spans.len();
    let place = if count > 1 { format!(" in time span {}", index + 1) } else { String::new() };
    let by = ended.cause.name();
    let mut message = match ended.after.filter(|_| got.was_measured()) {
        Some(after) => {
            let seconds = seconds_of_ns(after);
            let asked = asked.duration;
            format!(
                "{by} ended the run{place} after {seconds:.2} of {asked} s: the figures cover {seconds:.2} s"
            )
        }
        None => format!("{by} ended the run{place} before measuring began"),
    };
    match (index + 2, count) {
        (first, last) if first == last => message += &format!("; time span {last} was not run"),
        (first, last) if first < last => message += &format!("; time spans {first} to {last} were not run"),
        _ => {}
    }
    let finding = Finding::of_machine("ended-early", Severity::Warning, message);
    Some(finding.in_time_span(got.was_measured().then_some(index + 1)))
}
