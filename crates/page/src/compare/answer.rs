//! The changes, in words.

use super::{ComparisonPage, LETTERS, name, of_span};
use crate::verdict::{Badge, finding_box};
use diskspd_base::finding::Severity;
use diskspd_experiments::compare::{self, ChangeVerdict, Compared, RunComparison, SpanCompared};
use diskspd_figures::units::table::signed;
use diskspd_figures::units::visible::line;
use maud::{Markup, html};

/// Returns the change, or the number of changes of each kind: `IOPS WORSE, -38.1 %`.
pub(super) fn in_short(comparison: &RunComparison) -> String {
    let deciding: Vec<&Compared> = comparison.primary().collect();
    if let [one] = deciding[..] {
        let mark = one.verdict.mark();
        let change = one.change_percent.map(|percent| format!(", {}", signed(percent))).unwrap_or_default();
        return format!("{} of B against A: {}{change}", name(one), mark.word);
    }
    let verdicts = [
        ChangeVerdict::Worse,
        ChangeVerdict::Better,
        ChangeVerdict::Same,
        ChangeVerdict::CantTell,
        ChangeVerdict::TwoRuns,
        ChangeVerdict::NotCompared,
    ];
    let count = |verdict: ChangeVerdict| {
        let count = deciding.iter().filter(|one| one.verdict == verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.mark().word))
    };
    match deciding.is_empty() {
        true => "nothing compared".to_owned(),
        false => verdicts.into_iter().filter_map(count).collect::<Vec<_>>().join(", "),
    }
}

pub(super) fn verdicts(page: &ComparisonPage) -> Markup {
    let warnings = warnings(page);
    html! {
        @if let Some(sentence) = page.sentence { p.lead { (line(sentence)) } }
        @if page.comparison.time_spans.is_empty() { p { "No time span was measured on both sides." } }
        @if let Some(sure) = &page.comparison.until_sure { p.lead { (sure.sentence()) } }
        @if let Some(rate) = compare::error_rate(page.comparison) { p.lead { (rate) } }
        @for (letter, alone) in LETTERS.iter().zip(&page.comparison.unmatched) {
            @for one in alone { p { "Only in " (letter) ", not compared: " (line(one)) } }
        }
        @for (number, span) in page.comparison.time_spans.iter().enumerate() {
            // Common findings are printed once.
            (render_verdict(page, span, if number == 0 { &warnings } else { &[] }))
        }
        @if page.is_noise {
            p.lead { "Both sides are the same: the differences are this machine's own noise." }
            ul.evidence { @for sentence in compare::noise(page.comparison) { li { (sentence) "." } } }
        }
    }
}

fn render_verdict(page: &ComparisonPage, span: &SpanCompared, warnings: &[(Severity, String)]) -> Markup {
    let Some((primary, others)) = span.metrics.split_first() else { return html! {} };
    let badge = Badge::of_change(primary.verdict);
    let answer = compare::answer(primary, span.same_percent);
    let workload = page.comparison.workload(span);
    let order = workload.and_then(|workload| compare::about_order(workload, span));
    let sentences =
        [&primary.reason, &answer.more, &answer.found, &order].into_iter().flatten().map(String::as_str);
    let evidence: Vec<&str> = span.decisive_reason.as_deref().into_iter().chain(sentences).collect();
    let changed: Vec<&Compared> =
        others.iter().chain(&span.parts).filter(|figure| figure.is_change()).collect();
    html! {
        div.judgement.{(badge.class())} {
            p.word { (badge.markup()) " " (of_span(page, span)) (answer.verdict) }
            @if !evidence.is_empty() { ul.evidence { @for fact in &evidence { li { (fact) } } } }
            @if !warnings.is_empty() || !changed.is_empty() {
                ul.statements {
                    @for (severity, message) in warnings {
                        (finding_box(&Badge::for_severity(*severity).markup(), None, &[], message, &[], None))
                    }
                    @for metric in changed {
                        (finding_box(
                        &Badge::of_change(metric.verdict).markup(), None, &[], &metric_text(metric), &[],
                        None,
                    ))
                    }
                }
            }
        }
    }
}

fn metric_text(metric: &Compared) -> String {
    let change = metric.change_percent.map(signed).unwrap_or_default();
    let between = compare::interval_text(metric, "and").unwrap_or_default();
    format!("{}: {change}, between {between}", name(metric))
}

fn warnings(page: &ComparisonPage) -> Vec<(Severity, String)> {
    let other_work = page.comparison.not_comparable.iter().map(|difference| {
        let sentence = compare::sentence(difference);
        (
            Severity::Warning,
            format!("the sides ran different workloads, so their figures cannot be ranked: {sentence}"),
        )
    });
    let wrong = compare::wrong_figures(page.comparison).into_iter().map(|told| (Severity::Wrong, told));
    wrong.chain(other_work).collect()
}
