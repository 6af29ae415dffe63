//! What a run needs of the system that it runs on: files, CPU times, threads that go before others. This is
//! Linux's; on Windows `elsewhere` stands in its place. What else a time span needs stands in files of its
//! own.

pub use crate::files::precreated::create_all as precreate;
pub use crate::files::prefill::Done as Prefilled;
pub use crate::files::space::lack as lack_of_space;
pub use crate::verification::begin as begin_verification;
pub use diskspd_host::cpu_times::CpuClock;
pub use diskspd_host::path_states::PathStates;
pub use diskspd_sys::real_time::{give_way, take_precedence};

use diskspd_host::root::Root;
use diskspd_host::{look_around as look_around_targets, path_states as states_of_paths, storage, threads};
use diskspd_model::machine::System;
use diskspd_model::plan::PlanError;
use diskspd_model::profile::{Profile, RawText, RunOptions};

/// Whether files can be opened as temporary ones (`-ft`).
pub const KNOWS_TEMPORARY_FILES: bool = false;

/// Whether such a run can be made on this system.
///
/// # Errors
/// None: all of them can.
pub fn can_run(_: &Profile, _: &RunOptions) -> Result<(), Vec<PlanError>> {
    Ok(())
}

/// The states of paths to these block devices, and of network links.
pub fn path_states(devices: &[String]) -> PathStates {
    states_of_paths::read(&Root::live(), devices)
}

/// How long a thread of this process has waited for a CPU so far, ns; `None` = the kernel doesn't tell.
pub fn waited_for_cpu(thread: i32) -> Option<u64> {
    threads::read_times(&Root::live(), thread).and_then(|times| times.run_delay)
}

pub fn look_around(system: &mut System, targets: &[&RawText]) {
    look_around_targets(system, targets.iter().copied().map(storage::storage).collect());
}
