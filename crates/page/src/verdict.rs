//! The verdict, placed first: the credibility of the figures, and their caveats.

use super::input::Run;
use super::page::options;
use diskspd_checks::{DeviceVerdict, Finding, Judgement, Severity, Verdict};
use diskspd_experiments::compare::ChangeVerdict;
use diskspd_figures::units::mark::{Tone, VerdictMark};
use diskspd_figures::units::visible::line;
use diskspd_profile::RawText;
use diskspd_report::page_table::mark_markup;
use diskspd_report::workload_text as workload;
use diskspd_report::workload_text::capital;
use diskspd_results::RunVerdict;
use maud::{Markup, html};

pub(crate) const UNCONFIRMED: &str =
    "No finding speaks against the figures, but no device could confirm them.";

/// Verdict with word and symbol, which are clear without colors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Badge(pub VerdictMark);

impl Badge {
    fn new(tone: Tone, sign: &'static str, word: impl Into<String>) -> Badge {
        Badge(VerdictMark::new(tone, sign, word))
    }

    pub(crate) fn for_severity(severity: Severity) -> Badge {
        Badge(severity.mark())
    }

    pub(crate) fn of_change(verdict: ChangeVerdict) -> Badge {
        Badge(verdict.mark())
    }

    pub(crate) fn class(&self) -> &'static str {
        self.0.tone.name()
    }

    pub(crate) fn word(&self) -> &str {
        &self.0.word
    }

    pub(crate) fn markup(&self) -> Markup {
        mark_markup(&self.0)
    }
}

/// Returns the verdict and severity of a run.
pub(crate) fn run_verdict(run: &Run) -> RunVerdict {
    let device = match run.judged {
        Some(judged) => judged.judgement.verdicts.iter().map(|verdict| verdict.verdict).max(),
        None => run.known.verdict(),
    };
    RunVerdict::new(device, run.judged.map_or(run.known.worst_severity(), |judged| judged.judgement.worst()))
}

/// Returns the verdict and severity of a time span (from 1), without findings about the whole run.
pub(crate) fn span_verdict(run: &Run, number: usize) -> RunVerdict {
    let Some(judgement) = run.judged.map(|judged| &judged.judgement) else {
        let span = run.known.time_spans.get(number - 1).and_then(Option::as_ref);
        return RunVerdict::new(span.and_then(|span| span.verdict), None);
    };
    let verdict = judgement.verdicts.iter().find(|verdict| verdict.time_span == number);
    let own = judgement.findings.iter().filter(|found| found.place.time_span == Some(number));
    let worst = own.map(|found| found.severity).chain(verdict.and_then(|verdict| verdict.severity)).max();
    RunVerdict::new(verdict.map(|verdict| verdict.verdict), worst)
}

pub(crate) fn verdict_badge(verdict: Option<Verdict>) -> Markup {
    verdict
        .map_or_else(|| Badge::new(Tone::Unknown, "?", "NOT CHECKED"), |known| Badge(known.mark()))
        .markup()
}

pub(crate) fn severity_badge(severity: Option<Severity>) -> Markup {
    severity.map_or_else(|| Badge::new(Tone::Good, "✓", "NO FINDING"), Badge::for_severity).markup()
}

/// Renders verdict and severity next to each other.
pub(crate) fn badges(verdict: RunVerdict) -> Markup {
    html! { (verdict_badge(verdict.device)) " " (severity_badge(verdict.severity)) }
}

fn is_recorded(run: &Run) -> bool {
    run.judged.is_some() || run.known.findings.is_some()
}

fn meaning(run: &Run, verdict: RunVerdict) -> &'static str {
    match verdict {
        _ if !is_recorded(run) => "The record has no verdict on the figures.",
        _ if verdict.is_wrong() => "Do not use these figures: they do not match the request, see below.",
        _ if verdict.is_limited() => "The figures are correct, but the warnings below limit their meaning.",
        RunVerdict { device: Some(Verdict::Verified), .. } => {
            "The devices did as much as the run counted, and no finding limits the figures."
        }
        _ => UNCONFIRMED,
    }
}

/// Returns the class of the style sheet for the worse of verdict and severity.
fn tone_class(verdict: RunVerdict) -> &'static str {
    let severity = verdict.severity.filter(|severity| *severity > Severity::Note).map(Severity::mark);
    let mark = severity.or_else(|| verdict.device.map(Verdict::mark));
    mark.map_or(Tone::Unknown, |mark| mark.tone).name()
}

pub(crate) fn verdict(run: &Run, prefix: &str) -> Markup {
    let verdict = run_verdict(run);
    let badges = match is_recorded(run) {
        true => badges(verdict),
        false => Badge::new(Tone::Unknown, "?", "NOT RECORDED").markup(),
    };
    let head = html! { p.word { (badges) " " (meaning(run, verdict)) } };
    match run.judged {
        Some(judged) => {
            let spans = SpanLinks { names: workload::names(&run.known), prefix };
            of_judgement(&judged.judgement, &spans, tone_class(verdict), &head)
        }
        None => {
            let names = run.known.findings.as_ref().map(|found| found.names.as_slice()).unwrap_or_default();
            html! {
                div.judgement.{(tone_class(verdict))} {
                    (head)
                    @if !names.is_empty() { ul.evidence { @for name in names { li { (line(name)) } } } }
                }
            }
        }
    }
}

struct SpanLinks<'a> {
    names: Vec<String>,
    /// Prefix of the ids of their sections.
    prefix: &'a str,
}

impl SpanLinks<'_> {
    fn span_link(&self, number: usize) -> Option<Markup> {
        let name = self.names.get(number.checked_sub(1)?).filter(|_| self.names.len() > 1)?;
        Some(html! { a href={ "#" (span_id(self.prefix, number)) } { (name) } })
    }
}

/// Returns the anchor of the section of a time span (from 1) on the page.
pub(crate) fn span_id(prefix: &str, number: usize) -> String {
    format!("{prefix}-span-{number}")
}

fn of_judgement(judgement: &Judgement, spans: &SpanLinks, class: &str, head: &Markup) -> Markup {
    // Includes findings from before the run, on which the verdict depends.
    let told = |finding: &&Finding| finding.severity > Severity::Note;
    let (told, rest): (Vec<&Finding>, Vec<&Finding>) = judgement.findings.iter().partition(told);
    let parts = judgement
        .verdicts
        .iter()
        .flat_map(|verdict| verdict.parts.iter().map(|part| (verdict.time_span, part)));
    let parts = parts.map(|(number, part)| (part.severity, render_device(part, spans.span_link(number))));
    let told = told.into_iter().map(|finding| (Some(finding.severity), render_statement(finding, spans)));
    let mut statements: Vec<(Option<Severity>, Markup)> = parts.chain(told).collect();
    // Verdicts stand before findings that are as bad; one that takes nothing away stands below all that does.
    statements.sort_by_key(|(severity, _)| std::cmp::Reverse(severity.unwrap_or(Severity::Note)));
    html! {
        div.judgement.{(class)} {
            (head)
            ul.statements { @for (_, statement) in &statements { (statement) } }
        }
        @if !rest.is_empty() {
            details.notes {
                summary { "Notes" span.quiet { ", " (rest.len()) } }
                ul.statements { @for finding in rest { (render_statement(finding, spans)) } }
            }
        }
    }
}

fn render_statement(finding: &Finding, spans: &SpanLinks) -> Markup {
    let span = finding.place.time_span.and_then(|number| spans.span_link(number));
    let target = finding.place.target.as_slice();
    let badge = Badge::for_severity(finding.severity);
    finding_box(&badge.markup(), span, target, &finding.message, &finding.evidence, finding.remedy.as_deref())
}

fn render_device(part: &DeviceVerdict, span: Option<Markup>) -> Markup {
    let severity = part.severity.map(|severity| Badge::for_severity(severity).markup());
    let marks =
        html! { (verdict_badge(Some(part.verdict))) @if let Some(severity) = severity { " " (severity) } };
    finding_box(&marks, span, &part.targets, &part.message, &part.evidence, part.remedy.as_deref())
}

/// Renders one statement: severity, time span, text, targets, reason, and advice.
pub(crate) fn finding_box(
    badges: &Markup,
    span: Option<Markup>,
    targets: &[RawText],
    message: &str,
    evidence: &[String],
    remedy: Option<&str>,
) -> Markup {
    html! {
        li {
            div.marks { (badges) }
            div {
                p {
                    @if let Some(span) = span { b { (span) ": " } }
                    (options(&capital(&line(message)))) "."
                    @if let [target] = targets { " " code.quiet { (target) } }
                    @if targets.len() > 1 { span.quiet { " " (targets.len()) " targets" } }
                }
                @if !evidence.is_empty() {
                    ul.evidence { @for fact in evidence { li { (options(&line(fact))) } } }
                }
                @if let Some(remedy) = remedy { p.remedy { (options(&capital(&line(remedy)))) "." } }
            }
        }
    }
}
