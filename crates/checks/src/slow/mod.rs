//! Divides the latency of a slow I/O (`--explain`) into stages and names a cause, from its stamps, the events
//! of the block layer and the states of its thread (docs/reference/explain.md).

mod attribute;
mod course;
mod seen;

pub use attribute::{Attributed, HeldBy, attribute};
pub use course::{ThreadDoing, ThreadTimeline};
pub use seen::{BlockMatch, BlockSeen, BlockStep, BlockTimes};
