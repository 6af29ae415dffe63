//! The kernel made safe: the only place where `unsafe` is allowed.
#![allow(unsafe_code)]

pub mod block;
pub mod cpu;
pub mod event;
pub mod extents;
pub mod file_systems;
pub mod files;
pub mod memory;
pub mod problem;
pub mod ring;
pub mod usage;
pub mod writeback;
