//! Windows: what its answers about the machine mean. They are read here, as bytes in which nothing is
//! trusted, and are fetched by `sys`; so they are tested on every system. `fetched` asks for them.

mod disk_answers;
mod fields;
mod layers;
mod processors;
mod ranges;
mod times;
mod uses;

#[cfg(windows)]
pub(crate) mod fetched;
