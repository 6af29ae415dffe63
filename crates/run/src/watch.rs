//! What is observed of a run from outside of its workers: devices, processors, what
//! the tool itself cost, traces.

pub(super) mod beats;
mod cost;
pub(super) mod effort;
pub(super) mod explain;
mod limits;
pub(super) mod observe;
pub(super) mod observe_devices;
mod observe_remote;
pub(super) mod quiet;
pub(super) mod sampler;
mod sleeps;
mod statements;
pub(super) mod trace;
