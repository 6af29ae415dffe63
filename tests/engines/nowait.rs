//! Tests of I/Os with a first attempt without waiting. Each completes once with its own complete data, for
//! any page cache content, and reports whether it would have waited.

use crate::common;
use crate::subjects::*;
use diskspd::access::IoFeatures;
use diskspd::clock::Clock;
use diskspd::engine::{Engine, File, MakeEngine, Setup};
use diskspd::engines::EngineKind;
use diskspd::sys::memory::Buffer;
use rustix::fs::{Advice, fadvise};
use std::os::unix::fs::FileExt;
use std::path::Path;

const BLOCK: u32 = 64 * 1024;
const BLOCKS: u32 = 8;
const REST: u32 = 10_000;

fn engine(kind: EngineKind, path: &Path) -> Option<Box<dyn Engine>> {
    if let Err(why) = kind.row().available() {
        common::skip(&format!("{}: {why}", kind.row().name));
        return None;
    }
    let ways = IoFeatures { no_wait: true, ..IoFeatures::default() };
    let files = vec![File { ways, ..File::from(open_to_read(path)) }, File::from(open_to_read(path))];
    let depth = (BLOCKS + 1).min(kind.row().max_depth);
    let buffer = Buffer::new(((BLOCKS + 1) * BLOCK) as usize).expect("memory");
    Some(
        kind.row()
            .create(Setup { files, buffer, depth, clock: Clock::Monotonic, seed: 0 })
            .expect("an engine"),
    )
}

fn half_cached(path: &Path) {
    let file = std::fs::File::open(path).expect("the file");
    file.sync_all().expect("on disk");
    fadvise(&file, 0, None, Advice::DontNeed).expect("out of the page cache");
    fadvise(&file, 0, None, Advice::Random).expect("no read-ahead");
    for block in (0..BLOCKS).step_by(2) {
        file.read_exact_at(&mut vec![0; BLOCK as usize / 2], u64::from(block * BLOCK)).expect("read");
    }
}

#[test]
fn nowait_read_completes_once_with_all_data() {
    let folder = directory();
    let path = file(folder.path(), "a", &filled(BLOCKS * BLOCK + REST, 0, 0));
    for kind in [EngineKind::Uring, EngineKind::Aio, EngineKind::Sync] {
        let Some(mut engine) = engine(kind, &path) else { continue };
        half_cached(&path);
        let batch: Vec<_> = (0..BLOCKS).map(|n| read(n, 0, u64::from(n * BLOCK), BLOCK)).collect();
        let done = perform(&mut *engine, &batch);
        assert_eq!(done.len(), batch.len(), "{kind:?}");
        for (io, done) in batch.iter().zip(done) {
            assert_eq!((done.request, done.result), (io.request, i64::from(BLOCK)), "{kind:?}");
            assert_eq!(content(&*engine, io), filled(BLOCK, 0, io.offset), "{kind:?}: {io:?}");
        }
        // Now all is there: nothing waits. Anybody may take it out again, but not each time.
        let nothing_waits = (0..6).any(|_| {
            perform(&mut *engine, &batch);
            (0..BLOCKS).all(|request| !engine.would_block(request))
        });
        assert!(nothing_waits, "{kind:?}");
        // A read that the end of the file cuts short doesn't either, the first time or again.
        let last = read(BLOCKS, 0, u64::from(BLOCKS * BLOCK), BLOCK);
        for attempt in 0..2 {
            assert_eq!(perform(&mut *engine, &[last])[0].result, i64::from(REST), "{kind:?} {attempt}");
        }
        assert!(!engine.would_block(BLOCKS), "{kind:?}");
    }
}

#[test]
fn blocking_io_counts_as_miss_only_with_nowait() {
    let folder = directory();
    let path = file(folder.path(), "a", &filled(BLOCKS * BLOCK + REST, 0, 0));
    for kind in [EngineKind::Uring, EngineKind::Aio, EngineKind::Sync] {
        let Some(mut engine) = engine(kind, &path) else { continue };
        let mut misses = [0, 0];
        for (file, misses) in (0..).zip(&mut misses) {
            half_cached(&path);
            let batch: Vec<_> = (0..BLOCKS).map(|n| read(n, file, u64::from(n * BLOCK), BLOCK)).collect();
            perform(&mut *engine, &batch);
            *misses = (0..BLOCKS).filter(|request| engine.would_block(*request)).count();
        }
        // Who loses the CPU at the wrong moment finds a page or two there, not all of eight blocks.
        assert!(misses[0] > 0 && misses[1] == 0, "{kind:?}: {misses:?}");
    }
}
