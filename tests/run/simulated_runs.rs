//! Tests that any valid profile with a plan runs without a panic, I/O outside of its area, or standstill.

#![allow(clippy::unwrap_used, clippy::panic)]

use diskspd::cli::{self, Invocation};
use diskspd::engines::EngineKind;
use diskspd::finding::Severity;
use diskspd::machine::System;
use diskspd::profile::RunOptions;
use diskspd::profile::validate::validate;
use diskspd::run::{self, Control, Options, RunReporter};
use proptest::prelude::*;
use std::cell::Cell;
use std::ffi::OsString;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

const STANDSTILL: Duration = Duration::from_secs(120);

/// Returns one of these words, or nothing.
fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), proptest::sample::select(words).prop_map(str::to_string)]
}

fn pattern() -> impl Strategy<Value = String> {
    one_of(&[
        "-r",
        "-r512",
        "-r12K",
        "-s",
        "-s16K",
        "-s512",
        "-si",
        "-si24K",
        "-rs1",
        "-rs50 -r1K",
        "-rs99",
        "-p",
        "-p -s8K",
        "-rdpct90/10:0/10:5/20",
        "-rdpct100/1",
        "-rdabs10/8K:0/64K:90/16K",
        "-rs40 -rdabs30/32K",
    ])
}

fn pace() -> impl Strategy<Value = String> {
    one_of(&[
        "-g1i",
        "-g37i",
        "-g5000i",
        "-g100",
        "-g1",
        "-i1 -j1",
        "-i7 -j13",
        "-i100 -j1000",
        "-g300i -i3 -j20",
    ])
}

fn content() -> impl Strategy<Value = String> {
    one_of(&["-w1", "-w50", "-w100", "-w30 -Z", "-w70 -Zr", "-w40 -Z64K", "-w100 -Z1M"])
}

fn threads() -> impl Strategy<Value = String> {
    one_of(&["-t2", "-t3 -T64K", "-t2 -T12K", "-F1", "-F2", "-F2 -O3", "-F3 -O1", "-F2 -T8K"])
}

fn other() -> impl Strategy<Value = String> {
    one_of(&[
        "-L", "-D50", "-L -D", "-x", "-x -L", "-Su", "-Sh", "-Sm", "-z7", "-n", "-a0", "-vs", "-fr", "-l",
        "-I1",
    ])
}

/// Returns the size of the target in KiB, start and end of the area, and all options in one line.
fn lines() -> impl Strategy<Value = (u64, u64, u64, String)> {
    let block = proptest::sample::select(&["512", "1K", "3K", "4K", "12K", "64K"][..]);
    let area = (1..512u64, prop_oneof![Just(0), 0..128u64], prop_oneof![Just(0), 1..600u64]);
    (block, area, 1..6u32, 1..3usize, (pattern(), pace(), content(), threads(), other())).prop_map(
        |(block, (size, base, length), depth, targets, (pattern, pace, content, threads, other))| {
            let end = if length == 0 { size } else { size.min(base + length) };
            let area = match (base, length) {
                (0, 0) => String::new(),
                (base, 0) => format!("-B{base}K"),
                (base, length) => format!("-B{base}K:{length}K"),
            };
            let options = format!(
                "-c{size}K -b{block} {area} -o{depth} {pattern} {pace} {content} {threads} {other} -W0 -d1 a"
            );
            (size, base << 10, end << 10, options + &" b".repeat(targets - 1))
        },
    )
}

/// Runs a line on the simulated device with an I/O log; `None` = refused with a reason.
fn simulate(line: &str, log: &Path) -> Option<Vec<String>> {
    let arguments: Vec<OsString> =
        ["diskspd"].into_iter().chain(line.split_whitespace()).map(Into::into).collect();
    let Ok(Invocation::Run(request)) = cli::parse(&arguments) else { return None };
    if validate(&request.profile, false).iter().any(|finding| finding.severity == Severity::Error) {
        return None;
    }
    let run_options = RunOptions { engine: Some(EngineKind::Sim), ..RunOptions::default() };
    let options = Options { io_log: Some(log.to_path_buf()), ..Options::from(run_options) };
    // An I/O area that is too small for the threads and the like: said before anything is done.
    let (profile, system) = (run::resized(&request.profile), System::default());
    if let Err(errors) =
        run::probe_and_plan(&profile, &profile.time_spans[0], &system, &options, &run::Probes::default())
    {
        assert!(!errors.is_empty() && errors.iter().all(|error| !error.to_string().is_empty()), "{line}");
        return None;
    }
    let (control, voice) = (Control::default(), RunReporter::quiet());
    match run::run(&request.profile, &system, &options, &control.into(), &voice, &mut |_| ()) {
        Ok(outcome) => Some(outcome.failures),
        Err(errors) => panic!("{line} can be planned, but not run: {errors:?}"),
    }
}

#[test]
fn valid_profiles_run_within_their_area() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log.csv");
    let ran = Cell::new(0);
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((size, base, end, line) in lines())| {
        let (send, receive) = mpsc::channel();
        let (own_line, own_log) = (line.clone(), log.clone());
        std::thread::spawn(move || send.send(simulate(&own_line, &own_log)));
        let failures = match receive.recv_timeout(STANDSTILL) {
            Ok(Some(failures)) => failures,
            Ok(None) => return Ok(()),
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{line}: the run panicked"),
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{line}: the run stands still"),
        };
        prop_assert!(failures.is_empty(), "{}: {:?}", line, failures);
        ran.set(ran.get() + 1);
        let entries = std::fs::read_to_string(&log).unwrap();
        let mut ios = 0;
        for entry in entries.lines().skip(1) {
            let mut cells = entry.split(',').skip(3);
            let mut number = || cells.next().unwrap().parse::<u64>().unwrap();
            let (offset, bytes) = (number(), number());
            prop_assert!(offset >= base && offset + bytes <= end, "{} of {} KiB: {}", line, size, entry);
            ios += 1;
        }
        // The first I/O of these is due after a second or later.
        let slow = line.split(' ').any(|word| ["-g1", "-g1i"].contains(&word));
        prop_assert!(ios > 0 || slow, "{}: no I/O at all", line);
    });
    assert!(ran.get() >= 16, "only {} of the lines could be run: the property shows nothing", ran.get());
}
