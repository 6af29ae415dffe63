//! A job of fio with its name.

use super::job::RequestedJob;
use super::settings::JobSettings;

pub(super) struct NamedJob<'a> {
    pub(super) settings: JobSettings<'a>,
    pub(super) job: RequestedJob,
}
