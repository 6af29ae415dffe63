//! Writing of the targets' dirty data before a run, because it would affect the measurement.

use crate::located::SpanTargets;
use crate::unobserved::targets;
use crate::watch::linux::observe_devices::opened;
use diskspd_base::message_error::MessageError;
use diskspd_figures::units::amount;
use diskspd_host::located::InspectionHandle;
use diskspd_output::guard;
use diskspd_plan::SpanPlan;
use diskspd_profile::RawText;
use diskspd_sys::page_cache;
use diskspd_worker::{Control, RunReporter};
use std::fs::File;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

const TICK: Duration = Duration::from_millis(100);
/// Number of checks before the user is informed of the wait.
const LONG: u32 = 10;

/// Writes dirty data of each target on a device, excluding other dirty data in memory. A hanging medium
/// does not delay an interruption, because a thread does the work.
///
/// # Errors
/// Fails if data could not be written, possibly from another program.
pub(super) fn settle(
    plan: &SpanPlan,
    located: &SpanTargets,
    control: &Control,
    voice: &RunReporter,
) -> Result<(), MessageError> {
    for (engine, target) in targets(plan) {
        let InspectionHandle { file: Some(file), stack } = opened(located, engine, target) else {
            continue;
        };
        if stack.no_device_reason.is_some() {
            continue;
        }
        // Where the kernel doesn't tell, there may be something.
        let waiting = page_cache::dirty_bytes(&file, 0, 0).ok();
        if waiting != Some(0) {
            write(&target.path, file, waiting, control, voice)?;
        }
        if control.is_interrupted() {
            return Ok(());
        }
    }
    Ok(())
}

fn write(
    path: &RawText,
    file: File,
    waiting: Option<u64>,
    control: &Control,
    voice: &RunReporter,
) -> Result<(), MessageError> {
    let (ended, end) = mpsc::channel();
    let work = move || {
        let _waited_for = guard::is_waited_for();
        drop(ended.send(file.sync_all()));
    };
    if std::thread::Builder::new().name("settle".into()).spawn(work).is_err() {
        return Ok(());
    }
    for tick in 1u32.. {
        match end.recv_timeout(TICK) {
            Ok(Ok(())) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(Err(error)) => {
                return Err(format!(
                    "'{path}': cannot flush its dirty pages before the run: {error}; data may be lost"
                )
                .into());
            }
            Err(RecvTimeoutError::Timeout) if control.is_interrupted() => break,
            Err(RecvTimeoutError::Timeout) if tick == LONG => {
                let much = waiting.map_or(String::new(), |bytes| format!(" {} of", amount(bytes)));
                voice.note(&format!(
                    "'{path}': flushing{much} dirty pages first, so that they are not measured"
                ));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    Ok(())
}
