//! What of the machine can be traced (`-e`): classes of events, where the kernel tells of them, and how to get there.

pub mod devices;
mod events;
mod format;
pub mod network;
pub mod refusal;
mod tracefs;

pub use events::{EVENTS, EventRow, Source, TraceClass, TraceEvent};
pub use format::{BlockFormat, Field, Format};
pub use tracefs::Tracefs;
