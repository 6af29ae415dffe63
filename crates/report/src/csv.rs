//! The per-interval series as CSV: a head, and a line for each interval of each time span.

use crate::number::time_or;
use diskspd_checks::JudgedRecord;
use diskspd_figures::units::Millis;
use diskspd_results::{IntervalDirection, IntervalFigures};
use std::io::{self, Write};

/// The head. Unknown cells are empty. Times are in s since measuring began, and in ms since 1970 for the
/// beginning of the interval. Latencies are in ms, of reads and writes together. `partial_s` is the length
/// of an incomplete last interval in s; rates refer to the interval's actual length. Failed I/Os (`-x`)
/// are not in the rates. Response times (`-g` with `-L`) count from an I/O's due time.
pub const HEAD: &str = "time_span,end_s,started_at_ms,read_iops,write_iops,total_iops,read_mib_per_s,\
                        write_mib_per_s,total_mib_per_s,min_ms,mean_ms,max_ms,p50_ms,p95_ms,p99_ms,\
                        p999_ms,partial_s,failed_ios,response_p50_ms,\
                        response_p95_ms,response_p99_ms,response_p999_ms,response_max_ms";

/// Writes the series; without `-D` only the header.
pub fn write(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    writeln!(sink, "{HEAD}")?;
    for (index, span) in judged.summary.time_spans.iter().enumerate() {
        for interval in span.iter().filter_map(|span| span.iops.as_ref()).flat_map(|iops| &iops.intervals) {
            writeln!(sink, "{},{}", index + 1, csv_line(interval))?;
        }
    }
    Ok(())
}

fn csv_line(interval: &IntervalFigures) -> String {
    let IntervalFigures { end_ms, started_at, read, write, total, percentiles, partial_s, failed, response } =
        interval;
    let mut cells = vec![format!("{}.{:03}", end_ms / 1000, end_ms % 1000)];
    cells.push(started_at.map(|at| at.to_string()).unwrap_or_default());
    let directions = [read, write, total];
    cells.extend(directions.map(|d: &IntervalDirection| format!("{:.3}", d.iops)));
    cells.extend(directions.map(|d| number_text(d.mib_per_s)));
    let latency = total.latency;
    cells.extend([latency.map(|l| l.min), latency.map(|l| l.mean), latency.map(|l| l.max)].map(time_text));
    let percentiles = percentiles.map(|p| [p.p50, p.p95, p.p99, p.p999]);
    cells.extend((0..4).map(|i| time_text(percentiles.map(|p| p[i]))));
    cells.push(number_text(*partial_s));
    cells.push(failed.map(|failed| failed.to_string()).unwrap_or_default());
    let response = response.map(|r| [r.p50, r.p95, r.p99, r.p999, r.max]);
    cells.extend((0..5).map(|i| time_text(response.map(|r| r[i]))));
    cells.join(",")
}

fn time_text(time: Option<Millis>) -> String {
    time_or("", time)
}

fn number_text(figure: Option<f64>) -> String {
    figure.map(|figure| format!("{figure:.3}")).unwrap_or_default()
}
