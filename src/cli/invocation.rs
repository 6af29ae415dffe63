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
    /// Prints the usage: `-?`, `--help` (`Exit::Success`), or no arguments (`Exit::Usage`).
    Usage(UsageExtent),
    CommandUsage {
        command: &'static str,
    },
    Version,
    /// Runs a profile, or prints it with `-Rp`.
    Run(Box<RunRequest>),
    /// Sets existing events (`-ye`), and ends with `Exit::RunFailed`.
    SetEvent {
        /// Names of the events, at least one.
        names: Vec<RawText>,
    },
    /// Sets or waits for an event between processes.
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
    /// Lists the privileges that features need.
    Privileges,
    /// Brings a target into its steady state.
    Precondition(Box<PreconditionRequest>),
    /// Runs the points of a sweep.
    Sweep(Box<SweepRequest>),
    Suite(Box<SuiteRequest>),
    Baseline(Box<BaselineRequest>),
    /// Runs another program, and checks its I/O.
    Judge(Box<JudgeRequest>),
    /// Runs a command line on several hosts.
    Hosts(HostsRequest),
    Trace(TraceRequest),
    /// Converts fio jobs or a profile into another form.
    Convert(ConvertRequest),
    /// Prints the facts about this machine (`-Rs`).
    System {
        xml: bool,
    },
    EngineHelp,
    /// Reads or changes the history.
    History(Box<HistoryRequest>),
    Compare(Box<CompareRequest>),
    /// Prints the report of a saved run, or a table of several.
    Report(ReportRequest),
    /// Merges the records of several hosts.
    Merge(MergeRequest),
    VerifyAfter(VerifyAfterRequest),
    Man {
        /// Command of the usage; `None` = the whole program.
        command: Option<&'static str>,
    },
    Completions(Shell),
    Compatibility,
    /// Prints the available presets.
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
