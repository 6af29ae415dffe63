//! Placement of a worker's I/Os in zones, and resets of zones before rewriting (`--zoned`).

use super::{WorkerLedger, WorkerLoop};
use diskspd_engine::{Io, Operation};

impl WorkerLoop<'_> {
    pub(super) fn place_in_zones(&mut self, books: &mut WorkerLedger) {
        let Some(zones) = &mut self.zones else { return };
        for io in &mut self.batch {
            let flight = &mut books.requests.flights[io.request as usize];
            io.offset = zones.place(flight.target, io);
            flight.io.offset = io.offset;
        }
    }

    /// Fills a batch with due resets; returns false if there are none.
    pub(super) fn draw_resets(&mut self, books: &mut WorkerLedger) -> bool {
        let Some(zones) = self.zones.as_mut().filter(|zones| !zones.owed.is_empty()) else { return false };
        self.batch.clear();
        for owed in zones.owed.drain(..zones.owed.len().min(zones.at_a_time)) {
            books.idle.remove(owed.request);
            let file = books.requests.file(owed.target);
            let flight = &mut books.requests.flights[owed.request as usize];
            let io = Io { request: owed.request, file, op: Operation::ZoneReset, ..Io::NONE };
            flight.io = Io { offset: owed.offset, length: owed.length, ..io };
            flight.target = owed.target;
            self.batch.push(flight.io);
        }
        self.left = books.idle.len();
        true
    }
}
