//! fio's engines, and the equivalent engines of this program.

use diskspd_base::engines::EngineKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineRule {
    Is(EngineKind),
    Near(EngineKind, &'static str),
    Refused(&'static str),
}

use EngineRule::{Is, Near, Refused};

const VECTORED_REASON: &str = "pread and pwrite are called; on one buffer the vectored calls do the same";
const FILES: &str = "it makes, removes or inspects files, and transfers no data";
const NETWORK: &str = "it is a client of a service; only files and block devices are used";
const DEVICE: &str = "it sends commands to the device that bypass the block layer";
const LIBRARY: &str = "it needs a separate library";
const NO_STORAGE_REASON: &str = "it does no I/O to storage";

pub const ENGINES: &[(&str, EngineRule)] = &[
    ("libaio", Is(EngineKind::Aio)),
    ("io_uring", Is(EngineKind::Uring)),
    ("psync", Is(EngineKind::Sync)),
    ("sync", Near(EngineKind::Sync, "pread and pwrite are called, without lseek before them")),
    ("vsync", Near(EngineKind::Sync, "pread and pwrite are called; neighbouring I/Os are not joined")),
    ("pvsync", Near(EngineKind::Sync, VECTORED_REASON)),
    ("pvsync2", Near(EngineKind::Sync, VECTORED_REASON)),
    ("mmap", Is(EngineKind::Mmap)),
    ("null", Is(EngineKind::Null)),
    ("cpp_null", Is(EngineKind::Null)),
    (
        "posixaio",
        Near(
            EngineKind::Uring,
            "the same I/Os by io_uring, not by threads of the C library: latencies differ",
        ),
    ),
    (
        "splice",
        Near(
            EngineKind::Sync,
            "pread and pwrite copy the data, where splice moves pages; the CPU time differs",
        ),
    ),
    ("sg", Refused(DEVICE)),
    ("io_uring_cmd", Is(EngineKind::Nvme)),
    ("libzbc", Refused(DEVICE)),
    ("xnvme", Refused(DEVICE)),
    ("libblkio", Refused(DEVICE)),
    ("mtd", Refused("raw flash (MTD) is not supported, only block devices")),
    ("net", Refused(NETWORK)),
    ("netsplice", Refused(NETWORK)),
    ("rdma", Refused(NETWORK)),
    ("http", Refused(NETWORK)),
    ("nbd", Refused(NETWORK)),
    ("nfs", Refused(NETWORK)),
    ("rados", Refused(NETWORK)),
    ("rbd", Refused(NETWORK)),
    ("libiscsi", Refused(NETWORK)),
    ("libhdfs", Refused(NETWORK)),
    ("gfapi", Refused(NETWORK)),
    ("gfapi_async", Refused(NETWORK)),
    ("dfs", Refused(NETWORK)),
    ("ime_psync", Refused(LIBRARY)),
    ("ime_psyncv", Refused(LIBRARY)),
    ("ime_aio", Refused(LIBRARY)),
    ("libpmem", Refused("it copies to persistent memory; use ioengine=mmap")),
    ("dev-dax", Refused("it maps a DAX device; use ioengine=mmap on a file of a DAX file system")),
    ("libcufile", Refused("it moves data to graphics cards")),
    ("libhipfile", Refused("it moves data to graphics cards")),
    ("cpuio", Refused(NO_STORAGE_REASON)),
    ("page_fault", Refused(NO_STORAGE_REASON)),
    ("exec", Refused("a run starts no other program")),
    ("external", Refused("engines are not loaded from files")),
    ("e4defrag", Refused("it exchanges extents of files, and transfers no data")),
    ("falloc", Refused("it allocates space of files, and transfers no data")),
    ("ftruncate", Refused("it changes the size of files, and transfers no data")),
    ("filecreate", Refused(FILES)),
    ("filestat", Refused(FILES)),
    ("filedelete", Refused(FILES)),
    ("dircreate", Refused(FILES)),
    ("dirstat", Refused(FILES)),
    ("dirdelete", Refused(FILES)),
    ("windowsaio", Refused("it is for Windows; use ioengine=io_uring")),
    ("solarisaio", Refused("it is for Solaris; use ioengine=io_uring")),
];

pub fn engine(name: &str) -> Option<EngineRule> {
    ENGINES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule)
}
