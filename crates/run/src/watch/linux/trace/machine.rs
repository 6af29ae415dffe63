//! The kernel's counters of a machine's devices during a run.

use super::recorder::buffer_kib;
use super::requests::BlockFormats;
use super::{COMPLETE, ISSUE, MOVES_DATA, TRACEPOINTS};
use diskspd_host::root::Root;
use diskspd_host::tracing::instance::{Instance, Recording};
use diskspd_host::tracing::refusal::TracingError;
use diskspd_host::tracing::{BlockFormat, EventFormat, Tracefs, online_cpus};
use diskspd_machine::tracing::{EVENTS, Source, StampClock, TraceClass};
use diskspd_sys::perf;
use std::io;

#[derive(Debug)]
pub(super) struct Machine {
    pub(super) root: Root,
    pub(super) cpus: Vec<u32>,
    pub(super) tracefs: Option<Tracefs>,
}

impl Machine {
    pub(super) fn read_machine(classes: &[TraceClass]) -> Result<Machine, TracingError> {
        let root = Root::live_system();
        let cpus = online_cpus(&root);
        let traced = EVENTS.iter().filter(|row| classes.contains(&row.class));
        let needed = traced.into_iter().any(|row| matches!(row.source, Source::Tracepoint { .. }));
        let tracefs = needed.then(|| Tracefs::find(&root)).transpose()?;
        Ok(Machine { root, cpus, tracefs })
    }

    pub(super) fn format(&self, name: &str) -> Result<Option<EventFormat>, TracingError> {
        self.tracefs.as_ref().map_or(Ok(None), |tracefs| tracefs.format(name))
    }

    pub(super) fn refusal(&self, error: io::Error) -> TracingError {
        let paranoid = self.root.text("/proc/sys/kernel/perf_event_paranoid");
        TracingError::Events { error, paranoid: paranoid.and_then(|text| text.parse().ok()) }
    }

    /// Returns the recording of device requests, and its record formats.
    pub(super) fn recording(&self, clock: StampClock) -> Result<(Instance, BlockFormats), TracingError> {
        let missing = |name: &str| TracingError::NoTracepoint { names: name.into() };
        let find = |name: &str| {
            let format = self.format(name)?.and_then(|format| BlockFormat::from_event(&format));
            format.ok_or_else(|| missing(name))
        };
        let formats = BlockFormats { issue: find(ISSUE)?, complete: find(COMPLETE)? };
        let tracefs = self.tracefs.as_ref().ok_or_else(|| missing(ISSUE))?;
        let recording = Recording {
            tracepoints: &TRACEPOINTS,
            filter: MOVES_DATA,
            clock,
            cpus: &self.cpus,
            kib: buffer_kib(self.cpus.len()),
        };
        Ok((Instance::open(tracefs, &recording)?, formats))
    }
}

pub(super) fn is_offline(error: &io::Error) -> bool {
    perf::is_absent(error)
}
