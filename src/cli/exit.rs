//! Exit codes of the program.

use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Success; also of `-?`, and of `-Rp` with a valid profile.
    Success = 0,
    /// The run failed, or an event cannot be used; also with `-ye`, and with `--bisect` if side B is worse.
    RunFailed = 1,
    /// The run succeeded, but its figures are wrong or unverifiable, with `--strict`. Also: `doctor` found
    /// something worse than a note, `compare` found a `--fail-if` condition, `precondition` never reached
    /// a steady state, or `verify-after` could not verify anything.
    Doubtful = 2,
    /// The command line is empty or wrong, or a profile is unreadable or invalid.
    Usage = 3,
    Corrupt = 4,
    /// A target completed nothing for the time of `--fail-on-outage`.
    Outage = 5,
    /// `verify-after` could not verify all acknowledged writes, because the journal is damaged.
    Incomplete = 6,
    /// `--bisect`: inconclusive.
    Skip = 125,
    /// `--bisect`: the command line is invalid, so each commit would fail.
    Abort = 128,
}

impl Exit {
    pub const ALL: [Exit; 9] = [
        Exit::Success,
        Exit::RunFailed,
        Exit::Doubtful,
        Exit::Usage,
        Exit::Corrupt,
        Exit::Outage,
        Exit::Incomplete,
        Exit::Skip,
        Exit::Abort,
    ];

    pub fn code(self) -> u8 {
        self as u8
    }

    /// The exit code of a failed command for `git bisect run`, which reads all other codes as a judgement.
    pub fn of_failed_bisection(self) -> Exit {
        if self == Exit::Usage { Exit::Abort } else { Exit::Skip }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
