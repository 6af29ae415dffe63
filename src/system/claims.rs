//! Exclusive claims on the block devices that are written to.

use super::device::{Device, Number, block_number};
use super::root::Root;
use crate::sys::files;
use crate::sys::problem::TargetError;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Holds block devices for this process until it's dropped: nobody can mount them, swap to them or build them into a
/// RAID or volume group meanwhile. The controlling thread takes it for the time of the run; workers open the devices
/// the ordinary way, which a claim doesn't hinder.
#[derive(Debug, Default)]
#[must_use]
pub struct Claims(Vec<OwnedFd>);

impl Claims {
    /// Claims the block devices among the paths; others are passed over. The same device can be named several times,
    /// and a disk together with its partitions: the claim on the disk covers them.
    ///
    /// # Errors
    /// [`crate::sys::problem::Problem::Busy`] with the first device that somebody else has, and what else keeps it from
    /// being opened.
    pub fn take<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Claims, TargetError> {
        let whole = |number: Number| Some(Device::of(&Root::live(), number)?.whole()?.number);
        let mut devices: Vec<(Number, Option<Number>, &Path)> = paths
            .into_iter()
            .filter_map(|path| block_number(path).map(|number| (number, whole(number), path)))
            .collect();
        // Disks first: a claim on a partition would keep us from claiming its disk.
        devices.sort_by_key(|(number, whole, _)| (whole.is_some(), *number));
        devices.dedup_by_key(|(number, ..)| *number);
        let mut claimed: Vec<Number> = Vec::new();
        let mut claims = Claims::default();
        for (number, whole, path) in devices {
            if whole.is_some_and(|disk| claimed.contains(&disk)) {
                continue;
            }
            claims.0.push(files::claim(path)?);
            claimed.push(number);
        }
        Ok(claims)
    }

    /// How many devices are claimed.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
