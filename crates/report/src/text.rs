//! The text report (`-Rtext`). Labels, blanks, tabs and number formats equal DISKSPD's exactly, because
//! existing parsers slice its lines by column or split them on `|`.

use super::findings::{self, Detail};
use super::hosts_text::{are_many, condensed, first_line, write_hosts};
use super::paced_text::write_response_times;
use super::profile_text::{Style, write_profile_on};
use super::program_text;
use super::secondary;
use super::slow_text::write_slow;
use super::text_tables::{write_charts, write_cpu_table, write_table, write_waits};
use super::text_v2_3;
use super::trace_text::write_trace;
use diskspd_checks::JudgedRecord;
use diskspd_figures::units::start_time::date_and_time;
use diskspd_machine::System;
use diskspd_profile::Profile;
use diskspd_results::{
    DistributionGroup, EffectiveRange, Measured, Record, Summary, Throughput, Totals, is_heterogeneous,
    summarize,
};
use std::io::{self, Write};

pub fn write(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    let JudgedRecord { record, summary, .. } = judged;
    sink.write_all(&of_record(record, summary))
}

/// Writes the report followed by the findings of standard error, so that they stay with the kept figures.
pub fn write_with_verdict(judged: &JudgedRecord, sink: &mut dyn Write) -> io::Result<()> {
    write(judged, sink)?;
    let detail = if judged.record.profile.verbose { Detail::Full } else { Detail::Brief };
    let found = findings::text(&judged.judgement, detail);
    let found = if found.is_empty() { "the observations do not allow a verdict\n" } else { &found };
    write!(sink, "\nVerdict:\n{found}")
}

pub fn text(record: &Record) -> Vec<u8> {
    of_record(record, &summarize(record))
}

fn of_record(record: &Record, summary: &Summary) -> Vec<u8> {
    let (profile, system) = (&record.profile, &record.host().system);
    let mut report = match &record.program {
        None if are_many(record) => render(record.asked_of_each(), system, &condensed(summary)),
        None => render(profile, system, summary),
        Some(program) => {
            let mut out = program_text::head(profile, program);
            write_results(&mut out, profile, system, summary);
            out
        }
    };
    write_slow(&mut report, record);
    let Some(whole) = &record.merged else { return report };
    let mut out = first_line(record, whole, summary).into_bytes();
    out.extend(report);
    write_hosts(&mut out, record);
    out
}

/// Formats the whole report: input parameters, system information, and the figures of all time spans.
pub fn render(profile: &Profile, system: &System, summary: &Summary) -> Vec<u8> {
    let mut out = Vec::new();
    write_profile_on(&mut out, profile, system);
    write_results(&mut out, profile, system, summary);
    out
}

fn write_results(out: &mut Vec<u8>, profile: &Profile, system: &System, summary: &Summary) {
    let style = &Style::for_compat(profile.compat);
    match style.newest {
        true => text_v2_3::write_system(out, system),
        false => write_system(out, system),
    }
    for (index, span) in summary.time_spans.iter().enumerate() {
        let placement = profile.time_spans.get(index).filter(|_| style.newest);
        let placement = placement.map(|asked| text_v2_3::ThreadPlacement::new(asked, &system.topology));
        put!(out, "\nResults for timespan {}:\n{}\n", index + 1, "*".repeat(79));
        match span {
            Some(measured) => write_measured(out, measured, style, placement.as_ref()),
            None => put!(
                out,
                "The test was interrupted before the measurements began. No results are displayed.\n"
            ),
        }
    }
    if let Some(totals) = &summary.totals {
        write_totals(out, totals);
    }
    write_response_times(out, summary);
    secondary::write_text(out, summary);
}

pub fn system_alone(system: &System) -> Vec<u8> {
    let mut out = Vec::new();
    text_v2_3::write_system(&mut out, system);
    out
}

fn write_system(out: &mut Vec<u8>, system: &System) {
    let topology = &system.topology;
    let cpus: u64 = topology.groups.iter().map(|group| u64::from(group.active)).sum();
    put!(out, "System information:\n\n");
    put!(out, "\tcomputer name: {}\n", system.computer_name);
    put!(out, "\tstart time: {}\n\n", system.start_time.and_then(date_and_time).unwrap_or_default());
    put!(out, "\tcpu count:\t\t{cpus}\n");
    put!(out, "\tcore count:\t\t{}\n", system.processor_figure(topology.core_count()));
    put!(out, "\tgroup count:\t\t{}\n", topology.groups.len());
    put!(out, "\tnode count:\t\t{}\n", system.processor_figure(topology.nodes.len()));
    put!(out, "\tsocket count:\t\t{}\n", system.processor_figure(topology.sockets.len()));
    put!(
        out,
        "\theterogeneous cores:\t{}\n\n",
        system.processor_figure(if is_heterogeneous(topology) { 'y' } else { 'n' })
    );
    put!(out, "\tactive power scheme:\t{}", system.power_scheme.name.as_deref().unwrap_or("<unknown>"));
    if let Some(guid) = &system.power_scheme.guid {
        put!(out, " ({guid})");
    }
    out.push(b'\n');
}

fn write_measured(
    out: &mut Vec<u8>,
    span: &Measured,
    style: &Style,
    placement: Option<&text_v2_3::ThreadPlacement>,
) {
    put!(out, "\nactual test time:\t{:.2}s\n", span.seconds);
    put!(out, "thread count:\t\t{}\n", span.thread_count);
    if span.floating_pool {
        put!(out, "request count:\t\t{}\n", span.request_count);
    }
    if let Some(placement) = placement {
        placement.write(out);
    }
    if span.cpu.mean_usage().is_some() {
        write_cpu_table(out, &span.cpu);
    }
    write_distributions(out, &span.distributions, style);
    for (name, table) in [("Total", &span.total), ("Read", &span.read), ("Write", &span.write)] {
        put!(out, "\n{name} IO\n");
        write_table(out, table, style);
    }
    if placement.is_some() {
        text_v2_3::write_submits(out, &span.submits);
    }
    if let Some(charts) = &span.latency {
        write_charts(out, charts);
    }
    if let Some(trace) = &span.trace {
        write_trace(out, trace);
    }
    match placement {
        _ if span.waits.is_empty() => {}
        Some(_) => text_v2_3::write_waits(out, &span.waits, span.latency.is_some() || span.iops.is_some()),
        None => write_waits(out, &span.waits),
    }
}

fn write_distributions(out: &mut Vec<u8>, groups: &[DistributionGroup], style: &Style) {
    if groups.is_empty() {
        return;
    }
    put!(out, "\nEffective IO Distributions\n{}\n", "-".repeat(26));
    for group in groups {
        for user in &group.users {
            out.extend_from_slice(b"target: ");
            out.extend_from_slice(user.path.as_bytes());
            put!(out, " [thread:{}]\n", number_list(&user.threads));
        }
        write_ranges(out, &group.ranges, style);
    }
}

/// `0 1`, `0 - 2`, `0 - 2 4`, each element after a blank: runs of three and more are shown by their ends.
fn number_list(ascending: &[u32]) -> String {
    let runs = ascending.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    runs.map(|run| match run {
        [first, _, .., last] => format!(" {first} - {last}"),
        short => short.iter().map(|number| format!(" {number}")).collect(),
    })
    .collect()
}

/// Appends one line per range. If the target's end cuts ranges off, shares refer to the remaining ones.
fn write_ranges(out: &mut Vec<u8>, ranges: &[EffectiveRange], style: &Style) {
    let covered: u64 = ranges.iter().map(|range| u64::from(range.io_span)).sum();
    for range in ranges {
        match covered {
            0..100 => {
                let share = 100.0 * f64::from(range.io_span) / (covered.max(1) as f64);
                put!(out, "    {share:.1}% of IO => [");
            }
            _ => put!(out, "   {:3}% of IO => [", range.io_span),
        }
        put!(out, "{} - ", style.range_start(range.start));
        match range.length {
            0 => put!(out, "      end)\n"),
            length => put!(out, "{})\n", style.column(range.start.saturating_add(length))),
        }
    }
}

fn write_totals(out: &mut Vec<u8>, totals: &Totals) {
    let border = "-".repeat(79);
    let row = |name, figures: &Throughput| {
        let Throughput { bytes, ios, mib_per_s, iops } = figures;
        format!("{name:<7}| {bytes:15} | {ios:12} | {mib_per_s:10.2} | {iops:10.2}\n")
    };
    put!(out, "\n\nTotals:\n{}\n\n", "*".repeat(79));
    put!(out, "type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n{border}\n");
    put!(out, "{}{}{border}\n", row("write", &totals.write), row("read", &totals.read));
    put!(out, "{}\ntotal test time:\t{:.2}s\n", row("total", &totals.total), totals.seconds);
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_profile::Compat;

    #[test]
    fn thread_lists_are_parsed() {
        let table: [(&[u32], &str); 7] = [
            (&[], ""),
            (&[4], " 4"),
            (&[0, 1], " 0 1"),
            (&[0, 1, 2], " 0 - 2"),
            (&[0, 1, 2, 4], " 0 - 2 4"),
            (&[0, 2, 3, 5, 6, 7, 8], " 0 2 3 5 - 8"),
            (&[u32::MAX], " 4294967295"),
        ];
        for (threads, expected) in table {
            assert_eq!(number_list(threads), expected, "{threads:?}");
        }
    }

    #[test]
    fn start_time_is_printed_in_utc() {
        let table = [
            (0, Some("1970/01/01 00:00:00 UTC")),
            (1_741_944_413, Some("2025/03/14 09:26:53 UTC")),
            (-62_135_596_800, Some("1/01/01 00:00:00 UTC")),
            (i64::MAX, None),
        ];
        for (seconds, expected) in table {
            assert_eq!(date_and_time(seconds).as_deref(), expected);
        }
    }

    #[test]
    fn ranges_beyond_target_are_cut_and_scaled() {
        let range = |io_base, io_span, start, length| EffectiveRange { io_base, io_span, start, length };
        let kib = 1024;
        let cut =
            [range(0, 10, 0, 50 * kib), range(10, 20, 50 * kib, 10 * kib), range(30, 30, 60 * kib, 40 * kib)];
        let open = [range(0, 10, 0, 1 << 30), range(10, 90, 102 << 30, 0)];
        let expected = [
            "    16.7% of IO => [     0    -     50KiB)\n\
             \x20   33.3% of IO => [    50KiB -     60KiB)\n\
             \x20   50.0% of IO => [    60KiB -    100KiB)\n",
            "    10% of IO => [     0    -      1GiB)\n\
             \x20   90% of IO => [   102GiB -       end)\n",
        ];
        for (ranges, expected) in [cut.as_slice(), &open].into_iter().zip(expected) {
            let mut out = Vec::new();
            write_ranges(&mut out, ranges, &Style::for_compat(Compat::V2_2));
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
