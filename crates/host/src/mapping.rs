//! Mapped files of a process: `/proc/<pid>/maps` (proc_pid_maps(5)).

use crate::root::Root;
use std::path::PathBuf;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    start: u64,
    end: u64,
    /// Access rights such as `rw-s`; `s` is shared, `p` private.
    pub rights: String,
    /// Path; ` (deleted)` follows if the file is deleted.
    pub file: PathBuf,
}

impl Mapping {
    pub(crate) fn holds(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Reads `start-end rights offset device inode path`; `None` = no file is mapped.
    pub(crate) fn parse(line: &str) -> Option<Mapping> {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let rights = words.next()?.to_owned();
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let file = line.find('/').map(|begin| PathBuf::from(&line[begin..]))?;
        Some(Mapping { start: number(start)?, end: number(end)?, rights, file })
    }
}

/// Returns the mapped files of a process (`self`: of this one), by address.
pub(crate) fn mapped_files(root: &Root, process: &str) -> impl Iterator<Item = Mapping> {
    let text = root.text(format!("/proc/{process}/maps")).unwrap_or_default();
    text.lines().filter_map(Mapping::parse).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_files_are_found_by_address() {
        let machine = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(machine.path().join("proc/7")).unwrap();
        let maps = "7f00-7f10 rw-s 00000000 00:32 5          /m/a file\n7f20-7f30 rw-p 00000000 00:00 0\n\
                    7f30-7f40 rw-p 00000000 00:00 0   [heap]\n";
        std::fs::write(machine.path().join("proc/7/maps"), maps).unwrap();
        let root = Root::at(machine.path());
        let file = |address: u64| {
            mapped_files(&root, "7").find(|mapping| mapping.holds(address)).map(|found| found.file)
        };
        assert_eq!(file(0x7f0f), Some("/m/a file".into()));
        assert!([0x7eff, 0x7f10, 0x7f25, 0x7f35].into_iter().all(|address| file(address).is_none()));
        assert_eq!(mapped_files(&root, "8").count(), 0);
    }

    #[test]
    fn mapping_has_length_and_rights() {
        let mapping = Mapping::parse("7f0a00000000-7f0a00001000 r--p 00000000 fe:00 12 /data/t.dat").unwrap();
        assert_eq!((mapping.bytes(), mapping.rights.as_str()), (4096, "r--p"));
        for line in ["", "x-1 r--p 0 fe:00 1 /a", "2-1", "1-2", "2 r--p /a"] {
            assert_eq!(Mapping::parse(line), None, "{line}");
        }
        assert_eq!(Mapping::parse("2-1 r--p 0 fe:00 1 /a").unwrap().bytes(), 0);
    }
}
