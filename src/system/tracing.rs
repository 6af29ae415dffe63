//! What of the machine can be traced (`-e`): classes of events, where the kernel tells of them, and how to get there.

pub mod devices;
mod events;
mod format;
pub mod instance;
pub mod network;
pub mod pages;
pub mod refusal;
mod stamp_clock;
mod tracefs;

pub use events::{EVENTS, EventRow, Source, TraceClass, TraceEvent};
pub use format::{BlockFormat, Field, Format};
pub use stamp_clock::StampClock;
pub use tracefs::Tracefs;
