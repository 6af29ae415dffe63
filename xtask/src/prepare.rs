//! File preparation (`-c`) compared with `dd bs=1M oflag=direct`, and with the device's speed of
//! overwriting an existing file, alternately on the same file system.

use crate::harness::{Arguments, Failure, machine, output, statistics::median, table};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let below = arguments.directory()?;
    let size: u64 = arguments.number("--size", 2048)?;
    let count: usize = arguments.number("--files", 1)?;
    let (rounds, markdown) = (arguments.number("--rounds", 5)?, arguments.flag("--markdown"));
    let diskspd = arguments.program()?;
    arguments.finish()?;
    let each = (size / count.max(1) as u64).max(1);
    let directory = tempfile::tempdir_in(below)?;
    let files: Vec<PathBuf> = (0..count).map(|n| directory.path().join(format!("{n}.dat"))).collect();
    let (mut ours, mut dd, mut device) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        for turn in 0..2 {
            remove(&files)?;
            if (round + turn) % 2 == 0 {
                let mut command = Command::new(&diskspd);
                command.args([&format!("-c{each}M"), "-b4K", "-W0", "-d0"]).args(&files);
                ours.push(rate(each, count, || output(&mut command).map(drop))?);
                device.push(overwrite(&diskspd, &files[0])?);
            } else {
                dd.push(rate(each, count, || files.iter().try_for_each(|file| copy(file, each)))?);
            }
        }
    }
    let ratios = |other: &[f64]| median(ours.iter().zip(other).map(|(ours, other)| ours / other));
    machine::print(markdown);
    let row = |name: &str, rates: &[f64], ratio| {
        vec![name.to_owned(), table::number(median(rates.iter().copied()), 0), table::number(ratio, 2)]
    };
    let rows = [
        row("diskspd -c", &ours, None),
        row("dd bs=1M oflag=direct conv=fdatasync", &dd, ratios(&dd)),
        row("overwriting, -b1M -o8 -s -w100 -Su", &device, ratios(&device)),
    ];
    table::print(&[&format!("{count} x {each} MiB"), "MiB/s", "ours against it"], &rows, markdown);
    Ok(())
}

/// MiB/s.
fn rate(each: u64, count: usize, work: impl FnOnce() -> Result<(), Failure>) -> Result<f64, Failure> {
    let start = Instant::now();
    work()?;
    Ok((each * count as u64) as f64 / start.elapsed().as_secs_f64())
}

fn remove(files: &[PathBuf]) -> Result<(), Failure> {
    for file in files.iter().filter(|file| file.exists()) {
        fs::remove_file(file)?;
    }
    output(Command::new("sync").arg("-f").args(files.first().and_then(|file| file.parent()))).map(drop)
}

fn copy(file: &Path, mib: u64) -> Result<(), Failure> {
    let mut command = Command::new("dd");
    command.args(["if=/dev/zero", "bs=1M", "oflag=direct", "conv=fdatasync", "status=none"]);
    output(command.args([format!("of={}", file.display()), format!("count={mib}")])).map(drop)
}

fn overwrite(diskspd: &Path, file: &Path) -> Result<f64, Failure> {
    let mut command = Command::new(diskspd);
    let text = output(command.args(["-b1M", "-o8", "-s", "-w100", "-Su", "-W0", "-d2"]).arg(file))?;
    // bytes | I/Os | MiB/s | ...
    let total = text.lines().find_map(|line| line.trim_start().strip_prefix("total:"));
    let rate = total.and_then(|total| total.split('|').nth(2)?.trim().parse().ok());
    rate.ok_or_else(|| format!("the report of {} has no total", file.display()).into())
}
