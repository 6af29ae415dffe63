//! What is drawn while a run goes on, on standard error, and only when that is a terminal: a line that says
//! what happens right now, and a chart of how it went so far.

use super::chart::{self, LiveChart};
use super::course::LiveCourse;
use super::fit;
use crate::clock::{self, Nanos, SECOND};
use crate::run::{Progress, Speed};
use crate::sys::standard_error;
use crate::sys::terminal::{self, DrawnLine, Ink, Screen, plain};

/// Terminals with fewer lines, and fewer columns, get the line alone.
const LEAST_ROWS: usize = 10;

#[derive(Debug, Default)]
pub struct LiveView {
    writing_since: Option<Nanos>,
    turn: String,
    stretch: LiveStretch,
}

impl LiveView {
    /// `None` when standard error is no terminal. `turn`: which run of several; empty = there is one.
    pub fn for_terminal(turn: String) -> Option<LiveView> {
        terminal::screen().map(|_| LiveView { turn, ..LiveView::default() })
    }

    pub fn draw(&mut self, progress: &Progress) {
        let Some(screen) = terminal::screen() else { return };
        let lines = match *progress {
            Progress::Running { phase, left_ns, rates } => {
                self.stretch.goes_on(phase, left_ns, rates);
                let turn = if self.turn.is_empty() { String::new() } else { format!("{}: ", self.turn) };
                let status = format!("{turn}{}", line(phase, left_ns, rates));
                running_lines(&status, &self.stretch, &screen)
            }
            Progress::Preparing { name, done_bytes, total_bytes } => {
                let now = clock::monotonic();
                let began = *self.writing_since.get_or_insert(now);
                let columns = screen.columns.saturating_sub(1);
                vec![plain(preparation_line(name, done_bytes, total_bytes, now - began, columns))]
            }
        };
        standard_error::draw(&lines, screen.colours);
    }

    /// Removes it, so that what comes next starts on a clean line.
    pub fn clear(&mut self) {
        self.writing_since = None;
        standard_error::wipe();
    }
}

#[derive(Debug, Default)]
pub struct LiveStretch {
    phase: String,
    left_s: u64,
    course: LiveCourse,
}

impl LiveStretch {
    /// Another second has gone by; with another phase it begins anew.
    pub fn goes_on(&mut self, phase: &str, left: Nanos, rates: Option<Speed>) {
        if self.phase != phase {
            *self = LiveStretch { phase: phase.to_owned(), ..LiveStretch::default() };
        }
        self.left_s = left.div_ceil(SECOND);
        if let Some(rates) = rates {
            self.course.add(&rates);
        }
    }

    /// Its charts, from the beginning to the end of the phase: of I/Os per second, and of latency where that
    /// is measured. None before there is something to see.
    pub fn charts(&self) -> Option<(LiveChart, Option<LiveChart>)> {
        let points = self.course.points();
        let to_come = self.course.points_in_all(self.left_s) - points.len();
        let of = |figure: fn(&super::course::LivePoint) -> Option<f64>| -> Vec<Option<f64>> {
            points.iter().map(figure).chain(std::iter::repeat_n(None, to_come)).collect()
        };
        let latencies = of(|point| point.p99_ms);
        let latency = latencies.iter().any(Option::is_some).then(|| latency_chart(latencies));
        (points.len() > 1).then(|| (rate_chart(of(|point| Some(point.iops))), latency))
    }
}

/// A chart of I/Os per second.
pub fn rate_chart(figures: Vec<Option<f64>>) -> LiveChart {
    LiveChart { name: "IOPS", unit: "", figures, ink: Ink::Rate, heading: "" }
}

/// A chart of latencies, ms.
pub fn latency_chart(figures: Vec<Option<f64>>) -> LiveChart {
    LiveChart { name: "p99", unit: " ms", figures, ink: Ink::Latency, heading: "" }
}

/// The line, and rows of charts below it where there is room for them.
pub fn with_charts(status: &str, rows: &[Vec<LiveChart>], screen: &Screen) -> Vec<DrawnLine> {
    // The last column stays free, since some terminals wrap when it is filled.
    let columns = screen.columns.saturating_sub(1);
    let mut lines = vec![plain(fit::parts(status, columns))];
    if screen.rows >= LEAST_ROWS {
        lines.extend(rows.iter().flat_map(|charts| chart::lines(charts, columns, screen.blocks)));
    }
    lines
}

fn running_lines(status: &str, stretch: &LiveStretch, screen: &Screen) -> Vec<DrawnLine> {
    let (rate, latency) = stretch.charts().unzip();
    let rows: Vec<Vec<LiveChart>> = rate.into_iter().chain(latency.flatten()).map(|c| vec![c]).collect();
    with_charts(status, &rows, screen)
}

fn line(phase: &str, left: Nanos, rates: Option<Speed>) -> String {
    let mut text = format!("{phase:<9} {:>4} s left", left.div_ceil(SECOND));
    let Some(rates) = rates else { return text };
    text += &format!(" | {:>10.0} IOPS | {:>9.2} MiB/s", rates.iops, rates.bytes_per_s / 1_048_576.0);
    if let Some((mean, p99)) = rates.latency {
        text += &format!(" | avg {mean} ms | p99 {p99} ms");
    }
    text
}

/// `since`: time since the writing began, ns.
fn preparation_line(path: &str, done: u64, total: u64, since: Nanos, columns: usize) -> String {
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
pub mod tests {
    use super::*;
    use crate::units::Millis;

    pub fn seen(lines: &[DrawnLine]) -> String {
        let line = |line: &DrawnLine| line.iter().map(|piece| piece.text.as_str()).collect::<String>() + "\n";
        lines.iter().map(line).collect()
    }

    /// A terminal of that size.
    pub fn screen(columns: usize, rows: usize) -> Screen {
        Screen { columns, rows, colours: true, blocks: true }
    }

    const RATES: Speed = Speed {
        iops: 500.0,
        bytes_per_s: 2_048_000.0,
        latency: Some((Millis::of_ns(108_000), Millis::of_ns(99_328))),
    };

    #[test]
    fn the_line_shows_what_happened_since_it_was_drawn_last() {
        assert_eq!(
            line("measure", 7 * SECOND - 1, Some(RATES)),
            "measure      7 s left |        500 IOPS |      1.95 MiB/s | avg 0.108 ms | p99 0.099 ms"
        );
        assert_eq!(line("measure", 7 * SECOND, None), "measure      7 s left");
    }

    /// Ten seconds of twenty, the seventh slower.
    pub fn half_a_run() -> LiveStretch {
        let mut stretch = LiveStretch::default();
        stretch.goes_on("warm up", SECOND, Some(Speed { iops: 1e9, ..RATES }));
        for second in 1..=10u64 {
            let slow = second == 7;
            let latency = Some((Millis::of_ns(1), Millis::new(if slow { 8.0 } else { 0.5 })));
            let rates = Speed { iops: if slow { 2000.0 } else { 16_000.0 }, latency, ..RATES };
            stretch.goes_on("measure", (20 - second) * SECOND, Some(rates));
        }
        stretch
    }

    #[test]
    fn charts_show_the_phase_from_its_beginning_to_its_end() {
        let expected = "\
measure 10 s left | 500 IOPS | 1.95 MiB/s
    16.0k │█████████████  ██████
   IOPS 0 │█████████████▂▂██████
  8.00 ms │             ██
    p99 0 │▁▁▁▁▁▁▁▁▁▁▁▁▁██▁▁▁▁▁▁
";
        let status = line("measure", 10 * SECOND, Some(RATES));
        assert_eq!(seen(&running_lines(&status, &half_a_run(), &screen(54, 24))), expected);
    }

    #[test]
    fn live_line_is_alone_without_room_for_chart() {
        let status = "measure 10 s left | 16000 IOPS";
        let short = running_lines(status, &half_a_run(), &screen(80, 9));
        assert_eq!(seen(&short), format!("{status}\n"));
        assert_eq!(running_lines(status, &half_a_run(), &screen(23, 24)).len(), 1, "too narrow");
        let mut new = LiveStretch::default();
        new.goes_on("measure", 9 * SECOND, Some(RATES));
        assert_eq!(running_lines(status, &new, &screen(80, 24)).len(), 1, "one second");
        let mut without = LiveStretch::default();
        for left in [9, 8, 7] {
            without.goes_on("measure", left * SECOND, Some(Speed { latency: None, ..RATES }));
        }
        assert_eq!(running_lines(status, &without, &screen(80, 24)).len(), 3, "no latencies");
    }
}
