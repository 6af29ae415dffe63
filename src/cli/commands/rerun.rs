//! `diskspd rerun`.

use super::Command;
use crate::cli::command_line::Takes;

pub const RERUN: Command = Command {
    name: "rerun",
    arguments: "[<option> ..] <file.json>",
    help: "repeat a saved record's run, and list what has changed on the machine",
    options: &[],
    exclusive: &[],
    takes: Takes::Rerun,
    examples: &[
        ("diskspd rerun run.json", "run the same again"),
        ("diskspd rerun --out again.json @baseline", "run the latest run of a label again, and keep it"),
    ],
    make: |line| (line.readers.rerun)(&line.typed),
};
