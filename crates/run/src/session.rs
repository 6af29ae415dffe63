//! Invocation-specific inputs and results of a run.

use super::options::Options;
use diskspd_base::finding::Finding;
use diskspd_plan::PlanError;
use diskspd_results::Record;
use diskspd_worker::Control;
use diskspd_worker::listener::{NullObserver, RunObserver};
use std::sync::Arc;

/// Settings of one run only: overwrite permissions, receivers of messages, events to wait for. They are
/// not stored.
pub struct Session {
    /// Whether this is one of several runs of the process, with a separate start time.
    pub one_of_several: bool,
    /// Settings of this run; [`execute`](super::execute) sets its run options and recorded I/Os.
    pub options: Options,
    pub listener: Arc<dyn RunObserver>,
    /// Control that ends the run from outside ([`Control::interrupt`]), unique to the run.
    pub control: Arc<Control>,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            one_of_several: false,
            options: Options::default(),
            listener: Arc::new(NullObserver),
            control: Arc::default(),
        }
    }
}

impl From<Options> for Session {
    fn from(options: Options) -> Session {
        Session { options, ..Session::default() }
    }
}

#[derive(Debug)]
pub struct ExecutedRun {
    pub record: Record,
    /// Causes of the failure; empty = success. An interrupted run did not fail.
    pub failures: Vec<String>,
    /// Problems in addition to the valid figures: I/Os that never completed, an incomplete log, lost data.
    pub troubles: Vec<String>,
    /// Whether the run was rejected before anything changed, so that there is nothing to report.
    pub refused: bool,
    /// Whether threads of this process still wait for the kernel, so that only
    /// [`diskspd_sys::process::end`] can end it.
    pub left_behind: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{}", messages(.0.iter()))]
    Invalid(Vec<Finding>),
    /// The machine or this version of the program does not support the run.
    #[error("{}", messages(.0.iter().map(|error| &*error.finding)))]
    Unfit(Vec<PlanError>),
}

fn messages<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    findings.map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("\n")
}
