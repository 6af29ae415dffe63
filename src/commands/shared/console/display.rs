//! The progress of all long operations: on a terminal the current step, a bar of the whole, the time left,
//! the figures of this second and a chart; elsewhere a line every ten seconds.

use super::chart::LiveChart;
use super::fit;
use super::host_rows;
use super::live::{self, LivePhase, latency_chart, rate_chart};
use super::live_series::LivePoint;
use super::live_text::{figures, row, sentence};
use crate::clock::{self, Nanos, SECOND};
use crate::commands::shared::runs::message_filter::MessageFilter;
use crate::experiments::sweep::time_in_words;
use crate::finding::Finding;
use crate::run::{Progress, RunObserver, Speed, Subscriptions};
use crate::sys::keys;
use crate::sys::mutex::LockUnpoisoned;
use crate::sys::signals;
use crate::sys::standard_error::{self, print_line};
use crate::sys::terminal::{self, DrawnLine, Screen, plain};
use std::sync::{Arc, Mutex, MutexGuard};

/// Interval between two lines without a terminal.
const LINE_EVERY: Nanos = 10 * SECOND;
/// Minimum columns for two charts next to each other.
const MIN_WIDE_COLUMNS: usize = 72;
const BAR: usize = 20;
/// Rows of the terminal that the hosts of a job leave to the step and the sum.
const SUM_ROWS: usize = 5;
const KEYS: &str = "q: end, m: mark";

#[derive(Debug, Clone, Default)]
pub(crate) struct Step {
    /// Name such as `run 3 of 8: B2`; empty = the only step.
    pub name: String,
    /// Time from the start of the step to the end of the operation in s; 0 = unknown.
    pub left_s: f64,
}

/// Display of an operation and all its steps.
#[derive(Debug)]
pub(crate) struct Display {
    quiet: bool,
    draws: bool,
    state: Mutex<DisplayState>,
}

#[derive(Debug, Default)]
struct DisplayState {
    view: View,
    step_began: Nanos,
    writing_since: Option<Nanos>,
    next_line: Nanos,
    said: MessageFilter,
    marks: u32,
}

/// Content of the display, without the time.
#[derive(Debug, Default)]
struct View {
    step: Step,
    /// Time of the previous steps in s.
    gone_s: f64,
    /// Active keys; empty = none.
    keys: &'static str,
    /// Answer from the previous steps.
    answer: String,
    stretch: LivePhase,
    curve: Vec<Option<LivePoint>>,
}

impl Display {
    pub(crate) fn new(quiet: bool) -> Arc<Display> {
        let draws = !quiet && terminal::screen().is_some();
        let next_line = clock::monotonic() + LINE_EVERY;
        let state = Mutex::new(DisplayState { next_line, ..DisplayState::default() });
        Arc::new(Display { quiet, draws, state })
    }

    fn state(&self) -> MutexGuard<'_, DisplayState> {
        self.state.lock_anyway()
    }

    pub(crate) fn begin(&self, step: Step) {
        let mut state = self.state();
        let now = clock::monotonic();
        if state.step_began > 0 {
            state.view.gone_s += seconds(now - state.step_began);
        }
        state.view.step = step;
        state.view.stretch = LivePhase::default();
        (state.step_began, state.writing_since) = (now, None);
    }

    /// Sets the intermediate answer and its points.
    pub(crate) fn answer(&self, answer: String, curve: Vec<Option<LivePoint>>) {
        let mut state = self.state();
        (state.view.answer, state.view.curve) = (answer, curve);
    }

    /// Counts step `done` of an operation that reads files.
    pub(crate) fn count(&self, what: &str, done: usize, of: usize) {
        if self.quiet || of < 2 {
            return;
        }
        let text = format!("{what} {done} of {of}");
        self.show(done as f64 / of as f64, None, vec![text.clone()], &text);
    }

    pub(crate) fn clear(&self) {
        self.state().writing_since = None;
        keys::restore();
        standard_error::wipe();
    }

    /// Executes the keys typed since the last call.
    fn read_keys(&self) {
        if !self.draws {
            return;
        }
        let typed = keys::read_keys();
        self.state().view.keys = if typed.is_some() { KEYS } else { "" };
        for key in typed.into_iter().flatten() {
            match key {
                b'q' => signals::interrupt(),
                b'm' => self.state().marks += 1,
                _ => {}
            }
        }
    }

    fn running(
        &self,
        (phase, left): (&str, Nanos),
        rates: Option<Speed>,
        lines: Vec<String>,
        sentence: &str,
    ) {
        let mut state = self.state();
        state.view.stretch.update(phase, left, rates);
        let gone_s = seconds(clock::monotonic().saturating_sub(state.step_began));
        let planned = Some(state.view.step.left_s).filter(|planned| *planned > 0.0);
        let left_s = planned.map_or(seconds(left), |planned| (planned - gone_s).max(seconds(left)));
        let share = share(state.view.gone_s + gone_s, left_s);
        drop(state);
        self.show(share, Some(left_s), lines, sentence);
    }

    fn preparing(&self, name: &str, done: u64, total: u64) {
        let mut state = self.state();
        let now = clock::monotonic();
        let began = *state.writing_since.get_or_insert(now);
        // The time left of the step is that of its run.
        state.step_began = now;
        let columns = terminal::screen().map_or(usize::MAX, |screen| screen.columns.saturating_sub(1));
        let text = live::preparation_line(name, done, total, now - began, columns);
        drop(state);
        self.show(share(done as f64, total.saturating_sub(done) as f64), None, vec![text.clone()], &text);
    }

    fn show(&self, share: f64, left_s: Option<f64>, lines: Vec<String>, sentence: &str) {
        if self.draws {
            if let Some(screen) = terminal::screen() {
                let drawn = self.state().view.lines(share, left_s, &lines, &screen);
                standard_error::draw(&drawn, screen.colours);
            }
            return;
        }
        let mut state = self.state();
        if self.quiet || clock::monotonic() < state.next_line {
            return;
        }
        state.next_line = clock::monotonic() + LINE_EVERY;
        let mut line = state.view.render_total(share, left_s, "").join(", ");
        line += &format!(": {sentence}");
        if !state.view.answer.is_empty() {
            line += &format!("; so far {}", state.view.answer);
        }
        print_line(line);
    }
}

impl View {
    /// Formats the step, the bar and the remaining time of the operation.
    fn render_total(&self, share: f64, left_s: Option<f64>, bar: &str) -> Vec<String> {
        let step = Some(self.step.name.clone()).filter(|name| !name.is_empty());
        let bar = if bar.is_empty() { String::new() } else { format!("{bar} ") };
        let percent = format!("{bar}{:.0} %", share * 100.0);
        let left = left_s.map(|left| format!("{} left", time_in_words(left)));
        let keys = Some(self.keys.to_owned()).filter(|keys| !keys.is_empty());
        step.into_iter().chain([percent]).chain(left).chain(keys).collect()
    }

    fn lines(&self, share: f64, left_s: Option<f64>, figures: &[String], screen: &Screen) -> Vec<DrawnLine> {
        // The last column stays free, since some terminals wrap when it is filled.
        let columns = screen.columns.saturating_sub(1);
        let bar = bar(share, BAR.min(columns / 4), screen.blocks);
        let mut texts = vec![self.render_total(share, left_s, &bar).join(" | ")];
        texts.extend(figures.iter().cloned());
        if !self.answer.is_empty() {
            texts.push(format!("so far: {}", self.answer));
        }
        let mut lines: Vec<DrawnLine> = texts.iter().map(|text| plain(fit::parts(text, columns))).collect();
        if screen.rows < live::MIN_ROWS {
            lines.truncate(screen.rows.saturating_sub(1).clamp(1, 2));
            return lines;
        }
        let charts = live::charts(&self.charts(screen), columns, screen.blocks);
        if lines.len() + charts.len() < screen.rows {
            lines.extend(charts);
        }
        lines.truncate(screen.rows.saturating_sub(1));
        lines
    }

    /// Rows of charts of this run, next to charts of all points if there are several.
    fn charts(&self, screen: &Screen) -> Vec<Vec<LiveChart>> {
        let figures = |figure: fn(&LivePoint) -> Option<f64>| -> Vec<Option<f64>> {
            self.curve.iter().map(|point| figure(point.as_ref()?)).collect()
        };
        let several = self.curve.iter().flatten().count() > 1;
        let (rate, latency) =
            self.stretch.charts().filter(|_| !several || screen.columns >= MIN_WIDE_COLUMNS).unzip();
        let heading = if several { "this run" } else { "" };
        let mut rates: Vec<_> = rate.into_iter().map(|chart| chart.with_heading(heading)).collect();
        let mut latencies: Vec<_> = latency.flatten().into_iter().collect();
        if several {
            rates.push(rate_chart(figures(|point| Some(point.iops))).with_heading("all points"));
            let all = figures(|point| point.p99_ms);
            latencies.extend(all.iter().any(Option::is_some).then(|| latency_chart(all)));
        }
        [rates, latencies].into_iter().filter(|charts| !charts.is_empty()).collect()
    }
}

impl RunObserver for Display {
    fn wants(&self) -> Subscriptions {
        Subscriptions { progress: !self.quiet, details: self.draws, ..Subscriptions::default() }
    }

    fn notice(&self, notice: &Finding) {
        self.clear();
        self.state().said.report_finding(notice, self.quiet);
    }

    fn marks(&self) -> u32 {
        std::mem::take(&mut self.state().marks)
    }

    fn progress(&self, progress: &Progress) {
        self.read_keys();
        match *progress {
            Progress::Preparing { name, done_bytes, total_bytes } => {
                self.preparing(name, done_bytes, total_bytes);
            }
            Progress::Running { phase, left_ns, rates, machine, targets, hosts: [] } => {
                let mut lines = figures(phase, seconds(left_ns), rates, machine);
                lines.extend(targets.iter().map(row));
                self.running((phase, left_ns), rates, lines, &sentence(phase, rates, machine));
            }
            Progress::Running { phase, left_ns, rates, hosts, .. } => {
                let rows = terminal::screen().map_or(usize::MAX, |screen| screen.rows);
                let lines = host_rows::lines(hosts, rows.saturating_sub(SUM_ROWS), (phase, left_ns), rates);
                self.running((phase, left_ns), rates, lines, &host_rows::text(hosts, phase, rates));
            }
        }
    }

    fn progress_ends(&self) {
        self.clear();
    }
}

fn seconds(nanos: Nanos) -> f64 {
    nanos as f64 / SECOND as f64
}

fn share(done: f64, left: f64) -> f64 {
    if done + left > 0.0 { done / (done + left) } else { 0.0 }
}

fn bar(share: f64, columns: usize, blocks: bool) -> String {
    let (full, empty) = if blocks { ("█", "░") } else { ("#", ".") };
    let done = (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    full.repeat(done) + &empty.repeat(columns - done)
}

#[cfg(test)]
mod tests {
    use super::live::tests::{half_a_run, screen, visible_text};
    use super::*;
    use crate::run::{MachineSpeed, TargetSpeed};
    use crate::units::Millis;

    const RATES: Speed = Speed {
        iops: 500.0,
        bytes_per_s: 2_048_000.0,
        latency: Some((Millis::of_ns(108_000), Millis::of_ns(99_328))),
        max: Some(Millis::of_ns(11_800_000)),
        reads_and_writes: Some([350.0, 150.0]),
    };

    fn view() -> View {
        let point = |iops: f64, p99_ms| Some(LivePoint { iops, p99_ms: Some(p99_ms) });
        View {
            step: Step { name: "run 4 of 9: -o8".into(), left_s: 125.0 },
            stretch: half_a_run(),
            curve: vec![point(1000.0, 1.0), point(2000.0, 1.0), point(4000.0, 2.0), None],
            ..View::default()
        }
    }

    fn second() -> Vec<String> {
        let machine = MachineSpeed { cpu_percent: Some(33.6), device_share: Some(0.07) };
        figures("measure", 7.0, Some(RATES), machine)
    }

    #[test]
    fn display_shows_step_bar_figures_and_charts() {
        let expected = "\
run 4 of 9: -o8 | ████████░░░░░░░░░░░ 42 % | 2 min 5 s left
measure 7 s left | 500 IOPS | 1.95 MiB/s | p99 0.099 ms | avg 0.108 ms
reads 350 IOPS | writes 150 IOPS | so far 0.07 of it reached the device
so far: the knee is at 4
           this run                                all points
    16.0k │█████████ ████                   4.00k │              ███████
   IOPS 0 │█████████▂████                  IOPS 0 │▄▄▄▄▄▄▄██████████████
  8.00 ms │         █                     2.00 ms │              ███████
    p99 0 │▁▁▁▁▁▁▁▁▁█▁▁▁▁                   p99 0 │█████████████████████
";
        let view = View { answer: "the knee is at 4".into(), ..view() };
        assert_eq!(visible_text(&view.lines(0.42, Some(125.0), &second(), &screen(80, 24))), expected);
    }

    #[test]
    fn every_width_keeps_whole_figures() {
        for columns in 40..=300 {
            for line in view().lines(0.42, Some(125.0), &second(), &screen(columns, 24)) {
                let width: usize = line.iter().map(|piece| terminal::width(&piece.text)).sum();
                assert!(width < columns, "{columns}: {line:?}");
            }
        }
        let narrow = visible_text(&view().lines(0.42, Some(125.0), &second(), &screen(40, 24)));
        assert!(narrow.contains("measure 7 s left | 500 IOPS\n"), "{narrow}");
        assert!(narrow.starts_with("run 4 of 9: -o8 | ████░░░░░ 42 %\n"), "{narrow}");
    }

    #[test]
    fn row_of_target_keeps_the_end_of_its_name() {
        let row = |name: &str| row(&TargetSpeed { name: name.to_owned(), speed: RATES });
        assert_eq!(row("a.dat"), "'a.dat': 500 IOPS | p99 0.099 ms");
        assert_eq!(row("/dev/disk/by-id/nvme-A-1234"), "'…isk/by-id/nvme-A-1234': 500 IOPS | p99 0.099 ms");
    }

    #[test]
    fn low_terminal_has_no_charts() {
        let view = view();
        assert_eq!(view.lines(0.42, None, &second(), &screen(80, 9)).len(), 2);
        assert_eq!(view.lines(0.42, None, &second(), &screen(80, 2)).len(), 1);
        let plain = Screen { blocks: false, ..screen(80, 9) };
        let lines = visible_text(&view.lines(0.5, None, &second(), &plain));
        assert!(lines.starts_with("run 4 of 9: -o8 | ##########......... 50 %\n"), "{lines}");
    }

    #[test]
    fn line_without_terminal_has_no_unknown_figures() {
        let all = MachineSpeed { cpu_percent: Some(34.0), device_share: Some(0.07) };
        let text = "measure, 500 IOPS, 1.95 MiB/s, 0.07 of it reached the device, CPU 34 %";
        assert_eq!(sentence("measure", Some(RATES), all), text);
        let none = MachineSpeed::default();
        assert_eq!(sentence("measure", Some(RATES), none), "measure, 500 IOPS, 1.95 MiB/s");
        assert_eq!(sentence("warm up", None, none), "warm up");
        assert_eq!(share(0.0, 0.0), 0.0);
    }
}
