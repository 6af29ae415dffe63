//! The hosts of a merged run as rows.

use diskspd_checks::merged::{SlowHosts, figures};
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::{Cell, TableColumn, csv_behind};
use diskspd_results::{Record, RunVerdict, SpanSummary};

pub struct HostRow<'a> {
    /// Number from 1.
    pub time_span: usize,
    pub name: &'a str,
    pub span: Option<&'a SpanSummary>,
    pub verdict: RunVerdict,
    pub is_slow: bool,
    /// Reason for the missing figures.
    pub missing: Option<&'a str>,
}

fn figure(row: &HostRow, of: impl Fn(&SpanSummary) -> Option<f64>) -> Cell {
    row.span.and_then(of).map_or(Cell::Missing, |figure| Cell::Figure(figure, 2))
}

impl<'a> HostRow<'a> {
    pub const COLUMNS: &'a [TableColumn<HostRow<'a>>] = &[
        TableColumn::<HostRow>::words("host", |row| Cell::Text(row.name.to_owned())).paged(),
        TableColumn::<HostRow>::number("total_iops", |row| figure(row, |span| span.total.iops))
            .on_page("IOPS"),
        TableColumn::<HostRow>::number("total_mib_per_s", |row| figure(row, |span| span.total.mib_per_s))
            .on_page("MiB/s"),
        TableColumn::<HostRow>::number("mean_ms", |row| {
            figure(row, |span| span.total.mean_ms.map(Millis::ms))
        })
        .on_page("mean, ms"),
        TableColumn::<HostRow>::number("p99_ms", |row| {
            figure(row, |span| span.percentile(99.0)?.total.map(Millis::ms))
        })
        .on_page("p99, ms"),
        TableColumn::<HostRow>::number("cpu_percent", |row| figure(row, |span| span.cpu_percent))
            .on_page("CPU, %"),
        TableColumn::<HostRow>::words("verdict", |row| row.verdict.verdict_cell()).paged(),
        TableColumn::<HostRow>::words("severity", |row| row.verdict.severity_cell()).paged(),
        TableColumn::<HostRow>::words("straggler", |row| {
            Cell::text(row.span.map(|_| if row.is_slow { "yes" } else { "no" }))
        })
        .paged(),
        TableColumn::<HostRow>::words("missing", |row| Cell::text(row.missing)).paged(),
    ];
}

/// Returns the hosts of time span `index`, slowest first, followed by hosts without figures.
pub fn rows(record: &Record, index: usize) -> Vec<HostRow<'_>> {
    let figures = figures(record, index);
    let slow = SlowHosts::find(&figures);
    let severity = |name: &str| {
        let host = record.present().find(|host| host.name == name)?;
        host.summary.as_ref()?.run.worst_severity()
    };
    let time_span = index + 1;
    let measured = figures.iter().map(|host| HostRow {
        time_span,
        name: host.name,
        span: Some(host.span),
        verdict: RunVerdict::new(host.span.verdict, severity(host.name)),
        is_slow: slow.has_host(host.name),
        missing: None,
    });
    let missing = record.hosts.iter().filter_map(|host| {
        let missing = Some(host.missing.as_deref()?);
        Some(HostRow {
            time_span,
            name: &host.name,
            span: None,
            verdict: RunVerdict::default(),
            is_slow: false,
            missing,
        })
    });
    measured.chain(missing).collect()
}

/// Returns the hosts of all time spans as CSV.
pub fn csv(record: &Record) -> String {
    let spans = 0..record.profile.time_spans.len();
    let all: Vec<HostRow> = spans.flat_map(|index| rows(record, index)).collect();
    csv_behind(&["time_span"], |row| vec![row.time_span.to_string()], HostRow::COLUMNS, &all)
}
