//! Current users of a block device, which a write to it could damage.

use super::device::{Device, DeviceNumber};
pub use super::disks::{DiskUse, Use};
use super::mountinfo::{self, Mount};
use super::root::Root;
use super::unclaimed_users::{self, DeviceUse, DeviceUses, Holder, IN_USE, Identity, UncheckedUse};
use diskspd_machine::file_systems;
use diskspd_sys::failed_call::FailedCall;
use std::collections::VecDeque;
use std::fmt;

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.how {
            DiskUse::Mounted { at, file_system } => {
                write!(f, "{} is mounted at {at} ({file_system}): unmount it first (umount)", self.device)
            }
            DiskUse::Member { file_system } => {
                write!(
                    f,
                    "{} belongs to a mounted {file_system} file system: unmount that first \
                           (umount)",
                    self.device
                )
            }
            DiskUse::Swap => write!(f, "{} is swap space: run swapoff first", self.device),
            DiskUse::HeldBy { holder } => {
                write!(
                    f,
                    "{} is part of {holder}: use that device instead, or dissolve it first",
                    self.device
                )
            }
            DiskUse::Served { by } => write!(f, "{} is used by {by}: stop that first", self.device),
            DiskUse::Locked { process } => {
                write!(f, "{} is locked by another program", self.device)?;
                if let Some(process) = process {
                    write!(f, " (process {process})")?;
                }
                f.write_str(", as virtual machines lock their images: stop it first")
            }
            DiskUse::Leased { holder } => write!(
                f,
                "{} is leased by {holder}, which does not release it (F_SETLEASE): stop that program, or \
                 close the file there",
                self.device
            ),
        }
    }
}

/// Returns all uses of a device: of itself, of its partitions, of its disk, of devices above them, and of its
/// backing file or devices. Other partitions of the same disk do not matter.
///
/// # Errors
/// Fails if no use was found, but not all could be checked.
pub(super) fn uses(root: &Root, device: &Device) -> Result<Vec<Use>, UncheckedUse> {
    let mut found = all_uses(root, device);
    match found.unknown.is_empty() || !found.uses.is_empty() {
        true => Ok(found.uses),
        false => Err(found.unknown.remove(0)),
    }
}

/// Returns the uses of a device, and the uses that could not be checked.
pub(super) fn all_uses(root: &Root, device: &Device) -> UsageReport {
    let mut walk = Walk::new(root);
    walk.walk_down(device);
    walk.walk_up();
    walk.into_uses()
}

/// Uses of a device or regular file, and uses that could not be checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UsageReport {
    pub uses: Vec<Use>,
    pub unknown: Vec<UncheckedUse>,
    /// Whether the kernel uses any file of the machine.
    pub files_are_held: bool,
}

/// Returns all uses of a regular file, also indirect ones. `file`: all identities of its data; `name`: its
/// name in messages.
pub(super) fn uses_of_file(root: &Root, file: &[Identity], name: &str) -> UsageReport {
    let mut walk = Walk::new(root);
    let is_file = |what: &Identity| !matches!(what, Identity::Device(_));
    let files_are_held = walk.holdings.iter().any(|holding| holding.what.iter().any(is_file));
    walk.note_holders(file, name);
    if walk.uses.is_empty() {
        return UsageReport { unknown: walk.unknown, files_are_held, ..UsageReport::default() };
    }
    walk.walk_up();
    UsageReport { files_are_held, ..walk.into_uses() }
}

/// Search through everything related to a device or file.
struct Walk<'a> {
    root: &'a Root,
    holdings: Vec<DeviceUse>,
    unknown: Vec<UncheckedUse>,
    uses: Vec<Use>,
    related: Vec<Device>,
    queue: VecDeque<Device>,
    own: Vec<Device>,
    disks: Vec<Device>,
}

impl Walk<'_> {
    fn new(root: &Root) -> Walk<'_> {
        let DeviceUses { found: holdings, unknown } = unclaimed_users::all(root);
        let (uses, related, queue) = Default::default();
        let (own, disks) = Default::default();
        Walk { root, holdings, unknown, uses, related, queue, own, disks }
    }

    /// Adds the device and its components. The backing of a loop device remains available to others.
    /// Components of LVM and similar devices belong to them, except for use by loop devices and servers.
    fn walk_down(&mut self, device: &Device) {
        if self.own.contains(device) {
            return;
        }
        self.own.push(device.clone());
        self.queue.push_back(device.clone());
        if let Some(disk) = device.whole_disk() {
            self.queue.push_back(disk.clone());
            self.disks.push(disk);
        }
        let is_behind = |holding: &&DeviceUse| holding.by == Holder::Loop(device.clone());
        if let Some(behind) = self.holdings.iter().find(is_behind).cloned() {
            match behind.what[..] {
                [Identity::Device(number), ..] => {
                    Device::find(self.root, number).iter().for_each(|below| self.walk_down(below));
                }
                ref what => self.note_holders(what, &behind.name),
            }
        }
        self.walk_slaves(device);
    }

    fn walk_slaves(&mut self, device: &Device) {
        for slave in device.linked_devices("slaves") {
            if !self.own.contains(&slave) {
                self.own.push(slave.clone());
                self.note_holders(&[Identity::Device(slave.number)], &slave.to_string());
                if let Some(disk) = slave.whole_disk() {
                    self.note_holders(&[Identity::Device(disk.number)], &disk.to_string());
                }
                self.walk_slaves(&slave);
            }
        }
    }

    /// Records the users of an object; `what` = all identities of its data.
    fn note_holders(&mut self, what: &[Identity], name: &str) {
        let shares = |holding: &&DeviceUse| holding.what.iter().any(|held| what.contains(held));
        for holding in self.holdings.iter().filter(shares) {
            let how = match &holding.by {
                Holder::Loop(device) if self.own.contains(device) => continue,
                Holder::Loop(device) => {
                    self.queue.push_back(device.clone());
                    DiskUse::HeldBy { holder: device.to_string() }
                }
                Holder::Swap => DiskUse::Swap,
                Holder::Server(by) => DiskUse::Served { by: by.clone() },
            };
            let found = Use { device: name.to_owned(), how };
            if !self.uses.contains(&found) {
                self.uses.push(found);
            }
        }
    }

    fn walk_up(&mut self) {
        while let Some(next) = self.queue.pop_front() {
            if self.related.contains(&next) {
                continue;
            }
            for holder in next.holders().into_iter().filter(|holder| !self.own.contains(holder)) {
                self.uses.push(Use {
                    device: next.to_string(),
                    how: DiskUse::HeldBy { holder: holder.to_string() },
                });
                self.queue.push_back(holder);
            }
            self.note_holders(&[Identity::Device(next.number)], &next.to_string());
            if !self.disks.contains(&next) {
                self.queue.extend(next.partitions());
            }
            self.related.push(next);
        }
    }

    fn into_uses(mut self) -> UsageReport {
        const MOUNTS: &str = "/proc/self/mountinfo";
        let mounts = match self.root.read(MOUNTS) {
            Ok(Some(mounts)) => Ok(mounts),
            Ok(None) => Err(FailedCall::absent(MOUNTS)),
            Err(error) => Err(FailedCall::reading(MOUNTS, &error)),
        };
        let mounts = mounts.unwrap_or_else(|cause| {
            self.unknown.push(UncheckedUse::new(IN_USE, cause));
            String::new()
        });
        let related = |number: DeviceNumber| self.related.iter().find(|device| device.number == number);
        let mut found = |device: &Device, how: DiskUse| {
            let device = device.to_string();
            let same = |known: &Use| {
                known.device == device && std::mem::discriminant(&known.how) == std::mem::discriminant(&how)
            };
            if !self.uses.iter().any(same) {
                self.uses.push(Use { device, how });
            }
        };
        for mount in mountinfo::parse(&mounts) {
            if let Some(device) = devices_of(self.root, &mount).into_iter().find_map(&related) {
                found(device, DiskUse::Mounted { at: mount.at, file_system: mount.file_system });
            }
        }
        for (file_system, number) in member_devices(self.root) {
            if let Some(device) = related(number) {
                found(device, DiskUse::Member { file_system });
            }
        }
        for number in swap_devices(self.root) {
            if let Some(device) = related(number) {
                found(device, DiskUse::Swap);
            }
        }
        UsageReport { uses: self.uses, unknown: self.unknown, ..UsageReport::default() }
    }
}

/// Returns the device number of the file system, and of the devices it was mounted from. They differ if a
/// file system has several devices.
pub(super) fn devices_of(root: &Root, mount: &Mount) -> Vec<DeviceNumber> {
    // bcachefs names all its devices, with colons between.
    let nodes = mount.source.split(':').filter(|node| node.starts_with("/dev/"));
    let devices = nodes.filter_map(|node| Device::of_node(root, node)).map(|device| device.number);
    [mount.number].into_iter().chain(devices).collect()
}

/// The devices of mounted file systems that can have many, each with the type of its file system.
fn member_devices(root: &Root) -> Vec<(&'static str, DeviceNumber)> {
    let instances = instances(root).into_iter();
    instances.flat_map(|(kind, devices)| devices.into_iter().map(move |each| (kind, each.number))).collect()
}

/// The mounted file systems that can have many devices, each with all of them: only their own directories
/// list those.
pub(super) fn instances(root: &Root) -> Vec<(&'static str, Vec<Device>)> {
    let mut instances = Vec::new();
    for (file_system, below) in file_systems::with_many_devices() {
        let directory = format!("/sys/fs/{file_system}");
        for instance in root.names(&directory) {
            let devices = format!("{directory}/{instance}/{below}");
            let device = |name: &String| {
                // btrfs links to the device under its own name, bcachefs has a link in `dev-<n>`.
                let link = root.path(format!("{devices}/{name}/block"));
                let linked = std::fs::canonicalize(link)
                    .ok()
                    .and_then(|path| Device::find_by_name(root, path.file_name()?.to_str()?));
                let named = || if below.is_empty() { None } else { Device::find_by_name(root, name) };
                linked.or_else(named)
            };
            instances.push((file_system, root.names(&devices).iter().filter_map(device).collect()));
        }
    }
    instances
}

/// Parses `/proc/swaps`: a heading, then lines that begin with the file or device.
fn swap_devices(root: &Root) -> Vec<DeviceNumber> {
    let text = root.text("/proc/swaps").unwrap_or_default();
    let nodes = text.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().next());
    nodes
        .map(mountinfo::unescape)
        .filter(|node| node.starts_with("/dev/"))
        .filter_map(|node| Device::of_node(root, &node))
        .map(|device| device.number)
        .collect()
}
