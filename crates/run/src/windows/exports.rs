//! The part of the crate's interface that depends on the system.

pub use crate::services::{
    INSTEAD, PurgeError, UnsupportedRunError, WatchError, cpu_latency_refusal, purge, refusals, watch_device,
};
