//! The parser: DISKSPD's two passes over the options, with the flag table as dispatch.

use super::command_line::RunReaders;
use super::draft::RunRequestBuilder;
use super::error::{CliError, ValueError};
use super::flag::{Flag, Name, Scope};
use super::line::{OptionOnLine, TypedLine};
use super::{
    InfoRequest, Invocation, ProfileForm, RunRequest, UsageExtent, commands, fio_line, flags, foreign,
    foreign_options, line, mix, preset, split_give_up, suggest,
};
use crate::finding::Finding;
use crate::profile::{RawText, ResultFormat};
use std::ffi::OsString;

/// Parses a command line. `arguments[0]` is the program's name; the profile keeps all arguments, joined by
/// single blanks.
///
/// Order of checks, which decides the reported error: commands, an option after a target, options
/// permitted with a profile including `-b` and `-X`, all other options, missing targets.
pub fn parse(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let (_, without) = split_give_up(arguments)?;
    let mut read = read_invocation(arguments, &without)
        .map_err(|error| suggest::naming_foreign_dash(error, arguments))?;
    if let Invocation::Run(request) = &mut read {
        request.typed = arguments.to_vec();
    }
    Ok(read)
}

/// `typed` contains all arguments, `arguments` lacks `--give-up`.
fn read_invocation(typed: &[OsString], arguments: &[OsString]) -> Result<Invocation, CliError> {
    let command_line = line::join_arguments(typed);
    let arguments = arguments.get(1..).unwrap_or_default();
    if arguments.is_empty() {
        return Ok(Invocation::Usage(UsageExtent::First));
    }
    let arguments = &*commands::with_command_first(arguments);
    if let Some(command) = commands::parse(
        arguments,
        RunReaders { line: parse, rerun: read_rerun, fio, commands: commands::all_names },
    ) {
        return command;
    }

    TypedLine::split(arguments)?.read_line(command_line)
}

impl TypedLine {
    /// Returns its request; the profile keeps all arguments as `command_line`.
    ///
    /// # Errors
    /// Fails if an option is unknown, its value is invalid, or options conflict.
    pub fn read(&self, command_line: RawText) -> Result<Invocation, CliError> {
        self.read_line(command_line).map_err(|error| suggest::naming_foreign_dash(error, &[]))
    }

    fn read_line(&self, command_line: RawText) -> Result<Invocation, CliError> {
        match preset::split_preset(self)? {
            Some((preset, line)) => preset::request(preset, &line, command_line, read_without_preset),
            None => read_without_preset(self, command_line),
        }
    }
}

fn read_without_preset(line: &TypedLine, command_line: RawText) -> Result<Invocation, CliError> {
    let TypedLine { options, targets } = line;
    no_ranges(line)?;
    let mut draft = RunRequestBuilder::default();
    first_pass(line, &mut draft)?;
    if draft.system_only {
        return system_alone(line, &draft);
    }
    for option in options.iter().filter(|option| !option.is_first_pass()) {
        if let Err(error) = option.read(&mut draft, line) {
            return Err(CliError { set_events: draft.set_events.into(), ..error });
        }
        if let Some(answer) = draft.answer.take() {
            return help_invocation(answer, line);
        }
    }
    if !draft.set_events.is_empty() {
        return Ok(Invocation::SetEvent { names: draft.set_events });
    }
    shaped_once(options, &mut draft)?;
    measures_what_it_reports(options, &draft)?;
    uses_the_history(&draft, false)?;
    if targets.is_empty() && draft.profile_path.is_none() {
        return Err(no_target(options));
    }
    draft.request.warnings.extend(detached_value_warning(line, &draft).map(Finding::warning));
    let jobs = draft.profile_path.as_ref().filter(|(form, _)| *form == ProfileForm::FioJobs);
    if let Some(target) = targets.first().filter(|_| jobs.is_some()) {
        return Err(CliError::at(target, 0, "a job file of fio names its own files")
            .hint("set filename in the job file, or use diskspd fio --filename=FILE JOB.fio"));
    }
    let paths = targets.iter().map(|path| RawText::from(path.clone())).collect();
    Ok(Invocation::Run(Box::new(draft.finish(command_line, paths))))
}

fn help_invocation(answer: InfoRequest, line: &TypedLine) -> Result<Invocation, CliError> {
    let (InfoRequest::Usage(UsageExtent::Everyday), [_], [word, ..]) =
        (&answer, &line.options[..], &line.targets[..])
    else {
        return Ok(answer.into());
    };
    match commands::find(word) {
        Some(command) => Ok(Invocation::CommandUsage { command: command.name }),
        None => Err(CliError::at(word, 0, "there is neither a topic nor a command of that name")
            .hint("diskspd --help lists both")),
    }
}

fn no_target(options: &[OptionOnLine]) -> CliError {
    let hint = match options {
        [only] if only.argument == b"-h" => {
            "for help type diskspd --help. -h is -Sh here (unbuffered, durable writes) and needs a target"
        }
        _ => "name at least one file or block device after the options; diskspd --help explains",
    };
    CliError::new("no target").hint(hint)
}

/// Refuses ranges, because `-o1..64` would be read as `-o1`.
fn no_ranges(line: &TypedLine) -> Result<(), CliError> {
    let ranged =
        line.options.iter().find(|given| given.flag.is_some_and(|flag| flag.takes_range(&given.value)));
    ranged.map_or(Ok(()), |given| {
        let name = given.flag.map_or(String::new(), |flag| flag.name.with_dashes());
        let what = format!("{name} has a range, but a run takes one value");
        let argument = given.attached();
        Err(CliError::at(argument.as_bytes(), name.len(), what).hint(foreign_options::sweep_of(line)))
    })
}

fn shaped_once(options: &[OptionOnLine], draft: &mut RunRequestBuilder) -> Result<(), CliError> {
    let given = |name: &str| options.iter().rfind(|option| option.is_long(name));
    let size = |option: &&OptionOnLine| option.is_letter(b'b') && option.value.first() != Some(&b's');
    let block = options.iter().find(size);
    let pattern = options.iter().find(|option| b"rsw".iter().any(|letter| option.is_letter(*letter)));
    if let Some(split) = given("bs-split").filter(|_| given("mix").is_none()) {
        let block = block.map(|_| {
            CliError::at(
                &split.argument,
                0,
                "--bs-split and -b both set the block \
             size",
            )
        });
        return block.map_or(Ok(()), |error| Err(error.hint("give one of them")));
    }
    let (Some(option), Some(value)) = (given("mix"), draft.mix.take()) else { return Ok(()) };
    draft.target.mix =
        mix::parse(&value).map_err(|problem| match option.offset == option.argument.len() {
            true => CliError::in_value(&value, 0, "--mix", problem),
            false => CliError::in_value(&option.argument, option.offset, "--mix", problem),
        })?;
    let outside = block.or(pattern).or(given("distribution")).or(given("bs-split"));
    outside.map_or(Ok(()), |outside| {
        let what = "with --mix it belongs into the parts";
        Err(CliError::at(&outside.argument, 0, what)
            .hint("put it into the parts, as in --mix '1:-b8K -r -w50'"))
    })
}

/// Reads the words after `rerun`: options of one invocation, the file, and devices that may be overwritten.
fn read_rerun(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let line = TypedLine::split(arguments)?;
    let (options, files) = (&line.options, &line.targets);
    let mut draft = RunRequestBuilder::default();
    for option in options {
        if option.flag.is_some_and(|flag| flag.scope != Scope::Invocation) {
            let what = "the record defines what to run and how";
            return Err(CliError::at(&option.argument, 0, what)
                .hint("run the profile with -X, or give the options to a run"));
        }
        option.read(&mut draft, &line)?;
    }
    measures_what_it_reports(options, &draft)?;
    let [file, devices @ ..] = &files[..] else {
        return Err(
            CliError::new("the record is missing").hint("a record is what --out FILE.json of a run writes")
        );
    };
    let permitted = devices.iter().map(|device| RawText::from(device.clone())).collect();
    uses_the_history(&draft, file.starts_with(b"@"))?;
    let record = RawText::from(file.clone()).as_path().to_owned();
    let request = draft.finish(RawText::default(), Vec::new());
    Ok(Invocation::Run(Box::new(RunRequest { record: Some(record), permitted, ..request })))
}

/// Reads the words after `fio`: its command line, with options of a run that go with `--fio` among them.
fn fio(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let (words, line) = fio_line::split(arguments)?;
    let typed: Vec<OsString> =
        ["diskspd", "fio"].map(OsString::from).into_iter().chain(arguments.iter().cloned()).collect();
    let mut read = read_without_preset(&line.with_leading_option("--fio=-"), line::join_arguments(&typed))?;
    if let Invocation::Run(request) = &mut read
        && let Some(from) = &mut request.profile_file
    {
        (from.form, from.words) = (ProfileForm::FioLine, words);
    }
    Ok(read)
}

fn first_pass(line: &TypedLine, draft: &mut RunRequestBuilder) -> Result<(), CliError> {
    let options = &line.options;
    let mut not_beside_profile: Option<&OptionOnLine> = None;
    let named = options.iter().find(|option| option.names_profile());
    let jobs = named.is_some_and(|option| option.is_long("fio"));
    let form = if jobs { ProfileForm::FioJobs } else { ProfileForm::Xml };
    for option in options.iter().filter(|option| option.is_compat()) {
        option.read(draft, line)?;
    }
    for option in options {
        if option.names_profile() && draft.profile_path.is_none() {
            if let Some(other) = not_beside_profile {
                return Err(other.beside_profile(form));
            }
        } else if !option.goes_with_profile() && !option.names_profile() {
            if draft.profile_path.is_some() {
                return Err(option.beside_profile(form));
            }
            not_beside_profile.get_or_insert(option);
        }
        if option.is_first_pass() {
            option.read(draft, line)?;
        }
    }
    Ok(())
}

fn system_alone(line: &TypedLine, draft: &RunRequestBuilder) -> Result<Invocation, CliError> {
    let rest = |option: &&OptionOnLine| !option.is_compat() && !option.is_letter(b'R');
    let options = line.options.iter();
    let reports = options.clone().filter(|option| option.is_letter(b'R')).skip(1);
    let others = options.filter(rest).chain(reports).map(|option| option.argument.as_slice());
    match others.chain(line.targets.iter().map(Vec::as_slice)).next() {
        None => Ok(Invocation::System { xml: draft.overrides.result_format == Some(ResultFormat::Xml) }),
        Some(other) => {
            Err(CliError::at(other, 0, "-Rs prints facts about this machine and takes no other options")
                .hint("leave out the rest, or use -R<text|xml>: a report has the same information"))
        }
    }
}

/// Refuses reports and logs with `-Rp` and `--dry-run`, which measure nothing.
fn measures_what_it_reports(options: &[OptionOnLine], draft: &RunRequestBuilder) -> Result<(), CliError> {
    let idle = match (draft.request.profile_only, draft.request.dry_run) {
        (true, _) => "-Rp",
        (_, true) => "--dry-run",
        _ => return Ok(()),
    };
    let of_a_run = |name| matches!(name, Name::Long("out" | "stream" | "io-log" | "repeat" | "save"));
    let asked = options.iter().find_map(|option| Some((option, option.flag.filter(|f| of_a_run(f.name))?)));
    match asked {
        None => Ok(()),
        Some((option, flag)) => {
            let name = flag.name.with_dashes();
            let what = format!("{name} and {idle} exclude each other: {idle} measures nothing");
            Err(CliError::at(&option.argument, 0, what).hint(format!(
                "leave out {name}; to keep the output of {idle} redirect it: diskspd ... > \
                               FILE"
            )))
        }
    }
}

fn uses_the_history(draft: &RunRequestBuilder, takes: bool) -> Result<(), CliError> {
    match draft.request.store.is_some() && draft.request.save.is_none() && !takes {
        true => Err(CliError::new("--store has no effect: this run is not kept in the history")
            .hint("add --save or --save=LABEL, or leave out --store")),
        false => Ok(()),
    }
}

impl OptionOnLine {
    fn read(&self, draft: &mut RunRequestBuilder, line: &TypedLine) -> Result<(), CliError> {
        let Some(flag) = self.flag else { return Err(self.unknown_option_error()) };
        // An explicit --compat requests DISKSPD's reading.
        if let Some(error) = self.foreign_error().filter(|_| draft.overrides.compat.is_none()) {
            return Err(error);
        }
        let told = draft.request.warnings.len();
        let list = || foreign_options::list(flag, &String::from_utf8_lossy(&self.value), line);
        let read = flag.apply(draft, &self.value);
        if let Some(dropped) = draft.request.warnings.get_mut(told) {
            dropped.remedy = list();
        }
        read.map_err(|problem| {
            let is_last = line.options.last().is_some_and(|last| std::ptr::eq(self, last));
            let next = line.targets.first().filter(|_| is_last);
            let detached = next.and_then(|next| self.with_value(draft, next));
            let hint = match detached {
                Some(spelling) => Some(format!("attach the value without a blank: {spelling}")),
                None => list().or_else(|| self.plain_sizes(draft)).or_else(|| problem.hint.clone()),
            };
            self.option_error(flag, ValueError { hint, ..problem })
        })
    }

    /// Reports `-rw=randread` and `-d=30`: DISKSPD reads the letter and ignores the rest.
    fn foreign_error(&self) -> Option<CliError> {
        let text = std::str::from_utf8(&self.argument).ok()?;
        if let Some(meant) = foreign::with_one_dash(text) {
            return Some(CliError::at(&self.argument, 1, "unknown option").hint(meant));
        }
        let flag = self.flag.filter(|flag| !flag.takes_any_text())?;
        let Name::Letter(letter) = flag.name else { return None };
        let value = text.get(self.offset..)?.strip_prefix('=')?;
        let name = char::from(letter);
        let error =
            CliError::at(&self.argument, self.offset, format!("-{name}: the value follows without '='"));
        Some(error.hint(match flag.takes_value() && !value.is_empty() {
            true => format!("use -{name}{value}"),
            false => format!("use {}", flag.forms[0].0),
        }))
    }

    /// Returns the sizes of `-b4KiB` and `-c1.5G` in DISKSPD's syntax.
    fn plain_sizes(&self, draft: &RunRequestBuilder) -> Option<String> {
        let plain = foreign::plain_sizes(std::str::from_utf8(&self.value).ok()?)?;
        let mut tried = draft.clone();
        let accepted = self.flag?.apply(&mut tried, plain.as_bytes()).is_ok();
        let as_typed = tried.request.warnings.len() == draft.request.warnings.len();
        (accepted && as_typed).then(|| format!("use {}", self.with(&plain).attached()))
    }

    fn option_error(&self, flag: &Flag, problem: ValueError) -> CliError {
        let name = flag.name.with_dashes();
        if self.is_apart() {
            // The value of a long option is an argument of its own.
            return CliError::in_value(&self.value, 0, &name, problem);
        }
        CliError::in_value(&self.argument, self.offset, &name, problem)
    }

    fn beside_profile(&self, form: ProfileForm) -> CliError {
        match self.flag {
            None => self.unknown_option_error(),
            Some(flag) => {
                let beside: Vec<String> = flags::all()
                    .filter(|flag| flag.with_profile && matches!(flag.name, Name::Letter(_)))
                    .map(|flag| flag.name.with_dashes())
                    .collect();
                let (file, place) = match form {
                    ProfileForm::Xml => ("an XML profile (-X)", "the profile"),
                    ProfileForm::FioJobs => ("a job file of fio (--fio)", "the job file"),
                    ProfileForm::FioLine => ("a command line of fio", "fio's options"),
                };
                let what = format!("{} and {file} exclude each other", flag.name.with_dashes());
                let (beside, option) = (beside.join(" "), form.option());
                CliError::at(&self.argument, 0, what).hint(format!(
                    "set it in {place}; only the letters {beside} -bs are allowed with \
                        {option}"
                ))
            }
        }
    }

    pub fn unknown_option_error(&self) -> CliError {
        let argument = self.argument.as_slice();
        let dashes = argument.iter().take_while(|b| **b == b'-').count();
        let error = CliError::at(argument, dashes, "unknown option");
        if argument == b"-" || argument == b"--" {
            return error
                .hint("options need no end mark; write ./-name for a target whose name begins with -");
        }
        if let Some(long) = self.as_long_option() {
            return error.hint(format!("did you mean {long}?"));
        }
        if let Some(meant) = std::str::from_utf8(argument).ok().and_then(foreign::with_one_dash) {
            return error.hint(meant);
        }
        let letter = || {
            let flag = suggest::letter_in_other_case(argument[1])?;
            let (name, help) = (flag.name.with_dashes(), flag.forms[0].1);
            Some(format!("did you mean {name}: {help}? Case matters."))
        };
        let meant = if dashes > 1 { commands::suggest_command(argument, &[]) } else { letter() };
        error.hint(meant.unwrap_or_else(|| "diskspd --help all lists all options".to_owned()))
    }
}

/// `-r 8k file` is accepted as random I/O on two targets; hardly anyone means that.
fn detached_value_warning(line: &TypedLine, draft: &RunRequestBuilder) -> Option<String> {
    let (last, first) = (line.options.last()?, line.targets.first()?);
    // The state before the option is unknown; use a new one with the same block size.
    let mut fresh = RunRequestBuilder::default();
    fresh.target.block_size = draft.target.block_size;
    let spelling = last.with_value(&fresh, first).filter(|_| line.targets.len() > 1)?;
    let shown = String::from_utf8_lossy(first);
    Some(format!(
        "'{shown}' is treated as a target; if it is the value of the option before it, write {spelling}"
    ))
}
