//! The requests of a worker: their I/Os in flight, and positions of their data.

use diskspd_engine::{Direction, Io, Operation};
use diskspd_plan::workload::{NextIo, ThreadWorkload};
use diskspd_plan::{WorkerPlan, WriteContent};
use diskspd_sys::clock::Nanos;
use diskspd_trace::formats::RecordedIo;

/// Properties of a request while its I/O is in flight.
#[derive(Debug, Clone, Copy)]
pub struct InFlight {
    pub started: Nanos,
    pub io: Io,
    pub target: u32,
}

impl InFlight {
    /// Returns the I/O at another offset.
    #[inline(always)]
    fn io_at(&mut self, offset: u64) -> Io {
        let io = Io { offset, ..self.io };
        self.io.offset = offset;
        io
    }
}

/// State of each request and target.
#[derive(Debug)]
pub struct Requests {
    pub flights: Vec<InFlight>,
    places: Vec<RequestAreas>,
    /// Whether the I/Os of a request differ only in their offsets; `flights` has the rest.
    prepared: bool,
}

#[derive(Debug, Clone, Copy)]
struct RequestAreas {
    file: u32,
    first_request: u32,
    read: Area,
    write: Area,
}

#[derive(Debug, Clone, Copy)]
struct Area {
    start: u64,
    /// Distance between the buffers of two requests: a block, or 0 if all share a source.
    step: u64,
    /// Mask for rounding down positions in a source; 0 without a source.
    mask: u64,
}

impl Requests {
    /// Creates the requests. Each target of the plan has its file in the engine, and the start of its
    /// write source in the buffer (0 without a source).
    pub fn new(plan: &WorkerPlan, files: &[u32], sources: &[usize]) -> Requests {
        let (mut first_request, mut next) = (0, 0);
        let place = |((target, &file), &source)| {
            let target: &diskspd_plan::WorkerTarget = target;
            let step = u64::from(target.slot);
            if !target.is_further_portion() {
                first_request = next;
                // The requests of a floating pool have a slot in the area of every target.
                next += if plan.floating { 0 } else { target.requests };
            }
            let own = |start| Area { start, step, mask: !0 };
            RequestAreas {
                file,
                first_request,
                read: own(target.read_buffer),
                write: match target.content {
                    WriteContent::Source { alignment, .. } => {
                        Area { start: source as u64, step: 0, mask: !(u64::from(alignment) - 1) }
                    }
                    _ => own(target.write_buffer),
                },
            }
        };
        let places = plan.targets.iter().zip(files).zip(sources).map(place).collect();
        Requests {
            flights: vec![InFlight { started: 0, io: Io::NONE, target: 0 }; plan.depth as usize],
            places,
            prepared: false,
        }
    }

    /// Prepares the I/Os of a workload in which only offsets differ. After that
    /// only [`Requests::next`] and [`Requests::fill`] may change I/Os.
    pub fn prepare(&mut self, workload: &ThreadWorkload) {
        let Some((length, direction)) = workload.shape() else { return };
        let next = NextIo { target: 0, length, offset: 0, slice: 0, direction };
        for request in 0..self.flights.len() as u32 {
            self.places[0].take_request(&mut self.flights, request, next);
        }
        self.prepared = true;
    }

    /// Returns the engine's file of a target of the thread.
    pub fn file(&self, target: u32) -> u32 {
        self.places[target as usize].file
    }

    #[inline(always)]
    pub fn next(&mut self, workload: &mut ThreadWorkload, request: u32) -> Io {
        match workload.next_plain() {
            Some(next) if self.prepared => self.flights[request as usize].io_at(next.offset),
            Some(next) => self.places[0].take_request(&mut self.flights, request, next),
            None => self.next_outlined(workload, request),
        }
    }

    /// The same, not inlined. For loops in which other work for each I/O takes longer than the call.
    #[inline(never)]
    pub(crate) fn next_outlined(&mut self, workload: &mut ThreadWorkload, request: u32) -> Io {
        let next = workload.next(request);
        self.places[next.target as usize].take_request(&mut self.flights, request, next)
    }

    /// Creates a recorded I/O for a request, on the first target.
    pub fn recorded(&mut self, io: &RecordedIo, op: Operation, request: u32) -> Io {
        let direction = if io.write { Direction::Write } else { Direction::Read };
        let next = NextIo { target: 0, length: io.bytes, offset: io.offset, slice: 0, direction };
        let io = Io { op, ..self.places[0].take_request(&mut self.flights, request, next) };
        self.flights[request as usize].io = io;
        io
    }

    /// Draws the next I/Os of several requests, in order, as the batch.
    // The calls alone would be a tenth of the loop, so what is called for each I/O is inlined here.
    #[inline(always)]
    pub fn fill(&mut self, workload: &mut ThreadWorkload, requests: &[u32], batch: &mut Vec<Io>) {
        // Most batches are as large as the one before: nothing is written twice.
        batch.resize(requests.len(), Io::NONE);
        let (flights, places) = (&mut self.flights[..], &self.places[..]);
        if self.prepared
            && workload
                .fill_offsets(batch, requests, |request, offset| flights[request as usize].io_at(offset))
        {
            return;
        }
        workload.fill(batch, requests, |request, next| {
            places[next.target as usize].take_request(flights, request, next)
        });
    }
}

impl RequestAreas {
    /// Returns the I/O with its buffer, and records it as in flight.
    #[inline(always)]
    fn take_request(&self, flights: &mut [InFlight], request: u32, next: NextIo) -> Io {
        let area = match next.direction {
            Direction::Read => self.read,
            Direction::Write => self.write,
        };
        let slot = u64::from(request - self.first_request);
        let io = Io {
            request,
            file: self.file,
            op: next.direction.into(),
            offset: next.offset,
            length: next.length,
            buffer_offset: (area.start + slot * area.step + (u64::from(next.slice) & area.mask)) as usize,
        };
        let flight = &mut flights[request as usize];
        flight.io = io;
        flight.target = next.target;
        io
    }
}
