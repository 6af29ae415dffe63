//! The course of a time span: warm-up, measured time, cool-down.

use crate::options::Options;
use crate::peer_ranks::{BarrierPoint, SETTLING, meet_at};
use crate::services::CpuClock;
use crate::span::machine_watch::MachineWatch;
use crate::span::setup::SharedByWorkers;
use crate::span::span_context::Observer;
use crate::span::stall_detector::StallDetector;
use crate::span::target_watch::TargetWatch;
use crate::span::volume::{LiveSources, VolumeWatch};
use crate::span::warm_up::{self, WarmUpTask};
use crate::watch::outage_watch::{OutageWatch, WatchedSpan};
use crate::watch::sampler::Sampler;
use crate::watch::ticks::TickCounter;
use diskspd_base::engines::Direction;
use diskspd_machine::System;
use diskspd_plan::SpanPlan;
use diskspd_plan::workload::pace::Limit;
use diskspd_results::{EndedBy, RunOutcome, SpanBegin, SpanResults};
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_worker::control::{Control, Phase};
use diskspd_worker::handoff::WorkerHandoff;
use diskspd_worker::telemetry::io_log::IoLog;
use diskspd_worker::telemetry::live::{self, Counters};
use diskspd_worker::telemetry::stream::{DirectionCounts, Ticker};
use diskspd_worker::{RunReporter, VolumeQuota, recorder};
use std::sync::Arc;

pub(crate) struct PhaseDriver<'a> {
    pub plan: &'a SpanPlan,
    pub system: &'a System,
    pub options: &'a Options,
    pub control: &'a Control,
    pub voice: &'a RunReporter,
    pub live: &'a [Counters],
    pub desks: &'a [WorkerHandoff],
    pub progress: &'a [Arc<DirectionCounts>],
    pub quota: Option<&'a VolumeQuota>,
    pub log: Option<&'a IoLog>,
}

#[derive(Default)]
struct PhaseWatchers<'a, 'b> {
    devices: Vec<String>,
    ticker: Option<&'a mut Ticker>,
    pulse: Option<&'a mut StallDetector>,
    beats: Option<&'a mut TickCounter>,
    quiet: Option<&'a mut OutageWatch<'b>>,
    volume: Option<VolumeWatch<'b>>,
    each_second: Option<&'a mut dyn FnMut(Nanos)>,
}

impl<'a> PhaseDriver<'a> {
    /// Returns the phases for a span's workers, which publish their progress through `live`.
    pub(crate) fn new(
        shared: &'a SharedByWorkers<'a>,
        system: &'a System,
        options: &'a Options,
        control: &'a Control,
        (live, desks): (&'a [Counters], &'a [WorkerHandoff]),
    ) -> PhaseDriver<'a> {
        let SharedByWorkers { span: plan, voice, progress, quota, log, .. } = shared;
        let (quota, log) = (quota.as_deref(), *log);
        PhaseDriver { plan, system, options, control, voice, live, desks, progress, quota, log }
    }
}

impl PhaseDriver<'_> {
    /// Leads the workers through the phases; the measured time, its beginning and the CPU times in it go
    /// into `results`.
    pub(crate) fn run_phases(&self, observer: &mut Observer, results: &mut SpanResults) {
        let PhaseDriver { plan, control, voice, .. } = *self;
        let events = &self.options.events;
        let mut quiet = self.quiet_watch(observer);
        if !self.warm_up(observer) {
            return;
        }
        events.measurement_begins(control);
        let before = CpuClock::read();
        observer.measurement_begins(self.live);
        let start = control.start_measuring();
        observer.began(start);
        let began = self.span_begin(start);
        let started_at = began.measuring_utc_ns.div_euclid(1_000_000);
        self.log.iter().for_each(|log| log.measuring_began(began));
        let mut ticker = self.make_ticker(start, started_at);
        let mut sampler = Sampler::new(self.live, start);
        let done = live::totals(self.live).0;
        let (mut pulse, mut beats) = (StallDetector::new(start, done), TickCounter::new(start, done));
        quiet.begin(start);
        let devices = if voice.is_live() { observer.device_names().to_vec() } else { Vec::new() };
        let mut look = |now| observer.take_samples(now);
        let meanwhile = PhaseWatchers {
            devices,
            ticker: ticker.as_mut(),
            pulse: Some(&mut pulse),
            beats: Some(&mut beats),
            quiet: Some(&mut quiet),
            volume: Some(VolumeWatch::new(&plan.volumes, self.live_sources(), start)),
            each_second: Some(&mut look),
        };
        let complete = self.sleep_phase("measure", plan.duration, meanwhile, &mut sampler);
        let ended_at = control.end_measuring();
        let measured = ended_at - start;
        observer.measurement_ended();
        if plan.cooldown == 0 {
            // What is read from here on takes its time, and I/O that goes on meanwhile is counted by nobody.
            control.set_phase(Phase::Stop);
        }
        self.options.companions.iter().for_each(|companions| companions.set_window(start, ended_at));
        let by = complete.unwrap_or_else(|| control.ended_by());
        results.ended = Some(RunOutcome { cause: by, after: Some(measured) });
        self.state_goals(observer);
        observer.observed.delays = Some(pulse.finish());
        drop(pulse);
        let after = CpuClock::read();
        observer.measurement_is_over();
        observer.observed.samples = sampler.samples().to_vec();
        observer.observed.p99_ns = sampler.p99_ns().to_vec();
        observer.observed.ticks = beats.finish();
        observer.observed.outage_observations = Some(quiet.finish(ended_at));
        events.measurement_ended(control);
        voice.verbose(|| format!("measured {:.2} s", measured as f64 / SECOND as f64));
        complete.iter().for_each(|_| self.cool_down(&mut sampler));
        (results.measured, results.started_at) = (measured, Some(started_at));
        results.start = Some(began);
        if let (Ok(before), Ok(after)) = (before, after) {
            self.cpu_times(&before, &after, observer, results);
        }
    }

    fn cool_down(&self, sampler: &mut Sampler) {
        let seconds = self.plan.cooldown;
        if seconds > 0 {
            self.voice.verbose(|| format!("cooling down for {seconds} s"));
            self.sleep_phase("cool down", seconds, PhaseWatchers::default(), sampler);
        }
    }

    fn quiet_watch(&self, observer: &Observer) -> OutageWatch<'_> {
        let PhaseDriver { plan, live, desks, control, voice, .. } = *self;
        let run_options = &self.options.run_options;
        OutageWatch::new(
            WatchedSpan { plan, live, desks, control, voice, run_options },
            observer.device_names(),
        )
    }

    /// Returns the start of the span on the wall clock; `start` = start of the measurement.
    fn span_begin(&self, start: Nanos) -> SpanBegin {
        let (now, wall) = (clock::monotonic(), clock::wall_nanos());
        let ago = |moment: Nanos| wall.saturating_sub_unsigned(now.saturating_sub(moment));
        SpanBegin { start_signal_utc_ns: ago(self.control.start_signal()), measuring_utc_ns: ago(start) }
    }

    fn make_ticker(&self, start: Nanos, started_at: i64) -> Option<Ticker> {
        let end = start + recorder::seconds(self.plan.duration);
        let interval = self.plan.iops_interval.unwrap_or(1000);
        self.voice.is_streaming().then(|| Ticker::new((start, end), started_at, interval))
    }

    fn live_sources(&self) -> LiveSources<'_> {
        LiveSources { live: self.live, quota: self.quota }
    }

    fn cpu_times(
        &self,
        before: &CpuClock,
        after: &CpuClock,
        observer: &mut Observer,
        results: &mut SpanResults,
    ) {
        let topology = &self.system.topology;
        results.cpus = after.since(before, topology);
        observer.observed.offline = after.gone_since(before, topology);
        observer.observed.lost_cpu_times = after.lost_since(before, topology);
    }

    fn state_goals(&self, observer: &mut Observer) {
        if self.plan.replay.is_some() {
            return;
        }
        let asked = |way| self.plan.volumes.iter().find(|goal| goal.direction == way).map(|goal| goal.bytes);
        observer.observed.until_written = asked(Direction::Write);
        observer.observed.until_read = asked(Direction::Read);
    }

    /// Waits from the start signal to the start of the measurement. Returns false after a failure or
    /// interruption.
    fn warm_up(&self, observer: &mut Observer) -> bool {
        let PhaseDriver { plan, control, voice, .. } = *self;
        let until_steady = self.options.run_options.until_steady_s;
        voice.verbose(|| format!("starting: {} threads", plan.workers.len()));
        // Without a warm-up nothing may lie between the first I/O and the first that is counted.
        let at_once = plan.warmup == 0 && until_steady.is_none();
        if at_once {
            observer.measurement_is_near(self.live);
        }
        let Some(agreed) = self.agreed_start() else { return false };
        voice.begin(self.live);
        match agreed {
            Some(moment) => control.start_as_of(moment),
            None => control.start(),
        }
        let started = clock::monotonic();
        let mut sampler = Sampler::new(self.live, started);
        if plan.warmup > 0 {
            voice.verbose(|| format!("warming up for {} s", plan.warmup));
            if self.sleep_phase("warm up", plan.warmup, PhaseWatchers::default(), &mut sampler).is_none() {
                return false;
            }
        }
        if let Some(limit) = until_steady {
            let mut targets = plan.workers.iter().flat_map(|worker| &worker.targets);
            let pauses = targets.any(|target| matches!(target.limit, Limit::Bursts { .. }));
            let depths = plan.workers.iter().map(|worker| u64::from(worker.depth));
            let in_flight = (!pauses).then(|| depths.sum());
            let task = WarmUpTask { limit, duration: plan.duration, in_flight };
            match warm_up::wait(task, control, voice, &mut sampler) {
                None => return false,
                ended => observer.observed.warm_up = ended,
            }
        }
        let Some(begin) = self.agreed_begin(agreed) else { return false };
        voice.verbose(|| format!("measuring for {} s", plan.duration));
        if !at_once {
            observer.measurement_is_near(self.live);
            if begin.is_some_and(|at| !meet_at(at, control)) {
                return false;
            }
        }
        if let Some(warm_up) = &mut observer.observed.warm_up {
            // Companions that took longer were waited for.
            warm_up.seconds = ((clock::monotonic() - started) / SECOND) as u32;
        }
        true
    }

    /// Start of measuring for all processes that measure together and have given the start signal at
    /// `started`: `Some(None)` = this one is alone, `None` = no start.
    fn agreed_begin(&self, started: Option<Nanos>) -> Option<Option<Nanos>> {
        match (&self.options.companions, self.options.run_options.until_steady_s) {
            (Some(companions), Some(_)) => {
                self.voice.verbose(|| "waiting until all ranks have warmed up".into());
                companions.go_on_at(BarrierPoint::WarmedUp, self.control).map(Some)
            }
            _ => Some(started.map(|at| at + recorder::seconds(self.plan.warmup) + SETTLING)),
        }
    }

    /// Waits for the common start of all processes that measure together: `Some(None)` = this one is alone,
    /// `None` = no start.
    fn agreed_start(&self) -> Option<Option<Nanos>> {
        let Some(companions) = &self.options.companions else { return Some(None) };
        let at = companions.go_on_at(BarrierPoint::Ready, self.control)?;
        meet_at(at, self.control).then_some(Some(at))
    }

    /// Returns the reason for the end of the phase; `None` = ended early, by failure or interruption.
    fn sleep_phase(
        &self,
        phase: &str,
        seconds: u32,
        meanwhile: PhaseWatchers,
        sampler: &mut Sampler,
    ) -> Option<EndedBy> {
        let PhaseWatchers { devices, mut ticker, mut pulse, mut beats, .. } = meanwhile;
        let PhaseWatchers { mut quiet, mut volume, mut each_second, .. } = meanwhile;
        let begin = clock::monotonic();
        let end = begin + recorder::seconds(seconds);
        let mut draw = if self.voice.is_live() { begin + SECOND } else { end };
        let mut targets = self.voice.is_detailed().then(|| TargetWatch::new(self.plan));
        let mut machine =
            self.voice.is_live().then(|| MachineWatch::new(self.plan, &self.system.topology, &devices));
        loop {
            let due = ticker.as_ref().map_or(end, |ticker| ticker.due);
            let beat = pulse.as_ref().map_or(end, |pulse| pulse.due);
            let look = volume.as_ref().map_or(end, |volume| volume.due);
            let next = end.min(draw).min(due).min(sampler.due).min(beat).min(look);
            let go_on = self.control.sleep_until(next);
            let now = clock::monotonic();
            if let (Some(pulse), Some(beats)) = (&mut pulse, &mut beats) {
                let done = live::totals(self.live).0;
                pulse.record_wake(next, now, done);
                beats.count_tick(now, done);
            }
            quiet.iter_mut().for_each(|quiet| quiet.check_targets(now));
            if now >= sampler.due
                && now < end
                && let Some(look) = each_second.as_mut()
            {
                look(now);
            }
            sampler.take_sample(now);
            let reached = volume.as_mut().is_some_and(|volume| volume.reached(now));
            if let Some(ticker) = ticker.as_mut() {
                let figures = match next == end || !go_on || reached {
                    true => ticker.last(self.progress),
                    false => (next >= ticker.due).then(|| ticker.tick(self.progress)),
                };
                figures.iter().for_each(|figures| self.voice.stream(figures));
            }
            match (go_on, reached) {
                (false, _) => return None,
                (true, true) => return Some(EndedBy::Volume),
                (true, false) if next == end => return Some(EndedBy::Time),
                (true, false) => {}
            }
            if next == draw {
                let by_volume = volume.as_ref().and_then(|volume| volume.time_left(now));
                let left = (end - next).min(by_volume.unwrap_or(Nanos::MAX));
                let machine = machine.as_mut().map(|machine| machine.measure(self.live)).unwrap_or_default();
                let targets = targets.as_mut().map(|targets| targets.measure(self.live)).unwrap_or_default();
                self.voice.draw(phase, left, self.live, (machine, &targets));
                self.voice.note_marks(phase, next - begin);
                draw += SECOND;
            }
        }
    }
}
