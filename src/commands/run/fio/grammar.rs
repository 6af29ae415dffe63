//! `diskspd fio`: a command line of fio.

use super::Command;
use crate::cli::command_line::Operands;

pub(super) const FIO: Command = Command {
    name: "fio",
    arguments: "--name=<job> <fio's option> .. [<job file> ..] [<option> ..]",
    help: "run a command line of fio; options before the first --name hold for all jobs and job files \
           (docs/reference/fio-jobs.md)",
    options: &[],
    exclusive: &[],
    takes: Operands::Fio,
    examples: &[
        (
            "diskspd fio --name=x --rw=randread --bs=4k --iodepth=32 --size=1g --filename=test.dat",
            "run a job of fio",
        ),
        ("diskspd fio --filename=test.dat --size=1g job.fio --out r.json", "give a job file its target"),
    ],
    make: |line| (line.readers.fio)(&line.typed),
};
