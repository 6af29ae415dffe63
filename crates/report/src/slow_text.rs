//! The slowest I/Os at the end of the text report (`--explain`), after DISKSPD's part.

use diskspd_figures::units::visible;
use diskspd_results::{Host, IoStage, Record, SlowIo, SlowIos};

/// Maximum number of listed I/Os; the record contains all.
const LISTED: usize = 10;
const CULPRITS: usize = 10;
/// Maximum number of hosts with a section.
const HOSTS: usize = 5;
const MAX_TRACING_COST: f64 = 5.0;

/// Appends a section for each time span with slow I/Os.
pub(super) fn write_slow(out: &mut Vec<u8>, record: &Record) {
    let Host { results, .. } = record.host();
    for (index, span) in results.time_spans.iter().enumerate() {
        if let Some(slow) = span.observed.as_ref().and_then(|observed| observed.slow.as_ref()) {
            write_section(out, &format!("timespan {}", index + 1), slow);
        }
        write_hosts(out, index + 1, slow_hosts(record, index));
    }
}

/// Returns the slowest I/Os of each host of a merged run in a time span.
fn slow_hosts(record: &Record, index: usize) -> Vec<(&str, &SlowIos)> {
    let summaries = record.hosts.iter().filter_map(|host| Some((host.name.as_str(), host.summary.as_ref()?)));
    summaries.filter_map(|(name, summary)| Some((name, summary.slow.get(index)?.as_ref()?))).collect()
}

/// Appends a section for each host in the order of the slowest I/O.
fn write_hosts(out: &mut Vec<u8>, number: usize, mut hosts: Vec<(&str, &SlowIos)>) {
    let slowest = |slow: &SlowIos| slow.ios.iter().map(|io| io.latency_ns).max().unwrap_or(0);
    hosts.sort_by_key(|(_, slow)| std::cmp::Reverse(slowest(slow)));
    for (name, slow) in hosts.iter().take(HOSTS) {
        write_section(out, &format!("timespan {number} on {}", visible::line(name)), slow);
    }
    if hosts.len() > HOSTS {
        let hidden = hosts.len() - HOSTS;
        put!(out, "\nthe record has the slowest I/Os of {hidden} more hosts (hosts[].summary.slow)\n");
    }
}

fn write_section(out: &mut Vec<u8>, place: &str, slow: &SlowIos) {
    put!(out, "\n\nSlowest I/Os of {place}:\n{}\n", "*".repeat(79));
    if !slow.ios.is_empty() {
        write_stages(out, slow);
        write_culprits(out, slow);
        write_ios(out, slow);
    }
    put!(out, "\n{}", remarks(slow));
}

/// Returns remarks about the selection, one line each.
pub fn remarks(slow: &SlowIos) -> String {
    let mut lines = Vec::new();
    if slow.ios.is_empty() {
        lines.push("no I/O was explained".to_owned());
    }
    lines.extend(slow.error.as_deref().map(|why| visible::line(why).to_string()));
    if slow.missed > 0 {
        lines.push(format!("{} slow I/Os are missing: the recorder could not keep up", slow.missed));
    }
    if slow.lost_events > 0 {
        lines
            .push(format!("{} events of the kernel were lost: their time is unattributed", slow.lost_events));
    }
    let (cost, events) = (slow.cost_percent, slow.events);
    lines.push(match cost > MAX_TRACING_COST {
        true => format!(
            "recording {events} events took an estimated {cost:.1} % of the threads' time: the figures of \
             this run may be lower by as much"
        ),
        false => format!("recording {events} events took an estimated {cost:.1} % of the threads' time"),
    });
    lines.into_iter().map(|line| line + "\n").collect()
}

fn write_stages(out: &mut Vec<u8>, slow: &SlowIos) {
    let sum = slow.stages();
    let all = sum.sum().max(1) as f64;
    let longest = |stage| slow.ios.iter().map(|io| io.stages.time_in(stage)).max().unwrap_or(0);
    let first = |stage: IoStage| slow.ios.iter().filter(|io| main_stage(io) == stage).count();
    let header = "stage                          |   share  |  mean (ms) |   max (ms) | I/Os mostly here";
    put!(
        out,
        "\nwhere the {} slowest lost their time\n\n{header}\n{}\n",
        slow.ios.len(),
        "-".repeat(header.len())
    );
    for stage in IoStage::ALL {
        let ns = sum.time_in(stage);
        put!(
            out,
            "{:30} | {:6.2} % | {:10.3} | {:10.3} | {:16}\n",
            stage.words(),
            ns as f64 * 100.0 / all,
            to_ms(ns) / slow.ios.len() as f64,
            to_ms(longest(stage)),
            first(stage)
        );
    }
}

/// Returns the stage with the longest part of an I/O's time.
pub fn main_stage(io: &SlowIo) -> IoStage {
    // The first of several that are as long.
    let longest = IoStage::ALL.into_iter().rev().max_by_key(|stage| io.stages.time_in(*stage));
    longest.unwrap_or(IoStage::Unattributed)
}

fn write_culprits(out: &mut Vec<u8>, slow: &SlowIos) {
    let header = "    I/Os |  held (ms) | what held them up most";
    put!(out, "\n{header}\n{}\n", "-".repeat(header.len()));
    let culprits = slow.culprits();
    for sum in culprits.iter().take(CULPRITS) {
        put!(out, "{:8} | {:10.3} | {}\n", sum.ios, to_ms(sum.ns), visible::line(&sum.kind.words(&sum.name)));
    }
    let named: u64 = culprits.iter().map(|sum| sum.ios).sum();
    let rest = (slow.ios.len() as u64).saturating_sub(named);
    if rest > 0 {
        put!(out, "{rest:8} |            | no single cause\n");
    }
}

fn write_ios(out: &mut Vec<u8>, slow: &SlowIos) {
    let header =
        "    at (s) |   ms     | thread |  what  |     offset     |   size   | mostly, and what held it up";
    put!(out, "\n{header}\n{}\n", "-".repeat(header.len()));
    for io in slow.ios.iter().take(LISTED) {
        let why = io.cause.as_ref().map(|culprit| culprit.kind.words(&culprit.name));
        let why = why.map(|why| format!(": {}", visible::line(&why))).unwrap_or_default();
        put!(
            out,
            "{:10.3} | {:8.3} | {:6} | {:6} | {:14} | {:8} | {}{why}\n",
            io.submitted_ns as f64 / 1e9,
            to_ms(io.latency_ns),
            io.thread,
            io.operation,
            io.offset,
            io.length,
            main_stage(io).words()
        );
    }
}

fn to_ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_profile::TargetId;
    use diskspd_results::{Culprit, CulpritKind, StageTimes};

    #[test]
    fn stages_culprits_and_slowest_ios_are_printed() {
        let io = |ns: u64, stages: StageTimes, kind: CulpritKind| SlowIo {
            thread: 1,
            target: TargetId(0),
            operation: "read".into(),
            offset: 8192,
            length: 4096,
            submitted_ns: 1_500_000_000,
            latency_ns: ns,
            stages,
            cause: Some(Culprit { kind, name: "vda".into(), duration_ns: ns }),
        };
        let stopped = StageTimes { wake_ns: 30_000_000, ..StageTimes::default() };
        let device = StageTimes { device_ns: 10_000_000, ..StageTimes::default() };
        let ios =
            vec![io(30_000_000, stopped, CulpritKind::Stopped), io(10_000_000, device, CulpritKind::Device)];
        let slow = SlowIos { requested: 2, ios, lost_events: 3, cost_percent: 7.0, ..SlowIos::default() };
        let mut out = Vec::new();
        write_section(&mut out, "timespan 1", &slow);
        let text = String::from_utf8(out).expect("text");
        for expected in [
            "at the device                  |  25.00 % |      5.000 |     10.000 |                1\n",
            "woken, waiting for a CPU       |  75.00 % |     15.000 |     30.000 |                1\n",
            "       1 |     30.000 | the program was stopped\n       1 |     10.000 | device vda\n",
            "|   30.000 |      1 | read   |           8192 |     4096 | woken, waiting for a CPU: the",
            "3 events of the kernel were lost",
            "an estimated 7.0 % of the threads' time: the figures of this run may be lower",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        let nothing = SlowIos { error: Some("no right".into()), ..SlowIos::default() };
        assert!(remarks(&nothing).starts_with("no I/O was explained\nno right\n"));
    }

    #[test]
    fn merged_run_lists_hosts_with_slowest_io_first() {
        let slow = |latency_ns: u64| {
            let io = SlowIo {
                thread: 0,
                target: TargetId(0),
                operation: "read".into(),
                offset: 0,
                length: 4096,
                submitted_ns: 0,
                latency_ns,
                stages: StageTimes { device_ns: latency_ns, ..StageTimes::default() },
                cause: None,
            };
            (format!("h{latency_ns}"), SlowIos { ios: vec![io], ..SlowIos::default() })
        };
        let hosts: Vec<(String, SlowIos)> = (0..7).map(slow).collect();
        let mut out = Vec::new();
        write_hosts(&mut out, 1, hosts.iter().map(|(name, slow)| (name.as_str(), slow)).collect());
        let text = String::from_utf8(out).expect("text");
        let order: Vec<&str> = text.lines().filter(|line| line.starts_with("Slowest")).collect();
        assert_eq!(order.len(), HOSTS);
        assert_eq!(order[0], "Slowest I/Os of timespan 1 on h6:");
        assert!(text.ends_with("the slowest I/Os of 2 more hosts (hosts[].summary.slow)\n"), "{text}");
    }
}
