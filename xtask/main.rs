//! Tools of the project itself: `cargo xtask <command>`. None of them is part of the program.

mod arguments;
mod ceiling;
mod instructions;
mod machine;
mod peers;
mod prepare;
mod program;
mod statistics;
mod table;

use arguments::Arguments;
use std::process::ExitCode;

/// What went wrong, as a message.
pub type Failure = Box<dyn std::error::Error>;

/// A command: its name, what carries it out, its options, and what it does.
type Command = (&'static str, fn(&mut Arguments) -> Result<(), Failure>, &'static str, &'static str);

const COMMANDS: &[Command] = &[
    (
        "ceiling",
        ceiling::main,
        "[--rounds 9] [--markdown]",
        "What this machine allows the program: ns per I/O, by part. Takes half a minute, and a file of 64 MiB in\n    \
         /var/tmp that it removes.",
    ),
    (
        "peers",
        peers::main,
        "--target FILE|DEVICE [--qd 1,32,128] [--bs 4K] [--writes PERCENT] [--sequential] [--buffered] [--lat] [--truth]\n    \
         [--rounds 9] [--seconds 2] [--repeats 3] [--cpu N] [--cpu-latency US] [--markdown] [--no-perf] [--only NAME,NAME]\n    \
         [--ours PATH] [--ours-options '-L -D'] [--variants '--engine aio; -x'] [--fio PATH] [--t-io-uring PATH] [--elbencho PATH]",
        "The program against other tools that are installed, in turns on one CPU.",
    ),
    (
        "prepare",
        prepare::main,
        "[--directory /var/tmp] [--size 2048] [--files 1] [--rounds 5] [--markdown]",
        "File preparation (-c) against dd and against what the device takes. Sizes in MiB.",
    ),
    (
        "instructions",
        instructions::main,
        "[--check | --record]",
        "Instructions per I/O of the worker loop, counted by valgrind; --record keeps them in benches/instructions.txt,\n    \
         --check compares with what is kept there.",
    ),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::of_process();
    let name = arguments.command();
    let Some((_, run, ..)) = COMMANDS.iter().find(|(known, ..)| Some(*known) == name.as_deref()) else {
        for (name, _, options, text) in COMMANDS {
            eprintln!("cargo xtask {name} {options}\n    {text}\n");
        }
        return ExitCode::from(if name.is_none_or(|name| name == "help") { 0 } else { 2 });
    };
    match run(&mut arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("ERROR: {failure}");
            ExitCode::FAILURE
        }
    }
}
