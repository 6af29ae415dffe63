//! Where a slow I/O lost its time (`--explain`): from its stamps, what the block layer told of it and what
//! its thread did, to stages and a culprit. The rule: docs/explain.md.

mod attribute;
mod course;
mod seen;

pub use attribute::{Attributed, Kept, attribute};
pub use course::{Course, Doing};
pub use seen::{BlockSeen, BlockStep, BlockTimes};
