//! Processes that have files or devices open, and the I/O that they request during the run.

use crate::device::block_number;
use crate::mapping::mapped_files;
use crate::process_stat::ProcessStat;
use crate::root::Root;
use diskspd_machine::process_io::{ProcessIo, TargetUser};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum number of examined descriptors of a process.
const MAX_EXAMINED: usize = 4096;
/// Maximum number of listed processes.
const MAX_LISTED: usize = 16;

/// Processes with an open target in any sample.
#[derive(Debug)]
pub struct TargetUsers {
    root: Root,
    /// Targets, and mount points of file systems on them.
    places: Vec<PathBuf>,
    users: BTreeMap<u32, UserSample>,
    /// Number of processes whose open files could not be read in the last sample.
    pub unreadable: u64,
}

#[derive(Debug)]
struct UserSample {
    name: String,
    /// Counters in the first and in the last sample.
    counters: Option<(ProcessIo, ProcessIo)>,
}

impl TargetUsers {
    pub fn of_targets<'a>(root: Root, targets: impl Iterator<Item = &'a Path>) -> TargetUsers {
        let mut places = Vec::new();
        for target in targets {
            if let Some(number) = block_number(target) {
                let mounts = root.mounts();
                let on_it = mounts.iter().filter(|mount| mount.number == number);
                places.extend(on_it.map(|mount| PathBuf::from(&mount.at)));
            }
            places.push(std::fs::canonicalize(target).unwrap_or_else(|_| target.to_owned()));
        }
        TargetUsers { root, places, users: BTreeMap::new(), unreadable: 0 }
    }

    /// Finds new users, and reads the counters of all.
    pub fn sample_users(&mut self) {
        self.unreadable = 0;
        let own = std::process::id();
        let processes = self.root.names("/proc").into_iter().filter_map(|name| name.parse::<u32>().ok());
        for pid in processes.filter(|pid| *pid != own).collect::<Vec<_>>() {
            if !self.users.contains_key(&pid) && !self.holds_target(pid) {
                continue;
            }
            let io = self.root.text(format!("/proc/{pid}/io")).and_then(|text| ProcessIo::parse(&text));
            match self.users.get_mut(&pid) {
                Some(user) => {
                    if let (Some((_, last)), Some(io)) = (&mut user.counters, io) {
                        *last = io;
                    }
                }
                None => {
                    let name = ProcessStat::read(&self.root, pid).map(|stat| stat.name().to_owned());
                    let user = UserSample { name: name.unwrap_or_default(), counters: io.map(|io| (io, io)) };
                    self.users.insert(pid, user);
                }
            }
        }
    }

    fn holds_target(&mut self, pid: u32) -> bool {
        let is_there = |path: &Path| self.places.iter().any(|place| path.starts_with(place));
        let Ok(entries) = std::fs::read_dir(self.root.path(format!("/proc/{pid}/fd"))) else {
            // A process that has ended does not count.
            self.unreadable += u64::from(self.root.path(format!("/proc/{pid}")).exists());
            return false;
        };
        let mut opened = entries.flatten().take(MAX_EXAMINED);
        let is_open =
            |entry: std::fs::DirEntry| std::fs::read_link(entry.path()).is_ok_and(|path| is_there(&path));
        opened.any(is_open)
            || mapped_files(&self.root, &pid.to_string()).any(|mapping| is_there(&mapping.file))
    }

    /// Returns the busiest users, by bytes requested between the first and the last sample.
    pub fn busiest(&self) -> Vec<TargetUser> {
        let mut users: Vec<TargetUser> = self.users.iter().map(|(pid, user)| user.row(*pid)).collect();
        let bytes =
            |user: &TargetUser| user.read_bytes.unwrap_or(0).saturating_add(user.write_bytes.unwrap_or(0));
        users.sort_by_key(|user| (std::cmp::Reverse(bytes(user)), user.pid));
        users.truncate(MAX_LISTED);
        users
    }

    /// Returns the number of processes with an open target.
    pub fn count(&self) -> u64 {
        self.users.len() as u64
    }
}

impl UserSample {
    fn row(&self, pid: u32) -> TargetUser {
        let grown = self.counters.map(|(first, last)| last.since(first));
        TargetUser {
            pid,
            name: self.name.clone(),
            read_bytes: grown.map(|io| io.read_bytes),
            write_bytes: grown.map(|io| io.write_bytes.saturating_sub(io.cancelled_write_bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn write_counters(machine: &Path, pid: u32, read: u64) {
        let text = format!(
            "rchar: 0\nwchar: 0\nsyscr: 0\nsyscw: 0\nread_bytes: {read}\nwrite_bytes: 0\n\
             cancelled_write_bytes: 0\n"
        );
        fs::write(machine.join(format!("proc/{pid}/io")), text).unwrap();
    }

    #[test]
    fn users_are_sorted_by_requested_bytes() {
        let machine = tempfile::tempdir().unwrap();
        let at = machine.path();
        for (pid, name, file) in
            [(7, "idle", "/data/a"), (8, "busy one", "/data/b"), (9, "other", "/database")]
        {
            fs::create_dir_all(at.join(format!("proc/{pid}/fd"))).unwrap();
            symlink(file, at.join(format!("proc/{pid}/fd/3"))).unwrap();
            fs::write(at.join(format!("proc/{pid}/stat")), format!("{pid} ({name}) S 1 1")).unwrap();
            write_counters(at, pid, 1000);
        }
        fs::create_dir_all(at.join("proc/10")).unwrap();
        let mut users = TargetUsers::of_targets(Root::at(at), [Path::new("/data")].into_iter());
        users.sample_users();
        write_counters(at, 8, 5096);
        users.sample_users();
        let found: Vec<_> =
            users.busiest().into_iter().map(|user| (user.pid, user.name, user.read_bytes)).collect();
        assert_eq!(found, [(8, "busy one".to_owned(), Some(4096)), (7, "idle".to_owned(), Some(0))]);
        assert_eq!((users.count(), users.unreadable), (2, 1));
    }
}
