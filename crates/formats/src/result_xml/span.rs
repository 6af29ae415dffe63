//! The figures of a time span.

use super::findings::XmlFindings;
use super::walk::ElementReader;
use diskspd_figures::units::Millis;
use diskspd_profile::xml::error::XmlErrorAt;
use diskspd_results::{ChartRow, DirectionSummary, PercentileSummary, SpanSummary};

/// Reads `<TimeSpan>`; `None` = it ended before the measurement.
pub(super) fn read(
    walk: &mut ElementReader,
    found: &mut XmlFindings,
) -> Result<Option<SpanSummary>, XmlErrorAt> {
    let mut span = SpanSummary::default();
    let mut measured = true;
    let mut all = AllTargets::default();
    walk.children("TimeSpan", |walk, tag, at| {
        match tag.name().as_ref() {
            "Error" => {
                measured = false;
                walk.skip()?;
            }
            "TestTimeSeconds" => span.seconds = walk.figure("TestTimeSeconds", at)?,
            "ThreadCount" => span.parameters.threads = walk.amount("ThreadCount", at)?,
            "CpuUtilization" => read_cpu(walk, &mut span)?,
            "Latency" => read_latency(walk, &mut span)?,
            "Iops" => read_iops(walk, &mut span)?,
            "Thread" => walk.children("Thread", |walk, tag, _| match tag.name().as_ref() {
                "Target" => all.add(walk),
                _ => walk.skip(),
            })?,
            "DeviceVerdict" => span.verdict = found.verdict(walk)?,
            "Findings" => found.read(walk)?,
            _ => walk.skip()?,
        }
        Ok(())
    })?;
    all.put_into(&mut span);
    Ok(measured.then_some(span))
}

#[derive(Default)]
struct AllTargets {
    targets: u64,
    read: Amounts,
    write: Amounts,
    total: Amounts,
}

#[derive(Default)]
struct Amounts {
    ios: Sum,
    bytes: Sum,
}

#[derive(Default)]
struct Sum {
    parts: u64,
    sum: u64,
}

impl Sum {
    fn add(&mut self, amount: Option<u64>) {
        if let Some(amount) = amount {
            self.parts += 1;
            self.sum = self.sum.saturating_add(amount);
        }
    }

    fn per_target(&self, targets: u64) -> Option<u64> {
        (targets > 0 && self.parts == targets).then_some(self.sum)
    }
}

impl AllTargets {
    /// Adds a `<Target>` of a thread.
    fn add(&mut self, walk: &mut ElementReader) -> Result<(), XmlErrorAt> {
        self.targets += 1;
        walk.children("Target", |walk, tag, at| {
            let sum = match tag.name().as_ref() {
                "IOCount" => &mut self.total.ios,
                "BytesCount" => &mut self.total.bytes,
                "ReadCount" => &mut self.read.ios,
                "ReadBytes" => &mut self.read.bytes,
                "WriteCount" => &mut self.write.ios,
                "WriteBytes" => &mut self.write.bytes,
                _ => return walk.skip(),
            };
            sum.add(walk.amount(tag.name().as_ref(), at)?);
            Ok(())
        })
    }

    fn put_into(&self, span: &mut SpanSummary) {
        let seconds = span.seconds.filter(|seconds| *seconds > 0.0);
        let directions =
            [(&self.read, &mut span.read), (&self.write, &mut span.write), (&self.total, &mut span.total)];
        for (done, figures) in directions {
            figures.ios = done.ios.per_target(self.targets);
            figures.bytes = done.bytes.per_target(self.targets);
            let rate = |amount: Option<u64>| Some(amount? as f64 / seconds?);
            figures.iops = rate(figures.ios);
            figures.mib_per_s = rate(figures.bytes).map(|bytes| bytes / 1024.0 / 1024.0);
        }
    }
}

/// Reads `<CpuUtilization>`: usage of the CPUs in percent.
fn read_cpu(walk: &mut ElementReader, span: &mut SpanSummary) -> Result<(), XmlErrorAt> {
    walk.children("CpuUtilization", |walk, tag, _| match tag.name().as_ref() {
        "Average" => {
            span.cpu_percent = read_usage(walk, "Average")?;
            Ok(())
        }
        "CPU" => {
            let of_one = read_usage(walk, "CPU")?;
            span.busiest_cpu_percent = of_one.into_iter().chain(span.busiest_cpu_percent).reduce(f64::max);
            Ok(())
        }
        _ => walk.skip(),
    })
}

/// Reads the utilization of a CPU or of all CPUs in percent.
fn read_usage(walk: &mut ElementReader, of: &str) -> Result<Option<f64>, XmlErrorAt> {
    let mut usage = None;
    walk.children(of, |walk, tag, at| match tag.name().as_ref() {
        "UsagePercent" => {
            usage = walk.figure("UsagePercent", at)?;
            Ok(())
        }
        _ => walk.skip(),
    })?;
    Ok(usage)
}

/// Reads `<Latency>`: means, deviations, percentiles.
fn read_latency(walk: &mut ElementReader, span: &mut SpanSummary) -> Result<(), XmlErrorAt> {
    walk.children("Latency", |walk, tag, at| {
        let SpanSummary { read, write, total, .. } = span;
        let time: &mut Option<Millis> = match tag.name().as_ref() {
            "AverageReadMilliseconds" => &mut read.mean_ms,
            "ReadLatencyStdev" => &mut read.std_dev_ms,
            "AverageWriteMilliseconds" => &mut write.mean_ms,
            "WriteLatencyStdev" => &mut write.std_dev_ms,
            "AverageTotalMilliseconds" => &mut total.mean_ms,
            "LatencyStdev" => &mut total.std_dev_ms,
            "Bucket" => return read_percentile(walk, span),
            _ => return walk.skip(),
        };
        *time = walk.figure(tag.name().as_ref(), at)?.map(Millis::new);
        Ok(())
    })?;
    span.percentiles.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    Ok(())
}

/// Reads a percentile; the first and the last one are minimum and maximum.
fn read_percentile(walk: &mut ElementReader, span: &mut SpanSummary) -> Result<(), XmlErrorAt> {
    let (mut percent, mut latency) = (None, ChartRow::default());
    walk.children("Bucket", |walk, tag, at| {
        let time = match tag.name().as_ref() {
            "Percentile" => {
                percent = walk.figure("Percentile", at)?;
                return Ok(());
            }
            "ReadMilliseconds" => &mut latency.read,
            "WriteMilliseconds" => &mut latency.write,
            "TotalMilliseconds" => &mut latency.total,
            _ => return walk.skip(),
        };
        *time = walk.figure(tag.name().as_ref(), at)?.map(Millis::new);
        Ok(())
    })?;
    let each =
        [(&mut span.read, latency.read), (&mut span.write, latency.write), (&mut span.total, latency.total)];
    let all = |put: fn(&mut DirectionSummary, Option<Millis>)| each.map(|(figures, time)| put(figures, time));
    match percent {
        Some(0.0) => drop(all(|figures, time| figures.min_ms = time)),
        Some(100.0) => drop(all(|figures, time| figures.max_ms = time)),
        Some(percent) if latency != ChartRow::default() => {
            span.percentiles.push(PercentileSummary { percent, latency });
        }
        _ => {}
    }
    Ok(())
}

/// Reads the deviations of `<Iops>`, and skips its intervals.
fn read_iops(walk: &mut ElementReader, span: &mut SpanSummary) -> Result<(), XmlErrorAt> {
    walk.children("Iops", |walk, tag, at| {
        let figures = match tag.name().as_ref() {
            "ReadIopsStdDev" => &mut span.read,
            "WriteIopsStdDev" => &mut span.write,
            "IopsStdDev" => &mut span.total,
            _ => return walk.skip(),
        };
        figures.iops_std_dev = walk.figure(tag.name().as_ref(), at)?;
        Ok(())
    })
}
