//! The Windows counterpart of `services`. It rejects features that are not implemented there, with reason and
//! hint.

pub(crate) mod content;
pub(crate) mod creation;
mod observe;
mod refusals;

pub(crate) use crate::verification::begin as begin_verification;
use diskspd_base::message_error::MessageError;
pub(crate) use diskspd_host::cpu_times::CpuClock;
pub(crate) use diskspd_sys::real_time::{give_way, take_precedence};
pub(crate) use observe::Observer;
use refusals::find_unsupported;

use crate::options::Options;
use crate::precreate::{File, PrecreateError, files};
use crate::span::planning::locations;
use diskspd_host::claims::protect;
use diskspd_host::storage;
use diskspd_host::target::locate;
use diskspd_machine::System;
use diskspd_plan::{PlanError, SpanPlan};
use diskspd_profile::{Profile, RawText, RunOptions, TimeSpan};
use diskspd_sys::raw_devices::may_be_device;
use diskspd_trace::IoTrace;
use diskspd_trace::formats::RequestView;
use diskspd_worker::{Control, RunReporter, SpanOutcome};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const MICROSOFT_TOOL_HINT: &str = "let Microsoft's tool make them: --with C:\\tools\\diskspd.exe";

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it needs Linux, and is not available on Windows; {MICROSOFT_TOOL_HINT}")]
pub struct RunSupportError;

/// Whether files can be opened as temporary ones (`-ft`).
pub const KNOWS_TEMPORARY_FILES: bool = true;

/// Whether such a run can be made here.
///
/// # Errors
/// Fails if the request has a feature that Windows does not support.
pub(crate) fn can_run(profile: &Profile, run_options: &RunOptions) -> Result<(), Vec<PlanError>> {
    find_unsupported(profile, run_options).map_or(Ok(()), |refusal| Err(vec![refusal]))
}

/// Checks the options that hold a setting of the machine during a run.
///
/// # Errors
/// Fails if Windows has no such setting.
pub fn cpu_latency_refusal(run_options: &RunOptions) -> Result<(), Vec<PlanError>> {
    can_run(&Profile::default(), run_options)
}

/// Returns reasons against writing to the targets, one message each: disks and volumes in use or with
/// content. Users of files are not checked, because the system rejects exclusively opened files.
pub fn refusals(span: &TimeSpan, _: &SpanPlan, options: &Options) -> Vec<String> {
    if options.run_options.simulated() {
        return Vec::new();
    }
    // The plan has already reported errors of the places.
    let places = locations(span, options).unwrap_or_default();
    let refused = written(span, &places).filter_map(|place| protect([place], options.permission()).err());
    let mut refused: Vec<String> = refused.map(|refusal| refusal.to_string()).collect();
    refused.dedup();
    refused
}

/// Returns `None`, because Windows checks the free space when the size of a file is set.
pub fn lack_of_space(_: &Profile, _: &Options) -> Option<(usize, String)> {
    None
}

pub(crate) fn written<'a>(span: &'a TimeSpan, places: &'a [PathBuf]) -> impl Iterator<Item = &'a Path> {
    let targets = span.targets.iter().zip(places);
    targets.filter(|(target, _)| target.is_changed()).map(|(_, place)| place.as_path())
}

pub(crate) fn read_environment(system: &mut System, targets: &[&RawText]) {
    diskspd_host::read_environment(system, targets.iter().copied().map(storage::storage).collect());
}

pub(crate) type PathStates = BTreeMap<String, String>;

pub(crate) fn path_states(_: &[String]) -> PathStates {
    PathStates::new()
}

/// Returns `None`, because the system does not count the waits of a thread for a CPU.
pub(crate) fn waited_for_cpu(_: i32) -> Option<u64> {
    None
}

/// Block devices filled by an earlier time span; always empty on Windows.
#[derive(Debug, Default)]
pub(crate) struct Prefilled;

/// Creates files before the first time span. Returns their paths; none after an interruption.
///
/// # Errors
/// Fails with the first file that could not be created.
pub(crate) fn precreate(
    profile: &Profile,
    options: &Options,
    control: &Control,
    voice: &RunReporter,
) -> Result<HashSet<RawText>, Box<SpanOutcome>> {
    let wanted = if options.run_options.simulated() { Vec::new() } else { files(profile) };
    let located: Vec<(File, PathBuf)> = wanted
        .into_iter()
        .map(|file| {
            let Ok(path) = locate(file.path.as_bytes());
            (file, path)
        })
        // They stay as they are.
        .filter(|(_, path)| !may_be_device(path))
        .collect();
    match creation::create_all(&located, options, control, voice) {
        Ok(()) => Ok(located.into_iter().map(|(file, _)| file.path).collect()),
        // Nothing runs on them any more.
        Err(PrecreateError::Interrupted) => Ok(HashSet::new()),
        Err(not) => Err(Box::new(not.into())),
    }
}

/// Not supported on Windows.
///
/// # Errors
/// Always fails with [`RunSupportError`].
pub fn purge(_: &RawText, _: bool, _: &Arc<Control>) -> Result<Option<u64>, MessageError> {
    Err(RunSupportError.to_string().into())
}

/// Not supported on Windows.
///
/// # Errors
/// Always fails.
pub fn watch_device(
    _: &Path,
    _: u32,
    _: RequestView,
    _: &Arc<Control>,
    _: impl FnOnce(),
) -> Result<IoTrace, MessageError> {
    Err("a device cannot be traced on Windows, because that needs Linux's tracefs: read what another \
         program recorded (--from FILE)"
        .into())
}
