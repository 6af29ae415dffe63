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
//! What a run is asked for, who ends it and who is told how it goes on is the same on every system. Running
//! it is Linux's: elsewhere `elsewhere` says so.

#![forbid(unsafe_code)]
// What the course of a run alone uses of the rest.
#![cfg_attr(windows, allow(dead_code))]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod companions;
mod control;
mod failure;
mod listener;
mod options;
mod outcome;
mod replay;
mod session;

// Runs, which are Linux's.
#[cfg(target_os = "linux")]
pub mod cluster;
#[cfg(target_os = "linux")]
pub mod events;
#[cfg(target_os = "linux")]
mod execute;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
pub mod integrity;
#[cfg(target_os = "linux")]
mod interrupt;
#[cfg(target_os = "linux")]
mod located;
#[cfg(target_os = "linux")]
mod span;
#[cfg(target_os = "linux")]
mod spans;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod tell;
#[cfg(target_os = "linux")]
mod verification;
#[cfg(target_os = "linux")]
mod voice;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod worker;

#[cfg(not(target_os = "linux"))]
mod elsewhere;

pub use companions::{Companions, MeetingPoint};
pub use control::Control;
// Who runs something writes something, too.
pub use diskspd_outlet::{
    FromTheFirstLine, LateFile, Named, Outlet, OutputDoor, OutputError, OutputFault, Patience, Permitted,
    destination,
};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;
pub use events::Events;
pub use listener::{Listener, Nobody, Progress, Speed, Wants};
pub use options::Options;
pub use outcome::Outcome;
pub use replay::{ReplayReady, prepared};
pub use session::{Executed, NotRun, Session};
#[cfg(target_os = "linux")]
pub use {
    execute::{execute, machine_for, surroundings},
    files::content::look as look_at_content,
    files::precreate::resized,
    files::prepare,
    files::purge::{PurgeError, purge},
    interrupt::{watch, watch_silently},
    span::exact,
    span::planning::probe_and_plan,
    span::probes::Probes,
    span::refusals::{claim, cpu_latency_refusal, refusals},
    spans::run,
    tell::live::Counters,
    voice::Voice,
    watch::observe::Observer,
    watch::trace::device::{WatchError, watch_device},
};
