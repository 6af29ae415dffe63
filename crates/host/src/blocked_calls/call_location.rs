//! The file of a blocked call, where the call does not name it.

use crate::mapping::mapped_files;
use crate::mountinfo::Mount;
use crate::root::Root;
use diskspd_machine::file_systems::{DataHome, FileSystemType};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Location of a call on storage.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CallLocation {
    File(PathBuf),
    /// File on the file system that is mounted here.
    In(PathBuf),
    Unknown,
}

impl From<PathBuf> for CallLocation {
    fn from(file: PathBuf) -> CallLocation {
        CallLocation::File(file)
    }
}

impl fmt::Display for CallLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallLocation::File(file) => write!(f, "'{}'", file.display()),
            CallLocation::In(folder) => write!(f, "a file in '{}'", folder.display()),
            CallLocation::Unknown => f.write_str("a file"),
        }
    }
}

/// Maximum number of open files whose names are read.
const MAX_OPEN_FILES: usize = 256;

/// Returns the file of a call that closes or unmaps it, or of a page fault. The kernel does not name the
/// file. Its server does not reply, and often the process uses no other file of this server.
pub(super) fn nameless(root: &Root, is_mapped: bool, has_server: bool) -> CallLocation {
    if !is_mapped && !has_server {
        return CallLocation::Unknown;
    }
    let mounts = root.mounts();
    let waiting: Vec<Mount> = mounts.iter().filter(|mount| is_waiting(root, mount)).cloned().collect();
    let used: Vec<PathBuf> = match is_mapped {
        true => mapped_files(root, "self").map(|mapping| mapping.file).collect(),
        false => open(root).chain(named_by_user(root, &waiting)).collect(),
    };
    let is_below = |file: &Path, mount: &Mount| file.starts_with(&mount.at) && file != Path::new(&mount.at);
    let there: BTreeSet<&PathBuf> =
        used.iter().filter(|file| waiting.iter().any(|mount| is_below(file, mount))).collect();
    let is_used = |mount: &&Mount| there.iter().any(|file| is_below(file, mount));
    let only =
        |mounts: Vec<&Mount>| if let [mount] = mounts[..] { Some(PathBuf::from(&mount.at)) } else { None };
    match (there.len(), there.first()) {
        (1, Some(file)) => CallLocation::File(file.to_path_buf()),
        _ => {
            let folder =
                only(waiting.iter().filter(is_used).collect()).or_else(|| only(waiting.iter().collect()));
            folder.map_or(CallLocation::Unknown, CallLocation::In)
        }
    }
}

/// Whether calls of any process wait for the server of a file system; network file systems do not show it.
fn is_waiting(root: &Root, mount: &Mount) -> bool {
    match FileSystemType::from_name(&mount.file_system).home {
        DataHome::Network => true,
        DataHome::Program => {
            let waiting = root.text(format!("/sys/fs/fuse/connections/{}/waiting", mount.number.1));
            waiting.is_none_or(|calls| calls != "0")
        }
        _ => false,
    }
}

/// Returns the path of an open file, or of the current folder (`AT_FDCWD`).
pub(super) fn open_file(root: &Root, handle: i32) -> Option<PathBuf> {
    let link = if handle == libc::AT_FDCWD { "cwd".to_owned() } else { format!("fd/{handle}") };
    std::fs::read_link(root.path(format!("/proc/self/{link}"))).ok()
}

fn open(root: &Root) -> impl Iterator<Item = PathBuf> {
    let numbers = root.names("/proc/self/fd").into_iter().take(MAX_OPEN_FILES);
    numbers.filter_map(|number| open_file(root, number.parse().ok()?))
}

/// Files of the command line, alone or in a longer word (`-Xp.xml`) that has the path of one of the mounts.
fn named_by_user(root: &Root, mounts: &[Mount]) -> impl Iterator<Item = PathBuf> {
    let here = open_file(root, libc::AT_FDCWD).unwrap_or_default();
    let line = root.text("/proc/self/cmdline").unwrap_or_default();
    let named = |word: &str| {
        let begin = mounts.iter().find_map(|mount| word.find(&format!("{}/", mount.at)));
        begin.map_or_else(|| here.join(word), |begin| PathBuf::from(&word[begin..]))
    };
    line.split('\0').skip(1).filter(|word| !word.is_empty()).map(named).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn call_without_name_reports_file_or_mount() {
        let machine = tempfile::tempdir().unwrap();
        let (at, root) = (machine.path(), Root::at(machine.path()));
        fs::create_dir_all(at.join("proc/self/fd")).unwrap();
        let mounts = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 0:50 / /m rw - fuse.x x rw\n\
                      22 20 0:51 / /idle rw - fuse x rw\n";
        fs::write(at.join("proc/self/mountinfo"), mounts).unwrap();
        for (number, waiting) in [(50, "1\n"), (51, "0\n")] {
            let connection = at.join(format!("sys/fs/fuse/connections/{number}"));
            fs::create_dir_all(&connection).unwrap();
            fs::write(connection.join("waiting"), waiting).unwrap();
        }
        symlink("/home", at.join("proc/self/cwd")).unwrap();
        symlink("/idle/f", at.join("proc/self/fd/4")).unwrap();
        let line = |words: &str| fs::write(at.join("proc/self/cmdline"), words.replace(' ', "\0")).unwrap();
        let closed = || nameless(&root, false, true).to_string();
        for (words, expected) in [
            ("diskspd report", "a file in '/m'"),
            ("diskspd report /m/a.json", "'/m/a.json'"),
            ("diskspd -X/m/p.xml -d1", "'/m/p.xml'"),
            ("diskspd -Z1M,/m/p.xml /mine/f", "'/m/p.xml'"),
            ("diskspd compare /m/a.json /m/b.json", "a file in '/m'"),
        ] {
            line(words);
            assert_eq!(closed(), expected, "{words}");
        }
        line("diskspd");
        symlink("/m/f", at.join("proc/self/fd/5")).unwrap();
        assert_eq!(closed(), "'/m/f'");
        fs::remove_file(at.join("proc/self/cwd")).unwrap();
        symlink("/m", at.join("proc/self/cwd")).unwrap();
        line("diskspd g");
        assert_eq!(closed(), "a file in '/m'", "two files");
        assert_eq!(nameless(&root, false, false), CallLocation::Unknown);
        fs::write(at.join("sys/fs/fuse/connections/51/waiting"), "2").unwrap();
        assert_eq!(closed(), "a file", "two mounts");
        line("diskspd");
        fs::remove_file(at.join("proc/self/cwd")).unwrap();
        fs::remove_file(at.join("proc/self/fd/4")).unwrap();
        assert_eq!(closed(), "'/m/f'", "one of two mounts");
    }
}
