//! Verification (`--verify`), and its journal file (`--journal`).

use super::options::Options;
use diskspd_host::boot;
use diskspd_host::root::Root;
use diskspd_host::stack::stack;
use diskspd_host::target::locate;
use diskspd_integrity::{DURABLE_FLUSHES, DURABLY_MAPPED, Integrity};
use diskspd_machine::stack::Stack;
use diskspd_output::HangGuard;
use diskspd_output::OutputPolicy;
use diskspd_plan::PlanError;
use diskspd_profile::{Profile, Target};
use diskspd_worker::{Control, RunReporter};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Begins the verification of a run; `None` = nothing is verified. Afterwards the journal exists durably.
pub(crate) fn begin(
    profile: &Profile,
    options: &Options,
    door: &mut OutputPolicy,
    control: &Arc<Control>,
    voice: &RunReporter,
) -> Result<Option<Integrity>, Vec<PlanError>> {
    let Some(mode) = options.run_options.verify else { return Ok(None) };
    control.awaits("opens the journal (--journal)");
    let patience = HangGuard::of_run(control);
    let open = |path: &PathBuf| open(path, profile, options, door, &patience);
    let journal = options.journal.as_ref().map(open).transpose();
    if let Some(path) = &options.journal
        && let (Ok(_), Some(doubt)) = (&journal, doubt_reason(path, profile))
    {
        voice.warn(&format!("--journal {}: {doubt}", path.display()));
    }
    let boot = boot(&Root::live_system()).unwrap_or_default();
    let begun = journal.and_then(|journal| {
        Integrity::new(mode, &options.run_options.verify_as, journal, &boot)
            .map_err(|error| PlanError::target(format!("--journal: cannot be written: {error}")))
    });
    begun.map(Some).map_err(|error| vec![error])
}

/// Creates the journal file.
fn open(
    path: &Path,
    profile: &Profile,
    options: &Options,
    door: &mut OutputPolicy,
    patience: &HangGuard,
) -> Result<File, PlanError> {
    let failed = |why: String| PlanError::target(format!("--journal {}: {why}", path.display()));
    let permitted = door.permit_journal("--journal", path).map_err(|e| PlanError::target(e.to_string()))?;
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    let mut written = targets.filter(|target| target.write_ratio > 0);
    if let Some(target) =
        written.find(|target| options.run_options.fsync_every.is_none() && !is_durable(target))
    {
        return Err(failed(format!(
            "no write to '{}' would ever count as durable: a completed write may still be in a cache; write \
             through (-Sw, -Sh, or {DURABLY_MAPPED}), or flush (--fsync-every)",
            target.path
        )));
    }
    let made = patience.attempt(&format!("--journal {}", path.display()), move || permitted.create_new());
    made.map_err(io::Error::from).and_then(|made| made).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            failed("exists, and a journal holds one run; name a new file".to_owned())
        }
        _ => failed(format!("cannot be created: {error}")),
    })
}

/// Whether a completed write is durable.
fn is_durable(target: &Target) -> bool {
    let is_flushed = |flush| DURABLE_FLUSHES.contains(&flush);
    match target.memory_mapped_io {
        true => !target.write_through && target.flush_type.is_some_and(is_flushed),
        false => target.write_through,
    }
}

fn doubt_reason(path: &Path, profile: &Profile) -> Option<String> {
    let of_journal = stack(path);
    let disks = |stack: &Stack| stack.leaves().map(|layer| layer.name.clone()).collect::<Vec<_>>();
    let own = disks(&of_journal);
    if own.is_empty() {
        let why = of_journal.no_device_reason.unwrap_or_default();
        return Some(format!("it is on no disk of this machine ({why}), so a power cut may destroy it too"));
    }
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    let shared = targets.filter_map(|target| {
        let place = locate(target.path.as_bytes()).ok()?;
        // Of a file that is still to be made, its folder.
        let there = place.ancestors().find(|above| above.exists()).unwrap_or(Path::new("."));
        let disk = disks(&stack(there)).into_iter().find(|disk| own.contains(disk))?;
        Some(format!(
            "it is on the same disk ({disk}) as '{}': both may be damaged together, and its flushes are \
             measured too; put it on another disk",
            target.path
        ))
    });
    shared.into_iter().next()
}
