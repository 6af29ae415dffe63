//! Run requests of a command line: its outputs, and its changes to the profile.

use crate::cli::error::ValueError;
use crate::cli::events::EventNames;
use crate::experiments::repeat::Repeat;
use crate::finding::Finding;
use crate::profile::{BufferSeparation, Compat, Profile, RawText, ResultFormat, RunOptions, template};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRequest {
    /// The profile to run. With [`RunRequest::profile_file`] it has only the time span of the command line.
    pub profile: Profile,
    pub run_options: RunOptions,
    /// `-Rp`: validates and prints the profile without a run.
    pub profile_only: bool,
    /// `-X`, `--fio`: profile to load instead.
    pub profile_file: Option<ProfileFile>,
    /// `rerun`: record that provides the profile and run options.
    pub record: Option<PathBuf>,
    /// `rerun`: devices of the record that may be overwritten.
    pub permitted: Vec<RawText>,
    pub events: EventNames,
    /// `--dry-run`: only plans, without opening or writing files.
    pub dry_run: bool,
    /// `--out`: further reports, in order.
    pub out: Vec<OutRequest>,
    pub stream: Option<StreamRequest>,
    /// `--io-log`: file for the log of each I/O.
    pub io_log: Option<PathBuf>,
    pub journal: Option<PathBuf>,
    /// `--mpi`: membership in several ranks, regardless of the launcher; with the named library, if any.
    pub mpi: Option<Option<PathBuf>>,
    /// `--split`: divides shared targets among the ranks.
    pub split: bool,
    /// `--hosts`: number of ranks with I/O, which are the first ones; `None` = all.
    pub hosts: Option<u32>,
    /// `--shift-ranks`: distance to the rank whose data is read.
    pub shift_ranks: u32,
    /// `--repeat`; `None` = one run.
    pub repeat: Option<Repeat>,
    /// `--each`: reports each run of a repetition.
    pub each: bool,
    /// `--with`: the command that starts the DISKSPD which makes the runs; `None` = this program makes them.
    pub with: Option<String>,
    pub recreate: bool,
    /// `--destroy`: permission to overwrite block devices with a signature.
    pub destroy: bool,
    /// `--strict`: misleading figures are a failure.
    pub strict: bool,
    /// `--quiet`: only findings about misleading figures are printed.
    pub quiet: bool,
    /// `--xml-verdict`: the XML results get elements with verdict and findings at the end of each time span
    /// and of `System`.
    pub xml_verdict: bool,
    pub text_verdict: bool,
    /// `--save`: stores the run in the history.
    pub save: Option<SaveRequest>,
    /// `--store`: folder of the history; `None` = default folder.
    pub store: Option<PathBuf>,
    pub warnings: Vec<Finding>,
    /// All typed arguments with the program's name, to repeat the run.
    pub typed: Vec<OsString>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaveRequest {
    pub label: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutRequest {
    /// Explicit format (`xml:FILE`); `None` = by the file's extension.
    pub format: Option<&'static str>,
    pub path: PathBuf,
}

impl OutRequest {
    pub fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Reads `FILE`, or a form and a file: `json:FILE`; `None` = there is no file.
    pub fn read(value: &[u8]) -> Option<OutRequest> {
        let forms = ["text", "xml", "json", "csv", "html", "prom", "openmetrics"];
        let (format, file) = format_and_rest(value, &forms);
        let path = RawText::from(file.to_vec()).as_path().to_owned();
        (!file.is_empty()).then_some(OutRequest { format, path })
    }

    /// Whether it is written in this form, by its name or the extension of the file.
    pub fn has_form(&self, form: &str) -> bool {
        let extension = self.path.extension().and_then(|extension| extension.to_str());
        match self.format {
            Some(named) => named == form,
            None => extension.is_some_and(|extension| extension.eq_ignore_ascii_case(form)),
        }
    }
}

fn format_and_rest<'a>(value: &'a [u8], forms: &[&'static str]) -> (Option<&'static str>, &'a [u8]) {
    let mut forms = forms.iter().copied();
    let named = forms.find_map(|form| Some((form, value.strip_prefix(form.as_bytes())?.strip_prefix(b":")?)));
    named.map_or((None, value), |(form, rest)| (Some(form), rest))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRequest {
    /// Explicit format (`influx:FILE`); `None` = by the file's extension.
    pub format: Option<&'static str>,
    pub to: StreamDestination,
}

impl StreamRequest {
    /// Names of the formats, the same as in [`crate::report::live`].
    pub const FORMATS: [&str; 3] = ["json", "influx", "prom"];

    /// Reads `FILE`, `FORMAT:FILE`, `-` or `fd:N`.
    ///
    /// # Errors
    /// Fails if the file name is missing, or N is not a descriptor.
    pub fn read(value: &[u8]) -> Result<StreamRequest, ValueError> {
        let (format, place) = format_and_rest(value, &Self::FORMATS);
        let before = value.len() - place.len();
        let to = match place {
            b"" => {
                return Err(
                    ValueError::new(before, "the value is missing").with_expected("a file, - or fd:<n>")
                );
            }
            b"-" => StreamDestination::StandardOutput,
            [b'f', b'd', b':', number @ ..] => {
                let number =
                    std::str::from_utf8(number).ok().and_then(|n| n.parse().ok()).filter(|n| *n >= 0);
                StreamDestination::Descriptor(number.ok_or_else(|| {
                    ValueError::new(before + 3, "not a descriptor")
                        .with_expected("the number of an open file descriptor, as in fd:3")
                })?)
            }
            file => StreamDestination::File(RawText::from(file.to_vec()).as_path().to_owned()),
        };
        Ok(StreamRequest { format, to })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamDestination {
    StandardOutput,
    Descriptor(i32),
    File(PathBuf),
}

/// Form of a file that describes a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileForm {
    Xml,
    FioJobs,
    /// fio's command line, in words instead of a file.
    FioLine,
}

impl ProfileForm {
    pub fn form_text(self, path: &RawText) -> String {
        match self {
            ProfileForm::Xml => format!("-X{path}"),
            ProfileForm::FioJobs => format!("--fio {path}"),
            ProfileForm::FioLine => "fio".to_owned(),
        }
    }

    pub fn option(self) -> &'static str {
        match self {
            ProfileForm::Xml => "-X",
            ProfileForm::FioJobs => "--fio",
            ProfileForm::FioLine => "fio",
        }
    }
}

/// A profile in a file or in fio's command line, and what our own command line adds to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileFile {
    pub path: RawText,
    pub form: ProfileForm,
    /// Words of fio's command line; empty for the other forms.
    pub words: Vec<String>,
    pub overrides: Overrides,
    /// Paths for the templates `*1`, `*2`, ..
    pub substitutions: Vec<RawText>,
}

impl ProfileFile {
    /// Returns the file's profile with the command line's additions: the line itself, settings with
    /// priority over the profile, and the paths of the templates.
    ///
    /// # Errors
    /// Fails with one message for each mismatch of templates and paths.
    pub fn complete(&self, mut profile: Profile, command_line: &RawText) -> Result<Profile, Vec<String>> {
        profile.command_line = command_line.clone();
        self.overrides.apply(&mut profile);
        template::substitute(&mut profile, &self.substitutions)?;
        Ok(profile)
    }
}

/// Settings permitted with an XML profile; `None` = not given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    pub experiment_flags: Option<u32>,
    /// `-d`, in s.
    pub duration: Option<u32>,
    /// `-W`, in s.
    pub warmup: Option<u32>,
    /// `-C`, in s.
    pub cooldown: Option<u32>,
    pub rand_seed: Option<u32>,
    pub result_format: Option<ResultFormat>,
    /// `-v`; cannot be disabled.
    pub verbose: bool,
    /// `-vs`; cannot be disabled.
    pub verbose_stats: bool,
    pub compat: Option<Compat>,
    pub buffer_separation: Option<BufferSeparation>,
}

impl Overrides {
    /// Applies the given settings to the profile; times and the seed to each time span.
    pub fn apply(&self, profile: &mut Profile) {
        fn set<T: Copy>(setting: &mut T, given: Option<T>) {
            if let Some(value) = given {
                *setting = value;
            }
        }
        set(&mut profile.experiment_flags, self.experiment_flags);
        set(&mut profile.result_format, self.result_format);
        set(&mut profile.compat, self.compat);
        profile.verbose |= self.verbose;
        profile.verbose_stats |= self.verbose_stats;
        for span in &mut profile.time_spans {
            set(&mut span.duration, self.duration);
            set(&mut span.warmup, self.warmup);
            set(&mut span.cooldown, self.cooldown);
            set(&mut span.rand_seed, self.rand_seed);
            span.buffer_separation = self.buffer_separation.or(span.buffer_separation);
        }
    }
}

impl RunRequest {
    /// Returns the first given option that follows a single run, such as streams and events. Commands with
    /// several runs do not support them.
    pub fn follows_one_run(&self) -> Option<&'static str> {
        let events = &self.events;
        let given = [
            (self.stream.is_some(), "--stream"),
            (self.io_log.is_some(), "--io-log"),
            (self.journal.is_some(), "--journal"),
            (events.start.is_some(), "-ys"),
            (events.finish.is_some(), "-yf"),
            (events.wait.is_some(), "-yr"),
            (events.stop.is_some(), "-yp"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    /// Returns all given options about a single run's execution, rather than its work: whether and how
    /// often it is made, and the destinations of its results. Commands with several runs define these
    /// themselves or do not support them.
    pub fn of_one_run(&self) -> impl Iterator<Item = &'static str> {
        // All fields by name: a new one is either what a run does, or stands in the list.
        let RunRequest {
            profile,
            run_options: _,
            profile_only,
            profile_file: _,
            record,
            permitted: _,
            events: _,
            dry_run,
            out,
            stream: _,
            io_log: _,
            journal: _,
            mpi,
            split: _,
            hosts: _,
            shift_ranks: _,
            repeat,
            each,
            with: _,
            recreate: _,
            destroy: _,
            strict,
            quiet,
            xml_verdict,
            text_verdict,
            save,
            store,
            warnings: _,
            typed: _,
        } = self;
        let given = [
            (*profile_only, "-Rp"),
            (record.is_some(), "rerun"),
            (*dry_run, "--dry-run"),
            (!out.is_empty(), "--out"),
            (mpi.is_some(), "--mpi"),
            (repeat.is_some(), "--repeat"),
            (*each, "--each"),
            (*strict, "--strict"),
            (*quiet, "--quiet"),
            (*xml_verdict, "--xml-verdict"),
            (*text_verdict, "--text-verdict"),
            (save.is_some(), "--save"),
            (store.is_some(), "--store"),
            (profile.result_format == ResultFormat::Xml, "-Rxml"),
            (profile.progress > 0, "-P"),
            (profile.verbose, "-v"),
        ];
        let given = given.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option);
        given.chain(self.follows_one_run())
    }
}
