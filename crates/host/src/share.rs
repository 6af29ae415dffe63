//! Files on SMB shares, named as Windows names them: `\\server\share\path`, and `//server/share/path`.
//!
//! Linux has no such names: a share is mounted somewhere. This finds where.

use super::mountinfo::Mount;

/// File or directory on a share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharePath {
    server: String,
    share: String,
    /// Components of the path within the share, none empty.
    path: Vec<String>,
    windows: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MountState {
    Mounted(String),
    /// Mount point above the share, where a network of shares is mounted.
    InNetwork(String),
    /// The share is not mounted; the text explains how to mount it.
    NotMounted(String),
}

/// Reads `\\server\share..` or `//server/share..`; `None` = not of that form. More than two separators at
/// the start are just another way to write `/`.
pub(super) fn parse(target: &str) -> Option<SharePath> {
    let windows = target.starts_with("\\\\");
    let rest = target.strip_prefix("\\\\").or_else(|| target.strip_prefix("//"))?;
    let rest = if windows { rest.replace('\\', "/") } else { rest.to_owned() };
    if rest.starts_with('/') {
        return None;
    }
    let mut parts = rest.split('/').filter(|part| !part.is_empty()).map(str::to_owned);
    let mut name = || parts.next().filter(|part| ![".", "..", "?"].contains(&part.as_str()));
    Some(SharePath { server: name()?, share: name()?, path: parts.collect(), windows })
}

impl SharePath {
    /// Returns the location of the share's file on a machine with these mounts.
    ///
    /// A mount counts if its source has the name of the share, regardless of its type: `cifs`, or a
    /// user-space file system with that name. The deepest mount in the share is used, then the last
    /// mounted. Names of servers, shares and their directories are case-insensitive. Without such a mount
    /// an smbnetfs is used, which shows all servers of a network and their shares as directories.
    pub(crate) fn find(&self, mounts: &[Mount]) -> MountState {
        let covered = mounts.iter().filter_map(|mount| Some((self.covered_by(mount)?, mount)));
        // `max_by_key` takes the last of equals.
        match covered.max_by_key(|(depth, _)| *depth) {
            Some((depth, mount)) => {
                let mut path = mount.at.clone();
                for part in &self.path[depth..] {
                    if !path.ends_with('/') {
                        path.push('/');
                    }
                    path.push_str(part);
                }
                MountState::Mounted(path)
            }
            None => match mounts.iter().rfind(|mount| mount.source == "smbnetfs") {
                Some(network) => {
                    let parts = [&self.server, &self.share].into_iter().chain(&self.path);
                    MountState::InNetwork(parts.fold(network.at.clone(), |path, part| path + "/" + part))
                }
                None => MountState::NotMounted(self.share_advice()),
            },
        }
    }

    /// Whether it can also be an ordinary path: Linux reads `//tmp/a` as `/tmp/a`.
    pub(crate) fn may_be_ordinary(&self) -> bool {
        !self.windows
    }

    /// Returns the directory `/server/share` that begins an ordinary path of this form.
    pub(crate) fn as_directory(&self) -> String {
        format!("/{}/{}", self.server, self.share)
    }

    /// Returns the number of path components that the mount covers; `None` = the file is not below it.
    fn covered_by(&self, mount: &Mount) -> Option<usize> {
        let mounted = parse(&mount.source)?;
        if !same_share(&mounted.server, &self.server) || !same_share(&mounted.share, &self.share) {
            return None;
        }
        // What is mounted of the share: the directory that the source names, and of that the part in
        // `root`. Some kernels tell the directory of the source in `root` once more.
        let root: Vec<String> =
            mount.root.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut covered = mounted.path;
        if root.starts_with(&covered) {
            covered = root;
        } else {
            covered.extend(root);
        }
        let here = self.path.get(..covered.len())?;
        here.iter().zip(&covered).all(|(a, b)| same_share(a, b)).then_some(covered.len())
    }

    fn share_advice(&self) -> String {
        let SharePath { server, share, .. } = self;
        let path = self.path.iter().fold(String::new(), |path, part| path + "/" + part);
        format!(
            "the share //{server}/{share} is not mounted here: mkdir -p /mnt/{share} && \
             mount -t cifs //{server}/{share} /mnt/{share} -o \
             username=NAME,uid=USER,file_mode=0600,dir_mode=0700 (package cifs-utils, as root; USER alone \
             may use it then, and not every user as NAME); then this name works, and so does \
             /mnt/{share}{path}{}",
            if self.windows { "" } else { ". An ordinary path begins with a single /" }
        )
    }
}

fn same_share(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "27 1 8:1 / / rw - ext4 /dev/root rw\n\
        30 27 0:50 / /mnt/data rw - cifs //FileServer/Data rw\n\
        31 27 0:51 / /mnt/my\\040old rw - cifs //fileserver/Old\\040Things rw\n\
        32 27 0:52 / /mnt/sub rw - cifs //fileserver/deep/One/Two rw\n\
        33 27 0:53 /One/Two /mnt/sub2 rw - smb3 //fileserver/other/One/Two rw\n\
        34 27 0:54 /inner /srv/bound rw - cifs \\134\\134nas\\134bound rw\n\
        35 27 0:55 / /home/me/fuse rw - fuse.smb //nas/fuse rw\n\
        36 27 0:56 / /mnt/first rw - cifs //nas/twice rw\n\
        37 27 0:56 / /mnt/second rw - cifs //nas/twice rw\n\
        38 27 0:57 / /mnt/inside rw - cifs //nas/twice/in rw\n\
        39 27 0:58 / /mnt/nfs rw - nfs server:/export rw\n\
        nonsense\n";

    fn find_share(target: &str, mountinfo: &str) -> MountState {
        let mounts: Vec<Mount> = crate::mountinfo::parse(mountinfo).collect();
        parse(target).unwrap().find(&mounts)
    }

    #[test]
    fn file_on_share_is_found_under_its_mount() {
        for (target, expected) in [
            ("//fileserver/data/dir/a.dat", "/mnt/data/dir/a.dat"),
            ("\\\\FILESERVER\\DATA\\dir\\a.dat", "/mnt/data/dir/a.dat"),
            ("\\\\fileserver\\data/dir\\\\A.dat", "/mnt/data/dir/A.dat"),
            ("//fileserver/data", "/mnt/data"),
            ("//fileserver/data//", "/mnt/data"),
            ("//fileserver/old things/a b", "/mnt/my old/a b"),
            ("//fileserver/deep/one/two/three", "/mnt/sub/three"),
            ("//fileserver/other/ONE/two/three", "/mnt/sub2/three"),
            ("//nas/bound/inner/x", "/srv/bound/x"),
            ("//nas/fuse/x", "/home/me/fuse/x"),
            ("//nas/twice/x", "/mnt/second/x"),
            ("//nas/twice/in/x", "/mnt/inside/x"),
        ] {
            assert_eq!(find_share(target, MOUNTS), MountState::Mounted(expected.into()), "{target}");
        }
    }

    #[test]
    fn smbnetfs_provides_shares_without_own_mount() {
        let mounts = format!("{MOUNTS}40 27 0:59 / /home/me/net rw - fuse.smbnetfs smbnetfs rw\n");
        for (target, expected) in [
            ("//nas/fuse/x", MountState::Mounted("/home/me/fuse/x".into())),
            ("\\\\Other\\Data\\a\\b", MountState::InNetwork("/home/me/net/Other/Data/a/b".into())),
            ("//other/data", MountState::InNetwork("/home/me/net/other/data".into())),
        ] {
            assert_eq!(find_share(target, &mounts), expected, "{target}");
        }
    }

    #[test]
    fn unmounted_share_is_reported_with_mount_command() {
        for target in [
            "//fileserver/dat/x",
            "//other/data/x",
            "//fileserver/deep/one/x",
            "//nas/bound/x",
            "\\\\server\\export\\x",
        ] {
            let MountState::NotMounted(advice) = find_share(target, MOUNTS) else { panic!("{target}") };
            assert!(advice.contains("mount -t cifs //"), "{advice}");
        }
        let MountState::NotMounted(advice) = find_share("\\\\Srv\\Share\\a\\b", "") else { panic!() };
        assert!(
            advice.contains(" //Srv/Share /mnt/Share ") && advice.ends_with("/mnt/Share/a/b"),
            "{advice}"
        );
    }

    #[test]
    fn ordinary_paths_are_not_share_paths() {
        for target in [
            "/a/b/c",
            "///a/b",
            "//a",
            "//a/",
            "//",
            "\\\\a",
            "\\a\\b",
            "a//b/c",
            "./\\\\a\\b",
            "//a/../b",
            "//./a/b",
            "",
        ] {
            assert_eq!(parse(target), None, "{target}");
        }
    }
}
