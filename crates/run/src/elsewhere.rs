//! A system that this program makes no runs on: what it is asked for is answered with why, and what to do.

use super::control::Control;
use super::options::Options;
use super::session::{Executed, NotRun, Session};
use diskspd_model::machine::System;
use diskspd_model::plan::{PlanError, SpanPlan};
use diskspd_model::profile::{Profile, RawText, RunOptions, TimeSpan};
use std::convert::Infallible;
use std::io;
use std::sync::Arc;

/// What to do instead of running something.
pub const INSTEAD: &str = "let Microsoft's tool make them: --with C:\\tools\\diskspd.exe";

/// That no run is made here. The same for every command that would make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this program makes no runs on Windows, as its engines are Linux's; {INSTEAD}")]
pub struct NoRunsHere;

fn unfit() -> Vec<PlanError> {
    vec![PlanError::target(NoRunsHere.to_string())]
}

/// Events between processes, which begin and end runs.
pub mod events {
    use super::{Arc, Control, Infallible, NoRunsHere, io};

    /// There is none.
    #[derive(Debug)]
    pub struct Event(Infallible);

    /// Why there is none.
    pub type EventError = NoRunsHere;

    /// The events that every time span of a run waits for and sets.
    #[derive(Debug, Clone, Default)]
    pub struct Events {
        /// `-ys`
        pub start: Option<Arc<Event>>,
        /// `-yf`
        pub finish: Option<Arc<Event>>,
        /// `-yr`
        pub wait: Option<Arc<Event>>,
    }

    /// Opens an event.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: &[u8]) -> Result<Arc<Event>, EventError> {
        Err(NoRunsHere)
    }

    /// Interrupts a run by an event, which can't be had.
    ///
    /// # Errors
    /// None.
    pub fn stop_when_set(event: Arc<Event>, _: Arc<Control>) -> io::Result<()> {
        match event.0 {}
    }
}

/// What a run would have found out about its targets.
#[derive(Debug, Default)]
pub struct Probes;

/// Would run a profile.
///
/// # Errors
/// Always: [`NoRunsHere`].
pub fn execute(_: &Profile, _: &RunOptions, _: &Session) -> Result<Executed, NotRun> {
    Err(NotRun::Unfit(unfit()))
}

/// The machine, of which nothing is read.
pub fn machine_for(_: &Profile) -> System {
    System::default()
}

/// The same.
pub fn surroundings(_: &Profile, _: &RunOptions) -> System {
    System::default()
}

/// The profile as it would be run: as it is.
pub fn resized(profile: &Profile) -> Profile {
    profile.clone()
}

/// Would plan a time span.
///
/// # Errors
/// Always: [`NoRunsHere`].
pub fn probe_and_plan(
    _: &Profile,
    _: &TimeSpan,
    _: &System,
    _: &Options,
    _: &Probes,
) -> Result<SpanPlan, Vec<PlanError>> {
    Err(unfit())
}

/// What stands against a plan, of which there is none.
pub fn refusals(_: &TimeSpan, _: &SpanPlan, _: &Options) -> Vec<String> {
    Vec::new()
}

/// Whether a run can begin.
///
/// # Errors
/// Always: [`NoRunsHere`].
pub fn cpu_latency_refusal(_: &RunOptions) -> Result<(), Vec<PlanError>> {
    Err(unfit())
}

/// Why nothing is thrown away.
pub type PurgeError = NoRunsHere;

/// Would discard a device.
///
/// # Errors
/// Always: [`NoRunsHere`].
pub fn purge(_: &RawText, _: bool, _: &Arc<Control>) -> Result<Option<u64>, PurgeError> {
    Err(NoRunsHere)
}

/// Why no device is watched.
pub type WatchError = NoRunsHere;

/// Watches for Ctrl-C on behalf of a run. There is none: it ends the program.
///
/// # Errors
/// None.
pub fn watch(_: Arc<Control>, _: Option<Arc<events::Event>>, _: bool) -> io::Result<()> {
    Ok(())
}

/// The same.
///
/// # Errors
/// None.
pub fn watch_silently(_: Arc<Control>) -> io::Result<()> {
    Ok(())
}
