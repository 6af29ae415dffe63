//! Access to targets and their I/Os: plain data that plans decide and `sys` carries out.

mod huge_pages;
mod io_priority;
mod io_ways;
mod map_options;
mod open_mode;

pub use huge_pages::{HUGE_PAGE, HugePages};
pub use io_priority::IoPriority;
pub use io_ways::{IoFeatures, WriteLifetime};
pub use map_options::{Flush, MapOptions};
pub use open_mode::{AccessHint, OpenMode};
