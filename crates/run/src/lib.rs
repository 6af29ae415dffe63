//! The run: a profile on a machine becomes results.
//!
//! ```text
//! first:          files that are created once (PrecreateFiles)
//! per time span:  locate targets ─▶ plan ─▶ prepare files ─▶ workers ─▶ SpanResults
//! ```
//!
//! Between the start signal and the end of a time span nothing is allocated, formatted, locked or logged by
//! a worker.
//!
//! A run is the same on every system, from its plan to its results. What it needs of the system stands in
//! `real`, which is Linux's; on Windows `elsewhere` stands in its place.

#![forbid(unsafe_code)]
// What the course of a run alone uses of the rest.
#![cfg_attr(windows, allow(dead_code))]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

// The same everywhere.
mod companions;
mod control;
pub mod events;
mod execute;
mod failure;
pub mod integrity;
mod interrupt;
mod listener;
mod options;
mod outcome;
mod precreate;
mod replay;
mod session;
mod sources;
mod span;
mod spans;
mod supervise;
mod tell;
mod unobserved;
mod verification;
mod voice;
mod watch;
mod worker;

// What they need of the system.
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod real;

// Linux's.
#[cfg(target_os = "linux")]
pub mod cluster;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod located;

pub use companions::{Companions, MeetingPoint};
pub use control::Control;
// Who runs something writes something, too.
pub use diskspd_outlet::{
    FromTheFirstLine, LateFile, Named, Outlet, OutputDoor, OutputError, OutputFault, Patience, Permitted,
    destination,
};
pub use events::Events;
pub use execute::{execute, machine_for, surroundings};
pub use interrupt::{watch, watch_silently};
pub use listener::{Listener, Nobody, Progress, Speed, Wants};
pub use options::Options;
pub use outcome::Outcome;
pub use precreate::resized;
pub use real::KNOWS_TEMPORARY_FILES;
#[cfg(not(target_os = "linux"))]
pub use real::{
    INSTEAD, NoRunsHere, PurgeError, WatchError, cpu_latency_refusal, purge, refusals, watch_device,
};
pub use replay::{ReplayReady, prepared};
pub use session::{Executed, NotRun, Session};
pub use span::planning::probe_and_plan;
pub use span::probes::Probes;
pub use spans::run;
pub use tell::live::Counters;
pub use voice::Voice;
#[cfg(target_os = "linux")]
pub use {
    files::content::look as look_at_content,
    files::prepare,
    files::purge::{PurgeError, purge},
    span::exact,
    span::refusals::{claim, cpu_latency_refusal, refusals},
    watch::observe::Observer,
    watch::trace::device::{WatchError, watch_device},
};
