//! The table of engines: plain data for plans and records of any system.

pub use crate::operation::Direction;

use crate::operation::Operation;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    Uring,
    Aio,
    /// `pread(2)`, `pwrite(2)`.
    Sync,
    /// Copies from and to mapped files (`-Sm`).
    Mmap,
    /// NVMe commands that bypass the block layer, through io_uring.
    Nvme,
    /// Windows: overlapped I/O with a completion port.
    Port,
    /// Windows: overlapped I/O with completion routines (`-x`).
    Routines,
    /// Completes at once without I/O, to measure the program itself.
    Null,
    /// Seeded model of a device on a virtual clock.
    Sim,
    /// `Sim` with a fast write cache that fills up.
    SimCliff,
    /// `Sim` with a rate limit and burst credits.
    SimThrottle,
    /// `Sim` that slows down for a minute.
    SimDrift,
    /// `Sim` that regularly stops for a second.
    SimStall,
    SimOutage,
}

impl EngineKind {
    pub fn from_name(name: &str) -> Option<EngineKind> {
        ENGINES.iter().find(|row| row.name == name).map(|row| row.kind)
    }

    /// Whether the thread performs the I/O itself during submission.
    pub fn is_synchronous(self) -> bool {
        self.row().one_at_a_time
    }

    pub fn row(self) -> &'static EngineRow {
        match self {
            EngineKind::Uring => &ENGINES[0],
            EngineKind::Aio => &ENGINES[1],
            EngineKind::Sync => &ENGINES[2],
            EngineKind::Mmap => &ENGINES[3],
            EngineKind::Nvme => &ENGINES[4],
            EngineKind::Port => &ENGINES[5],
            EngineKind::Routines => &ENGINES[6],
            EngineKind::Null => &ENGINES[7],
            EngineKind::Sim => &ENGINES[8],
            EngineKind::SimCliff => &ENGINES[9],
            EngineKind::SimThrottle => &ENGINES[10],
            EngineKind::SimDrift => &ENGINES[11],
            EngineKind::SimStall => &ENGINES[12],
            EngineKind::SimOutage => &ENGINES[13],
        }
    }
}

#[derive(Debug)]
pub struct EngineRow {
    pub kind: EngineKind,
    pub name: &'static str,
    pub description: &'static str,
    /// Maximum number of I/Os in flight.
    pub max_depth: u32,
    pub real_io: bool,
    pub needs_files: bool,
    /// Whether I/Os complete during submission. A thread then does them sequentially in the order of its
    /// requests, and a higher depth only adds slots to the buffer.
    pub one_at_a_time: bool,
    /// Whether time is simulated, which requires a virtual clock.
    pub virtual_time: bool,
    /// Whether the engine can poll for completions.
    pub polls: bool,
    /// Whether the memory of all I/Os can be pinned once, instead of for each I/O.
    pub pins_once: bool,
    pub operations: &'static [Operation],
}

impl EngineRow {
    /// Whether the engine supports the operation; plans check this.
    pub fn supports(&self, op: Operation) -> bool {
        self.operations.contains(&op)
    }
}

const DURABLE_DATA: &[Operation] = &[Operation::Read, Operation::Write, Operation::Flush];

const QUEUED_DATA: &[Operation] =
    &[Operation::Read, Operation::Write, Operation::DurableWrite, Operation::Flush, Operation::ZoneReset];

/// All engines in the order of the help.
pub const ENGINES: [EngineRow; 14] = [
    EngineRow {
        kind: EngineKind::Uring,
        name: "uring",
        description: "io_uring: many I/Os in flight from one thread",
        // The kernel's largest submission queue.
        max_depth: 32_768,
        real_io: true,
        needs_files: true,
        one_at_a_time: false,
        virtual_time: false,
        polls: true,
        pins_once: true,
        operations: &Operation::ALL,
    },
    EngineRow {
        kind: EngineKind::Aio,
        name: "aio",
        description: "Linux AIO, the interface of libaio: many I/Os in flight from one thread, but only \
                      without the cache (-Su, -Sh); through the cache the kernel does them sequentially, \
                      in io_submit",
        // Half of the kernel's default for the whole machine.
        max_depth: 32_768,
        real_io: true,
        needs_files: true,
        one_at_a_time: false,
        virtual_time: false,
        polls: false,
        pins_once: false,
        operations: QUEUED_DATA,
    },
    EngineRow {
        kind: EngineKind::Sync,
        name: "sync",
        description: "pread and pwrite (Windows: ReadFile, WriteFile): one I/O at a time, at any -o",
        max_depth: MODEL_DEPTH,
        real_io: true,
        needs_files: true,
        one_at_a_time: true,
        virtual_time: false,
        polls: false,
        pins_once: false,
        operations: &Operation::ALL,
    },
    EngineRow {
        kind: EngineKind::Mmap,
        name: "mmap",
        description: "copies from and to memory-mapped files, one at a time: for -Sm, which chooses it",
        max_depth: MODEL_DEPTH,
        real_io: true,
        needs_files: true,
        one_at_a_time: true,
        virtual_time: false,
        polls: false,
        pins_once: false,
        operations: DURABLE_DATA,
    },
    EngineRow {
        kind: EngineKind::Nvme,
        name: "nvme",
        description: "NVMe commands that bypass the block layer: for the character device of a namespace \
                      (/dev/ng0n1), which chooses it",
        // As io_uring.
        max_depth: 32_768,
        real_io: true,
        needs_files: true,
        one_at_a_time: false,
        virtual_time: false,
        polls: true,
        pins_once: true,
        operations: &Operation::ALL,
    },
    EngineRow {
        kind: EngineKind::Port,
        name: "iocp",
        description: "Windows: many I/Os in flight from one thread, completions reaped from a completion \
                      port",
        ..OVERLAPPED
    },
    EngineRow {
        kind: EngineKind::Routines,
        name: "apc",
        description: "Windows: the same with completion routines instead of a port: for -x, which chooses it",
        ..OVERLAPPED
    },
    EngineRow {
        kind: EngineKind::Null,
        name: "null",
        description: "completes at once without any I/O: measures the program itself",
        max_depth: MODEL_DEPTH,
        real_io: false,
        needs_files: false,
        one_at_a_time: false,
        virtual_time: false,
        polls: false,
        pins_once: false,
        operations: &Operation::ALL,
    },
    EngineRow {
        kind: EngineKind::Sim,
        name: "sim",
        description: "a seeded model of an NVMe drive on a virtual clock: the same figures on every machine",
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimCliff,
        name: "sim:cliff",
        description: "the same with a fast write cache of 64 GiB for each thread; later writes take five \
                      times as long",
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimThrottle,
        name: "sim:throttle",
        description: "the same with burst credits: 3000 I/Os per second and thread once its 150,000 credits \
                      are used up",
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimDrift,
        name: "sim:drift",
        description: "the same, with latency rising to twice its value in the first minute",
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimStall,
        name: "sim:stall",
        description: "the same, with a stall of one second in every six",
        ..SIMULATED
    },
    EngineRow {
        kind: EngineKind::SimOutage,
        name: "sim:outage",
        description: "the same, with an outage from 5 s to 9.312 s after the first I/O",
        ..SIMULATED
    },
];

const OVERLAPPED: EngineRow = EngineRow {
    kind: EngineKind::Port,
    name: "",
    description: "",
    // As io_uring.
    max_depth: 32_768,
    real_io: true,
    needs_files: true,
    one_at_a_time: false,
    virtual_time: false,
    polls: false,
    pins_once: false,
    operations: DURABLE_DATA,
};

const SIMULATED: EngineRow = EngineRow {
    kind: EngineKind::Sim,
    name: "",
    description: "",
    max_depth: MODEL_DEPTH,
    real_io: false,
    needs_files: false,
    one_at_a_time: false,
    virtual_time: true,
    polls: false,
    pins_once: false,
    operations: &Operation::ALL,
};

/// Depth of engines without a kernel queue, which limits their memory to 64 MiB.
const MODEL_DEPTH: u32 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_kinds_have_unique_rows_and_names() {
        for row in &ENGINES {
            assert_eq!(row.kind.row().name, row.name);
            assert_eq!(EngineKind::from_name(row.name), Some(row.kind));
        }
        assert_eq!(EngineKind::from_name("Uring"), None);
        assert_eq!(EngineKind::from_name(""), None);
    }
}
