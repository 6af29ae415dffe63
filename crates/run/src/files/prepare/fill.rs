//! Writing a whole file at the device's speed.

use super::FileOrder;
use crate::files::crew;
use diskspd_plan::workload::payload;
use diskspd_sys::memory::Buffer;
use diskspd_sys::{positioned, writeback};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes per write: a multiple of the pattern's 256, so that one buffer does for all offsets.
const BLOCK: u64 = 1 << 20;
/// Writes in flight past the page cache: enough for fast devices, by threads, which every kernel has.
const IN_FLIGHT: u32 = 8;
/// Distance in blocks between the start of writeback and the wait for it.
const FLUSH_DISTANCE: u64 = 16;

pub(super) struct Job<'a> {
    /// File, open for writing through the page cache.
    pub file: &'a File,
    /// Same file with direct I/O, and its alignment in bytes; `None` = unsupported.
    pub direct: Option<(&'a File, u64)>,
    pub order: &'a FileOrder<'a>,
    pub stop: &'a AtomicBool,
}

#[derive(Debug)]
pub(super) struct FillFailed {
    /// First error; `None` = stopped by the user.
    pub error: Option<io::Error>,
    /// Completely written bytes at the beginning of the file.
    pub written: u64,
}

/// Writes all bytes of the file without a flush, with direct I/O where possible.
pub(super) fn fill(job: &Job<'_>, progress: &mut dyn FnMut(u64, u64)) -> Result<(), FillFailed> {
    let size = job.order.size;
    let mut block = Buffer::new(size.min(BLOCK) as usize)
        .map_err(|error| FillFailed { error: Some(error), written: 0 })?;
    if !job.order.zero {
        payload::pattern(block.as_mut_slice(), 0);
    }
    let block = block.as_slice();
    let mut done = 0;
    if let Some((direct, align)) = job.direct {
        // The last bytes, fewer than the alignment, go through the cache, when all others are on the device.
        let align = align.max(4096);
        let part =
            FilePart { file: direct, direct: true, ..FilePart::new(job, block, 0, size - size % align) };
        match run(&part, IN_FLIGHT, size, progress) {
            Ok(()) => done = part.to,
            // It claimed support without having it (file systems in user space); the cache always works.
            Err(Some(error)) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) => return Err(part.fill_failure(error)),
        }
    }
    let part = FilePart::new(job, block, done, size);
    run(&part, 1, size, progress).map_err(|error| part.fill_failure(error))?;
    progress(size, size);
    Ok(())
}

/// Part of the file that is written with direct I/O, or through the page cache.
struct FilePart<'a> {
    file: &'a File,
    direct: bool,
    block: &'a [u8],
    from: u64,
    to: u64,
    stop: &'a AtomicBool,
    failed: AtomicBool,
    /// Number of the next block.
    next: AtomicU64,
    done: AtomicU64,
    /// First unwritten byte; `to` = none so far.
    end: AtomicU64,
}

impl<'a> FilePart<'a> {
    fn new(job: &Job<'a>, block: &'a [u8], from: u64, to: u64) -> FilePart<'a> {
        FilePart {
            file: job.file,
            direct: false,
            block,
            from,
            to,
            stop: job.stop,
            failed: AtomicBool::new(false),
            next: AtomicU64::new(0),
            done: AtomicU64::new(0),
            end: AtomicU64::new(to),
        }
    }

    /// Once all threads have ended: up to where the file is written, for the blocks are taken in their order.
    fn fill_failure(&self, error: Option<io::Error>) -> FillFailed {
        let next = self.from + self.next.load(Ordering::Relaxed) * BLOCK;
        FillFailed { error, written: next.min(self.end.load(Ordering::Relaxed)) }
    }

    fn write(&self) -> Result<(), Option<io::Error>> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(None);
            }
            let offset = self.from + self.next.fetch_add(1, Ordering::Relaxed) * BLOCK;
            if offset >= self.to {
                return Ok(());
            }
            if self.failed.load(Ordering::Relaxed) {
                self.end.fetch_min(offset, Ordering::Relaxed);
                return Ok(());
            }
            let length = BLOCK.min(self.to - offset);
            let bytes = self.block.get(..length as usize).unwrap_or(self.block);
            let written = positioned::write_all(self.file, bytes, offset);
            let written =
                if self.direct { written } else { written.and_then(|()| self.write_back(offset, length)) };
            written.inspect_err(|_| _ = self.end.fetch_min(offset, Ordering::Relaxed))?;
            self.done.fetch_add(length, Ordering::Relaxed);
        }
    }

    /// Keeps the device busy and the cache small: memory full of dirty pages would stop everything at the
    /// end.
    fn write_back(&self, offset: u64, length: u64) -> io::Result<()> {
        let behind = offset.checked_sub(FLUSH_DISTANCE * BLOCK).filter(|start| *start >= self.from);
        let awaited = behind.map_or(Ok(()), |start| writeback::complete(self.file, start, BLOCK));
        match writeback::start(self.file, offset, length).and(awaited) {
            // Where it isn't supported, the flush at the end does all.
            Err(error) if !writeback::is_unsupported(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

fn run(
    part: &FilePart<'_>,
    threads: u32,
    size: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), Option<io::Error>> {
    let blocks = (part.to - part.from).div_ceil(BLOCK);
    let report = || progress(part.from + part.done.load(Ordering::Relaxed), size);
    crew::work("prepare", blocks.min(threads.into()), &part.failed, || part.write(), report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn sample_order(size: u64) -> FileOrder<'static> {
        FileOrder { path: Path::new(""), size, zero: false, recreate: false }
    }

    #[test]
    fn cached_fill_writes_every_byte() {
        let size = (FLUSH_DISTANCE + 3) * BLOCK + 5;
        let file = tempfile::tempfile_in("/var/tmp").unwrap();
        let stop = AtomicBool::new(false);
        let job = Job { file: &file, direct: None, order: &sample_order(size), stop: &stop };
        fill(&job, &mut |_, _| ()).unwrap();
        assert_eq!(file.metadata().unwrap().len(), size);
        let mut content = vec![0; size as usize];
        positioned::read_exact(&file, &mut content, 0).unwrap();
        assert!(content.iter().enumerate().all(|(offset, byte)| *byte == offset as u8));
    }

    #[test]
    fn write_error_ends_all_writers() {
        let there = tempfile::NamedTempFile::new().unwrap();
        let unwritable = File::open(there.path()).unwrap();
        let stop = AtomicBool::new(false);
        for direct in [None, Some((&unwritable, 512))] {
            let job = Job { file: &unwritable, direct, order: &sample_order(1 << 40), stop: &stop };
            let error = fill(&job, &mut |_, _| ()).unwrap_err();
            let Some(why) = &error.error else { panic!("{error:?}") };
            assert!(why.to_string().starts_with("Bad file descriptor"), "{why}");
            assert_eq!(error.written, 0);
        }
    }

    #[test]
    fn stopped_fill_has_no_gaps() {
        let file = tempfile::tempfile_in("/var/tmp").unwrap();
        let stop = AtomicBool::new(false);
        let order = sample_order(1 << 40);
        let job = Job { file: &file, direct: None, order: &order, stop: &stop };
        // Stopped by the first look at the progress, which the size sees to that there is.
        let failed = fill(&job, &mut |_, _| stop.store(true, Ordering::Relaxed)).unwrap_err();
        assert!(failed.error.is_none());
        assert!(failed.written > 0 && failed.written < order.size);
        assert_eq!(file.metadata().unwrap().len(), failed.written);
    }

    #[test]
    fn failed_fill_keeps_earlier_data() {
        let file = tempfile::tempfile_in("/var/tmp").unwrap();
        let stop = AtomicBool::new(false);
        let (order, block) = (sample_order(1 << 40), vec![0; BLOCK as usize]);
        let job = Job { file: &file, direct: None, order: &order, stop: &stop };
        let part = FilePart::new(&job, &block, 0, 10 * BLOCK);
        part.next.store(7, Ordering::Relaxed);
        assert_eq!(part.fill_failure(None).written, 7 * BLOCK);
        part.failed.store(true, Ordering::Relaxed);
        part.write().unwrap();
        assert_eq!(part.fill_failure(None).written, 7 * BLOCK, "the eighth block was taken and left");
        part.next.store(12, Ordering::Relaxed);
        assert_eq!(part.fill_failure(None).written, 7 * BLOCK);
        let done = FilePart::new(&job, &block, 0, 10 * BLOCK);
        done.next.store(12, Ordering::Relaxed);
        assert_eq!(done.fill_failure(None).written, 10 * BLOCK);
    }
}
