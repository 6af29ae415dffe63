//! What a run tells while it goes on, and where it puts it: speeds, the stream,
//! the log of I/Os.

pub mod completion;
pub mod io_log;
pub mod live;
pub mod stream;
