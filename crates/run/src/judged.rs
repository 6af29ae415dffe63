//! The I/O of another program as a record of requested I/O and device I/O.

mod counters;
mod device_series;
mod device_view;
mod live;
mod merged;
mod reduced;
mod requested;

use super::watch::device_readings::DeviceReadings;
use crate::watch::linux::arrays::ArrayWatch;
use crate::watch::linux::limits::LimitWatch;
use crate::watch::linux::observe_remote::{self, RemoteWatch};
use counters::EngineCounters;
use device_series::DeviceSeries;
use device_view::DeviceTracing;
use diskspd_base::message_error::MessageError;
use diskspd_host::cpu_times::CpuClock;
use diskspd_host::process_tree::{ProcessTree, TargetUsers};
use diskspd_host::root::Root;
use diskspd_host::{devices, stack, storage};
use diskspd_machine::System;
use diskspd_machine::cpu_times::CpuTimes;
use diskspd_machine::io_counters::{DeviceFacts, OwnIo, TargetDevices};
use diskspd_machine::stack::Stack;
use diskspd_machine::storage::Storage;
use diskspd_profile::{CacheMode, Profile, RawText, RunOptions, Target, TargetId, TimeSpan};
use diskspd_results::{
    ClaimedFigures, Delays, DeviceView, EndedBy, JudgedProgram, Observations, Record, ResourceUsage, Results,
    RunOutcome, SpanResults, TargetResults, ThreadResults,
};
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_sys::observed_child::{self, ObservedChild};
use diskspd_worker::Control;
use diskspd_worker::listener::RunObserver;
use live::LiveFigures;
use reduced::{ReducedData, ReducingDevices};
use std::ffi::OsString;
use std::io;
use std::process::ChildStdout;
use std::time::Duration;

#[derive(Debug, Clone, Default)]
pub struct JudgeOrder {
    /// Command and arguments; empty = all programs that use the targets.
    pub words: Vec<OsString>,
    /// Files and devices; empty = the open files of the processes.
    pub targets: Vec<RawText>,
    /// Observation time without a command.
    pub duration: Duration,
    /// Whether I/Os of io_uring are counted continuously, not in slices.
    pub count_all: bool,
    /// Whether this program reads standard output of the command.
    pub piped: bool,
    pub command_line: RawText,
    pub run_options: RunOptions,
}

/// Facts about the other program's I/O.
#[derive(Debug)]
pub struct JudgedRun {
    system: System,
    order: JudgeOrder,
    facts: DeviceFacts,
    stack: Stack,
    path: RawText,
    program: JudgedProgram,
    observed: Observations,
    effort: ResourceUsage,
    measured: Nanos,
    started_at: i64,
    ended: EndedBy,
    reduced: ReducedData,
    cpus: Vec<CpuTimes>,
    trouble: Option<String>,
}

/// Maximum number of files in the record.
const MAX_FILES: usize = 16;
/// Pauses between two readings of the processes. The first pauses are short, because commands can be short.
const FIRST_SAMPLE_NS: Nanos = SECOND / 2000;
const MAX_SAMPLE_INTERVAL_NS: Nanos = SECOND / 20;
/// Divisor of the time that observations may take, in addition to a fixed amount.
const SAMPLE_COST_DIVISOR: Nanos = 100;
const SAMPLING_PAUSE_NS: Nanos = SECOND / 20;

/// Data that is read during the other program's I/O.
struct Watches {
    tree: ProcessTree,
    named: Vec<Stack>,
    readings: DeviceReadings,
    remote: RemoteWatch,
    arrays: ArrayWatch,
    limits: LimitWatch,
    course: DeviceSeries,
    reducing: ReducingDevices,
    /// Without a command: processes with an open target.
    users: Option<TargetUsers>,
    /// Tracing of the device, or the reason for missing requests; `None` = unknown device.
    tracing: Option<Result<DeviceTracing, MessageError>>,
    looking: Nanos,
    stopped: Nanos,
}

/// Runs the command, or watches the targets for the time of the order. `take` reads the output of the command
/// if it is piped.
pub fn judge(
    order: JudgeOrder,
    control: &Control,
    observer: &dyn RunObserver,
    take: impl FnOnce(ChildStdout),
) -> io::Result<JudgedRun> {
    let system = diskspd_host::snapshot();
    let named: Vec<Stack> = order.targets.iter().map(stack_of).collect();
    let mut watches = Watches::new(named, &order);
    // Before the counters, which later threads inherit.
    watches.trace_device();
    let mut counters = match order.words.is_empty() {
        true => EngineCounters::none(),
        false => EngineCounters::open(order.count_all),
    };
    let started_at = clock::wall_millis();
    let begun = watches.begin();
    let mut live = LiveFigures::new(observer, begun, started_at);
    let cpus = (CpuClock::read().ok(), None);
    let mut run = Run { system, cpus, started_at, begun, exit_code: None, interrupted: false, end: begun };
    match order.words.split_first() {
        Some((program, arguments)) => {
            let (child, output) = ObservedChild::start(program, arguments, order.piped)?;
            if let Some(output) = output {
                take(output);
            }
            run.follow(&child, &mut watches, &mut counters, &mut live);
        }
        None => run.wait(order.duration, control, &mut watches, &mut live),
    }
    live.hand_over_interval(&watches.course, || watches.top_devices(), true);
    watches.end();
    run.cpus.1 = CpuClock::read().ok();
    counters.stop(run.measured_time());
    let trouble = live.finish();
    Ok(JudgedRun { trouble, ..gather(order, &run, watches, counters) })
}

/// Collects the facts after the end of the I/O.
fn gather(order: JudgeOrder, run: &Run, mut watches: Watches, counters: EngineCounters) -> JudgedRun {
    let measured = run.measured_time();
    let (mut facts, effort) = watches.facts(run);
    let parts = merged::join(&watches.tree.files, &watches.named, &order.targets);
    let device_view = watches.device_view(&parts.stack);
    let program = JudgedProgram { device_view, ..program(&order, run, &watches, counters, measured) };
    facts.process = Some(OwnIo::from(program.counted)).filter(|_| !order.words.is_empty());
    facts.targets = vec![TargetDevices {
        target: TargetId(0),
        stack: parts.stack.clone(),
        unwritten: parts.unwritten,
        ..TargetDevices::default()
    }];
    let mut observed = watches.course.observed(&parts.stack, measured);
    observed.delays = (watches.stopped > 0).then(|| stopped_for(watches.stopped / 1000));
    let mut system = run.system.clone();
    let storages = parts.paths.iter().take(1).map(storage::storage);
    let storages = storages.map(|found| Storage { path: parts.path.clone(), ..found });
    diskspd_host::read_environment(&mut system, storages.collect());
    let reduced = watches.reducing.examine(&parts.stack, &watches.tree.files);
    let ended = if run.interrupted { EndedBy::Interrupt } else { EndedBy::Time };
    let cpus = match &run.cpus {
        (Some(before), Some(after)) => after.since(before, &system.topology),
        _ => Vec::new(),
    };
    let (stack, path, started_at) = (parts.stack, parts.path, run.started_at);
    JudgedRun {
        system,
        order,
        facts,
        stack,
        path,
        program,
        observed,
        effort,
        measured,
        started_at,
        ended,
        reduced,
        cpus,
        trouble: None,
    }
}

fn stopped_for(us: u64) -> Delays {
    Delays { times: 1, total_us: us, longest_us: us, was_stopped: true, ..Delays::default() }
}

/// Returns the stack under a target, or under its folder if it does not exist yet.
fn stack_of(target: &RawText) -> Stack {
    let path = target.as_path();
    let there = path.ancestors().find(|above| above.exists());
    match there {
        Some(there) => stack::stack(there),
        None => stack::stack(std::path::Path::new(".")),
    }
}

struct Run {
    system: System,
    cpus: (Option<CpuClock>, Option<CpuClock>),
    started_at: i64,
    begun: Nanos,
    exit_code: Option<u8>,
    interrupted: bool,
    end: Nanos,
}

impl Run {
    fn measured_time(&self) -> Nanos {
        self.end.saturating_sub(self.begun).max(1)
    }

    /// Reads the processes until the command has ended.
    fn follow(
        &mut self,
        child: &ObservedChild,
        watches: &mut Watches,
        counters: &mut EngineCounters,
        live: &mut LiveFigures,
    ) {
        let (mut pause, mut due, mut last) = (FIRST_SAMPLE_NS, self.begun + FIRST_SAMPLE_NS, self.begun);
        loop {
            let now = clock::monotonic();
            let switch = self.begun + counters.switch_counters(now.saturating_sub(self.begun));
            child.wait(Duration::from_nanos(switch.min(due).saturating_sub(now)));
            let now = clock::monotonic();
            while let Some(pid) = observed_child::ended_child() {
                let is_command = pid == child.pid();
                if is_command {
                    self.end = clock::monotonic();
                    watches.course.sample_tree(self.end);
                }
                watches.tree.ended(pid);
                let code = observed_child::reap(pid);
                if is_command {
                    self.exit_code = Some(code.unwrap_or(u8::MAX));
                }
            }
            if now < due && self.exit_code.is_none() {
                continue;
            }
            let worked = clock::thread_cpu_time();
            watches.take_sample(now, now.saturating_sub(last));
            live.hand_over_interval(&watches.course, || watches.top_devices(), false);
            if self.exit_code.is_some() {
                return;
            }
            last = now;
            let over = clock::monotonic();
            watches.looking += clock::thread_cpu_time().saturating_sub(worked);
            pause = (pause * 2).min(MAX_SAMPLE_INTERVAL_NS);
            let beyond =
                watches.looking.saturating_sub(SAMPLING_PAUSE_NS).saturating_mul(SAMPLE_COST_DIVISOR);
            due = (over + pause).max((self.begun + beyond).min(over + SECOND));
        }
    }

    /// Reads the devices repeatedly for this duration.
    fn wait(&mut self, time: Duration, control: &Control, watches: &mut Watches, live: &mut LiveFigures) {
        let until = self.begun.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        live.until(until);
        let mut users_due = self.begun;
        loop {
            self.end = clock::monotonic();
            watches.course.sample_tree(self.end);
            watches.limits.read_limits(self.end);
            if self.end >= users_due || self.end >= until {
                let took = watches.find_users();
                users_due = self.end + SECOND.max(took.saturating_mul(SAMPLE_COST_DIVISOR));
            }
            live.hand_over_interval(&watches.course, || watches.top_devices(), false);
            self.interrupted = control.is_interrupted();
            if self.end >= until || self.interrupted {
                return;
            }
            clock::Clock::Monotonic.sleep_until((self.end + MAX_SAMPLE_INTERVAL_NS).min(until));
        }
    }
}

impl Watches {
    fn new(named: Vec<Stack>, order: &JudgeOrder) -> Watches {
        let names = match named.is_empty() {
            true => devices::all_names(&Root::live_system()),
            false => super::watch::device_readings::names_of(named.iter()),
        };
        let judged = named.iter().flat_map(|stack| &stack.layers).map(|layer| layer.name.clone());
        Watches {
            tree: ProcessTree::below_this_process(judged.collect()),
            readings: DeviceReadings::for_devices(names.clone()),
            remote: match named.is_empty() {
                true => RemoteWatch::new(stack::remote_layers(&Root::live_system()).iter()),
                false => RemoteWatch::new(named.iter().flat_map(|stack| &stack.layers)),
            },
            arrays: ArrayWatch::for_stacks(Root::live_system(), named.iter()),
            limits: LimitWatch::new(Root::live_system()),
            course: DeviceSeries::new(names),
            reducing: ReducingDevices::find_all(),
            named,
            users: order.words.is_empty().then(|| {
                TargetUsers::of_targets(Root::live_system(), order.targets.iter().map(RawText::as_path))
            }),
            tracing: None,
            looking: 0,
            stopped: 0,
        }
    }

    /// Returns the stacks of the named targets, or of the files opened so far.
    fn stacks(&self) -> Vec<&Stack> {
        match self.named.is_empty() {
            false => self.named.iter().collect(),
            // Small files are often those of programs.
            true if self.tree.files.has_large() => self.tree.files.stacks(),
            true => Vec::new(),
        }
    }

    fn top_devices(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.stacks().iter().flat_map(|stack| stack.top_devices.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Traces the device as soon as it is known.
    fn trace_device(&mut self) {
        if self.tracing.is_none() && !self.top_devices().is_empty() {
            self.tracing = Some(DeviceTracing::start(&merged::join_stacks(&self.stacks())));
        }
    }

    /// Finds processes with an open target; returns the duration of the search.
    fn find_users(&mut self) -> Nanos {
        let began = clock::thread_cpu_time();
        self.users.iter_mut().for_each(TargetUsers::sample_users);
        let took = clock::thread_cpu_time().saturating_sub(began);
        self.looking += took;
        took
    }

    fn device_view(&mut self, stack: &Stack) -> Option<DeviceView> {
        let traced = self.tracing.take()?.and_then(DeviceTracing::finish);
        let (requests, untraced_reason) = match traced {
            Ok(requests) => (Some(requests), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Some(DeviceView { in_flight: self.course.in_flight(stack), requests, untraced_reason })
    }

    fn begin(&mut self) -> Nanos {
        self.arrays.begin();
        let begun = clock::monotonic();
        self.limits.begin(begun);
        self.remote.begin();
        let begun = clock::monotonic();
        self.readings.begin(begun);
        self.course.begin(begun);
        begun
    }

    fn take_sample(&mut self, now: Nanos, since_last: Nanos) {
        self.tree.read_processes();
        if self.tree.has_stopped() {
            self.stopped += since_last;
        }
        if self.course.sample_tree(now) {
            self.limits.read_limits(now);
            self.arrays.read_arrays();
            self.trace_device();
        }
    }

    fn end(&mut self) {
        let reading = self.readings.read();
        self.remote.end();
        self.readings.end(reading);
        self.arrays.read_arrays();
    }

    fn facts(&mut self, run: &Run) -> (DeviceFacts, ResourceUsage) {
        let mut effort = ResourceUsage { process: self.tree.cpu_ns(), ..ResourceUsage::default() };
        self.limits.read_limits(run.end.max(run.begun));
        self.limits.finish(&mut effort);
        let readings = std::mem::replace(&mut self.readings, DeviceReadings::for_devices(Vec::new()));
        let mut facts = readings.finish().unwrap_or_default();
        let remote = std::mem::replace(&mut self.remote, RemoteWatch::new(std::iter::empty())).finish();
        facts.devices.extend(remote.iter().map(observe_remote::as_device));
        facts.remote = remote;
        let arrays = ArrayWatch::for_stacks(Root::live_system(), std::iter::empty());
        facts.arrays = std::mem::replace(&mut self.arrays, arrays).finish();
        (facts, effort)
    }
}

fn program(
    order: &JudgeOrder,
    run: &Run,
    watches: &Watches,
    counters: EngineCounters,
    measured: Nanos,
) -> JudgedProgram {
    let tree = &watches.tree;
    let (read, write) = tree.sorted();
    JudgedProgram {
        words: order.words.iter().map(|word| RawText::from(word.clone())).collect(),
        exit_code: run.exit_code,
        processes: watches.users.as_ref().map_or(tree.seen, TargetUsers::count),
        still_running: tree.living() as u64,
        unreadable: watches.users.as_ref().map_or(tree.unreadable, |users| users.unreadable),
        dropped: tree.dropped,
        clients: tree.clients.iter().cloned().collect(),
        counted: tree.total(),
        read,
        write,
        files: merged::paths(&tree.files).into_iter().take(MAX_FILES).collect(),
        bypasses_cache: tree.files.bypass_the_cache(),
        engines: counters.facts(tree),
        cpu_ns: tree.cpu_ns(),
        zeros_share: 0.0,
        stopped_us: watches.stopped / 1000,
        observer_cpu_share: watches.looking as f64 / measured as f64,
        claimed: None,
        users: watches.users.as_ref().map(TargetUsers::busiest).unwrap_or_default(),
        device_view: None,
    }
}

impl JudgedRun {
    pub fn exit_code(&self) -> Option<u8> {
        self.program.exit_code
    }

    pub fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    pub fn record(self, claimed: Option<ClaimedFigures>) -> Record {
        let mut program = JudgedProgram { claimed, ..self.program };
        let (read, write) = match self.order.words.is_empty() {
            // Without a command no process is known: what the devices did is all that there is.
            true => requested::of_devices(&self.facts, &self.stack),
            false => requested::of_program(&mut program, &self.stack),
        };
        let row = TargetResults { target: TargetId(0), read, write, ..TargetResults::default() };
        let seconds = u32::try_from(self.measured.div_ceil(SECOND)).unwrap_or(u32::MAX);
        let (bytes, ios) = (row.read.bytes + row.write.bytes, row.read.ios + row.write.ios);
        let row_read = row.read.bytes;
        let is_reduced = self.reduced.is_reduced(row.write.bytes);
        program.zeros_share = self.reduced.zeros_share(row.write.bytes);
        let block_size = bytes.checked_div(ios).and_then(|size| u32::try_from(size).ok()).unwrap_or(0);
        let target = Target {
            path: self.path,
            block_size,
            request_count: 1,
            cache_mode: if program.bypasses_cache { CacheMode::DisableOsCache } else { CacheMode::Cached },
            uncached_devices: program.bypasses_cache,
            ..Target::default()
        };
        let span = TimeSpan {
            duration: seconds,
            warmup: 0,
            // A device that keeps a pattern once does no work for it.
            random_write_data: !is_reduced,
            targets: vec![target],
            ..TimeSpan::default()
        };
        let content = if row_read > 0 { self.reduced.read } else { Vec::new() };
        let observed = Observations {
            devices: Some(self.facts),
            resource_usage: Some(self.effort),
            content,
            ..self.observed
        };
        let results = SpanResults {
            measured: self.measured,
            cpus: self.cpus,
            threads: vec![ThreadResults { targets: vec![row], ..ThreadResults::default() }],
            started_at: Some(self.started_at),
            ended: Some(RunOutcome { cause: self.ended, after: Some(self.measured) }),
            observed: Some(observed),
            ..SpanResults::default()
        };
        let profile =
            Profile { command_line: self.order.command_line, time_spans: vec![span], ..Profile::default() };
        let record = Record::new(profile, self.system, Results { time_spans: vec![results] });
        Record { program: Some(Box::new(program)), ..record.with_run_options(self.order.run_options) }
    }
}
