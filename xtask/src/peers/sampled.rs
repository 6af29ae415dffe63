//! User and system time per I/O by samples of `perf`. The kernel's own division uses the tick, which is
//! too coarse for a few nanoseconds per I/O, and excludes kernel threads that work for a tool.

use super::Workload;
use super::execute;
use super::tools::Tool;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Samples per second of CPU time; a prime number, to avoid resonance.
const RATE: u32 = 4999;

/// CPU time per I/O in ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    pub user: f64,
    /// Time in the kernel, of all its threads.
    pub system: f64,
}

/// Runs the tool once more with sampling; `None` = `perf` is missing, or not permitted.
pub fn sample(tool: &Tool, workload: &Workload, cpu: u32) -> Option<Sampled> {
    let perf: PathBuf = super::installed("perf")?;
    let data = tempfile::NamedTempFile::new().ok()?;
    let mut arguments: Vec<String> =
        ["record", "-q", "-e", "cpu-clock", "-F", &RATE.to_string(), "-o"].map(str::to_owned).into();
    arguments.extend([data.path().to_str()?.to_owned(), "--".to_owned(), tool.program.to_str()?.to_owned()]);
    arguments.extend(tool.arguments(workload)?);
    let limit = Duration::from_secs(u64::from(workload.seconds) + 60);
    let ran = execute::run(&perf, &arguments, cpu, limit).ok()?;
    let figures = tool.figures(&ran.output, workload)?;
    Some(per_io(&script(&perf, data.path())?, figures.ios))
        .filter(|sampled| sampled.system + sampled.user > 0.0)
}

/// Returns the samples: thread and address, one line each.
fn script(perf: &Path, data: &Path) -> Option<String> {
    let out = Command::new(perf).args(["script", "-F", "tid,ip", "-i"]).arg(data).output().ok()?;
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn per_io(samples: &str, ios: f64) -> Sampled {
    // Per thread: in the program, and in the kernel.
    let mut threads: HashMap<&str, [u64; 2]> = HashMap::new();
    for line in samples.lines() {
        let mut words = line.split_ascii_whitespace();
        if let (Some(thread), Some(address)) = (words.next(), words.next()) {
            // The upper half of the addresses is the kernel's.
            let kernel = address.len() == 16 && address.starts_with(['8', '9', 'a', 'b', 'c', 'd', 'e', 'f']);
            threads.entry(thread).or_default()[usize::from(kernel)] += 1;
        }
    }
    let each = 1e9 / f64::from(RATE) / ios.max(1.0);
    let busiest = threads.values().max_by_key(|samples| samples[0] + samples[1]);
    Sampled {
        user: busiest.map_or(0.0, |samples| samples[0] as f64 * each),
        system: threads.values().map(|samples| samples[1] as f64 * each).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busiest_thread_program_time_and_all_kernel_time_count() {
        let samples = [
            " 7  ffffffff81000000\n 7      55d4c0001000\n 7  ffffffff81000000\n",
            " 8  ffffffff81000000\n 8      7f0000001000\n",
        ];
        let samples = samples.concat();
        let sampled = per_io(&samples, 1e9 / f64::from(RATE));
        assert!((sampled.user - 1.0).abs() < 1e-9 && (sampled.system - 3.0).abs() < 1e-9, "{sampled:?}");
    }
}
