//! The Linux interface of a run: files, CPU times, high-priority threads; `windows/services.rs` is
//! the Windows counterpart. Other parts of a time span are in separate files.

pub(crate) use crate::files::precreated::create_all as precreate;
pub(crate) use crate::files::prefill::PrefilledDevices as Prefilled;
pub use crate::files::space::lack as lack_of_space;
pub(crate) use crate::verification::begin as begin_verification;
pub(crate) use diskspd_host::cpu_times::CpuClock;
pub(crate) use diskspd_host::path_states::PathStates;
pub(crate) use diskspd_sys::real_time::{give_way, take_precedence};

use diskspd_host::root::Root;
use diskspd_host::{path_states as states_of_paths, storage, threads};
use diskspd_machine::System;
use diskspd_plan::PlanError;
use diskspd_profile::{Profile, RawText, RunOptions};

/// Whether files can be opened as temporary ones (`-ft`).
pub const KNOWS_TEMPORARY_FILES: bool = false;

pub(crate) fn can_run(_: &Profile, _: &RunOptions) -> Result<(), Vec<PlanError>> {
    Ok(())
}

/// Returns the states of the paths to these block devices, and of network links.
pub(crate) fn path_states(devices: &[String]) -> PathStates {
    states_of_paths::read(&Root::live_system(), devices)
}

/// Returns the total time of a thread of this process waiting for a CPU in ns; `None` if the kernel does
/// not report it.
pub(crate) fn waited_for_cpu(thread: i32) -> Option<u64> {
    threads::read_times(&Root::live_system(), thread).and_then(|times| times.run_delay)
}

pub(crate) fn read_environment(system: &mut System, targets: &[&RawText]) {
    diskspd_host::read_environment(system, storage::storages(targets.iter().copied()));
}
