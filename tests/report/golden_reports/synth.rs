//! Recorded result sets as records: every single I/O goes through histogram and series as in a run.

use diskspd::cli::Invocation;
use diskspd::machine::{Core, CpuNode, Group, PowerScheme, System, Topology};
use diskspd::profile::{Profile, TargetIds, TimeSpan};
use diskspd::results::*;
use diskspd::stats::{Histogram, Series};
use serde::Deserialize;
use std::ffi::OsString;

/// One tick of the recording in ns.
const TICK: u64 = 100;

#[derive(Deserialize)]
struct Run {
    args: Vec<String>,
    system: Machine,
    timespans: Vec<Span>,
}

#[derive(Deserialize)]
struct Machine {
    computer: String,
    power: (String, String),
    /// Number, maximum, active, mask.
    group: Vec<(u16, u32, u32, u64)>,
    node: Vec<(u32, u16, u64)>,
    socket: Vec<(u32, u16, u64)>,
    core: Vec<(u16, u32, u64, u32)>,
}

#[derive(Deserialize)]
struct Span {
    ticks: u64,
    cpu: Vec<(u64, u64, u64)>,
    threads: Vec<Thread>,
}

#[derive(Deserialize)]
struct Thread {
    targets: Vec<Accesses>,
}

#[derive(Deserialize)]
struct Accesses {
    path: String,
    size: u64,
    /// R or W, bytes, start and end in ticks since the start of the span.
    io: Vec<(char, u64, u64, u64)>,
    /// First I/O percentage point, number of them, offset, length.
    dist: Vec<(u32, u32, u64, u64)>,
}

/// Returns the record of a recorded result set.
pub fn record(json: &[u8]) -> Record {
    let run: Run = serde_json::from_slice(json).unwrap();
    let profile = profile(["diskspd.exe"].into_iter().chain(run.args.iter().map(String::as_str)));
    let spans = profile.time_spans.iter().zip(&run.timespans);
    let ids = TargetIds::from_profile(&profile);
    let time_spans = spans.map(|(asked, got)| span(&ids, asked, got)).collect();
    Record::new(profile, system(run.system), Results { time_spans })
}

/// Returns the profile of a command line, parsed by the program itself.
pub fn profile<'a>(command_line: impl IntoIterator<Item = &'a str>) -> Profile {
    let arguments: Vec<OsString> = command_line.into_iter().map(OsString::from).collect();
    match diskspd::cli::parse(&arguments).unwrap() {
        Invocation::Run(request) => request.profile,
        other => panic!("{arguments:?} is no run but {other:?}"),
    }
}

fn system(machine: Machine) -> System {
    let place = |(number, group, mask)| CpuNode { number, masks: vec![(group, mask)] };
    System {
        computer_name: machine.computer,
        start_time: None,
        power_scheme: PowerScheme { name: Some(machine.power.0), guid: Some(machine.power.1) },
        topology: Topology {
            groups: machine
                .group
                .into_iter()
                .map(|(number, maximum, active, mask)| Group { number, maximum, active, mask })
                .collect(),
            nodes: machine.node.into_iter().map(place).collect(),
            sockets: machine.socket.into_iter().map(place).collect(),
            cores: machine
                .core
                .into_iter()
                .map(|(group, number, mask, efficiency_class)| Core {
                    group,
                    number,
                    mask,
                    efficiency_class,
                    continued: false,
                })
                .collect(),
            // The recorded machines were stated without it: none of the reports has a Core column.
            smt: false,
            disallowed: Vec::new(),
        },
        ..System::default()
    }
}

fn span(ids: &TargetIds, asked: &TimeSpan, got: &Span) -> SpanResults {
    let target = |target: &Accesses| {
        let direction = |wanted: char| {
            let mut results = DirectionResults {
                latency: asked.measure_latency.then(|| Box::new(Histogram::new())),
                series: asked
                    .calculate_iops_std_dev
                    .then(|| Box::new(Series::new(asked.io_bucket_duration, asked.duration))),
                ..DirectionResults::default()
            };
            for &(_, bytes, start, end) in target.io.iter().filter(|io| io.0 == wanted) {
                results.bytes += bytes;
                results.ios += 1;
                let latency = (end - start) * TICK;
                if let Some(histogram) = &mut results.latency {
                    histogram.record(latency);
                }
                if let Some(series) = &mut results.series {
                    series.record(end * TICK, latency);
                }
            }
            results
        };
        let range = |&(io_base, io_span, start, length)| EffectiveRange { io_base, io_span, start, length };
        TargetResults {
            unfinished: Vec::new(),
            target: ids.get(&target.path.as_str().into()).unwrap(),
            size: target.size,
            read: direction('R'),
            write: direction('W'),
            distribution: target.dist.iter().map(range).collect(),
            not_submitted: None,
            integrity: None,
            others: Default::default(),
            parts: Vec::new(),
        }
    };
    let cpu = |&(idle, kernel, user): &(u64, u64, u64)| CpuTimes { idle, kernel: kernel - idle, user };
    SpanResults {
        measured: got.ticks * TICK,
        cpus: got.cpu.iter().map(cpu).collect(),
        threads: got
            .threads
            .iter()
            .map(|thread| ThreadResults {
                targets: thread.targets.iter().map(target).collect(),
                ..ThreadResults::default()
            })
            .collect(),
        ..SpanResults::default()
    }
}
