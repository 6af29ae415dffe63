//! The writes that are durable at completion.

use super::system;
use diskspd_plan::WorkerTarget;

/// Whether a completed write is durable.
pub(super) fn is_durable(target: &WorkerTarget) -> bool {
    target.mapping.map_or(target.open.dsync, |mapping| system::is_durable(mapping.flush))
}
