//! The types of file systems, by the magic numbers that `statfs` gives (linux/magic.h and the file systems' own).

#[cfg(target_os = "linux")]
use std::path::Path;

/// Magic number, name, and whether the file system's files live on another host, or, for all we know, may: what serves
/// a FUSE file system is a program, and that a machine's own disk is behind it shows nowhere.
///
/// ext2, ext3 and ext4 share a number, and one driver serves them all.
const TYPES: [(u32, &str, bool); 37] = [
    (0x0187, "autofs", false),
    (0x3434, "nilfs2", false),
    (0x4d44, "vfat", false),
    (0x517b, "smbfs", true),
    (0x6969, "nfs", true),
    (0x9660, "iso9660", false),
    (0x9fa0, "proc", false),
    (0xef53, "ext4", false),
    (0xf15f, "ecryptfs", false),
    (0x00c3_6400, "ceph", true),
    (0x0102_1994, "tmpfs", false),
    (0x0102_1997, "9p", true),
    (0x0116_1970, "gfs2", false),
    (0x0bd0_0bd0, "lustre", true),
    (0x1501_3346, "udf", false),
    (0x2011_bab0, "exfat", false),
    (0x2405_1905, "ubifs", false),
    (0x2fc1_2fc1, "zfs", false),
    (0x3153_464a, "jfs", false),
    (0x482b, "hfsplus", false),
    (0x5265_4973, "reiserfs", false),
    (0x5346_414f, "afs", true),
    (0x5346_544e, "ntfs", false),
    (0x5846_5342, "xfs", false),
    (0x6265_6572, "sysfs", false),
    (0x6573_5546, "fuse", true),
    (0x7366_746e, "ntfs3", false),
    (0x7371_7368, "squashfs", false),
    (0x7461_636f, "ocfs2", false),
    (0x794c_7630, "overlay", false),
    (0x8584_58f6, "ramfs", false),
    (0x9123_683e, "btrfs", false),
    (0xca45_1a4e, "bcachefs", false),
    (0xe0f5_e1e2, "erofs", false),
    (0xf2f5_2010, "f2fs", false),
    (0xfe53_4d42, "smb3", true),
    (0xff53_4d42, "cifs", true),
];

/// Name of the type of the file system that a path lies on, as mount(8) takes it; the magic number as `0x..` when it
/// isn't known, empty when the path can't be looked at.
#[cfg(target_os = "linux")]
pub fn type_name(path: &Path) -> String {
    match magic(path) {
        Some(magic) => match TYPES.iter().find(|(number, ..)| *number == magic) {
            Some((_, name, _)) => (*name).to_owned(),
            None => format!("{magic:#x}"),
        },
        None => String::new(),
    }
}

/// Whether a type of this name is a network or FUSE file system, so that there is a client cache to bypass (`-Sr`).
pub fn is_remote(type_name: &str) -> bool {
    TYPES.iter().any(|(_, name, remote)| *name == type_name && *remote)
}

#[cfg(target_os = "linux")]
fn magic(path: &Path) -> Option<u32> {
    // The field is a signed long on some architectures; the numbers have 32 bits.
    Some(rustix::fs::statfs(path).ok()?.f_type as u32)
}
