//! Writing of the XML results (`-Rxml`); `record::result_xml` of the crate of judgements reads them.
//! Element names, their order and all number formats equal DISKSPD's exactly, because tools read elements
//! by position and text. No declaration before `<Results>`, no line feed after the end.

mod figures;
mod findings;
mod number;
mod paced;
mod secondary;
mod system;
mod trace;
mod verdict;
mod writer;

use crate::profile_xml::write_profile;
use crate::secondary::write_tables;
use diskspd_checks::{JudgedRecord, Judgement};
use diskspd_machine::System;
use diskspd_plan::effective_affinity;
use diskspd_profile::{Compat, Profile, TimeSpan, affinity};
use diskspd_results::{
    CompletionSeries, Measured, Results, Row, SpanResults, Summary, TargetResults, ThreadResults,
    WaitStatistics,
};
use std::io::{self, Write};
use writer::Writer;

/// Writes the whole document of a record. Memory use does not grow with the number of threads and
/// intervals, because each completed thread goes to `sink`.
pub fn write(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    let JudgedRecord { record, summary, .. } = judged;
    let host = record.host();
    render(sink, &record.profile, &host.system, &host.results, summary)
}

/// Writes the same with additional elements. Response times, flushes, the verdict about the devices and
/// the findings are at the end of each time span, the findings about the machine at the end of `System`.
pub fn write_with_verdict(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    let JudgedRecord { record, summary, judgement } = judged;
    let host = record.host();
    render_all(sink, &record.profile, &host.system, &host.results, summary, Some(judgement))
}

/// Writes the whole document: figures of time spans from `summary`, amounts and intervals of threads and
/// targets from `results`.
pub fn render(
    sink: &mut dyn Write,
    profile: &Profile,
    system: &System,
    results: &Results,
    summary: &Summary,
) -> io::Result<()> {
    render_all(sink, profile, system, results, summary, None)
}

fn render_all(
    sink: &mut dyn Write,
    profile: &Profile,
    system: &System,
    results: &Results,
    summary: &Summary,
    judgement: Option<&Judgement>,
) -> io::Result<()> {
    let mut out = Writer::new(sink);
    out.open("Results");
    let about = |time_span: Option<usize>| {
        let findings = judgement.into_iter().flat_map(|judgement| &judgement.findings);
        findings.filter(move |finding| finding.place.time_span == time_span)
    };
    system::write(&mut out, system, profile.compat, |out| findings::write(out, about(None)));
    out.lines(|text, indent| write_profile(text, profile, indent));
    for (index, asked) in profile.time_spans.iter().enumerate() {
        let measured = summary.time_spans.get(index).and_then(Option::as_ref);
        out.open("TimeSpan");
        match measured.zip(results.time_spans.get(index)) {
            Some((measured, got)) => {
                let placement = profile.compat.is_2_3().then_some(system);
                write_span(&mut out, asked, measured, got, placement)?
            }
            None => out.value(
                "Error",
                "The test was interrupted before the measurements began. No results are displayed.",
            ),
        }
        if let Some(measured) = measured.filter(|_| judgement.is_some()) {
            measured.paced.iter().for_each(|paced| paced::write(&mut out, paced));
            write_tables(measured, &mut out);
        }
        let mut verdicts = judgement.into_iter().flat_map(|judgement| &judgement.verdicts);
        if let Some(verdict) = verdicts.find(|verdict| verdict.time_span == index + 1) {
            verdict::write(&mut out, verdict);
        }
        findings::write(&mut out, about(Some(index + 1)));
        out.close("TimeSpan");
    }
    out.finish("Results")
}

/// Returns only the system of `-Rs`, as in DISKSPD 2.3.
pub fn system_alone(system: &System) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Memory takes everything.
    let mut out = Writer::new(&mut bytes);
    system::write(&mut out, system, Compat::V2_3, |_| {});
    let _ = out.flush();
    drop(out);
    bytes
}

fn write_placement(out: &mut Writer, asked: &TimeSpan, system: &System) {
    let separation = if asked.separates_buffers(Compat::V2_3) { system.buffer_separation() } else { 0 };
    out.value("EffectiveBufferSeparation", separation);
    let cpus = effective_affinity(asked, Compat::V2_3, &system.topology);
    if asked.disable_affinity {
        return;
    }
    out.open("EffectiveAffinity");
    system::write_masks(out, &affinity::masks(cpus.iter().copied()));
    out.close("EffectiveAffinity");
    let (performance, efficiency) = system.topology.by_class(&cpus);
    if !performance.is_empty() && !efficiency.is_empty() {
        out.value("HeterogeneousAffinityWarning", true);
    }
}

/// Writes a time span; with `placement`, including DISKSPD 2.3's elements.
fn write_span(
    out: &mut Writer,
    asked: &TimeSpan,
    span: &Measured,
    got: &SpanResults,
    placement: Option<&System>,
) -> io::Result<()> {
    out.value("TestTimeSeconds", format_args!("{:.2}", span.seconds));
    out.value("ThreadCount", span.thread_count);
    out.value("RequestCount", span.request_count);
    if span.cpu.mean_usage().is_some() {
        out.value("ProcCount", span.cpu.rows.len());
    }
    if let Some(system) = placement {
        write_placement(out, asked, system);
    }
    if span.cpu.mean_usage().is_some() {
        figures::write_cpu(out, &span.cpu);
    }
    if let Some(fine) = &span.fine_percentiles {
        figures::write_latency(out, span, fine);
    }
    if let Some(iops) = &span.iops {
        let std_devs = [iops.read_std_dev, iops.write_std_dev, iops.total_std_dev];
        figures::write_iops(out, std_devs, iops.complete_intervals(asked.io_bucket_duration));
    }
    if let Some(found) = &span.trace {
        trace::write(out, found);
    }
    // The tables have a row for each target of each thread, in the same order.
    let mut rows = span.read.rows.iter().zip(&span.write.rows);
    for (thread, results) in got.threads.iter().enumerate() {
        out.open("Thread");
        out.value("Id", thread);
        if let Some(submits) = results.submits.filter(|_| placement.is_some()) {
            out.value("SubmitCount", submits);
        }
        for target in &results.targets {
            write_target(out, asked, target, rows.next());
            out.flush()?;
        }
        write_waits(out, span, thread, results, placement.is_some());
        out.close("Thread");
    }
    if let Some(devices) = span.trace.as_ref().and_then(|found| found.devices.as_ref()) {
        trace::write_devices(out, devices);
    }
    Ok(())
}

fn write_target(out: &mut Writer, asked: &TimeSpan, target: &TargetResults, rows: Option<(&Row, &Row)>) {
    let (read, write) = (&target.read, &target.write);
    out.open("Target");
    out.text("Path", rows.map_or(&[][..], |(row, _)| row.path.as_bytes()));
    out.value("BytesCount", read.bytes.saturating_add(write.bytes));
    out.value("FileSize", target.size);
    out.value("IOCount", read.ios.saturating_add(write.ios));
    out.value("ReadBytes", read.bytes);
    out.value("ReadCount", read.ios);
    out.value("WriteBytes", write.bytes);
    out.value("WriteCount", write.ios);
    if !target.distribution.is_empty() {
        figures::write_distribution(out, &target.distribution);
    }
    // DISKSPD 2.2 does not write the latency of both directions together here (`AverageLatencyMilliseconds`).
    if let Some((read, write)) = rows {
        figures::write_mean(out, read, "AverageReadLatencyMilliseconds", "ReadLatencyStdev");
        figures::write_mean(out, write, "AverageWriteLatencyMilliseconds", "WriteLatencyStdev");
    }
    if asked.calculate_iops_std_dev {
        let course = CompletionSeries::new(target);
        figures::write_iops(out, course.std_devs(), course.intervals());
    }
    out.close("Target");
}

fn write_waits(out: &mut Writer, span: &Measured, thread: usize, results: &ThreadResults, newest: bool) {
    let listed = span.waits.iter().find(|waits| waits.thread as usize == thread);
    let Some(waits) = listed.map(|listed| results.wait.unwrap_or(listed.waits)) else { return };
    let WaitStatistics {
        completion_waits,
        throttle_waits,
        throttle_sleeps,
        lookasides,
        lookaside_completions,
        wait_completions,
    } = waits;
    let cells = |counts: [u64; 8]| counts.map(|count| count.to_string()).join(" ");
    out.open("WaitStatistics");
    out.value("CompletionWait", completion_waits);
    out.value("ThrottleWait", throttle_waits);
    out.value("ThrottleSleep", throttle_sleeps);
    out.value("Lookaside", lookasides);
    if newest {
        out.value("WaitCompletion", cells(wait_completions));
    }
    out.value("LookasideCompletion", cells(lookaside_completions));
    out.close("WaitStatistics");
}
