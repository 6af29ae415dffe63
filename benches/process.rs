//! Benchmark of the whole program around the measured loop: start-up, CPU time, memory, and the end of a
//! long run. `cargo bench --bench process` uses a file of 64 MiB in /var/tmp and removes it.

use diskspd::sys::usage::{ChildrenUsage, children_usage};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Instant;

const PROGRAM: &str = env!("CARGO_BIN_EXE_diskspd");
const ROUNDS: usize = 15;

fn main() {
    let file = format!("/var/tmp/diskspd-bench-{}.dat", std::process::id());
    run(&format!("-c64M -b4K -W0 -d0 {file}"));
    // Nothing is measured with -d0, so this is set-up, the first batch of I/Os, tear-down and the report.
    println!("whole process without measured time, median of {ROUNDS}:");
    for options in ["-b4K -r -o1", "-b4K -r -o32", "-b4K -r -o32 -t4 -L -D", "-b64K -r -o64 -t4 -L"] {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let began = Instant::now();
                run(&format!("{options} -Su -W0 -d0 {file}"));
                began.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("  {:6.1} ms  {options} -Su", times[ROUNDS / 2]);
    }
    // Two I/Os a second: whatever takes CPU is not the loop.
    let mut spent: Vec<f64> =
        (0..ROUNDS).map(|_| cpu_ms(&format!("-b4K -r -o32 -L -g2i -Su -W0 -d1 {file}"))).collect();
    spent.sort_by(f64::total_cmp);
    println!("CPU time outside of the loop, -o32 -L -Su -W0 -d1: {:.1} ms", spent[ROUNDS / 2]);
    println!("peak memory, the I/O buffers included:");
    let peak = peak_kib(&format!("-b4K -r -o32 -t1 -L -Su -W0 -d1 {file}"));
    println!("  {:6.1} MiB  -b4K -r -o32 -t1 -L -Su", peak as f64 / 1024.0);
    for (options, buffers) in [("-b64K -r -o64 -t4 -L", 16), ("-b64K -r -o64 -t4 -L -D100 -w50", 32)] {
        for engine in ["uring", "null"] {
            let peak = peak_kib(&format!("{options} --engine {engine} -W0 -d2 {file}"));
            println!("  {:6.1} MiB (buffers {buffers})  {options} --engine {engine}", peak as f64 / 1024.0);
        }
    }
    many(&file);
    let _ = fs::remove_file(&file);
}

fn many(file: &str) {
    println!("as many I/Os as the engine null does, one thread:");
    for seconds in [1, 30] {
        let report = format!("{file}.txt");
        let line = format!("-b4K -r -o128 -L --engine null -W0 -d{seconds} --out text:{report} {file}");
        let began = Instant::now();
        let peak = peak_kib(&line) as f64 / 1024.0;
        let took = began.elapsed().as_secs_f64() - f64::from(seconds);
        let text = fs::read_to_string(&report).unwrap_or_default();
        let total = text.lines().find_map(|line| line.trim_start().strip_prefix("total:")?.split('|').nth(1));
        let ios = total.map_or("?", str::trim);
        println!("  {ios} I/Os: {:.0} ms beside the measured time, peak {peak:.1} MiB", took * 1e3);
        let _ = fs::remove_file(report);
    }
}

/// User and system time of a run, ms.
fn cpu_ms(line: &str) -> f64 {
    let before = children_usage().map(total).unwrap_or_default();
    run(line);
    (children_usage().map(total).unwrap_or_default() - before) * 1e3
}

fn total(usage: ChildrenUsage) -> f64 {
    (usage.cpu.user + usage.cpu.system).as_secs_f64()
}

fn command(line: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn run(line: &str) {
    let status = command(line).status();
    assert!(status.is_ok_and(|status| status.success()), "diskspd {line} failed");
}

fn peak_kib(line: &str) -> u64 {
    let Ok(mut child) = command(line).spawn() else { return 0 };
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let now =
            text.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        peak = now.unwrap_or(peak);
        match child.try_wait() {
            Ok(None) => std::thread::sleep(std::time::Duration::from_millis(20)),
            Ok(Some(end)) if end.signal().is_none() => return peak,
            _ => return 0,
        }
    }
}
