//! The injected failures.

use super::{Bench, Tally};
use crate::harness::Failure;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Instant;

/// Runs that take no time: everything around the I/O.
pub const SIMULATED: &[&str] = &[
    "-b4K -o4 -r -L -D -W0 -d1 -c1M --engine sim --out {}/run.json --io-log {}/log.csv {}/target.dat",
    "-b4K -o4 -r -w50 -W0 -d1 --engine sim -Rxml --out text:{}/run.txt --out {}/run.json {}/target.dat",
];

/// Runs of one second each, on every way to the storage.
pub const REAL: &[&str] = &[
    "-b4K -o4 -t2 -w50 -L -W0 -d1 --out {}/run.json --stream {}/stream.jsonl --io-log {}/log.csv \
     {}/target.dat",
    "-c1M -b4K -o1 -w50 -W0 -d1 --recreate --flush-after --out {}/run.json {}/target.dat",
    "-b4K -o4 --engine aio -Su -w50 -L -W0 -d1 -Z64K --prefill --out {}/run.json {}/target.dat",
    "-b4K -Sm -w50 -W0 -d1 --out {}/run.json {}/target.dat",
];

const NEVER: &[&str] = &[
    "execve",
    "exit",
    "exit_group",
    "rt_sigreturn",
    "restart_syscall",
    "sched_yield",
    "futex",
    "set_robust_list",
    "rseq",
    "arch_prctl",
    // The standard library and signal-hook take their failure for impossible, which it is.
    "getrandom",
    "recvfrom",
    "set_tid_address",
    "getpid",
    "getppid",
    "gettid",
    "geteuid",
    "clock_gettime",
    "brk",
    "munmap",
    "rt_sigprocmask",
    "sigaltstack",
    "clone",
    "vfork",
];

fn can_fail(call: &str) -> bool {
    !NEVER.contains(&call) && !call.starts_with("syscall_0x")
}

const ANSWERS: &[(&str, &str)] = &[
    ("openat", "EMFILE"),
    ("mmap", "ENOMEM"),
    ("mremap", "ENOMEM"),
    ("clone3", "EAGAIN"),
    ("write", "ENOSPC"),
    ("fallocate", "ENOSPC"),
    ("ftruncate", "ENOSPC"),
    ("ioctl", "EINVAL"),
    ("sched_setaffinity", "EINVAL"),
    ("io_uring_setup", "ENOMEM"),
    ("io_uring_register", "ENOMEM"),
    ("io_setup", "EAGAIN"),
    ("membarrier", "ENOSYS"),
    ("statx", "EACCES"),
    ("readlink", "EACCES"),
    ("poll", "ENOMEM"),
    ("pipe2", "EMFILE"),
    ("socketpair", "EMFILE"),
];

/// Lets each system call of a run fail once at each of its occurrences.
pub fn calls(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for line in SIMULATED.iter().chain(REAL) {
        let counts = occurrences(bench, line)?;
        // One of each first: where the time doesn't suffice, every call had its turn.
        for number in 0..bench.occurrences {
            for (call, (before, all)) in &counts {
                let when = before + number + 1;
                if when > *all || Instant::now() >= bench.until {
                    continue;
                }
                let error = ANSWERS.iter().find(|(name, _)| name == call).map_or("EIO", |(_, error)| error);
                bench.fresh()?;
                let mut command = Command::new("strace");
                command.args(["-f", "--seccomp-bpf", "-qq", "-o"]).arg(bench.at("trace"));
                command.args(["-e", &format!("trace={call}")]);
                command.args(["-e", &format!("inject={call}:error={error}:when={when}")]);
                command.arg(&bench.program).args(bench.words(line));
                bench.attempt(&format!("{call} {when} {error}: {line}"), &mut command, &mut tally, |_| ())?;
                let trace = fs::read_to_string(bench.at("trace")).unwrap_or_default();
                tally.met += usize::from(trace.contains("(INJECTED)"));
            }
        }
    }
    Ok(tally)
}

/// Returns the maximum number of each system call of a thread, and the number before the start of the
/// program.
fn occurrences(bench: &Bench, line: &str) -> Result<BTreeMap<String, (usize, usize)>, Failure> {
    bench.fresh()?;
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(bench.at("trace")).arg(&bench.program).args(bench.words(line));
    command.output()?;
    let trace = String::from_utf8_lossy(&fs::read(bench.at("trace"))?).into_owned();
    let mut by_thread: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut before: BTreeMap<&str, usize> = BTreeMap::new();
    let mut begun = false;
    for row in trace.lines() {
        let Some((thread, rest)) = row.split_once(' ') else { continue };
        let Some((call, arguments)) = rest.trim_start().split_once('(') else { continue };
        if call.is_empty() || !call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        *by_thread.entry((thread, call)).or_default() += 1;
        // The first thing that the program does itself.
        begun |= call == "rt_sigaction" && arguments.starts_with("SIGXFSZ");
        if !begun {
            *before.entry(call).or_default() += 1;
        }
    }
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for ((_, call), count) in by_thread.into_iter().filter(|((_, call), _)| can_fail(call)) {
        let entry = counts.entry(call.to_owned()).or_insert((before.get(call).copied().unwrap_or(0), 0));
        entry.1 = entry.1.max(count);
    }
    Ok(counts)
}

pub fn limits(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let ranges: [(&str, &[u64]); 5] = [
        ("nofile", &[4, 6, 8, 10, 12, 14, 16, 20, 24, 30]),
        ("as", &[30 << 20, 50 << 20, 70 << 20, 90 << 20, 110 << 20, 150 << 20, 200 << 20]),
        ("nproc", &[1, 2, 3, 4, 5, 6, 8]),
        ("fsize", &[0, 1, 100, 4096, 20_000, 500_000]),
        ("memlock", &[0, 4096, 65_536]),
    ];
    for line in SIMULATED.iter().chain(REAL) {
        for (limit, values) in &ranges {
            for value in *values {
                if Instant::now() >= bench.until {
                    return Ok(tally);
                }
                let mut command = Command::new("prlimit");
                command.arg(format!("--{limit}={value}")).arg(&bench.program);
                // An unoptimized program may be too large to be begun at all: the kernel kills it then.
                if *limit == "as" && !starts(&command) {
                    continue;
                }
                bench.fresh()?;
                command.args(bench.words(line));
                bench.attempt(&format!("{limit} {value}: {line}"), &mut command, &mut tally, |_| ())?;
                tally.met += 1;
            }
        }
    }
    Ok(tally)
}

fn starts(command: &Command) -> bool {
    let version = Command::new(command.get_program()).args(command.get_args()).arg("--version").output();
    version.is_ok_and(|ended| ended.status.code().is_some())
}

pub fn outputs(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for line in [
        "-b4K -W0 -d1 -D --engine sim --io-log /dev/full {}/target.dat",
        "-b4K -W0 -d1 -D --engine sim --out json:/dev/full {}/target.dat",
        "-b4K -W0 -d1 -D --engine sim --out json:/nowhere/run.json --out {}/run.json {}/target.dat",
        "-b4K -W0 -d1 --stream /dev/full --out {}/run.json {}/target.dat",
        "-b4K -W0 -d1 --stream /nowhere/x --out {}/run.json {}/target.dat",
        "-b4K -W0 -d1 --out {}/run.json {}/missing.dat",
        "-c1M -b4K -W0 -d1 --out {}/run.json /proc/self/new/target.dat",
    ] {
        bench.fresh()?;
        let mut command = Command::new(&bench.program);
        bench.attempt(line, command.args(bench.words(line)), &mut tally, |_| ())?;
        tally.met += 1;
    }
    // Standard output that is full, closed, or a pipe that nobody reads.
    for redirection in [">/dev/full", ">&-", "| true", "2>&-", ">&- 2>&- <&-"] {
        bench.fresh()?;
        let line = "-b4K -W0 -d1 --engine sim --out {}/run.json {}/target.dat";
        let program = bench.program.display();
        // A shell that goes on after it has its own exit code for a pipe.
        let script =
            format!("exec 3>&2; {program} {} {redirection} || echo ERROR >&3", bench.words(line).join(" "));
        bench.attempt(redirection, Command::new("sh").args(["-c", &script]), &mut tally, |_| ())?;
        tally.met += 1;
    }
    Ok(tally)
}
