//! CPU usage, latencies, intervals, distributions: the elements that hold figures.

use super::writer::Writer;
use crate::results::{
    CpuTable, CpuUsage, EffectiveRange, FINE_PERCENTILES, FineChart, IntervalDirection, IopsSeries,
    LatencyFigures, Measured, Row,
};

pub fn write_cpu(out: &mut Writer, table: &CpuTable) {
    out.open("CpuUtilization");
    for row in &table.rows {
        let place = &row.place;
        out.open("CPU");
        out.value("Socket", place.socket);
        out.value("Node", place.node);
        out.value("Group", place.group);
        out.value("Core", place.core);
        out.value("EfficiencyClass", place.class);
        out.value("Id", place.cpu);
        write_usage(out, &row.usage);
        out.close("CPU");
    }
    out.open("Average");
    write_usage(out, &table.average);
    out.close("Average");
    out.close("CpuUtilization");
}

fn write_usage(out: &mut Writer, usage: &CpuUsage) {
    out.value("UsagePercent", format_args!("{:.2}", usage.usage));
    out.value("UserPercent", format_args!("{:.2}", usage.user));
    out.value("KernelPercent", format_args!("{:.2}", usage.kernel));
    out.value("IdlePercent", format_args!("{:.2}", usage.idle));
}

/// The latencies of a whole time span.
pub fn write_latency(out: &mut Writer, span: &Measured, chart: &FineChart) {
    out.open_with(
        "Latency",
        &[
            ("ReadHistoBuckets", &chart.distinct_reads),
            ("WriteHistoBuckets", &chart.distinct_writes),
            ("TotalHistoBuckets", &chart.distinct_total),
        ],
    );
    write_pair(out, span.read.total.latency, "AverageReadMilliseconds", "ReadLatencyStdev");
    write_pair(out, span.write.total.latency, "AverageWriteMilliseconds", "WriteLatencyStdev");
    write_pair(out, span.total.total.latency, "AverageTotalMilliseconds", "LatencyStdev");
    for (percentile, row) in FINE_PERCENTILES.iter().zip(&chart.rows) {
        out.open("Bucket");
        out.value("Percentile", percentile);
        let cells = [
            ("ReadMilliseconds", row.read),
            ("WriteMilliseconds", row.write),
            ("TotalMilliseconds", row.total),
        ];
        for (name, latency) in cells {
            if let Some(latency) = latency {
                out.value(name, format_args!("{latency:.3}"));
            }
        }
        out.close("Bucket");
    }
    out.close("Latency");
}

/// Mean and deviation of one thread on one target, if it has any latencies.
pub fn write_mean(out: &mut Writer, row: &Row, mean: &str, std_dev: &str) {
    write_pair(out, row.figures.latency, mean, std_dev);
}

fn write_pair(out: &mut Writer, latency: Option<LatencyFigures>, mean: &str, std_dev: &str) {
    let Some(latency) = latency else { return };
    for (name, figure) in [(mean, latency.mean), (std_dev, latency.std_dev)] {
        if let Some(figure) = figure {
            out.value(name, format_args!("{figure:.3}"));
        }
    }
}

/// The course of a time span, or of one thread on one target.
pub fn write_iops(out: &mut Writer, series: &IopsSeries) {
    out.open("Iops");
    let deviations = [
        ("ReadIopsStdDev", series.read_std_dev),
        ("WriteIopsStdDev", series.write_std_dev),
        ("IopsStdDev", series.total_std_dev),
    ];
    for (name, deviation) in deviations {
        if let Some(deviation) = deviation {
            out.value(name, format_args!("{deviation:.3}"));
        }
    }
    for interval in &series.intervals {
        // An interval without I/O shows zeros.
        let latency = |direction: &IntervalDirection| direction.latency.unwrap_or_default();
        let (read, write) = (latency(&interval.read), latency(&interval.write));
        out.empty(
            "Bucket",
            &[
                ("SampleMillisecond", &interval.end_ms),
                ("Read", &format_args!("{:.0}", interval.read.iops)),
                ("Write", &format_args!("{:.0}", interval.write.iops)),
                ("Total", &format_args!("{:.0}", interval.total.iops)),
                ("ReadMinLatencyMilliseconds", &format_args!("{:.3}", read.min)),
                ("ReadMaxLatencyMilliseconds", &format_args!("{:.3}", read.max)),
                ("ReadAvgLatencyMilliseconds", &format_args!("{:.3}", read.mean)),
                ("ReadLatencyStdDev", &format_args!("{:.3}", read.std_dev)),
                ("WriteMinLatencyMilliseconds", &format_args!("{:.3}", write.min)),
                ("WriteMaxLatencyMilliseconds", &format_args!("{:.3}", write.max)),
                ("WriteAvgLatencyMilliseconds", &format_args!("{:.3}", write.mean)),
                ("WriteLatencyStdDev", &format_args!("{:.3}", write.std_dev)),
            ],
        );
    }
    out.close("Iops");
}

/// Where random I/O went. Ranges are shown by their lengths alone, so gaps between them get a range of their own.
pub fn write_distribution(out: &mut Writer, ranges: &[EffectiveRange]) {
    out.open("Distribution");
    out.open("Absolute");
    let mut end = 0;
    for range in ranges {
        if let Some(gap) = range.start.checked_sub(end).filter(|gap| *gap > 0) {
            write_range(out, 0, gap);
        }
        write_range(out, range.io_span, range.length);
        end = range.start.saturating_add(range.length);
    }
    out.close("Absolute");
    out.close("Distribution");
}

fn write_range(out: &mut Writer, io: u32, length: u64) {
    out.lines(|text, indent| put!(text, "{:1$}<Range IO=\"{io}\">{length}</Range>\n", "", indent));
}
