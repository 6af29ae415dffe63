//! The requests of a command line.

use super::answer::{InfoRequest, UsageExtent};
use super::requests::{
    BaselineRequest, CompareRequest, ConvertRequest, EventAction, HistoryRequest, HostsRequest, JudgeRequest,
    MergeRequest, PreconditionRequest, PresetRequest, ReportRequest, RunRequest, Shell, SuiteRequest,
    SweepRequest, TraceRequest, VerifyAfterRequest,
};
use crate::profile::RawText;

#[derive(Debug, Clone, PartialEq)]
pub enum Invocation {
    /// Print the usage: `-?`, `--help` (`Exit::Success`), or no arguments at all (`Exit::Usage`).
    Usage(UsageExtent),
    CommandUsage {
        command: &'static str,
    },
    Version,
    /// Run, or with `-Rp` print, a profile.
    Run(Box<RunRequest>),
    /// Set existing events (`-ye`), and end with `Exit::RunFailed`.
    SetEvent {
        /// Names of the events, at least one.
        names: Vec<RawText>,
    },
    /// Do something with an event between processes.
    Event {
        action: EventAction,
        name: RawText,
    },
    Devices {
        json: bool,
    },
    Doctor {
        json: bool,
        targets: Vec<RawText>,
    },
    /// Say which features need which rights.
    Privileges,
    /// Bring a target into its steady state.
    Precondition(Box<PreconditionRequest>),
    /// Run many points and answer from them.
    Sweep(Box<SweepRequest>),
    Suite(Box<SuiteRequest>),
    Baseline(Box<BaselineRequest>),
    /// Run another program, and judge its I/O.
    Judge(Box<JudgeRequest>),
    /// Run a command line on several hosts.
    Hosts(HostsRequest),
    Trace(TraceRequest),
    /// Convert jobs or a profile into another form.
    Convert(ConvertRequest),
    /// Print what there is to know of this machine (`-Rs`).
    System {
        xml: bool,
    },
    EngineHelp,
    /// Do something with the runs that are kept.
    History(Box<HistoryRequest>),
    Compare(Box<CompareRequest>),
    /// Print the report of a saved run, or a table of several.
    Report(ReportRequest),
    /// Merge the records of several hosts.
    Merge(MergeRequest),
    VerifyAfter(VerifyAfterRequest),
    Man {
        /// Command of the usage; `None` = the whole program.
        command: Option<&'static str>,
    },
    Completions(Shell),
    Compatibility,
    /// Print what named workloads there are.
    Preset(PresetRequest),
}

impl From<InfoRequest> for Invocation {
    fn from(answer: InfoRequest) -> Invocation {
        match answer {
            InfoRequest::Usage(extent) => Invocation::Usage(extent),
            InfoRequest::Version => Invocation::Version,
            InfoRequest::Engines => Invocation::EngineHelp,
        }
    }
}
