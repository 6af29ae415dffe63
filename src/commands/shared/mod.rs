//! Parts that several commands use.

pub(crate) mod command_error;
pub(crate) mod console;
pub(crate) mod folder_error;
pub(crate) mod input;
pub(crate) mod job;
pub(crate) mod job_command;
pub(crate) mod output;
pub(crate) mod run_folder;
pub(crate) mod runs;
pub(crate) mod unread_runs;
