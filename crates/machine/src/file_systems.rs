//! Properties of file system types, one row each, for all uses.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataHome {
    /// Block devices on which files can be located.
    Devices,
    Pool,
    Flash,
    Memory,
    Overlay,
    Host,
    Network,
    /// Storage of a program; a local disk under it is not detectable.
    Program,
    /// Settings and statistics of the kernel as files.
    Kernel,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// Completions of I/Os on files can be polled.
    Polls,
    /// io_uring delegates buffered writes to a kernel worker, one at a time for each file. The kernel does
    /// not report it; XFS and btrfs accept such writes without blocking.
    WorkerWritesCache,
    /// The block size in `statfs` is its write unit.
    TellsBlocks,
    /// Copy-on-write: every write needs free space.
    NeverInPlace,
    /// Unaligned I/O uses the page cache despite `O_DIRECT`.
    DirectInBlocks,
    /// Several devices are possible, listed only in a directory of this name for each file system in
    /// `/sys/fs`.
    ListsDevices(&'static str),
    /// Possible compression: files may use less space than was written.
    Shrinks,
    TellsCompressed,
    AlwaysCompressed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSystemType {
    pub name: &'static str,
    /// Magic number in `statfs` (linux/magic.h and file system headers); `None` if shared with another
    /// type.
    magic: Option<u32>,
    pub home: DataHome,
    traits: &'static [Trait],
}

use DataHome::*;
use Trait::*;

/// Common traits of ext2, ext3 and ext4, which share a number and a driver.
const EXT: &[Trait] = &[Polls, WorkerWritesCache, TellsBlocks];
const BTRFS: &[Trait] =
    &[Polls, TellsBlocks, NeverInPlace, DirectInBlocks, ListsDevices("devices"), TellsCompressed];
const BCACHEFS: &[Trait] = &[NeverInPlace, DirectInBlocks, ListsDevices(""), Shrinks];

#[rustfmt::skip]
const TYPES: [FileSystemType; 76] = [
    type_row("ext4", 0xef53, Devices, EXT),
    shared_type("ext3", Devices, EXT),
    shared_type("ext2", Devices, EXT),
    type_row("xfs", 0x5846_5342, Devices, &[Polls, TellsBlocks]),
    type_row("f2fs", 0xf2f5_2010, Devices, &[Polls, TellsBlocks, NeverInPlace, Shrinks]),
    type_row("btrfs", 0x9123_683e, Devices, BTRFS),
    type_row("gfs2", 0x0116_1970, Devices, &[Polls]),
    type_row("bcachefs", 0xca45_1a4e, Devices, BCACHEFS),
    type_row("nilfs2", 0x3434, Devices, &[NeverInPlace]),
    type_row("ntfs3", 0x7366_746e, Devices, &[Shrinks]),
    type_row("ntfs", 0x5346_544e, Devices, &[]),
    type_row("vfat", 0x4d44, Devices, &[]),
    type_row("exfat", 0x2011_bab0, Devices, &[]),
    type_row("jfs", 0x3153_464a, Devices, &[]),
    type_row("hfsplus", 0x482b, Devices, &[]),
    type_row("reiserfs", 0x5265_4973, Devices, &[]),
    type_row("ocfs2", 0x7461_636f, Devices, &[]),
    type_row("iso9660", 0x9660, Devices, &[]),
    type_row("udf", 0x1501_3346, Devices, &[]),
    type_row("squashfs", 0x7371_7368, Devices, &[AlwaysCompressed]),
    type_row("erofs", 0xe0f5_e1e2, Devices, &[AlwaysCompressed]),
    // A program serves it, from a block device that the kernel knows.
    shared_type("fuseblk", Devices, &[]),
    type_row("zfs", 0x2fc1_2fc1, Pool, &[NeverInPlace, DirectInBlocks, Shrinks]),
    type_row("ubifs", 0x2405_1905, Flash, &[]),
    type_row("jffs2", 0x72b6, Flash, &[]),
    type_row("tmpfs", 0x0102_1994, Memory, &[]),
    type_row("ramfs", 0x8584_58f6, Memory, &[]),
    type_row("hugetlbfs", 0x9584_58f6, Memory, &[]),
    shared_type("devtmpfs", Memory, &[]),
    shared_type("rootfs", Memory, &[]),
    type_row("overlay", 0x794c_7630, Overlay, &[]),
    type_row("9p", 0x0102_1997, Host, &[]),
    shared_type("virtiofs", Host, &[]),
    type_row("nfs", 0x6969, Network, &[]),
    shared_type("nfs4", Network, &[]),
    type_row("cifs", 0xff53_4d42, Network, &[]),
    type_row("smb3", 0xfe53_4d42, Network, &[]),
    type_row("smbfs", 0x517b, Network, &[]),
    type_row("afs", 0x5346_414f, Network, &[]),
    type_row("ceph", 0x00c3_6400, Network, &[]),
    type_row("lustre", 0x0bd0_0bd0, Network, &[]),
    type_row("fuse", 0x6573_5546, Program, &[]),
    type_row("ecryptfs", 0xf15f, Unknown, &[]),
    // linux/magic.h; security/apparmor, net/sunrpc/rpc_pipe.c, fs/nfsd, fs/ocfs2/dlmfs, drivers/usb/gadget.
    type_row("proc", 0x9fa0, Kernel, &[]),
    type_row("sysfs", 0x6265_6572, Kernel, &[]),
    type_row("cgroup", 0x0027_e0eb, Kernel, &[]),
    shared_type("cpuset", Kernel, &[]),
    type_row("cgroup2", 0x6367_7270, Kernel, &[]),
    type_row("debugfs", 0x6462_6720, Kernel, &[]),
    type_row("tracefs", 0x7472_6163, Kernel, &[]),
    type_row("securityfs", 0x7363_6673, Kernel, &[]),
    type_row("selinuxfs", 0xf97c_ff8c, Kernel, &[]),
    type_row("smackfs", 0x4341_5d53, Kernel, &[]),
    type_row("apparmorfs", 0x5a3c_69f0, Kernel, &[]),
    type_row("efivarfs", 0xde5e_81e4, Kernel, &[]),
    type_row("configfs", 0x6265_6570, Kernel, &[]),
    type_row("bpf", 0xcafe_4a11, Kernel, &[]),
    type_row("pstore", 0x6165_676c, Kernel, &[]),
    type_row("devpts", 0x1cd1, Kernel, &[]),
    type_row("mqueue", 0x1980_0202, Kernel, &[]),
    type_row("binfmt_misc", 0x4249_4e4d, Kernel, &[]),
    type_row("nsfs", 0x6e73_6673, Kernel, &[]),
    type_row("pidfs", 0x5049_4446, Kernel, &[]),
    type_row("fusectl", 0x6573_5543, Kernel, &[]),
    type_row("autofs", 0x0187, Kernel, &[]),
    type_row("rpc_pipefs", 0x6759_6969, Kernel, &[]),
    type_row("nfsd", 0x6e66_7364, Kernel, &[]),
    type_row("ocfs2_dlmfs", 0x76a9_f425, Kernel, &[]),
    type_row("resctrl", 0x0765_5821, Kernel, &[]),
    type_row("xenfs", 0xabba_1974, Kernel, &[]),
    type_row("openpromfs", 0x9fa1, Kernel, &[]),
    type_row("usbdevfs", 0x9fa2, Kernel, &[]),
    type_row("gadgetfs", 0xaee7_1ee7, Kernel, &[]),
    type_row("functionfs", 0x0a64_7361, Kernel, &[]),
    type_row("binder", 0x6c6f_6f70, Kernel, &[]),
    // File systems that are not in the table.
    shared_type("", Unknown, &[]),
];

const fn type_row(
    name: &'static str,
    magic: u32,
    home: DataHome,
    traits: &'static [Trait],
) -> FileSystemType {
    FileSystemType { name, magic: Some(magic), home, traits }
}

const fn shared_type(name: &'static str, home: DataHome, traits: &'static [Trait]) -> FileSystemType {
    FileSystemType { name, magic: None, home, traits }
}

impl FileSystemType {
    /// Returns the type with this name in `statfs`, mount(8) or the kernel's list of mounts: `fuse.sshfs`
    /// is `fuse`.
    pub fn from_name(name: &str) -> FileSystemType {
        let family = name.split_once('.').map_or(name, |(family, _)| family);
        let unknown = TYPES[TYPES.len() - 1];
        TYPES.into_iter().find(|known| known.name == family).unwrap_or(unknown)
    }

    pub fn has_trait(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
    }

    /// Whether files are in memory, without a cache and without waits.
    pub fn is_memory(&self) -> bool {
        self.home == Memory
    }

    /// Whether files hold data, not settings and statistics of the kernel.
    pub fn holds_data(&self) -> bool {
        self.home != Kernel
    }

    /// Whether its files may be in directories of other file systems.
    pub fn may_be_stacked(&self) -> bool {
        matches!(self.home, Overlay | Program | Unknown)
    }

    /// Whether its files are on another host or, for all we know, may be, so that there is a client cache
    /// to bypass (`-Sr`).
    pub fn is_remote(&self) -> bool {
        matches!(self.home, Host | Network | Program)
    }
}

pub fn all_with(wanted: Trait) -> Vec<&'static str> {
    TYPES
        .iter()
        .filter(|known| known.magic.is_some() && known.has_trait(wanted))
        .map(|known| known.name)
        .collect()
}

/// Returns the file systems with several devices, with the directory that lists them.
pub fn with_many_devices() -> impl Iterator<Item = (&'static str, &'static str)> {
    TYPES.iter().filter_map(|known| {
        known.traits.iter().find_map(|each| match each {
            ListsDevices(directory) => Some((known.name, *directory)),
            _ => None,
        })
    })
}

/// Returns the mount(8) name of the type with this magic number (statfs(2)); the number as `0x..` if
/// unknown.
pub fn name_of_magic(magic: u32) -> String {
    match TYPES.iter().find(|known| known.magic == Some(magic)) {
        Some(known) => known.name.to_owned(),
        None => format!("{magic:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_system_types_and_magics_are_unique() {
        for (at, one) in TYPES.iter().enumerate() {
            for other in &TYPES[..at] {
                assert_ne!(one.name, other.name);
                assert!(one.magic.is_none() || one.magic != other.magic, "{} and {}", one.name, other.name);
            }
        }
    }

    #[test]
    fn file_server_is_identified_by_file_system_family() {
        assert_eq!(FileSystemType::from_name("fuse.sshfs").home, Program);
        assert_eq!(FileSystemType::from_name("fuseblk").home, Devices);
        assert_eq!(FileSystemType::from_name("0x1234").home, Unknown);
        assert_eq!(FileSystemType::from_name("nfs4").home, Network);
    }

    #[test]
    fn kernel_interface_file_systems_hold_no_data() {
        for (magic, expected) in [
            (0xef53, true),
            (0x0102_1994, true),
            (0x6573_5546, true),
            (0x1234_5678, true),
            (0x6265_6572, false),
            (0x9fa0, false),
            (0x6367_7270, false),
            (0x7472_6163, false),
            (0xde5e_81e4, false),
        ] {
            let kind = FileSystemType::from_name(&name_of_magic(magic));
            assert_eq!(kind.holds_data(), expected, "{magic:#x}: {}", kind.name);
        }
    }

    #[test]
    fn file_system_lists_match_their_rows() {
        assert_eq!(all_with(Polls), ["ext4", "xfs", "f2fs", "btrfs", "gfs2"]);
        assert_eq!(with_many_devices().collect::<Vec<_>>(), [("btrfs", "devices"), ("bcachefs", "")]);
    }
}
