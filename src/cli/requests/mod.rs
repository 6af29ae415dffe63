//! Requests: parsed command lines. The parser creates them, the actions of the commands execute them. Each
//! is in the folder of its command.

#[path = "../../commands/compare/baseline/request.rs"]
mod baseline;
#[path = "../../commands/compare/request.rs"]
mod compare;
#[path = "../../commands/read/convert/request.rs"]
mod convert;
#[path = "../../commands/machine/event/request.rs"]
mod event;
#[path = "../../commands/history/request.rs"]
mod history;
#[path = "../../commands/cluster/hosts/request.rs"]
mod hosts;
#[path = "../../commands/run/judge/request.rs"]
mod judge;
#[path = "../../commands/read/merge/request.rs"]
mod merge;
#[path = "../../commands/experiments/precondition/request.rs"]
mod precondition;
#[path = "../../commands/read/preset/request.rs"]
mod preset;
#[path = "../../commands/read/report/request.rs"]
mod report;
#[path = "../../commands/run/request.rs"]
mod run;
#[path = "../../commands/experiments/suite/request.rs"]
mod suite;
#[path = "../../commands/experiments/sweep/request.rs"]
mod sweep;
#[path = "../../commands/read/man/request.rs"]
mod texts;
#[path = "../../commands/read/trace/request.rs"]
mod trace;
#[path = "../../commands/run/verify_after/request.rs"]
mod verify_after;

pub use baseline::{BaselineAction, BaselineCheck, BaselineRequest};
pub use compare::{AnswerOutput, BootPlan, CompareRequest, FailIf, Interleaved, SideCommand};
pub use convert::{ConvertRequest, ConvertSource};
pub use event::EventAction;
pub use history::{ExportForm, HistoryAction, HistoryRequest};
pub use hosts::{HostsRequest, HostsStart};
pub use judge::JudgeRequest;
pub use merge::MergeRequest;
pub use precondition::PreconditionRequest;
pub use preset::PresetRequest;
pub use report::{ReportRequest, TableForm};
pub use run::{
    OutRequest, Overrides, ProfileFile, ProfileForm, RunRequest, SaveRequest, StreamDestination,
    StreamRequest,
};
pub use suite::{RoundsRequest, SuiteAction, SuiteRequest};
pub use sweep::SweepRequest;
pub use texts::Shell;
pub use trace::{TraceRequest, TracedSource};
pub use verify_after::{Journals, VerifyAfterRequest};
