//! A command of the program: its name, its options and its parser.

use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::flag::{Form, Scope};
use crate::cli::give_up::GIVE_UP;
use crate::cli::option::{HELP, OptionRow};
use crate::cli::{Invocation, fio_line, flags};

/// A command: a row of the table that parser, help, man page and completions come from.
pub(crate) struct Command {
    pub name: &'static str,
    pub arguments: &'static str,
    pub help: &'static str,
    pub(super) options: &'static [OptionRow],
    /// Groups of mutually exclusive options.
    pub(super) exclusive: &'static [&'static [OptionRow]],
    pub takes: Operands,
    /// Example command lines with descriptions, at least two if there are any.
    pub examples: &'static [Form],
    pub(super) make: fn(CommandLine) -> Result<Invocation, CliError>,
}

impl Command {
    /// Returns its options without `--help`. For a repeated run, these are the long options of a single
    /// invocation.
    pub(crate) fn rows(&self) -> Vec<OptionRow> {
        match self.takes {
            Operands::Rerun => {
                let of_one = flags::all().filter(|flag| flag.scope == Scope::Invocation);
                of_one.filter(|flag| flag.long().is_some()).map(OptionRow::from_flag).collect()
            }
            // fio's options come first: they hide ours with the same name.
            Operands::Fio => fio_line::own_flags().map(OptionRow::from_flag).collect(),
            _ => self.options.to_vec(),
        }
    }

    /// Returns the command's options, and the options of every command.
    pub(crate) fn rows_and_help(&self) -> Vec<OptionRow> {
        let mut rows = self.rows();
        if !rows.iter().any(|row| row.name == GIVE_UP.name) {
            rows.push(GIVE_UP);
        }
        rows.push(HELP);
        rows
    }

    pub(crate) fn takes_options_of_runs(&self) -> bool {
        matches!(self.takes, Operands::Line | Operands::LineBehind | Operands::LineWith { .. })
    }

    /// Returns the usage line: `diskspd report <file.json> [-v]`.
    pub(crate) fn usage(&self) -> String {
        format!("diskspd {} {}", self.name, self.arguments).trim_end().to_owned()
    }

    pub(super) fn has_option(&self, name: &str) -> bool {
        self.rows().iter().any(|row| row.name.strip_prefix("--") == Some(name))
    }
}
