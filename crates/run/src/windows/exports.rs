//! The part of the crate's interface that depends on the system.

pub use crate::services::{
    MICROSOFT_TOOL_HINT, RunSupportError, cpu_latency_refusal, purge, refusals, watch_device,
};
