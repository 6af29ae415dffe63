//! The live line: what happens right now, on standard error, and only when that is a terminal.

use super::fit;
use crate::clock::{self, Nanos, SECOND};
use crate::run::{Progress, Speed};
use crate::sys::standard_error;
use std::io::IsTerminal;

/// Draws the line.
#[derive(Debug, Default)]
pub struct LiveLine {
    writing_since: Option<Nanos>,
    drawn: bool,
}

impl LiveLine {
    /// `None` when standard error is not a terminal.
    pub fn for_terminal() -> Option<LiveLine> {
        std::io::stderr().is_terminal().then(LiveLine::default)
    }

    /// Draws how far the run is.
    pub fn draw(&mut self, progress: &Progress) {
        let text = match *progress {
            Progress::Running { phase, left_ns, rates } => {
                fit::parts(&line(phase, left_ns, rates), fit::columns())
            }
            Progress::Preparing { name, done_bytes, total_bytes } => {
                let now = clock::monotonic();
                let began = *self.writing_since.get_or_insert(now);
                preparation(name, done_bytes, total_bytes, now - began, fit::columns())
            }
        };
        self.drawn = true;
        // Back to the start of the line, the line, then clear what is left of a longer one before.
        standard_error::draw(&text);
    }

    /// Removes the line, so that what comes next starts on a clean one.
    pub fn clear(&mut self) {
        self.writing_since = None;
        if std::mem::take(&mut self.drawn) {
            standard_error::draw("");
        }
    }
}

fn line(phase: &str, left: Nanos, rates: Option<Speed>) -> String {
    let mut text = format!("{phase:<9} {:>4} s left", left.div_ceil(SECOND));
    let Some(rates) = rates else { return text };
    text += &format!(" | {:>10.0} IOPS | {:>9.2} MiB/s", rates.iops, rates.bytes_per_s / 1_048_576.0);
    if let Some((mean, p99)) = rates.latency_ns {
        text += &format!(" | avg {:.3} ms | p99 {:.3} ms", mean / 1e6, p99 as f64 / 1e6);
    }
    text
}

/// `since`: time since the writing began, ns.
fn preparation(path: &str, done: u64, total: u64, since: Nanos, columns: usize) -> String {
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
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_what_happened_since_it_was_drawn_last() {
        let rates = Speed { iops: 500.0, bytes_per_s: 2_048_000.0, latency_ns: Some((108_000.0, 99_328)) };
        assert_eq!(
            line("measure", 7 * SECOND - 1, Some(rates)),
            "measure      7 s left |        500 IOPS |      1.95 MiB/s | avg 0.108 ms | p99 0.099 ms"
        );
        assert_eq!(line("measure", 7 * SECOND, None), "measure      7 s left");
    }
}
