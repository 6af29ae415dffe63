//! Text report of a run with known figures only: a summary of other programs' results.

use super::fio_text;
use diskspd_base::operation::Operation;
use diskspd_figures::units;
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::{self, Cell, TableColumn};
use diskspd_figures::units::visible::line;
use diskspd_profile::{Access, CommonValue, Rate};
use diskspd_results::{DirectionSummary, RunSummary, SpanSummary, is_listed};

const SHOWN_PERCENTS: [f64; 9] = [25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999];

/// The figures of all time spans, in tables of at most `room` columns; `all` = with every known percentile.
pub fn text(run: &RunSummary, all: bool, room: usize) -> String {
    let mut about = vec![run.origin.to_string()];
    about.extend(run.computer().map(|name| format!("of {}", line(&name))));
    about.extend(
        run.started_at
            .and_then(diskspd_figures::units::start_time::date_and_time)
            .map(|time| format!("started {time}")),
    );
    let mut text = format!("{}: {}\n", line(&run.name), about.join(", "));
    for (span, number) in run.time_spans.iter().zip(1..) {
        let place = if run.time_spans.len() > 1 { format!("time span {number}: ") } else { String::new() };
        match span {
            None => text += &format!("\n{place}ended before measuring began\n"),
            Some(span) => text += &format!("\n{place}{}", span_text(span, all, room)),
        }
    }
    text
}

fn span_text(span: &SpanSummary, all: bool, room: usize) -> String {
    let mut text = format!("{}\n{}\n\n", requested_text(span), measured_text(span));
    let rows = [("total", &span.total), ("read", &span.read), ("write", &span.write)];
    let rows = rows.map(|(name, figures)| DirectionRow { name, figures });
    text += &table::text_within(DirectionRow::COLUMNS, &rows, room);
    let edges = [span.total.min_ms, span.total.max_ms];
    if !span.percentiles.is_empty() || edges.iter().any(Option::is_some) {
        text += "\nlatency, ms:\n";
        text += &table::text_within(&PercentileRow::COLUMNS, &percentile_lines(span, all), room);
    }
    if let Some(fio) = &span.fio {
        text += &fio_text::text(fio, room);
    }
    text
}

struct DirectionRow<'a> {
    name: &'static str,
    figures: &'a DirectionSummary,
}

impl<'a> DirectionRow<'a> {
    const COLUMNS: &'a [TableColumn<DirectionRow<'a>>] = &[
        TableColumn::<DirectionRow>::words("", |line| Cell::name_cell(line.name)).brief(),
        TableColumn::<DirectionRow>::number("I/Os", |line| Cell::number_cell(line.figures.ios)).brief(),
        TableColumn::<DirectionRow>::number("bytes", |line| Cell::number_cell(line.figures.bytes))
            .brief()
            .spare(2),
        TableColumn::<DirectionRow>::number("IOPS", |line| Cell::figure(line.figures.iops, 2)).brief(),
        TableColumn::<DirectionRow>::number("MiB/s", |line| Cell::figure(line.figures.mib_per_s, 2)).brief(),
        TableColumn::<DirectionRow>::number("mean ms", |line| Cell::time(line.figures.mean_ms)).brief(),
        TableColumn::<DirectionRow>::number("deviation ms", |line| Cell::time(line.figures.std_dev_ms))
            .brief()
            .spare(3),
        TableColumn::<DirectionRow>::number("IOPS deviation", |line| {
            Cell::figure(line.figures.iops_std_dev, 2)
        })
        .brief()
        .spare(4),
    ];
}

/// Percentile, minimum or maximum.
struct PercentileRow {
    name: String,
    read: Cell,
    write: Cell,
    total: Cell,
}

impl PercentileRow {
    const COLUMNS: [TableColumn<PercentileRow>; 4] = [
        TableColumn::<PercentileRow>::words("", |line| Cell::name_cell(&line.name)).brief(),
        TableColumn::<PercentileRow>::number("read", |line| line.read.clone()).brief(),
        TableColumn::<PercentileRow>::number("write", |line| line.write.clone()).brief(),
        TableColumn::<PercentileRow>::number("total", |line| line.total.clone()).brief(),
    ];
}

/// Returns a row for each percentile, between minimum and maximum.
fn percentile_lines(span: &SpanSummary, all: bool) -> Vec<PercentileRow> {
    let edge = |name: &str, of: fn(&DirectionSummary) -> Option<Millis>| PercentileRow {
        name: name.to_owned(),
        read: Cell::time(of(&span.read)),
        write: Cell::time(of(&span.write)),
        total: Cell::time(of(&span.total)),
    };
    let percentiles = span.percentiles.iter().filter(|row| all || is_listed(&SHOWN_PERCENTS, row.percent));
    let percentiles = percentiles.map(|known| PercentileRow {
        name: format!("{} %", known.percent),
        read: span.percentile_cell(known.latency.read),
        write: span.percentile_cell(known.latency.write),
        total: span.percentile_cell(known.latency.total),
    });
    let lowest = edge("min", |figures| figures.min_ms);
    let highest = edge("max", |figures| figures.max_ms);
    std::iter::once(lowest).chain(percentiles).chain([highest]).collect()
}

/// Formats `2 threads, 8 outstanding, 4 KiB, 50 % writes, random, no limit: a.dat`.
fn requested_text(span: &SpanSummary) -> String {
    let parameters = &span.parameters;
    let mut words: Vec<String> =
        parameters.threads.map(|threads| count(threads, "thread")).into_iter().collect();
    let mut add = |word: CommonValue<String>, what: &str| match word {
        CommonValue::Unknown => {}
        CommonValue::One(word) => words.push(word),
        CommonValue::Several => words.push(format!("several {what}")),
    };
    add(parameters.common(|access| Some(format!("{} outstanding", access.outstanding?))), "depths");
    add(parameters.common(|access| Some(units::amount(access.block_size?.into()))), "block sizes");
    add(parameters.common(|access| Some(format!("{} % writes", access.write_percent?))), "shares of writes");
    for (op, row, _) in Operation::shared() {
        if parameters.targets.iter().any(|group| group.access.shares.percent(op) > 0) {
            let share = |access: &Access| Some(format!("{} % {}", access.shares.percent(op), row.plural));
            add(parameters.common(share), &format!("shares of {}", row.plural));
        }
    }
    let pattern = |percent: u32| match percent {
        0 => "sequential".to_owned(),
        100 => "random".to_owned(),
        percent => format!("{percent} % random"),
    };
    add(parameters.common(|access| Some(pattern(access.random_percent?))), "patterns");
    let rate = |rate: Rate| match rate {
        Rate::Unlimited => "no limit".to_owned(),
        Rate::Iops(limit) => format!("at most {limit} I/Os per second and thread"),
        Rate::BytesPerMillisecond(limit) => format!("at most {limit} bytes per ms and thread"),
    };
    add(parameters.common(|access| Some(rate(access.rate?))), "limits");
    let mut paths = parameters.paths();
    let targets = match (paths.next(), paths.count()) {
        (None, _) => String::new(),
        (Some(path), 0) => format!(": {path}"),
        (Some(path), more) => format!(": {path} and {more} more"),
    };
    if words.is_empty() { "parameters are not recorded".into() } else { words.join(", ") + &targets }
}

/// Formats `measured 10.00 s, CPUs 7.75 % busy`.
fn measured_text(span: &SpanSummary) -> String {
    let unknown = || "not recorded".to_owned();
    let seconds = span.seconds.map_or_else(unknown, |seconds| format!("{seconds:.2} s"));
    let cpu = span.cpu_percent.map_or_else(unknown, |percent| format!("{percent:.2} % busy"));
    let verdict = span.verdict.map(|verdict| format!("; devices: {verdict}"));
    format!("measured: {seconds}; CPUs: {cpu}{}", verdict.unwrap_or_default())
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
