//! Response times: an element that DISKSPD's results do not have (`--xml-verdict`).

use super::secondary::write_elements;
use super::writer::Writer;
use crate::secondary::PACED_RATES;
use diskspd_results::{ChartRow, PERCENTILES, PacedFigures, PacedLatency};

/// `<ResponseTimes>` of a time span: the rate, then with `-L` times from when I/Os were due (`<Response>`)
/// and, of the same I/Os, from when they started (`<Service>`).
pub(super) fn write(out: &mut Writer, paced: &PacedFigures) {
    out.open("ResponseTimes");
    write_elements(out, PACED_RATES, paced);
    for (name, latency) in [("Response", &paced.response), ("Service", &paced.service)] {
        if let Some(latency) = latency {
            write_latency(out, name, latency);
        }
    }
    out.close("ResponseTimes");
}

fn write_latency(out: &mut Writer, name: &'static str, latency: &PacedLatency) {
    let PacedLatency { read, write, total, chart } = latency;
    out.open(name);
    write_row(out, "Average", None, ChartRow { read: read.mean, write: write.mean, total: total.mean });
    write_row(out, "Bucket", Some(0.0), chart.min);
    for (share, row) in PERCENTILES.iter().zip(&chart.percentiles) {
        // Shares such as 0.99999 times 100 aren't exact.
        let percentile = (share * 1e11).round() / 1e9;
        write_row(out, "Bucket", Some(percentile), *row);
    }
    write_row(out, "Bucket", Some(100.0), chart.max);
    out.close(name);
}

fn write_row(out: &mut Writer, name: &'static str, percentile: Option<f64>, row: ChartRow) {
    out.open(name);
    if let Some(percentile) = percentile {
        out.value("Percentile", percentile);
    }
    let cells =
        [("ReadMilliseconds", row.read), ("WriteMilliseconds", row.write), ("TotalMilliseconds", row.total)];
    cells.into_iter().for_each(|(name, time)| out.optional_element(name, time));
    out.close(name);
}
