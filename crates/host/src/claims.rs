//! Exclusive claims on written block devices, and the order of claiming and checking.

use super::device::{Device, DeviceNumber, block_number, split};
use super::nvme::{Claimable, Generic};
use super::permission::Permission;
use super::refusal::{
    self, UncheckedFact, WriteRefusedError, file_refusal, found_on, inherited_refusal, open_file_refusal,
    path_refusal, stream_refusal, use_refusal, write_refusal,
};
use super::root::Root;
use super::target::locate;
use diskspd_profile::RawText;
use diskspd_sys::anchor::Location;
use diskspd_sys::files::{self, OpenTarget};
use diskspd_sys::mutex::LockUnpoisoned;
use diskspd_sys::process;
use diskspd_sys::target_error::{TargetError, TargetErrorKind};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::sync::Mutex;

/// Exclusive claim on block devices until dropped. Other programs cannot mount them, swap to them or add
/// them to a RAID or volume group. The controlling thread holds it during the run. Workers open the
/// devices normally, which a claim does not prevent.
#[derive(Debug, Default)]
#[must_use]
pub struct Claims {
    held: Vec<File>,
    /// Claimed devices, and partitions covered by the claim on their disk.
    numbers: Vec<DeviceNumber>,
    files: Mutex<HashSet<(u64, u64)>>,
}

/// Claim of one process for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedClaim {
    /// Descriptor of the open device in that process.
    pub handle: i32,
    /// Device number in the form of `stat`.
    pub device: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error(transparent)]
    Refused(#[from] WriteRefusedError),
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// Claims the block devices among the paths before they are written, and refuses to destroy user data: see
/// [`WriteRefusedError`]. Regular files must not be in use, for example by a loop device. Missing paths
/// are skipped.
/// A device may be named several times, by several names, and a disk together with its partitions: the claim
/// on the disk covers them.
///
/// The device is claimed first, and its content is read through the claim. No other process can mount it or
/// build it into something between the check and the end of the run, and a name cannot lead elsewhere.
/// Programs such as `dd` and `mkfs -F`, which write to the device without a claim, cannot be kept away.
///
/// # Errors
/// Fails for the first device that is in use, has content without permission to destroy it, is not named on
/// the command line, or whose users or content are unknown.
pub fn protect<'a, L: Location + ?Sized + 'a>(
    targets: impl IntoIterator<Item = &'a L>,
    permission: impl Into<Permission<'a>>,
) -> Result<Claims, ClaimError> {
    protect_as(ClaimOwner::Alone, targets, permission)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClaimOwner {
    #[default]
    Alone,
    /// A controlling process that claims for all processes of a job on this machine. It only checks the
    /// devices here, and keeps the claims until the end. The kernel grants exclusive access only once.
    Job,
}

/// Like [`protect`], for a job of several processes.
///
/// # Errors
/// As [`protect`]. The controlling process of a job reports other users of the devices that it claims.
pub fn protect_as<'a, L: Location + ?Sized + 'a>(
    claimant: ClaimOwner,
    targets: impl IntoIterator<Item = &'a L>,
    permission: impl Into<Permission<'a>>,
) -> Result<Claims, ClaimError> {
    let Permission { destroy, named } = permission.into();
    let named = named.map(named_devices);
    let targets: Vec<&L> = targets.into_iter().collect();
    spare(targets.iter().copied())?;
    let mut devices: Vec<(Option<DeviceNumber>, DeviceNumber, Claimable)> = Vec::new();
    for target in targets {
        if let Some((number, claimable)) = find_claimable(target)? {
            if named.as_ref().is_some_and(|named| !named.contains(&number)) {
                return Err(WriteRefusedError::Unnamed { path: target.name().to_owned() }.into());
            }
            devices.push((whole_disk(number), number, claimable));
        }
    }
    // Disks first: a claim on a partition would keep us from claiming its disk.
    devices.sort_by_key(|(whole, number, _)| (whole.is_some(), *number));
    devices.dedup_by_key(|(_, number, _)| *number);
    let mut claims = Claims::default();
    for (whole, number, target) in devices {
        let path = target.name();
        let covered = claimant == ClaimOwner::Job || whole.is_some_and(|disk| claims.covers_device(disk));
        let device = File::from(match covered {
            true => files::look_into(&target)?,
            false => files::claim(&target).map_err(|error| explain_error(error, &target))?,
        });
        if files::device_number(&device).map(split) != Some(number) {
            return Err(TargetError::new(path, TargetErrorKind::Changed).into());
        }
        check_device(path, number, &device, destroy)?;
        claims.numbers.push(number);
        if !covered {
            claims.held.push(device);
        }
    }
    Ok(claims)
}

/// Checks that no regular file among the paths is in use. Devices are skipped, because `-c` leaves them
/// alone.
///
/// # Errors
/// Fails for the first device in use.
pub fn spare<'a, L: Location + ?Sized + 'a>(
    targets: impl IntoIterator<Item = &'a L>,
) -> Result<(), WriteRefusedError> {
    let mut targets: Vec<&L> = targets.into_iter().collect();
    targets.sort_unstable_by_key(|target| target.name());
    targets.dedup_by_key(|target| target.name());
    targets.into_iter().find_map(file_refusal).map_or(Ok(()), Err)
}

/// The checks of [`protect`] and [`spare`] that are not possible for regular files here: facts about the
/// machine are hidden, or a file system does not show where it keeps its files.
pub fn unchecked<'a, L: Location + ?Sized + 'a>(
    targets: impl IntoIterator<Item = &'a L>,
) -> Vec<UncheckedFact> {
    targets.into_iter().flat_map(refusal::unchecked).collect()
}

/// Checks a regular file again, right before writing or truncating, because its name may refer to another
/// file by then.
///
/// # Errors
/// Fails if the file is in use, or is not a regular file.
pub fn permit_file(path: &Path, opened: impl AsFd) -> Result<(), ClaimError> {
    if !files::is_regular(&opened) {
        return Err(TargetError::new(path, TargetErrorKind::Changed).into());
    }
    open_file_refusal(path, opened.as_fd()).map_or(Ok(()), |refusal| Err(refusal.into()))
}

/// Checks the output of a report, stream or log: an unused file, or a pipe, terminal or similar.
///
/// # Errors
/// Fails if the file is in use, or is a block device.
pub fn permit_output(path: &Path, opened: impl AsFd) -> Result<(), WriteRefusedError> {
    if files::device_number(&opened).is_some() {
        return Err(WriteRefusedError::NoOutput { path: path.to_owned() });
    }
    open_file_refusal(path, opened.as_fd()).map_or(Ok(()), Err)
}

/// Checks an inherited descriptor in the same way. The locks are read through another handle, because closing
/// a shared one would release a lock of the user.
///
/// # Errors
/// Fails if the file is in use, or is a block device.
pub fn permit_inherited(path: &Path, opened: impl AsFd) -> Result<(), WriteRefusedError> {
    if files::device_number(&opened).is_some() {
        return Err(WriteRefusedError::NoOutput { path: path.to_owned() });
    }
    inherited_refusal(path, opened.as_fd()).map_or(Ok(()), Err)
}

/// Checks standard output and standard error in the same way. Unknown uses, and locks of other programs on a
/// log, are not a reason to refuse.
///
/// # Errors
/// Fails for a block device, and for a file that a device or the kernel uses.
pub fn permit_stream(path: &Path, opened: impl AsFd) -> Result<(), WriteRefusedError> {
    if files::device_number(&opened).is_some() {
        return Err(WriteRefusedError::NoOutput { path: path.to_owned() });
    }
    match stream_refusal(path, opened.as_fd()) {
        None | Some(WriteRefusedError::Unknown { .. }) => Ok(()),
        Some(refusal) => Err(refusal),
    }
}

/// Whether the path leads to a block device, or to the character device of an NVMe namespace.
pub fn is_device<L: Location + ?Sized>(location: &L) -> bool {
    block_number(location.access_path()).is_some()
        || Generic::find_generic(&Root::live_system(), location.access_path()).is_some()
}

fn find_claimable<L: Location + ?Sized>(
    target: &L,
) -> Result<Option<(DeviceNumber, Claimable)>, WriteRefusedError> {
    if let Some(number) = block_number(target.access_path()) {
        return Ok(Some((number, Claimable::itself(target))));
    }
    let Some(generic) = Generic::find_generic(&Root::live_system(), target.access_path()) else {
        return Ok(None);
    };
    let unknown = |unknown| WriteRefusedError::unknown_use_error(target.name(), unknown);
    let device = generic.used_as().map_err(unknown)?;
    Ok(Some((device.number, Claimable::instead(target, device))))
}

/// Returns the devices among the targets of a command line.
fn named_devices(targets: &[RawText]) -> Vec<DeviceNumber> {
    let device = |target: &RawText| Some(find_claimable(&*locate(target.as_bytes()).ok()?).ok()??.0);
    targets.iter().filter_map(device).collect()
}

/// Whether a target of the command line is the device at this path.
pub fn names_device(target: &RawText, path: &Path) -> bool {
    find_claimable(path).is_ok_and(|found| {
        found.is_some_and(|(number, _)| named_devices(std::slice::from_ref(target)).contains(&number))
    })
}

fn whole_disk(number: DeviceNumber) -> Option<DeviceNumber> {
    Some(Device::find(&Root::live_system(), number)?.whole_disk()?.number)
}

fn explain_error<L: Location + ?Sized>(error: TargetError, target: &L) -> ClaimError {
    match (&error.problem, write_refusal(target, true)) {
        (TargetErrorKind::Busy, Ok(Some(refusal))) => refusal.into(),
        _ => error.into(),
    }
}

fn check_device(path: &Path, number: DeviceNumber, device: &File, destroy: bool) -> Result<(), ClaimError> {
    // The kernel knows no claim of loop devices on what is behind them, nor of partitions' holders in all
    // cases.
    if let Some(refusal) = use_refusal(path, number) {
        return Err(refusal.into());
    }
    if let Some(refusal) = refusal::lock_refusal(path, device) {
        return Err(refusal.into());
    }
    let found = if destroy { Vec::new() } else { found_on(path, device)? };
    match found.is_empty() {
        true => Ok(()),
        false => Err(WriteRefusedError::WouldDestroy { path: path.to_owned(), found }.into()),
    }
}

impl Claims {
    /// Checks before the first write that the open target is the checked one. A regular file is checked on
    /// its first use.
    ///
    /// # Errors
    /// Fails with [`TargetErrorKind::Changed`] for a block device that is not held, because the path
    /// now leads elsewhere. Fails for a regular file in use.
    pub fn permit(&self, path: &Path, opened: &OpenTarget) -> Result<(), ClaimError> {
        match opened.device.map(split) {
            Some(number) if !self.covers_device(number) => {
                Err(TargetError::new(path, TargetErrorKind::Changed).into())
            }
            Some(_) => Ok(()),
            None if self.covers_namespace(opened) => Ok(()),
            None => self.permit_file(path, opened),
        }
    }

    /// Whether the block device of the same NVMe namespace as the open character device is claimed.
    fn covers_namespace(&self, opened: &OpenTarget) -> bool {
        let found = rustix::fs::fstat(&opened.file).ok();
        let generic = found.and_then(|found| Generic::from_stat(&Root::live_system(), &found));
        generic.and_then(|generic| generic.block).is_some_and(|device| self.covers_device(device.number))
    }

    fn permit_file(&self, path: &Path, opened: &OpenTarget) -> Result<(), ClaimError> {
        let identity = files::identity(&opened.file);
        let mut known = self.files.lock_anyway();
        if identity.is_none_or(|identity| !known.contains(&identity)) {
            // The path may have been resolved again since the check of its links.
            if let Some(refusal) = path_refusal(path, identity) {
                return Err(refusal.into());
            }
            permit_file(path, &opened.file)?;
            known.extend(identity);
        }
        Ok(())
    }

    fn covers_device(&self, device: DeviceNumber) -> bool {
        self.numbers.contains(&device)
    }

    pub fn to_share(&self) -> Vec<SharedClaim> {
        let shared = |device: &File| {
            Some(SharedClaim { handle: device.as_raw_fd(), device: files::device_number(device)? })
        };
        self.held.iter().filter_map(shared).collect()
    }

    /// Holds the claims of another process of the job. The kernel claims a device for an open file, which
    /// stays open until the last process closes it. No other program can therefore claim the device
    /// between the ends of the two processes.
    ///
    /// # Errors
    /// Fails if the handles of the process are not available; returns the reason.
    pub fn shared_with(process: u32, claims: &[SharedClaim]) -> io::Result<Claims> {
        let mut shared = Claims::default();
        for claim in claims {
            let device = File::from(process::handle_of(process, claim.handle)?);
            if files::device_number(&device) != Some(claim.device) {
                return Err(io::Error::other("its claims have changed"));
            }
            shared.numbers.push(split(claim.device));
            shared.held.push(device);
        }
        Ok(shared)
    }

    pub fn len(&self) -> usize {
        self.held.len()
    }

    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}
