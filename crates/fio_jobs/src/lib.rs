//! fio's job files, converted into profiles: read (`ini`), understood by the table of fio's options
//! (`options`), and put together (`spans`). What is done in another way is told, and what can't be done is
//! refused: nothing is silently different. Files aren't opened here; what has to be asked for is asked of
//! [`JobSurroundings`].

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod access;
mod beside;
mod each;
mod ends;
mod fault;
mod files;
mod ini;
mod job;
mod named_job;
mod number;
mod of_run;
pub mod options;
mod pace;
mod random;
mod settings;
mod shape;
mod sizes;
mod span_end;
mod spans;
mod surroundings;
mod table;
mod target;
mod zoned;

pub use fault::{JobFault, JobPlace, JobProblem, Note};
pub use ini::MAX_BYTES;
pub use surroundings::{Existing, JobSurroundings, Keyword};
pub use table::{engines_table, options_table};

use diskspd_model::profile::{Profile, RunOptions};
use fault::Notes;
use job::AskedJob;
use named_job::NamedJob;
use settings::{GlobalSettings, JobSettings};
use std::cell::Cell;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    pub profile: Profile,
    pub run_options: RunOptions,
    pub notes: Vec<Note>,
}

/// Converts the text of a job file; `file` is its name, for messages.
///
/// # Errors
/// Everything in it that can't be done, in the order of the file.
pub fn convert(text: &[u8], file: &str, around: &dyn JobSurroundings) -> Result<Converted, Vec<JobFault>> {
    let mut read = Vec::new();
    let sections = ini::sections(text, file, around, &mut read);
    if sections.iter().all(|section| section.is_global) && read.is_empty() {
        let place = JobPlace { file: file.to_owned(), ..JobPlace::default() };
        read.push(JobFault::syntax(&place, "there is no job").hint("a job begins with its name: [name]"));
    }
    let (faults, notes) = (Cell::new(read), Cell::new(Notes::default()));
    let (mut global, mut jobs) = (GlobalSettings::default(), Vec::new());
    for section in &sections {
        if section.is_global {
            global.add(section);
            continue;
        }
        let settings = JobSettings::from_sections(section, &global, &faults, &notes);
        if let Some(job) = AskedJob::from_settings(&settings, around) {
            jobs.push(NamedJob { settings, job });
        }
    }
    let so_far = faults.take();
    let is_sound = so_far.is_empty();
    faults.set(so_far);
    let made = if is_sound { spans::converted(&jobs, around) } else { None };
    let faults = unique_faults(faults.take());
    match made.filter(|_| faults.is_empty()) {
        Some((profile, run_options)) => Ok(Converted { profile, run_options, notes: notes.take().0 }),
        None => Err(faults),
    }
}

/// The faults, those of a global section once.
fn unique_faults(faults: Vec<JobFault>) -> Vec<JobFault> {
    let mut told = std::collections::HashSet::new();
    let what = |fault: &JobFault| (fault.place.file.clone(), fault.place.line, fault.problem.to_string());
    faults.into_iter().filter(|fault| told.insert(what(fault))).collect()
}
