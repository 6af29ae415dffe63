//! `diskspd convert`: its grammar.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Takes};
use crate::cli::error::CliError;
use crate::cli::option::{OUT, OptionRow, QUIET};
use crate::cli::requests::ConvertRequest;

const PROFILE: OptionRow = OUT.here("write the profile to this file, as XML for -X; - is standard output");
const UNTOLD: OptionRow = QUIET.here("print no notes about differences");

pub const CONVERT: Command = Command {
    name: "convert",
    arguments: "<file> [--out <file.xml>]",
    help: "convert a job file of fio, or an XML profile, into a command line or a profile, and run nothing \
           (docs/reference/fio-jobs.md)",
    options: &[PROFILE, UNTOLD],
    exclusive: &[],
    takes: Takes::Files,
    examples: &[
        ("diskspd convert job.fio", "print the command line that does what the job does"),
        ("diskspd convert job.fio --out job.xml", "write a profile, and print how to run it"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    match &line.files()[..] {
        [file] => {
            let (file, out, quiet) = (file.clone(), line.path(&PROFILE)?, line.has(&UNTOLD));
            Ok(Invocation::Convert(ConvertRequest { file, out, quiet }))
        }
        [] => Err(CliError::new("convert: no file is named").hint("diskspd convert job.fio")),
        _ => Err(CliError::new("convert: one file at a time").hint("convert them one after the other")),
    }
}
