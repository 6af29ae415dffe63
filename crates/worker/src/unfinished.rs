//! I/Os that were in flight when measuring ended: no figure counts them, however long they have been waited
//! for.

use super::requests::InFlight;
use super::{Phases, Requests, TICK, WorkerLedger, WorkerLoop};
use diskspd_engine::CompletedIo;
use diskspd_sys::clock::Nanos;

/// Maximum number of listed I/Os per target; the oldest are listed.
const MAX_LISTED: usize = 1024;

/// Records I/Os completed in the cool-down. `late` gets target and age (ns) of I/Os that were in flight at
/// the end of measuring.
#[cold]
pub(super) fn completed_late(
    late: &mut Vec<(u32, Nanos)>,
    requests: &Requests,
    phases: &Phases,
    done: &[CompletedIo],
) {
    let Some(end) = phases.measure_end() else { return };
    for completed in done {
        let flight = &requests.flights[completed.request as usize];
        // Each request at most once: its next I/O begins behind the end.
        if flight.started < end && late.len() < late.capacity() {
            late.push((flight.target, end - flight.started));
        }
    }
}

impl WorkerLoop<'_> {
    /// Returns for each target the age (ns) of I/Os in flight at the end of measuring, if it exceeds the
    /// longest counted latency, oldest first. Without timestamps it is only known after a period without
    /// completions.
    pub(super) fn unfinished(&self, books: &WorkerLedger) -> Vec<Vec<Nanos>> {
        let mut ages = vec![Vec::new(); self.plan.targets.len()];
        let Some(end) = self.phases.measure_end() else { return ages };
        self.late.iter().for_each(|(target, age)| ages[*target as usize].push(*age));
        let mut in_flight = vec![true; self.plan.depth as usize];
        let WorkerLedger { requests, idle, recorder } = books;
        idle.waiting().iter().for_each(|request| in_flight[*request as usize] = false);
        self.given_up.iter().for_each(|request| in_flight[*request as usize] = false);
        let in_flight = requests.flights.iter().zip(in_flight).filter(|(_, there)| *there);
        // What other operations take is no latency of an I/O.
        let moves_data = |flight: &InFlight| flight.io.op.moves_data() && flight.io.length > 0;
        for (flight, _) in in_flight.filter(|(flight, _)| moves_data(flight)) {
            let since = if self.timed { Some(flight.started) } else { self.silent_since };
            let age = since.and_then(|since| end.checked_sub(since)).filter(|age| *age > 0);
            ages[flight.target as usize].extend(age);
        }
        for (target, ages) in ages.iter_mut().enumerate() {
            // Where no latency was measured, what came and went is not worth a line.
            let longest = recorder.longest(target).unwrap_or(TICK.as_nanos() as Nanos);
            ages.retain(|age| *age > longest);
            ages.sort_unstable_by(|a, b| b.cmp(a));
            ages.truncate(MAX_LISTED);
        }
        ages
    }
}
