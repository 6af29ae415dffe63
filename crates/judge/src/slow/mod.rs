//! Where a slow I/O lost its time (`--explain`): from its stamps, what the block layer told of it and what
//! its thread did, to stages and a culprit. The rule: docs/reference/explain.md.

mod attribute;
mod course;
mod seen;

pub use attribute::{Attributed, HeldBy, attribute};
pub use course::{ThreadCourse, ThreadDoing};
pub use seen::{BlockMatch, BlockSeen, BlockStep, BlockTimes};
