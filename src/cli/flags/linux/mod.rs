//! Long options, which DISKSPD does not have. A file per topic.

mod course;
mod engine;
mod output;
mod program;
mod target;

use crate::cli::flag::Flag;

pub(super) const FLAGS: &[&[Flag]] =
    &[engine::FLAGS, target::FLAGS, course::FLAGS, output::FLAGS, program::FLAGS];
