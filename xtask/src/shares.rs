//! Comparison of mixes, sizes and distributions with the request: ten million counted draws of each.

use crate::harness::{Arguments, Failure, table};
use diskspd::cli::{self, Invocation};
use diskspd::engines::Direction;
use diskspd::machine::System;
use diskspd::machine::target::TargetFacts;
use diskspd::plan::{self, PlanContext, WorkerPlan};
use diskspd::workload::{Assignment, InterlockedPosition, NextIo, ThreadWorkload};
use std::sync::Arc;

const DEVIATIONS: f64 = 6.0;
/// End of the area in bytes.
const AREA: u64 = 1 << 30;

type Kind = (&'static str, f64, fn(&NextIo) -> bool);

const CASES: &[(&[&str], &[Kind])] = &[
    (
        &["--mix", "70:-b8K -r -w0; 20:-b64K -s -w100; 10:-b512K -r -w50"],
        &[
            ("part of 8 KiB", 70.0, |io| io.length == 8 << 10),
            ("part of 64 KiB", 20.0, |io| io.length == 64 << 10),
            ("part of 512 KiB", 10.0, |io| io.length == 512 << 10),
            ("writes of all", 25.0, |io| io.direction == Direction::Write),
            ("writes of 512 KiB", 5.0, |io| io.length == 512 << 10 && io.direction == Direction::Write),
        ],
    ),
    (&["--mix", "999999:-b4K -r; 1:-b8K -r"], &[("one of a million", 0.0001, |io| io.length == 8 << 10)]),
    (
        &["-r", "-w30", "--bs-split", "4K/60:8K/30:64K/10"],
        &[
            ("4 KiB", 60.0, |io| io.length == 4 << 10),
            ("8 KiB", 30.0, |io| io.length == 8 << 10),
            ("64 KiB", 10.0, |io| io.length == 64 << 10),
            ("writes", 30.0, |io| io.direction == Direction::Write),
        ],
    ),
    (
        &["-b4K", "-r", "--distribution", "hot:10%/90%"],
        // The others are spread over the rest alone.
        &[("in the hot tenth", 90.0, |io| io.offset < AREA / 10)],
    ),
    (
        &["-b4K", "-r", "--distribution", "normal:10%"],
        // Two deviations on both sides of the middle.
        &[("within two deviations", 95.449_97, |io| {
            (AREA * 3 / 10..AREA * 7 / 10).contains(&(io.offset + 2048))
        })],
    ),
    (
        &["-b4K", "-r", "-w50", "-rdpct90/10:5/20"],
        &[
            ("in the first range", 90.0, |io| io.offset < AREA / 10),
            ("in the second range", 5.0, |io| (AREA / 10..AREA * 3 / 10).contains(&io.offset)),
            ("in the rest", 5.0, |io| io.offset >= AREA * 3 / 10),
            ("writes", 50.0, |io| io.direction == Direction::Write),
        ],
    ),
    (&["-b4K", "-r"], &[("in the first quarter", 25.0, |io| io.offset < AREA / 4)]),
];

/// Counts all of them.
///
/// # Errors
/// A share that is off.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let draws: u64 = arguments.number("--draws", 10_000_000)?;
    let markdown = arguments.flag("--markdown");
    arguments.finish()?;
    let (mut rows, mut off) = (Vec::new(), 0);
    for (options, kinds) in CASES {
        let counts = count(options, kinds, draws)?;
        for ((name, percent, _), count) in kinds.iter().zip(counts) {
            let share = percent / 100.0;
            let deviation = (draws as f64 * share * (1.0 - share)).sqrt();
            // A block more or less at the edge of a part of the area.
            let edge = draws as f64 * 8192.0 / AREA as f64;
            let distance = (count as f64 - draws as f64 * share).abs();
            let is_off = distance > DEVIATIONS * deviation + edge;
            off += usize::from(is_off);
            rows.push(vec![
                options.join(" "),
                (*name).to_owned(),
                format!("{percent} %"),
                format!("{:.4} %", 100.0 * count as f64 / draws as f64),
                format!("{:.2}{}", distance / deviation, if is_off { " OFF" } else { "" }),
            ]);
        }
    }
    table::print(&["options", "kind", "asked", "drawn", "deviations"], &rows, markdown);
    if off > 0 { Err(format!("{off} shares differ from the request").into()) } else { Ok(()) }
}

fn count(options: &[&str], kinds: &[Kind], draws: u64) -> Result<Vec<u64>, Failure> {
    const REQUESTS: u32 = 8;
    let worker = worker(options)?;
    let interlocked = Arc::new(InterlockedPosition::default());
    let assignments: Vec<Assignment<'_>> = worker
        .targets
        .iter()
        .map(|target| Assignment {
            workload: &target.workload,
            requests: target.requests,
            interlocked: Arc::clone(&interlocked),
        })
        .collect();
    let mut workload = ThreadWorkload::new(worker.seed, worker.floating, &assignments);
    let requests: Vec<u32> = (0..REQUESTS).collect();
    let mut counts = vec![0; kinds.len()];
    let mut ios = vec![None; requests.len()];
    for _ in 0..draws / u64::from(REQUESTS) {
        workload.fill(&mut ios, &requests, |_, io| Some(io));
        for io in ios.iter().flatten() {
            counts.iter_mut().zip(kinds).for_each(|(count, (_, _, is))| *count += u64::from(is(io)));
        }
    }
    Ok(counts)
}

/// The only worker of a run with these options.
fn worker(options: &[&str]) -> Result<WorkerPlan, Failure> {
    let fixed = ["diskspd", "--engine", "null", "-c1G", "-o8"];
    let words = fixed.iter().chain(options).chain(&["x"]).map(Into::into);
    let Ok(Invocation::Run(request)) = cli::parse(&words.collect::<Vec<_>>()) else {
        return Err(format!("{options:?} are refused").into());
    };
    let (system, facts) = (System::default(), [TargetFacts::default()]);
    let around = PlanContext {
        system: &system,
        facts: &facts,
        run_options: &request.run_options,
        rank: Default::default(),
    };
    let planned = plan::plan(&request.profile, &request.profile.time_spans[0], around);
    let planned = planned.map_err(|errors| errors.iter().map(ToString::to_string).collect::<String>())?;
    planned.workers.into_iter().next().ok_or_else(|| "no worker".into())
}
