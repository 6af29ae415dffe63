//! The run: a profile on a machine becomes results.
//!
//! ```text
//! first:          files that are created once (PrecreateFiles)
//! per time span:  locate targets ─▶ plan ─▶ prepare files ─▶ workers ─▶ SpanResults
//! ```
//!
//! `diskspd-worker` contains the work of the workers, `diskspd-integrity` their verification.
//!
//! A run is the same on every system, from its plan to its results. `services` provides the interface to
//! Linux, `windows` to Windows.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// What the course of a run alone uses of the rest.
#![cfg_attr(windows, allow(dead_code))]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

// The same everywhere.
pub mod events;
mod execute;
mod interrupt;
mod options;
mod own_targets;
mod peer_ranks;
mod precreate;
mod replay;
mod session;
mod sources;
mod span;
mod spans;
mod supervise;
mod unobserved;
mod verification;
mod watch;

// Their system-specific parts, and the exported ones.
#[cfg_attr(not(target_os = "linux"), path = "windows/exports.rs")]
mod exports;
#[cfg_attr(not(target_os = "linux"), path = "windows/services.rs")]
mod services;

// Linux's.
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod judged;
#[cfg(target_os = "linux")]
mod located;

pub use peer_ranks::{BarrierPoint, PeerRanks};
// Who runs something writes something, too.
pub use diskspd_output::{
    HangGuard, LateWriter, NamedOutput, Outlet, OutputError, OutputErrorKind, OutputPolicy, OwnFiles,
    PermittedOutput, StreamedFile, destination, guard,
};
pub use diskspd_worker::listener::{
    HostSpeed, HostState, MachineSpeed, NullObserver, Progress, RunObserver, Speed, Subscriptions,
    TargetSpeed,
};
pub use diskspd_worker::telemetry::live::Counters;
pub use diskspd_worker::{Control, Outcome, RunReporter};
pub use events::Events;
pub use execute::{execute, machine_for, surroundings};
pub use exports::*;
pub use interrupt::{watch, watch_silently};
pub use options::Options;
pub use precreate::{File as FileToCreate, PrecreateError, resized};
pub use replay::{ReplayReady, prepared};
pub use services::{KNOWS_TEMPORARY_FILES, lack_of_space};
pub use session::{ExecutedRun, RunError, Session};
pub use span::planning::probe_and_plan;
pub use span::probes::Probes;
pub use spans::run;
