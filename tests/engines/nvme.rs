//! Tests of NVMe commands on a namespace emulated by QEMU, with the guarantees that the suite checks on
//! files.
//!
//! The `inside` part runs in a virtual machine on the given namespaces: 512-byte blocks, then 4096-byte
//! blocks. It destroys their content.

use crate::common::virtual_machine::VirtualMachine;
use crate::subjects::*;
use diskspd::clock::Clock;
use diskspd::engine::Operation;
use diskspd::engine::uring::RingOptions;
use diskspd::engine::{CompletedIo, Engine, File, Io, Setup, nvme};
use diskspd::io_error::NvmeStatus;
use diskspd::sys::memory::Buffer;
use std::fs::OpenOptions;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// Names of the namespaces, separated by spaces.
const NAMESPACES: &str = "DISKSPD_TEST_NAMESPACES";

const BLOCK: u32 = 16 * 1024;
const DEPTH: u32 = 8;

#[test]
#[ignore = "takes minutes where the machine is emulated without KVM; run it with --ignored commands_keep"]
fn nvme_engine_meets_the_engine_contract() {
    let program = std::env::current_exe().unwrap();
    let images = directory();
    let mut machine = VirtualMachine::new().module("nvme-core");
    for (number, words) in ["", ",logical_block_size=4096,physical_block_size=4096"].iter().enumerate() {
        let image = images.path().join(number.to_string());
        std::fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
        machine = machine
            .device(&format!("-drive file={},if=none,id=d{number},format=raw,cache=unsafe", image.display()))
            .device(&format!("-device nvme,id=n{number},serial=s{number}"))
            .device(&format!("-device nvme-ns,drive=d{number},bus=n{number}{words}"));
    }
    let script = format!(
        "modprobe nvme poll_queues=1\nuntil [ -e /dev/ng0n1 ] && [ -e /dev/ng1n1 ]; do sleep 0.1; done\n\
         for each in /dev/ng?n1; do case $(cat /sys/block/nvme${{each#/dev/ng}}/queue/logical_block_size) in\n\
         512) small=$each;; *) large=$each;; esac; done\n\
         {NAMESPACES}=\"$small $large\" {} --ignored --test-threads=1 nvme::inside >$OUT/told 2>&1\n",
        program.display()
    );
    let Some(outcome) = machine.script(&script).run() else { return };
    let told = std::fs::read_to_string(outcome.directory().join("told")).unwrap_or_default();
    assert_eq!(outcome.exit, 0, "{told}\n{}", outcome.console);
    assert!(told.contains("test result: ok. 8 passed"), "{told}");
}

/// Returns the namespaces that may be written.
fn namespaces() -> Vec<PathBuf> {
    let named = std::env::var(NAMESPACES).expect("the names of namespaces whose content may be lost");
    named.split_whitespace().map(PathBuf::from).collect()
}

fn handle(path: &PathBuf) -> OwnedFd {
    OpenOptions::new().read(true).write(true).open(path).expect("a namespace").into()
}

/// Returns an engine with these options.
fn engine(file: File, options: RingOptions) -> Box<dyn Engine> {
    let buffer = Buffer::new((2 * DEPTH * BLOCK) as usize).expect("memory");
    let setup = Setup { files: vec![file], buffer, depth: DEPTH, clock: Clock::Monotonic, seed: 0 };
    Box::new(nvme::open(setup, options).expect("an engine"))
}

/// Runs a test with all engine options: registered or not, polled or not, durable or not.
fn each(mut test: impl FnMut(&mut dyn Engine, &str)) {
    for path in namespaces() {
        for (registered_buffer, registered_files, polled, write_through) in [
            (true, true, false, false),
            (false, true, false, false),
            (false, false, false, false),
            (true, true, true, false),
            (false, true, true, false),
            (true, true, false, true),
        ] {
            let options = RingOptions { registered_buffer, registered_files, ..RingOptions::default() };
            let file = File { polled, write_through, ..File::from(handle(&path)) };
            let name = format!("{} {registered_buffer} {registered_files} {polled}", path.display());
            test(&mut *engine(file, options), &name);
        }
    }
}

fn all(engine: &mut dyn Engine, op: Operation) -> Vec<CompletedIo> {
    let batch: Vec<Io> =
        (0..DEPTH).map(|n| Io { op, ..read(n, 0, u64::from(7 * n * BLOCK), BLOCK) }).collect();
    let mut done = perform(engine, &batch);
    done.sort_by_key(|done| done.request);
    done
}

fn fill_with(engine: &mut dyn Engine, value: impl Fn(u32) -> u8) {
    for n in 0..DEPTH {
        let io = read(n, 0, 0, BLOCK);
        let mut slot = engine.slot_mut(&io).expect("a slot");
        slot.copy_from(&vec![value(n); BLOCK as usize]);
    }
}

#[track_caller]
fn assert_holds(engine: &dyn Engine, name: &str, value: impl Fn(u32) -> u8) {
    for n in 0..DEPTH {
        let mut found = vec![0; BLOCK as usize];
        engine.slot(&read(n, 0, 0, BLOCK)).expect("a slot").copy_to(&mut found);
        assert!(found.iter().all(|byte| *byte == value(n)), "{name}: request {n}");
    }
}

fn ended(length: u32) -> Vec<CompletedIo> {
    (0..DEPTH).map(|request| CompletedIo { request, result: i64::from(length) }).collect()
}

mod inside {
    use super::*;

    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn written_data_is_read_back() {
        let mut round = 0;
        each(|engine, name| {
            round += 1;
            let value = |n: u32| (n * 16 + round) as u8;
            fill_with(engine, value);
            assert_eq!(all(engine, Operation::Write), ended(BLOCK), "{name}");
            fill_with(engine, |_| 0xff);
            assert_eq!(all(engine, Operation::Read), ended(BLOCK), "{name}");
            assert_holds(engine, name, value);
        });
    }

    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn block_device_shows_data_of_nvme_commands() {
        use std::os::unix::fs::FileExt;
        for path in namespaces() {
            let mut engine = engine(handle(&path).into(), RingOptions::default());
            fill_with(&mut *engine, |n| 0xa0 + n as u8);
            all(&mut *engine, Operation::Write);
            let sibling = path.to_str().unwrap().replace("/ng", "/nvme");
            let sibling = std::fs::File::open(sibling).unwrap();
            for n in 0..DEPTH {
                let mut found = [0; BLOCK as usize];
                sibling.read_exact_at(&mut found, u64::from(7 * n * BLOCK)).unwrap();
                assert!(found.iter().all(|byte| *byte == 0xa0 + n as u8), "{}: {n}", path.display());
            }
        }
    }

    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn commands_without_data_complete() {
        each(|engine, name| {
            fill_with(engine, |_| 3);
            all(engine, Operation::Write);
            for op in [Operation::WriteZeroes, Operation::Discard] {
                assert_eq!(all(engine, op), ended(0), "{name}: {op:?}");
            }
            let flush = Io { op: Operation::Flush, length: 0, ..read(0, 0, 0, 0) };
            assert_eq!(perform(engine, &[flush]), [CompletedIo { request: 0, result: 0 }], "{name}");
            assert_eq!(all(engine, Operation::Read), ended(BLOCK), "{name}");
            assert_holds(engine, name, |_| 0);
        });
    }

    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn refused_nvme_command_completes_with_status() {
        each(|engine, name| {
            let behind = read(0, 0, 1 << 40, BLOCK);
            let done = perform(engine, &[behind, read(1, 0, 0, BLOCK)]);
            let failed = done.iter().find(|done| done.request == 0).unwrap();
            let status = NvmeStatus::of_number(-failed.result as i32).expect("a status of the device");
            assert_eq!((status.code_type(), status.code()), (0, 0x80), "{name}: LBA out of range");
            let other = done.iter().find(|done| done.request == 1).unwrap();
            assert_eq!(other.result, i64::from(BLOCK), "{name}: others go on");
        });
    }

    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn invalid_commands_are_not_sent() {
        each(|engine, name| {
            let good = read(0, 0, 0, BLOCK);
            for bad in [
                Io { request: DEPTH, ..good },
                Io { file: 1, ..good },
                Io { offset: 100, ..good },
                Io { length: 100, ..good },
                Io { buffer_offset: (2 * DEPTH * BLOCK) as usize, ..good },
                Io { op: Operation::Discard, length: 0, ..good },
            ] {
                assert!(engine.submit(&[bad]).is_err(), "{name}: {bad:?}");
            }
            assert_eq!(perform(engine, &[good])[0].result, i64::from(BLOCK), "{name}: goes on working");
        });
    }

    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn a_queue_is_dropped_with_commands_in_flight() {
        for _ in 0..20 {
            each(|engine, name| {
                let batch: Vec<Io> = (0..DEPTH).map(|n| read(n, 0, 0, BLOCK)).collect();
                assert_eq!(engine.submit(&batch).unwrap(), DEPTH as usize, "{name}");
                engine.wait(0, std::time::Duration::ZERO, &mut Vec::new()).unwrap();
            });
        }
    }

    /// Kernels that only support small registered buffers for commands (6.1) pin the memory of each command.
    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn large_buffer_keeps_its_content() {
        const LARGE: usize = 4 << 20;
        for (path, polled) in namespaces().iter().flat_map(|path| [(path, false), (path, true)]) {
            let mut buffer = Buffer::new(LARGE).expect("memory");
            buffer.as_mut_slice().fill(0x5a);
            let file = File { polled, ..File::from(handle(path)) };
            let setup = Setup { files: vec![file], buffer, depth: DEPTH, clock: Clock::Monotonic, seed: 0 };
            let mut engine = nvme::open(setup, RingOptions::default()).expect("an engine");
            assert_holds(&engine, "before", |_| 0x5a);
            for start in [0, LARGE / 2, LARGE - BLOCK as usize] {
                let io = Io { buffer_offset: start, ..write(0, 0, 0, BLOCK) };
                let done = perform(&mut engine, &[io, Io { request: 1, op: Operation::Read, ..io }]);
                assert!(done.iter().all(|done| done.result == i64::from(BLOCK)), "{start}: {done:?}");
            }
            let features = engine.info().features;
            assert!(features.contains("buffer not registered") || features.contains("registered buffer"));
        }
    }

    #[test]
    #[ignore = "needs a namespace whose content may be lost"]
    fn engine_reports_its_features() {
        let path = namespaces().remove(0);
        let polled = File { polled: true, ..File::from(handle(&path)) };
        let engine = engine(polled, RingOptions::default());
        let features = engine.info().features;
        for expected in ["polled completion", "registered buffer", "registered files"] {
            assert!(features.contains(expected), "{features}");
        }
    }
}
