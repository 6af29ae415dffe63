//! The slowest I/Os (`--explain`): stacked bars of their stages in order of time, so that neighbours were
//! in flight together.

use super::page::heading;
use super::span::RecordedSpan;
use diskspd_report::number::{latency, number, plain};
use diskspd_report::slow_text::{main_stage, remarks};
use diskspd_results::{IoStage, SlowIo, SlowIos};
use maud::{Markup, html};

const BARS: usize = 60;
/// Height of a bar, and distance of bars, in px.
const BAR: usize = 12;
const STEP: usize = 16;
/// Width of all bars in units of the drawing.
const BAR_WIDTH: f64 = 1000.0;

/// Colors of the stages in the order of an I/O's path.
const COLORS: [&str; 8] =
    ["--write", "--h3", "--h5", "--read", "--response", "--mark", "--good", "--unknown"];

/// Renders the section of a time span, if it has slow I/Os.
pub(crate) fn section(level: u8, detail: &RecordedSpan) -> Markup {
    let observed = detail.results().and_then(|results| results.observed.as_ref());
    let Some(slow) = observed.and_then(|observed| observed.slow.as_ref()) else { return html! {} };
    html! {
        section {
            (heading(level, "Slowest I/Os"))
            @if !slow.ios.is_empty() {
                p { (summary_text(slow)) }
                (render_legend(slow))
                (render_bars(slow))
            }
            @for line in remarks(slow).lines() { p.quiet { (line) } }
        }
    }
}

fn summary_text(slow: &SlowIos) -> String {
    let sum = slow.stages();
    let all = sum.sum().max(1) as f64;
    let most = IoStage::ALL.into_iter().rev().max_by_key(|stage| sum.time_in(*stage));
    let most = most.unwrap_or(IoStage::Unattributed);
    let culprit = slow.culprits().first().map(|first| {
        format!("; the most frequent cause: {} ({} I/Os)", first.kind.words(&first.name), first.ios)
    });
    format!(
        "The {} slowest lost {} % of their time {}{}. The {} slowest are shown in the order of time.",
        slow.ios.len(),
        plain(sum.time_in(most) as f64 * 100.0 / all),
        most.words(),
        culprit.unwrap_or_default(),
        slow.ios.len().min(BARS)
    )
}

/// Renders the stages with any time.
fn render_legend(slow: &SlowIos) -> Markup {
    let sum = slow.stages();
    let shown = IoStage::ALL.into_iter().zip(COLORS).filter(|(stage, _)| sum.time_in(*stage) > 0);
    html! {
        p {
            @for (stage, color) in shown {
                span style=(format!("color: var({color})")) { "■ " }
                (stage.words()) " ("
                        (plain(sum.time_in(stage) as f64 * 100.0 / sum.sum().max(1) as f64)) " %)  "
            }
        }
    }
}

fn render_bars(slow: &SlowIos) -> Markup {
    let mut shown: Vec<&SlowIo> = slow.ios.iter().take(BARS).collect();
    shown.sort_by_key(|io| io.submitted_ns);
    let longest = shown.iter().map(|io| io.latency_ns).max().unwrap_or(1).max(1) as f64;
    let height = shown.len() * STEP;
    let ms = |share: f64| latency(longest * share / 1e6);
    let view = format!("0 0 {BAR_WIDTH} {height}");
    html! {
        svg width="100%" height=(height) viewBox=(view) preserveAspectRatio="none"
            role="img" aria-label="Stages of the slowest I/Os" {
            @for (row, io) in shown.into_iter().enumerate() {
                g { title { (io_text(io)) } (render_pieces(io, row * STEP, longest)) }
            }
        }
        div.ends { span { "0" } span { (ms(0.5)) } span { (ms(1.0)) } }
        p.quiet { "A bar is an I/O: from left to right how long it took, by stage." }
    }
}

fn render_pieces(io: &SlowIo, y: usize, longest: f64) -> Markup {
    let mut x = 0.0;
    let pieces: Vec<(f64, f64, &str)> = IoStage::ALL
        .into_iter()
        .zip(COLORS)
        .map(|(stage, color)| {
            let wide = io.stages.time_in(stage) as f64 / longest * BAR_WIDTH;
            x += wide;
            (x - wide, wide, color)
        })
        .filter(|(_, wide, _)| *wide > 0.0)
        .collect();
    html! {
        @for (x, wide, color) in pieces {
            rect x=(format!("{x:.2}")) y=(y) width=(format!("{wide:.2}")) height=(BAR)
                style=(format!("fill: var({color})")) {}
        }
    }
}

fn io_text(io: &SlowIo) -> String {
    let culprit = io.cause.as_ref().map(|culprit| culprit.kind.words(&culprit.name));
    let culprit = culprit.map(|why| format!(", {why}")).unwrap_or_default();
    format!(
        "at {:.3} s: {} of {} bytes at {}, thread {}: {} ms, mostly {}{culprit}",
        io.submitted_ns as f64 / 1e9,
        io.operation,
        io.length,
        io.offset,
        io.thread,
        number(io.latency_ns as f64 / 1e6),
        main_stage(io).words()
    )
}
