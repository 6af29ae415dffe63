//! Interruptions of the program, which make the effective time shorter than the reported time.

use super::{Finding, Severity, SpanContext, memory};
use diskspd_figures::units::seconds_of_us;
use diskspd_results::{Delays, EndedBy};

const MIN_NOTE_SHARE: f64 = 0.02;
const MIN_WARNING_SHARE: f64 = 0.05;
/// From this share on short delays, in which no worker did anything either, are enough for that.
const MIN_CERTAIN_SHARE: f64 = 0.2;
/// A very busy machine may wake a thread some hundredths of a second late. Unless the program is known to
/// have been stopped it takes one delay as long as this, us, to say that it could not run,
const LATE_WAKE_US: u64 = 300_000;
/// Minimum single delay for a severe finding, because the workers may have had more CPU time than the
/// delayed thread.
const VERY_LATE_US: u64 = 1_000_000;
/// If all threads of its control group waited for memory for this share of it, that was it.
const MIN_MEMORY_SHARE: f64 = 0.5;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let delays = span.results.observed.as_ref().and_then(|observed| observed.delays);
    delays.map_or_else(Vec::new, |delays| {
        held_up(span, &delays).into_iter().chain(suspended_time(span, &delays)).collect()
    })
}

#[derive(Debug, Clone, Copy)]
struct ProcessStall {
    us: u64,
    /// Whether the kernel confirms it by a continue signal, or a frozen control group.
    is_known: bool,
    what: &'static str,
}

impl ProcessStall {
    fn measure(span: &SpanContext, delays: &Delays) -> ProcessStall {
        // If workers continued, only the controlling thread was late.
        let starved = delays.total_us.saturating_sub(delays.workers_active_us.unwrap_or(0));
        let lost = delays.late_us.unwrap_or(0);
        let frozen = delays.frozen_us.unwrap_or(0);
        let held = |us, is_known, what| ProcessStall { us, is_known, what };
        match delays.was_stopped {
            true => held(lost.max(delays.total_us), true, "was stopped (SIGSTOP, Ctrl-Z or a debugger)"),
            false if frozen > 0 => held(
                frozen.max(lost.min(delays.total_us)),
                true,
                "was frozen (its control group: cgroup.freeze)",
            ),
            false => {
                let lost = lost.saturating_sub(delays.late_workers_active_us.unwrap_or(0));
                let us = lost.max(starved);
                // What waited for memory wasn't paused by anybody.
                let memory = memory::stalled_seconds(span) >= MIN_MEMORY_SHARE * seconds_of_us(us);
                let what = match memory {
                    true => "waited for memory (its control group's limit)",
                    false => "was starved or frozen, or its machine was paused",
                };
                held(us, false, what)
            }
        }
    }

    /// Severity of a delay with this share of the measured time; `None` = insignificant.
    fn delay_severity(&self, delays: &Delays, share: f64) -> Option<Severity> {
        // Short pauses count if no thread ran, because busy CPUs do not cause that.
        let lost = delays.late_us.unwrap_or(0).saturating_sub(delays.late_workers_active_us.unwrap_or(0));
        let short = |least| lost as f64 >= least * self.us as f64 / share;
        let long = |least| self.is_known || delays.longest_us >= least;
        match share {
            _ if share >= MIN_WARNING_SHARE && (long(VERY_LATE_US) || short(MIN_CERTAIN_SHARE)) => {
                Some(Severity::Wrong)
            }
            _ if share >= MIN_NOTE_SHARE && (long(LATE_WAKE_US) || short(MIN_WARNING_SHARE)) => {
                Some(Severity::Warning)
            }
            _ => None,
        }
    }
}

/// Returns the share of the measured time during which the kernel had the program stopped or frozen.
/// `None` if unknown or negligible.
pub(super) fn stopped(span: &SpanContext) -> Option<f64> {
    let held = ProcessStall::measure(span, &span.results.observed.as_ref()?.delays?);
    let share = seconds_of_us(held.us) / span.measured.seconds;
    (held.is_known && share >= MIN_WARNING_SHARE).then_some(share)
}

fn held_up(span: &SpanContext, delays: &Delays) -> Option<Finding> {
    let held = ProcessStall::measure(span, delays);
    let seconds = seconds_of_us(held.us);
    let share = seconds / span.measured.seconds;
    let severity = held.delay_severity(delays, share)?;
    let what = held.what;
    let message = format!(
        "the program {what}, and could not run for {seconds:.2} of {:.2} s measured ({:.0} %)",
        span.measured.seconds,
        share * 100.0
    );
    let times = if delays.times == 1 { "once".into() } else { format!("{} times", delays.times) };
    let mut finding = Finding::new("process-stalled", severity, span, message);
    if delays.times > 0 {
        finding = finding.shown_by(format!(
            "the control thread was 50 ms late or more {times} (worst {:.2} s, at second {:.2})",
            seconds_of_us(delays.longest_us),
            seconds_of_us(delays.longest_at_us)
        ));
    }
    if let Some(lost) = delays.late_us.filter(|lost| *lost > 0) {
        finding = finding.shown_by(format!(
            "its delays of 2 ms or more, without those spent waiting for a CPU, add up to {:.2} s",
            seconds_of_us(lost)
        ));
    }
    if let Some(continues) = delays.sigcont_count.filter(|continues| *continues > 0) {
        finding = finding.shown_by(format!("SIGCONT came {continues} times"));
    }
    let asked = f64::from(span.asked.duration);
    let in_time = span.results.ended.is_none_or(|ended| ended.cause == EndedBy::Time);
    if in_time && span.measured.seconds > asked * (1.0 + MIN_NOTE_SHARE) {
        finding = finding.shown_by(format!(
            "measuring took {:.2} s instead of {asked:.0}, because it was due to end while the program could \
             not run",
            span.measured.seconds
        ));
    }
    Some(finding.remedy("rates and latencies include that time: measure again, undisturbed"))
}

/// Reports a suspend. The run's clock stops during it, so the share of the measured time is meaningless.
fn suspended_time(span: &SpanContext, delays: &Delays) -> Option<Finding> {
    let seconds = seconds_of_us(delays.suspended_us);
    let severity = if seconds >= 0.01 { Severity::Wrong } else { return None };
    let message = format!("the machine was suspended for {seconds:.1} s during the measurement");
    let how =
        if span.system.is_windows() { "powercfg /change standby-timeout-ac 0" } else { "systemd-inhibit" };
    Some(
        Finding::new("suspended", severity, span, message).remedy(format!(
            "devices restart after a suspend: keep the machine awake ({how}) and measure again"
        )),
    )
}
