//! The lab: from runs to an answer. Pure: what is to be run next follows from what has been run, and the
//! answer from what all runs say.

mod answer_format;
pub mod compare;
mod line;
mod not_as_expected;
pub mod precondition;
pub mod repeat;
pub mod repetition;
mod run_columns;
pub mod selection;
pub mod suite;
pub mod sweep;

pub use answer_format::{AnswerFormat, KeptAnswer};
pub use line::{HostRate, LatencyLine, RunFinding, RunLine, RunVerdict};
pub use not_as_expected::NotAsExpected;
