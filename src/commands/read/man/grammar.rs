//! Commands that print the program's own texts.

use super::Command;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::requests::Shell;
use crate::cli::topics::TOPICS;
use crate::cli::{Invocation, UsageExtent};

pub(super) const MAN: Command = Command {
    name: "man",
    arguments: "[<command>]",
    help: "show the man page of the program or of a command in the pager; redirected, print roff",
    options: &[],
    exclusive: &[],
    takes: Operands::CommandOr(Vec::new),
    examples: &[
        ("diskspd man", "read the page of the program"),
        ("diskspd man sweep", "read the page of a command"),
    ],
    make: |line| Ok(Invocation::Man { command: command_named(&line, only_word(&line)?) }),
};

pub(super) const COMPLETIONS: Command = Command {
    name: "completions",
    arguments: "bash|zsh|fish|powershell",
    help: "print the completions of a shell",
    options: &[],
    exclusive: &[],
    takes: Operands::OneOf(|| vec!["bash", "zsh", "fish", "powershell"]),
    examples: &[
        ("diskspd completions bash", "print them; load them now: source <(diskspd completions bash)"),
        (
            "diskspd completions fish",
            "print completions for fish; save them as ~/.config/fish/completions/diskspd.fish",
        ),
        (
            "diskspd completions powershell",
            "print completions for PowerShell; load them now: add | Out-String | Invoke-Expression",
        ),
    ],
    make: |line| match only_word(&line)? {
        Some(b"bash") => Ok(Invocation::Completions(Shell::Bash)),
        Some(b"zsh") => Ok(Invocation::Completions(Shell::Zsh)),
        Some(b"fish") => Ok(Invocation::Completions(Shell::Fish)),
        Some(b"powershell") => Ok(Invocation::Completions(Shell::PowerShell)),
        _ => Err(line.wrong()),
    },
};

pub(super) const COMPATIBILITY: Command = Command {
    name: "compatibility",
    arguments: "",
    help: "print how each option relates to DISKSPD (Markdown)",
    options: &[],
    exclusive: &[],
    takes: Operands::Nothing,
    examples: &[],
    make: |_| Ok(Invocation::Compatibility),
};

pub(super) const HELP_COMMAND: Command = Command {
    name: "help",
    arguments: "[<command>|<topic>|all]",
    help: "print the common options by topic, as --help does; all of a topic or of a command",
    options: &[],
    exclusive: &[],
    takes: Operands::CommandOr(|| TOPICS.to_vec()),
    examples: &[
        ("diskspd help caching", "all options of caching"),
        ("diskspd help sweep", "a command and its options"),
    ],
    make: |line| {
        let word = only_word(&line)?;
        let usage = || word.and_then(UsageExtent::from_word).unwrap_or(UsageExtent::Everyday);
        Ok(match command_named(&line, word) {
            Some(command) => Invocation::CommandUsage { command },
            None => Invocation::Usage(usage()),
        })
    },
};

fn command_named(line: &CommandLine, word: Option<&[u8]>) -> Option<&'static str> {
    (line.readers.commands)().into_iter().find(|name| Some(name.as_bytes()) == word)
}

/// Returns the only permitted word, if it is given.
fn only_word(line: &CommandLine) -> Result<Option<&[u8]>, CliError> {
    match &line.words[..] {
        [] => Ok(None),
        [word] => Ok(Some(word.as_encoded_bytes())),
        _ => Err(line.wrong()),
    }
}
