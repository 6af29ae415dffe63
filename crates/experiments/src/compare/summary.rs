//! An answer about several tests in a table and a sentence.

use super::allowance::MIN_SESSIONS;
use super::text::{fewest_text, time_apart};
use super::{AllowanceSource, ChangeVerdict, Compared, RunComparison, SpanCompared, place};
use diskspd_figures::units::count_of;
use diskspd_figures::units::visible::line;

/// Formats the answer: `4 tests: 2 the same, 1 worse (data by 12 %, 9 to 15), 1 can't tell (log: ..)`.
/// `seconds`: duration of a run of a test.
pub fn answer_sentence(comparison: &RunComparison, seconds: &dyn Fn(&str) -> f64) -> String {
    let spans = &comparison.time_spans;
    let of = |verdicts: &[ChangeVerdict]| -> Vec<(&SpanCompared, &Compared)> {
        let decides = spans.iter().filter_map(|span| Some((span, span.metrics.first()?)));
        decides.filter(|(_, metric)| verdicts.contains(&metric.verdict)).collect()
    };
    let name = |span: &SpanCompared| {
        let place = place(comparison, span);
        if place.is_empty() { place } else { format!("{place} ") }
    };
    let by = |(span, metric): &(&SpanCompared, &Compared)| match metric.change_percent {
        Some(change) => format!("{}by {:.1} %{}", name(span), change.abs(), bounds_text(metric)),
        None => format!("{}from 0", name(span)),
    };
    let of_one = |(span, metric): &(&SpanCompared, &Compared)| match (place(comparison, span), &metric.reason)
    {
        (place, Some(why)) if place.is_empty() => why.clone(),
        (place, Some(why)) => format!("{place}: {why}"),
        (place, None) => format!("{place} has no figure").trim_start().to_owned(),
    };
    let joined = |parts: Vec<String>| parts.join("; ");
    let mut parts = Vec::new();
    let same = of(&[ChangeVerdict::Same]);
    if !same.is_empty() {
        parts.push(format!("{} the same", same.len()));
    }
    for (verdict, word) in [(ChangeVerdict::Better, "better"), (ChangeVerdict::Worse, "worse")] {
        let found = of(&[verdict]);
        if !found.is_empty() {
            parts.push(format!("{} {word} ({})", found.len(), joined(found.iter().map(by).collect())));
        }
    }
    let open = of(&[ChangeVerdict::CantTell, ChangeVerdict::TwoRuns]);
    if !open.is_empty() {
        let reasons = joined(open_reasons(comparison, &open, seconds));
        parts.push(format!("{} inconclusive ({reasons})", open.len()));
    }
    let without = of(&[ChangeVerdict::NotCompared]);
    if !without.is_empty() {
        parts.push(format!(
            "{} not compared ({})",
            without.len(),
            joined(without.iter().map(of_one).collect())
        ));
    }
    for (letter, alone) in ["the baseline", "the new runs"].iter().zip(&comparison.unmatched) {
        if !alone.is_empty() {
            parts.push(format!("{} only in {letter} ({})", alone.len(), alone.join(", ")));
        }
    }
    let all = spans.len() + comparison.unmatched.iter().map(Vec::len).sum::<usize>();
    let tests = if all == 1 { "test" } else { "tests" };
    line(&format!("{all} {tests}: {}.", parts.join(", "))).into_owned()
}

fn open_reasons(
    comparison: &RunComparison,
    open: &[(&SpanCompared, &Compared)],
    seconds: &dyn Fn(&str) -> f64,
) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for (span, metric) in open {
        let why = what_would_tell(metric, seconds(comparison.workload_name(span)));
        let name = place(comparison, span);
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    let reason = |(why, names): &(String, Vec<String>)| match names.join(", ") {
        names if names.is_empty() => why.clone(),
        names => format!("{names}: {why}"),
    };
    reasons.iter().map(reason).collect()
}

/// Formats the interval of the true change without its sign: `, 9.0 to 15.0`.
fn bounds_text(metric: &Compared) -> String {
    let (Some(low), Some(high)) = (metric.low_percent, metric.high_percent) else { return String::new() };
    let (least, most) = if low.abs() < high.abs() { (low, high) } else { (high, low) };
    format!(", {:.1} to {:.1}", least.abs(), most.abs())
}

const TRUE_CHANGE_CONDITION: &str = ", if these runs show the true change";

fn what_would_tell(metric: &Compared, seconds: f64) -> String {
    let time = |runs: u32| match f64::from(runs) * seconds {
        long if long >= 90.0 => {
            format!("{:.0} more minutes would{TRUE_CHANGE_CONDITION}", (long / 60.0).ceil())
        }
        _ if runs == 1 => format!("1 more run would{TRUE_CHANGE_CONDITION}"),
        _ => format!("{runs} more runs would{TRUE_CHANGE_CONDITION}"),
    };
    if let Some(runs) = metric.more_of_b {
        return time(runs);
    }
    if let Some(fewest) = metric.fewest_runs.filter(|_| metric.more_runs.is_none()) {
        let (runs, repeat) = (fewest_text(metric, fewest), fewest[1]);
        return format!("too few runs to detect any difference: at least {runs} can (--repeat {repeat})");
    }
    let Some(allowed) = metric.allowance else {
        return match metric.more_runs {
            Some(more) => time(more[0] + more[1]),
            None => "more runs will not decide it: reduce the noise first".into(),
        };
    };
    let known_by = allowed.known_by;
    let unit = if known_by == AllowanceSource::Boots { "boot" } else { "session" };
    match (MIN_SESSIONS as u32).saturating_sub(allowed.seen) {
        0 if allowed.sessions == 0 => {
            let AllowanceSource::NearerSessions(asked) = known_by else {
                return "more sessions would".into();
            };
            format!(
                "the known sessions are closer together than the two sides, {}: run these tests in sessions \
                 over as long a time to measure the machine's own drift",
                time_apart(asked)
            )
        }
        0 => format!(
            "smaller than the machine's possible drift between {unit}s ({:.1} %): only alternating runs can \
             show it",
            allowed.percent
        ),
        more => {
            let after = if known_by == AllowanceSource::Boots { ", each after a separate boot," } else { "" };
            format!(
                "run {} of these tests{after} to measure the machine's own drift",
                count_of(more as usize, "more session")
            )
        }
    }
}
