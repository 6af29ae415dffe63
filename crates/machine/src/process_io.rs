//! The kernel's counters of a process, and the interfaces that they leave out.

use serde::{Deserialize, Serialize};

/// Counters of a process (`/proc/<pid>/io`), including its threads and reaped children.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIo {
    pub read: CallsDone,
    pub write: CallsDone,
    /// Bytes read from block devices.
    pub read_bytes: u64,
    /// Bytes made dirty in the page cache, or written without it.
    pub write_bytes: u64,
    /// Dirty bytes that were discarded before they were written.
    pub cancelled_write_bytes: u64,
}

/// System calls of one direction on any files, pipes, sockets and terminals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallsDone {
    pub calls: u64,
    pub bytes: u64,
}

impl CallsDone {
    pub fn plus(self, more: CallsDone) -> CallsDone {
        CallsDone {
            calls: self.calls.saturating_add(more.calls),
            bytes: self.bytes.saturating_add(more.bytes),
        }
    }

    pub fn since(self, earlier: CallsDone) -> CallsDone {
        CallsDone {
            calls: self.calls.saturating_sub(earlier.calls),
            bytes: self.bytes.saturating_sub(earlier.bytes),
        }
    }
}

impl ProcessIo {
    /// Parses lines `name: number`; `None` = the kernel does not count (no `CONFIG_TASK_IO_ACCOUNTING`).
    pub fn parse(text: &str) -> Option<ProcessIo> {
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(found, _)| *found == name)?.1.trim().parse().ok()
        };
        Some(ProcessIo {
            read: CallsDone { calls: value("syscr")?, bytes: value("rchar")? },
            write: CallsDone { calls: value("syscw")?, bytes: value("wchar")? },
            read_bytes: value("read_bytes")?,
            write_bytes: value("write_bytes")?,
            cancelled_write_bytes: value("cancelled_write_bytes")?,
        })
    }

    pub fn plus(self, more: ProcessIo) -> ProcessIo {
        ProcessIo {
            read: self.read.plus(more.read),
            write: self.write.plus(more.write),
            read_bytes: self.read_bytes.saturating_add(more.read_bytes),
            write_bytes: self.write_bytes.saturating_add(more.write_bytes),
            cancelled_write_bytes: self.cancelled_write_bytes.saturating_add(more.cancelled_write_bytes),
        }
    }

    pub fn since(self, earlier: ProcessIo) -> ProcessIo {
        ProcessIo {
            read: self.read.since(earlier.read),
            write: self.write.since(earlier.write),
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            write_bytes: self.write_bytes.saturating_sub(earlier.write_bytes),
            cancelled_write_bytes: self.cancelled_write_bytes.saturating_sub(earlier.cancelled_write_bytes),
        }
    }
}

/// System calls of a direction, sorted by the open files of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortedCalls {
    /// Calls on files and devices of the examined storage.
    pub storage: CallsDone,
    /// Calls on files without a block device: in memory, on another host, in FUSE.
    pub without_device: CallsDone,
    /// Calls on pipes, sockets, terminals and other devices.
    pub elsewhere: CallsDone,
    /// Calls of processes with several kinds of files, or that ended before they were examined.
    pub unclear: CallsDone,
}

/// Process with an open target. Its counters include its other files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetUser {
    pub pid: u32,
    pub name: String,
    /// Bytes read from block devices; missing = no permission to read the counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes made dirty in the page cache, or written without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignEngine {
    #[default]
    Uring,
    Aio,
    Mapped,
}

impl ForeignEngine {
    pub fn describe(self) -> &'static str {
        match self {
            ForeignEngine::Uring => "io_uring",
            ForeignEngine::Aio => "Linux AIO (libaio)",
            ForeignEngine::Mapped => "memory-mapped files",
        }
    }
}
