//! `diskspd doctor`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::Operands;
use crate::cli::option::{AS_JSON, OptionRow, switch};

const PRIVILEGES: OptionRow =
    switch("--privileges", "list the rights that each feature needs, and whether this process has them");

pub(super) const DOCTOR: Command = Command {
    name: "doctor",
    arguments: "[<target> ..] [--json], or --privileges",
    help: "check this machine, or the storage of these targets, for anything that distorts figures: exit \
           code 2 if there is any",
    options: &[AS_JSON, PRIVILEGES],
    exclusive: &[&[AS_JSON, PRIVILEGES]],
    takes: Operands::Files,
    examples: &[
        ("diskspd doctor test.dat", "check for anything that would distort figures measured there"),
        ("diskspd doctor --privileges", "list the rights that options need"),
    ],
    make: |line| match (line.has_option(&PRIVILEGES), &line.words[..]) {
        (true, []) => Ok(Invocation::Privileges),
        (true, _) => Err(line.wrong()),
        (false, _) => Ok(Invocation::Doctor { json: line.has_option(&AS_JSON), targets: line.targets() }),
    },
};
