//! Conversion of fio job files to profiles: parsed (`ini`), interpreted by the table of fio's options
//! (`options`), and combined (`spans`). Differences are reported, and unsupported options are refused, so
//! no option is silently different. Files are not opened here; external information comes from
//! [`HostContext`].

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod access;
mod command_line;
mod concurrent_jobs;
mod each;
mod ends;
mod error;
mod files;
mod ini;
mod job;
mod named_job;
mod number;
pub mod options;
mod pace;
mod random;
mod run_settings;
mod settings;
mod shape;
mod sizes;
mod span_end;
mod spans;
mod surroundings;
mod table;
mod target;
mod zoned;

pub use command_line::{job_files, option_of_word};
pub use error::{ConversionError, ConversionErrorKind, ConversionNote, JobLocation};
pub use ini::MAX_BYTES;
pub use surroundings::{Existing, HostContext, Keyword};
pub use table::{engines_table, options_table};

use command_line::FioLine;
use diskspd_profile::{Profile, RunOptions};
use error::Notes;
use ini::JobSection;
use job::RequestedJob;
use named_job::NamedJob;
use settings::{GlobalSettings, JobSettings};
use shape::JobDirection;
use std::cell::Cell;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedJob {
    pub profile: Profile,
    pub run_options: RunOptions,
    pub notes: Vec<ConversionNote>,
}

/// Converts the text of a job file; `file` is its name, for messages.
///
/// # Errors
/// Fails with all unsupported settings in the order of the file.
pub fn convert(
    text: &[u8],
    file: &str,
    around: &dyn HostContext,
) -> Result<ConvertedJob, Vec<ConversionError>> {
    let mut faults = Vec::new();
    let sections = ini::sections(text, file, around, &mut faults);
    let place = JobLocation { file: file.to_owned(), ..JobLocation::default() };
    let read = ReadSections { sections, faults, notes: Notes::default(), reads_only: false };
    read.convert(&place, "a job begins with its name: [name]", around)
}

/// Converts the words of a command line of fio, without `fio` itself. Job files among them are read.
///
/// # Errors
/// As [`convert`]; also fails if a job file cannot be read.
pub fn convert_command_line(
    words: &[String],
    around: &dyn HostContext,
) -> Result<ConvertedJob, Vec<ConversionError>> {
    let mut faults = Vec::new();
    let mut line = FioLine::read(words, &mut faults);
    let mut notes = Notes::default();
    for (option, what) in line.apply_own(&mut faults) {
        notes.add_note("all jobs", option, what);
    }
    let sections = ini::sections_of_line(&line.sections(), around, &mut faults);
    let read = ReadSections { sections, faults, notes, reads_only: line.reads_only };
    read.convert(&line.place, "a job begins with --name=NAME; job files have theirs", around)
}

/// Sections, with the errors and notes of their syntax.
struct ReadSections {
    sections: Vec<JobSection>,
    faults: Vec<ConversionError>,
    notes: Notes,
    reads_only: bool,
}

impl ReadSections {
    /// `how` = syntax of a job, for an error without jobs.
    fn convert(
        mut self,
        place: &JobLocation,
        how: &str,
        around: &dyn HostContext,
    ) -> Result<ConvertedJob, Vec<ConversionError>> {
        if self.sections.iter().all(|section| section.is_global) && self.faults.is_empty() {
            self.faults.push(ConversionError::syntax(place, "there is no job").hint(how));
        }
        let (faults, notes) = (Cell::new(self.faults), Cell::new(self.notes));
        let (mut global, mut jobs, mut file) = (GlobalSettings::default(), Vec::new(), 0);
        for section in &self.sections {
            if section.file != file {
                (global, file) = (GlobalSettings::default(), section.file);
            }
            if section.is_global {
                global.add(section);
                continue;
            }
            let settings = JobSettings::from_sections(section, &global, &faults, &notes);
            if let Some(job) = RequestedJob::from_settings(&settings, around) {
                if self.reads_only && job.shape.way != JobDirection::Read {
                    settings.refuse("rw", "--readonly permits no writes", "leave out --readonly");
                }
                jobs.push(NamedJob { settings, job });
            }
        }
        let so_far = faults.take();
        let is_sound = so_far.is_empty();
        faults.set(so_far);
        let made = if is_sound { spans::converted(&jobs, around) } else { None };
        let faults = unique_faults(faults.take());
        match made.filter(|_| faults.is_empty()) {
            Some((profile, run_options)) => Ok(ConvertedJob { profile, run_options, notes: notes.take().0 }),
            None => Err(faults),
        }
    }
}

fn unique_faults(faults: Vec<ConversionError>) -> Vec<ConversionError> {
    let mut told = std::collections::HashSet::new();
    let what =
        |fault: &ConversionError| (fault.place.file.clone(), fault.place.line, fault.problem.to_string());
    faults.into_iter().filter(|fault| told.insert(what(fault))).collect()
}
