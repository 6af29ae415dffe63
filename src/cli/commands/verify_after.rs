//! `diskspd verify-after`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::Takes;
use crate::cli::option::{OptionRow, switch};
use crate::cli::requests::VerifyAfterRequest;

const ATOMIC: OptionRow =
    switch("--atomic", "judge whole blocks, as of a run with --atomic: one that holds two versions is wrong");

pub const VERIFY_AFTER: Command = Command {
    name: "verify-after",
    arguments: "<journal> [<target> ..] [--atomic]",
    help: "read back all sectors that a journal (--journal) lists as durable: exit code 4 if any is wrong",
    options: &[ATOMIC],
    exclusive: &[],
    takes: Takes::Files,
    examples: &[
        ("diskspd verify-after run.journal", "read back what that run made durable"),
        ("diskspd verify-after run.journal /dev/nvme2n1", "the same for a target with a new name"),
    ],
    make: |line| {
        let journal = line.words.first().ok_or_else(|| line.wrong())?.into();
        let targets = line.targets().split_off(1);
        let atomic = line.has(&ATOMIC);
        Ok(Invocation::VerifyAfter(VerifyAfterRequest { journal, targets, atomic }))
    },
};
