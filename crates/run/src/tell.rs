//! What a run tells while it goes on, and where it puts it: speeds, the stream,
//! the log of I/Os, why it failed.

pub(super) mod completion;
pub mod destination;
pub(super) mod failure;
pub(super) mod io_log;
pub(super) mod late_file;
pub(super) mod live;
pub mod outlet;
pub mod output_error;
pub mod patience;
pub(super) mod stream;
