//! The settings of one job: its own behind those of the global sections before it, each option once, read by
//! the form that its row states.

use super::fault::{JobFault, JobPlace, JobProblem, Notes};
use super::ini::{JobSection, JobSetting};
use super::number::{self, FioSize, NoNumber};
use super::options::{self, FioForm, FioKind, FioOption};
use diskspd_model::units::near::nearest;
use std::cell::Cell;
use std::ops::RangeInclusive;

/// What holds for a job, with what was found wrong and what differs while it is read.
pub(super) struct JobSettings<'a> {
    /// The job's name.
    pub(super) job: String,
    /// Where it begins.
    pub(super) place: JobPlace,
    /// Each option once, in the order of what was given last.
    given: Vec<(&'static FioOption, JobSetting)>,
    /// What k stands for.
    kb_base: u64,
    faults: &'a Cell<Vec<JobFault>>,
    notes: &'a Cell<Notes>,
}

impl<'a> JobSettings<'a> {
    /// Those of a section, with `global` before its own.
    pub(super) fn of(
        section: &JobSection,
        global: &[JobSetting],
        faults: &'a Cell<Vec<JobFault>>,
        notes: &'a Cell<Notes>,
    ) -> JobSettings<'a> {
        let mut settings = JobSettings {
            job: section.name.clone(),
            place: section.place.clone(),
            given: Vec::new(),
            kb_base: 1024,
            faults,
            notes,
        };
        let all: Vec<&JobSetting> = global.iter().chain(&section.settings).collect();
        let engine = all.iter().rfind(|setting| setting.name == "ioengine");
        let engine = engine.and_then(|setting| setting.value.as_deref()).unwrap_or_default();
        // Options of an engine that is refused are the engine's own.
        let of_engine = !matches!(
            options::engine(engine),
            Some(options::EngineRule::Is(_) | options::EngineRule::Near(..)) | None
        );
        for setting in all {
            match options::find(&setting.name) {
                Some(row) => {
                    settings.given.retain(|(known, _)| known.name != row.name);
                    settings.given.push((row, setting.clone()));
                }
                None if of_engine => {}
                None => settings.unknown(setting),
            }
        }
        if settings.number("kb_base", 1000..=1024) == Some(1000) {
            settings.kb_base = 1000;
        }
        settings.judge();
        settings
    }

    fn unknown(&self, setting: &JobSetting) {
        let names: Vec<&str> =
            options::all().flat_map(|row| std::iter::once(&row.name).chain(row.aliases)).copied().collect();
        let remedy = match nearest(&names, setting.name.as_bytes()) {
            Some(meant) => format!("did you mean {meant}?"),
            None => "docs/fio-jobs.md has the options that are known; leave it out".to_owned(),
        };
        let place = setting.place.clone();
        let problem = JobProblem::Unknown(setting.shown());
        self.fault(JobFault { place, problem, remedy: Some(remedy) });
    }

    /// Refuses and tells what the tables say of the options that were given.
    fn judge(&self) {
        for (row, setting) in &self.given {
            let asks = !row.harmless.contains(&setting.value.as_deref().unwrap_or("1"));
            match row.kind {
                FioKind::Near(what) if asks => self.tell(row.name, what),
                FioKind::Refused { reason, remedy } if asks => {
                    let fault = JobFault::refused(&setting.place, setting.shown(), reason);
                    self.fault(fault.hint(remedy));
                }
                _ => {}
            }
        }
    }

    /// What was found wrong.
    pub(super) fn fault(&self, fault: JobFault) {
        let mut faults = self.faults.take();
        faults.push(fault);
        self.faults.set(faults);
    }

    /// Refuses an option as it was given, or the job where it wasn't.
    pub(super) fn refuse(&self, name: &str, reason: impl Into<String>, remedy: &str) {
        let (place, shown) = match self.given(name) {
            Some(setting) => (&setting.place, setting.shown()),
            None => (&self.place, name.to_owned()),
        };
        self.fault(JobFault::refused(place, shown, reason).hint(remedy));
    }

    /// What is done in another way.
    pub(super) fn tell(&self, option: &str, what: impl Into<String>) {
        let mut notes = self.notes.take();
        notes.tell(&self.job, option, what);
        self.notes.set(notes);
    }

    /// The setting of an option; `None` = it wasn't given.
    pub(super) fn given(&self, name: &str) -> Option<&JobSetting> {
        debug_assert!(options::find(name).is_some_and(|row| row.name == name), "{name} has no row");
        self.given.iter().find(|(row, _)| row.name == name).map(|(_, setting)| setting)
    }

    /// Whether an option was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// Of several options the one that was given last.
    pub(super) fn last_of(&self, names: &[&'static str]) -> Option<&'static str> {
        let last = self.given.iter().rfind(|(row, _)| names.contains(&row.name));
        last.map(|(row, _)| row.name)
    }

    /// The value of an option; empty where it has none.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.given(name).map(|setting| setting.value.as_deref().unwrap_or_default())
    }

    /// What a value is read as; else it is refused with why.
    pub(super) fn read<T, E: ToString>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let setting = self.given(name)?;
        let wrong = |error: E| {
            let problem = JobProblem::Value { setting: setting.shown(), what: error.to_string() };
            self.fault(JobFault { place: setting.place.clone(), problem, remedy: None });
        };
        read(setting.value.as_deref().unwrap_or_default()).map_err(wrong).ok()
    }

    /// Whether a switch is on; `None` = it wasn't given.
    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        debug_assert_eq!(options::find(name).map(|row| row.form), Some(FioForm::Switch), "{name}");
        self.read(name, |text| match text {
            "" | "1" | "true" => Ok(true),
            "0" | "false" => Ok(false),
            _ => Err("a switch is 0 or 1"),
        })
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.switch(name).unwrap_or(false)
    }

    /// A number within these.
    pub(super) fn number(&self, name: &str, range: RangeInclusive<u64>) -> Option<u64> {
        self.read(name, |text| {
            let number = number::bytes(text, 1024).map_err(|error| error.to_string())?;
            let (least, most) = (*range.start(), *range.end());
            match range.contains(&number) {
                true => Ok(number),
                false => Err(format!("possible are {least} to {most}")),
            }
        })
    }

    /// A size.
    pub(super) fn size(&self, name: &str) -> Option<FioSize> {
        self.read(name, |text| number::size(text, self.kb_base))
    }

    /// A number of bytes.
    pub(super) fn bytes(&self, text: &str) -> Result<u64, NoNumber> {
        number::bytes(text, self.kb_base)
    }

    /// A time, us.
    pub(super) fn micros(&self, name: &str) -> Option<u64> {
        let form = options::find(name).map(|row| row.form);
        let without_unit = if form == Some(FioForm::Seconds) { 1_000_000 } else { 1 };
        self.read(name, |text| number::micros(text, without_unit))
    }
}
