//! Divides the latency of a slow I/O (`--explain`) into stages and names a cause, from its stamps, the events
//! of the block layer and the states of its thread (docs/reference/explain.md).

mod attribute;
mod block_events;
mod timeline;

pub use attribute::{Attributed, HeldBy, attribute};
pub use block_events::{BlockEvent, BlockMatch, BlockStep, BlockTimes};
pub use timeline::{ThreadState, ThreadTimeline};
