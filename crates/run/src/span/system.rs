//! The parts of a time span that need Linux: its targets and the machine. `windows/span.rs` is the Windows
//! counterpart.

pub mod exact_loop;
pub(crate) mod large_pages;
pub(crate) mod look;
pub(crate) mod opening;
pub(crate) mod pauses;
pub(crate) mod preparation;
pub(crate) mod probes;
pub(crate) mod refusals;
mod settle;
pub(crate) mod span_context;
