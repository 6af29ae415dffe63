//! What of the machine can be traced (`-e`): classes of events, and by which clocks they are stamped.

mod events;
mod stamp_clock;

pub use events::{EVENTS, EventRow, Source, TraceClass, TraceEvent};
pub use stamp_clock::StampClock;
