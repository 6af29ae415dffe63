//! Lines of figures of the progress display.

use super::fit;
use crate::run::{MachineSpeed, Speed, TargetSpeed};

/// Maximum columns of a target's name.
const NAME: usize = 24;

/// Formats the figures of a second: all I/O, each direction, the machine.
pub(super) fn figures(phase: &str, left_s: f64, rates: Option<Speed>, machine: MachineSpeed) -> Vec<String> {
    let mut lines = vec![format!("{phase} {:.0} s left", left_s.ceil())];
    let Some(rates) = rates else { return lines };
    lines[0] += &format!(" | {:.0} IOPS | {:.2} MiB/s", rates.iops, rates.bytes_per_s / 1_048_576.0);
    if let Some((mean, p99)) = rates.latency {
        lines[0] += &format!(" | p99 {p99} ms | avg {mean} ms");
    }
    if let Some(max) = rates.max {
        lines[0] += &format!(" | max {max} ms");
    }
    let mut beside = Vec::new();
    if let Some([reads, writes]) = rates.reads_and_writes {
        beside.push(format!("reads {reads:.0} IOPS"));
        beside.push(format!("writes {writes:.0} IOPS"));
    }
    beside.extend(machine.device_share.map(|share| format!("so far {} reached the device", part(share))));
    beside.extend(machine.cpu_percent.map(|percent| format!("CPU {percent:.0} %")));
    lines.extend((!beside.is_empty()).then(|| beside.join(" | ")));
    lines
}

/// Formats the figures of a target, after the end of its name.
pub(super) fn row(TargetSpeed { name, speed }: &TargetSpeed) -> String {
    let p99 = speed.latency.map_or(String::new(), |(_, p99)| format!(" | p99 {p99} ms"));
    format!("{}: {:.0} IOPS{p99}", fit::path("", name, "", NAME), speed.iops)
}

pub(super) fn sentence(phase: &str, rates: Option<Speed>, machine: MachineSpeed) -> String {
    let Some(rates) = rates else { return phase.to_owned() };
    let mut text = format!("{phase}, {:.0} IOPS, {:.2} MiB/s", rates.iops, rates.bytes_per_s / 1_048_576.0);
    if let Some(share) = machine.device_share {
        text += &format!(", {} reached the device", part(share));
    }
    if let Some(percent) = machine.cpu_percent {
        text += &format!(", CPU {percent:.0} %");
    }
    text
}

fn part(share: f64) -> String {
    format!("{share:.2} of it")
}
