//! Mapped I/O is done one at a time, request after request, with the addresses that DISKSPD 2.2.0 issued
//! (`tests/data/traces/43_Sm_o4`): the worker's own order, seen by an engine that only takes notes. Here too:
//! the loop for single I/Os and the general loop do the same.

use crate::control::Control;
use crate::failed_io::WorkerError;
use crate::recorder::Recorder;
use crate::run_reporter::RunReporter;
use crate::{Phases, Requests, Schedule, Worker, WorkerLedger, WorkerLoop};
use diskspd_base::engines::EngineKind;
use diskspd_engine::{CompletedIo, Engine, EngineError, EngineInfo, Io, Operation};
use diskspd_machine::System;
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_plan::workload::{Assignment, InterlockedPosition, ThreadWorkload};
use diskspd_plan::{self as plan, PlanContext, SpanPlan};
use diskspd_profile::{Profile, Target, TimeSpan};
use diskspd_sys::clock::Clock;
use diskspd_sys::handover_cell::lend;
use diskspd_sys::memory::{Slot, SlotMut};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Engine that completes each I/O in `each` ns, and lists its I/Os.
struct Notes {
    each: u64,
    /// Number of the failing I/O, from 1; 0 = none.
    fails: usize,
    seen: Rc<RefCell<Vec<Io>>>,
    waiting: Vec<Io>,
    clock: Clock,
}

impl Engine for Notes {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        self.waiting.extend(batch);
        assert_eq!(self.waiting.len(), 1, "one at a time");
        self.seen.borrow_mut().extend(batch);
        Ok(batch.len())
    }

    fn wait(&mut self, _: usize, _: Duration, done: &mut Vec<CompletedIo>) -> Result<(), EngineError> {
        let failed = self.seen.borrow().len() == self.fails;
        let result = |io: &Io| if failed { -5 } else { i64::from(io.length) };
        done.extend(
            self.waiting.drain(..).map(|io| CompletedIo { request: io.request, result: result(&io) }),
        );
        self.clock.advance_to(self.clock.now() + self.each);
        Ok(())
    }

    fn slot(&self, _: &Io) -> Option<Slot<'_>> {
        None
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        SlotMut::from(&mut [][..])
    }

    fn info(&self) -> EngineInfo<'_> {
        EngineInfo::features("")
    }
}

fn plan_worker(target: Target, latencies: bool) -> SpanPlan {
    let span = TimeSpan {
        targets: vec![target],
        disable_affinity: true,
        measure_latency: latencies,
        ..TimeSpan::default()
    };
    let facts = [TargetFacts { kind: TargetKind::File, ..TargetFacts::default() }];
    let around = PlanContext {
        system: &System::default(),
        facts: &facts,
        run_options: &Default::default(),
        rank: Default::default(),
    };
    plan::plan(&Profile::default(), &span, around).expect("a plan")
}

/// Runs `works` for a microsecond with a worker whose engine lists its I/Os; returns them too.
fn record_ios<R>(
    span: &SpanPlan,
    (each, fails): (u64, usize),
    works: impl FnOnce(Worker) -> R,
) -> (Vec<Io>, R) {
    let plan = &span.workers[0];
    let seen = Rc::new(RefCell::new(Vec::new()));
    let clock = Clock::simulated(0);
    let engine = Notes { each, fails, seen: Rc::clone(&seen), waiting: vec![], clock: clock.clone() };
    let interlocked = Arc::new(InterlockedPosition::default());
    let assignment = Assignment { workload: &plan.targets[0].workload, requests: plan.depth, interlocked };
    let workload = ThreadWorkload::new(plan.seed, plan.floating, &[assignment]);
    let recorder = Recorder::new(span, plan, &workload, Default::default(), None);
    let (books, _) = lend(WorkerLedger::new(plan, Requests::new(plan, &[0], &[0]), recorder));
    let (control, voice) = (Control::default(), RunReporter::quiet());
    let result = works(Worker {
        plan,
        engine: Box::new(engine),
        checker: None,
        workload,
        books,
        heir: None,
        clock,
        phases: Phases::Scheduled(Schedule { measure: 0, cooldown: 1000, stop: 1000 }, &control),
        live: None,
        quota: None,
        log: None,
        slowest: None,
        voice: &voice,
    });
    (seen.take(), result)
}

#[test]
fn mapped_ios_follow_order_of_diskspd() {
    // -c1M -b4K -r -Sm -o4 -w30 -d1 -W0
    let target = Target {
        path: "q.dat".into(),
        block_size: 4096,
        random_ratio: 100,
        memory_mapped_io: true,
        request_count: 4,
        write_ratio: 30,
        file_size: Some(1 << 20),
        ..Target::default()
    };
    let span = plan_worker(target, false);
    let plan = &span.workers[0];
    assert_eq!((plan.engine, plan.depth), (EngineKind::Mmap, 4));
    let (seen, ended) = record_ios(&span, (1, 0), |worker| worker.run(&span));
    assert_eq!(ended.failure, None);

    let trace = include_str!("../../../tests/data/traces/43_Sm_o4.txt");
    assert_eq!(seen.len(), 1000);
    for (number, (io, expected)) in seen.iter().zip(trace.lines()).enumerate() {
        let direction = if io.op == Operation::Write { "write" } else { "read" };
        let told = format!("t[0:0] issuing {} {direction} @ {})", io.length, io.offset);
        assert_eq!(told, expected, "I/O {number}");
        assert_eq!(io.request as usize, number % 4, "I/O {number}");
        let area = if io.op == Operation::Write { 4 * 4096 } else { 0 };
        assert_eq!(io.buffer_offset, area + number % 4 * 4096, "I/O {number}");
    }
}

/// Formats end, results, errors, waits, idle requests and last completions of a loop.
fn outcome_text(span: &SpanPlan, worker: Worker, single: bool) -> String {
    let (mut work, mut owner) = WorkerLoop::new(worker, span);
    assert!(work.is_single());
    let ended = match (single, work.timed) {
        (true, true) => work.single::<true>(&mut owner),
        (true, false) => work.single::<false>(&mut owner),
        (false, _) => work.run_turns::<false, false>(&mut owner),
    };
    let failed = ended.err().map(|failed| match failed {
        WorkerError::Io(failed) => (failed.errno, failed.io),
        WorkerError::Engine(error) => panic!("{error}"),
    });
    let books = owner.pick_up().unwrap();
    let (results, errors) = books.recorder.finish();
    let idle = books.idle.waiting();
    format!("{failed:?} {:?} {errors:?} {:?} {idle:?} {:?}", results.targets, work.waits, work.done)
}

#[test]
fn single_and_general_loop_give_equal_results() {
    let mut cases = 0;
    for (depth, mapped) in [(1, false), (1, true), (4, true)] {
        for (latencies, (random, writes)) in
            [false, true].into_iter().flat_map(|l| [(100, 0), (0, 100), (100, 30)].map(|case| (l, case)))
        {
            // Ends at the last moment and beyond it, with the first I/O, and by a failure.
            for engine in [(1, 0), (7, 0), (5000, 0), (1, 1), (3, 20)] {
                let target = Target {
                    path: "q.dat".into(),
                    random_ratio: random,
                    memory_mapped_io: mapped,
                    request_count: depth,
                    write_ratio: writes,
                    // A region that is not a power of two.
                    file_size: Some(3 << 20),
                    ..Target::default()
                };
                let span = plan_worker(target, latencies);
                let run = |single| record_ios(&span, engine, |worker| outcome_text(&span, worker, single));
                let (general, single) = (run(false), run(true));
                assert_eq!(general, single, "{depth} {mapped} {latencies} {random} {writes} {engine:?}");
                assert!(!general.0.is_empty());
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 90);
}
