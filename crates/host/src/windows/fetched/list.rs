//! The list of the machine's disks, with the numbers by which targets can name them: `#<n>`.

use super::found::{disk, disks, page_files, properties, volumes_found};
use super::root::Root;
pub use crate::disks::{Details, Disk, Partition};
use crate::windows::uses::{disk_name, of_disk};
use std::path::PathBuf;

/// Returns all disks by number: `#<n>` is `\\.\PhysicalDrive<n>`, as in DISKSPD. Includes known users.
pub fn list(_: &Root) -> Vec<Disk> {
    let volumes = volumes_found().unwrap_or_default();
    let files = page_files();
    let one = |number: u32| {
        let (found, told, name) = (disk(number), properties(number), disk_name(number));
        let partitions = found.partitions.iter().flatten().map(|partition| Partition {
            name: format!("{name}, partition {}", partition.number),
            path: PathBuf::from(format!(r"\\.\Harddisk{number}Partition{}", partition.number)),
            size: partition.length,
        });
        Disk {
            unchecked: None,
            number: usize::try_from(number).unwrap_or(0),
            path: PathBuf::from(format!(r"\\.\{name}")),
            size: told.size.unwrap_or(0),
            details: told.details(),
            partitions: partitions.collect(),
            uses: of_disk(&found, &volumes, &files).unwrap_or_default(),
            name,
        }
    };
    disks().into_iter().map(one).collect()
}
