//! Queries of the Windows API, which are confined to this module.

mod around;
mod counters;
mod cpu_times;
mod found;
mod list;
mod locate;
mod place;
mod system;

pub mod content;
pub mod refusal;
pub mod root;
pub mod target;

pub use around::read_environment;
pub use counters::Counters;
pub(crate) use cpu_times::now as processor_times;
pub use place::arrays_beneath;
pub use refusal::claims;
pub use system::{boot, caches, name, snapshot};

pub mod storage {
    pub use super::place::storage;
}

pub mod stack {
    pub use super::found::stack;
}

pub mod devices {
    pub use super::list::{Details, Disk, Partition, list};
}
