//! A system whose kernel this program has no engine for: simulated runs are made, and every other one is
//! refused, with why, and what to do. Stands in the place of `real`.

use super::control::Control;
use super::options::Options;
use super::outcome::SpanOutcome;
use super::voice::Voice;
use diskspd_engine::{Done, Engine, Io};
use diskspd_model::engines::EngineKind;
use diskspd_model::machine::System;
use diskspd_model::machine::target::is_drive_letter;
use diskspd_model::plan::{PlanError, SpanPlan, WorkerPlan};
use diskspd_model::profile::{Profile, RawText, RunOptions, TimeSpan};
use diskspd_model::results::TargetResults;
use diskspd_model::trace::IoTrace;
use diskspd_model::trace::formats::RequestView;
use diskspd_outlet::OutputDoor;
use diskspd_sys::clock::Nanos;
use std::collections::HashSet;
use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What to do instead of running something.
pub const INSTEAD: &str = "let Microsoft's tool make them: --with C:\\tools\\diskspd.exe";

/// That no such run is made here. The same for every command that would make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this program makes only simulated runs on Windows (--engine sim), as its other engines are Linux's; \
     {INSTEAD}"
)]
pub struct NoRunsHere;

fn unfit() -> Vec<PlanError> {
    vec![PlanError::profile(NoRunsHere.to_string())]
}

/// Whether such a run can be made here.
///
/// # Errors
/// It is none in simulated time, or it asks for what isn't done here.
pub fn can_run(profile: &Profile, run_options: &RunOptions) -> Result<(), Vec<PlanError>> {
    if !run_options.virtual_time() {
        return Err(unfit());
    }
    let targets = || profile.time_spans.iter().flat_map(|span| &span.targets);
    if targets().any(|target| target.use_large_pages) {
        return Err(vec![PlanError::profile("-l: large pages aren't taken on Windows yet; leave out -l")]);
    }
    let is_disk = |path: &[u8]| path.starts_with(b"#") || is_drive_letter(path);
    let disk = targets().find(|target| is_disk(target.path.as_bytes()) && target.file_size.is_none());
    if let Some(target) = disk {
        return Err(vec![PlanError::profile(format!(
            "'{}': sizes of disks aren't read on Windows yet; give the size to simulate (-c<size>)",
            target.path
        ))]);
    }
    Ok(())
}

/// Whether a run can begin.
///
/// # Errors
/// It is none in simulated time.
pub fn cpu_latency_refusal(run_options: &RunOptions) -> Result<(), Vec<PlanError>> {
    if run_options.virtual_time() { Ok(()) } else { Err(unfit()) }
}

/// What stands against a plan: simulated runs touch nothing.
pub fn refusals(_: &TimeSpan, _: &SpanPlan, _: &Options) -> Vec<String> {
    Vec::new()
}

/// Looks at what is around targets: nothing of it is read yet.
pub fn look_around(_: &mut System, _: &[&RawText]) {}

/// Whether the CPU times of the machine can be read.
///
/// # Errors
/// Always.
pub fn cpu_times_known() -> Result<(), Vec<PlanError>> {
    Err(unfit())
}

/// Which thread goes before which: all are alike here.
#[derive(Debug)]
pub struct Precedence;

/// Lets the calling thread run before workers.
pub fn take_precedence() -> Precedence {
    Precedence
}

/// Lets the calling thread run behind those that lead it.
///
/// # Errors
/// None.
pub fn give_way() -> io::Result<Precedence> {
    Ok(Precedence)
}

/// Block devices that were filled by an earlier time span of the run: there are none.
#[derive(Debug, Default)]
pub struct Prefilled;

/// Creates files before the first time span: none are made for simulated runs.
///
/// # Errors
/// None.
pub fn precreate(
    _: &Profile,
    _: &Options,
    _: &Control,
    _: &Voice,
) -> Result<HashSet<RawText>, Box<SpanOutcome>> {
    Ok(HashSet::new())
}

/// What probably is the matter when an I/O fails: of simulated devices nothing is known.
pub fn usual_cause(_: EngineKind, _: i32) -> &'static str {
    ""
}

/// What is verified (`--verify`): there is nothing, because simulated devices hold no data.
#[derive(Debug)]
pub struct Integrity(Infallible);

impl Integrity {
    /// Ends it.
    ///
    /// # Errors
    /// None.
    pub fn end(&self) -> Result<(), NoRunsHere> {
        match self.0 {}
    }
}

/// Begins the verification of a run, which takes data.
///
/// # Errors
/// It is asked for.
pub fn begin_verification(
    _: &Profile,
    options: &Options,
    _: &mut OutputDoor,
    _: &Control,
    _: &Voice,
) -> Result<Option<Integrity>, Vec<PlanError>> {
    if options.run_options.verify.is_some() { Err(unfit()) } else { Ok(None) }
}

/// What stamps writes and checks reads: there is none.
#[derive(Debug)]
pub struct SectorChecker<'a> {
    run: &'a Integrity,
}

impl<'a> SectorChecker<'a> {
    /// Of a run that verifies.
    pub fn new(run: &'a Integrity, _: &WorkerPlan, _: &[u32]) -> SectorChecker<'a> {
        SectorChecker { run }
    }

    /// The worker starts.
    pub fn starts(&mut self, _: Nanos) {
        match self.run.0 {}
    }

    /// I/Os are about to be submitted.
    pub fn begin(&mut self, _: &[Io], _: &mut dyn Engine) {
        match self.run.0 {}
    }

    /// I/Os have ended.
    pub fn ended(&mut self, _: &[Done], _: &dyn Engine) {
        match self.run.0 {}
    }

    /// Flushes are about to be submitted.
    pub fn flushing(&mut self, _: &[Io]) {
        match self.run.0 {}
    }

    /// A flush has ended.
    pub fn flushed(&mut self, _: u32) {
        match self.run.0 {}
    }

    /// The worker has ended.
    pub fn finish(&mut self, _: &mut [TargetResults]) {
        match self.run.0 {}
    }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a device can't be traced on Windows, as it takes Linux's tracefs: read what another program recorded \
     (--from FILE)"
)]
pub struct WatchError;

/// Would watch a device.
///
/// # Errors
/// Always: [`WatchError`].
pub fn watch_device(
    _: &Path,
    _: u32,
    _: RequestView,
    _: &Arc<Control>,
    _: impl FnOnce(),
) -> Result<IoTrace, WatchError> {
    Err(WatchError)
}

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

/// Events between processes, which begin and end runs.
pub mod events {
    use super::{Arc, Control, Infallible, NoRunsHere, Voice, io};

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

    impl Events {
        /// Whether the run may start: it waits for no event.
        pub(crate) fn may_start(&self, control: &Control, _: &Voice) -> bool {
            !control.is_interrupted()
        }

        /// Tells that measuring begins now: nobody.
        pub(crate) fn measurement_begins(&self, _: &Control) {}

        /// Tells that measuring has ended: nobody.
        pub(crate) fn measurement_ended(&self, _: &Control) {}
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
