//! Mapped I/O is done one at a time, request after request, with the addresses that DISKSPD 2.2.0 issued
//! (`tests/data/traces/43_Sm_o4`): the worker's own order, seen by an engine that only takes notes.

use crate::control::Control;
use crate::recorder::Recorder;
use crate::voice::Voice;
use crate::{Books, Phases, Requests, Schedule, Worker};
use diskspd_engine::{AboutEngine, Done, Engine, EngineError, Io, Operation};
use diskspd_model::engines::EngineKind;
use diskspd_model::machine::System;
use diskspd_model::machine::target::{TargetFacts, TargetKind};
use diskspd_model::plan::{self, Surroundings};
use diskspd_model::profile::{Profile, Target, TimeSpan};
use diskspd_model::workload::{Assignment, InterlockedPosition, ThreadWorkload};
use diskspd_sys::clock::Clock;
use diskspd_sys::lent::lend;
use diskspd_sys::memory::{Slot, SlotMut};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Completes everything in a nanosecond, and keeps what it was given.
struct Notes {
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

    fn wait(&mut self, _: usize, _: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let ended = |io: Io| Done { request: io.request, result: i64::from(io.length) };
        done.extend(self.waiting.drain(..).map(ended));
        self.clock.advance_to(self.clock.now() + 1);
        Ok(())
    }

    fn slot(&self, _: &Io) -> Option<Slot<'_>> {
        None
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        SlotMut::from(&mut [][..])
    }

    fn about(&self) -> AboutEngine<'_> {
        AboutEngine::features("")
    }
}

#[test]
fn mapped_ios_come_one_by_one_in_the_order_of_diskspd() {
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
    let span = TimeSpan { targets: vec![target], disable_affinity: true, ..TimeSpan::default() };
    let facts = [TargetFacts { kind: TargetKind::File, ..TargetFacts::default() }];
    let around = Surroundings { system: &System::default(), facts: &facts, run_options: &Default::default() };
    let span = plan::plan(&Profile::default(), &span, around).expect("a plan");
    let plan = &span.workers[0];
    assert_eq!((plan.engine, plan.depth), (EngineKind::Mmap, 4));

    let seen = Rc::new(RefCell::new(Vec::new()));
    let clock = Clock::simulated(0);
    let engine = Notes { seen: Rc::clone(&seen), waiting: vec![], clock: clock.clone() };
    let interlocked = Arc::new(InterlockedPosition::default());
    let assignment = Assignment { workload: &plan.targets[0].workload, requests: 4, interlocked };
    let workload = ThreadWorkload::new(plan.seed, plan.floating, &[assignment]);
    let recorder = Recorder::new(&span, plan, &workload, Default::default(), None);
    let (books, _) = lend(Books::new(plan, Requests::new(plan, &[0], &[0]), recorder));
    let control = Control::default();
    let worker = Worker {
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
        voice: &Voice::quiet(),
    };
    let ended = worker.run(&span);
    assert_eq!(ended.failure, None);

    let trace = include_str!("../../../tests/data/traces/43_Sm_o4.txt");
    let seen = seen.borrow();
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
