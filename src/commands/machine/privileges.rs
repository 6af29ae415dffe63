//! Privileges: requirements of each feature (`diskspd doctor --privileges`), and dropping of unnecessary
//! ones.

use crate::cli::{Exit, Invocation};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output;
use crate::engine::{AvailabilityError, MakeEngine};
use crate::engines::EngineKind;
use crate::host::devices;
use crate::host::root::Root;
use crate::sys::privileges::{self, Capability, Remaining, has_capability, lockable, may_use, may_write};
use std::fmt::Write;
use std::path::{Path, PathBuf};

struct NeededRight {
    feature: &'static str,
    /// Required capability, group or setting.
    needs: &'static str,
    /// Command for root that grants only this privilege.
    give: &'static str,
    look: fn(&Root) -> Result<(), MissingRight>,
}

#[derive(Debug, thiserror::Error)]
enum MissingRight {
    #[error("{} cannot be used", .0.display())]
    File(PathBuf),
    #[error("{closed} of {all}, as {first}")]
    Devices { closed: usize, all: usize, first: String },
    #[error(transparent)]
    Engine(#[from] AvailabilityError),
    #[error("ulimit -l is {0} KiB")]
    LockedMemory(u64),
    #[error("the limit of locked memory cannot be read: {0}")]
    UnknownLimit(std::io::Error),
    #[error("{used} of {most} are in use")]
    AioInUse { used: i64, most: i64 },
    #[error("this kernel lacks it, or /proc is not mounted")]
    NoAio,
    #[error("no CAP_PERFMON")]
    NoPerfmon,
    #[error("vm.nr_hugepages is 0")]
    NoLargePages,
}

const TRACING: &str = "/sys/kernel/tracing";
const NEEDED: &[NeededRight] = &[
    NeededRight {
        feature: "files",
        needs: "permission to read the file, and with -w or -c to write it",
        give: "the file's owner or its mode",
        look: |_| Ok(()),
    },
    NeededRight {
        feature: "block devices",
        needs: "permission to read the device, and with -w to write it; root and the group disk have it",
        give: "chown USER /dev/NAME for one device; the group disk may read and write all of them",
        look: all_devices,
    },
    NeededRight {
        feature: "io_uring (-o above 1, --engine uring)",
        needs: "kernel.io_uring_disabled at 0, or at 1 with CAP_SYS_ADMIN or the group of \
                kernel.io_uring_group; no seccomp filter",
        give: "sysctl kernel.io_uring_disabled=1 kernel.io_uring_group=GID; in a container see \
            docs/how-to/packages.md",
        look: |_| Ok(EngineKind::Uring.row().available()?),
    },
    NeededRight {
        feature: "registered buffers of io_uring",
        needs: "RLIMIT_MEMLOCK (ulimit -l) of twice all buffers, or CAP_IPC_LOCK; otherwise each I/O takes \
                slightly more CPU, and the run reports it",
        give: "a line in /etc/security/limits.d: USER - memlock 1048576",
        look: |_| match lockable().map_err(MissingRight::UnknownLimit)? {
            Some(bytes) if !has_capability(Capability::IpcLock) && bytes < 64 << 20 => {
                Err(MissingRight::LockedMemory(bytes >> 10))
            }
            _ => Ok(()),
        },
    },
    NeededRight {
        feature: "Linux AIO (--engine aio)",
        needs: "room in fs.aio-max-nr for -o times threads",
        give: "sysctl fs.aio-max-nr=1048576",
        look: check_aio,
    },
    NeededRight {
        feature: "CPUs kept awake (--cpu-latency)",
        needs: "permission to write to /dev/cpu_dma_latency",
        give: "chgrp GROUP /dev/cpu_dma_latency && chmod 0660 /dev/cpu_dma_latency",
        look: |root| {
            let device = root.path("/dev/cpu_dma_latency");
            may_write(&device).then_some(()).ok_or_else(|| lacks(&device))
        },
    },
    NeededRight {
        feature: "counting events (-e)",
        needs: "CAP_PERFMON, or kernel.perf_event_paranoid -1; permission to read tracefs, or \
            CAP_SYS_ADMIN to mount it",
        give: "mount -o remount,gid=GROUP,mode=0750 /sys/kernel/tracing; setcap cap_perfmon=ep on a \
            copy for that group alone",
        look: check_counting,
    },
    NeededRight {
        feature: "the devices' own times (-eDISK_IO)",
        needs: "the same, and permission to make a folder in /sys/kernel/tracing/instances",
        give: "chown USER /sys/kernel/tracing/instances",
        look: |root| {
            check_counting(root)?;
            let instances = root.path(TRACING).join("instances");
            (may_write(&instances) || has_capability(Capability::SysAdmin))
                .then_some(())
                .ok_or_else(|| lacks(&instances))
        },
    },
    NeededRight {
        feature: "large pages for buffers (-l)",
        needs: "huge pages that are reserved: vm.nr_hugepages",
        give: "sysctl vm.nr_hugepages=COUNT",
        look: |root| match read_number(root, "/proc/sys/vm/nr_hugepages") {
            Some(0) => Err(MissingRight::NoLargePages),
            _ => Ok(()),
        },
    },
    NeededRight {
        feature: "everything else: reports, sweeps, history, comparison, simulation",
        needs: "nothing",
        give: "nothing",
        look: |_| Ok(()),
    },
];

/// Prints the table and the privileges of this process.
pub(crate) fn privileges() -> Result<Exit, CommandError> {
    let root = Root::live_system();
    let mut text = String::new();
    for row in NEEDED {
        match (row.look)(&root) {
            Ok(()) => {
                let _ = writeln!(text, "yes  {}\n     needs {}", row.feature, row.needs);
            }
            Err(lacks) => {
                let _ = writeln!(
                    text,
                    "NO   {}: {lacks}\n     needs {}\n     as root: {}",
                    row.feature, row.needs, row.give
                );
            }
        }
    }
    output::to_stdout(text.as_bytes())
}

/// Drops the privileges that the request does not need, before reading another user's file.
pub(crate) fn drop_privileges(asked: &Invocation) {
    let remaining = match asked {
        Invocation::Report(_) | Invocation::History(_) => Remaining::Files,
        Invocation::Compare(request) if request.interleaved.is_none() && request.boots.is_none() => {
            Remaining::Files
        }
        // What the user has the shell do between runs, or other programs run, is no concern of this one.
        Invocation::Sweep(request) if request.between.is_some() => return,
        Invocation::Compare(request) if request.has_programs() => return,
        Invocation::Sweep(_)
        | Invocation::Compare(_)
        | Invocation::Suite(_)
        | Invocation::Baseline(_)
        | Invocation::Run(_) => Remaining::Run,
        _ => return,
    };
    privileges::keep(remaining);
}

fn lacks(path: &Path) -> MissingRight {
    MissingRight::File(path.to_owned())
}

fn read_number(root: &Root, file: &str) -> Option<i64> {
    root.text(file)?.trim().parse().ok()
}

fn all_devices(root: &Root) -> Result<(), MissingRight> {
    let all = devices::list(root);
    let closed: Vec<&str> = all
        .iter()
        .map(|disk| disk.name.as_str())
        .filter(|name| !may_use(&root.path("/dev").join(name), true))
        .collect();
    match closed.first() {
        None => Ok(()),
        Some(first) => {
            Err(MissingRight::Devices { closed: closed.len(), all: all.len(), first: (*first).to_owned() })
        }
    }
}

fn check_aio(root: &Root) -> Result<(), MissingRight> {
    let [used, most] = ["/proc/sys/fs/aio-nr", "/proc/sys/fs/aio-max-nr"].map(|file| read_number(root, file));
    match (used, most) {
        (Some(used), Some(most)) if used >= most => Err(MissingRight::AioInUse { used, most }),
        (None, _) | (_, None) => Err(MissingRight::NoAio),
        _ => Ok(()),
    }
}

fn check_counting(root: &Root) -> Result<(), MissingRight> {
    let admin = has_capability(Capability::SysAdmin);
    let paranoid = read_number(root, "/proc/sys/kernel/perf_event_paranoid");
    if !admin && !has_capability(Capability::Perfmon) && paranoid.is_none_or(|level| level > -1) {
        return Err(MissingRight::NoPerfmon);
    }
    let events = root.path(TRACING).join("events");
    (admin || may_use(&events, false)).then_some(()).ok_or_else(|| lacks(&events))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn privilege_table_matches_documentation() {
        let page = include_str!("../../../docs/reference/privileges.md");
        for row in NEEDED {
            let line = format!("| {} | {} | {} |", row.feature, row.needs, row.give);
            assert!(page.contains(&line), "docs/reference/privileges.md lacks the line\n{line}");
        }
    }

    #[test]
    fn missing_privileges_are_found() {
        let machine = tempfile::tempdir().unwrap();
        let root = Root::at(machine.path());
        let write = |file: &str, text: &str| {
            let path = root.path(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let lacks = |feature: &str| {
            let row = NEEDED.iter().find(|row| row.feature.starts_with(feature)).unwrap();
            (row.look)(&root).err().map(|lacking| lacking.to_string())
        };
        assert!(lacks("Linux AIO").is_some() && lacks("CPUs kept").is_some());
        write("/proc/sys/fs/aio-nr", "10\n");
        write("/proc/sys/fs/aio-max-nr", "10\n");
        write("/proc/sys/vm/nr_hugepages", "0\n");
        assert_eq!(lacks("Linux AIO").unwrap(), "10 of 10 are in use");
        assert_eq!(lacks("large pages").unwrap(), "vm.nr_hugepages is 0");
        write("/proc/sys/fs/aio-max-nr", "65536\n");
        write("/proc/sys/vm/nr_hugepages", "8\n");
        write("/dev/cpu_dma_latency", "");
        assert_eq!([lacks("Linux AIO"), lacks("large pages"), lacks("CPUs kept")], [None, None, None]);
    }
}
