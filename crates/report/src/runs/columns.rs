//! The columns of a table of runs. Programs use their names, so columns can be added but keep their meaning.
//! docs/reference/tables.md lists them.

use super::TableRow;
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_profile::{Access, CacheMode, Caching, CommonValue, Parameters, Rate};
use diskspd_results::{ChartRow, ResponseSummary, RunSummary, RunVerdict, SpanSummary};

impl<'a> TableRow<'a> {
    fn verdict(&self) -> RunVerdict {
        RunVerdict::new(
            self.span.and_then(|span| span.verdict),
            self.run.and_then(RunSummary::worst_severity),
        )
    }

    pub(super) const COLUMNS: &'a [TableColumn<TableRow<'a>>] = &[
        TableColumn::<TableRow>::words("run", |row| Cell::Text(row.name.to_owned())).brief(),
        TableColumn::<TableRow>::words("label", |row| Cell::text(row.run.and_then(|run| run.label.as_ref()))),
        TableColumn::<TableRow>::words("origin", |row| Cell::text(row.run.map(|run| &run.origin))),
        TableColumn::<TableRow>::words("started", |row| {
            Cell::text(row.run.and_then(|run| start_text(run.started_at?)))
        })
        .brief()
        .spare(5),
        TableColumn::<TableRow>::words("computer", |row| Cell::text(row.run.and_then(|run| run.computer()))),
        TableColumn::<TableRow>::number("time_span", |row| {
            Cell::number_cell(row.number.map(|number| number as u64))
        }),
        TableColumn::<TableRow>::words("verdict", |row| row.verdict().verdict_cell()).brief(),
        TableColumn::<TableRow>::words("severity", |row| row.verdict().severity_cell()).brief(),
        TableColumn::<TableRow>::words("findings", |row| {
            Cell::text(row.run.and_then(|run| Some(run.findings.as_ref()?.names.join(" "))))
        }),
        TableColumn::<TableRow>::number("threads", |row| requested_cell(row, |asked| asked.threads))
            .brief()
            .spare(2),
        TableColumn::<TableRow>::number("outstanding", |row| {
            shared_cell(row, |access| access.outstanding, |n| Cell::Whole(n.into()))
        })
        .brief()
        .spare(2),
        TableColumn::<TableRow>::number("in_flight", |row| requested_cell(row, |asked| asked.in_flight)),
        TableColumn::<TableRow>::number("block_bytes", |row| {
            shared_cell(row, |access| access.block_size, |n| Cell::Size(n.into()))
        })
        .brief()
        .spare(1),
        TableColumn::<TableRow>::number("write_percent", |row| {
            shared_cell(row, |access| access.write_percent, |n| Cell::Whole(n.into()))
        })
        .brief()
        .spare(4),
        TableColumn::<TableRow>::number("random_percent", |row| {
            shared_cell(row, |access| access.random_percent, |n| Cell::Whole(n.into()))
        })
        .brief()
        .spare(4),
        TableColumn::<TableRow>::words("rate", |row| {
            shared_cell(row, |access| access.rate, |rate| Cell::Text(rate_text(rate)))
        }),
        TableColumn::<TableRow>::words("caching", |row| {
            shared_cell(row, |access| access.caching, |caching| Cell::Text(caching_letters(caching)))
        }),
        TableColumn::<TableRow>::number("duration_s", |row| requested_cell(row, |asked| asked.duration_s)),
        TableColumn::<TableRow>::number("warmup_s", |row| requested_cell(row, |asked| asked.warmup_s)),
        TableColumn::<TableRow>::number("targets", |row| Cell::number_cell(row.asked.and_then(target_count))),
        TableColumn::<TableRow>::words("target", |row| {
            Cell::text(row.asked.and_then(|asked| asked.paths().next()))
        }),
        TableColumn::<TableRow>::number("seconds", |row| figure_cell(row, |span| span.seconds)),
        TableColumn::<TableRow>::number("cpu_percent", |row| figure_cell(row, |span| span.cpu_percent))
            .brief()
            .spare(6),
        TableColumn::<TableRow>::number("ios", |row| whole_cell(row, |span| span.total.ios)),
        TableColumn::<TableRow>::number("bytes", |row| whole_cell(row, |span| span.total.bytes)),
        TableColumn::<TableRow>::number("iops", |row| figure_cell(row, |span| span.total.iops)).brief(),
        TableColumn::<TableRow>::number("mib_per_s", |row| figure_cell(row, |span| span.total.mib_per_s))
            .brief()
            .spare(7),
        TableColumn::<TableRow>::number("iops_std_dev", |row| {
            figure_cell(row, |span| span.total.iops_std_dev)
        }),
        TableColumn::<TableRow>::number("mean_ms", |row| time_cell(row, |span| span.total.mean_ms))
            .brief()
            .spare(3),
        TableColumn::<TableRow>::number("std_dev_ms", |row| time_cell(row, |span| span.total.std_dev_ms)),
        TableColumn::<TableRow>::number("min_ms", |row| time_cell(row, |span| span.total.min_ms)),
        TableColumn::<TableRow>::number("p50_ms", |row| percentile(row, 50.0, |latency| latency.total)),
        TableColumn::<TableRow>::number("p95_ms", |row| percentile(row, 95.0, |latency| latency.total)),
        TableColumn::<TableRow>::number("p99_ms", |row| percentile(row, 99.0, |latency| latency.total))
            .brief(),
        TableColumn::<TableRow>::number("p999_ms", |row| percentile(row, 99.9, |latency| latency.total)),
        TableColumn::<TableRow>::number("max_ms", |row| time_cell(row, |span| span.total.max_ms)),
        TableColumn::<TableRow>::number("read_iops", |row| figure_cell(row, |span| span.read.iops)),
        TableColumn::<TableRow>::number("read_mib_per_s", |row| figure_cell(row, |span| span.read.mib_per_s)),
        TableColumn::<TableRow>::number("read_mean_ms", |row| time_cell(row, |span| span.read.mean_ms)),
        TableColumn::<TableRow>::number("read_p50_ms", |row| percentile(row, 50.0, |latency| latency.read)),
        TableColumn::<TableRow>::number("read_p99_ms", |row| percentile(row, 99.0, |latency| latency.read)),
        TableColumn::<TableRow>::number("read_p999_ms", |row| percentile(row, 99.9, |latency| latency.read)),
        TableColumn::<TableRow>::number("write_iops", |row| figure_cell(row, |span| span.write.iops)),
        TableColumn::<TableRow>::number("write_mib_per_s", |row| {
            figure_cell(row, |span| span.write.mib_per_s)
        }),
        TableColumn::<TableRow>::number("write_mean_ms", |row| time_cell(row, |span| span.write.mean_ms)),
        TableColumn::<TableRow>::number("write_p50_ms", |row| percentile(row, 50.0, |latency| latency.write)),
        TableColumn::<TableRow>::number("write_p99_ms", |row| percentile(row, 99.0, |latency| latency.write)),
        TableColumn::<TableRow>::number("write_p999_ms", |row| {
            percentile(row, 99.9, |latency| latency.write)
        }),
        TableColumn::<TableRow>::number("response_mean_ms", |row| {
            response_cell(row, |response| response.mean_ms.total)
        }),
        TableColumn::<TableRow>::number("response_p50_ms", |row| {
            response_cell(row, |response| response.percentile(50.0)?.total)
        }),
        TableColumn::<TableRow>::number("response_p99_ms", |row| {
            response_cell(row, |response| response.percentile(99.0)?.total)
        }),
        TableColumn::<TableRow>::number("response_p999_ms", |row| {
            response_cell(row, |response| response.percentile(99.9)?.total)
        }),
        TableColumn::<TableRow>::number("read_nowait_misses", |row| {
            whole_cell(row, |span| span.read.nowait_misses)
        }),
        TableColumn::<TableRow>::number("write_nowait_misses", |row| {
            whole_cell(row, |span| span.write.nowait_misses)
        }),
        TableColumn::<TableRow>::number("device_iops", |row| figure_cell(row, |span| span.total.device_iops))
            .brief()
            .optional()
            .spare(2),
        TableColumn::<TableRow>::number("device_mib_per_s", |row| {
            figure_cell(row, |span| span.total.device_mib_per_s)
        })
        .brief()
        .optional()
        .spare(9),
        TableColumn::<TableRow>::number("device_mean_ms", |row| figure_cell(row, |span| span.device_mean_ms))
            .brief()
            .optional()
            .spare(4),
        TableColumn::<TableRow>::number("device_read_iops", |row| {
            figure_cell(row, |span| span.read.device_iops)
        }),
        TableColumn::<TableRow>::number("device_read_mib_per_s", |row| {
            figure_cell(row, |span| span.read.device_mib_per_s)
        }),
        TableColumn::<TableRow>::number("device_write_iops", |row| {
            figure_cell(row, |span| span.write.device_iops)
        }),
        TableColumn::<TableRow>::number("device_write_mib_per_s", |row| {
            figure_cell(row, |span| span.write.device_mib_per_s)
        }),
        TableColumn::<TableRow>::number("outages", |row| {
            Cell::number_cell(row.span.and_then(|span| span.outages))
        }),
        TableColumn::<TableRow>::number("longest_outage_s", |row| {
            Cell::figure(row.span.and_then(|span| span.longest_outage_s), 2)
        }),
    ];
}

fn figure_cell(row: &TableRow, of: fn(&SpanSummary) -> Option<f64>) -> Cell {
    Cell::figure(row.span.and_then(of), 2)
}

fn time_cell(row: &TableRow, of: fn(&SpanSummary) -> Option<Millis>) -> Cell {
    Cell::time(row.span.and_then(of))
}

fn whole_cell(row: &TableRow, of: fn(&SpanSummary) -> Option<u64>) -> Cell {
    Cell::number_cell(row.span.and_then(of))
}

fn requested_cell<N: Into<u64>>(row: &TableRow, of: fn(&Parameters) -> Option<N>) -> Cell {
    Cell::number_cell(row.asked.and_then(of))
}

fn percentile(row: &TableRow, percent: f64, direction: fn(ChartRow) -> Option<Millis>) -> Cell {
    row.span.map_or(Cell::Missing, |span| span.percentile_cell(span.percentile(percent).and_then(direction)))
}

fn response_cell(row: &TableRow, figure: fn(&ResponseSummary) -> Option<Millis>) -> Cell {
    Cell::time(row.span.and_then(|span| figure(span.response.as_ref()?)))
}

fn shared_cell<T: PartialEq>(row: &TableRow, of: fn(&Access) -> Option<T>, cell: fn(T) -> Cell) -> Cell {
    let Some(asked) = row.asked else { return Cell::Missing };
    match asked.common(of) {
        CommonValue::Unknown => Cell::Missing,
        CommonValue::One(value) => cell(value),
        CommonValue::Several => Cell::Text("mixed".into()),
    }
}

fn target_count(asked: &Parameters) -> Option<u64> {
    Some(asked.paths().count() as u64).filter(|count| *count > 0)
}

/// Formats `2025-03-14T13:15:40Z`.
fn start_text(seconds: i64) -> Option<String> {
    Some(jiff::Timestamp::from_second(seconds).ok()?.to_string())
}

fn rate_text(rate: Rate) -> String {
    match rate {
        Rate::Unlimited => "unlimited".into(),
        Rate::Iops(limit) => format!("{limit} IOPS"),
        Rate::BytesPerMillisecond(limit) => format!("{limit} B/ms"),
    }
}

fn caching_letters(caching: Caching) -> String {
    let mode = match caching.effective_mode() {
        CacheMode::Cached => "b",
        CacheMode::DisableOsCache => "u",
        CacheMode::DisableLocalCache => "r",
    };
    let w = if caching.write_through { "w" } else { "" };
    let m = if caching.memory_mapped { "m" } else { "" };
    format!("{mode}{w}{m}")
}
