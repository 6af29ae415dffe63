//! The form of a job file: sections with their settings, comments, files that are included, variables of the
//! environment, and words for the machine's sizes.

use super::error::{ConversionError, ConversionErrorKind, JobLocation};
use super::number;
use super::surroundings::{HostContext, Keyword};
use diskspd_base::limits;

/// Line of a section: an option with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobSetting {
    /// Option as given.
    pub(super) name: String,
    pub(super) value: Option<String>,
    pub(super) place: JobLocation,
}

impl JobSetting {
    pub(super) fn quoted_line(&self) -> String {
        self.value.as_ref().map_or(self.name.clone(), |value| format!("{}={value}", self.name))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobSection {
    pub(super) name: String,
    pub(super) is_global: bool,
    pub(super) place: JobLocation,
    pub(super) settings: Vec<JobSetting>,
    /// Zero-based index of the job file on a command line; global settings end with their file.
    pub(super) file: usize,
}

/// Maximum length of a text in bytes.
pub const MAX_BYTES: u64 = limits::FIO_JOBS.bytes;
/// Maximum depth of included files.
const MAX_INCLUDE_DEPTH: usize = 16;
/// Maximum number of inclusions; repeated files count each time.
const MAX_INCLUDES: usize = 1_000;
/// Maximum lines of all files together, because inclusions can repeat.
const MAX_LINES: usize = 100_000;
/// Maximum bytes of all files together.
const MAX_TEXT_BYTES: usize = 16 << 20;
/// Maximum number of jobs in a file, as in fio (`REAL_MAX_JOBS` in its `fio.h`).
const MAX_JOBS: usize = 4096;
const JOB_LIMIT_TEXT: &str = "more than 4,096 jobs, the limit of fio, too";
/// Maximum bytes of a section's name. It is part of a file name, and fio truncates it here.
pub(super) const MAX_NAME_BYTES: usize = 255;

pub(super) fn sections(
    text: &[u8],
    file: &str,
    around: &dyn HostContext,
    faults: &mut Vec<ConversionError>,
) -> Vec<JobSection> {
    let mut reader = JobReader::new(around, faults);
    reader.read(text, file, 0);
    reader.sections
}

/// Sections of a command line, with the parts that add or select sections.
pub(super) struct LineSections<'a> {
    pub(super) place: &'a JobLocation,
    pub(super) sections: &'a [JobSection],
    pub(super) files: &'a [String],
    /// Names of the selected jobs; empty = all.
    pub(super) only: &'a [String],
}

/// Reads the sections of a command line: first its own sections, then the sections of its job files. As in
/// fio, the first job of each file except the first file waits for all jobs before it.
pub(super) fn sections_of_line(
    line: &LineSections,
    around: &dyn HostContext,
    faults: &mut Vec<ConversionError>,
) -> Vec<JobSection> {
    let mut reader = JobReader::new(around, faults);
    reader.jobs = line.sections.iter().filter(|section| !section.is_global).count();
    if reader.jobs > MAX_JOBS {
        reader.is_too_much(line.place, JOB_LIMIT_TEXT);
    }
    reader.sections = line.sections.to_vec();
    let is_wanted = |name: &String| line.only.is_empty() || line.only.contains(name);
    for (number, file) in line.files.iter().enumerate() {
        reader.file = number;
        let known = reader.sections.len();
        match reader.around.job_file(file) {
            Ok(text) => reader.read(&text, file, 0),
            Err(error) => {
                let problem = ConversionErrorKind::JobFile { name: file.clone(), error };
                reader.faults.push(ConversionError { place: line.place.clone(), problem, remedy: None });
            }
        }
        let mut jobs = reader.sections[known..].iter_mut().filter(|section| !section.is_global);
        let first = jobs.find(|section| is_wanted(&section.name));
        if let Some(first) = first.filter(|_| number > 0) {
            let place = first.place.clone();
            first.settings.push(JobSetting { name: "stonewall".to_owned(), value: None, place });
        }
        if reader.is_over {
            break;
        }
    }
    reader.sections.retain(|section| section.is_global || is_wanted(&section.name));
    reader.sections
}

struct JobReader<'a> {
    around: &'a dyn HostContext,
    faults: &'a mut Vec<ConversionError>,
    sections: Vec<JobSection>,
    /// Whether a section of the current file has begun.
    is_open: bool,
    file: usize,
    lines: usize,
    bytes: usize,
    includes: usize,
    jobs: usize,
    is_over: bool,
}

impl<'a> JobReader<'a> {
    fn new(around: &'a dyn HostContext, faults: &'a mut Vec<ConversionError>) -> JobReader<'a> {
        let (sections, is_open, is_over) = (Vec::new(), false, false);
        let (file, lines, bytes, includes, jobs) = (0, 0, 0, 0, 0);
        JobReader { around, faults, sections, is_open, file, lines, bytes, includes, jobs, is_over }
    }

    fn read(&mut self, text: &[u8], file: &str, depth: usize) {
        self.is_open &= depth > 0;
        let section = self.sections.last().filter(|_| self.is_open);
        let section = section.map_or(String::new(), |section| section.name.clone());
        let is_secret = depth > 0 || self.around.is_secret();
        let mut place = JobLocation { file: file.to_owned(), line: 0, section, is_secret };
        let Ok(text) = std::str::from_utf8(text) else {
            let what = "this is not UTF-8 text, so it is not a job file";
            return self.faults.push(ConversionError::syntax(&place, what));
        };
        for line in text.trim_start_matches('\u{feff}').lines() {
            place.line += 1;
            (self.lines, self.bytes) = (self.lines + 1, self.bytes + line.len());
            if self.lines > MAX_LINES {
                self.is_too_much(&place, "the file has more than 100,000 lines");
            } else if self.bytes > MAX_TEXT_BYTES {
                self.is_too_much(&place, "all files together have more than 16 MiB");
            } else {
                self.read_line(without_comment(line), &mut place, depth);
            }
            if self.is_over {
                return;
            }
        }
    }

    fn is_too_much(&mut self, place: &JobLocation, what: &str) {
        self.faults.push(ConversionError::syntax(place, what));
        self.is_over = true;
    }

    fn read_line(&mut self, line: &str, place: &mut JobLocation, depth: usize) {
        if line.is_empty() {
            return;
        }
        if let Some(name) = line.strip_prefix('[') {
            return self.begin_section(name, place, depth);
        }
        if let Some(name) = line.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
            return self.include_file(name.trim(), place, depth);
        }
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim_end(), Some(value.trim())),
            None => (line, None),
        };
        let before = self.faults.len();
        let value = value.map(|value| self.expand_value(value, place));
        if self.faults.len() > before {
            return;
        }
        let setting = JobSetting { name: name.to_owned(), value, place: place.clone() };
        match self.sections.last_mut().filter(|_| self.is_open) {
            Some(section) => section.settings.push(setting),
            None => {
                let line = if place.is_secret { String::new() } else { format!("{line}: ") };
                let fault = ConversionError::syntax(place, format!("{line}an option before any section"));
                self.faults.push(fault.hint("put it after [global], or after the [name] of a job"));
            }
        }
    }

    fn begin_section(&mut self, rest: &str, place: &mut JobLocation, depth: usize) {
        if depth > 0 {
            return self
                .faults
                .push(ConversionError::syntax(place, "an included file cannot begin a section"));
        }
        let name = rest.strip_suffix(']').unwrap_or(rest).to_owned();
        if name.len() == rest.len() {
            self.faults.push(ConversionError::syntax(place, "the section's name has no ] after it"));
        }
        if name.len() > MAX_NAME_BYTES {
            self.is_too_much(place, "the section's name is longer than 255 bytes");
            return;
        }
        place.section.clone_from(&name);
        let is_global = name.starts_with("global");
        self.jobs += usize::from(!is_global);
        if self.jobs > MAX_JOBS {
            return self.is_too_much(place, JOB_LIMIT_TEXT);
        }
        self.is_open = true;
        let (place, settings, file) = (place.clone(), Vec::new(), self.file);
        self.sections.push(JobSection { name, is_global, place, settings, file });
    }

    fn include_file(&mut self, name: &str, place: &JobLocation, depth: usize) {
        if depth >= MAX_INCLUDE_DEPTH || !self.is_open {
            let what = match !self.is_open {
                true => "include: it is before any section",
                false => "include: files include each other more than 16 times deep",
            };
            return self.faults.push(ConversionError::syntax(place, what));
        }
        let name = self.expand_value(name, place);
        self.includes += 1;
        if self.includes > MAX_INCLUDES {
            return self.is_too_much(place, "include: more than 1,000 files are included");
        }
        match self.around.included(&name) {
            Ok(text) => self.read(&text, &name, depth + 1),
            Err(error) => {
                let problem = ConversionErrorKind::Include { name, error };
                let remedy = Some("names are relative to the folder of the job file".to_owned());
                self.faults.push(ConversionError { place: place.clone(), problem, remedy });
            }
        }
    }

    fn expand_value(&mut self, value: &str, place: &JobLocation) -> String {
        let mut made = String::new();
        let mut rest = value;
        while let Some((before, behind)) = rest.split_once("${") {
            let Some((name, behind)) = behind.split_once('}') else { break };
            made += before;
            rest = behind;
            match self.around.variable(name) {
                Some(text) => made += &text,
                None => {
                    let problem = ConversionErrorKind::Variable(name.to_owned());
                    let remedy = Some(format!("set it: {name}=VALUE diskspd .."));
                    self.faults.push(ConversionError { place: place.clone(), problem, remedy });
                }
            }
        }
        made += rest;
        self.with_keywords(made, place)
    }

    fn with_keywords(&mut self, mut value: String, place: &JobLocation) -> String {
        let mut found = false;
        for (word, keyword) in
            Keyword::ALL.iter().filter(|(word, _)| value.contains(word)).collect::<Vec<_>>()
        {
            match self.around.keyword(*keyword) {
                Some(number) => value = value.replace(word, &number.to_string()),
                None => self
                    .faults
                    .push(ConversionError::syntax(place, format!("{word}: unknown on this machine"))),
            }
            found = true;
        }
        match number::computed(&value, 1024) {
            Ok(number) if found && value.contains(['+', '-', '*', '/']) => number.to_string(),
            _ => value,
        }
    }
}

/// A line without its comment, and blanks around it. fio ends a line at any `;` or `#`.
fn without_comment(line: &str) -> &str {
    let end = line.find([';', '#']).unwrap_or(line.len());
    line[..end].trim()
}
