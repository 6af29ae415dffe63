//! The program compared with other tools on the same target: alternately on one CPU, each after every
//! other one about equally often.
//!
//! Runs with CPU contention are repeated. Ratios are medians over the rounds, relative to the peer in the
//! same round, so that slow changes (other guests, clock rates) cancel out.

mod execute;
mod figures;
mod present;
mod sampled;
mod tools;
mod truth;
mod workload;

use crate::harness::{Arguments, Failure, machine, program, statistics::median, statistics::spread, table};
use diskspd::sys::cpu_latency::{self, CpuLatency};
use diskspd::units::Size;
use execute::Execution;
use figures::Figures;
use present::{disk_of, installed, size};
use sampled::Sampled;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tools::Tool;
use truth::{BlockLatency, Truth};
pub use workload::Workload;

struct Way {
    rounds: usize,
    /// Number of repetitions of a run because other programs used its CPU.
    repeats: usize,
    cpu: u32,
    perf: bool,
    truth: bool,
    markdown: bool,
}

struct Run {
    round: usize,
    figures: Figures,
    execution: Execution,
    truth: Option<BlockLatency>,
}

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let depths = arguments.value("--qd")?.unwrap_or_else(|| "1,32,128".to_owned());
    let depths: Vec<u32> = depths
        .split(',')
        .map(|depth| depth.parse().ok().filter(|depth| *depth > 0))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("--qd {depths}: numbers with commas between them are expected"))?;
    let truth = arguments.flag("--truth");
    let mut workload = workload(arguments, truth)?;
    let last_cpu = std::thread::available_parallelism().map_or(0, |cpus| cpus.get() as u32 - 1);
    let way = Way {
        rounds: arguments.number("--rounds", 9)?,
        repeats: arguments.number("--repeats", 3)?,
        cpu: arguments.number("--cpu", last_cpu)?,
        perf: !arguments.flag("--no-perf"),
        truth,
        markdown: arguments.flag("--markdown"),
    };
    let cpu_latency = match arguments.value("--cpu-latency")? {
        Some(limit) => Some(wake_up_limit(&limit)?),
        None => None,
    };
    let tools = all_tools(arguments)?;
    arguments.finish()?;
    if workload.writes > 0 {
        may_be_written(&workload.target)?;
    } else {
        for ours in tools.iter().filter(|tool| tool.is_ours()) {
            only_reads(&ours.arguments(&workload).unwrap_or_default())?;
        }
    }
    // All tools run under the same condition, whatever they would ask for themselves.
    let _awake = cpu_latency.map(CpuLatency::hold).transpose()?;
    machine::print(way.markdown);
    if let Some(limit) = cpu_latency {
        println!(
            "Processors may take {limit} us at most to wake up, for all tools (/dev/cpu_dma_latency).\n"
        );
    }
    if workload.buffered {
        // Into the page cache.
        fs::copy(&workload.target, "/dev/null")?;
    }
    for depth in depths {
        workload.depth = depth;
        compare(&workload, &way, &tools)?;
    }
    Ok(())
}

fn workload(arguments: &mut Arguments, truth: bool) -> Result<Workload, Failure> {
    let target = arguments.value("--target")?.ok_or("peers needs --target FILE or DEVICE")?;
    let target = fs::canonicalize(&target).map_err(|e| format!("{target}: {e}"))?;
    let block = arguments.value("--bs")?.unwrap_or_else(|| "4K".to_owned());
    let block = bytes(&block).ok_or_else(|| format!("--bs {block}: a size is expected, as 4K"))?;
    let latency = arguments.flag("--lat") || truth;
    let writes = arguments.number("--writes", 0)?;
    if writes > 100 {
        return Err(format!("--writes {writes}: per cent of the I/Os are expected").into());
    }
    Ok(Workload {
        size: size(&target)?,
        block,
        depth: 1,
        seconds: arguments.number("--seconds", 2)?,
        writes,
        sequential: arguments.flag("--sequential"),
        buffered: arguments.flag("--buffered"),
        latency,
        ours: arguments
            .value("--ours-options")?
            .map(|options| options.split_ascii_whitespace().map(str::to_owned).collect())
            .unwrap_or_default(),
        target,
    })
}

fn all_tools(arguments: &mut Arguments) -> Result<Vec<Tool>, Failure> {
    let only = arguments.value("--only")?;
    let given = arguments.value("--ours")?;
    let ours: Vec<PathBuf> = match given {
        Some(paths) => paths.split(',').map(absolute).collect::<Result<_, _>>()?,
        None => vec![program::path(None)?],
    };
    let mut tools: Vec<Tool> =
        ours.iter().enumerate().map(|(index, path)| Tool::ours(index, path.clone())).collect();
    // The first build again, in other ways.
    if let Some(variants) = arguments.value("--variants")? {
        tools.extend(variants.split(';').map(|options| Tool::variant(options.trim(), &ours[0])));
    }
    for (option, name, variants) in tools::PEERS {
        match arguments.value(option)?.map(|path| absolute(&path)).transpose()?.or_else(|| installed(name)) {
            Some(path) => tools.extend(variants.iter().map(|variant| Tool::peer(variant, &path))),
            None => eprintln!("skipped: {name} is not installed; {option} PATH names it elsewhere"),
        }
    }
    if let Some(only) = only {
        let named: Vec<&str> = only.split(',').collect();
        tools.retain(|tool| tool.is_ours() || named.contains(&tool.name.as_str()));
    }
    Ok(tools)
}

fn absolute(path: &str) -> Result<PathBuf, Failure> {
    fs::canonicalize(path).map_err(|e| format!("{path}: {e}").into())
}

/// Parses bytes such as `4K`, `1M` or `512`.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor).filter(|bytes| *bytes > 0)
}

/// Maximum wake-up time of processors in us.
fn wake_up_limit(text: &str) -> Result<u32, Failure> {
    let limit = text.parse().ok().filter(|limit| *limit <= cpu_latency::MAX_LIMIT);
    limit.ok_or_else(|| {
        format!("--cpu-latency {text}: a number of us is expected, 0 keeps processors awake").into()
    })
}

fn only_reads(arguments: &[String]) -> Result<(), Failure> {
    let request = program::request_of(arguments)?;
    let mut targets = request.profile.time_spans.iter().flat_map(|span| &span.targets);
    match request.profile_file.is_some() || targets.any(|t| t.write_ratio > 0 || t.file_size.is_some()) {
        true => Err("--ours-options: this would write to the target; that takes --writes".into()),
        false => Ok(()),
    }
}

fn may_be_written(target: &Path) -> Result<(), Failure> {
    let target = fs::canonicalize(target)?;
    let kind = fs::metadata(&target)?.file_type();
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if kind.is_file() || kind.is_block_device() && (name.starts_with("loop") || name.starts_with("zram")) {
        return Ok(());
    }
    Err(format!("{} is not written to: only files, loop devices and zram are", target.display()).into())
}

const BETWEEN: Duration = Duration::from_millis(200);

/// Returns the order of tools in a round. Earlier tools affect caches and the kernel, so each follows each
/// other one equally often. This takes as many rounds as there are tools, twice as many for an odd number
/// (E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments,
/// 1949).
fn order(round: usize, tools: usize) -> Vec<usize> {
    let place = |turn: usize| if turn % 2 == 1 { turn.div_ceil(2) } else { tools - turn / 2 };
    let mut order: Vec<usize> = (0..tools).map(|turn| (place(turn) + round) % tools).collect();
    if tools % 2 == 1 && round / tools % 2 == 1 {
        order.reverse();
    }
    order
}

fn compare(workload: &Workload, way: &Way, tools: &[Tool]) -> Result<(), Failure> {
    let able: Vec<&Tool> = tools.iter().filter(|tool| tool.arguments(workload).is_some()).collect();
    let mut runs: Vec<Vec<Run>> = able.iter().map(|_| Vec::new()).collect();
    let (mut repeated, mut disturbed) = (0, 0);
    let mut no_truth = None;
    for round in 0..way.rounds {
        for index in order(round, able.len()) {
            // What the kernel still does for the one before (taking its ring apart) isn't the next one's.
            std::thread::sleep(BETWEEN);
            let (run, attempts) = quietest(able[index], workload, way)?;
            repeated += attempts - 1;
            disturbed += usize::from(run.execution.is_disturbed());
            match able[index].figures(&run.execution.output, workload) {
                Some(figures) => {
                    let truth = run.truth.map_err(|why| no_truth = Some(why)).ok().flatten();
                    runs[index].push(Run { round, figures, execution: run.execution, truth });
                }
                None => eprintln!("{} failed: {}", able[index].name, run.execution.output.trim()),
            }
        }
    }
    let order = if workload.sequential { "sequential" } else { "random" };
    let kind = match workload.writes {
        0 => "reads".to_owned(),
        100 => "writes".to_owned(),
        some => format!("reads and {some} % writes"),
    };
    println!(
        "{} {order} {} of {}, depth {}, {}, {} rounds of {} s on CPU {}\n",
        workload.target.display(),
        kind,
        Size(workload.block),
        workload.depth,
        if workload.buffered { "page cache" } else { "direct" },
        way.rounds,
        workload.seconds,
        way.cpu,
    );
    let reference = able.iter().position(|tool| tool.is_ours());
    let rows = able.iter().zip(&runs).filter(|(_, runs)| !runs.is_empty()).map(|(tool, own)| {
        let sampled = way.perf.then(|| sampled::sample(tool, workload, way.cpu)).flatten();
        row(tool, workload, own, reference.map(|ours| &runs[ours][..]), sampled, way)
    });
    let rows: Vec<Vec<String>> = rows.collect();
    table::print(&head(workload, way), &rows, way.markdown);
    println!();
    if repeated + disturbed > 0 {
        println!(
            "{repeated} runs were repeated because others took the CPU; {disturbed} count although others \
             did.\n"
        );
    }
    if let Some(why) = no_truth {
        println!("Without the block layer's latencies: {why}.\n");
    }
    Ok(())
}

struct Attempt {
    execution: Execution,
    truth: Result<Option<BlockLatency>, Failure>,
}

fn quietest(tool: &Tool, workload: &Workload, way: &Way) -> Result<(Attempt, usize), Failure> {
    let mut best = attempt(tool, workload, way)?;
    let mut attempts = 1;
    while best.execution.is_disturbed() && attempts <= way.repeats {
        let next = attempt(tool, workload, way)?;
        attempts += 1;
        if next.execution.taken() < best.execution.taken() {
            best = next;
        }
    }
    Ok((best, attempts))
}

fn attempt(tool: &Tool, workload: &Workload, way: &Way) -> Result<Attempt, Failure> {
    let truth = way.truth.then(|| Truth::begin(&workload.target)).transpose();
    let arguments = tool.arguments(workload).unwrap_or_default();
    let limit = Duration::from_secs(u64::from(workload.seconds) + 40);
    let execution = execute::run(&tool.program, &arguments, way.cpu, limit)?;
    Ok(Attempt { execution, truth: truth.and_then(|truth| truth.map(Truth::end).transpose()) })
}

fn head(workload: &Workload, way: &Way) -> Vec<&'static str> {
    let mut head = vec![
        "tool",
        "IOPS",
        "best",
        "spread",
        "ours/its",
        "user ns",
        "system ns",
        "process ns",
        "switches/IO",
    ];
    if workload.latency {
        head.extend(["mean µs", "p50", "p99", "p99.9", "Little"]);
    }
    if way.truth {
        head.extend(["block mean µs", "block p50", "above it"]);
    }
    head
}

fn row(
    tool: &Tool,
    workload: &Workload,
    runs: &[Run],
    ours: Option<&[Run]>,
    sampled: Option<Sampled>,
    way: &Way,
) -> Vec<String> {
    let middle = |value: &dyn Fn(&Run) -> Option<f64>| median(runs.iter().filter_map(value));
    let iops: Vec<f64> = runs.iter().map(|run| run.figures.iops).collect();
    let ratio = |run: &Run| {
        let ours = ours?.iter().find(|ours| ours.round == run.round)?;
        Some(ours.figures.iops / run.figures.iops)
    };
    let each = |run: &Run, value: f64| Some(value / run.figures.ios.max(1.0));
    let cpu = |run: &Run| each(run, (run.execution.cpu.user + run.execution.cpu.system).as_nanos() as f64);
    let user = |run: &Run| each(run, run.execution.cpu.user.as_nanos() as f64);
    let system = |run: &Run| each(run, run.execution.cpu.system.as_nanos() as f64);
    let mut row = vec![
        tool.name.clone(),
        table::number(median(iops.iter().copied()), 0),
        table::number(iops.iter().copied().reduce(f64::max), 0),
        format!("{:.1} %", spread(&iops) * 100.0),
        table::number(middle(&ratio), 3),
        table::number(sampled.map(|sampled| sampled.user).or_else(|| middle(&user)), 0),
        table::number(sampled.map(|sampled| sampled.system).or_else(|| middle(&system)), 0),
        table::number(middle(&cpu), 0),
        table::number(middle(&|run| each(run, run.execution.voluntary_switches as f64)), 3),
    ];
    if workload.latency {
        let little = |run: &Run| Some(run.figures.mean? * run.figures.iops / 1e6 / f64::from(workload.depth));
        row.extend([
            table::number(middle(&|run| run.figures.mean), 1),
            table::number(middle(&|run| run.figures.p50), 1),
            table::number(middle(&|run| run.figures.p99), 1),
            table::number(middle(&|run| run.figures.p999), 1),
            table::number(middle(&little), 3),
        ]);
    }
    if way.truth {
        // Where the tool tells no mean, medians are compared.
        let above = |run: &Run| match (run.figures.mean, run.figures.p50, run.truth.as_ref()?) {
            (Some(mean), _, truth) => Some(mean - truth.mean),
            (None, p50, truth) => Some(p50? - truth.p50),
        };
        row.extend([
            table::number(middle(&|run| Some(run.truth.as_ref()?.mean)), 1),
            table::number(middle(&|run| Some(run.truth.as_ref()?.p50)), 1),
            table::number(middle(&above), 1),
        ]);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn each_tool_follows_every_other_equally_often() {
        for tools in 1..8 {
            let rounds = tools * (1 + tools % 2);
            let mut behind: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for round in 0..rounds {
                let order = order(round, tools);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..tools).collect::<Vec<_>>());
                order.windows(2).for_each(|pair| *behind.entry((pair[0], pair[1])).or_default() += 1);
            }
            assert_eq!(behind.len(), tools * (tools - 1), "{tools}: {behind:?}");
            assert!(behind.values().all(|times| *times == 1 + tools % 2), "{tools}: {behind:?}");
        }
    }

    #[test]
    fn sizes_have_units_or_none() {
        for (text, expected) in [
            ("4K", Some(4096)),
            ("1m", Some(1 << 20)),
            ("512", Some(512)),
            ("0", None),
            ("4G", None),
            ("", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn wake_up_limit_is_a_valid_kernel_number() {
        for (text, expected) in
            [("0", Some(0)), ("2147483647", Some(2_147_483_647)), ("2147483648", None), ("us", None)]
        {
            assert_eq!(wake_up_limit(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn only_unowned_devices_are_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(may_be_written(file.path()).is_ok());
        assert!(may_be_written(Path::new("/dev/null")).is_err());
        assert!(may_be_written(Path::new("/tmp")).is_err());
        for (options, fine) in [("-r -L", true), ("-w1", false), ("-c1M", false), ("-Xprofile.xml", false)] {
            let arguments: Vec<String> = options.split(' ').chain(["target"]).map(str::to_owned).collect();
            assert_eq!(only_reads(&arguments).is_ok(), fine, "{options}");
        }
    }
}
