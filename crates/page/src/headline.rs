//! The headline figures: rates and latencies, by direction.

use super::span::{PickDirection, Span};
use diskspd_checks as checks;
use diskspd_figures::units::amount;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_report::number::{exact_time, grouped, number, render_exact};
use diskspd_report::page_table::{PageTable, content};
use diskspd_report::workload_text as workload;
use diskspd_results::{DirectionSummary, SpanSummary, Verdict};
use maud::{Markup, html};

/// Renders tiles for the most important figures, and the table of all.
pub(crate) fn figures(span: &Span) -> Markup {
    let said = workload::of_span(&span.figures.parameters);
    html! {
        @if !said.is_empty() { p.lead { (said) } }
        (render_tiles(span))
        (render_table(span.figures))
    }
}

fn render_tiles(span: &Span) -> Markup {
    let known = span.figures;
    let total = &known.total;
    let at = |percent| known.percentile(percent).and_then(|row| row.total);
    let is_chance = |percent| total.ios.is_some_and(|ios| checks::highest_reported(ios) < Some(percent));
    let percentile = |name: &str, percent| match at(percent).is_some() && is_chance(percent) {
        true => format!("{name} percentile (fewer than 10 I/Os above it)"),
        false => format!("{name} percentile"),
    };
    let measured = span.detail.map(|detail| detail.measured);
    let response = measured.and_then(|measured| measured.paced.as_ref()?.response.as_ref());
    let response = response.and_then(|response| response.chart.percentile(99.0)?.total);
    let failed = measured.map(|measured| measured.failed).filter(|failed| *failed > 0);
    html! {
        dl.tiles {
            (tile("I/Os per second", "", render_exact(total.iops, number)))
            (tile("MiB per second", "", render_exact(total.mib_per_s, number)))
            @if known.verdict.is_some_and(Verdict::is_of_memory) {
                (tile("I/Os per second, the device", "", render_exact(total.device_iops, number)))
                (tile("MiB per second, the device", "", render_exact(total.device_mib_per_s, number)))
            }
            (tile("mean latency", "", exact_time(total.mean_ms)))
            (tile(&percentile("99th", 99.0), "", content(known.percentile_cell(at(99.0)), true)))
            (tile(&percentile("99.9th", 99.9), "", content(known.percentile_cell(at(99.9)), true)))
            (tile("longest", "", exact_time(total.max_ms)))
            @if response.is_some() { (tile("99th percentile, response", "", exact_time(response))) }
            (tile("CPUs in use", " %", render_exact(known.cpu_percent, number)))
            @if let Some(failed) = failed { (tile("I/Os failed", "", count(failed))) }
        }
    }
}

pub(crate) fn tile(name: &str, unit: &str, figure: Markup) -> Markup {
    html! { div { dt { (name) } dd { (figure) (unit) } } }
}

struct DirectionRow<'a> {
    name: &'static str,
    known: &'a SpanSummary,
    figures: &'a DirectionSummary,
    of: PickDirection,
}

impl<'a> DirectionRow<'a> {
    const COLUMNS: &'a [TableColumn<DirectionRow<'a>>] = &[
        TableColumn::<DirectionRow>::words("", |line| Cell::Named {
            name: line.name.to_owned(),
            beside: String::new(),
            link: None,
            kind: line.name,
        })
        .on_page("direction"),
        TableColumn::<DirectionRow>::number("IOPS", |line| Cell::figure(line.figures.iops, 2)).paged(),
        TableColumn::<DirectionRow>::number("MiB/s", |line| Cell::figure(line.figures.mib_per_s, 2)).paged(),
        TableColumn::<DirectionRow>::number("device IOPS", |line| Cell::figure(line.figures.device_iops, 2))
            .paged()
            .meaning("I/Os per second of the devices, by the kernel's counters")
            .optional(),
        TableColumn::<DirectionRow>::number("device MiB/s", |line| {
            Cell::figure(line.figures.device_mib_per_s, 2)
        })
        .paged()
        .meaning("2^20 bytes per second of the devices")
        .optional(),
        TableColumn::<DirectionRow>::number("mean", |line| Cell::time(line.figures.mean_ms)).paged(),
        TableColumn::<DirectionRow>::number("50 %", |line| line.percentile(50.0)).paged(),
        TableColumn::<DirectionRow>::number("99 %", |line| line.percentile(99.0)).paged(),
        TableColumn::<DirectionRow>::number("99.9 %", |line| line.percentile(99.9)).paged(),
        TableColumn::<DirectionRow>::number("longest", |line| Cell::time(line.figures.max_ms)).paged(),
        TableColumn::<DirectionRow>::number("IOPS deviation", |line| {
            Cell::figure(line.figures.iops_std_dev, 2)
        })
        .paged(),
        TableColumn::<DirectionRow>::number("I/Os", |line| Cell::number_cell(line.figures.ios)).paged(),
        TableColumn::<DirectionRow>::number("amount", |line| Cell::size(line.figures.bytes)).paged(),
    ];

    fn percentile(&self, percent: f64) -> Cell {
        self.known.percentile_cell(self.known.percentile(percent).and_then(|row| (self.of)(&row)))
    }
}

fn render_table(known: &SpanSummary) -> Markup {
    let line = |name, figures, of| DirectionRow { name, known, figures, of };
    let mut lines = vec![
        line("total", &known.total, |row| row.total),
        line("read", &known.read, |row| row.read),
        line("write", &known.write, |row| row.write),
    ];
    let done = |figures: &DirectionSummary| figures.ios != Some(0);
    let both = done(&known.read) == done(&known.write);
    // With one direction alone, the total is that direction.
    lines.retain(|line| if line.name == "total" { both } else { done(line.figures) });
    PageTable::new("", "Figures by direction").render(DirectionRow::COLUMNS, &lines)
}

fn count(count: u64) -> Markup {
    html! { data value=(count) { (grouped(count as f64)) } }
}

/// Formats bytes, with the exact number for programs.
pub(crate) fn amount_of(bytes: u64) -> Markup {
    html! { data value=(bytes) { (amount(bytes)) } }
}
