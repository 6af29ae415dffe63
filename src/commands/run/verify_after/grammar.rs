//! `diskspd verify-after`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::{Folder, Number};
use crate::cli::option::{OptionRow, row, switch};
use crate::cli::requests::{Journals, VerifyAfterRequest};

const CAMPAIGN: OptionRow = row(
    "--campaign",
    Folder,
    "read back the newest journal of this folder, keep the result there, print the table of all power cuts",
);

const ATOMIC: OptionRow = switch(
    "--atomic",
    "judge whole blocks (for a run with --atomic): a block that mixes two versions is wrong",
);

const POWER_LOST: OptionRow = switch(
    "--power-lost",
    "the storage lost power while this machine kept running: judge as after a power cut",
);

const SHIFT_RANKS: OptionRow = row(
    "--shift-ranks",
    Number { min: 1, max: 1_000_000, of: "ranks" },
    "in a job, let each rank read the journal and data of the rank that many before it",
);

pub(super) const VERIFY_AFTER: Command = Command {
    name: "verify-after",
    arguments: "<journal>|--campaign <folder> [<target> ..] [--atomic] [--power-lost] [--shift-ranks <n>]",
    help: "read back all sectors that a journal (--journal) lists as durable: exit code 4 if any is wrong, 6 \
           if not all could be verified, 2 if none",
    options: &[CAMPAIGN, ATOMIC, POWER_LOST, SHIFT_RANKS],
    exclusive: &[],
    takes: Operands::Files,
    examples: &[
        ("diskspd verify-after run.journal", "read back the durable data of that run"),
        ("diskspd verify-after run.journal /dev/nvme2n1", "the same for a target with a new name"),
        (
            "mpirun -n 4 diskspd verify-after %r.journal",
            "the same of all ranks of a job, each with its journal",
        ),
        ("diskspd verify-after --campaign cuts", "after each of many power cuts: docs/how-to/power-cuts.md"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let mut targets = line.targets();
    let source = match line.path(&CAMPAIGN)? {
        Some(folder) => Journals::Campaign(folder),
        None => {
            let journal = line.words.first().ok_or_else(|| line.wrong())?.into();
            targets.remove(0);
            Journals::One(journal)
        }
    };
    let (atomic, power_lost) = (line.has_option(&ATOMIC), line.has_option(&POWER_LOST));
    let shift_ranks = line.number(&SHIFT_RANKS).unwrap_or(0);
    Ok(Invocation::VerifyAfter(VerifyAfterRequest { source, targets, atomic, power_lost, shift_ranks }))
}
