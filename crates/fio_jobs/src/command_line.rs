//! fio's command line as sections of a job file: options before the first `--name` are global, each `--name`
//! begins a job, and other words are job files.

use super::error::{ConversionError, JobLocation};
use super::ini::{JobSection, JobSetting, LineSections, MAX_NAME_BYTES};
use super::options::{self, FioForm, FioKind, FioOption};

/// Parts of a fio command line.
pub(super) struct FioLine {
    pub(super) place: JobLocation,
    sections: Vec<JobSection>,
    files: Vec<String>,
    /// Names of the selected jobs (`--section`); empty = all.
    only: Vec<String>,
    pub(super) reads_only: bool,
    /// Settings of options that only exist on a command line.
    own: Vec<(&'static FioOption, JobSetting)>,
}

/// The option of fio that a word of a command line names, with one or two dashes as fio accepts them, and
/// whether the next word is its value.
pub fn option_of_word(word: &str, next: Option<&str>) -> Option<bool> {
    let (name, value) = split(word)?;
    let row = options::find(name).or_else(|| options::find_of_command_line(name))?;
    Some(value.is_none() && takes_next(row, next))
}

/// Returns the job files among the words of a command line.
pub fn job_files(words: &[String]) -> Vec<String> {
    FioLine::read(words, &mut Vec::new()).files
}

/// The name and the attached value of an option; `None` = the word is not an option.
fn split(word: &str) -> Option<(&str, Option<&str>)> {
    let text = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).filter(|text| !text.is_empty())?;
    Some(text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value))))
}

/// Whether the next word is the value; a switch only takes a digit.
fn takes_next(row: &FioOption, next: Option<&str>) -> bool {
    match row.form {
        FioForm::Switch => matches!(next, Some("0" | "1")),
        _ => next.is_some_and(|next| !next.starts_with('-')),
    }
}

impl FioLine {
    pub(super) fn read(words: &[String], faults: &mut Vec<ConversionError>) -> FioLine {
        let place = JobLocation { file: "fio's command line".to_owned(), ..JobLocation::default() };
        let (sections, files, only, own) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut line = FioLine { place, sections, files, only, reads_only: false, own };
        let mut rest = words.iter().map(String::as_str).peekable();
        while let Some(word) = rest.next() {
            let Some((name, attached)) = split(word) else {
                line.files.push(word.to_owned());
                continue;
            };
            let row = options::find(name).or_else(|| options::find_of_command_line(name));
            let takes = |row: &FioOption| attached.is_none() && takes_next(row, rest.peek().copied());
            let next = if row.is_some_and(takes) { rest.next() } else { None };
            line.add(name, attached.or(next), faults);
        }
        line
    }

    pub(super) fn sections(&self) -> LineSections<'_> {
        let FioLine { place, sections, files, only, .. } = self;
        LineSections { place, sections, files, only }
    }

    fn add(&mut self, name: &str, value: Option<&str>, faults: &mut Vec<ConversionError>) {
        if name == "name" {
            return self.begin(value.unwrap_or_default(), faults);
        }
        let place = self.sections.last().map_or(&self.place, |section| &section.place).clone();
        let setting = JobSetting { name: name.to_owned(), value: value.map(str::to_owned), place };
        if let Some(row) = options::find_of_command_line(name) {
            self.own.push((row, setting));
            return;
        }
        if self.sections.is_empty() {
            self.push("global", true);
        }
        self.sections.last_mut().into_iter().for_each(|section| section.settings.push(setting.clone()));
    }

    fn begin(&mut self, name: &str, faults: &mut Vec<ConversionError>) {
        match name.len() {
            1..=MAX_NAME_BYTES => self.push(name, name.starts_with("global")),
            _ => {
                let fault = ConversionError::syntax(&self.place, "--name: a job's name has 1 to 255 bytes");
                faults.push(fault.hint("give the job a name: --name=job"));
            }
        }
    }

    fn push(&mut self, name: &str, is_global: bool) {
        let section = if is_global { String::new() } else { name.to_owned() };
        let place = JobLocation { section, ..self.place.clone() };
        self.sections.push(JobSection {
            name: name.to_owned(),
            is_global,
            place,
            settings: Vec::new(),
            file: 0,
        });
    }

    /// Applies the options that only exist on a command line. Returns notes with their options.
    pub(super) fn apply_own(
        &mut self,
        faults: &mut Vec<ConversionError>,
    ) -> Vec<(&'static str, &'static str)> {
        let mut notes = Vec::new();
        for (row, setting) in std::mem::take(&mut self.own) {
            let value = setting.value.as_deref();
            match (row.kind, row.name) {
                (FioKind::Same, "section") => match value {
                    Some(name) => self.only.push(name.to_owned()),
                    None => {
                        let fault = ConversionError::syntax(&self.place, "--section: the value is missing");
                        faults.push(fault.hint("name a job: --section=NAME"));
                    }
                },
                (FioKind::Same, _) => self.reads_only = value != Some("0"),
                (FioKind::Near(what), name) => notes.push((name, what)),
                (FioKind::Refused { reason, remedy }, _) if !row.harmless.contains(&value.unwrap_or("1")) => {
                    faults.push(
                        ConversionError::refuse_option(&self.place, setting.quoted_line(), reason)
                            .hint(remedy),
                    );
                }
                (FioKind::Refused { .. }, _) => {}
            }
        }
        notes
    }
}
