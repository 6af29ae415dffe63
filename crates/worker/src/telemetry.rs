//! Output during a run, and its destinations: speeds, the stream, the log of I/Os.

pub mod completion;
pub mod io_log;
pub mod live;
pub mod stream;
