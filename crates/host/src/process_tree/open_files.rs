//! Files, devices, pipes and mappings that processes have open.

use super::classes::{Classes, OpenKinds};
use crate::mapping::{Mapping, mapped_files};
use crate::root::Root;
use crate::stack;
use diskspd_machine::process_io::ForeignEngine;
use diskspd_machine::stack::Stack;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, StatxFlags, open, statx};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Files of this size and larger decide whether the page cache is bypassed, bytes. Logs are smaller.
const MIN_LARGE_BYTES: u64 = 1 << 20;
/// Maximum number of examined descriptors of a process.
const MAX_EXAMINED: usize = 512;
/// Maximum number of remembered files.
const MAX_CACHED_FILES: usize = 4096;
/// Minimum size of a mapping, shared or private, that may carry data, in bytes.
const MAPPED: u64 = 1 << 20;
const MAPPED_PRIVATELY: u64 = 16 << 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenFileUse {
    pub path: PathBuf,
    /// Maximum observed size in bytes; 0 for a device.
    pub size: u64,
    pub is_device: bool,
    pub read: bool,
    pub written: bool,
    /// Whether a process had it open without `O_DIRECT`.
    pub buffered: bool,
    /// Device number of its file system, or its own number.
    place: Identity,
}

impl OpenFileUse {
    fn is_large(&self) -> bool {
        self.is_device || self.size >= MIN_LARGE_BYTES
    }
}

/// Device and inode of a file.
type Identity = (u64, u64);

#[derive(Debug, Default)]
pub struct OpenFiles {
    /// Names of the devices of examined files; empty = all.
    judged: Vec<String>,
    /// Pipes and sockets that this process inherited and passes to the program.
    inherited: Vec<PathBuf>,
    stacks: HashMap<Identity, Stack>,
    files: HashMap<Identity, OpenFileUse>,
    pub engines: BTreeSet<u8>,
}

enum DescriptorKind {
    Storage,
    /// Storage, but less than [`MIN_LARGE_BYTES`].
    Small,
    Deviceless,
    Elsewhere,
    /// Discards writes and returns no data.
    Null,
    /// No relevant data: terminals, `/proc`, events.
    Nothing,
}

impl OpenFiles {
    pub(super) fn new(judged: Vec<String>) -> OpenFiles {
        OpenFiles { judged, inherited: inherited_paths(), ..OpenFiles::default() }
    }

    /// Whether a large file or a device on the examined storage was open.
    pub fn has_large(&self) -> bool {
        self.files.values().any(OpenFileUse::is_large)
    }

    /// Returns the stacks of large files and devices on judged storage, or of all files if none is large.
    pub fn stacks(&self) -> Vec<&Stack> {
        let places: BTreeSet<Identity> = self.files().iter().map(|file| file.place).collect();
        let mut stacks: Vec<&Stack> = Vec::new();
        for stack in places.iter().filter_map(|place| self.stacks.get(place)) {
            if !stacks.contains(&stack) {
                stacks.push(stack);
            }
        }
        stacks
    }

    pub fn deviceless_stacks(&self) -> Vec<&Stack> {
        let mut stacks: Vec<&Stack> = self.stacks.values().filter(|stack| stack.layers.is_empty()).collect();
        stacks.sort_by(|a, b| a.no_device_reason.cmp(&b.no_device_reason));
        stacks
    }

    pub fn uses(&self, engine: ForeignEngine) -> bool {
        self.engines.contains(&(engine as u8))
    }

    /// Returns large files and devices on judged storage, sorted by size, or all files if none is large.
    pub fn files(&self) -> Vec<&OpenFileUse> {
        let mut files: Vec<&OpenFileUse> = self.files.values().filter(|file| file.is_large()).collect();
        if files.is_empty() {
            files = self.files.values().collect();
        }
        files.sort_by(|a, b| (b.is_device, b.size, &a.path).cmp(&(a.is_device, a.size, &b.path)));
        files
    }

    /// Whether there were large files or devices, and all of them were open to bypass the page cache.
    pub fn bypass_the_cache(&self) -> bool {
        let mut large = self.files.values().filter(|file| file.is_large()).peekable();
        large.peek().is_some() && large.all(|file| !file.buffered)
    }

    /// Examines a process and ignores inaccessible files.
    pub(super) fn read_files(&mut self, root: &Root, pid: u32) -> Classes {
        let mut classes = Classes::default();
        let folder = root.path(format!("/proc/{pid}/fd"));
        let Ok(entries) = std::fs::read_dir(&folder) else { return classes };
        let descriptor = |entry: std::fs::DirEntry| {
            let number = entry.file_name().to_string_lossy().into_owned();
            let name = std::fs::read_link(entry.path()).ok()?;
            let info = root.text(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
            Some((number, entry.path(), name, flags(&info)?, info))
        };
        let all: Vec<_> = entries.flatten().take(MAX_EXAMINED).filter_map(descriptor).collect();
        // A process wakes its own threads by a pipe.
        let has_both_ends = |name: &Path| {
            let ends = || all.iter().filter(|(_, _, other, ..)| other == name).map(|(.., flags, _)| flags);
            ends().any(|flags| flags.is_read()) && ends().any(|flags| flags.is_written())
        };
        for (number, link, name, flags, info) in &all {
            let flags = *flags;
            let is_pipe = name.to_string_lossy().starts_with("pipe:");
            if self.inherited.contains(name) || is_pipe && has_both_ends(name) {
                continue;
            }
            let position = field(info, "pos:").and_then(|text| text.parse().ok()).unwrap_or(0);
            let opened = self.opened(link, name, flags, position);
            let is_error = number == "2";
            let mark = |ends: &mut OpenKinds, writes: bool| match opened {
                DescriptorKind::Storage => ends.storage = true,
                DescriptorKind::Small => ends.small = true,
                DescriptorKind::Deviceless => ends.without_device = true,
                DescriptorKind::Elsewhere if is_error => ends.messages = true,
                DescriptorKind::Elsewhere => ends.elsewhere = true,
                DescriptorKind::Null => ends.elsewhere |= writes && !is_error,
                DescriptorKind::Nothing => {}
            };
            if flags.is_read() {
                mark(&mut classes.read, false);
            }
            if flags.is_written() {
                mark(&mut classes.write, true);
            }
        }
        self.look_at_mappings(root, pid);
        classes
    }

    fn opened(&mut self, link: &Path, name: &Path, flags: OpenFlags, position: u64) -> DescriptorKind {
        let text = name.to_string_lossy();
        if text.starts_with("anon_inode:") {
            if text.contains("io_uring") {
                self.engines.insert(ForeignEngine::Uring as u8);
            }
            return DescriptorKind::Nothing;
        }
        if text.starts_with("pipe:") || text.starts_with("socket:") {
            return DescriptorKind::Elsewhere;
        }
        let is_in = |folders: &[&str]| folders.iter().any(|start| text.starts_with(start));
        match () {
            () if text == "/dev/null" => return DescriptorKind::Null,
            () if !text.starts_with('/') || is_library(&text) => return DescriptorKind::Nothing,
            () if is_in(&["/proc/", "/sys/", "/dev/tty", "/dev/pts/"]) => return DescriptorKind::Nothing,
            () => {}
        }
        // Without synchronization: another host or program may not answer.
        let wanted = StatxFlags::BASIC_STATS;
        let Ok(found) = statx(rustix::fs::CWD, link, AtFlags::from_bits_retain(0x4000), wanted) else {
            return DescriptorKind::Elsewhere;
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
            FileType::Directory => return DescriptorKind::Nothing,
            _ => return DescriptorKind::Elsewhere,
        };
        let stack = self.stacks.entry(place).or_insert_with(|| stack_of(link, name));
        if stack.layers.is_empty() {
            return DescriptorKind::Deviceless;
        }
        if !is_judged(&self.judged, stack) {
            return DescriptorKind::Elsewhere;
        }
        let (is_device, size) = (kind == FileType::BlockDevice, found.stx_size.max(position));
        let seen = OpenFileUse { path: name.to_owned(), size, is_device, place, ..OpenFileUse::default() };
        if self.keep(identity, seen, flags) { DescriptorKind::Storage } else { DescriptorKind::Small }
    }

    /// Remembers a file, and returns whether it is large.
    fn keep(&mut self, identity: Identity, seen: OpenFileUse, flags: OpenFlags) -> bool {
        if self.files.len() >= MAX_CACHED_FILES && !self.files.contains_key(&identity) {
            return seen.is_large();
        }
        let size = seen.size;
        let file = self.files.entry(identity).or_insert(seen);
        file.size = file.size.max(size);
        file.read |= flags.is_read();
        file.written |= flags.is_written();
        file.buffered |= !flags.is_direct();
        file.is_large()
    }

    /// Finds large mappings of files, and the rings of Linux AIO.
    fn look_at_mappings(&mut self, root: &Root, pid: u32) {
        for mapping in mapped_files(root, &pid.to_string()) {
            if mapping.file.to_string_lossy().starts_with("/[aio]") {
                self.engines.insert(ForeignEngine::Aio as u8);
            }
            if carries_data(&mapping) {
                self.engines.insert(ForeignEngine::Mapped as u8);
            }
        }
    }
}

/// Whether the mapping is neither a part of a program nor memory shared by processes.
fn carries_data(mapping: &Mapping) -> bool {
    let name = mapping.file.to_string_lossy();
    let is_memory = ["/[", "/dev/zero", "/dev/shm/", "/SYSV", "/memfd:", "/anon_hugepage"]
        .iter()
        .any(|start| name.starts_with(start));
    let is_program = mapping.rights.contains('x') || is_library(&name) || name.contains("locale");
    let least = if mapping.rights.ends_with('s') { MAPPED } else { MAPPED_PRIVATELY };
    !is_memory && !is_program && mapping.bytes() >= least
}

/// Returns the pipes and sockets of this process with descriptors above 2.
fn inherited_paths() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let is_standard = |entry: &std::fs::DirEntry| ["0", "1", "2"].iter().any(|fd| entry.file_name() == *fd);
    let links = entries
        .flatten()
        .filter(|entry| !is_standard(entry))
        .filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links
        .filter(|name| ["pipe:", "socket:"].iter().any(|start| name.to_string_lossy().starts_with(start)))
        .collect()
}

/// Whether a stack contains one of these devices; an empty list means all.
fn is_judged(judged: &[String], stack: &Stack) -> bool {
    judged.is_empty() || stack.layers.iter().any(|layer| judged.contains(&layer.name))
}

/// Whether a program loads the file as a library.
fn is_library(name: &str) -> bool {
    name.ends_with(".so") || name.contains(".so.")
}

fn stack_of(link: &Path, name: &Path) -> Stack {
    let opened = open(link, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    match opened {
        Ok(file) => stack::of_open(&Root::live_system(), &File::from(file), name),
        Err(_) => Stack::without("it cannot be inspected"),
    }
}

/// Open flags of a descriptor (`flags` of `fdinfo`).
#[derive(Debug, Clone, Copy)]
struct OpenFlags(i32);

/// Returns a field of `fdinfo`.
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
    fn program_mapping_is_not_data() {
        let of = |line: &str| Mapping::parse(line).is_some_and(|mapping| carries_data(&mapping));
        for (line, expected) in [
            ("7f0000000000-7f0000200000 rw-s 00000000 fe:00 12 /data/t.dat", true),
            ("7f0000000000-7f0002000000 r--p 00000000 fe:00 12 /data/t.dat", true),
            ("7f0000000000-7f0000200000 r--p 00000000 fe:00 12 /usr/bin/python3", false),
            ("7f0000000000-7f0002000000 r--p 00000000 fe:00 12 /usr/lib/libx.so.1", false),
            ("7f0000000000-7f0002000000 rw-s 00000000 00:01 12 /dev/shm/x", false),
            ("7f0000000000-7f0002000000 rw-p 00000000 00:00 0 [heap]", false),
            ("7f0000000000-7f0002000000 rw-p 00000000 00:00 0", false),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }
}
