//! Which writes are durable when they complete.

use diskspd_model::plan::{Flush, WorkerTarget};

/// Whether a write is durable when it has completed.
pub(super) fn is_durable(target: &WorkerTarget) -> bool {
    let flushed = target.mapping.map(|mapping| matches!(mapping.flush, Flush::Pages | Flush::CacheLines));
    flushed.unwrap_or(target.open.dsync)
}
