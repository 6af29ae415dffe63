//! Types and functions for programs that run profiles and read the results.
//!
//! [`execute`] is the whole of a run. It takes a [`Profile`] (the work), a [`RunOptions`] (the manner) and
//! a [`Session`] (overwrite permissions, listener), and returns a [`Record`]. It prints nothing and
//! watches no signals: the session's [`RunObserver`] receives messages for the user, and the session's
//! [`Control`] ends the run early. [`JudgedRecord`] has every figure of the reports, and judges its
//! credibility.
//!
//! ```
//! use diskspd::prelude::*;
//!
//! let target = Target { path: "a target".into(), file_size: Some(1 << 30), ..Target::default() };
//! let span = TimeSpan { targets: vec![target], duration: 1, warmup: 0, ..TimeSpan::default() };
//! let profile = Profile { time_spans: vec![span], ..Profile::default() };
//! // A simulated device: no file is opened, and the figures are the same on every machine.
//! let run_options = RunOptions { engine: Some(EngineKind::Sim), ..RunOptions::default() };
//! let executed = execute(&profile, &run_options, &Session::default())?;
//! let judged = JudgedRecord::new(&executed.record);
//! let measured = judged.summary.time_spans[0].as_ref().expect("it was measured to its end");
//! assert!(measured.total.total.throughput.iops > 1000.0);
//! // The record is stored as JSON, and can be run again: it holds profile and run options.
//! let stored = diskspd::formats::json::bytes(&executed.record);
//! assert_eq!(diskspd::formats::json::read(&stored)?.run_options, Some(run_options));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub use crate::checks::{JudgedRecord, Judgement};
pub use crate::engines::EngineKind;
pub use crate::finding::{Finding, FindingLocation, Severity};
pub use crate::profile::{Arrivals, Prefill, Profile, RateTotal, RawText, RunOptions, Target, TimeSpan};
pub use crate::results::{Record, Results, Summary};
pub use crate::run::{
    Control, ExecutedRun, NullObserver, Options, Progress, RunError, RunObserver, Session, Speed,
    Subscriptions, execute,
};
