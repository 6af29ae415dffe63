//! Safe kernel interfaces: the only place that allows `unsafe`.
//!
//! Data of plans and records (a path's bytes, a time, an open mode) is available on every system. Reading
//! and judging of runs also works on Windows, and uses only the portable modules. Execution of runs is
//! system-specific.

#![allow(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

// The same everywhere.
mod abandoned_threads;
pub mod child;
pub mod clock;
#[cfg(target_arch = "x86_64")]
mod cpuid;
pub mod crc32c;
pub mod failed_call;
pub mod fault_points;
pub mod handover_cell;
mod leftovers;
pub mod memory;
mod message_block;
pub mod mutex;
pub mod payload_words;
pub mod pin_error;
mod pipe_reader;
pub mod private_folder;
pub mod standard_error;
pub mod standard_output;
pub mod terminal;
pub mod time_stamp;
pub mod transfer;

// What every system offers, each in its own way (docs/reference/windows.md has the list).
#[cfg_attr(windows, path = "windows/atomic_file.rs")]
pub mod atomic_file;
#[cfg_attr(windows, path = "windows/barrier.rs")]
mod barrier;
#[cfg_attr(windows, path = "windows/closed_at_start.rs")]
mod closed_at_start;
#[cfg_attr(windows, path = "windows/console.rs")]
pub mod console;
#[cfg_attr(windows, path = "windows/files.rs")]
pub mod files;
#[cfg_attr(windows, path = "windows/folder.rs")]
pub mod folder;
#[cfg_attr(windows, path = "windows/inode.rs")]
pub mod inode;
#[cfg_attr(windows, path = "windows/kernel_clock.rs")]
pub mod kernel_clock;
#[cfg_attr(windows, path = "windows/keys.rs")]
pub mod keys;
#[cfg_attr(windows, path = "windows/locks.rs")]
pub mod locks;
#[cfg_attr(windows, path = "windows/privileges.rs")]
pub mod privileges;
#[cfg_attr(windows, path = "windows/process.rs")]
pub mod process;
#[cfg_attr(windows, path = "windows/process_group.rs")]
pub mod process_group;
#[cfg_attr(windows, path = "windows/reach.rs")]
pub mod reach;

// Further parts that runs need on every system.
#[cfg_attr(windows, path = "windows/runs/cpu.rs")]
pub mod cpu;
#[cfg_attr(windows, path = "windows/runs/event.rs")]
pub mod event;
#[cfg_attr(windows, path = "windows/runs/mapping.rs")]
pub mod mapping;
#[cfg_attr(windows, path = "windows/runs/owners.rs")]
pub mod owners;
#[cfg_attr(windows, path = "windows/runs/parent_process.rs")]
pub mod parent_process;
#[cfg_attr(windows, path = "windows/runs/real_time.rs")]
pub mod real_time;
#[cfg_attr(windows, path = "windows/runs/signals.rs")]
pub mod signals;
#[cfg_attr(windows, path = "windows/runs/target_error.rs")]
pub mod target_error;

// Windows': what runs are made with there.
#[cfg(windows)]
#[path = "windows/runs/large_pages.rs"]
mod large_pages;
#[cfg(windows)]
#[path = "windows/runs/overlapped.rs"]
pub mod overlapped;
#[cfg(windows)]
#[path = "windows/runs/privilege.rs"]
mod privilege;
#[cfg(windows)]
#[path = "windows/runs/raw_devices.rs"]
pub mod raw_devices;
#[cfg(windows)]
#[path = "windows/runs/targets.rs"]
pub mod targets;

// Linux's: what runs are made with.
#[cfg(target_os = "linux")]
pub mod aio;
#[cfg(target_os = "linux")]
pub mod anchor;
#[cfg(target_os = "linux")]
pub mod blkid;
#[cfg(target_os = "linux")]
pub mod block;
#[cfg(target_os = "linux")]
pub mod cpu_latency;
#[cfg(target_os = "linux")]
pub mod extents;
#[cfg(target_os = "linux")]
pub mod file_systems;
#[cfg(target_os = "linux")]
pub mod free_space;
#[cfg(target_os = "linux")]
pub mod io_features;
#[cfg(target_os = "linux")]
pub mod io_priority;
#[cfg(target_os = "linux")]
pub mod leases;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
pub mod loops;
#[cfg(target_os = "linux")]
pub mod mapper;
#[cfg(target_os = "linux")]
pub mod mpi;
#[cfg(target_os = "linux")]
pub mod noop;
#[cfg(target_os = "linux")]
pub mod nvme;
#[cfg(target_os = "linux")]
pub mod observed_child;
#[cfg(target_os = "linux")]
pub mod operation;
#[cfg(target_os = "linux")]
pub mod page_cache;
#[cfg(target_os = "linux")]
mod parent_messages;
#[cfg(target_os = "linux")]
pub mod perf;
#[cfg(target_os = "linux")]
pub mod positioned;
#[cfg(target_os = "linux")]
pub mod rank_socket;
#[cfg(target_os = "linux")]
pub mod ring;
#[cfg(target_os = "linux")]
pub mod run_delay;
#[cfg(target_os = "linux")]
pub mod usage;
#[cfg(target_os = "linux")]
mod write_hints;
#[cfg(target_os = "linux")]
pub mod writeback;
#[cfg(target_os = "linux")]
pub mod zones;

// Windows' own: what its machine is read with.
#[cfg(windows)]
#[path = "windows/machine_answers.rs"]
pub mod machine_answers;
#[cfg(windows)]
#[path = "windows/registry.rs"]
pub mod registry;
#[cfg(windows)]
#[path = "windows/storage_answers.rs"]
pub mod storage_answers;
