//! Limit for the wake-up time of processors: the kernel's `/dev/cpu_dma_latency`.
//!
//! Idle processors sleep, and their wake-up time is part of every I/O completed in that time. An open
//! descriptor of this device with a written limit keeps all processors of the machine from idle states
//! with a longer exit time. With 0 they wait in a loop. The limit ends with the descriptor, which the
//! kernel closes at the end of the process. (Interface: Documentation/power/pm_qos_interface.rst of the
//! kernel.)

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Device of limits, of which the lowest is effective.
pub const DEVICE: &str = "/dev/cpu_dma_latency";

/// Maximum limit in µs, because the kernel uses a signed number of 32 bits.
pub const MAX_LIMIT: u32 = i32::MAX as u32;

#[derive(Debug, thiserror::Error)]
pub enum CpuLatencyError {
    #[error(
        "there is no {DEVICE}: this kernel has no idle states (CONFIG_CPU_IDLE), or the container lacks the \
         device; pass it in, or leave out --cpu-latency"
    )]
    Missing,
    #[error(
        "no permission to write to {DEVICE}, which keeps CPUs awake: run as root, let root allow it to a \
         group (chgrp GROUP {DEVICE} && chmod 0660 {DEVICE}), or leave out --cpu-latency"
    )]
    Permission,
    #[error("{DEVICE} rejects a limit of {limit} us: {source}; leave out --cpu-latency")]
    Kernel { limit: u32, source: io::Error },
}

/// Holds a limit until it is dropped.
#[derive(Debug)]
#[must_use = "the limit ends when this is dropped"]
pub struct CpuLatency {
    _device: File,
}

impl CpuLatency {
    /// Keeps processors from idle states with an exit time over `limit` in us (at most [`MAX_LIMIT`]), and
    /// wakes sleeping ones.
    ///
    /// # Errors
    /// Fails if the device is missing, not writable, or rejects the limit.
    pub fn hold(limit: u32) -> Result<CpuLatency, CpuLatencyError> {
        hold_at(Path::new(DEVICE), limit)
    }
}

fn hold_at(device: &Path, limit: u32) -> Result<CpuLatency, CpuLatencyError> {
    let hold = || {
        let number = i32::try_from(limit).map_err(|_| io::Error::from_raw_os_error(libc::ERANGE))?;
        let mut device = OpenOptions::new().write(true).open(device)?;
        // Exactly four bytes are a binary number; anything else the kernel reads as text.
        match device.write(&number.to_ne_bytes())? {
            4 => Ok(CpuLatency { _device: device }),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    };
    hold().map_err(|source| explain_error(source, limit))
}

fn explain_error(source: io::Error, limit: u32) -> CpuLatencyError {
    match source.raw_os_error() {
        Some(libc::ENOENT | libc::ENODEV | libc::ENXIO) => CpuLatencyError::Missing,
        Some(libc::EACCES | libc::EPERM | libc::EROFS) => CpuLatencyError::Permission,
        _ => CpuLatencyError::Kernel { limit, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_written_as_the_kernel_reads_it() {
        for limit in [0, 1, 50, MAX_LIMIT] {
            let device = tempfile::NamedTempFile::new().unwrap();
            let held = hold_at(device.path(), limit).unwrap();
            let written = std::fs::read(device.path()).unwrap();
            assert_eq!(written, (limit as i32).to_ne_bytes(), "{limit}");
            drop(held);
        }
    }

    #[test]
    fn latency_limit_lasts_while_its_device_is_open() {
        let device = tempfile::NamedTempFile::new().unwrap();
        let is_open = || {
            let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
            let places: Vec<_> = open.filter_map(|entry| std::fs::read_link(entry.path()).ok()).collect();
            places.iter().filter(|place| *place == device.path()).count() > 1 // and this test's own
        };
        let held = hold_at(device.path(), 0).unwrap();
        assert!(is_open());
        drop(held);
        assert!(!is_open());
    }

    #[test]
    fn refused_cpu_latency_has_remedy() {
        let directory = tempfile::tempdir().unwrap();
        let message = |path: &Path, limit| hold_at(path, limit).unwrap_err().to_string();
        let missing = message(&directory.path().join("none"), 0);
        assert!(
            missing.contains("CONFIG_CPU_IDLE") && missing.contains("leave out --cpu-latency"),
            "{missing}"
        );
        assert!(!directory.path().join("none").exists(), "nothing is created");
        let refused = message(directory.path(), 7);
        assert!(refused.contains("7 us") && refused.contains("irectory"), "{refused}");
        let long = message(&directory.path().join("none"), MAX_LIMIT + 1);
        assert!(long.contains("2147483648 us"), "{long}");
        // Root may write to any file: the kernel's answers to others.
        for errno in [libc::EACCES, libc::EPERM, libc::EROFS] {
            let denied = explain_error(io::Error::from_raw_os_error(errno), 0).to_string();
            assert!(denied.contains("no permission") && denied.contains("run as root"), "{denied}");
        }
    }
}
