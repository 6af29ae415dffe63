//! The rows of a job's hosts in the progress display: missing and slow hosts first, the sum below.

use super::live_text::{figures, sentence};
use crate::clock::{Nanos, SECOND};
use crate::results::shown_hosts;
use crate::run::{HostSpeed, HostState, MachineSpeed, Speed};

/// Returns at most `room` lines of hosts, and the lines of their sum.
pub(super) fn lines(
    hosts: &[HostSpeed],
    room: usize,
    (phase, left): (&str, Nanos),
    sum: Option<Speed>,
) -> Vec<String> {
    let shown = shown_hosts(hosts.len()).min(room.max(1));
    let mut lines: Vec<String> = hosts.iter().take(shown).map(row).collect();
    let mut sums = figures(phase, left as f64 / SECOND as f64, sum, MachineSpeed::default());
    let hidden = match hosts.len() - lines.len() {
        0 => String::new(),
        hidden => format!(", of which {hidden} faster ones are not shown"),
    };
    // The 99th percentile of all I/Os is at most the highest one of a host.
    sums[0] = format!("{} hosts{hidden}: {}", hosts.len(), sums[0].replace("p99 ", "p99 up to "));
    lines.extend(sums);
    lines
}

/// Returns the sum and the worst host in one sentence.
pub(super) fn text(hosts: &[HostSpeed], phase: &str, sum: Option<Speed>) -> String {
    let all = format!("{} hosts: {}", hosts.len(), sentence(phase, sum, MachineSpeed::default()));
    match hosts.first() {
        Some(worst) => format!("{all}; {}", row(worst)),
        None => all,
    }
}

fn row(HostSpeed { name, state }: &HostSpeed) -> String {
    match state {
        HostState::Lost(why) => format!("{name}: missing: {why}"),
        HostState::Silent(seconds) => format!("{name}: silent for {seconds} s"),
        HostState::Waiting => format!("{name}: not measuring yet"),
        HostState::Running(speed, machine) => {
            let mut row =
                format!("{name}: {:.0} IOPS | {:.2} MiB/s", speed.iops, speed.bytes_per_s / 1_048_576.0);
            if let Some((_, p99)) = speed.latency {
                row += &format!(" | p99 {p99} ms");
            }
            if let Some(share) = machine.device_share {
                row += &format!(" | so far {share:.2} of it reached the device");
            }
            row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Millis;

    fn speed(iops: f64) -> Speed {
        let latency = Some((Millis::new(1.0), Millis::new(2.5)));
        Speed { iops, bytes_per_s: iops * 4096.0, latency, max: None, reads_and_writes: None }
    }

    fn job(size: usize) -> Vec<HostSpeed> {
        let running = |rank: usize| {
            let machine = MachineSpeed { cpu_percent: None, device_share: (rank == 2).then_some(0.07) };
            HostState::Running(speed(256.0 * rank as f64), machine)
        };
        let state = |rank| match rank {
            0 => HostState::Lost("no message".into()),
            1 => HostState::Silent(12),
            rank => running(rank),
        };
        (0..size).map(|rank| HostSpeed { name: format!("rank {rank} (h)"), state: state(rank) }).collect()
    }

    #[test]
    fn rows_show_missing_hosts_figures_and_the_sum() {
        let lines = lines(&job(3), 20, ("measure", 7 * SECOND), Some(speed(512.0)));
        assert_eq!(
            lines,
            [
                "rank 0 (h): missing: no message",
                "rank 1 (h): silent for 12 s",
                "rank 2 (h): 512 IOPS | 2.00 MiB/s | p99 2.500 ms | so far 0.07 of it reached the device",
                "3 hosts: measure 7 s left | 512 IOPS | 2.00 MiB/s | p99 up to 2.500 ms | avg 1.000 ms",
            ]
        );
        let text = text(&job(3)[2..], "measure", Some(speed(512.0)));
        assert!(text.starts_with("1 hosts: measure, 512 IOPS, 2.00 MiB/s; rank 2 (h): 512 IOPS"), "{text}");
    }

    #[test]
    fn many_hosts_and_low_terminals_show_the_first_rows() {
        for (size, room, shown) in [(20, 30, 20), (21, 30, 10), (20, 3, 3), (2, 0, 1)] {
            let lines = lines(&job(size), room, ("measure", SECOND), None);
            assert_eq!(lines.len(), shown + 1, "{size} {room}");
            let hidden = format!("of which {} faster ones", size - shown);
            assert_eq!(lines.last().unwrap().contains(&hidden), size > shown, "{lines:?}");
        }
    }
}
