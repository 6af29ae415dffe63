//! Reason for the end of a time span.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutcome {
    pub cause: EndedBy,
    /// Time in ns since the start of the measurement; `None` = earlier.
    pub after: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum EndedBy {
    #[default]
    Time = 0,
    Interrupt = 1,
    Terminate = 2,
    /// Loss of the terminal: SIGHUP.
    Hangup = 3,
    StopEvent = 4,
    Failure = 5,
    Volume = 6,
    /// Outage of a target for the time of `--fail-on-outage`.
    Outage = 7,
    /// Soft limit of the process's CPU time (`ulimit -St`): SIGXCPU.
    CpuLimit = 8,
    LostRank = 9,
}

impl EndedBy {
    pub const ALL: [EndedBy; 10] = [
        EndedBy::Time,
        EndedBy::Interrupt,
        EndedBy::Terminate,
        EndedBy::Hangup,
        EndedBy::StopEvent,
        EndedBy::Failure,
        EndedBy::Volume,
        EndedBy::Outage,
        EndedBy::CpuLimit,
        EndedBy::LostRank,
    ];

    pub fn name(self) -> &'static str {
        match self {
            EndedBy::Time => "its time",
            EndedBy::Interrupt => "Ctrl-C",
            EndedBy::Terminate => "SIGTERM",
            EndedBy::Hangup => "SIGHUP (a lost connection)",
            EndedBy::StopEvent => "the stop event (-yp)",
            EndedBy::Failure => "an error",
            EndedBy::Outage => "an outage (--fail-on-outage)",
            EndedBy::CpuLimit => "the limit of CPU time (ulimit -t)",
            EndedBy::LostRank => "the loss of a rank",
            EndedBy::Volume => "the requested amount (--until-written, --until-read, --replay)",
        }
    }
}
