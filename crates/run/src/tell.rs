//! What a run tells while it goes on, and where it puts it: speeds, the stream,
//! the log of I/Os.

pub(super) mod completion;
pub(super) mod io_log;
pub(super) mod live;
pub(super) mod stream;
