//! The part of the crate's interface that depends on the system.

pub use crate::files::content::sample_content as look_at_content;
pub use crate::files::precreated::create;
pub use crate::files::prepare;
pub use crate::files::purge::purge;
pub use crate::judged::{JudgeOrder, JudgedRun, judge};
pub use crate::span::system::exact_loop;
pub use crate::span::system::refusals::{claim, cpu_latency_refusal, refusals};
pub use crate::watch::linux::observe::Observer;
pub use crate::watch::linux::trace::device::watch_device;
