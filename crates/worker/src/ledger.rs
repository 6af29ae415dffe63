//! A worker's records of its I/Os, separate from its tools, so that other threads can get them when it is
//! stuck.

use super::idle::Idle;
use super::requests::Requests;
use crate::recorder::Recorder;
use diskspd_engine::{CompletedIo, Operation};
use diskspd_plan::WorkerPlan;
use diskspd_profile::RawText;
use diskspd_sys::clock::Nanos;

#[derive(Debug)]
pub struct WorkerLedger {
    pub requests: Requests,
    /// Requests without an I/O.
    pub idle: Idle,
    pub recorder: Recorder,
}

/// Submitted I/O that has not completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckIo {
    pub thread: u32,
    pub path: RawText,
    pub op: Operation,
    /// Byte offset in the target.
    pub offset: u64,
    /// Length in bytes; 0 for a flush.
    pub length: u32,
    /// Submission time; `None` = not recorded.
    pub started: Option<Nanos>,
}

impl WorkerLedger {
    pub fn new(plan: &WorkerPlan, requests: Requests, recorder: Recorder) -> WorkerLedger {
        WorkerLedger { requests, idle: Idle::all(plan.depth), recorder }
    }

    /// Returns the I/Os that are not idle, not completed, and do not belong to `gone` requests.
    pub fn in_flight(&self, plan: &WorkerPlan, done: &[CompletedIo], gone: &[u32]) -> Vec<StuckIo> {
        let mut open = vec![true; plan.depth as usize];
        let completed = done.iter().map(|done| &done.request);
        for request in self.idle.waiting().iter().chain(completed).chain(gone) {
            open[*request as usize] = false;
        }
        // A request that never had an I/O has neither length nor time, a flush has only the time.
        let stuck = self.requests.flights.iter().zip(open);
        let stuck = stuck.filter(|(flight, open)| *open && (flight.io.length > 0 || flight.started > 0));
        stuck
            .map(|(flight, _)| StuckIo {
                thread: plan.thread,
                path: plan.targets[flight.target as usize].path.clone(),
                op: flight.io.op,
                offset: flight.io.offset,
                length: flight.io.length,
                started: (flight.started > 0).then_some(flight.started),
            })
            .collect()
    }
}
