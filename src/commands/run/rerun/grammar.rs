//! `diskspd rerun`.

use super::Command;
use crate::cli::command_line::Operands;

pub(super) const RERUN: Command = Command {
    name: "rerun",
    arguments: "[<option> ..] <file.json> [<device> ..]",
    help: "repeat a saved record's run and list changes of the machine; it writes only to devices that you \
           name here",
    options: &[],
    exclusive: &[],
    takes: Operands::Rerun,
    examples: &[
        ("diskspd rerun run.json", "run the same again"),
        ("diskspd rerun run.json /dev/nvme1n1", "permit writing to this device of the record"),
        ("diskspd rerun --out again.json @baseline", "run the latest run of a label again, and keep it"),
    ],
    make: |line| (line.readers.rerun)(&line.typed),
};
