//! Observation of the measured window from outside, for the crate `checks`.
//!
//! The controlling thread reads everything before accounting begins and after it ends. The window itself
//! is the same as without an observer.

use crate::located::SpanTargets;
use crate::options::Options;
use crate::watch::linux::device_logs::StatementWatch;
use crate::watch::linux::explain::Explainer;
use crate::watch::linux::observe_devices::DeviceWatch;
use crate::watch::linux::resource_usage;
use crate::watch::linux::trace::{self, TraceWatch};
use crate::watch::linux::window_counters::WindowCounterReader;
use diskspd_base::engines::EngineKind;
use diskspd_base::message_error::MessageError;
use diskspd_host::cpu_sleeps::SleepCounters;
use diskspd_host::device_log;
use diskspd_host::interrupts::InterruptCounters;
use diskspd_host::root::Root;
use diskspd_host::tracer::TracerWatch;
use diskspd_machine::System;
use diskspd_machine::completion::OneByOne;
use diskspd_machine::thermal::Thermal;
use diskspd_plan::SpanPlan;
use diskspd_results::{Observations, ThermalChange};
use diskspd_sys::clock::Nanos;
use diskspd_worker::slowest::SlowestRings;
use diskspd_worker::telemetry::live::Counters;

/// Observer of a time span in real time.
#[derive(Debug)]
pub struct Observer<'a> {
    system: &'a System,
    effort: resource_usage::Watch,
    /// Sleep states of the CPUs of bound workers.
    sleeps: WindowCounterReader<SleepCounters>,
    /// CPUs of interrupts of the targets' devices, from shortly before the window to shortly after it.
    /// Counters of devices with many queues take too long to read at an edge.
    interrupts: WindowCounterReader<InterruptCounters>,
    devices: DeviceWatch,
    statements: StatementWatch,
    trace: Option<TraceWatch>,
    explainer: Option<Explainer>,
    tracers: TracerWatch,
    pub observed: Observations,
}

impl<'a> Observer<'a> {
    /// Inspects constant properties before the start signal. Takes milliseconds. `trace`: an already open
    /// trace.
    ///
    /// # Errors
    /// Fails if requested tracing (`-e`, `--explain`) is not possible.
    pub fn new(
        plan: &'a SpanPlan,
        located: &SpanTargets,
        system: &'a System,
        options: &Options,
        trace: Option<trace::ReadyTrace>,
    ) -> Result<Observer<'a>, MessageError> {
        let thermal = ThermalChange { before: read_thermal(system), ..ThermalChange::default() };
        let thermal = (!thermal.before.is_unknown()).then_some(thermal);
        let cpu_latency = options.run_options.cpu_latency_us;
        let polled = plan.workers.iter().any(|worker| worker.poll);
        let devices = DeviceWatch::new(plan, located, options.run_options.flush_after);
        let statements = StatementWatch::new(&requested_devices(plan, devices.names()));
        let bound = plan.workers.iter().filter_map(|worker| worker.cpu);
        Ok(Observer {
            system,
            effort: resource_usage::Watch::new(plan),
            sleeps: WindowCounterReader::new(SleepCounters::find(&Root::live_system(), bound)),
            interrupts: WindowCounterReader::new(InterruptCounters::find(
                &Root::live_system(),
                devices.names(),
            )),
            devices,
            statements,
            trace: TraceWatch::open(plan, located, trace).map_err(|refusal| refusal.to_string())?,
            explainer: Explainer::new(options.run_options.explain, plan, located)?,
            tracers: TracerWatch::new(Root::live_system()),
            observed: Observations {
                thermal,
                polled,
                cpu_latency,
                serialized: one_by_one(plan),
                ..Observations::default()
            },
        })
    }

    pub fn device_names(&self) -> &[String] {
        self.devices.names()
    }

    /// Returns the buffers of the workers' slowest I/Os, by worker; `None` = not requested.
    pub fn slowest(&self) -> Option<SlowestRings> {
        self.explainer.as_ref().map(Explainer::rings)
    }

    pub fn began(&self, start: Nanos) {
        self.explainer.iter().for_each(|explainer| explainer.begin(start));
    }

    pub fn measurement_is_near(&mut self, workers: &[Counters]) {
        self.explainer.iter().for_each(|explainer| explainer.window_is_near(workers));
        self.effort.is_near();
        self.devices.look_at_memory_before();
        self.statements.begin();
        self.interrupts.begin();
        if let Some(trace) = &mut self.trace {
            trace.window_is_near();
        }
    }

    /// Called right before the start of accounting.
    pub fn measurement_begins(&mut self, workers: &[Counters]) {
        self.sleeps.begin();
        self.tracers.begin(workers.iter().map(Counters::thread));
        self.effort.begin(workers);
        if let Some(trace) = &mut self.trace {
            trace.begin();
        }
        self.devices.begin();
    }

    /// Reads changeable properties within the window, once a second. Takes tens of microseconds.
    pub fn take_samples(&mut self, now: Nanos) {
        self.effort.read_usage(now);
        self.tracers.sample_tracers();
        self.devices.look_meanwhile();
    }

    /// Called right after the end of accounting.
    pub fn measurement_ended(&mut self) {
        self.devices.end();
        if let Some(trace) = &mut self.trace {
            trace.end();
        }
        self.effort.end();
        self.sleeps.end();
    }

    /// Called after the last reading of the window, before the cool-down.
    pub fn measurement_is_over(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.window_is_over();
        }
        self.effort.is_over();
        self.observed.tracer = self.tracers.finish();
        self.devices.look_at_memory();
        self.interrupts.end();
        self.statements.end();
    }

    pub fn finish_observation(mut self, workers: &[Counters]) -> Observations {
        self.devices.read_end_counters();
        self.finish(workers)
    }

    pub fn finish(mut self, workers: &[Counters]) -> Observations {
        if let Some(change) = &mut self.observed.thermal {
            change.after = read_thermal(self.system);
        }
        self.observed.resource_usage = Some(self.effort.finish(workers));
        self.observed.idle_entries = self.sleeps.finish();
        self.observed.interrupts = self.interrupts.finish();
        self.observed.devices = self.devices.finish();
        self.observed.device_logs = self.statements.finish();
        self.observed.trace = self.trace.and_then(TraceWatch::finish);
        self.observed.slow = self.explainer.map(Explainer::finish);
        self.observed
    }
}

fn requested_devices(plan: &SpanPlan, beneath: &[String]) -> Vec<String> {
    let mut names = beneath.to_vec();
    let by_commands = plan.workers.iter().filter(|worker| worker.engine == EngineKind::Nvme);
    let targets = by_commands.flat_map(|worker| &worker.targets);
    for name in targets.filter_map(|target| device_log::disk_of_namespace(&target.location)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn one_by_one(plan: &SpanPlan) -> Vec<Option<OneByOne>> {
    let causes: Vec<Option<OneByOne>> = plan.workers.iter().map(|worker| worker.one_by_one).collect();
    if causes.iter().any(Option::is_some) { causes } else { Vec::new() }
}

fn read_thermal(system: &System) -> Thermal {
    let devices = system.targets.iter().filter_map(|target| target.device.as_ref());
    let mut disks: Vec<&str> =
        devices.map(|device| device.disk.as_deref().unwrap_or(device.name.as_str())).collect();
    disks.sort_unstable();
    disks.dedup();
    diskspd_host::thermal::read(&Root::live_system(), &disks)
}
