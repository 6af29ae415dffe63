//! The columns of a table of runs. Programs read them by name: one may be added, none changes its meaning.
//! docs/tables.md lists them.

use super::TableRow;
use diskspd_model::finding::Severity;
use diskspd_model::profile::{Access, CacheMode, Caching, OfAllTargets, Parameters, Rate};
use diskspd_model::results::{ChartRow, KnownFigures, KnownResponse};
use diskspd_model::units::{self, Millis};

/// A column.
pub struct TableColumn {
    /// Its name, with the unit.
    pub name: &'static str,
    /// Whether it's among those for people: CSV has all.
    pub brief: bool,
    /// Whether it holds numbers.
    pub is_number: bool,
    /// What stands in it.
    pub(super) cell: fn(&TableRow) -> Cell,
}

/// What stands in a column of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    /// Not recorded.
    Missing,
    /// Words.
    Text(String),
    /// Bytes of a block.
    Size(u64),
    /// A whole number.
    Whole(u64),
    /// A figure; people see so many decimals of it.
    Figure(f64, usize),
    /// A time.
    Time(Millis),
}

impl Cell {
    /// For programs: figures with all their digits.
    pub fn plain(self) -> String {
        match self {
            Cell::Missing => String::new(),
            Cell::Text(text) => text,
            Cell::Size(number) | Cell::Whole(number) => number.to_string(),
            Cell::Figure(figure, _) => figure.to_string(),
            Cell::Time(time) => time.ms().to_string(),
        }
    }

    /// For people.
    pub fn readable(self) -> String {
        match self {
            Cell::Size(bytes) => units::amount(bytes),
            Cell::Figure(figure, decimals) => format!("{figure:.decimals$}"),
            Cell::Time(time) => time.to_string(),
            cell => cell.plain(),
        }
    }

    fn text(text: Option<impl ToString>) -> Cell {
        text.map_or(Cell::Missing, |text| Cell::Text(text.to_string()))
    }

    fn whole(number: Option<impl Into<u64>>) -> Cell {
        number.map_or(Cell::Missing, |number| Cell::Whole(number.into()))
    }

    fn figure(figure: Option<f64>, decimals: usize) -> Cell {
        figure.map_or(Cell::Missing, |figure| Cell::Figure(figure, decimals))
    }

    fn time(time: Option<Millis>) -> Cell {
        time.map_or(Cell::Missing, Cell::Time)
    }
}

const fn words(name: &'static str, cell: fn(&TableRow) -> Cell) -> TableColumn {
    TableColumn { name, brief: false, is_number: false, cell }
}

const fn number(name: &'static str, cell: fn(&TableRow) -> Cell) -> TableColumn {
    TableColumn { name, brief: false, is_number: true, cell }
}

const fn brief(column: TableColumn) -> TableColumn {
    TableColumn { brief: true, ..column }
}

/// All columns, in order.
pub const COLUMNS: &[TableColumn] = &[
    brief(words("run", |row| Cell::Text(row.name.to_owned()))),
    words("label", |row| Cell::text(row.run.and_then(|run| run.label.as_ref()))),
    words("origin", |row| Cell::text(row.run.map(|run| &run.origin))),
    brief(words("started", |row| Cell::text(row.run.and_then(|run| started(run.started_at?))))),
    words("computer", |row| Cell::text(row.run.and_then(|run| run.computer.as_ref()))),
    number("time_span", |row| Cell::whole(row.number.map(|number| number as u64))),
    brief(words("verdict", verdict)),
    words("findings", |row| Cell::text(row.run.and_then(|run| Some(run.findings.as_ref()?.names.join(" "))))),
    brief(number("threads", |row| Cell::whole(row.asked.and_then(|asked| asked.threads)))),
    brief(number("outstanding", |row| shared(row, |access| access.outstanding, |n| Cell::Whole(n.into())))),
    number("in_flight", |row| Cell::whole(row.asked.and_then(|asked| asked.in_flight))),
    brief(number("block_bytes", |row| shared(row, |access| access.block_size, |n| Cell::Size(n.into())))),
    brief(number("write_percent", |row| {
        shared(row, |access| access.write_percent, |n| Cell::Whole(n.into()))
    })),
    brief(number("random_percent", |row| {
        shared(row, |access| access.random_percent, |n| Cell::Whole(n.into()))
    })),
    words("rate", |row| shared(row, |access| access.rate, |rate| Cell::Text(rate_text(rate)))),
    words("caching", |row| shared(row, |access| access.caching, |caching| Cell::Text(letters(caching)))),
    number("duration_s", |row| Cell::whole(row.asked.and_then(|asked| asked.duration_s))),
    number("warmup_s", |row| Cell::whole(row.asked.and_then(|asked| asked.warmup_s))),
    number("targets", |row| Cell::whole(row.asked.and_then(targets))),
    words("target", |row| Cell::text(row.asked.and_then(|asked| asked.paths().next()))),
    number("seconds", |row| Cell::figure(row.span.and_then(|span| span.seconds), 2)),
    brief(number("cpu_percent", |row| Cell::figure(row.span.and_then(|span| span.cpu_percent), 2))),
    number("ios", |row| Cell::whole(total(row).and_then(|total| total.ios))),
    number("bytes", |row| Cell::whole(total(row).and_then(|total| total.bytes))),
    brief(number("iops", |row| Cell::figure(total(row).and_then(|total| total.iops), 2))),
    brief(number("mib_per_s", |row| Cell::figure(total(row).and_then(|total| total.mib_per_s), 2))),
    number("iops_std_dev", |row| Cell::figure(total(row).and_then(|total| total.iops_std_dev), 2)),
    brief(number("mean_ms", |row| Cell::time(total(row).and_then(|total| total.mean_ms)))),
    number("std_dev_ms", |row| Cell::time(total(row).and_then(|total| total.std_dev_ms))),
    number("min_ms", |row| Cell::time(total(row).and_then(|total| total.min_ms))),
    number("p50_ms", |row| percentile(row, 50.0, |latency| latency.total)),
    number("p95_ms", |row| percentile(row, 95.0, |latency| latency.total)),
    brief(number("p99_ms", |row| percentile(row, 99.0, |latency| latency.total))),
    number("p999_ms", |row| percentile(row, 99.9, |latency| latency.total)),
    number("max_ms", |row| Cell::time(total(row).and_then(|total| total.max_ms))),
    number("read_iops", |row| Cell::figure(row.span.and_then(|span| span.read.iops), 2)),
    number("read_mib_per_s", |row| Cell::figure(row.span.and_then(|span| span.read.mib_per_s), 2)),
    number("read_mean_ms", |row| Cell::time(row.span.and_then(|span| span.read.mean_ms))),
    number("read_p50_ms", |row| percentile(row, 50.0, |latency| latency.read)),
    number("read_p99_ms", |row| percentile(row, 99.0, |latency| latency.read)),
    number("read_p999_ms", |row| percentile(row, 99.9, |latency| latency.read)),
    number("write_iops", |row| Cell::figure(row.span.and_then(|span| span.write.iops), 2)),
    number("write_mib_per_s", |row| Cell::figure(row.span.and_then(|span| span.write.mib_per_s), 2)),
    number("write_mean_ms", |row| Cell::time(row.span.and_then(|span| span.write.mean_ms))),
    number("write_p50_ms", |row| percentile(row, 50.0, |latency| latency.write)),
    number("write_p99_ms", |row| percentile(row, 99.0, |latency| latency.write)),
    number("write_p999_ms", |row| percentile(row, 99.9, |latency| latency.write)),
    number("response_mean_ms", |row| response(row, |response| response.mean_ms.total)),
    number("response_p50_ms", |row| response(row, |response| response.percentile(50.0)?.total)),
    number("response_p99_ms", |row| response(row, |response| response.percentile(99.0)?.total)),
    number("response_p999_ms", |row| response(row, |response| response.percentile(99.9)?.total)),
];

fn total<'a>(row: &TableRow<'a>) -> Option<&'a KnownFigures> {
    row.span.map(|span| &span.total)
}

fn percentile(row: &TableRow, percent: f64, direction: fn(ChartRow) -> Option<Millis>) -> Cell {
    Cell::time(row.span.and_then(|span| direction(span.percentile(percent)?)))
}

fn response(row: &TableRow, figure: fn(&KnownResponse) -> Option<Millis>) -> Cell {
    Cell::time(row.span.and_then(|span| figure(span.response.as_ref()?)))
}

/// What the targets share; `mixed` = they differ.
fn shared<T: PartialEq>(row: &TableRow, of: fn(&Access) -> Option<T>, cell: fn(T) -> Cell) -> Cell {
    let Some(asked) = row.asked else { return Cell::Missing };
    match asked.common(of) {
        OfAllTargets::Unknown => Cell::Missing,
        OfAllTargets::One(value) => cell(value),
        OfAllTargets::Several => Cell::Text("mixed".into()),
    }
}

/// The verdict about the devices, and behind it how bad the worst finding is.
fn verdict(row: &TableRow) -> Cell {
    let devices = row.span.and_then(|span| span.verdict.as_deref());
    let worst = row.run.and_then(|run| run.findings.as_ref()?.worst).map(Severity::word);
    let words: Vec<&str> = devices.into_iter().chain(worst).collect();
    Cell::text((!words.is_empty()).then(|| words.join(" ")))
}

fn targets(asked: &Parameters) -> Option<u64> {
    Some(asked.paths().count() as u64).filter(|count| *count > 0)
}

/// `2025-03-14T13:15:40Z`
fn started(seconds: i64) -> Option<String> {
    Some(jiff::Timestamp::from_second(seconds).ok()?.to_string())
}

fn rate_text(rate: Rate) -> String {
    match rate {
        Rate::Unlimited => "unlimited".into(),
        Rate::Iops(limit) => format!("{limit} IOPS"),
        Rate::BytesPerMillisecond(limit) => format!("{limit} B/ms"),
    }
}

/// Those of `-S`.
fn letters(caching: Caching) -> String {
    let mode = match caching.effective_mode() {
        CacheMode::Cached => "b",
        CacheMode::DisableOsCache => "u",
        CacheMode::DisableLocalCache => "r",
    };
    let w = if caching.write_through { "w" } else { "" };
    let m = if caching.memory_mapped { "m" } else { "" };
    format!("{mode}{w}{m}")
}
