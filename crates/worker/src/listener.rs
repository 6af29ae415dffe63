//! Who is told how a run goes on. The run itself prints nothing.

use diskspd_model::finding::Finding;
use diskspd_model::results::{IntervalFigures, Record};
use diskspd_model::units::Millis;
use diskspd_sys::clock::Nanos;

/// Somebody who wants to know how a run goes on: a terminal, a stream of lines, a page, another host.
/// Whether anybody listens is no concern of the measurement: nothing here may fail, and nothing may take
/// long.
pub trait Listener: Send + Sync {
    /// What has to be counted or put into words for it. What nobody wants costs nothing.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// Something that whoever reads the figures should know.
    fn notice(&self, _: &Finding) {}

    /// What the run does now, in a few words ([`Wants::steps`]).
    fn step(&self, _: &str) {}

    /// So many times more the number of I/Os that `-P` names has been done.
    fn dots(&self, _: u32) {}

    /// A time span begins, numbered from 1.
    fn time_span_begins(&self, _: usize) {}

    /// How far it is, about once a second ([`Wants::progress`]).
    fn progress(&self, _: &Progress) {}

    /// What [`Listener::progress`] told last is over.
    fn progress_ends(&self) {}

    /// The figures of an interval of the measured time ([`Wants::intervals`]).
    fn interval(&self, _: &IntervalFigures) {}

    /// A time span has ended and another follows: what is known so far. Those to come have no figures in it.
    fn time_span_ended(&self, _: &Record) {}

    /// The run is over. What couldn't be passed on is returned, as a message; the run then counts as failed.
    fn run_ended(&self) -> Option<String> {
        None
    }
}

/// What a listener wants to be told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wants {
    /// Each step of the run.
    pub steps: bool,
    /// How far it is.
    pub progress: bool,
    /// The figures of each interval.
    pub intervals: bool,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress<'a> {
    /// A file is written.
    Preparing {
        /// The file, or how many there are.
        name: &'a str,
        /// Bytes that are written.
        done_bytes: u64,
        /// Bytes that are to be written in all.
        total_bytes: u64,
    },
    /// I/O runs.
    Running {
        /// Warm-up, measured time or cool-down, in words.
        phase: &'a str,
        /// Until it ends.
        left_ns: Nanos,
        /// Since the last time; `None` = that was just now.
        rates: Option<Speed>,
    },
}

/// What was done since progress was told last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean and 99th percentile, within 1 %; `None` = none were measured.
    pub latency: Option<(Millis, Millis)>,
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Listener for Nobody {}
