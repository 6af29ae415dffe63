//! Interpretation of Windows API responses about the machine. They are parsed here as untrusted bytes and
//! tested on every system; `sys` and `fetched` query them.

mod disk_answers;
mod fields;
mod layers;
mod processors;
mod ranges;
mod times;
mod uses;

#[cfg(windows)]
pub(crate) mod fetched;
