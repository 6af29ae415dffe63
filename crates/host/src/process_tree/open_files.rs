//! Files, devices, pipes and mappings that processes have open.

use super::classes::{Classes, Ends};
use crate::root::Root;
use crate::stack;
use diskspd_model::machine::stack::Stack;
use diskspd_model::results::ForeignEngine;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, StatxFlags, open, statx};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Files of this size and larger decide whether the page cache is bypassed, bytes. Logs are smaller.
const LARGE: u64 = 1 << 20;
/// Descriptors of a process that are examined at most.
const MOST_EXAMINED: usize = 512;
/// Files that are kept at most.
const MOST_KEPT: usize = 4096;
/// Mappings from this size on may carry data, bytes.
const MAPPED: u64 = 1 << 20;

/// A file or device that was open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenFile {
    pub path: PathBuf,
    /// Largest size that was seen, bytes; 0 for a device.
    pub size: u64,
    pub is_device: bool,
    pub read: bool,
    pub written: bool,
    /// Whether some process had it open without `O_DIRECT`.
    pub buffered: bool,
}

/// Device and inode of a file.
type Identity = (u64, u64);

/// What all processes together had open.
#[derive(Debug, Default)]
pub struct OpenFiles {
    /// Names of the devices whose files are judged; empty = all.
    judged: Vec<String>,
    stacks: HashMap<Identity, Stack>,
    files: HashMap<Identity, SeenFile>,
    /// Interfaces that were in use.
    pub engines: BTreeSet<u8>,
}

/// What a descriptor is.
enum Opened {
    Storage,
    /// Storage, but below [`LARGE`].
    Small,
    Deviceless,
    Elsewhere,
    /// Takes all data, and has none.
    Null,
    /// Carries no data that matters: terminals, `/proc`, events.
    Nothing,
}

impl OpenFiles {
    pub(super) fn new(judged: Vec<String>) -> OpenFiles {
        OpenFiles { judged, ..OpenFiles::default() }
    }

    /// The stacks of the files on judged storage, each once.
    pub fn stacks(&self) -> Vec<&Stack> {
        self.chosen(|stack| self.is_judged(stack))
    }

    /// The stacks of the files without devices.
    pub fn deviceless_stacks(&self) -> Vec<&Stack> {
        self.chosen(|stack| stack.layers.is_empty())
    }

    fn chosen(&self, is: impl Fn(&Stack) -> bool) -> Vec<&Stack> {
        let mut chosen: Vec<&Stack> = Vec::new();
        for stack in self.stacks.values().filter(|stack| is(stack)) {
            if !chosen.contains(&stack) {
                chosen.push(stack);
            }
        }
        chosen.sort_by(|a, b| a.top_devices.cmp(&b.top_devices));
        chosen
    }

    pub fn uses(&self, engine: ForeignEngine) -> bool {
        self.engines.contains(&(engine as u8))
    }

    /// Files on judged storage, the largest first.
    pub fn files(&self) -> Vec<&SeenFile> {
        let mut files: Vec<&SeenFile> = self.files.values().collect();
        files.sort_by(|a, b| (b.is_device, b.size, &a.path).cmp(&(a.is_device, a.size, &b.path)));
        files
    }

    /// Whether all large files and devices were open to bypass the page cache; not if there were none.
    pub fn bypass_the_cache(&self) -> bool {
        let mut large = self.files.values().filter(|file| file.is_device || file.size >= LARGE).peekable();
        large.peek().is_some() && large.all(|file| !file.buffered)
    }

    fn is_judged(&self, stack: &Stack) -> bool {
        let among = |name: &String| self.judged.iter().any(|judged| judged == name);
        !stack.layers.is_empty()
            && (self.judged.is_empty() || stack.layers.iter().any(|layer| among(&layer.name)))
    }

    /// Examines a process. Files that can't be examined are not seen.
    pub(super) fn look(&mut self, root: &Root, pid: u32, classes: &mut Classes) {
        let folder = root.path(format!("/proc/{pid}/fd"));
        let Ok(entries) = std::fs::read_dir(&folder) else { return };
        for entry in entries.flatten().take(MOST_EXAMINED) {
            let number = entry.file_name().to_string_lossy().into_owned();
            let Ok(name) = std::fs::read_link(entry.path()) else { continue };
            let info = root.text(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
            let Some(flags) = flags(&info) else { continue };
            let position = field(&info, "pos:").and_then(|text| text.parse().ok()).unwrap_or(0);
            let opened = self.opened(&entry.path(), &name, flags, position);
            let is_error = number == "2";
            let mark = |ends: &mut Ends, writes: bool| match opened {
                Opened::Storage => ends.storage = true,
                Opened::Small => ends.small = true,
                Opened::Deviceless => ends.deviceless = true,
                Opened::Elsewhere if is_error => ends.messages = true,
                Opened::Elsewhere => ends.elsewhere = true,
                Opened::Null => ends.elsewhere |= writes && !is_error,
                Opened::Nothing => {}
            };
            if flags.is_read() {
                mark(&mut classes.read, false);
            }
            if flags.is_written() {
                mark(&mut classes.write, true);
            }
        }
        self.look_at_mappings(root, pid);
    }

    fn opened(&mut self, link: &Path, name: &Path, flags: OpenFlags, position: u64) -> Opened {
        let text = name.to_string_lossy();
        if text.starts_with("anon_inode:") {
            if text.contains("io_uring") {
                self.engines.insert(ForeignEngine::Uring as u8);
            }
            return Opened::Nothing;
        }
        if text.starts_with("pipe:") || text.starts_with("socket:") {
            return Opened::Elsewhere;
        }
        let is_in = |folders: &[&str]| folders.iter().any(|start| text.starts_with(start));
        match () {
            () if text == "/dev/null" => return Opened::Null,
            () if text.starts_with("/dev/shm/") => return Opened::Deviceless,
            () if !text.starts_with('/') => return Opened::Nothing,
            () if is_in(&["/proc/", "/sys/", "/dev/tty", "/dev/pts/"]) => return Opened::Nothing,
            () => {}
        }
        // Without synchronization: another host or program may not answer.
        let wanted = StatxFlags::BASIC_STATS;
        let Ok(found) = statx(rustix::fs::CWD, link, AtFlags::from_bits_retain(0x4000), wanted) else {
            return Opened::Elsewhere;
        };
        let kind = FileType::from_raw_mode(u32::from(found.stx_mode));
        let number = |major: u32, minor: u32| u64::from(major) << 32 | u64::from(minor);
        let (identity, place) = match kind {
            FileType::BlockDevice => {
                let device = number(found.stx_rdev_major, found.stx_rdev_minor);
                ((u64::MAX, device), (u64::MAX, device))
            }
            FileType::RegularFile => {
                let device = number(found.stx_dev_major, found.stx_dev_minor);
                ((device, found.stx_ino), (device, 0))
            }
            FileType::Directory => return Opened::Nothing,
            _ => return Opened::Elsewhere,
        };
        let judged = {
            let stack = self.stacks.entry(place).or_insert_with(|| stack_of(link, name));
            if stack.layers.is_empty() {
                return Opened::Deviceless;
            }
            stack.clone()
        };
        if !self.is_judged(&judged) {
            return Opened::Elsewhere;
        }
        let (is_device, size) = (kind == FileType::BlockDevice, found.stx_size.max(position));
        let largest = self.keep(identity, name, is_device, size, flags);
        if is_device || largest >= LARGE { Opened::Storage } else { Opened::Small }
    }

    /// Keeps a file, and returns the largest size that it had.
    fn keep(&mut self, identity: Identity, name: &Path, is_device: bool, size: u64, flags: OpenFlags) -> u64 {
        if self.files.len() >= MOST_KEPT && !self.files.contains_key(&identity) {
            return size;
        }
        let file = self.files.entry(identity).or_insert_with(|| SeenFile {
            path: name.to_owned(),
            is_device,
            ..SeenFile::default()
        });
        file.size = file.size.max(size);
        file.read |= flags.is_read();
        file.written |= flags.is_written();
        file.buffered |= !flags.is_direct();
        file.size
    }

    /// Large mappings of files, and the rings of Linux AIO.
    fn look_at_mappings(&mut self, root: &Root, pid: u32) {
        let Some(maps) = root.text(format!("/proc/{pid}/maps")) else { return };
        for line in maps.lines() {
            let mut fields = line.split_ascii_whitespace();
            let (Some(range), Some(rights)) = (fields.next(), fields.next()) else { continue };
            let name = fields.nth(3).unwrap_or_default();
            if name == "/[aio]" {
                self.engines.insert(ForeignEngine::Aio as u8);
            }
            let is_data = name.starts_with('/')
                && !rights.contains('x')
                && !["/[", "/dev/zero", "/dev/shm/", "/SYSV", "/memfd:", "/usr/", "/lib", "/anon"]
                    .iter()
                    .any(|start| name.starts_with(start));
            if is_data && length(range).is_some_and(|length| length >= MAPPED) {
                self.engines.insert(ForeignEngine::Mapped as u8);
            }
        }
    }
}

/// Bytes of `7f0a00000000-7f0a00001000`.
fn length(range: &str) -> Option<u64> {
    let (from, to) = range.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    hex(to)?.checked_sub(hex(from)?)
}

fn stack_of(link: &Path, name: &Path) -> Stack {
    let opened = open(link, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    match opened {
        Ok(file) => stack::of_open(&Root::live(), &File::from(file), name),
        Err(_) => Stack::without("it can't be inspected"),
    }
}

/// How a descriptor was opened (`flags` of `fdinfo`).
#[derive(Debug, Clone, Copy)]
struct OpenFlags(i32);

/// A field of `fdinfo`.
fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

fn flags(info: &str) -> Option<OpenFlags> {
    let flags = OpenFlags(i32::from_str_radix(field(info, "flags:")?, 8).ok()?);
    (flags.0 & libc::O_PATH == 0).then_some(flags)
}

impl OpenFlags {
    fn is_read(self) -> bool {
        self.0 & libc::O_ACCMODE != libc::O_WRONLY
    }

    fn is_written(self) -> bool {
        self.0 & libc::O_ACCMODE != libc::O_RDONLY
    }

    fn is_direct(self) -> bool {
        self.0 & libc::O_DIRECT != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_flags_are_octal() {
        let of = |text: &str| flags(&format!("pos:\t0\nflags:\t{text}\nmnt_id:\t29\n"));
        let read = of("0100000").unwrap();
        assert!(read.is_read() && !read.is_written() && !read.is_direct());
        let both = of("0100002").unwrap();
        assert!(both.is_read() && both.is_written());
        assert!(of("0100001").is_some_and(|flags| !flags.is_read()));
        assert!(of(&format!("{:o}", libc::O_DIRECT)).unwrap().is_direct());
        assert!(of(&format!("{:o}", libc::O_PATH)).is_none() && flags("").is_none());
    }

    #[test]
    fn mapped_length_is_hexadecimal() {
        assert_eq!(length("7f0a00000000-7f0a00001000"), Some(4096));
        assert_eq!((length("x-1"), length("2-1"), length("")), (None, None, None));
    }
}
