//! The storage of the targets, for the record. Results are only comparable with the file system's mount
//! options and the device's queue settings.

mod look;

pub use look::{on_file_system, storage, storages};

use diskspd_machine::storage::*;
