//! What of the machine can be traced (`-e`): classes of events, where the kernel tells of them, and how to
//! get there.

#[cfg(target_os = "linux")]
pub mod devices;
mod events;
mod format;
#[cfg(target_os = "linux")]
pub mod instance;
#[cfg(target_os = "linux")]
pub mod network;
pub mod pages;
#[cfg(target_os = "linux")]
pub mod refusal;
mod stamp_clock;
#[cfg(target_os = "linux")]
mod tracefs;

pub use events::{EVENTS, EventRow, Source, TraceClass, TraceEvent};
pub use format::{BlockFormat, Field, Format};
pub use stamp_clock::StampClock;
#[cfg(target_os = "linux")]
pub use tracefs::Tracefs;
