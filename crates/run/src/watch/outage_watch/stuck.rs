//! Naming of hanging I/Os during the run (`--stuck`).

use super::watched::{MAX_TRIES, WatchedSpan};
use diskspd_figures::units::visible;
use diskspd_results::HangingIo;
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_worker::StuckIo;

const STEP: Nanos = SECOND;
/// Maximum number of reported I/Os in a time span.
const MAX_NAMED: usize = 16;

#[derive(Debug)]
pub(super) struct StuckWatch {
    limit: Nanos,
    next: Nanos,
    told: Vec<(u32, Nanos, u64)>,
    full: bool,
    pub found: Vec<HangingIo>,
}

impl StuckWatch {
    /// Creates the watch for I/Os in flight for longer than this number of ms.
    pub(super) fn new(limit_ms: u64) -> StuckWatch {
        let limit = limit_ms.saturating_mul(1_000_000);
        StuckWatch { limit, next: 0, told: Vec::new(), full: false, found: Vec::new() }
    }

    /// Checks the targets at `now`; `start` = start of the measurement.
    pub(super) fn check_targets(&mut self, span: &WatchedSpan, start: Nanos, now: Nanos) {
        if now < self.next {
            return;
        }
        self.next = now + STEP.min(self.limit);
        let mut old: Vec<(usize, StuckIo, Nanos)> = Vec::new();
        for (index, worker) in span.workers() {
            let Some(desk) = span.desks.get(index) else { continue };
            let look = || desk.inspect(|books| books.in_flight(worker, &[], &[]));
            let flying = (0..MAX_TRIES).find_map(|_| look()).unwrap_or_default();
            let aged = flying.into_iter().filter_map(|io| io.started.map(|started| (index, io, started)));
            old.extend(aged.filter(|(.., started)| now.saturating_sub(*started) >= self.limit));
        }
        old.sort_by_key(|(.., started)| *started);
        for (index, io, started) in old {
            self.report_stuck(span, index, &io, (started, start, now));
        }
    }

    fn report_stuck(
        &mut self,
        span: &WatchedSpan,
        index: usize,
        io: &StuckIo,
        (started, start, now): (Nanos, Nanos, Nanos),
    ) {
        let key = (io.thread, started, io.offset);
        if self.told.contains(&key) {
            return;
        }
        if self.told.len() >= MAX_NAMED {
            if !std::mem::replace(&mut self.full, true) {
                span.voice.warn(&format!(
                    "--stuck: {MAX_NAMED} I/Os were named; further ones of this time span are not"
                ));
            }
            return;
        }
        self.told.push(key);
        let name = io.op.row().name;
        let what = match io.length {
            0 => name.to_owned(),
            length => format!("{name} of {length} bytes at offset {}", io.offset),
        };
        span.voice.warn(&format!(
            "stuck: thread {}: {what} of '{}' has been in flight for {:.1} s (--stuck)",
            io.thread,
            visible::line(&io.path.to_string()),
            now.saturating_sub(started) as f64 / SECOND as f64
        ));
        let targets = span.plan.workers.get(index).into_iter().flat_map(|worker| &worker.targets);
        let target = targets.clone().find(|target| target.path == io.path).map(|target| target.id);
        self.found.push(HangingIo {
            target: target.unwrap_or_default(),
            operation: name.to_owned(),
            offset: io.offset,
            length: io.length,
            submitted_us: (started / 1000) as i64 - (start / 1000) as i64,
            observed_us: now.saturating_sub(start) / 1000,
        });
    }
}
