//! The course of a time span: warm-up, measured time, cool-down.

use crate::clock::{self, SECOND};
use crate::plan::SpanPlan;
use crate::results::{Ended, EndedBy, SpanResults};
use crate::run::control::{Control, Phase};
use crate::run::events::Events;
use crate::run::span::pulse::Pulse;
use crate::run::span::warm_up;
use crate::run::tell::live::Counters;
use crate::run::tell::stream::{ByDirection, Ticker};
use crate::run::voice::Voice;
use crate::run::watch::observe::Observer;
use crate::run::watch::sampler::Sampler;
use crate::run::worker::recorder;
use crate::system::System;
use crate::system::cpu_times::CpuClock;
use std::sync::Arc;

/// The controlling thread's part of a span.
pub(in crate::run) struct Clocked<'a> {
    pub(in crate::run) plan: &'a SpanPlan,
    pub(in crate::run) system: &'a System,
    pub(in crate::run) events: &'a Events,
    pub(in crate::run) control: &'a Control,
    pub(in crate::run) voice: &'a Voice,
    pub(in crate::run) live: &'a [Counters],
    pub(in crate::run) progress: &'a [Arc<ByDirection>],
    pub(in crate::run) until_steady: Option<u32>,
}

impl Clocked<'_> {
    /// Leads the workers through the phases; the measured time, its beginning and the CPU times in it go
    /// into `results`.
    pub(in crate::run) fn lead(&self, observer: &mut Observer, results: &mut SpanResults) {
        let Clocked { plan, events, control, voice, .. } = *self;
        voice.verbose(|| format!("starting: {} threads", plan.workers.len()));
        // Without a warm-up nothing may lie between the first I/O and the first that is counted.
        let at_once = plan.warmup == 0 && self.until_steady.is_none();
        if at_once {
            observer.measurement_is_near();
        }
        voice.begin(self.live);
        control.start();
        let mut sampler = Sampler::new(self.live, clock::monotonic());
        if plan.warmup > 0 {
            voice.verbose(|| format!("warming up for {} s", plan.warmup));
            if !self.sleep("warm up", plan.warmup, (None, None), &mut sampler) {
                return;
            }
        }
        if let Some(limit) = self.until_steady {
            match warm_up::wait(limit, plan.duration, control, voice, &mut sampler) {
                None => return,
                ended => observer.observed.warm_up = ended,
            }
        }
        voice.verbose(|| format!("measuring for {} s", plan.duration));
        if !at_once {
            observer.measurement_is_near();
        }
        events.measurement_begins(control);
        let before = CpuClock::read();
        observer.measurement_begins(self.live);
        let start = control.start_measuring();
        let started_at = clock::wall_millis();
        let end = start + recorder::seconds(plan.duration);
        let mut ticker = (!self.progress.is_empty())
            .then(|| Ticker::new((start, end), started_at, plan.iops_interval.unwrap_or(1000)));
        let mut sampler = Sampler::new(self.live, start);
        let mut pulse = Pulse::new(start);
        let complete =
            self.sleep("measure", plan.duration, (ticker.as_mut(), Some(&mut pulse)), &mut sampler);
        let measured = control.end_measuring() - start;
        observer.measurement_ended();
        if plan.cooldown == 0 {
            // What is read from here on takes its time, and I/O that goes on meanwhile is counted by nobody.
            control.set_phase(Phase::Stop);
        }
        let by = if complete { EndedBy::Time } else { control.ended_by() };
        results.ended = Some(Ended { by, after: Some(measured) });
        observer.observed.delays = Some(pulse.finish());
        drop(pulse);
        let after = CpuClock::read();
        observer.measurement_is_over();
        observer.observed.samples = sampler.samples().to_vec();
        events.measurement_ended(control);
        voice.verbose(|| format!("measured {:.2} s", measured as f64 / SECOND as f64));
        if complete && plan.cooldown > 0 {
            voice.verbose(|| format!("cooling down for {} s", plan.cooldown));
            self.sleep("cool down", plan.cooldown, (None, None), &mut sampler);
        }
        match before.and_then(|before| Ok((before, after?))) {
            Ok((before, after)) => {
                results.measured = measured;
                results.started_at = Some(started_at);
                results.cpus = after.since(&before, &self.system.topology);
                observer.observed.offline = after.gone_since(&before, &self.system.topology);
                observer.observed.lost = after.lost_since(&before, &self.system.topology);
            }
            Err(e) => control.fail(format!("/proc/stat, the CPU times of the machine, can't be read: {e}")),
        }
    }

    /// False = ended early, by failure or interruption.
    fn sleep(
        &self,
        phase: &str,
        seconds: u32,
        (mut ticker, mut pulse): (Option<&mut Ticker>, Option<&mut Pulse>),
        sampler: &mut Sampler,
    ) -> bool {
        let begin = clock::monotonic();
        let end = begin + recorder::seconds(seconds);
        let mut draw = if self.voice.is_live() { begin + SECOND } else { end };
        loop {
            let due = ticker.as_ref().map_or(end, |ticker| ticker.due);
            let beat = pulse.as_ref().map_or(end, |pulse| pulse.due);
            let next = end.min(draw).min(due).min(sampler.due).min(beat);
            let go_on = self.control.sleep_until(next);
            let now = clock::monotonic();
            if let Some(pulse) = pulse.as_mut() {
                pulse.woke(next, now);
            }
            sampler.look(now);
            if let Some(ticker) = ticker.as_mut() {
                let figures = match next == end || !go_on {
                    true => ticker.last(self.progress),
                    false => (next >= ticker.due).then(|| ticker.tick(self.progress)),
                };
                figures.iter().for_each(|figures| self.voice.stream(figures));
            }
            if !go_on || next == end {
                return go_on;
            }
            if next == draw {
                self.voice.draw(phase, end - next, self.live);
                draw += SECOND;
            }
        }
    }
}
