//! Commands: first words that ask for something else than a run.

use super::error::CliError;
use super::{EventAction, Invocation, ReportRequest, Shell};
use crate::profile::RawText;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// A command: a row of the table that parser, help, man page and completions come from.
pub struct Command {
    /// The word.
    pub name: &'static str,
    /// What follows it, for the help; empty where nothing may follow.
    pub arguments: &'static str,
    /// One line of help.
    pub help: &'static str,
    read: fn(&[OsString]) -> Option<Invocation>,
}

impl Command {
    /// The words that may follow it, where they're known: `bash`, `zsh`, `fish`; `--json`.
    pub fn words(&self) -> Vec<&'static str> {
        let first = self.arguments.split(' ').next().unwrap_or_default();
        let first = first.trim_start_matches('[').trim_end_matches(']');
        if first.starts_with('<') || first.is_empty() { Vec::new() } else { first.split('|').collect() }
    }
}

/// All commands.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "report",
        arguments: "<file.json> [-v]",
        help: "print the text report of a saved record again; -v: with everything that was found about the run",
        read: |arguments| {
            let (file, verbose) = match arguments {
                [file] => (file, false),
                [file, option] | [option, file] if option == "-v" => (file, true),
                _ => return None,
            };
            Some(Invocation::Report(ReportRequest { file: file.into(), verbose }))
        },
    },
    Command {
        name: "devices",
        arguments: "[--json]",
        help: "list the block devices: number for #<n>, size, model, queue, who uses them",
        read: |arguments| match arguments {
            [] => Some(Invocation::Devices { json: false }),
            [option] if option == "--json" => Some(Invocation::Devices { json: true }),
            _ => None,
        },
    },
    Command {
        name: "doctor",
        arguments: "[<target> ..] [--json]",
        help: "say what about this machine, or beneath these targets, would distort figures: exit code 2 when anything would",
        read: |arguments| {
            let (options, targets): (Vec<_>, Vec<_>) =
                arguments.iter().partition(|argument| argument.as_bytes().starts_with(b"-"));
            let json = !options.is_empty();
            let known = options.iter().all(|option| *option == "--json");
            let targets = targets.iter().map(|target| RawText::from(target.as_bytes().to_vec())).collect();
            known.then_some(Invocation::Doctor { json, targets })
        },
    },
    Command {
        name: "event",
        arguments: "wait|set|reset <event>",
        help: "wait for an event of -ys, -yf, -yr, -yp, set it, or make it not set",
        read: |arguments| match arguments {
            [action, name] => {
                let action = match action.as_bytes() {
                    b"wait" => EventAction::Wait,
                    b"set" => EventAction::Set,
                    b"reset" => EventAction::Reset,
                    _ => return None,
                };
                Some(Invocation::Event { action, name: RawText::from(name.as_bytes().to_vec()) })
            }
            _ => None,
        },
    },
    Command {
        name: "man",
        arguments: "",
        help: "print the man page (roff): diskspd man | man -l -",
        read: |arguments| arguments.is_empty().then_some(Invocation::Man),
    },
    Command {
        name: "completions",
        arguments: "bash|zsh|fish",
        help: "print the completions of a shell",
        read: |arguments| match arguments {
            [shell] => Shell::from_name(shell.as_bytes()).map(Invocation::Completions),
            _ => None,
        },
    },
    Command {
        name: "compatibility",
        arguments: "",
        help: "print how each option relates to DISKSPD (Markdown)",
        read: |arguments| arguments.is_empty().then_some(Invocation::Compatibility),
    },
    Command {
        name: "help",
        arguments: "",
        help: "print the usage, as -? does",
        read: |arguments| arguments.is_empty().then_some(Invocation::Usage { no_arguments: false }),
    },
];

/// Reads a command line whose first word (behind the program name) is a command; `None` if it is not.
pub fn parse(arguments: &[OsString]) -> Option<Result<Invocation, CliError>> {
    let (word, rest) = arguments.split_first()?;
    let command = COMMANDS.iter().find(|command| command.name.as_bytes() == word.as_bytes())?;
    if let [only] = rest
        && ["-?", "--help"].contains(&only.to_str().unwrap_or_default())
    {
        return Some(Ok(Invocation::Usage { no_arguments: false }));
    }
    Some((command.read)(rest).ok_or_else(|| {
        let name = command.name;
        let usage = format!("diskspd {name} {}", command.arguments);
        CliError {
            expected: Some(usage.trim_end().to_owned()),
            hint: Some(format!("a target of that name is written ./{name}")),
            ..CliError::new(format!("the command {name} is not used that way"))
        }
    }))
}
