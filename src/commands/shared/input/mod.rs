//! Profiles, jobs and stored runs that a command reads.

pub(crate) mod fio_jobs;
pub(crate) mod fio_logs;
pub(crate) mod load;
pub(crate) mod load_runs;
pub(crate) mod patterns;
