//! The visible output of a run in progress. Verbose lines and dots go to standard output as in DISKSPD,
//! unless it is for another program. Notices and the live line go to standard error. It also writes the
//! lines of `--stream`.

mod chart;
pub(crate) mod display;
pub(crate) mod end_of_run;
mod fit;
mod host_rows;
mod live;
pub(crate) mod live_series;
mod live_text;
pub(crate) mod next_step;

use super::output::{self, OutFile};
use crate::checks::JudgedRecord;
use crate::commands::shared::output::stream::Stream;
use crate::commands::shared::runs::message_filter;
use crate::finding::{Finding, Printed, Severity};
use crate::results::{IntervalFigures, JobInterval, Record};
use crate::run::{Progress, RunObserver, Subscriptions};
use crate::sys::mutex::LockUnpoisoned;
use crate::sys::standard_error::{self, print_line};
use crate::sys::standard_output;
use display::Display;
use std::sync::{Arc, Mutex};

/// The terminal and the output files. Write errors are ignored, except for the stream and files; the
/// report itself is not written here.
#[derive(Debug)]
pub(crate) struct Console {
    manner: OutputManner,
    display: Arc<Display>,
    stream: Mutex<Option<Stream>>,
    files: Arc<Vec<OutFile>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct OutputManner {
    pub verbose: bool,
    pub quiet: bool,
    pub document: bool,
}

impl Console {
    /// Creates the console with the output `stream`, and `files` for intermediate results.
    pub(crate) fn new(
        manner: OutputManner,
        display: Arc<Display>,
        stream: Option<Stream>,
        files: Arc<Vec<OutFile>>,
    ) -> Console {
        Console { manner, display, stream: Mutex::new(stream), files }
    }

    fn with_the_stream<T>(&self, act: impl FnOnce(&mut Stream) -> T) -> Option<T> {
        self.stream.lock_anyway().as_mut().map(act)
    }

    /// Prints text on the stream that does not contain a document.
    fn put_text(&self, text: &str) {
        match self.manner.document {
            true => standard_error::write(text),
            false => standard_output::write(text),
        }
    }
}

impl RunObserver for Console {
    fn wants(&self) -> Subscriptions {
        Subscriptions {
            steps: self.manner.verbose,
            intervals: self.with_the_stream(|_| ()).is_some(),
            ..self.display.wants()
        }
    }

    fn notice(&self, notice: &Finding) {
        self.progress_ends();
        match notice.severity {
            severity if !message_filter::is_reported(severity, self.manner.quiet) => {}
            // Notes are printed as sentences, between the steps of the run.
            Severity::Note => print_line(&notice.message),
            // The time span is the one that goes on.
            _ => print_line(Printed { place: None, ..notice.printed() }),
        }
    }

    fn step(&self, text: &str) {
        self.progress_ends();
        let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S");
        self.put_text(&format!("{now}: {text}\n"));
    }

    fn dots(&self, count: u32) {
        self.put_text(&".".repeat(count as usize));
    }

    fn time_span_begins(&self, number: usize) {
        self.with_the_stream(|stream| stream.begin_span(number));
    }

    fn progress(&self, progress: &Progress) {
        self.display.progress(progress);
    }

    fn marks(&self) -> u32 {
        self.display.marks()
    }

    fn progress_ends(&self) {
        self.display.clear();
    }

    fn interval(&self, figures: &IntervalFigures) {
        self.with_the_stream(|stream| stream.send(figures));
    }

    fn job_interval(&self, interval: &JobInterval) {
        self.with_the_stream(|stream| stream.send_job(interval));
    }

    fn time_span_ended(&self, so_far: &Record) {
        let files: Vec<&OutFile> = self.files.iter().filter(|file| file.is_replaceable()).collect();
        if !files.is_empty() {
            output::save_all(files, &JudgedRecord::new(so_far));
        }
    }

    fn run_ended(&self) -> Option<String> {
        let stream = self.stream.lock_anyway().take();
        let found = stream?.finish()?;
        if found.severity == Severity::Error {
            return Some(found.message);
        }
        self.notice(&found);
        None
    }
}
