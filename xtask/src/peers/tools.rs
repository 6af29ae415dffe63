//! The tools: their options for a workload, and the parsers of their output.

use super::Workload;
use super::figures::{self, Figures};
use std::path::{Path, PathBuf};

/// Variant of a tool: its name in the table, the options for a workload (`None` = unsupported), and the
/// parser of its output.
pub type Variant =
    (&'static str, fn(&Workload) -> Option<Vec<String>>, fn(&str, &Workload) -> Option<Figures>);

/// Peers: option for the program's path, its usual name, and its command lines.
pub const PEERS: &[(&str, &str, &[Variant])] = &[
    (
        "--t-io-uring",
        "t_io_uring",
        &[
            ("t/io_uring", |w| io_uring(w, w.depth, w.depth), figures::of_io_uring),
            ("t/io_uring, batches of a quarter", |w| quarters(w), figures::of_io_uring),
            ("t/io_uring, waits for one", |w| waits_for_one(w), figures::of_io_uring),
        ],
    ),
    (
        "--fio",
        "fio",
        &[
            ("fio, tuned", |w| Some(fio(w, true)), figures::of_fio),
            ("fio", |w| Some(fio(w, false)), figures::of_fio),
        ],
    ),
    (
        "--elbencho",
        "elbencho",
        &[("elbencho", |w| matches!(w.writes, 0 | 100).then(|| elbencho(w)), figures::of_elbencho)],
    ),
];

pub struct Tool {
    pub name: String,
    pub program: PathBuf,
    variant: Option<Variant>,
    options: Vec<String>,
}

impl Tool {
    pub fn ours(index: usize, program: PathBuf) -> Tool {
        let name = if index == 0 { "diskspd".to_owned() } else { format!("diskspd {}", index + 1) };
        Tool { name, program, variant: None, options: Vec::new() }
    }

    /// Returns a build of this program with further options.
    pub fn variant(options: &str, program: &Path) -> Tool {
        Tool {
            name: format!("diskspd {options}"),
            program: program.to_owned(),
            variant: None,
            options: options.split_ascii_whitespace().map(str::to_owned).collect(),
        }
    }

    pub fn peer(variant: &Variant, program: &Path) -> Tool {
        Tool {
            name: variant.0.to_owned(),
            program: program.to_owned(),
            variant: Some(*variant),
            options: Vec::new(),
        }
    }

    /// Whether it is a build of this project.
    pub fn is_ours(&self) -> bool {
        self.variant.is_none()
    }

    pub fn arguments(&self, workload: &Workload) -> Option<Vec<String>> {
        match self.variant {
            Some((_, arguments, _)) => arguments(workload),
            None => Some(ours(workload, &self.options)),
        }
    }

    pub fn figures(&self, output: &str, workload: &Workload) -> Option<Figures> {
        match self.variant {
            Some((.., parse)) => parse(output, workload),
            None => figures::of_diskspd(output, workload),
        }
    }
}

fn ours(w: &Workload, further: &[String]) -> Vec<String> {
    let mut options = vec![
        format!("-b{}", w.block),
        format!("-o{}", w.depth),
        "-t1".into(),
        format!("-w{}", w.writes),
        format!("-d{}", w.seconds),
        "-W0".into(),
        // The CPU is chosen already.
        "-n".into(),
        if w.sequential { "-s".into() } else { "-r".into() },
    ];
    options.extend((!w.buffered).then(|| "-Su".to_owned()));
    options.extend(w.latency.then(|| "-L".to_owned()));
    options.extend(w.ours.iter().chain(further).cloned());
    options.push(w.target.display().to_string());
    options
}

fn quarters(w: &Workload) -> Option<Vec<String>> {
    (w.depth > 1).then(|| io_uring(w, w.depth / 4, w.depth / 4)).flatten()
}

fn waits_for_one(w: &Workload) -> Option<Vec<String>> {
    (w.depth > 1).then(|| io_uring(w, w.depth, 1)).flatten()
}

/// Returns options of t/io_uring: reads only, batches of at most 32, and a second more, because its first
/// figure comes late.
fn io_uring(w: &Workload, submit: u32, complete: u32) -> Option<Vec<String>> {
    if w.writes > 0 {
        return None;
    }
    let (submit, complete) = (submit.clamp(1, 32), complete.clamp(1, 32));
    let options = format!(
        "-d{} -s{submit} -c{complete} -b{} -p0 -n1 -B1 -F1 -r{} -O{} -R{} -t{} -T{}",
        w.depth,
        w.block,
        w.seconds + 1,
        u8::from(!w.buffered),
        u8::from(!w.sequential),
        u8::from(w.latency),
        tsc_hertz(),
    );
    let mut options: Vec<String> = options.split(' ').map(str::to_owned).collect();
    options.push(w.target.display().to_string());
    Some(options)
}

fn tsc_hertz() -> u64 {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("bogomips"));
    let number = line.and_then(|line| line.split(':').nth(1)?.trim().parse::<f64>().ok());
    number.map_or(1_000_000_000, |bogomips| (bogomips / 2.0 * 1e6) as u64)
}

/// Returns fio's options. Tuned: files and buffers registered, batches of a quarter of the depth, cheap
/// random numbers, no map of blocks, and no unrequested clock reads.
fn fio(w: &Workload, tuned: bool) -> Vec<String> {
    let way = match (w.writes, w.sequential) {
        (0, false) => "randread",
        (0, true) => "read",
        (100, false) => "randwrite",
        (100, true) => "write",
        (_, false) => "randrw",
        (_, true) => "rw",
    };
    let mut options: Vec<String> = vec![
        "--name=j".into(),
        format!("--filename={}", w.target.display()),
        format!("--rw={way}"),
        format!("--rwmixwrite={}", w.writes),
        format!("--bs={}", w.block),
        format!("--iodepth={}", w.depth),
        "--ioengine=io_uring".into(),
        format!("--direct={}", u8::from(!w.buffered)),
        // What is in the page cache stays there.
        "--invalidate=0".into(),
        "--thread".into(),
        "--time_based".into(),
        format!("--runtime={}", w.seconds),
        format!("--size={}", w.size),
        "--lat_percentiles=1".into(),
        "--clat_percentiles=0".into(),
        "--output-format=json".into(),
        "--eta=never".into(),
    ];
    if tuned {
        let batch = (w.depth / 4).clamp(1, 32);
        options.extend([
            "--registerfiles=1".into(),
            "--fixedbufs=1".into(),
            "--norandommap".into(),
            "--random_generator=tausworthe64".into(),
            format!("--iodepth_batch_submit={batch}"),
            "--iodepth_batch_complete_min=1".into(),
            format!("--iodepth_batch_complete_max={batch}"),
        ]);
        options.extend((!w.latency).then(|| "--gtod_reduce=1".to_owned()));
    }
    options
}

fn elbencho(w: &Workload) -> Vec<String> {
    let options = format!(
        "--timelimit {} --infloop --nolive -t 1 -b {} -s {} --iodepth {} {}",
        w.seconds,
        w.block,
        w.size,
        w.depth,
        if w.writes > 0 { "-w" } else { "-r" },
    );
    let mut options: Vec<String> = options.split(' ').map(str::to_owned).collect();
    let flags = [
        (!w.sequential, &["--rand"][..]),
        (!w.buffered, &["--direct"]),
        (w.latency, &["--lat", "--latpercent", "--latpercent9s", "1"]),
    ];
    for (wanted, flags) in flags {
        options.extend(flags.iter().filter(|_| wanted).map(|flag| (*flag).to_owned()));
    }
    options.push(w.target.display().to_string());
    options
}
