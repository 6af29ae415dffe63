//! The next action of a thread.

use crate::workload::TargetWorkload;
use crate::workload::target::InterlockedPosition;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Assignment<'a> {
    pub workload: &'a TargetWorkload,
    /// Requests of the thread that belong to the target; in a floating pool, all requests of the thread.
    pub requests: u32,
    /// Position shared by all threads on this target, only used by the interlocked pattern.
    pub interlocked: Arc<InterlockedPosition>,
}
