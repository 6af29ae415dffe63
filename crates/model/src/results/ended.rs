//! What ended a time span.

use serde::{Deserialize, Serialize};

/// What ended a time span, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// What it was.
    pub by: EndedBy,
    /// How long after measuring began, ns; `None` = before measuring began.
    pub after: Option<u64>,
}

/// What can end a time span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum EndedBy {
    /// Its time was over.
    #[default]
    Time = 0,
    /// The user: Ctrl-C (SIGINT).
    Interrupt = 1,
    /// Somebody who wanted the program to end: SIGTERM.
    Terminate = 2,
    /// The lost connection of a terminal: SIGHUP.
    Hangup = 3,
    /// The event of `-yp`.
    StopEvent = 4,
    /// An error.
    Failure = 5,
    /// As much had been done as `--until-written` or `--until-read` asks for.
    Volume = 6,
    /// A target answered nothing for as long as `--fail-on-outage` allows.
    Outage = 7,
    /// The soft limit of the process's CPU time (`ulimit -St`): SIGXCPU.
    CpuLimit = 8,
}

impl EndedBy {
    /// Every one, in the order of their numbers.
    pub const ALL: [EndedBy; 9] = [
        EndedBy::Time,
        EndedBy::Interrupt,
        EndedBy::Terminate,
        EndedBy::Hangup,
        EndedBy::StopEvent,
        EndedBy::Failure,
        EndedBy::Volume,
        EndedBy::Outage,
        EndedBy::CpuLimit,
    ];

    /// For people, at the beginning of a sentence.
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
            EndedBy::Volume => "the requested amount (--until-written, --until-read, --replay)",
        }
    }
}
