//! Benchmarks of the engines alone: `cargo bench --bench engines`. `cargo xtask ceiling` measures the
//! whole program, including the worker loop.
//!
//! The workload is sequentially submitted random 4 KiB reads from a file in the page cache. The storage is
//! then as fast as possible, so the remaining cost is the program and the kernel. `aio` and `uring` are
//! also compared without the cache, on a file below `/var/tmp`. The kernel samples user and system time,
//! so small shares are uncertain. The user-space part of io_uring is therefore also timed separately:
//! filling the submission queue and emptying the completion queue.

use diskspd::access::IoPriority;
use diskspd::access::{Flush, MapOptions};
use diskspd::clock::{Clock, monotonic};
use diskspd::engine::MakeEngine;
use diskspd::engine::Operation;
use diskspd::engine::uring::{RingOptions, Uring};
use diskspd::engine::{CompletedIo, Engine, File, Io, Setup};
use diskspd::engines::EngineKind;
use diskspd::sys::memory::Buffer;
use diskspd::sys::ring::Ring;
use diskspd::sys::transfer::Transfer;
use diskspd::sys::usage::{ThreadUsage, thread_usage};
use std::error::Error;
use std::fs::OpenOptions;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 16 * 1024;
const SECONDS: u64 = 2;

fn io(request: u32, state: &mut u64) -> Io {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    Io {
        request,
        file: 0,
        op: Operation::Read,
        offset: ((*state >> 33) & (BLOCKS - 1)) * u64::from(BLOCK),
        length: BLOCK,
        buffer_offset: request as usize * BLOCK as usize,
    }
}

/// Keeps `depth` I/Os in flight, submits `batch` at once, and prints a line.
fn measure(name: &str, engine: &mut dyn Engine, depth: u32, batch: usize) -> Result<(), Box<dyn Error>> {
    let mut state = 1;
    let mut queue: Vec<Io> = Vec::with_capacity(depth as usize);
    let mut done: Vec<CompletedIo> = Vec::with_capacity(depth as usize);
    queue.extend((0..depth).map(|request| io(request, &mut state)));
    let mut count = 0u64;
    let (start, usage) = (monotonic(), thread_usage()?);
    let mut end = start;
    while end - start < SECONDS * 1_000_000_000 {
        for _ in 0..1000 {
            engine.submit(&queue)?;
            queue.clear();
            engine.wait(batch, Duration::MAX, &mut done)?;
            count += done.len() as u64;
            queue.extend(done.drain(..).map(|done| io(done.request, &mut state)));
        }
        end = monotonic();
    }
    let ThreadUsage { user, system } = thread_usage()?;
    let each = |time: Duration| time.as_nanos() as f64 / count as f64;
    println!(
        "{name:<28} {depth:>5} {batch:>5} {:>12.0} {:>9.1} {:>9.1} {:>9.1}",
        count as f64 / (end - start) as f64 * 1e9,
        (end - start) as f64 / count as f64,
        each(user - usage.user),
        each(system - usage.system),
    );
    Ok(())
}

fn measure_ring(path: &std::path::Path, depth: u32) -> Result<(), Box<dyn Error>> {
    const ROUNDS: u64 = 20_000;
    let Setup { files, buffer, .. } = setup(path, depth)?;
    let files = files.into_iter().map(|file| file.handle).collect();
    let mut ring = Ring::new(depth, files, buffer, RingOptions::default())?;
    let mut done: Vec<CompletedIo> = Vec::with_capacity(depth as usize);
    let (mut push, mut reap, mut state) = (0, 0, 1);
    let mut clock = 0;
    for _ in 0..ROUNDS {
        let batch: Vec<Io> = (0..depth).map(|request| io(request, &mut state)).collect();
        let times = [monotonic(), monotonic()];
        ring.push(batch.iter().map(|io| Transfer {
            op: io.op,
            file: io.file,
            offset: io.offset,
            start: io.buffer_offset,
            length: io.length,
            tag: io.request,
            priority: IoPriority::Unstated,
        }));
        let pushed = monotonic();
        ring.enter(depth as usize, Duration::MAX)?;
        let entered = monotonic();
        ring.reap(|request, result| done.push(CompletedIo { request, result: i64::from(result) }));
        let reaped = monotonic();
        done.clear();
        clock += times[1] - times[0];
        push += pushed - times[1];
        reap += reaped - entered;
    }
    let each = |time: u64| (time.saturating_sub(clock)) as f64 / (ROUNDS * u64::from(depth)) as f64;
    println!("ring, batches of {depth:<4} push {:>5.1} ns, reap {:>5.1} ns per I/O", each(push), each(reap));
    Ok(())
}

fn setup(path: &std::path::Path, depth: u32) -> Result<Setup, Box<dyn Error>> {
    let file: OwnedFd = std::fs::File::open(path)?.into();
    let buffer = Buffer::new((depth * BLOCK) as usize)?;
    Ok(Setup { files: vec![file.into()], buffer, depth, clock: Clock::Monotonic, seed: 0 })
}

/// Mapped files, in each of the ways they are used.
fn measure_mapped(path: &Path) -> Result<(), Box<dyn Error>> {
    let plain = MapOptions::default();
    for (name, options) in [
        ("mmap", plain),
        ("mmap, non-temporal", MapOptions { non_temporal: true, ..plain }),
        ("mmap, flushed (reads only)", MapOptions { flush: Flush::Pages, ..plain }),
    ] {
        let mut setup = setup(path, 1)?;
        let handle: OwnedFd = OpenOptions::new().read(true).write(true).open(path)?.into();
        setup.files = vec![File { mapping: Some(options), ..handle.into() }];
        let mut engine = EngineKind::Mmap.row().create(setup)?;
        measure(name, &mut *engine, 1, 1)?;
    }
    Ok(())
}

/// The queues of the kernel against each other without the cache, on the device below `/var/tmp`.
fn measure_direct() -> Result<(), Box<dyn Error>> {
    let file = tempfile::NamedTempFile::new_in("/var/tmp")?;
    std::fs::write(file.path(), vec![1; BLOCKS as usize * BLOCK as usize])?;
    file.as_file().sync_all()?;
    for kind in [EngineKind::Uring, EngineKind::Aio, EngineKind::Uring, EngineKind::Aio] {
        if let Err(why) = kind.row().available() {
            println!("{}: not available: {why}", kind.row().name);
            continue;
        }
        let mut setup = setup(file.path(), 32)?;
        let direct = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(file.path())?;
        setup.files = vec![OwnedFd::from(direct).into()];
        let mut engine = kind.row().create(setup)?;
        measure(&format!("{}, O_DIRECT", kind.row().name), &mut *engine, 32, 1)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), vec![1; BLOCKS as usize * BLOCK as usize])?;
    println!("engine                       depth batch         IOPS        ns   user ns system ns");
    measure_mapped(file.path())?;
    measure_direct()?;
    if let Err(why) = EngineKind::Uring.row().available() {
        println!("uring: not available: {why}");
        return Ok(());
    }
    for depth in [1, 32, 128] {
        measure_ring(file.path(), depth)?;
    }
    let bare = RingOptions {
        registered_files: false,
        registered_buffer: false,
        registered_ring: false,
        registered_wait: false,
        ..RingOptions::default()
    };
    for (name, options) in [("uring", RingOptions::default()), ("uring, nothing registered", bare)] {
        for (depth, batch) in [(1, 1), (32, 1), (32, 32), (128, 16), (128, 128)] {
            let mut uring: Box<dyn Engine> = Box::new(Uring::new(setup(file.path(), depth)?, options)?);
            measure(name, &mut *uring, depth, batch)?;
        }
    }
    Ok(())
}
