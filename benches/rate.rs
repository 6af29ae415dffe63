//! How exactly a rate is met: `cargo bench --bench rate`. Takes a minute, and a file of 64 MiB in /var/tmp that it removes.
//!
//! 1000 IOPS in all for 10 s, by one thread and by 16, without storage (`null`) and on a file past the page cache. The
//! deviation of all ten seconds together should be below 0.5 %, that of the worst second below 2 %.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_diskspd");
const SECONDS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir_in("/var/tmp")?;
    let (file, csv) = (directory.path().join("test.dat"), directory.path().join("rate.csv"));
    run("-c64M -b4K -W0 -d0", &file)?;
    println!("deviation from the rate over {SECONDS} s (goal 0.5 %), and in the worst second (goal 2 %):");
    for threads in [1, 16] {
        // Per thread: 1000 IOPS each, and 1000 shared out as evenly as whole I/Os per second allow.
        for rate in if threads == 1 { vec![1000] } else { vec![1000, 62] } {
            for engine in ["--engine null", "-Su"] {
                let options = format!("{engine} -t{threads} -o2 -g{rate}i");
                let out = format!("{options} -b4K -r -D1000 -W1 -d{SECONDS} --out {}", csv.display());
                run(&out, &file)?;
                let (total, worst) = deviations(&fs::read_to_string(&csv)?, f64::from(rate * threads))?;
                println!("  {total:6.3} %  {worst:6.3} %   {options}");
            }
        }
    }
    Ok(())
}

fn run(options: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new(PROGRAM).args(options.split(' ')).arg(file).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("diskspd {options} failed").into()) }
}

fn deviations(csv: &str, rate: f64) -> Result<(f64, f64), Box<dyn Error>> {
    let mut lines = csv.lines();
    let column = lines.next().and_then(|head| head.split(',').position(|name| name == "total_iops"));
    let column = column.ok_or("the course by intervals has no IOPS")?;
    let iops: Vec<f64> = lines
        .take(SECONDS)
        .map(|line| line.split(',').nth(column).unwrap_or_default().parse::<f64>())
        .collect::<Result<_, _>>()?;
    if iops.len() < SECONDS {
        return Err(format!("{} of {SECONDS} seconds were recorded", iops.len()).into());
    }
    let off = |iops: f64| (iops - rate).abs() / rate * 100.0;
    let worst = iops.iter().map(|&second| off(second)).fold(0.0, f64::max);
    Ok((off(iops.iter().sum::<f64>() / SECONDS as f64), worst))
}
