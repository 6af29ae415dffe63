//! Windows: what its answers about the machine mean. They are read here, as bytes in which nothing is
//! trusted, and are fetched by `sys`; so they are tested on every system.

mod fields;
mod processors;
mod times;

#[cfg(windows)]
mod system;

#[cfg(windows)]
pub use system::{boot, caches, name, snapshot};
#[cfg(windows)]
pub(super) use times::now as processor_times;
