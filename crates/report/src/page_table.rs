//! Tables of pages: rows of columns, each figure with its exact value for programs.

use crate::number::{exact_time, grouped, number, render_exact};
use diskspd_figures::units::amount;
use diskspd_figures::units::mark::{Tone, VerdictMark};
use diskspd_figures::units::table::{Cell, TableColumn, signed};
use diskspd_figures::units::visible::line;
use maud::{Markup, PreEscaped, html};

pub struct PageTable<'a> {
    pub class: &'a str,
    pub caption: &'a str,
    pub is_captioned: bool,
    pub is_high: bool,
}

impl<'a> PageTable<'a> {
    pub fn new(class: &'a str, caption: &'a str) -> PageTable<'a> {
        PageTable { class, caption, is_captioned: false, is_high: false }
    }

    pub fn captioned(caption: &'a str) -> PageTable<'a> {
        PageTable { is_captioned: true, ..PageTable::new("", caption) }
    }

    #[must_use]
    pub fn high(self) -> PageTable<'a> {
        PageTable { is_high: true, ..self }
    }

    /// Renders these rows; the first column is the header of the row.
    pub fn render<R>(&self, columns: &[TableColumn<R>], rows: &[R]) -> Markup {
        let columns: Vec<&TableColumn<R>> =
            columns.iter().filter(|column| column.on_page && column.is_needed(rows)).collect();
        let marks: Vec<bool> = columns.iter().map(|column| is_mark(column, rows)).collect();
        let class = format!("figures {}", self.class);
        html! {
            div.scroll.high[self.is_high] tabindex="0" role="region" aria-label=(self.caption) {
                table class=(class.trim_end()) {
                    caption.hidden[!self.is_captioned] { (self.caption) }
                    thead {
                        tr {
                            @for (column, is_mark) in columns.iter().zip(&marks) {
                                (render_head(column, *is_mark))
                            }
                        }
                    }
                    tbody { @for one in rows { tr { (row(&columns, &marks, one)) } } }
                }
            }
        }
    }
}

fn is_mark<R>(column: &TableColumn<R>, rows: &[R]) -> bool {
    rows.iter().any(|row| matches!((column.cell)(row), Cell::Marked(..)))
}

fn render_head<R>(column: &TableColumn<R>, is_mark: bool) -> Markup {
    let meaning = Some(column.meaning).filter(|meaning| !meaning.is_empty());
    html! {
        th.words[!column.is_number].mark[is_mark] scope="col" title=[meaning] { (column.heading) }
    }
}

fn row<R>(columns: &[&TableColumn<R>], marks: &[bool], row: &R) -> Markup {
    let mut markup = String::new();
    for (place, column) in columns.iter().enumerate() {
        let cell = (column.cell)(row);
        let (instead, failed) = match &cell {
            Cell::Instead(why) => (Some(why), false),
            Cell::Failed(why) => (Some(why), true),
            _ => (None, false),
        };
        if let Some(why) = instead {
            let rest = columns.len() - place;
            let badge =
                failed.then(|| html! { (mark_markup(&VerdictMark::new(Tone::Wrong, "✕", "FAILED"))) " " });
            markup += &html! {
                td.failed colspan=(rest) { div { @if let Some(badge) = &badge { (badge) } (line(why)) } }
            }
            .into_string();
            break;
        }
        markup += &match (place, cell) {
            (0, cell) => name(cell, column.is_number),
            (_, cell) => {
                let (room, is_mark) = (least_width(&cell), marks[place]);
                html! {
                    td.words[!column.is_number].mark[is_mark].long[room.is_some()] style=[room] {
                        (content(cell, column.is_number))
                    }
                }
            }
        }
        .into_string();
    }
    PreEscaped(markup)
}

/// Minimum length of a cell that wraps in a narrow window.
const LONG: usize = 20;

/// Allows line breaks after the slashes of paths.
fn paths(text: &str) -> Markup {
    html! {
        @for (place, piece) in line(text).split_inclusive('/').enumerate() {
            @if place > 0 { (PreEscaped("<wbr/>")) }
            (piece)
        }
    }
}

fn least_width(cell: &Cell) -> Option<String> {
    const MAX_COLUMN_WIDTH: usize = 20;
    let letters = match cell {
        Cell::Text(text) => text.chars().count(),
        Cell::Named { name, beside, .. } => name.chars().count() + beside.chars().count(),
        _ => 0,
    };
    (letters > LONG).then(|| format!("min-width:{}ch", (letters / 3 + 4).min(MAX_COLUMN_WIDTH)))
}

fn name(cell: Cell, is_number: bool) -> Markup {
    let Cell::Named { name, beside, link, kind } = cell else {
        return html! { th scope="row" { (content(cell, is_number)) } };
    };
    let kind = Some(kind).filter(|kind| !kind.is_empty());
    html! {
        th class=[kind] scope="row" {
            @match link {
                Some(link) => a href={ "#" (link) } { (line(&name)) },
                None => (line(&name)),
            }
            @if !beside.is_empty() { span.quiet { " " (line(&beside)) } }
        }
    }
}

/// Renders a verdict with word and symbol, which are clear without colors.
pub fn mark_markup(mark: &VerdictMark) -> Markup {
    html! { span.badge.{(mark.tone.name())} { span.sign aria-hidden="true" { (mark.sign) } (mark.word) } }
}

pub fn content(cell: Cell, is_number: bool) -> Markup {
    match cell {
        Cell::Missing if is_number => render_exact(None, number),
        Cell::Missing => html! {},
        Cell::Text(text) if text.chars().count() > LONG => paths(&text),
        Cell::Text(text) | Cell::Instead(text) | Cell::Failed(text) => html! { (line(&text)) },
        Cell::Named { name, beside, .. } => {
            html! { (line(&name)) @if !beside.is_empty() { span.quiet { " " (line(&beside)) } } }
        }
        Cell::Size(bytes) => html! { data value=(bytes) { (amount(bytes)) } },
        Cell::Whole(count) => html! { data value=(count) { (grouped(count as f64)) } },
        Cell::Figure(figure, _) | Cell::Rounded(figure, _) => render_exact(Some(figure), number),
        Cell::Change(percent) => render_exact(Some(percent), signed),
        Cell::Between(low, high) => html! {
            @match low { Some(low) => (render_exact(Some(low), signed)), None => "any lower" }
            " to "
            @match high { Some(high) => (render_exact(Some(high), signed)), None => "any higher" }
        },
        Cell::Share(percent, decimals) => {
            html! { data value=(percent) { (format!("{percent:.decimals$} %")) } }
        }
        Cell::Time(time) => exact_time(Some(time)),
        Cell::AtLeast(time) => html! { "≥ " (exact_time(Some(time))) },
        Cell::Marked(mark, behind) => {
            html! { (mark_markup(&mark)) @if !behind.is_empty() { " " (line(&behind)) } }
        }
    }
}
