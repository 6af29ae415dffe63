//! The start of runs, and completed runs.

pub(crate) mod completed_run;
pub(crate) mod message_filter;
pub(crate) mod other_program;
pub(crate) mod own_files;
pub(crate) mod runnable;
pub(crate) mod save;
pub(crate) mod side_run;
pub(crate) mod stored;
pub(crate) mod with;
