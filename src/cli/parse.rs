//! The parser: DISKSPD's two passes over the options, with the flag table as dispatch.

use super::command_line::RunReaders;
use super::draft::Draft;
use super::error::{CliError, Problem};
use super::flag::{Flag, Name, Read, Scope};
use super::{Invocation, RunRequest, UsageExtent, commands, flags, meant, mix, preset, suggest};
use crate::finding::Finding;
use crate::profile::{RawText, ResultFormat};
use std::ffi::OsString;
use std::iter::Peekable;

/// One option of the command line.
struct Given<'a> {
    /// The argument as typed.
    argument: &'a [u8],
    /// Its row; `None` = unknown.
    flag: Option<&'static Flag>,
    /// Its value; for a long option possibly the next argument.
    value: &'a [u8],
    /// Where the value begins in the argument: behind the letter or the `=`, else at the end.
    offset: usize,
}

/// Understands a command line. `arguments[0]` is the program's name; the profile keeps all arguments,
/// joined by single blanks.
///
/// Order of judgement, which decides which of several errors is told: commands; an option behind a target;
/// options that may stand beside a profile, `-b` and `-X`; all other options; missing targets.
pub fn parse(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let mut read = understand(arguments).map_err(suggest::naming_foreign_dash)?;
    if let Invocation::Run(request) = &mut read {
        request.typed = arguments.to_vec();
    }
    Ok(read)
}

fn understand(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let command_line = RawText::from(join(arguments));
    let arguments = arguments.get(1..).unwrap_or_default();
    if arguments.is_empty() {
        return Ok(Invocation::Usage(UsageExtent::First));
    }
    let arguments = &*commands::with_command_first(arguments);
    if let Some(command) = commands::parse(arguments, RunReaders { line: parse, rerun }) {
        return command;
    }

    if let Some((preset, rest)) = preset::split(arguments)? {
        return preset::request(preset, &rest, command_line, understand);
    }
    let (options, targets) = split(arguments)?;
    no_ranges(&options)?;
    let mut draft = Draft::default();
    first_pass(&options, &targets, &mut draft)?;
    if draft.system_only {
        return system_alone(&options, &targets, &draft);
    }
    for option in options.iter().filter(|option| !option.is_first_pass()) {
        if let Err(error) = option.read(&mut draft, &options, &targets) {
            return Err(CliError { set_events: draft.set_events.into(), ..error });
        }
        if let Some(answer) = draft.answer.take() {
            return Ok(answer);
        }
    }
    if !draft.set_events.is_empty() {
        return Ok(Invocation::SetEvent { names: draft.set_events });
    }
    shaped_once(&options, &mut draft)?;
    measures_what_it_reports(&options, &draft)?;
    uses_the_history(&draft, false)?;
    if targets.is_empty() && draft.profile_path.is_none() {
        return Err(no_target(&options));
    }
    draft.request.warnings.extend(detached_value_warning(&options, &targets, &draft).map(Finding::warning));
    let paths = targets.iter().map(|path| RawText::from(path.to_vec())).collect();
    Ok(Invocation::Run(Box::new(draft.finish(command_line, paths))))
}

/// Who types `-h` alone wants to be helped.
fn no_target(options: &[Given]) -> CliError {
    let hint = match options {
        [only] if only.argument == b"-h" => {
            "diskspd --help explains the options. -h is one of them: past the page cache with durable \
             writes, as -Sh; name a target behind it"
        }
        _ => "name at least one file or block device behind the options; diskspd --help explains",
    };
    CliError::new("no target").hint(hint)
}

/// `-o1..64` would be read as `-o1`.
fn no_ranges(options: &[Given]) -> Result<(), CliError> {
    let arguments: Vec<OsString> = options
        .iter()
        .filter(|option| option.flag.is_some() && option.value.windows(2).any(|two| two == b".."))
        .filter_map(Given::as_one_argument)
        .collect();
    match crate::lab::sweep::axes(&arguments).unwrap_or_default().first() {
        None => Ok(()),
        Some(axis) => {
            let argument = arguments[axis.place()].as_encoded_bytes();
            let what = format!("{} has a range, but a run takes one value", axis.option);
            Err(CliError::at(argument, axis.option.len(), what)
                .hint(meant::sweep_of(&arguments[axis.place()].to_string_lossy())))
        }
    }
}

/// Reads `--mix`; what its parts say, or `--bs-split`, nothing else says.
fn shaped_once(options: &[Given], draft: &mut Draft) -> Result<(), CliError> {
    let given = |name: &str| options.iter().rfind(|option| option.is_long(name));
    let size = |option: &&Given| option.is_letter(b'b') && option.value.first() != Some(&b's');
    let block = options.iter().find(size);
    let pattern = options.iter().find(|option| b"rsw".iter().any(|letter| option.is_letter(*letter)));
    if let Some(split) = given("bs-split").filter(|_| given("mix").is_none()) {
        let block = block.map(|_| {
            CliError::at(
                split.argument,
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
            false => CliError::in_value(option.argument, option.offset, "--mix", problem),
        })?;
    let outside = block.or(pattern).or(given("distribution")).or(given("bs-split"));
    outside.map_or(Ok(()), |outside| {
        let what = "the parts of --mix set that individually";
        Err(CliError::at(outside.argument, 0, what)
            .hint("put it into the parts, as in --mix '1:-b8K -r -w50'"))
    })
}

/// What follows `rerun`: options of one invocation, and the file.
fn rerun(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let (options, files) = split(arguments)?;
    let mut draft = Draft::default();
    for option in &options {
        if option.flag.is_some_and(|flag| flag.scope != Scope::Invocation) {
            let what = "the record defines what to run and how";
            return Err(CliError::at(option.argument, 0, what)
                .hint("run the profile with -X, or give the options to a run"));
        }
        option.read(&mut draft, &options, &files)?;
    }
    measures_what_it_reports(&options, &draft)?;
    let [file] = files[..] else {
        let what = if files.is_empty() { "the record is missing" } else { "one record at a time" };
        return Err(CliError::new(what).hint("a record is what --out FILE.json of a run writes"));
    };
    uses_the_history(&draft, file.starts_with(b"@"))?;
    let record = RawText::from(file.to_vec()).as_path().to_owned();
    let request = draft.finish(RawText::default(), Vec::new());
    Ok(Invocation::Run(Box::new(RunRequest { record: Some(record), ..request })))
}

fn join(arguments: &[OsString]) -> Vec<u8> {
    arguments.iter().map(|argument| argument.as_encoded_bytes()).collect::<Vec<_>>().join(&b' ')
}

/// Splits the arguments into options and, behind all of them, targets.
fn split(arguments: &[OsString]) -> Result<(Vec<Given<'_>>, Vec<&[u8]>), CliError> {
    let mut options: Vec<Given> = Vec::new();
    let mut targets: Vec<&[u8]> = Vec::new();
    let mut rest = arguments.iter().map(|argument| argument.as_encoded_bytes()).peekable();
    while let Some(argument) = rest.next() {
        if argument.first() != Some(&b'-') {
            if suggest::foreign_dash(argument).is_some_and(|dash| dash.position == 0) {
                return Err(CliError::at(argument, 0, "this is no option")
                    .hint("for a file of that name write ./ before it"));
            }
            targets.push(argument);
            continue;
        }
        if let Some(target) = targets.first() {
            return Err(option_after_target(argument, target, &options));
        }
        options.push(Given::new(argument, &mut rest)?);
    }
    Ok((options, targets))
}

fn option_after_target(argument: &[u8], target: &[u8], options: &[Given]) -> CliError {
    let shown = String::from_utf8_lossy(target);
    let error = CliError::at(argument, 0, format!("an option stands behind the target '{shown}'"));
    match options.last().and_then(|option| option.with_value(&Draft::default(), target)) {
        Some(spelling) => error.hint(format!("if '{shown}' is a value, attach it: {spelling}")),
        None => error
            .hint("put all options before all targets; write ./-name for a target whose name begins with -"),
    }
}

/// Reads the first-pass options and judges what may stand beside `-X`.
fn first_pass(options: &[Given], targets: &[&[u8]], draft: &mut Draft) -> Result<(), CliError> {
    let mut not_beside_profile: Option<&Given> = None;
    for option in options.iter().filter(|option| option.is_compat()) {
        option.read(draft, options, targets)?;
    }
    for option in options {
        if option.is_letter(b'X') && draft.profile_path.is_none() {
            if let Some(other) = not_beside_profile {
                return Err(other.beside_profile());
            }
        } else if !option.goes_with_profile() && !option.is_letter(b'X') {
            if draft.profile_path.is_some() {
                return Err(option.beside_profile());
            }
            not_beside_profile.get_or_insert(option);
        }
        if option.is_first_pass() {
            option.read(draft, options, targets)?;
        }
    }
    Ok(())
}

/// `-Rs` stands alone.
fn system_alone(options: &[Given], targets: &[&[u8]], draft: &Draft) -> Result<Invocation, CliError> {
    let rest = |option: &&Given| !option.is_compat() && !option.is_letter(b'R');
    let others = options.iter().filter(|option| option.is_letter(b'R')).skip(1).map(|option| option.argument);
    let others = options.iter().filter(rest).map(|option| option.argument).chain(others);
    match others.chain(targets.iter().copied()).next() {
        None => Ok(Invocation::System { xml: draft.overrides.result_format == Some(ResultFormat::Xml) }),
        Some(other) => Err(CliError::at(other, 0, "-Rs runs nothing and excludes all other options")
            .hint("leave out the rest, or use -R<text|xml>: a report has the same information")),
    }
}

/// `-Rp` and `--dry-run` end before there is anything to report or to log.
fn measures_what_it_reports(options: &[Given], draft: &Draft) -> Result<(), CliError> {
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
            Err(CliError::at(option.argument, 0, what).hint(format!(
                "leave out {name}; to keep the output of {idle} redirect it: diskspd ... > \
                               FILE"
            )))
        }
    }
}

/// The folder of a history that nothing is put into, nor taken from (`takes`), would be given in vain.
fn uses_the_history(draft: &Draft, takes: bool) -> Result<(), CliError> {
    match draft.request.store.is_some() && draft.request.save.is_none() && !takes {
        true => Err(CliError::new("--store has no effect: this run isn't kept in the history")
            .hint("add --save or --save=LABEL, or leave out --store")),
        false => Ok(()),
    }
}

impl<'a> Given<'a> {
    /// Looks the argument up in the table; a long option may take its value from `rest`.
    fn new(
        argument: &'a [u8],
        rest: &mut Peekable<impl Iterator<Item = &'a [u8]>>,
    ) -> Result<Given<'a>, CliError> {
        let Some(long) = argument.strip_prefix(b"--") else {
            let offset = argument.len().min(2);
            let given = Given { argument, flag: None, value: &argument[offset..], offset };
            // `-dry-run` would pass as `-d0`, `-help` as `-h`: too dangerous to read that way.
            if given.as_long_option().is_some() {
                return Ok(given);
            }
            let flag = argument.get(1).and_then(|letter| flags::find(|name| name == Name::Letter(*letter)));
            return Ok(Given { flag, ..given });
        };
        let equals = long.iter().position(|b| *b == b'=');
        let name = &long[..equals.unwrap_or(long.len())];
        let flag = flags::find(|n| matches!(n, Name::Long(long) if long.as_bytes() == name));
        let (value, offset) = match (equals, flag) {
            (Some(at), Some(flag)) if !flag.takes_value() => {
                let what = format!("{} takes no value", flag.name.with_dashes());
                return Err(CliError::at(argument, at + 2, what));
            }
            (Some(at), _) => (&long[at + 1..], at + 3),
            (None, Some(flag)) if flag.needs_value() => match rest.next() {
                Some(value) => (value, argument.len()),
                None => {
                    let what = format!("{}: the value is missing", flag.name.with_dashes());
                    return Err(CliError::at(argument, argument.len(), what)
                        .hint(format!("write {}", flag.forms[0].0)));
                }
            },
            (None, Some(flag)) => match rest.next_if(|next| flag.takes_word(next)) {
                Some(value) => (value, argument.len()),
                None => (&long[long.len()..], argument.len()),
            },
            (None, None) => (&long[long.len()..], argument.len()),
        };
        Ok(Given { argument, flag, value, offset })
    }

    /// With its value attached; `None` = it can't be spoken.
    fn as_one_argument(&self) -> Option<OsString> {
        let argument = std::str::from_utf8(self.argument).ok()?;
        let value = std::str::from_utf8(self.value).ok()?;
        let apart = self.offset == argument.len() && !value.is_empty();
        Some(if apart { format!("{argument}={value}") } else { argument.to_owned() }.into())
    }

    fn is_letter(&self, letter: u8) -> bool {
        self.flag.is_some_and(|flag| flag.name == Name::Letter(letter))
    }

    fn is_long(&self, name: &str) -> bool {
        self.flag.is_some_and(|flag| matches!(flag.name, Name::Long(known) if known == name))
    }

    fn is_compat(&self) -> bool {
        self.flag.is_some_and(|flag| flag.name == Name::Long("compat"))
    }

    /// Whether it may stand beside an XML profile.
    fn goes_with_profile(&self) -> bool {
        let separation = self.is_letter(b'b') && self.value.first() == Some(&b's');
        separation || self.flag.is_some_and(|flag| flag.with_profile)
    }

    fn is_first_pass(&self) -> bool {
        self.flag.is_some_and(Flag::is_first_pass)
    }

    /// Reads the option into the draft.
    fn read(&self, draft: &mut Draft, options: &[Given], targets: &[&[u8]]) -> Result<(), CliError> {
        let Some(flag) = self.flag else { return Err(self.unknown()) };
        let told = draft.request.warnings.len();
        let list = || meant::list(&flag.name.with_dashes(), &String::from_utf8_lossy(self.value));
        let read = flag.apply(draft, self.value);
        if let Some(dropped) = draft.request.warnings.get_mut(told) {
            dropped.remedy = list();
        }
        read.map_err(|problem| {
            let is_last = options.last().is_some_and(|last| std::ptr::eq(self, last));
            let next = targets.first().filter(|_| is_last);
            let detached = next.and_then(|next| self.with_value(draft, next));
            let hint = match detached {
                Some(spelling) => Some(format!("attach the value without a blank: {spelling}")),
                None => list().or_else(|| problem.hint.clone()),
            };
            self.error(flag, Problem { hint, ..problem })
        })
    }

    fn error(&self, flag: &Flag, problem: Problem) -> CliError {
        let name = flag.name.with_dashes();
        if self.offset == self.argument.len() && !self.value.is_empty() {
            // The value of a long option is an argument of its own.
            return CliError::in_value(self.value, 0, &name, problem);
        }
        CliError::in_value(self.argument, self.offset, &name, problem)
    }

    /// The right spelling, if this option has no value yet and `next`, a number or keyword, would make one.
    fn with_value(&self, draft: &Draft, next: &[u8]) -> Option<String> {
        if let Some(flag) = self.flag.filter(|flag| matches!(flag.read, Read::Optional(_))) {
            let number = !next.is_empty() && next.iter().all(u8::is_ascii_digit);
            let name = flag.name.with_dashes();
            return (number && self.value.is_empty())
                .then(|| format!("{name}={}", String::from_utf8_lossy(next)));
        }
        let flag =
            self.flag.filter(|flag| self.offset == 2 && self.value.is_empty() && flag.takes_value())?;
        let plausible = match flag.read {
            // Lenient integers would take any text.
            Read::Integer { .. } => next.iter().all(u8::is_ascii_digit),
            _ => {
                let keyword = flag.values.iter().any(|value| value.as_bytes() == next);
                let number = next.first().is_some_and(u8::is_ascii_digit);
                keyword || number || flag.apply(&mut draft.clone(), b"").is_err()
            }
        };
        let accepted = !next.is_empty() && plausible && flag.apply(&mut draft.clone(), next).is_ok();
        accepted.then(|| format!("{}{}", flag.name.with_dashes(), String::from_utf8_lossy(next)))
    }

    /// `-version`, with one dash: the long option that was meant.
    fn as_long_option(&self) -> Option<String> {
        let name = self.argument[1..].split(|b| *b == b'=').next()?;
        let flag = flags::find(|n| matches!(n, Name::Long(long) if long.as_bytes() == name))?;
        Some(flag.name.with_dashes())
    }

    fn beside_profile(&self) -> CliError {
        match self.flag {
            None => self.unknown(),
            Some(flag) => {
                let beside: Vec<String> = flags::all()
                    .filter(|flag| flag.with_profile && matches!(flag.name, Name::Letter(_)))
                    .map(|flag| flag.name.with_dashes())
                    .collect();
                let what = format!("{} and an XML profile (-X) exclude each other", flag.name.with_dashes());
                CliError::at(self.argument, 0, what)
                    .hint(format!("set it in the profile; beside -X only {} may stand", beside.join(" ")))
            }
        }
    }

    fn unknown(&self) -> CliError {
        let argument = self.argument;
        let dashes = argument.iter().take_while(|b| **b == b'-').count();
        let error = CliError::at(argument, dashes, "unknown option");
        if argument == b"-" || argument == b"--" {
            return error
                .hint("options need no end mark; write ./-name for a target whose name begins with -");
        }
        if let Some(long) = self.as_long_option() {
            return error.hint(format!("did you mean {long}?"));
        }
        let letter = || {
            let flag = suggest::letter_in_other_case(argument[1])?;
            let (name, help) = (flag.name.with_dashes(), flag.forms[0].1);
            Some(format!("did you mean {name}: {help}? Case matters."))
        };
        let meant = if dashes > 1 { commands::meant(argument, &[]) } else { letter() };
        error.hint(meant.unwrap_or_else(|| "diskspd --help all lists all options".to_owned()))
    }
}

/// `-r 8k file` is accepted as random I/O on two targets; hardly anyone means that.
fn detached_value_warning(options: &[Given], targets: &[&[u8]], draft: &Draft) -> Option<String> {
    let (last, first) = (options.last()?, targets.first()?);
    // The state before the option is gone; judge by a fresh one with the same block size.
    let mut fresh = Draft::default();
    fresh.target.block_size = draft.target.block_size;
    let spelling = last.with_value(&fresh, first).filter(|_| targets.len() > 1)?;
    let shown = String::from_utf8_lossy(first);
    Some(format!(
        "'{shown}' is treated as a target; if it is the value of the option before it, write {spelling}"
    ))
}
