//! Windows: what its answers about the machine mean. They are read here, as bytes in which nothing is
//! trusted, and are fetched by `sys`; so they are tested on every system.

mod disk_answers;
mod fields;
mod layers;
mod processors;
mod ranges;
mod times;
mod uses;

#[cfg(windows)]
mod around;
#[cfg(windows)]
mod counters;
#[cfg(windows)]
mod found;
#[cfg(windows)]
mod list;
#[cfg(windows)]
mod place;
#[cfg(windows)]
pub mod refusal;
#[cfg(windows)]
pub mod root;
#[cfg(windows)]
mod system;
#[cfg(windows)]
pub mod target;

#[cfg(windows)]
pub use around::look_around;
#[cfg(windows)]
pub use counters::Counters;
#[cfg(windows)]
pub use refusal::claims;
#[cfg(windows)]
pub use system::{boot, caches, name, snapshot};
#[cfg(windows)]
pub(super) use times::now as processor_times;

/// What targets lie on, for the record.
#[cfg(windows)]
pub mod storage {
    pub use super::place::storage;
}

/// The devices beneath a target.
#[cfg(windows)]
pub mod stack {
    pub use super::found::stack;
}

/// The list of disks.
#[cfg(windows)]
pub mod devices {
    pub use super::list::{Details, Disk, Partition, list};
}

/// What of a file was written.
#[cfg(windows)]
pub mod content {
    pub use super::ranges::{NotTold, written};
}
