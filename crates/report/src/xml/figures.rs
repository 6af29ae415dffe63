//! CPU usage, latencies, intervals, distributions: the elements that hold figures.

use super::number::Number;
use super::writer::Writer;
use diskspd_results::{
    CpuTable, CpuUsage, EffectiveRange, FINE_PERCENTILES, FineChart, IntervalDirection, LatencyFigures,
    Measured, Row,
};

pub(super) fn write_cpu(out: &mut Writer, table: &CpuTable) {
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

pub(super) fn write_latency(out: &mut Writer, span: &Measured, chart: &FineChart) {
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
        cells.into_iter().for_each(|(name, latency)| out.optional_element(name, latency));
        out.close("Bucket");
    }
    out.close("Latency");
}

/// Writes mean and deviation of a thread on a target, if measured.
pub(super) fn write_mean(out: &mut Writer, row: &Row, mean: &str, std_dev: &str) {
    write_pair(out, row.figures.latency, mean, std_dev);
}

fn write_pair(out: &mut Writer, latency: Option<LatencyFigures>, mean: &str, std_dev: &str) {
    let Some(latency) = latency else { return };
    out.optional_element(mean, latency.mean);
    out.optional_element(std_dev, latency.std_dev);
}

/// The course of a time span, or of one thread on one target: deviations of reads, writes and both, and the
/// end (ms), reads and writes of each interval.
pub(super) fn write_iops(
    out: &mut Writer,
    std_devs: [Option<f64>; 3],
    intervals: impl Iterator<Item = (u64, IntervalDirection, IntervalDirection)>,
) {
    out.open("Iops");
    for (name, deviation) in ["ReadIopsStdDev", "WriteIopsStdDev", "IopsStdDev"].into_iter().zip(std_devs) {
        if let Some(deviation) = deviation {
            out.value(name, format_args!("{deviation:.3}"));
        }
    }
    for (end_ms, read, write) in intervals {
        // An interval without I/O shows zeros.
        let latency = |direction: &IntervalDirection| direction.latency.unwrap_or_default();
        let (reads, writes) = (latency(&read), latency(&write));
        out.numbers(
            "Bucket",
            &[
                ("SampleMillisecond", Number::Integer(end_ms)),
                ("Read", Number::Rounded(read.iops)),
                ("Write", Number::Rounded(write.iops)),
                ("Total", Number::Rounded(read.iops + write.iops)),
                ("ReadMinLatencyMilliseconds", Number::Thousandths(reads.min.ms())),
                ("ReadMaxLatencyMilliseconds", Number::Thousandths(reads.max.ms())),
                ("ReadAvgLatencyMilliseconds", Number::Thousandths(reads.mean.ms())),
                ("ReadLatencyStdDev", Number::Thousandths(reads.std_dev.ms())),
                ("WriteMinLatencyMilliseconds", Number::Thousandths(writes.min.ms())),
                ("WriteMaxLatencyMilliseconds", Number::Thousandths(writes.max.ms())),
                ("WriteAvgLatencyMilliseconds", Number::Thousandths(writes.mean.ms())),
                ("WriteLatencyStdDev", Number::Thousandths(writes.std_dev.ms())),
            ],
        );
    }
    out.close("Iops");
}

/// Writes the distribution of random I/O. The format has only lengths of ranges, so each gap becomes a
/// range.
pub(super) fn write_distribution(out: &mut Writer, ranges: &[EffectiveRange]) {
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
