//! Tools of the project itself: `cargo xtask <command>`. None of them is part of the program.

mod audit;
mod ceiling;
mod delays;
mod dist;
mod faults;
mod fio_jobs;
mod harness;
mod honest;
mod instructions;
mod jobs;
mod judged;
mod looks;
mod peers;
mod power_cuts;
mod prepare;
mod served;
mod shares;
mod simulate;
mod size;
mod trends;

use harness::{Arguments, Failure};
use std::process::ExitCode;

type Command = (&'static str, fn(&mut Arguments) -> Result<(), Failure>, &'static str, &'static str);

const COMMANDS: &[Command] = &[
    (
        "audit",
        audit::main,
        "[--directory /var/tmp] [--line WORDS] [--ours PATH]",
        "Every figure of about thirty different runs, in text, XML, JSON and CSV, recomputed from the log \
         of their I/Os, and from\n    the counters of their device. Prints the differences; --line takes \
         the command lines that hold these words.",
    ),
    (
        "ceiling",
        ceiling::main,
        "[--rounds 9] [--markdown]",
        "Limits of this machine for the program: ns per I/O, by part. Takes half a minute, and a file of \
         64 MiB in\n    /var/tmp that it removes.",
    ),
    (
        "dist",
        dist::main,
        "[--arch x86_64|aarch64] [--libc musl|glibc] [--program | --twice | --windows] \
         [--check [--toolchain NAME]]",
        "Release files, in target/dist/out: one static program, its debug symbols, packages, a bill of\n    \
          materials, an archive for Windows. --program makes the program alone, --twice makes it in two\n    \
          folders and compares, --windows makes the archive for Windows alone, --check makes everything\n    \
          unoptimized. --toolchain is the toolchain of rustup that compiles the static program.",
    ),
    (
        "peers",
        peers::main,
        "--target FILE|DEVICE [--qd 1,32,128] [--bs 4K] [--writes PERCENT] [--sequential] [--buffered] \
         [--lat] [--truth]\n    [--rounds 9] [--seconds 2] [--repeats 3] [--cpu N] [--cpu-latency US] \
         [--markdown] [--no-perf] [--only NAME,NAME]\n    [--ours PATH] [--ours-options '-L -D'] [--variants \
         '--engine aio; -x'] [--fio PATH] [--t-io-uring PATH] [--elbencho PATH]",
        "The program against other tools that are installed, in turns on one CPU.",
    ),
    (
        "delays",
        delays::main,
        "[--only KIND] [--count 15] [--length 60] [--directory /var/tmp] [--ours PATH]",
        "Stages delays of known time and place in runs with --explain (as root): --count of each kind,\n    \
          --length ms long. Each must be blamed on its cause, and none on an innocent device.",
    ),
    (
        "power-cuts",
        power_cuts::main,
        "[--only honest|faults|atomic] [--cuts 1000] [--place raw|ext4|xfs|btrfs] [--seconds 2]\n    \
         [--block 16K] [--seed 1] [--way '-b4K -o8 -Sh'] [--keep FOLDER] [--ours PATH]",
        "Records the writes of runs, and shows the disk after each of --cuts power cuts (as\n    root, \
         with FUSE and mkfs): honest storage is never called wrong, each injected fault is called\n    by \
         its name, and no atomic write is torn, while torn ones are seen without --atomic.",
    ),
    (
        "prepare",
        prepare::main,
        "[--directory /var/tmp] [--size 2048] [--files 1] [--rounds 5] [--markdown]",
        "File preparation (-c) against dd and against the rate of the device. Sizes in MiB.",
    ),
    (
        "faults",
        faults::main,
        "[--ours PATH] [--seconds 600] [--occurrences 100] [--kills 300] [--rounds 10]\n    \
         [--routes TEXT,..] [--only outputs|commands|kills|servers|races|real-time|limits|signals|calls]",
        "Lets every system call of some runs fail once at each of its occurrences (needs strace), and \
         tries signals, limits\n    and outputs that cannot be written: each run has to end in time, with \
         a message, the right exit code, and nothing\n    left over.",
    ),
    (
        "fio-jobs",
        fio_jobs::main,
        "FOLDER [--write] [--compare [--ours PATH] [--fio PATH]]\n    \
         --agree FILE [--rounds 8] [--seconds 2] [--only WORDS] [--ours PATH] [--fio PATH]",
        "Converts the jobs of a folder, as of fio's examples, and says which convert and why the others \
         are refused. --compare runs\n    the convertible jobs, and the jobs in tests/data/fio-jobs, in \
         both programs without storage, and compares the logs of their\n    I/Os. --write puts the tables \
         into docs/design/fio-jobs.md.\n    --agree runs twenty jobs alternately in fio and here, on a \
         file of 512 MiB,\n    which it makes or writes over, and lets compare judge them.",
    ),
    (
        "honest",
        honest::main,
        "[--rounds 50] [--only WORDS] [--place WORD] [--directory /var/tmp] [--ours PATH] [--markdown]",
        "--rounds runs with --verify of every engine in every cache mode, on files of several file systems \
         and on devices\n    (as root), half of them killed and read back by their journal. No data may be \
         found wrong. --only takes the engines\n    and cache modes that hold these words, --place the \
         places (file, ext4, xfs, btrfs, loop device, zram, dm-linear).",
    ),
    (
        "instructions",
        instructions::main,
        "[--check | --record]",
        "Instructions per I/O of the worker loop, counted by valgrind; --record keeps them in \
         benches/instructions.txt,\n    --check compares with that file.",
    ),
    (
        "judged",
        judged::main,
        "[--only KIND] [--honest 200] [--directory /var/tmp] [--ours PATH] [--markdown]",
        "Runs of fio, dd and sysbench under judge (as root): 30 staged misleading runs and 3 published ones \
         must be named\n    or be undetermined, and --honest honest ones of six kinds must raise no alarm.",
    ),
    (
        "jobs",
        jobs::main,
        "[--only counts|fills|kills] [--kills 100] [--fills 200] [--seed 1] [--directory /var/tmp]\n    \
         [--ours PATH]",
        "Jobs of 2 to 32 ranks under Open MPI and MPICH: counts recomputed from the logs of single I/Os, \
         --fills jobs with\n    a shared new file on tmpfs and FUSE (as root), and --kills killed ranks \
         under each launcher.",
    ),
    (
        "looks",
        looks::main,
        "[--paths 1000000] [--comparisons 1000] [--markdown]",
        "Makes the limits of compare --until-sure, and counts how often simulated comparisons without a \
         difference report one,\n    with each kind of noise and each effect of the position. Takes some \
         minutes.",
    ),
    (
        "shares",
        shares::main,
        "[--draws 10000000] [--markdown]",
        "Draws --draws I/Os of mixes, sizes and distributions, and compares the shares with the requested \
         ones: each must\n    be within six deviations. Takes some seconds.",
    ),
    (
        "simulate",
        simulate::main,
        "[--seeds 1000] [--seed N] [--world ranks|storage|store]",
        "Plays --seeds seeds in simulated time, by the program's own code: a cluster of ranks\n    while \
         messages are late, ways are cut, and ranks are killed and stopped. Then data read back from\n    \
         storage that lies or loses power; a history of several concurrent programs that are\n    killed, \
         find the disk full, and its index lost. Prints seed and command of each check that\n    does not \
         hold. --seed plays one of them and prints its steps.",
    ),
    (
        "size",
        size::main,
        "[--root FOLDER] [--markdown]",
        "Lines of code by crate, without comments, blank lines and tests, and the lines of the features that \
         came after\n    2026-11-28. --root counts another folder with the sources.",
    ),
    (
        "trends",
        trends::main,
        "[--histories 4000] [--markdown]",
        "Counts in how many histories of runs noise of each kind seems to change for good, and in how many a \
         real change is\n    found. Takes a minute.",
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
