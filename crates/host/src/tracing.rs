//! What of the machine can be traced (`-e`): where the kernel tells of it, and how to get there.

pub mod devices;
mod format;
pub mod instance;
pub mod network;
pub mod pages;
pub mod refusal;
mod stamp_time;
mod tracefs;

pub use format::{BlockFormat, Field, Format};
pub use stamp_time::stamp_time;
pub use tracefs::Tracefs;
