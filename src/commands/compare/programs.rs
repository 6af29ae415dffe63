//! `--with-a`, `--with-b`: the runs of a side are made by another build of this program. Each build is
//! queried first for its identity, the format of its records, and acceptance of the command line.

use super::sides::INTERRUPTED;
use crate::cli::help::PRODUCT;
use crate::cli::{Interleaved, RunRequest, SideCommand};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs;
use crate::commands::shared::runs::other_program::{
    ANSWER, ProgramError, exit_text, last_message, message_suffix, not_started, to_its_end,
};
use crate::commands::shared::runs::with;
use crate::profile::SEED_STEP;
use crate::results::Record;
use crate::run::Control;
use crate::sys::child::ChildProgram;
use crate::sys::private_folder::PrivateFolder;
use crate::sys::privileges;
use crate::units::visible;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;

pub(super) struct SidePrograms {
    programs: [SideProgram; 2],
    folder: PrivateFolder,
    control: Arc<Control>,
}

#[derive(Debug)]
struct SideProgram {
    path: PathBuf,
    version: String,
}

struct ProgramOutput {
    status: ExitStatus,
    printed: Vec<u8>,
    /// Last message of the program.
    message: String,
}

impl SidePrograms {
    /// Queries the named programs; a side without one is run by this program in a new process. `None` =
    /// neither side names one.
    ///
    /// # Errors
    /// Fails if a program is not this program, cannot be started, rejects its command line, or makes
    /// unreadable records.
    pub(super) fn from_sides(
        both: &Interleaved,
        control: &Arc<Control>,
    ) -> Result<Option<SidePrograms>, CommandError> {
        if both.programs == [None, None] {
            return Ok(None);
        }
        for request in &both.requests {
            with::no_place(
                request.with.as_deref(),
                "--with-a and --with-b, which name builds of this program",
            )?;
        }
        if privileges::are_above_users() {
            return Err(CommandError::usage_errors([
                "--with-a, --with-b: this copy of the program has more rights than its user (set-uid, \
                 set-gid, or capabilities) and so starts no other program; use a copy without them",
            ]));
        }
        let folder = PrivateFolder::make("diskspd-compare")
            .map_err(|error| format!("cannot create a folder for the runs' records: {error}"))?;
        let this = || {
            std::env::current_exe().map_err(|error| format!("cannot find this program's own file: {error}"))
        };
        let path = |side: usize| both.programs[side].clone().map_or_else(this, Ok);
        let [first, other] = [path(0)?, path(1)?];
        let asking = VersionQuery { folder: &folder, control };
        let first = asking.identify_program(["--with-a", "--with-b"][0], first)?;
        let other = asking.identify_program(["--with-a", "--with-b"][1], other)?;
        let programs = [first, other];
        for (program, words) in programs.iter().zip(&both.lines) {
            asking.check_words(program, words)?;
        }
        Ok(Some(SidePrograms { programs, folder, control: Arc::clone(control) }))
    }

    /// Returns the displayed name of a side's program.
    pub(super) fn name(&self, side: usize) -> String {
        self.programs[side].name()
    }

    /// Whether the programs of both sides are identical, byte for byte.
    pub(super) fn are_same(&self) -> bool {
        let [first, other] = &self.programs;
        first.path == other.path || are_same(&first.path, &other.path).unwrap_or(false)
    }

    /// One run to its end; `number` counts all runs, from 0.
    ///
    /// # Errors
    /// Fails if the program failed, or its figures are incomplete.
    pub(super) fn run(
        &self,
        side: usize,
        words: &SideCommand,
        request: &RunRequest,
        number: u32,
        turn: &str,
    ) -> Result<Record, CommandError> {
        let program = &self.programs[side];
        let file = self.folder.path().join("record.json");
        let mut more: Vec<OsString> = Vec::new();
        let first_seed = request.profile.time_spans.first().map(|span| span.rand_seed);
        if let Some(seed) = first_seed.filter(|_| words.takes_seed) {
            more.push(format!("-z{}", seed.wrapping_add(number.wrapping_mul(SEED_STEP))).into());
        }
        more.extend(["--out".into(), json_option(&file)]);
        let asking = VersionQuery { folder: &self.folder, control: &self.control };
        let ended = asking.start(&program.name(), &program.path, &full_line(words, &more), None)?;
        let failed = |why: String| {
            let what = format!("{turn}: {} {why}", program.name());
            CommandError::failed([what, "the comparison stops here, without a result".to_owned()])
        };
        if !ended.status.success() {
            return Err(failed(format!("{}{}", exit_text(ended.status), message_suffix(&ended.message))));
        }
        let record = load_runs::record(&file).map_err(|why| failed(format!("left no record: {why}")))?;
        // The next one is to be that of the next run.
        fs::remove_file(&file).map_err(|error| failed(format!("its record cannot be deleted: {error}")))?;
        Ok(record)
    }
}

impl SideProgram {
    fn name(&self) -> String {
        visible::line(&format!("{} ({})", self.path.display(), self.version)).into_owned()
    }
}

struct VersionQuery<'a> {
    folder: &'a PrivateFolder,
    control: &'a Arc<Control>,
}

impl VersionQuery<'_> {
    fn identify_program(&self, option: &str, path: PathBuf) -> Result<SideProgram, CommandError> {
        let by = visible::line(&format!("{option} {}", path.display())).into_owned();
        let failed = |why: &dyn std::fmt::Display| CommandError::from(format!("{by}: {why}"));
        if path.is_dir() {
            return Err(failed(&"is a folder; name the program in it"));
        }
        let version = self.start(&by, &path, &["--version".into()], Some(ANSWER))?;
        let text = String::from_utf8_lossy(&version.printed);
        let Some(rest) = text.strip_prefix(PRODUCT).filter(|_| version.status.success()) else {
            return Err(failed(&format_args!(
                "is not {PRODUCT}: its --version does not print '{PRODUCT} ..' ({})",
                exit_text(version.status)
            )));
        };
        let number = rest.trim_start().split([' ', '\n']).next().unwrap_or_default();
        let program = SideProgram { version: format!("{PRODUCT} {number}"), path };
        let file = self.folder.path().join("trial.json");
        // That of the other side is none of this one.
        let _ = fs::remove_file(&file);
        let trial = "-c1M -b4K -r -t1 -o1 -d1 -W0 --engine=sim --quiet --out";
        let mut words: Vec<OsString> = trial.split(' ').map(OsString::from).collect();
        words.extend([json_option(&file), self.folder.path().join("trial.dat").into()]);
        let trial = self.start(&by, &program.path, &words, Some(ANSWER))?;
        if !trial.status.success() {
            let (how, why) = (exit_text(trial.status), message_suffix(&trial.message));
            return Err(failed(&format_args!(
                "{}: a simulated trial run {how}{why}; this program cannot compare its runs",
                program.version
            )));
        }
        if !file.exists() {
            return Err(failed(&format_args!(
                "{}: a trial run left no record (--out json:FILE){}",
                program.version,
                message_suffix(&trial.message)
            )));
        }
        load_runs::record(&file).map_err(|why| {
            let why = why.fault;
            failed(&format_args!("{}: its records cannot be read by this program: {why}", program.version))
        })?;
        Ok(program)
    }

    fn check_words(&self, program: &SideProgram, words: &SideCommand) -> Result<(), CommandError> {
        let words = SideCommand { options: without_history(&words.options), ..words.clone() };
        let ended = self.start(
            &program.name(),
            &program.path,
            &full_line(&words, &["--dry-run".into()]),
            Some(ANSWER),
        )?;
        match ended.status.success() {
            true => Ok(()),
            false => Err(CommandError::failed([format!(
                "{} refuses this command line: a dry run {}{}",
                program.name(),
                exit_text(ended.status),
                message_suffix(&ended.message)
            )])),
        }
    }

    fn start(
        &self,
        name: &str,
        program: &Path,
        words: &[OsString],
        most: Option<u64>,
    ) -> Result<ProgramOutput, CommandError> {
        let started = ChildProgram::start(program, words);
        let ended = started
            .map_err(|error| not_started(program, error))
            .and_then(|child| to_its_end(child, self.control, most, |_| {}));
        let first = || words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let end = ended.map_err(|fault| match fault {
            ProgramError::Interrupted => interrupted_error(),
            ProgramError::TooLong { .. } => {
                CommandError::from(format!("{name}: {fault} when it is started with: {}", first()))
            }
            _ => CommandError::from(format!("{name}: {fault}")),
        })?;
        Ok(ProgramOutput { status: end.status, printed: end.printed, message: last_message(&end.told) })
    }
}

fn interrupted_error() -> CommandError {
    CommandError::failed([INTERRUPTED])
}

fn without_history(options: &[OsString]) -> Vec<OsString> {
    let is = |word: &OsString, name: &str| {
        let rest = word.as_encoded_bytes().strip_prefix(name.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'=')
    };
    let mut left = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        if word == "--store" {
            words.next();
        } else if !is(word, "--store") && !is(word, "--save") {
            left.push(word.clone());
        }
    }
    left
}

fn full_line(words: &SideCommand, more: &[OsString]) -> Vec<OsString> {
    words.options.iter().chain(more).chain(&words.targets).cloned().collect()
}

fn json_option(file: &Path) -> OsString {
    let mut value = OsString::from("json:");
    value.push(file);
    value
}

fn are_same(first: &Path, other: &Path) -> std::io::Result<bool> {
    let [mut first, mut other] = [File::open(first)?, File::open(other)?];
    if first.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let mut parts = [Vec::new(), Vec::new()];
    loop {
        for (file, part) in [&mut first, &mut other].into_iter().zip(&mut parts) {
            part.clear();
            file.take(1 << 20).read_to_end(part)?;
        }
        if parts[0] != parts[1] || parts[0].is_empty() {
            return Ok(parts[0] == parts[1]);
        }
    }
}
