//! `diskspd verify-after`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::Takes;
use crate::cli::requests::VerifyAfterRequest;

pub const VERIFY_AFTER: Command = Command {
    name: "verify-after",
    arguments: "<journal> [<target> ..]",
    help: "read back all sectors that a journal (--journal) lists as durable: exit code 4 if any is wrong",
    options: &[],
    exclusive: &[],
    takes: Takes::Files,
    examples: &[
        ("diskspd verify-after run.journal", "read back what that run made durable"),
        ("diskspd verify-after run.journal /dev/nvme2n1", "the same for a target with a new name"),
    ],
    make: |line| {
        let journal = line.words.first().ok_or_else(|| line.wrong())?.into();
        let targets = line.targets().split_off(1);
        Ok(Invocation::VerifyAfter(VerifyAfterRequest { journal, targets }))
    },
};
