//! What the targets lie on, for the record: a figure without the file system's mount options and the
//! device's queue settings can't be compared with another one.

mod look;

pub use look::{on_file_system, storage, storages};

use diskspd_model::machine::storage::*;
