//! `diskspd convert`: its grammar.

use super::Command;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::{OUT, OptionRow, QUIET};
use crate::cli::requests::{ConvertRequest, ConvertSource};
use crate::cli::{Invocation, fio_line};

const PROFILE: OptionRow =
    OUT.with_help("write the profile to this file, as XML for -X; - is standard output");
const QUIET_CONVERT: OptionRow = QUIET.with_help("print no notes about differences");

pub(super) const CONVERT: Command = Command {
    name: "convert",
    arguments: "<file>|fio <fio's option> .. [--out <file.xml>]",
    help: "convert a job file or command line of fio, or an XML profile, into a command line or a profile, \
           and run nothing (docs/reference/fio-jobs.md)",
    options: &[PROFILE, QUIET_CONVERT],
    exclusive: &[],
    takes: Operands::FilesOrFio,
    examples: &[
        ("diskspd convert job.fio", "print the command line that is equivalent to the job"),
        ("diskspd convert job.fio --out job.xml", "write a profile, and print how to run it"),
        ("diskspd convert fio --name=x --rw=randread --size=1g", "convert a command line of fio"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let (out, quiet) = (line.path(&PROFILE)?, line.has_option(&QUIET_CONVERT));
    let request = |source| Ok(Invocation::Convert(ConvertRequest { source, out, quiet }));
    if let Some(words) = &line.line {
        let (words, ours) = fio_line::split(words)?;
        return match ours.options.first() {
            None => request(ConvertSource::FioLine(words)),
            Some(given) => Err(CliError::at(&given.argument, 0, "convert runs nothing")
                .hint("leave it out, or run the line: diskspd fio ..")),
        };
    }
    match &line.files()[..] {
        [file] => request(ConvertSource::File(file.clone())),
        [] => Err(CliError::new("convert: no file is named").hint("diskspd convert job.fio")),
        _ => Err(CliError::new("convert: one file at a time").hint("convert them sequentially")),
    }
}
