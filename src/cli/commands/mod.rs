//! Commands: first words with a purpose other than a run. The grammar of each is in the folder of its
//! action (`src/commands`), next to its request. The grammar is a module of `cli`, so it cannot use actions.

mod command;

#[path = "../../commands/compare/baseline/grammar.rs"]
mod baseline;
#[path = "../../commands/compare/grammar/mod.rs"]
mod compare;
#[path = "../../commands/read/convert/grammar.rs"]
mod convert;
#[path = "../../commands/machine/devices/grammar.rs"]
mod devices;
#[path = "../../commands/machine/doctor/grammar.rs"]
mod doctor;
#[path = "../../commands/machine/event/grammar.rs"]
mod event;
#[path = "../../commands/run/fio/grammar.rs"]
mod fio;
#[path = "../../commands/history/grammar.rs"]
mod history;
#[path = "../../commands/cluster/hosts/grammar.rs"]
mod hosts;
#[path = "../../commands/run/judge/grammar.rs"]
mod judge;
#[path = "../../commands/read/merge/grammar.rs"]
mod merge;
#[path = "../../commands/experiments/precondition/grammar.rs"]
mod precondition;
#[path = "../../commands/read/preset/grammar.rs"]
mod preset;
#[path = "../../commands/read/report/grammar.rs"]
mod report;
#[path = "../../commands/run/rerun/grammar.rs"]
mod rerun;
#[path = "../../commands/experiments/suite/grammar.rs"]
mod suite;
#[path = "../../commands/experiments/sweep/grammar.rs"]
mod sweep;
#[path = "../../commands/read/man/grammar.rs"]
mod texts;
#[path = "../../commands/read/trace/grammar.rs"]
mod trace;
#[path = "../../commands/run/verify_after/grammar.rs"]
mod verify_after;

use super::command_line::{CommandLine, Operands, RunReaders};
use super::error::CliError;
use super::flag::long_name;
use super::option::OptionRow;
use super::{Invocation, foreign_options, suggest};
use crate::profile::RawText;
pub(super) use command::Command;
pub use hosts::is_plain_path;
use std::borrow::Cow;
use std::ffi::OsString;

pub(super) const COMMANDS: &[Command] = &[
    report::REPORT,
    merge::MERGE,
    judge::JUDGE,
    hosts::HOSTS,
    rerun::RERUN,
    preset::PRESET,
    sweep::SWEEP,
    suite::SUITE,
    baseline::BASELINE,
    precondition::PRECONDITION,
    trace::TRACE,
    convert::CONVERT,
    fio::FIO,
    history::HISTORY,
    compare::COMPARE,
    verify_after::VERIFY_AFTER,
    devices::DEVICES,
    doctor::DOCTOR,
    event::EVENT,
    texts::MAN,
    texts::COMPLETIONS,
    texts::COMPATIBILITY,
    texts::HELP_COMMAND,
];

pub(super) fn find(name: &[u8]) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name.as_bytes() == name)
}

pub(super) fn all_names() -> Vec<&'static str> {
    COMMANDS.iter().map(|command| command.name).collect()
}

/// Whether a command line, valid or not, requests the exit codes of `git bisect run`.
pub fn is_bisection(arguments: &[OsString]) -> bool {
    let own = arguments.iter().skip(1).take_while(|word| *word != "--");
    arguments.get(1).is_some_and(|word| word == "compare" || word == "baseline")
        && own.into_iter().any(|word| {
            let name = word.as_encoded_bytes().split(|byte| *byte == b'=').next();
            name == Some(compare::BISECT.name.as_bytes())
        })
}

/// Returns the names of all commands except `help`.
pub fn names() -> Vec<&'static str> {
    all_names().into_iter().filter(|name| *name != "help").collect()
}

/// The option that is a command too, at the front of a line, as its word.
pub(super) fn with_command_first(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    const OPTION: &str = "--verify-after";
    let Some((first, rest)) = arguments.split_first() else { return Cow::Borrowed(arguments) };
    let journal = match first.as_encoded_bytes().strip_prefix(OPTION.as_bytes()) {
        Some([]) => None,
        Some([b'=', value @ ..]) => Some(RawText::from(value.to_vec()).as_path().as_os_str().to_owned()),
        _ => return Cow::Borrowed(arguments),
    };
    [OsString::from(&OPTION[2..])].into_iter().chain(journal).chain(rest.iter().cloned()).collect()
}

/// Reads a command line whose first word after the program name is a command; `None` if it is not.
pub(super) fn parse(arguments: &[OsString], readers: RunReaders) -> Option<Result<Invocation, CliError>> {
    let (word, rest) = arguments.split_first()?;
    let command = find(word.as_encoded_bytes())?;
    // Words after -- may belong to another program.
    let own = if matches!(command.takes, Operands::Program) {
        rest.split(|word| word == "--").next()
    } else {
        Some(rest)
    };
    if own.into_iter().flatten().any(|argument| argument == "-?" || argument == "--help") {
        return Some(Ok(Invocation::CommandUsage { command: command.name }));
    }
    let read = CommandLine::read(command.name, command.options, command.takes, rest, readers);
    let made = read.and_then(|line| {
        line.refuse_both(command.exclusive)?;
        (command.make)(line)
    });
    Some(made.map_err(|error| explain_error(error, command)))
}

fn explain_error(mut error: CliError, command: &Command) -> CliError {
    if let Some(place) = error.place.as_ref().filter(|_| error.unknown_option)
        && let Some(suggest_command) = suggest_command(&place.argument, &command.rows())
    {
        error.hint = Some(
            error.hint.map_or_else(|| suggest_command.clone(), |all| format!("{suggest_command}; {all}")),
        );
    }
    let mut more = format!("see diskspd {} --help", command.name);
    if error.place.is_none() {
        more += &format!("; for a target of that name write ./{}", command.name);
    }
    CliError {
        expected: error.expected.or_else(|| Some(command.usage())),
        hint: error.hint.or(Some(more)),
        ..error
    }
}

/// Returns a suggestion for an unknown long option; `here`: the options of the command, empty for a run.
/// `None` if there is no suggestion.
pub(super) fn suggest_command(argument: &[u8], here: &[OptionRow]) -> Option<String> {
    let text = String::from_utf8_lossy(argument);
    let name = long_name(&text)?;
    let elsewhere = COMMANDS.iter().filter(|command| command.has_option(name)).map(|command| command.name);
    foreign_options::option(argument, here, &elsewhere.collect::<Vec<_>>())
}

/// The command that was probably meant by the first word of a command line. It is taken as a target, and is
/// one if there is such a file.
pub fn nearly(arguments: &[OsString]) -> Option<(RawText, String)> {
    let word = arguments.get(1)?.as_encoded_bytes();
    if word.first() == Some(&b'-') || word.contains(&b'/') || find(word).is_some() {
        return None;
    }
    let meant =
        command_of_action(word).or_else(|| suggest::nearest(&all_names(), word).map(str::to_owned))?;
    Some((RawText::from(word.to_vec()), meant))
}

/// The command and its action, if the word is an action: `history import` for `import`.
fn command_of_action(word: &[u8]) -> Option<String> {
    let actions = COMMANDS.iter().filter_map(|command| match command.takes {
        Operands::OneOf(actions) => Some((command.name, actions())),
        _ => None,
    });
    let mut meant = actions.filter_map(|(command, actions)| {
        let action = actions.into_iter().find(|action| action.as_bytes() == word)?;
        Some(format!("{command} {action}"))
    });
    meant.next()
}

#[cfg(test)]
mod tests;
