//! The engines under test, and helpers to drive them.

use crate::common;
use diskspd::access::{Flush, MapOptions};
use diskspd::clock::Clock;
use diskspd::engine::MakeEngine;
use diskspd::engine::Operation;
#[cfg(target_os = "linux")]
use diskspd::engine::uring::{RingOptions, Uring};
use diskspd::engine::{CompletedIo, Engine, File, Io, Setup};
use diskspd::engines::{ENGINES, EngineKind, EngineRow};
use diskspd::sys::files::FileHandle;
use diskspd::sys::memory::{Buffer, HugePages, Shared, SlotMut};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
#[cfg(target_os = "linux")]
use std::os::unix::fs::OpenOptionsExt;
#[cfg(windows)]
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[cfg(target_os = "linux")]
const DIRECT: i32 = libc::O_DIRECT;
/// `FILE_FLAG_NO_BUFFERING`, with overlapped I/O.
#[cfg(windows)]
const DIRECT: u32 = 0x2000_0000 | OVERLAPPED;
#[cfg(windows)]
const OVERLAPPED: u32 = 0x4000_0000;

fn usual() -> OpenOptions {
    #[cfg_attr(target_os = "linux", allow(unused_mut))] // it is another system's
    let mut options = OpenOptions::new();
    #[cfg(windows)]
    options.custom_flags(OVERLAPPED);
    options
}

#[cfg(windows)]
type RingOptions = ();

/// Timeout that never expires in a test.
pub const LONG: Duration = Duration::from_secs(60);

/// File number whose pattern, from its start, is the shared part of every buffer.
pub const SOURCE: u32 = 99;
pub const SOURCE_LENGTH: usize = 16 * 1024;

pub fn with_source(private: usize) -> (Buffer, usize) {
    let filled = |mut bytes: SlotMut<'_>| -> std::io::Result<()> {
        let mut pattern = vec![0; bytes.len()];
        fill(&mut pattern, SOURCE, 0);
        bytes.copy_from(&pattern);
        Ok(())
    };
    let source = Shared::new(SOURCE_LENGTH, filled).expect("memory for the test");
    let (buffer, places) =
        Buffer::with_shared(private, &[&source], HugePages::AskedFor).expect("memory for the test");
    (buffer, places[0])
}

pub struct Subject {
    pub name: String,
    pub row: &'static EngineRow,
    options: Option<RingOptions>,
    /// Mapping options, for the engine of mapped files.
    mapping: Option<MapOptions>,
}

impl Subject {
    pub fn open(&self, files: Vec<FileHandle>, buffer: usize, depth: u32) -> Box<dyn Engine> {
        let clock = if self.row.virtual_time { Clock::simulated(0) } else { Clock::Monotonic };
        let (buffer, _) = with_source(buffer);
        let files =
            files.into_iter().map(|file| File { mapping: self.mapping, ..File::from(file) }).collect();
        let setup = Setup { files, buffer, depth, clock, seed: 7 };
        match self.options {
            #[cfg(target_os = "linux")]
            Some(options) => Uring::new(setup, options).map(|engine| Box::new(engine) as Box<dyn Engine>),
            _ => self.row.create(setup),
        }
        .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Whether writes cannot extend a file.
    pub fn is_mapped(&self) -> bool {
        self.row.kind == EngineKind::Mmap
    }

    /// Returns the depth for a test that prefers `nice`.
    pub fn depth(&self, nice: u32) -> u32 {
        nice.min(self.row.max_depth)
    }
}

/// Returns io_uring without some features of new kernels.
#[cfg(target_os = "linux")]
pub fn uring_variants() -> Vec<Subject> {
    let full = RingOptions::default();
    let linux_6_0 = RingOptions { defer_taskrun: false, registered_wait: false, ..full };
    let linux_5_19 = RingOptions { single_issuer: false, ..linux_6_0 };
    let linux_5_15 = RingOptions {
        coop_taskrun: false,
        submit_all: false,
        registered_ring: false,
        cancel_any: false,
        ..linux_5_19
    };
    let unregistered = RingOptions {
        registered_files: false,
        registered_buffer: false,
        registered_ring: false,
        registered_wait: false,
        ..full
    };
    let bare = RingOptions { registered_files: false, registered_buffer: false, ..linux_5_15 };
    let variants = [
        ("uring as on Linux 6.0", linux_6_0),
        ("uring as on Linux 5.19", linux_5_19),
        ("uring as on Linux 5.15", linux_5_15),
        ("uring, buffer not registered", RingOptions { registered_buffer: false, ..full }),
        ("uring, files not registered", RingOptions { registered_files: false, ..full }),
        ("uring, nothing registered", unregistered),
        ("uring as on Linux 5.15, nothing registered", bare),
    ];
    let row = EngineKind::Uring.row();
    if row.available().is_err() {
        return vec![];
    }
    variants
        .map(|(name, options)| Subject { name: name.into(), row, options: Some(options), mapping: None })
        .into()
}

/// Returns all options of mapped files.
pub fn mapped_variants() -> Vec<Subject> {
    let plain = MapOptions::default();
    let variants = [
        ("mmap", plain),
        ("mmap, non-temporal", MapOptions { non_temporal: true, ..plain }),
        ("mmap, flushed", MapOptions { flush: Flush::Pages, ..plain }),
    ];
    let row = EngineKind::Mmap.row();
    variants
        .map(|(name, options)| Subject { name: name.into(), row, options: None, mapping: Some(options) })
        .into()
}

/// Returns all engines that work here, with their variants. Prints the others with the reasons.
pub fn every_engine() -> Vec<Subject> {
    let mut subjects = vec![];
    for row in &ENGINES {
        let is_windows = matches!(row.kind, EngineKind::Port | EngineKind::Routines);
        let is_linux = row.real_io && !is_windows && !matches!(row.kind, EngineKind::Sync | EngineKind::Mmap);
        if if cfg!(windows) { is_linux } else { is_windows } {
            continue;
        }
        match row.available() {
            // It takes no files: nvme.rs.
            Ok(()) if row.kind == EngineKind::Nvme => {}
            Ok(()) if row.kind == EngineKind::Mmap => subjects.extend(mapped_variants()),
            Ok(()) => subjects.push(Subject { name: row.name.into(), row, options: None, mapping: None }),
            Err(why) => common::skip(&format!("engine {}: {why}", row.name)),
        }
    }
    #[cfg(target_os = "linux")]
    subjects.extend(uring_variants());
    subjects
}

pub fn real_engines() -> Vec<Subject> {
    every_engine().into_iter().filter(|subject| subject.row.real_io).collect()
}

pub fn queueing_engines() -> Vec<Subject> {
    real_engines().into_iter().filter(|subject| !subject.row.one_at_a_time).collect()
}

pub fn patient_engines() -> Vec<Subject> {
    queueing_engines().into_iter().filter(|subject| subject.row.kind == EngineKind::Uring).collect()
}

#[cfg(target_os = "linux")]
pub fn calling_engines() -> Vec<Subject> {
    real_engines().into_iter().filter(|subject| !subject.is_mapped()).collect()
}

/// Creates a directory on the file system of the build, which is rarely a tmpfs.
pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory")
}

/// Creates a file with this content.
pub fn file(directory: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, content).expect("writing a test file");
    path
}

pub fn open(path: &Path) -> FileHandle {
    usual().read(true).write(true).open(path).expect("opening a test file").into()
}

pub fn open_to_read(path: &Path) -> FileHandle {
    usual().read(true).open(path).expect("opening a test file").into()
}

pub fn open_direct(path: &Path) -> Option<FileHandle> {
    match OpenOptions::new().read(true).write(true).custom_flags(DIRECT).open(path) {
        Ok(file) => Some(file.into()),
        Err(error) => {
            common::skip(&format!("no O_DIRECT in {}: {error}", path.display()));
            None
        }
    }
}

/// Returns a read into the request's slot; slots are as long as the I/O.
pub fn read(request: u32, file: u32, offset: u64, length: u32) -> Io {
    let buffer_offset = request as usize * length as usize;
    Io { request, file, op: Operation::Read, offset, length, buffer_offset }
}

/// Returns a write from the request's slot.
pub fn write(request: u32, file: u32, offset: u64, length: u32) -> Io {
    Io { op: Operation::Write, ..read(request, file, offset, length) }
}

/// Submits a batch in as many calls as necessary, and waits for all completions.
pub fn perform(engine: &mut dyn Engine, batch: &[Io]) -> Vec<CompletedIo> {
    let mut done = vec![];
    let mut taken = 0;
    while done.len() < batch.len() {
        taken += engine.submit(&batch[taken..]).expect("submit");
        engine.wait(1, LONG, &mut done).expect("wait");
    }
    done.sort_by_key(|done| done.request);
    done
}

/// Returns eight bytes that are unique to this position of this file.
pub fn pattern(file: u32, offset: u64) -> [u8; 8] {
    let mixed = (offset / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(file) << 56);
    (mixed ^ (mixed >> 29)).to_le_bytes()
}

/// Fills a slice with the pattern from an offset, which is a multiple of 8.
pub fn fill(slice: &mut [u8], file: u32, offset: u64) {
    let (from, length) = (offset as usize, slice.len());
    if from + length <= KEPT {
        return beginning(file, from + length, |kept| slice.copy_from_slice(&kept[from..]));
    }
    for (word, at) in slice.chunks_mut(8).zip((offset..).step_by(8)) {
        word.copy_from_slice(&pattern(file, at)[..word.len()]);
    }
}

/// Whether a range holds the pattern.
pub fn holds(slice: &[u8], file: u32, offset: u64) -> bool {
    *slice == filled(slice.len() as u32, file, offset)[..]
}

const KEPT: usize = 32 << 20;

/// Passes the first bytes of a file's pattern to `show`.
fn beginning<T>(file: u32, length: usize, show: impl FnOnce(&[u8]) -> T) -> T {
    static MADE: Mutex<BTreeMap<u32, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = made.entry(file).or_default();
    for at in (kept.len()..length).step_by(8) {
        kept.extend(pattern(file, at as u64));
    }
    show(&kept[..length])
}

pub fn filled(length: u32, file: u32, offset: u64) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    fill(&mut bytes, file, offset);
    bytes
}

/// Writes bytes to the data of an I/O.
pub fn put(engine: &mut dyn Engine, io: &Io, bytes: &[u8]) {
    engine.slot_mut(io).expect("private memory").copy_from(bytes);
}

/// Returns the data of an I/O.
pub fn content(engine: &dyn Engine, io: &Io) -> Vec<u8> {
    let mut bytes = vec![0; io.length as usize];
    engine.slot(io).expect("memory").copy_to(&mut bytes);
    bytes
}

/// Generator of small reproducible random numbers for schedules.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed * 2 + 1)
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.roll(i as u64 + 1) as usize);
        }
    }
}
