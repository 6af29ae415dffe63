//! Tests of Linux AIO on a device that completes I/O on demand: a loop device on a frozen file system.
//! (Pipes, which serve io_uring for that, block its `io_submit`.)

use crate::common::loops::{Loop, run};
use crate::common::skip;
use crate::os::Thread;
use crate::subjects::*;
use diskspd::clock::Clock;
use diskspd::engine::MakeEngine;
use diskspd::engine::aio::Aio;
use diskspd::engine::{Engine, Io, Setup};
use diskspd::engines::EngineKind;
use diskspd::sys::memory::Buffer;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BLOCK: u32 = 4096;
const DEPTH: u32 = 8;

/// Device that completes no writes while it is frozen.
struct Stuck {
    device: Loop,
    /// Mount point of the file system with the device's file.
    directory: PathBuf,
    frozen: bool,
    /// After `device`: fields are dropped in order.
    _below: Loop,
}

impl Stuck {
    fn new() -> Option<Stuck> {
        if let Err(why) = EngineKind::Aio.row().available() {
            skip(&why.to_string());
            return None;
        }
        let (below, directory) = Loop::with_file_system(64 << 20, "ext4")?;
        let image = directory.join("image");
        std::fs::write(&image, vec![0; 8 << 20]).expect("a file for the device");
        let device = Loop::on(&image)?;
        Some(Stuck { device, directory, frozen: false, _below: below })
    }

    fn freeze(&mut self) -> Option<()> {
        run("sync", &["-f", self.directory.to_str()?])?;
        run("fsfreeze", &["-f", self.directory.to_str()?])?;
        self.frozen = true;
        Some(())
    }

    fn thaw(&mut self) {
        if std::mem::take(&mut self.frozen) {
            run("fsfreeze", &["-u", self.directory.to_str().expect("a path")]);
        }
    }

    fn engine(&self) -> Option<Aio> {
        engine(&self.device.device, LONG)
    }
}

impl Drop for Stuck {
    fn drop(&mut self) {
        self.thaw();
    }
}

fn engine(device: &Path, drain_limit: Duration) -> Option<Aio> {
    let files = vec![open_direct(device)?.into()];
    let buffer = Buffer::new((BLOCK * DEPTH) as usize).expect("memory");
    let setup = Setup { files, buffer, depth: DEPTH, clock: Clock::Monotonic, seed: 0 };
    Some(Aio::new(setup, drain_limit).expect("Linux AIO"))
}

fn writes() -> Vec<Io> {
    (0..DEPTH).map(|n| write(n, 0, u64::from(n * BLOCK), BLOCK)).collect()
}

#[test]
fn device_wait_ends_at_timeout_or_signal() {
    let caught = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, caught.clone()).expect("a signal handler");
    let Some(mut stuck) = Stuck::new() else { return };
    let Some(mut engine) = stuck.engine() else { return };
    let Some(()) = stuck.freeze() else { return };
    let mut done = vec![];
    assert_eq!(engine.submit(&writes()).expect("submit"), DEPTH as usize);
    for timeout in [Duration::ZERO, Duration::from_millis(5), Duration::from_millis(20)] {
        let start = Instant::now();
        engine.wait(1, timeout, &mut done).expect("a timeout is no error");
        assert_eq!(done, []);
        assert!(start.elapsed() >= timeout);
    }
    let over = AtomicBool::new(false);
    let waiter = Thread::current();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                waiter.interrupt();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let start = Instant::now();
        engine.wait(1, LONG, &mut done).expect("a signal is no error");
        over.store(true, Ordering::SeqCst);
        assert!(start.elapsed() < LONG, "slept through");
    });
    assert!(caught.load(Ordering::SeqCst));
    assert_eq!(done, []);
    stuck.thaw();
    while done.len() < DEPTH as usize {
        engine.wait(DEPTH as usize, LONG, &mut done).expect("wait");
    }
    assert!(done.iter().all(|done| done.result == i64::from(BLOCK)), "{done:?}");
}

#[test]
fn dropping_waits_until_the_device_has_answered() {
    let Some(mut stuck) = Stuck::new() else { return };
    let Some(mut engine) = stuck.engine() else { return };
    let all = read(0, 0, 0, BLOCK * DEPTH);
    put(&mut engine, &all, &[0x77; (BLOCK * DEPTH) as usize]);
    let Some(()) = stuck.freeze() else { return };
    engine.submit(&writes()).expect("submit");
    engine.wait(0, Duration::ZERO, &mut vec![]).expect("wait");
    let answered = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            answered.store(true, Ordering::SeqCst);
            stuck.thaw();
        });
        drop(engine);
        assert!(answered.load(Ordering::SeqCst), "the memory was given back while the device was at it");
    });
    let Some(mut later) = stuck.engine() else { return };
    assert_eq!(perform(&mut later, &[all])[0].result, i64::from(BLOCK * DEPTH));
    assert_eq!(
        content(&later, &all),
        [0x77; (BLOCK * DEPTH) as usize],
        "what was in flight has been written"
    );
}

#[test]
fn late_device_keeps_its_buffers() {
    // In a process of its own, this test run again: what is kept is given back when the process ends.
    const DEVICE: &str = "DISKSPD_TEST_STUCK_DEVICE";
    if let Some(device) = std::env::var_os(DEVICE) {
        let mut engine = engine(device.as_ref(), Duration::from_millis(10)).expect("O_DIRECT");
        let memory = engine.slot(&read(0, 0, 0, BLOCK)).expect("memory").as_ptr().addr();
        engine.submit(&writes()).expect("submit");
        engine.wait(0, Duration::ZERO, &mut vec![]).expect("wait");
        drop(engine);
        return assert!(crate::os::is_mapped(memory), "the memory is still mapped");
    }
    let Some(mut stuck) = Stuck::new() else { return };
    let Some(()) = stuck.freeze() else { return };
    let program = std::env::current_exe().expect("this program");
    let name = "aio::late_device_keeps_its_buffers";
    let mut again = std::process::Command::new(program)
        .args([name, "--exact"])
        .env(DEVICE, &stuck.device.device)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("this program, again");
    let mut told = String::new();
    let output = again.stdout.take().expect("its output");
    // The end of the process waits for the device, the verdict doesn't.
    for line in std::io::BufReader::new(output).lines().map_while(Result::ok) {
        told += &line;
        if line.starts_with("test result:") {
            break;
        }
    }
    stuck.thaw();
    assert!(told.contains("1 passed"), "{told}");
    assert!(again.wait().expect("its end").success());
}

#[test]
fn exhausted_aio_limit_is_named() {
    if let Err(why) = EngineKind::Aio.row().available() {
        return skip(&why.to_string());
    }
    let limit = std::fs::read_to_string("/proc/sys/fs/aio-max-nr").expect("the limit");
    let limit: usize = limit.trim().parse().expect("a number");
    let depth = EngineKind::Aio.row().max_depth;
    if limit / depth as usize > 64 {
        return eprintln!("not tried: fs.aio-max-nr is {limit}, too many queues to use it up");
    }
    let directory = directory();
    let path = file(directory.path(), "file", &[1; 4096]);
    let mut engines = vec![];
    for _ in 0..=limit / depth as usize {
        let files = vec![open(&path).into()];
        let buffer = Buffer::new(4096).expect("memory");
        match EngineKind::Aio.row().create(Setup { files, buffer, depth, clock: Clock::Monotonic, seed: 0 }) {
            Ok(engine) => engines.push(engine),
            Err(error) => {
                let told = error.to_string();
                assert!(told.contains("fs.aio-max-nr=") && told.contains("-o"), "{told}");
                return;
            }
        }
    }
    panic!("{} queues of {depth} although fs.aio-max-nr is {limit}", engines.len());
}
