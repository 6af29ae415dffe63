//! The processes of a job, and Ctrl+C.

pub(crate) mod ctrl_c;
pub(crate) mod job_limits;
