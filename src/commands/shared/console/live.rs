//! The course of a phase for the progress display: its charts, and the line of a file that is created.

use super::chart::{self, LiveChart};
use super::fit;
use super::live_series::LiveSeries;
use crate::clock::{Nanos, SECOND};
use crate::run::Speed;
use crate::sys::terminal::{DrawnLine, TextStyle};

/// Minimum lines of a terminal for charts; smaller terminals show one line.
pub(super) const MIN_ROWS: usize = 10;

#[derive(Debug, Default)]
pub(super) struct LivePhase {
    phase: String,
    left_s: u64,
    course: LiveSeries,
}

impl LivePhase {
    /// Adds another second; a new phase resets the view.
    pub(super) fn update(&mut self, phase: &str, left: Nanos, rates: Option<Speed>) {
        if self.phase != phase {
            *self = LivePhase { phase: phase.to_owned(), ..LivePhase::default() };
        }
        self.left_s = left.div_ceil(SECOND);
        if let Some(rates) = rates {
            self.course.add(&rates);
        }
    }

    /// Returns charts of the whole phase: of I/Os per second, and of latency if measured. `None` without
    /// data.
    pub(super) fn charts(&self) -> Option<(LiveChart, Option<LiveChart>)> {
        let points = self.course.points();
        let to_come = self.course.points_in_all(self.left_s) - points.len();
        let of = |figure: fn(&super::live_series::LivePoint) -> Option<f64>| -> Vec<Option<f64>> {
            points.iter().map(figure).chain(std::iter::repeat_n(None, to_come)).collect()
        };
        let latencies = of(|point| point.p99_ms);
        let latency = latencies.iter().any(Option::is_some).then(|| latency_chart(latencies));
        (points.len() > 1).then(|| (rate_chart(of(|point| Some(point.iops))), latency))
    }
}

pub(super) fn rate_chart(figures: Vec<Option<f64>>) -> LiveChart {
    LiveChart { name: "IOPS", unit: "", figures, ink: TextStyle::Rate, heading: "" }
}

pub(super) fn latency_chart(figures: Vec<Option<f64>>) -> LiveChart {
    LiveChart { name: "p99", unit: " ms", figures, ink: TextStyle::Latency, heading: "" }
}

pub(super) fn charts(rows: &[Vec<LiveChart>], columns: usize, blocks: bool) -> Vec<DrawnLine> {
    rows.iter().flat_map(|charts| chart::lines(charts, columns, blocks)).collect()
}

/// Formats the progress of file creation; `since`: elapsed time in ns.
pub(super) fn preparation_line(path: &str, done: u64, total: u64, since: Nanos, columns: usize) -> String {
    let mib = |bytes: u64| bytes as f64 / 1_048_576.0;
    let mut text = format!(": {:.0} of {:.0} MiB", mib(done), mib(total));
    if since > SECOND / 2 && done > 0 {
        let rate = done as f64 / (since as f64 / SECOND as f64);
        text += &format!(
            ", {:.0} MiB/s, {:.0} s left",
            mib(rate as u64),
            total.saturating_sub(done) as f64 / rate
        );
    }
    fit::path("creating ", path, &text, columns)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::sys::terminal::Screen;
    use crate::units::Millis;

    pub(crate) fn visible_text(lines: &[DrawnLine]) -> String {
        let line = |line: &DrawnLine| line.iter().map(|piece| piece.text.as_str()).collect::<String>() + "\n";
        lines.iter().map(line).collect()
    }

    pub(crate) fn screen(columns: usize, rows: usize) -> Screen {
        Screen { columns, rows, colours: true, blocks: true }
    }

    const RATES: Speed =
        Speed { iops: 500.0, bytes_per_s: 2_048_000.0, latency: None, max: None, reads_and_writes: None };

    /// Sample of ten seconds of twenty; the seventh is slower.
    pub(crate) fn half_a_run() -> LivePhase {
        let mut stretch = LivePhase::default();
        stretch.update("warm up", SECOND, Some(Speed { iops: 1e9, ..RATES }));
        for second in 1..=10u64 {
            let slow = second == 7;
            let latency = Some((Millis::of_ns(1), Millis::new(if slow { 8.0 } else { 0.5 })));
            let rates = Speed { iops: if slow { 2000.0 } else { 16_000.0 }, latency, ..RATES };
            stretch.update("measure", (20 - second) * SECOND, Some(rates));
        }
        stretch
    }

    fn render_phase(stretch: &LivePhase, columns: usize) -> String {
        let (rate, latency) = stretch.charts().unzip();
        let rows: Vec<_> = rate.into_iter().chain(latency.flatten()).map(|chart| vec![chart]).collect();
        visible_text(&charts(&rows, columns, true))
    }

    #[test]
    fn charts_span_the_whole_phase() {
        let expected = "    16.0k │█████████████  ██████
   IOPS 0 │█████████████▂▂██████
  8.00 ms │             ██
    p99 0 │▁▁▁▁▁▁▁▁▁▁▁▁▁██▁▁▁▁▁▁
";
        assert_eq!(render_phase(&half_a_run(), 53), expected);
        assert_eq!(render_phase(&half_a_run(), 22), "", "too narrow");
        let mut new = LivePhase::default();
        new.update("measure", 9 * SECOND, Some(RATES));
        assert_eq!(render_phase(&new, 80), "", "one second");
        let mut without = LivePhase::default();
        for left in [9, 8, 7] {
            without.update("measure", left * SECOND, Some(RATES));
        }
        assert_eq!(render_phase(&without, 80).lines().count(), 2, "no latencies");
    }
}
