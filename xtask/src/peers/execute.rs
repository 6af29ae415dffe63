//! One run of a tool on one CPU, and whether it had that CPU to itself.

use crate::harness::Failure;
use diskspd::sys::cpu;
use diskspd::sys::usage::{ThreadUsage, children_usage};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum share of its CPU for other programs and kernel threads.
const FOREIGN: f64 = 0.05;
/// Maximum share of its CPU for the hypervisor.
const STOLEN: f64 = 0.02;
/// Maximum involuntary context switches per second: each tick of a kernel with 250 ticks.
const INVOLUNTARY: f64 = 250.0;

#[derive(Debug)]
pub struct Execution {
    pub output: String,
    /// CPU time of the whole process.
    pub cpu: ThreadUsage,
    pub voluntary_switches: u64,
    /// Involuntary context switches per second.
    involuntary: f64,
    /// Share of other programs in the CPU time.
    foreign: f64,
    /// Share of the hypervisor in the CPU time.
    stolen: f64,
}

impl Execution {
    /// Whether others took the CPU, so that the figures are not the tool's own.
    pub fn is_disturbed(&self) -> bool {
        self.foreign > FOREIGN || self.stolen > STOLEN || self.involuntary > INVOLUNTARY
    }

    /// Returns the share of the CPU time that the program did not get.
    pub fn taken(&self) -> f64 {
        self.foreign + self.stolen
    }
}

/// Runs a program, named by an absolute path, to its end, or ends it at the limit.
///
/// # Errors
/// Fails if it cannot be started or observed, or had to be ended.
pub fn run(program: &Path, arguments: &[String], cpu: u32, limit: Duration) -> Result<Execution, Failure> {
    // Some tools leave files behind where they are started.
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("output");
    let output = File::create(&path)?;
    let (before, usage, start) = (CpuTicks::read(cpu)?, children_usage()?, Instant::now());
    let mut child = start_on(cpu, program, arguments, &output, directory.path())
        .map_err(|e| format!("{} cannot be started on CPU {cpu}: {e}", program.display()))?;
    while child.try_wait()?.is_none() {
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Err(format!("{} did not end within {limit:?}", program.display()).into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let (seconds, after, used) = (start.elapsed().as_secs_f64(), CpuTicks::read(cpu)?, children_usage()?);
    let cpu =
        ThreadUsage { user: used.cpu.user - usage.cpu.user, system: used.cpu.system - usage.cpu.system };
    let busy = after.busy.saturating_sub(before.busy) as f64 / TICKS;
    Ok(Execution {
        output: String::from_utf8_lossy(&std::fs::read(&path)?).into_owned(),
        cpu,
        voluntary_switches: used.voluntary_switches - usage.voluntary_switches,
        involuntary: (used.involuntary_switches - usage.involuntary_switches) as f64 / seconds,
        foreign: (busy - (cpu.user + cpu.system).as_secs_f64()) / seconds,
        stolen: after.stolen.saturating_sub(before.stolen) as f64 / TICKS / seconds,
    })
}

/// Starts it from a thread that is bound to the CPU: children inherit that.
fn start_on(
    cpu: u32,
    program: &Path,
    arguments: &[String],
    output: &File,
    directory: &Path,
) -> std::io::Result<Child> {
    std::thread::scope(|scope| {
        let start = || {
            cpu::bind_to(cpu)?;
            Command::new(program)
                .args(arguments)
                .current_dir(directory)
                .stdin(Stdio::null())
                .stdout(output.try_clone()?)
                .stderr(output.try_clone()?)
                .spawn()
        };
        scope.spawn(start).join().unwrap_or_else(|_| Err(std::io::Error::other("its thread ended")))
    })
}

const TICKS: f64 = 100.0;

struct CpuTicks {
    /// CPU time of programs and the kernel, without interrupts.
    busy: u64,
    stolen: u64,
}

impl CpuTicks {
    fn read(cpu: u32) -> Result<CpuTicks, Failure> {
        CpuTicks::parse(&std::fs::read_to_string("/proc/stat")?, cpu)
            .ok_or_else(|| format!("/proc/stat knows no CPU {cpu}").into())
    }

    fn parse(text: &str, cpu: u32) -> Option<CpuTicks> {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("cpu{cpu} ")))?;
        let ticks: Vec<u64> = line.split_ascii_whitespace().map_while(|tick| tick.parse().ok()).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        Some(CpuTicks { busy: ticks.get(..3)?.iter().sum(), stolen: *ticks.get(7)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_one_cpu_are_parsed() {
        let text = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\ncpu11 9 9 9 9 9 9 9 9 0 0\n";
        let ticks = CpuTicks::parse(text, 1).unwrap();
        assert_eq!((ticks.busy, ticks.stolen), (6, 8));
        assert!(CpuTicks::parse(text, 2).is_none());
    }

    #[test]
    fn output_and_cost_of_process_are_returned() {
        let script = "echo out; echo err >&2; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";
        let ran = run(Path::new("/bin/sh"), &["-c".into(), script.into()], 0, Duration::from_secs(60));
        match ran {
            Ok(ran) => {
                assert!(ran.output.contains("out\n") && ran.output.contains("err\n"), "{}", ran.output);
                assert!(ran.cpu.user + ran.cpu.system > Duration::ZERO);
            }
            Err(why) => eprintln!("skipped, CPU 0 cannot be used: {why}"),
        }
    }
}
