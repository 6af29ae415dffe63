//! The kernel made safe: the only place where `unsafe` is allowed.
#![allow(unsafe_code)]

pub mod memory;
pub mod ring;
pub mod usage;
