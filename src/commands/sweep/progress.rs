//! How far a sweep is: a line per run, and where standard error is a terminal what is drawn while one goes
//! on: where it is, how this run goes, and the curve of all points so far.

use super::super::console::course::LivePoint;
use super::super::console::live::{LiveStretch, latency_chart, rate_chart, with_charts};
use super::super::quiet::ToldOnce;
use crate::clock::{self, Nanos, SECOND};
use crate::finding::Finding;
use crate::lab::repeat::headline;
use crate::lab::sweep::{PointRow, Ran, Sweep, What, estimate, rows, time_in_words};
use crate::run::{Listener, Progress, Speed, Wants};
use crate::sys::mutex::LockAnyway;
use crate::sys::standard_error::{self, say};
use crate::sys::terminal::{self, DrawnLine, Screen};
use std::sync::{Mutex, MutexGuard};

/// Fewer columns have room for one chart in a line.
const WIDE: usize = 72;

pub struct Watcher {
    quiet: bool,
    draws: bool,
    state: Mutex<WatcherState>,
}

#[derive(Default)]
struct WatcherState {
    view: SweepView,
    /// How much time was left when this run began, s.
    left_s: f64,
    began: Nanos,
    said: ToldOnce,
}

#[derive(Default)]
struct SweepView {
    place: String,
    label: String,
    stretch: LiveStretch,
    curve: Vec<Option<LivePoint>>,
}

impl Watcher {
    pub fn new(quiet: bool) -> Watcher {
        Watcher { quiet, draws: !quiet && terminal::screen().is_some(), state: Mutex::default() }
    }

    fn lock_state(&self) -> MutexGuard<'_, WatcherState> {
        self.state.lock_anyway()
    }

    pub fn begin(&self, number: usize, of: usize, left_s: f64, label: &str) {
        {
            let mut state = self.lock_state();
            state.view.place = format!("run {number} of {of}");
            state.view.label = if label.is_empty() { String::new() } else { format!(": {label}") };
            state.view.stretch = LiveStretch::default();
            (state.left_s, state.began) = (left_s, clock::monotonic());
        }
        self.show("");
    }

    /// It has ended: the last one of `history`.
    pub fn ended(&self, sweep: &Sweep, history: &[Ran]) {
        self.progress_ends();
        let mut state = self.lock_state();
        if let Some(ran) = history.last().filter(|_| !self.quiet) {
            let outcome = match (&ran.line, &ran.failure) {
                (Some(line), _) => headline(line),
                (None, why) => format!("failed: {}", why.as_deref().unwrap_or_default()),
            };
            let left = estimate(sweep, history);
            let left = match left.seconds {
                some if some >= 1.0 => format!(", {} left", time_in_words(some)),
                _ => String::new(),
            };
            say(format_args!("{}{left}{}: {outcome}", state.view.place, state.view.label));
        }
        if self.draws {
            state.view.curve = live_points(sweep, history);
        }
    }

    fn show(&self, more: &str) {
        let Some(screen) = self.draws.then(terminal::screen).flatten() else { return };
        let state = self.lock_state();
        let gone = clock::monotonic().saturating_sub(state.began) as f64 / SECOND as f64;
        let left = if state.left_s > 0.0 { Some((state.left_s - gone).max(0.0)) } else { None };
        standard_error::draw(&state.view.view_lines(left, more, &screen), screen.colours);
    }
}

impl SweepView {
    fn view_lines(&self, left_s: Option<f64>, more: &str, screen: &Screen) -> Vec<DrawnLine> {
        let left = left_s.map(|left| format!(", {} left", time_in_words(left))).unwrap_or_default();
        let status = format!("{}{left}{}{more}", self.place, self.label);
        let figures = |figure: fn(&LivePoint) -> Option<f64>| -> Vec<Option<f64>> {
            self.curve.iter().map(|point| figure(point.as_ref()?)).collect()
        };
        let several = self.curve.iter().flatten().count() > 1;
        let (rate, latency) = self.stretch.charts().filter(|_| !several || screen.columns >= WIDE).unzip();
        let mut rates: Vec<_> = rate.into_iter().map(|chart| chart.under("this run")).collect();
        let mut latencies: Vec<_> = latency.flatten().into_iter().collect();
        if several {
            rates.push(rate_chart(figures(|point| Some(point.iops))).under("all points"));
            latencies.push(latency_chart(figures(|point| point.p99_ms)));
        }
        let charts: Vec<_> = [rates, latencies].into_iter().filter(|charts| !charts.is_empty()).collect();
        with_charts(&status, &charts, screen)
    }
}

/// All points, those that haven't been run too; of offered rates those that have been tried.
fn live_points(sweep: &Sweep, history: &[Ran]) -> Vec<Option<LivePoint>> {
    let rows = rows(sweep, history);
    let point = |row: &PointRow| {
        let figures = row.figures.as_ref()?;
        Some(LivePoint { iops: figures.iops, p99_ms: figures.felt().map(|latency| latency.p99_ms.ms()) })
    };
    if sweep.settings.curve.is_empty() {
        let row = |number| rows.iter().find(|row| row.what == What::Point(number));
        return (0..sweep.points.len()).map(|number| point(row(number)?)).collect();
    }
    rows.iter().filter(|row| matches!(row.what, What::Rate(_))).map(point).collect()
}

impl Listener for Watcher {
    fn wants(&self) -> Wants {
        Wants { progress: self.draws, ..Wants::default() }
    }

    fn notice(&self, notice: &Finding) {
        self.progress_ends();
        self.lock_state().said.tell(notice, self.quiet);
    }

    fn progress(&self, progress: &Progress) {
        match *progress {
            Progress::Preparing { done_bytes, total_bytes, .. } => {
                self.show(&format!(" | creating {} of {} MiB", done_bytes >> 20, total_bytes >> 20));
            }
            Progress::Running { phase, left_ns, rates } => {
                self.lock_state().view.stretch.goes_on(phase, left_ns, rates);
                self.show(&status_text(phase, rates));
            }
        }
    }

    fn progress_ends(&self) {
        standard_error::wipe();
    }
}

fn status_text(phase: &str, rates: Option<Speed>) -> String {
    let Some(rates) = rates else { return format!(" | {phase}") };
    let latency = rates.latency.map(|(_, p99)| format!(" | p99 {p99} ms"));
    format!(" | {phase} | {:.0} IOPS{}", rates.iops, latency.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::super::console::live::tests::{half_a_run, screen, seen};
    use super::*;

    fn sample_view() -> SweepView {
        let point = |iops: f64, p99_ms| Some(LivePoint { iops, p99_ms: Some(p99_ms) });
        SweepView {
            place: "run 4 of 9".into(),
            label: ": -o8".into(),
            stretch: half_a_run(),
            curve: vec![point(1000.0, 1.0), point(2000.0, 1.0), point(4000.0, 2.0), None],
        }
    }

    #[test]
    fn this_run_stands_beside_the_curve_of_all_points() {
        let expected = "\
run 4 of 9, 2 min 5 s left: -o8 | measure | 16000 IOPS | p99 0.500 ms
           this run                                all points
    16.0k │█████████ ████                   4.00k │              ███████
   IOPS 0 │█████████▂████                  IOPS 0 │▄▄▄▄▄▄▄██████████████
  8.00 ms │         █                     2.00 ms │              ███████
    p99 0 │▁▁▁▁▁▁▁▁▁█▁▁▁▁                   p99 0 │█████████████████████
";
        let lines =
            sample_view().view_lines(Some(125.0), " | measure | 16000 IOPS | p99 0.500 ms", &screen(80, 24));
        assert_eq!(seen(&lines), expected);
    }

    #[test]
    fn a_narrow_terminal_has_the_curve_alone_and_a_new_sweep_the_run() {
        let lines = sample_view().view_lines(None, " | measure", &screen(40, 24));
        let expected = "\
run 4 of 9: -o8 | measure
           all points
    4.00k │              ███████
   IOPS 0 │▄▄▄▄▄▄▄██████████████
  2.00 ms │              ███████
    p99 0 │█████████████████████
";
        assert_eq!(seen(&lines), expected);
        let new = SweepView { curve: vec![None; 4], ..sample_view() };
        let found = seen(&new.view_lines(None, "", &screen(80, 24)));
        assert!(found.contains("this run") && !found.contains("all points"), "{found}");
        let before = SweepView { stretch: LiveStretch::default(), ..new };
        assert_eq!(seen(&before.view_lines(Some(9.0), "", &screen(80, 24))), "run 4 of 9, 9 s left: -o8\n");
    }
}
