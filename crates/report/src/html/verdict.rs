//! The verdict, placed first: the credibility of the figures, and their caveats.

use super::input::Run;
use super::page::options;
use super::table::mark_markup;
use crate::workload_text::{self as workload, capital};
use diskspd_judge::checks::{DeviceVerdict, Finding, Judgement, Severity, Verdict};
use diskspd_judge::experiments::RunVerdict;
use diskspd_judge::experiments::compare::ChangeVerdict;
use diskspd_model::profile::RawText;
use diskspd_model::results::Findings;
use diskspd_model::units::mark::{Tone, VerdictMark};
use diskspd_model::units::visible::line;
use maud::{Markup, html};

pub const UNCONFIRMED: &str = "No finding speaks against the figures, but no device could confirm them.";

/// Appearance and word of a verdict, so that colours are not necessary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge(pub VerdictMark);

impl Badge {
    fn new(tone: Tone, sign: &'static str, word: impl Into<String>) -> Badge {
        Badge(VerdictMark::new(tone, sign, word))
    }

    pub fn for_severity(severity: Severity) -> Badge {
        match severity {
            Severity::Error => Badge::new(Tone::Wrong, "✕", "ERROR"),
            Severity::Wrong => Badge::new(Tone::Wrong, "✕", "WRONG"),
            Severity::Warning => Badge::new(Tone::Warning, "!", "WARNING"),
            Severity::Note => Badge::new(Tone::Note, "i", "NOTE"),
        }
    }

    fn of_verdict(verdict: Verdict, severity: Option<Severity>) -> Badge {
        match severity {
            Some(severity @ (Severity::Error | Severity::Wrong | Severity::Warning)) => {
                Badge(VerdictMark { word: verdict.word().into(), ..Badge::for_severity(severity).0 })
            }
            _ => Badge::of_devices(verdict),
        }
    }

    pub fn of_run(run: &Run) -> Badge {
        match run.judged {
            Some(judged) => Badge::of_judgement(&judged.judgement),
            None => Badge::of_findings(run.known.findings.as_ref()),
        }
    }

    /// Returns the badge of a run's time span (from 1), only from its findings.
    pub fn of_span(run: &Run, number: usize) -> Badge {
        let Some(judgement) = run.judged.map(|judged| &judged.judgement) else {
            let span = run.known.time_spans.get(number - 1).and_then(Option::as_ref);
            return match span.and_then(|span| span.verdict.as_ref()) {
                Some(verdict) => Badge::of_devices(*verdict),
                None => Badge::of_findings(None),
            };
        };
        let verdict = judgement.verdicts.iter().find(|verdict| verdict.time_span == number);
        let own = judgement.findings.iter().filter(|found| found.place.time_span == Some(number));
        let worst = own.map(|found| found.severity).chain(verdict.and_then(|verdict| verdict.severity)).max();
        match (worst, verdict) {
            (_, Some(verdict)) if verdict.severity >= worst => Badge::of_verdict(verdict.verdict, worst),
            (Some(severity @ (Severity::Error | Severity::Wrong | Severity::Warning)), _) => {
                Badge::for_severity(severity)
            }
            (_, Some(verdict)) => Badge::of_verdict(verdict.verdict, verdict.severity),
            (_, None) => Badge::new(Tone::Unknown, "?", "NOT CHECKED"),
        }
    }

    fn of_judgement(judgement: &Judgement) -> Badge {
        let worst = judgement.worst();
        let verdict = judgement.verdicts.iter().max_by_key(|verdict| (verdict.severity, verdict.verdict));
        match (worst, verdict) {
            (Some(severity @ (Severity::Error | Severity::Wrong | Severity::Warning)), _) => {
                Badge::for_severity(severity)
            }
            (_, Some(verdict)) => Badge::of_verdict(verdict.verdict, verdict.severity),
            (_, None) => Badge::new(Tone::Unknown, "?", "NOT CHECKED"),
        }
    }

    pub fn of_summary(verdict: RunVerdict) -> Badge {
        Badge(verdict.mark())
    }

    pub fn of_devices(verdict: Verdict) -> Badge {
        Badge::of_summary(RunVerdict::Devices(verdict))
    }

    pub fn of_change(verdict: ChangeVerdict) -> Badge {
        Badge(verdict.mark())
    }

    /// Returns the badge for the findings of a run without a record.
    pub fn of_findings(findings: Option<&Findings>) -> Badge {
        match findings.map(|findings| findings.severity) {
            Some(Some(severity)) => Badge::for_severity(severity),
            Some(None) => Badge::new(Tone::Unknown, "✓", "NOTHING FOUND"),
            None => Badge::new(Tone::Unknown, "?", "NOT RECORDED"),
        }
    }

    /// The class of the style sheet.
    pub fn class(&self) -> &'static str {
        self.0.tone.name()
    }

    pub fn word(&self) -> &str {
        &self.0.word
    }

    pub fn markup(&self) -> Markup {
        mark_markup(&self.0)
    }

    fn badge_sentence(&self) -> &'static str {
        match self.0.tone {
            Tone::Wrong => "Do not use these figures: they do not match the request, see below.",
            Tone::Warning => "The figures are correct, but the warnings below limit their meaning.",
            Tone::Good => "The devices did as much as the run counted, and no finding limits the figures.",
            _ if self.word() == "NOT RECORDED" => "The record has no verdict on the figures.",
            _ => UNCONFIRMED,
        }
    }
}

/// The whole section.
pub fn verdict(run: &Run, prefix: &str) -> Markup {
    match run.judged {
        Some(judged) => {
            of_judgement(&judged.judgement, &SpanLinks { names: workload::names(&run.known), prefix })
        }
        None => of_findings(&Badge::of_run(run), run.known.findings.as_ref()),
    }
}

fn of_findings(badge: &Badge, findings: Option<&Findings>) -> Markup {
    let names = findings.map(|findings| findings.names.as_slice()).unwrap_or_default();
    html! {
        div.judgement.{(badge.class())} {
            p.word { (badge.markup()) " " (badge.badge_sentence()) }
            @if !names.is_empty() { ul.evidence { @for name in names { li { (line(name)) } } } }
        }
    }
}

/// The time spans as the verdict speaks of them.
struct SpanLinks<'a> {
    names: Vec<String>,
    /// Begins the ids of their sections.
    prefix: &'a str,
}

impl SpanLinks<'_> {
    fn span_link(&self, number: usize) -> Option<Markup> {
        let name = self.names.get(number.checked_sub(1)?).filter(|_| self.names.len() > 1)?;
        Some(html! { a href={ "#" (span_id(self.prefix, number)) } { (name) } })
    }
}

/// Where the section of a time span (from 1) is on the page.
pub fn span_id(prefix: &str, number: usize) -> String {
    format!("{prefix}-span-{number}")
}

fn of_judgement(judgement: &Judgement, spans: &SpanLinks) -> Markup {
    let badge = Badge::of_judgement(judgement);
    // Also what was told before the run alone: the word above rests on it.
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
        div.judgement.{(badge.class())} {
            p.word { (badge.markup()) " " (badge.badge_sentence()) }
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
    finding_box(&badge, span, target, &finding.message, &finding.evidence, finding.remedy.as_deref())
}

fn render_device(part: &DeviceVerdict, span: Option<Markup>) -> Markup {
    let badge = Badge::of_verdict(part.verdict, part.severity);
    finding_box(&badge, span, &part.targets, &part.message, &part.evidence, part.remedy.as_deref())
}

/// Returns one statement: severity, time span, text, targets, reason, and advice.
pub fn finding_box(
    badge: &Badge,
    span: Option<Markup>,
    targets: &[RawText],
    message: &str,
    evidence: &[String],
    remedy: Option<&str>,
) -> Markup {
    html! {
        li {
            (badge.markup())
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
