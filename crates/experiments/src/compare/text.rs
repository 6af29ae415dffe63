//! The text form of a comparison.

use super::order::MIN_BOOTS;
use super::table::{FigureRow, lines_of_span, lines_that_decide, place};
use super::{
    AllowanceSource, ChangeVerdict, Compared, Names, OrderKind, RunComparison, SideDifference, SpanCompared,
    WorkloadCompared,
};
use diskspd_figures::units::count_of;
use diskspd_figures::units::table::{self, signed};
use diskspd_figures::units::visible::line;
use std::fmt::Write;

/// Returns the whole comparison, with tables of at most `room` columns.
pub fn text(comparison: &RunComparison, room: usize) -> String {
    let mut text = String::new();
    for (letter, side) in ["A", "B"].iter().zip(&comparison.sides) {
        let runs = if side.runs.len() == 1 { "1 run".into() } else { format!("{} runs", side.runs.len()) };
        let _ = writeln!(text, "{letter}: {} ({runs})", line(&side.name));
    }
    put_order(&mut text, comparison);
    text.extend(comparison.until_sure.iter().map(|sure| format!("{}\n", sure.sentence())));
    for difference in &comparison.not_comparable {
        let _ = writeln!(text, "\nNOT COMPARABLE: {}", sentence(difference));
    }
    for wrong in wrong_figures(comparison) {
        let _ = writeln!(text, "\nWRONG: {wrong}");
    }
    for (letter, alone) in ["A", "B"].iter().zip(&comparison.unmatched) {
        for name in alone {
            let _ = writeln!(text, "only in {letter}, not compared: {}", line(name));
        }
    }
    let several = comparison.time_spans.len() > 1;
    if several {
        text.push('\n');
        text += &table(comparison, ["A", "B"], room);
    }
    text.extend(error_rate(comparison).map(|rate| format!("{rate}\n")));
    for span in &comparison.time_spans {
        text.push('\n');
        if several {
            let _ = writeln!(text, "{}", place(comparison, span));
        }
        put_span(&mut text, span, room);
        let workload = comparison.workload(span);
        text.extend(
            workload.and_then(|workload| about_order(workload, span)).map(|about| format!("{about}\n")),
        );
    }
    if !comparison.differences.is_empty() {
        text.push_str("\nOther differences:\n");
        text.extend(differences_text(&comparison.differences).iter().map(|told| format!("  {told}\n")));
    }
    text
}

fn put_order(text: &mut String, comparison: &RunComparison) {
    let boots = comparison.workloads.first().and_then(|workload| workload.boot_order.as_deref());
    let _ = match (comparison.order_seed, boots) {
        (Some(seed), Some(boots)) => {
            writeln!(text, "Order of the boots: {boots}, random within each pair (seed {seed})")
        }
        (Some(seed), None) => writeln!(text, "Order: random within each pair (--order-seed {seed})"),
        (None, Some(boots)) => writeln!(text, "Order of the boots: {boots}"),
        (None, None) => Ok(()),
    };
}

/// Returns a sentence for each side with WRONG figures, because an apparent change may be a measurement of
/// something else, such as the page cache.
pub fn wrong_figures(comparison: &RunComparison) -> Vec<String> {
    let told = |(letter, side): (&str, &Names)| {
        let (wrong, all) = (side.wrong_runs, side.runs.len());
        (wrong > 0).then(|| {
            format!(
                "the figures of {wrong} of {all} runs of {letter} are WRONG: a change need not be one of \
                 the device; diskspd report RUN shows what was measured"
            )
        })
    };
    ["A", "B"].into_iter().zip(&comparison.sides).filter_map(told).collect()
}

pub fn table(comparison: &RunComparison, heads: [&'static str; 2], room: usize) -> String {
    let rows = lines_that_decide(comparison);
    let mut text = table::text_within(&FigureRow::columns(heads), &rows, room);
    text.extend(about_medians(&rows).map(|about| about.to_owned() + "\n"));
    text
}

/// Returns a sentence for each difference: `kernel: 6.1 in A, 6.2 in B`. Facts recorded by one side only
/// are combined at the end.
pub fn differences_text(differences: &[SideDifference]) -> Vec<String> {
    let both = differences.iter().filter(|one| one.first.is_some() && one.second.is_some()).map(sentence);
    both.chain(not_recorded(differences)).collect()
}

/// Formats `kernel: 6.1 in A, 6.2 in B`.
pub fn sentence(difference: &SideDifference) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not recorded".into());
    let [first, other] = [&difference.first, &difference.second].map(value);
    line(&format!("{}: {first} in A, {other} in B", difference.subject)).into_owned()
}

/// Returns the facts recorded by one side only, a sentence for each side: `not recorded in A: kernel, cpu
/// model`.
pub fn not_recorded(differences: &[SideDifference]) -> Vec<String> {
    let of_side = |side: &str, lacks: &dyn Fn(&SideDifference) -> bool| {
        let names: Vec<&str> =
            differences.iter().filter(|one| lacks(one)).map(|one| one.subject.as_str()).collect();
        let told = || line(&format!("not recorded in {side}: {}", names.join(", "))).into_owned();
        (!names.is_empty()).then(told)
    };
    let lacking = [of_side("A", &|one| one.first.is_none()), of_side("B", &|one| one.second.is_none())];
    lacking.into_iter().flatten().collect()
}

/// Returns the shared error rate of all time spans and workloads; `None` = there is only one.
pub fn error_rate(comparison: &RunComparison) -> Option<String> {
    let count = comparison.time_spans.len();
    let each = 100.0 * comparison.error_shares().confidence(count);
    (count > 1).then(|| {
        format!(
            "{count} figures decide together: if no figure differs, at most 5 of 100 comparisons call one \
             of them different (each interval has {each:.2} % confidence)."
        )
    })
}

/// Minimum reported change of both sides in percent.
const MIN_DRIFT: f64 = 1.0;

fn about_position(workload: &WorkloadCompared, primary: &Compared) -> Option<String> {
    let unit = if workload.boots.is_some() { "boot" } else { "run" };
    if let Some((period, allowed)) = workload.period.zip(primary.allowance) {
        let command = match workload.boots {
            Some(_) => "--repeat 3 --dir FOLDER OPTIONS TARGET",
            None => "--repeat 8 -- OPTIONS :: OPTIONS TARGET",
        };
        return Some(format!(
            "The sides follow a fixed pattern of {period} {unit}s: an effect of the position looks like a \
             change of B, so the interval is {:.0} % wider at both ends. Random pairs separate them: diskspd \
             compare {command}",
            allowed.percent
        ));
    }
    let effect = primary.position_percent?;
    Some(format!(
        "Position: {} changed by {} from the first to the second {unit} of a pair. Each side is first in \
         half of the pairs, so it affects both sides equally.",
        primary.title,
        signed(effect)
    ))
}

/// Returns the effect of the run order on the conclusion, and the way to a better one.
pub fn about_order(workload: &WorkloadCompared, span: &SpanCompared) -> Option<String> {
    let primary = span.metrics.first().filter(|metric| metric.sides.is_some())?;
    if let Some(about) = about_position(workload, primary) {
        return Some(about);
    }
    if let Some(drift) = primary.drift_percent {
        if drift.abs() < MIN_DRIFT {
            return None;
        }
        let of = if workload.boots.is_some() { "boots" } else { "runs" };
        return Some(format!(
            "Drift: {} of both sides changed by {} from the first pair of {of} to the last; A and B \
             alternate, so it affects both sides equally.",
            primary.title,
            signed(drift)
        ));
    }
    let allowed = primary.allowance.filter(|_| primary.confidence_percent.is_some())?;
    let when = match (workload.order, workload.boots) {
        (OrderKind::Unknown, _) => {
            "The runs have no recorded times, so the sides may have been measured sequentially".to_owned()
        }
        (_, Some([first, other])) => {
            format!("Each boot measured one side, {first} of them A and {other} B")
        }
        _ => "The sides were measured sequentially".to_owned(),
    };
    let of_kernels = workload.boots.map(|[first, other]| {
        format!(", for two kernels {} (--dir)", more_boots(first.saturating_add(other)))
    });
    let rests = match (allowed.sessions, allowed.known_by) {
        (0, AllowanceSource::Sessions | AllowanceSource::Position) => {
            "This machine's own drift between sessions is unknown".to_owned()
        }
        (0, AllowanceSource::Boots) => "This machine's own drift between boots is unknown".to_owned(),
        (0, AllowanceSource::NearerSessions(asked)) => format!(
            "This machine's own drift over {} is unknown: all known sessions are closer together",
            time_apart(asked)
        ),
        (count, AllowanceSource::Boots) => {
            format!("This machine's change from one boot to another was measured {count} times")
        }
        (count, _) => format!("This machine's change from one session to another was measured {count} times"),
    };
    Some(format!(
        "{when}: anything that changed in between looks like a change of B. {rests}: the interval is {:.0} % \
         wider at both ends. For a sure answer alternate the runs: diskspd compare --repeat 8 -- OPTIONS :: \
         OPTIONS TARGET{}",
        allowed.percent,
        of_kernels.unwrap_or_default()
    ))
}

pub(super) fn time_apart(ms: i64) -> String {
    const HOUR_MS: i64 = 3600 * 1000;
    match ms {
        ms if ms >= 48 * HOUR_MS => format!("{} days", ms / (24 * HOUR_MS)),
        ms if ms >= 2 * HOUR_MS => format!("{} hours", ms / HOUR_MS),
        ms => format!("{} minutes", ms / (60 * 1000)),
    }
}

pub fn more_boots(made: u32) -> String {
    match MIN_BOOTS.saturating_sub(made) {
        0 => format!("{MIN_BOOTS} boots in random pairs"),
        1 => "1 more boot".to_owned(),
        more => format!("{more} more boots"),
    }
}

/// Returns the reasons why the decisive figure cannot be judged; empty = it can.
pub fn unjudged_text(comparison: &RunComparison) -> Vec<String> {
    let spans = comparison.time_spans.iter().filter_map(|span| Some((span, span.metrics.first()?)));
    let without = spans.filter(|(_, metric)| metric.verdict == ChangeVerdict::NotCompared);
    let sentence = |(span, metric): (&SpanCompared, &Compared)| {
        let place = place(comparison, span);
        let place = if place.is_empty() { place } else { format!("{place}: ") };
        line(&format!("{place}{}: {}", metric.title, metric.reason.as_deref().unwrap_or("no figure")))
            .into_owned()
    };
    let mut why: Vec<String> = without.map(sentence).collect();
    if comparison.time_spans.is_empty() {
        why.push("no time span was measured on both sides".into());
    }
    for (letter, alone) in ["A", "B"].iter().zip(&comparison.unmatched) {
        why.extend(alone.iter().map(|name| format!("only {letter} has {}", line(name))));
    }
    why
}

fn put_span(text: &mut String, span: &SpanCompared, room: usize) {
    let same = span.same_percent;
    let lines: Vec<FigureRow> = lines_of_span(span).into_iter().filter(FigureRow::is_compared).collect();
    *text += &table::text_within(&FigureRow::columns(["A", "B"]), &lines, room);
    if let Some(primary) = span.metrics.first() {
        let ChangeText { verdict, more, found } = answer(primary, same);
        let medians = about_medians(&lines).map(str::to_owned);
        let lines: Vec<String> = [Some(verdict), medians, more, found].into_iter().flatten().collect();
        let _ = writeln!(text, "\n{}", lines.join("\n"));
        span.decisive_reason.iter().for_each(|why| text.push_str(&format!("{why}\n")));
    }
    for part in span.parts.iter().filter(|part| part.is_change()) {
        let _ = writeln!(text, "In the mix: {}", answer(part, same).verdict);
    }
    for metric in span.all().filter(|metric| metric.verdict == ChangeVerdict::NotCompared) {
        let why = metric.reason.as_deref().unwrap_or_default();
        let _ = writeln!(text, "not compared: {}: {}", metric.title, line(why));
    }
}

/// Explains changes that differ from the ratios of the printed medians, in digits that are printed.
fn about_medians(rows: &[FigureRow]) -> Option<&'static str> {
    let differs = |metric: &Compared| {
        let [first, other] = metric.sides.as_ref()?.each_ref().map(|side| side.median);
        let of_medians = 100.0 * (other / first - 1.0);
        Some((metric.change_percent? - of_medians).abs() >= 0.1 && of_medians.is_finite())
    };
    rows.iter().any(|row| differs(row.metric) == Some(true)).then_some(
        "A change is the median over pairs of runs, and can differ from the ratio of both columns.",
    )
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeText {
    pub verdict: String,
    pub more: Option<String>,
    pub found: Option<String>,
}

/// Returns the verdict of a figure in words; `same` = equivalence margin in percent.
pub fn answer(metric: &Compared, same: f64) -> ChangeText {
    let title = &metric.title;
    let change = metric.change_percent.map_or("from 0".into(), signed);
    let between = match (interval_text(metric, "and"), metric.confidence_percent, metric.allowance) {
        (Some(between), Some(_), Some(_)) => {
            format!("between {between} (including changes of the machine itself)")
        }
        (Some(between), Some(sure), None) => format!("between {between} ({sure:.1} % sure)"),
        _ => String::new(),
    };
    let verdict = match metric.verdict {
        ChangeVerdict::Better => format!("{title}: B is better: {change}, {between}."),
        ChangeVerdict::Worse => format!("{title}: B is worse: {change}, {between}."),
        ChangeVerdict::Same => format!("{title}: the same within {same} %: {between}."),
        ChangeVerdict::CantTell if metric.fewest_runs.is_some() => {
            format!("{title}: unknown: the runs are too few for an interval.")
        }
        ChangeVerdict::CantTell if between.is_empty() => {
            let cause = match metric.allowance {
                Some(_) => "the runs, or the machine between the sides, may differ",
                None => "the runs differ",
            };
            format!("{title}: unknown: {cause} by so much that the interval is wider than a factor of ten.")
        }
        ChangeVerdict::CantTell => format!("{title}: inconclusive: {between}."),
        ChangeVerdict::TwoRuns => {
            format!("{title}: differs by {change} in these two runs, which cannot show whether that repeats.")
        }
        ChangeVerdict::NotCompared => format!("{title}: not compared."),
    };
    ChangeText { verdict, more: more_runs_text(metric), found: detectable_change(metric) }
}

/// Returns the interval of the true change with a word between its ends; `None` = unknown.
pub fn interval_text(metric: &Compared, word: &str) -> Option<String> {
    metric.confidence_percent?;
    let high = metric.high_percent.map_or("any higher".into(), signed);
    let low = metric.low_percent.map_or("any lower".into(), signed);
    Some(format!("{low} {word} {high}"))
}

/// Returns a sentence about the machine's noise for each decisive figure, from two identical sides.
pub fn noise(comparison: &RunComparison) -> Vec<String> {
    let sentence = |metric: &Compared| {
        let (noise, least) = metric.noise_percent.zip(metric.detectable_percent)?;
        Some(format!(
            "{}: runs vary by about {noise:.1} %; this many runs detect a real change of {least:.1} % in 80 \
             of 100 cases",
            metric.title
        ))
    };
    comparison.primary().filter_map(sentence).collect()
}

/// Returns the minimum runs that can show a change.
pub(super) fn fewest_text(metric: &Compared, [first, other]: [u32; 2]) -> String {
    let made = metric.sides.as_ref().map_or(0, |sides| sides[0].values.len());
    match first == other || first as usize != made {
        true => format!("{} of each side", count_of(first as usize, "run")),
        false => format!("{} of B", count_of(other as usize, "run")),
    }
}

fn more_runs_text(metric: &Compared) -> Option<String> {
    let more_runs = |number: u32| count_of(number as usize, "more run");
    if !matches!(metric.verdict, ChangeVerdict::CantTell | ChangeVerdict::TwoRuns) {
        return None;
    }
    if let Some(fewest) = metric.fewest_runs.filter(|_| metric.more_runs.is_none()) {
        let (runs, [first, other]) = (fewest_text(metric, fewest), fewest);
        return Some(match first == other {
            true => format!(
                "An answer takes at least {runs}: diskspd compare --repeat {first} -- OPTIONS :: OPTIONS \
                 TARGET"
            ),
            false => format!("An answer takes at least {runs}."),
        });
    }
    metric.noise_percent.filter(|_| metric.allowance.is_none())?;
    let change = metric.change_percent.map_or("as it seems".into(), signed);
    let decide = |runs: String| {
        format!("If the change is really {change}, about {runs} would decide it in 80 of 100 cases.")
    };
    Some(match metric.more_runs {
        Some([more, 0]) => decide(format!("{} of A alone", more_runs(more))),
        Some([0, more]) => decide(format!("{} of B alone", more_runs(more))),
        Some([first, other]) if first == other => decide(format!("{} of each side", more_runs(first))),
        Some([first, other]) => decide(format!("{} of A and {other} of B", more_runs(first))),
        None => {
            "Even a thousand runs of each side would probably not decide it: reduce the noise first.".into()
        }
    })
}

fn detectable_change(metric: &Compared) -> Option<String> {
    let (noise, five) = (metric.noise_percent?, metric.power_5_percent?);
    let least = match metric.detectable_percent {
        Some(least) => format!(", one of {least:.1} % in 80 of 100 cases"),
        None => String::new(),
    };
    let runs = metric.sides.as_ref()?.iter().map(|side| side.values.len()).min()?;
    let roughly = match runs < MIN_RUNS_FOR_POWER {
        true => " This is a rough estimate: few runs say little about their scatter.",
        false => "",
    };
    Some(format!(
        "Runs scatter by {noise:.1} %; with this number of runs a change of 5 % is detected in {five:.0} of \
         100 cases{least}.{roughly}"
    ))
}

/// Least runs per side for which the printed probability of finding a change is accurate to 2 in 100
/// (docs/reference/compare.md). With fewer runs their variation is often underestimated.
const MIN_RUNS_FOR_POWER: usize = 8;
