//! Traceable events of the machine (`-e`): their classes and time stamp clocks.

mod events;
mod stamp_clock;

pub use events::{EVENTS, EventRow, Source, TraceClass, TraceEvent};
pub use stamp_clock::StampClock;
