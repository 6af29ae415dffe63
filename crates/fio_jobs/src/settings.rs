//! Settings of one job after the global sections before it. Each option appears once, read in the format
//! of its table row.

use super::error::{ConversionError, ConversionErrorKind, JobLocation, Notes};
use super::ini::{JobSection, JobSetting};
use super::number::{self, FioSize, NumberError};
use super::options::{self, FioForm, FioKind, FioOption};
use diskspd_figures::units::near::nearest;
use std::cell::Cell;
use std::ops::RangeInclusive;

pub(super) struct JobSettings<'a> {
    pub(super) job: String,
    pub(super) place: JobLocation,
    /// Options without duplicates, ordered by their last occurrence.
    given: Vec<GivenSetting<'a>>,
    /// All values of `filename`.
    file_names: Vec<FileNames<'a>>,
    kb_base: u64,
    faults: &'a Cell<Vec<ConversionError>>,
    notes: &'a Cell<Notes>,
}

/// Maximum number of reported errors; a file of one MiB can have a hundred thousand.
const MAX_ERRORS: usize = 1000;

/// Settings of the preceding global sections, looked up once for all following jobs.
#[derive(Default)]
pub(super) struct GlobalSettings<'a> {
    /// Options without duplicates, ordered by their last occurrence.
    known: Vec<GivenSetting<'a>>,
    file_names: Vec<FileNames<'a>>,
    untold: Cell<Vec<&'a JobSetting>>,
}

impl<'a> GlobalSettings<'a> {
    pub(super) fn add(&mut self, section: &'a JobSection) {
        for setting in &section.settings {
            sort_setting(setting, &mut self.known, self.untold.get_mut());
        }
        self.file_names.extend(file_names(section, &self.known));
    }
}

/// A `filename`. fio keeps all names of a job, including global sections, each in the folder of its
/// section (`str_filename_cb` in its `options.c`).
#[derive(Clone, Copy)]
pub(super) struct FileNames<'a> {
    pub(super) names: &'a str,
    /// Value of `directory`.
    pub(super) folder: Option<&'a str>,
}

fn file_names<'a>(
    section: &'a JobSection,
    known: &[GivenSetting<'a>],
) -> impl Iterator<Item = FileNames<'a>> {
    let value = |setting: &'a JobSetting| setting.value.as_deref().unwrap_or_default();
    let folder = known.iter().find(|given| given.row.name == "directory").map(|given| value(given.setting));
    let is_one =
        |setting: &&JobSetting| options::find(&setting.name).is_some_and(|row| row.name == "filename");
    section.settings.iter().filter(is_one).map(move |setting| FileNames { names: value(setting), folder })
}

/// Setting of a known option.
#[derive(Clone, Copy)]
struct GivenSetting<'a> {
    row: &'static FioOption,
    setting: &'a JobSetting,
    /// Whether it leaves reads, writes or trims unset, so that an earlier setting applies, as in fio.
    adds: bool,
}

/// Options for which fio keeps separate values for reads, writes and trims.
const PER_DIRECTION_OPTIONS: [&str; 7] =
    ["bs", "bsrange", "bssplit", "ba", "rate", "rate_iops", "percentage_random"];

/// Appends a setting to the known ones, replacing an earlier setting of its option, or to the unknown
/// ones.
fn sort_setting<'a>(
    setting: &'a JobSetting,
    known: &mut Vec<GivenSetting<'a>>,
    unknown: &mut Vec<&'a JobSetting>,
) {
    let Some(row) = options::find(&setting.name) else { return unknown.push(setting) };
    let before = known.iter().position(|before| before.row.name == row.name);
    let before = before.map(|place| known.remove(place));
    let value = setting.value.as_deref().unwrap_or_default();
    let leaves_out = value.contains(',') && value.split(',').any(|part| part.trim().is_empty());
    let adds = before.is_some() && leaves_out && PER_DIRECTION_OPTIONS.contains(&row.name);
    known.push(GivenSetting { row, setting, adds });
}

impl<'a> JobSettings<'a> {
    pub(super) fn from_sections(
        section: &'a JobSection,
        global: &GlobalSettings<'a>,
        faults: &'a Cell<Vec<ConversionError>>,
        notes: &'a Cell<Notes>,
    ) -> JobSettings<'a> {
        let mut settings = JobSettings {
            job: section.name.clone(),
            place: section.place.clone(),
            given: global.known.clone(),
            file_names: global.file_names.clone(),
            kb_base: 1024,
            faults,
            notes,
        };
        let mut unknown = Vec::new();
        for setting in &section.settings {
            sort_setting(setting, &mut settings.given, &mut unknown);
        }
        settings.file_names.extend(file_names(section, &settings.given));
        // Options of an engine that is refused are the engine's own.
        let engine = settings.text("ioengine").unwrap_or_default();
        let is_refused = matches!(options::engine(engine), Some(options::EngineRule::Refused(_)));
        if !is_refused {
            // Errors in global sections are reported once, regardless of the number of jobs.
            global
                .untold
                .take()
                .into_iter()
                .chain(unknown)
                .for_each(|setting| settings.report_unknown(setting));
        }
        if settings.number("kb_base", 1000..=1024) == Some(1000) {
            settings.kb_base = 1000;
        }
        settings.judge_options();
        settings
    }

    fn report_unknown(&self, setting: &JobSetting) {
        if self.faults_are_enough() {
            return;
        }
        let names: Vec<&str> =
            options::all().flat_map(|row| std::iter::once(&row.name).chain(row.aliases)).copied().collect();
        let remedy = match nearest(&names, setting.name.as_bytes()) {
            Some(meant) => format!("did you mean {meant}?"),
            None => "docs/reference/fio-jobs.md has the options that are known; leave it out".to_owned(),
        };
        let place = setting.place.clone();
        let problem = ConversionErrorKind::Unknown(setting.quoted_line());
        self.fault(ConversionError { place, problem, remedy: Some(remedy) });
    }

    fn judge_options(&self) {
        for GivenSetting { row, setting, adds } in &self.given {
            if *adds {
                let reason = "it leaves a direction to an earlier value, which fio keeps for that direction";
                let fault = ConversionError::refuse_option(&setting.place, setting.quoted_line(), reason);
                self.fault(fault.hint("give the values of all directions in one place"));
            }
            let asks = !row.harmless.contains(&setting.value.as_deref().unwrap_or("1"));
            match row.kind {
                FioKind::Near(what) if asks => self.add_note(row.name, what),
                FioKind::Refused { reason, remedy } if asks => {
                    let fault = ConversionError::refuse_option(&setting.place, setting.quoted_line(), reason);
                    self.fault(fault.hint(remedy));
                }
                _ => {}
            }
        }
    }

    pub(super) fn fault(&self, fault: ConversionError) {
        let mut faults = self.faults.take();
        match faults.len() {
            ..MAX_ERRORS => faults.push(fault),
            MAX_ERRORS => {
                faults.push(ConversionError::syntax(&fault.place, "more than 1,000 settings are wrong"))
            }
            _ => {}
        }
        self.faults.set(faults);
    }

    fn faults_are_enough(&self) -> bool {
        let faults = self.faults.take();
        let enough = faults.len() > MAX_ERRORS;
        self.faults.set(faults);
        enough
    }

    /// Refuses an option as given, or the job if it is not given.
    pub(super) fn refuse(&self, name: &str, reason: impl Into<String>, remedy: &str) {
        let (place, shown) = match self.find_setting(name) {
            Some(setting) => (&setting.place, setting.quoted_line()),
            None => (&self.place, name.to_owned()),
        };
        self.fault(ConversionError::refuse_option(place, shown, reason).hint(remedy));
    }

    pub(super) fn add_note(&self, option: &str, what: impl Into<String>) {
        let mut notes = self.notes.take();
        notes.add_note(&self.job, option, what);
        self.notes.set(notes);
    }

    /// Returns the setting of an option; `None` = not given.
    pub(super) fn find_setting(&self, name: &str) -> Option<&JobSetting> {
        debug_assert!(options::find(name).is_some_and(|row| row.name == name), "{name} has no row");
        self.given.iter().find(|given| given.row.name == name).map(|given| given.setting)
    }

    pub(super) fn file_names(&self) -> &[FileNames<'a>] {
        &self.file_names
    }

    pub(super) fn has_option(&self, name: &str) -> bool {
        self.find_setting(name).is_some()
    }

    pub(super) fn last_of(&self, names: &[&'static str]) -> Option<&'static str> {
        let last = self.given.iter().rfind(|given| names.contains(&given.row.name));
        last.map(|given| given.row.name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.find_setting(name).map(|setting| setting.value.as_deref().unwrap_or_default())
    }

    pub(super) fn read<T, E: ToString>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let setting = self.find_setting(name)?;
        let wrong = |error: E| {
            let problem =
                ConversionErrorKind::Value { setting: setting.quoted_line(), what: error.to_string() };
            self.fault(ConversionError { place: setting.place.clone(), problem, remedy: None });
        };
        read(setting.value.as_deref().unwrap_or_default()).map_err(wrong).ok()
    }

    /// Whether a switch is on; `None` = not given.
    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        debug_assert_eq!(options::find(name).map(|row| row.form), Some(FioForm::Switch), "{name}");
        self.read(name, |text| match text {
            "" | "1" | "true" => Ok(true),
            "0" | "false" => Ok(false),
            _ => Err("a switch is 0 or 1"),
        })
    }

    pub(super) fn is_on(&self, name: &str) -> bool {
        self.switch(name).unwrap_or(false)
    }

    pub(super) fn number(&self, name: &str, range: RangeInclusive<u64>) -> Option<u64> {
        self.read(name, |text| {
            let number = number::bytes(text, self.kb_base).map_err(|error| error.to_string())?;
            let (least, most) = (*range.start(), *range.end());
            match range.contains(&number) {
                true => Ok(number),
                false => Err(format!("possible values: {least} to {most}")),
            }
        })
    }

    pub(super) fn size(&self, name: &str) -> Option<FioSize> {
        self.read(name, |text| match number::zones(text) {
            None => number::size(text, self.kb_base),
            Some(zones) => {
                let bytes = zones.checked_mul(self.zone_bytes().ok_or(NumberError::Zones)?);
                bytes.map(FioSize::Bytes).ok_or(NumberError::TooLarge)
            }
        })
    }

    /// Returns the zone size of the job (`zonemode=zbd` with `zonesize`).
    fn zone_bytes(&self) -> Option<u64> {
        let size = self.text("zonesize").filter(|_| self.text("zonemode") == Some("zbd"))?;
        self.bytes(size).ok().filter(|bytes| *bytes > 0)
    }

    pub(super) fn kb_base(&self) -> u64 {
        self.kb_base
    }

    pub(super) fn bytes(&self, text: &str) -> Result<u64, NumberError> {
        number::bytes(text, self.kb_base)
    }

    /// Returns a time in µs.
    pub(super) fn micros(&self, name: &str) -> Option<u64> {
        let form = options::find(name).map(|row| row.form);
        let without_unit = if form == Some(FioForm::Seconds) { 1_000_000 } else { 1 };
        self.read(name, |text| number::micros(text, without_unit))
    }
}
