//! Root of the files that describe the machine: `/`, or in tests a directory with the same files.

use crate::device_number::DeviceNumber;
use crate::mountinfo::{self, Mount};
use diskspd_machine::content::Reducer;
use diskspd_machine::stack::Stack;
use diskspd_machine::storage::BlockDevice;
use diskspd_sys::leases::Leases;
use diskspd_sys::mutex::LockUnpoisoned;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// The directory of `proc`, `sys` and `dev`. Missing or unreadable files give `None` or empty values,
/// because they vary with kernel versions, configurations and containers.
#[derive(Debug, Clone)]
pub struct Root {
    directory: PathBuf,
    memory: Option<Arc<Memory>>,
}

/// Mount ID and device number.
type MountKey = (u32, DeviceNumber);

#[derive(Debug, Default)]
struct Memory {
    mounts: OnceLock<Arc<[Mount]>>,
    leases: OnceLock<Arc<Leases>>,
    links: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
    devices: Mutex<HashMap<DeviceNumber, Option<PathBuf>>>,
    stacks: Mutex<HashMap<MountKey, Stack>>,
    settings: Mutex<HashMap<PathBuf, BlockDevice>>,
    reducers: Mutex<HashMap<(u32, u32), Vec<Reducer>>>,
}

impl Root {
    pub fn live_system() -> Root {
        Root::at(Path::new("/"))
    }

    /// Creates a root in a directory with a copy of a machine's files.
    pub fn at(directory: &Path) -> Root {
        Root { directory: directory.to_owned(), memory: None }
    }

    /// Returns a root that reads mounts, leases, links and devices only once.
    pub fn remembering(self) -> Root {
        Root { memory: Some(Arc::default()), ..self }
    }

    /// Returns the mounts in `/proc/self/mountinfo`; empty = unreadable.
    pub(super) fn mounts(&self) -> Arc<[Mount]> {
        let read = || {
            let text = self.text("/proc/self/mountinfo").unwrap_or_default();
            mountinfo::parse(&text).collect::<Arc<[Mount]>>()
        };
        self.memory.as_ref().map_or_else(read, |memory| Arc::clone(memory.mounts.get_or_init(read)))
    }

    pub(super) fn leases(&self) -> Arc<Leases> {
        let read = || Arc::new(Leases::read());
        self.memory.as_ref().map_or_else(read, |memory| Arc::clone(memory.leases.get_or_init(read)))
    }

    pub(super) fn resolved(&self, absolute: &str) -> Option<PathBuf> {
        let path = self.path(absolute);
        let Some(memory) = &self.memory else { return fs::canonicalize(path).ok() };
        let mut links = memory.links.lock_anyway();
        links.entry(path).or_insert_with_key(|path| fs::canonicalize(path).ok()).clone()
    }

    /// Returns the directory below `/sys` of the device with this number.
    pub(super) fn device_folder(
        &self,
        number: DeviceNumber,
        find: impl FnOnce() -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        let Some(memory) = &self.memory else { return find() };
        memory.devices.lock_anyway().entry(number).or_insert_with(find).clone()
    }

    /// Returns the cached stack of a mount's files.
    pub(super) fn known_stack(&self, key: MountKey) -> Option<Stack> {
        self.memory.as_ref()?.stacks.lock_anyway().get(&key).cloned()
    }

    pub(super) fn keep_stack(&self, key: MountKey, stack: &Stack) {
        self.memory.iter().for_each(|memory| {
            memory.stacks.lock_anyway().insert(key, stack.clone());
        });
    }

    pub(super) fn settings(&self, directory: &Path, read: impl FnOnce() -> BlockDevice) -> BlockDevice {
        let Some(memory) = &self.memory else { return read() };
        memory.settings.lock_anyway().entry(directory.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the compressing and deduplicating layers under a device.
    pub(super) fn reducers(&self, device: (u32, u32), find: impl FnOnce() -> Vec<Reducer>) -> Vec<Reducer> {
        let Some(memory) = &self.memory else { return find() };
        memory.reducers.lock_anyway().entry(device).or_insert_with(find).clone()
    }

    /// Returns the location of an absolute path of the machine.
    pub fn path(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let absolute = absolute.as_ref();
        self.directory.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// Reads a whole file, and replaces invalid UTF-8.
    pub fn text(&self, absolute: impl AsRef<Path>) -> Option<String> {
        text(&self.path(absolute))
    }

    /// Whether this is the running machine, not a directory with a copy of its files.
    pub fn is_live(&self) -> bool {
        self.directory == Path::new("/")
    }

    /// Returns the content of a file; `None` if it does not exist.
    ///
    /// # Errors
    /// Fails if the file exists but cannot be read.
    pub fn read(&self, absolute: impl AsRef<Path>) -> io::Result<Option<String>> {
        let text = if_present(fs::read(self.path(absolute)))?;
        Ok(text.map(|text| String::from_utf8_lossy(&text).trim().to_owned()))
    }

    /// Names in a directory like [`Root::names`]; none where there is no such directory.
    ///
    /// # Errors
    /// Fails if the folder may exist but cannot be read.
    pub fn list(&self, absolute: impl AsRef<Path>) -> io::Result<Vec<String>> {
        let Some(entries) = if_present(fs::read_dir(self.path(absolute)))? else { return Ok(Vec::new()) };
        let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
        let mut names = entries.map(name).collect::<io::Result<Vec<String>>>()?;
        names.sort();
        Ok(names)
    }

    /// Returns the names in a directory, sorted.
    pub fn names(&self, absolute: impl AsRef<Path>) -> Vec<String> {
        names(&self.path(absolute))
    }
}

fn if_present<T>(answer: io::Result<T>) -> io::Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        // What goes away while it is read answers ENODEV in /sys.
        Err(error) => match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR | libc::ENODEV) => Ok(None),
            _ => Err(error),
        },
    }
}

/// Reads a whole file without surrounding white space; `None` = unreadable.
pub fn text(file: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(file).ok()?).trim().to_owned())
}

pub fn number<T: std::str::FromStr>(file: &Path) -> Option<T> {
    text(file)?.parse().ok()
}

/// Returns the names in a directory, sorted; empty = unreadable.
pub fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembering_root_reads_mounts_once() {
        let folder = tempfile::tempdir().unwrap();
        let mounts = folder.path().join("proc/self/mountinfo");
        fs::create_dir_all(mounts.parent().unwrap()).unwrap();
        let line = "22 27 8:1 / /data rw - ext4 /dev/sda1 rw\n";
        fs::write(&mounts, line).unwrap();
        let (forgetful, remembering) = (Root::at(folder.path()), Root::at(folder.path()).remembering());
        let counts = || [forgetful.mounts().len(), remembering.mounts().len()];
        assert_eq!(counts(), [1, 1]);
        fs::write(&mounts, [line, line].concat()).unwrap();
        assert_eq!(counts(), [2, 1]);
        assert_eq!(remembering.clone().mounts().len(), 1, "copies share it");
    }
}
