//! Tracing of the measured window (`-e`): event counts, and device times.
//!
//! Counters only run within the window. The kernel records each device request into a buffer per CPU, and
//! a thread off the workers' CPUs matches them. Without `-e` this is inactive.

mod counters;
pub(crate) mod device;
mod machine;
mod recorder;
mod requests;
mod traced;
mod tracepoints;

use crate::located::SpanTargets;
use crate::unobserved::targets;
use crate::watch::linux::observe_devices;
use counters::Counters;
use diskspd_host::root::Root;
use diskspd_host::tracing::devices::traced_devices;
use diskspd_host::tracing::instance::Instance;
use diskspd_host::tracing::refusal::TracingError;
use diskspd_machine::tracing::TraceClass;
use diskspd_plan::SpanPlan;
use diskspd_results::{Trace, TraceSession};
use machine::{Machine, is_offline};
use recorder::RequestRecorder;
pub(crate) use recorder::buffer_kib;
use requests::BlockFormats;
use traced::DeviceTargets;
use tracepoints::{COMPLETE, ISSUE, MOVES_DATA, TRACEPOINTS};
/// Maximum length of a filter for the kernel, which accepts up to a page; otherwise devices are filtered
/// here.
const MAX_FILTER_BYTES: usize = 3000;

#[derive(Debug)]
pub(crate) struct TraceWatch {
    counters: Counters,
    recorder: Option<RequestRecorder>,
    devices: Option<Vec<DeviceTargets>>,
    clock: &'static str,
}

fn device_filter(numbers: &[u32]) -> String {
    let devices: Vec<String> = numbers.iter().map(|number| format!("dev == {number}")).collect();
    let filter = format!("{MOVES_DATA} && ({})", devices.join(" || "));
    if devices.is_empty() || filter.len() > MAX_FILTER_BYTES { MOVES_DATA.into() } else { filter }
}

/// Resources of a trace, opened before the run changes anything, to be certain of their availability.
/// Creation and removal take a tenth of a second each, so the first time span takes it over.
#[derive(Debug)]
pub struct ReadyTrace {
    machine: Machine,
    counters: Counters,
    recording: Option<(Instance, BlockFormats)>,
}

impl ReadyTrace {
    /// Opens the trace requested by the plan; `Ok(None)` if not requested.
    ///
    /// # Errors
    /// Fails with a hint if it cannot be opened.
    pub fn open(plan: &SpanPlan) -> Result<Option<ReadyTrace>, TracingError> {
        let Some(trace) = &plan.trace else { return Ok(None) };
        let machine = Machine::read_machine(&trace.classes)?;
        let counters = Counters::open(&trace.classes, &machine)?;
        let asked = trace.classes.contains(&TraceClass::DiskIo);
        let recording = asked.then(|| machine.recording(trace.clock)).transpose()?;
        Ok(Some(ReadyTrace { machine, counters, recording }))
    }
}

impl TraceWatch {
    /// Prepares tracing with the open resources, or opens them now; `Ok(None)` without tracing.
    ///
    /// # Errors
    /// Fails with a hint if tracing is not possible.
    pub(crate) fn open(
        plan: &SpanPlan,
        located: &SpanTargets,
        ready: Option<ReadyTrace>,
    ) -> Result<Option<TraceWatch>, TracingError> {
        let Some(trace) = &plan.trace else { return Ok(None) };
        let opened = ready.map_or_else(|| ReadyTrace::open(plan), |ready| Ok(Some(ready)))?;
        let Some(ReadyTrace { machine, counters, recording }) = opened else { return Ok(None) };
        let devices = recording.is_some().then(|| traced(&machine.root, plan, located));
        let traced = devices.iter().flatten().filter_map(|traced| traced.device.number.ok());
        let numbers: Vec<u32> = traced.collect();
        let mut recorder = None;
        if let Some((instance, formats)) = recording.filter(|_| !numbers.is_empty()) {
            instance.narrow(&TRACEPOINTS, &device_filter(&numbers))?;
            let workers = plan.workers.iter().filter_map(|worker| worker.cpu).collect();
            let started = RequestRecorder::start(instance, formats, &numbers, trace.clock, workers);
            recorder = Some(started.map_err(|error| TracingError::Thread { error })?);
        }
        Ok(Some(TraceWatch { counters, recorder, devices, clock: trace.clock.name() }))
    }

    /// Starts the recording shortly before the window, so that requests in flight at its start are known.
    pub(crate) fn window_is_near(&mut self) {
        if let Some(recorder) = &self.recorder {
            recorder.record();
        }
    }

    pub(crate) fn begin(&mut self) {
        self.counters.begin();
        if let Some(recorder) = &self.recorder {
            recorder.begin();
        }
    }

    pub(crate) fn end(&mut self) {
        if let Some(recorder) = &self.recorder {
            recorder.end();
        }
        self.counters.end();
    }

    pub(crate) fn window_is_over(&mut self) {
        if let Some(recorder) = &self.recorder {
            recorder.stop();
        }
    }

    pub(crate) fn finish(self) -> Option<Trace> {
        let clock = self.clock.to_owned();
        let mut recorded = self.recorder.map(RequestRecorder::finish).unwrap_or_default();
        let mut devices = self.devices;
        let times = devices.iter_mut().flatten().map(|traced| recorded.device_times(traced)).collect();
        let session = TraceSession { clock, ..recorded.session };
        Some(Trace { counts: self.counters.finish()?, devices: devices.is_some().then_some(times), session })
    }
}

fn traced(root: &Root, plan: &SpanPlan, located: &SpanTargets) -> Vec<DeviceTargets> {
    let mut found: Vec<DeviceTargets> = Vec::new();
    for (engine, target) in targets(plan) {
        for device in traced_devices(root, &observe_devices::opened(located, engine, target).stack) {
            match found.iter_mut().find(|known| known.device == device) {
                Some(known) => known.targets.push(target.id),
                None => found.push(DeviceTargets { device, targets: vec![target.id] }),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_filters_devices_up_to_its_limit() {
        assert_eq!(device_filter(&[1, 2]), format!("{MOVES_DATA} && (dev == 1 || dev == 2)"));
        assert_eq!(device_filter(&[]), MOVES_DATA);
        assert_eq!(device_filter(&[u32::MAX; 1000]), MOVES_DATA);
    }
}
