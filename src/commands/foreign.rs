//! Readers of this program's own files and messages, for tests with arbitrary bytes (`fuzz`).

use super::compare::BootRun;
use crate::commands::experiments::sweep::StoredSweep;
use crate::commands::run::verify_after::Cycle;
use crate::experiments::sweep::CompletedPoint;

/// The command of a sweep (`sweep.json`), or one of its runs; whether it is one.
pub fn sweep_folder(bytes: &[u8]) -> bool {
    StoredSweep::parse(bytes).is_ok() | crate::json_reader::read_json::<CompletedPoint>(bytes).is_ok()
}

/// Whether the bytes are a run of a comparison of two kernels.
pub fn comparison_run(bytes: &[u8]) -> bool {
    crate::json_reader::read_json::<BootRun>(bytes).is_ok()
}

/// The result of a power cut (`cycle.json`), and the table of it; whether it is one.
pub fn power_cycle(bytes: &[u8]) -> bool {
    Cycle::read(bytes).is_ok_and(|cycle| !crate::commands::run::verify_after::table(cycle).is_empty())
}

/// Whether the bytes are a message of a rank, of any kind.
#[cfg(target_os = "linux")]
pub fn rank_message(bytes: &[u8]) -> bool {
    super::cluster::is_any(bytes)
}
