//! The part of the crate's interface that depends on the system.

pub use crate::services::{
    MICROSOFT_TOOL_HINT, PurgeError, RunSupportError, WatchError, cpu_latency_refusal, purge, refusals,
    watch_device,
};
