//! What of the machine can be traced (`-e`): where the kernel tells of it, and how to get there.

mod block_format;
pub mod devices;
mod format;
pub mod instance;
pub mod network;
pub mod pages;
pub mod refusal;
mod stamp_time;
mod tracefs;

pub use block_format::{BlockFormat, BlockRecord};
pub use format::{Field, Format};
pub use stamp_time::stamp_time;
pub use tracefs::Tracefs;
