//! Tests of mapped files: access outside of them, unavailable pages, and several files.

use crate::common::loops::{Loop, run, unmount};
use crate::subjects::*;
use diskspd::access::{Flush, MapOptions};
use diskspd::clock::Clock;
use diskspd::engine::MakeEngine;
use diskspd::engine::{Engine, EngineError, File, Io, Setup};
use diskspd::engines::EngineKind;
use std::fs::OpenOptions;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

fn results(engine: &mut dyn Engine, batch: &[Io]) -> Vec<i64> {
    perform(engine, batch).iter().map(|done| done.result).collect()
}

fn create(kind: EngineKind, files: Vec<File>, depth: u32) -> Result<Box<dyn Engine>, EngineError> {
    let (buffer, _) = with_source(4096 * depth as usize);
    kind.row().create(Setup { files, buffer, depth, clock: Clock::Monotonic, seed: 0 })
}

fn mapped(file: OwnedFd, options: MapOptions) -> File {
    File { mapping: Some(options), ..file.into() }
}

/// Returns the error of an engine that must be refused.
fn refusal(file: OwnedFd, flush: Flush) -> String {
    let files = vec![mapped(file, MapOptions { flush, ..MapOptions::default() })];
    match create(EngineKind::Mmap, files, 1) {
        Ok(_) => panic!("{flush:?} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bytes_after_the_end_are_not_accessed() {
    let directory = directory();
    for subject in mapped_variants() {
        let path = file(directory.path(), "file", &[5; 6000]);
        let mut engine = subject.open(vec![open(&path)], 4096, 1);
        put(&mut *engine, &write(0, 0, 0, 4096), &[7; 4096]);
        for (offset, expected) in [(4096, 1904), (5999, 1), (6000, 0), (1 << 40, 0), (0, 4096)] {
            assert_eq!(results(&mut *engine, &[write(0, 0, offset, 4096)]), [expected], "{}", subject.name);
        }
        drop(engine);
        assert_eq!(std::fs::read(&path).expect("the file"), [7; 6000]);
    }
}

#[test]
fn read_only_mapping_rejects_writes() {
    let directory = directory();
    let path = file(directory.path(), "file", &[5; 4096]);
    for subject in mapped_variants() {
        let mut engine = subject.open(vec![open_to_read(&path)], 4096, 1);
        assert_eq!(results(&mut *engine, &[write(0, 0, 0, 4096)]), [i64::from(-libc::EBADF)]);
        assert_eq!(results(&mut *engine, &[read(0, 0, 0, 4096)]), [4096]);
        assert_eq!(content(&*engine, &read(0, 0, 0, 4096)), [5; 4096]);
    }
}

#[test]
fn truncated_mapping_is_an_error_not_a_crash() {
    let directory = directory();
    for subject in mapped_variants() {
        let path = file(directory.path(), "file", &[5; 64 * 1024]);
        let whole = file(directory.path(), "whole", &[6; 64 * 1024]);
        let mut engine = subject.open(vec![open(&path), open(&whole)], 2 * 8192, 2);
        assert_eq!(results(&mut *engine, &[read(0, 0, 0, 8192), write(1, 0, 8192, 8192)]), [8192; 2]);
        OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(10_000)).expect("shorter");
        let lost = i64::from(-libc::EFAULT);
        for io in [read(0, 0, 32768, 8192), write(0, 0, 32768, 8192), read(0, 0, 8192, 8192)] {
            assert_eq!(results(&mut *engine, &[io]), [lost], "{}: {io:?}", subject.name);
        }
        // Some of its pages have been replaced: nothing of this view can be trusted any more.
        assert_eq!(results(&mut *engine, &[read(0, 0, 0, 8192)]), [lost], "{}", subject.name);
        assert_eq!(results(&mut *engine, &[read(0, 1, 32768, 8192)]), [8192], "{}: the other", subject.name);
        assert_eq!(content(&*engine, &read(0, 0, 0, 8192)), [6; 8192]);
        drop(engine);
        assert_eq!(std::fs::metadata(&path).expect("the file").len(), 10_000);
    }
}

/// hugetlbfs with two pages. The mount keeps its pages, so the machine's number is restored at once.
struct HugeFolder(tempfile::TempDir);

impl HugeFolder {
    fn mount() -> Option<HugeFolder> {
        const NUMBER: &str = "/proc/sys/vm/nr_hugepages";
        let before = std::fs::read_to_string(NUMBER).unwrap_or_default();
        let reserved = before
            .trim()
            .parse::<u64>()
            .is_ok_and(|before| std::fs::write(NUMBER, (before + 2).to_string()).is_ok());
        let directory = directory();
        let arguments = ["-t", "hugetlbfs", "-o", "pagesize=2M,min_size=4M,size=4M", "none"];
        let mounted =
            reserved && run("mount", &[&arguments[..], &[directory.path().to_str()?]].concat()).is_some();
        let _ = std::fs::write(NUMBER, before);
        if !mounted {
            crate::common::skip("cannot reserve two huge pages: sysctl vm.nr_hugepages=2");
        }
        mounted.then(|| HugeFolder(directory))
    }
}

impl Drop for HugeFolder {
    fn drop(&mut self) {
        unmount(self.0.path());
    }
}

#[test]
fn lost_huge_page_ends_in_an_error() {
    const PAGE: u64 = 2 << 20;
    for subject in mapped_variants() {
        let Some(folder) = HugeFolder::mount() else { return };
        let path = folder.0.path().join("file");
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.expect("a file of huge pages");
        file.set_len(2 * PAGE).expect("two pages");
        let mut engine = subject.open(vec![open(&path)], 8192, 1);
        for io in [write(0, 0, 0, 8192), read(0, 0, PAGE + 4096, 8192)] {
            assert_eq!(results(&mut *engine, &[io]), [8192], "{}: {io:?}", subject.name);
        }
        file.set_len(PAGE).expect("one page");
        let lost = i64::from(-libc::EFAULT);
        for io in [read(0, 0, PAGE + 4096, 8192), write(0, 0, PAGE - 4096, 8192), read(0, 0, 0, 8192)] {
            assert_eq!(results(&mut *engine, &[io]), [lost], "{}: {io:?}", subject.name);
        }
    }
}

#[test]
fn mapping_hole_without_space_is_an_error() {
    let Some((_disk, directory)) = Loop::with_file_system(16 << 20, "ext4") else { return };
    let path = directory.join("sparse");
    std::fs::File::create(&path).and_then(|file| file.set_len(64 << 20)).expect("a sparse file");
    for subject in mapped_variants() {
        let mut engine = subject.open(vec![open(&path)], 1 << 20, 1);
        let ends: Vec<i64> =
            (0..64).flat_map(|n| results(&mut *engine, &[write(0, 0, n << 20, 1 << 20)])).collect();
        assert!(ends.contains(&i64::from(-libc::ENOSPC)), "{}: {ends:?}", subject.name);
    }
}

#[test]
fn unrelated_bus_error_ends_the_program() {
    // In a process of its own: this test, run again.
    const AGAIN: &str = "DISKSPD_TEST_BUS_ERROR";
    if std::env::var_os(AGAIN).is_some() {
        let directory = directory();
        let path = file(directory.path(), "file", &[5; 4096]);
        let mut engine = mapped_variants()[0].open(vec![open(&path)], 4096, 1);
        assert_eq!(results(&mut *engine, &[read(0, 0, 0, 4096)]), [4096]);
        crate::os::bus_error();
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let name = "mapped::unrelated_bus_error_ends_the_program";
    let ended = std::process::Command::new(program).args([name, "--exact"]).env(AGAIN, "1").output();
    let status = ended.expect("this program, again").status;
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGBUS), "{status}");
}

#[test]
fn mapped_and_ordinary_files_share_an_engine() {
    let directory = directory();
    for kind in [EngineKind::Uring, EngineKind::Aio, EngineKind::Sync] {
        if let Err(why) = kind.row().available() {
            crate::common::skip(&why.to_string());
            continue;
        }
        let depth = kind.row().max_depth.min(8);
        let paths = ["a", "b", "c"].map(|name| file(directory.path(), name, &[0; 64 * 4096]));
        let files = vec![
            File::from(open(&paths[0])),
            mapped(open(&paths[1]), MapOptions::default()),
            File::from(open(&paths[2])),
        ];
        let mut engine = create(kind, files, depth).expect("an engine");
        let places: Vec<(u32, u64)> =
            (0..64).flat_map(|n| (0..3).map(move |file| (file, n * 4096))).collect();
        for part in places.chunks(depth as usize) {
            let batch: Vec<Io> =
                (0..).zip(part).map(|(slot, &(file, offset))| write(slot, file, offset, 4096)).collect();
            batch.iter().for_each(|io| put(&mut *engine, io, &filled(4096, io.file, io.offset)));
            assert_eq!(results(&mut *engine, &batch), vec![4096; part.len()], "{kind:?}");
        }
        for (n, path) in (0..).zip(&paths) {
            assert!(holds(&std::fs::read(path).expect("a file"), n, 0), "{kind:?}: file {n}");
        }
        for part in places.chunks(depth as usize) {
            let batch: Vec<Io> =
                (0..).zip(part).map(|(slot, &(file, offset))| read(slot, file, offset, 4096)).collect();
            batch.iter().for_each(|io| put(&mut *engine, io, &[0; 4096]));
            assert_eq!(results(&mut *engine, &batch), vec![4096; part.len()], "{kind:?}");
            for io in &batch {
                assert!(holds(&content(&*engine, io), io.file, io.offset), "{kind:?}");
            }
        }
        // From the part of the buffer that is shared, too.
        let place = with_source(4096 * depth as usize).1;
        for file in 0..3 {
            let io = Io { buffer_offset: place + 4096, ..write(0, file, 0, 4096) };
            assert_eq!(results(&mut *engine, &[io]), [4096], "{kind:?}: file {file}");
            let content = std::fs::read(&paths[file as usize]).expect("a file");
            assert!(holds(&content[..4096], SOURCE, 4096), "{kind:?}: file {file}");
        }
        engine.wait(5, Duration::MAX, &mut vec![]).expect("nothing is in flight");
        assert!(engine.info().features.contains("1 of 3 files mapped"), "{}", engine.info().features);
    }
}

#[test]
fn read_into_shared_buffer_is_an_error() {
    let directory = directory();
    let path = file(directory.path(), "file", &[5; 4096]);
    for subject in mapped_variants() {
        let mut engine = subject.open(vec![open(&path)], 4096, 1);
        let io = Io { buffer_offset: 4096, ..read(0, 0, 0, 4096) };
        assert_eq!(results(&mut *engine, &[io]), [i64::from(-libc::EFAULT)], "{}", subject.name);
        let source = Io { length: SOURCE_LENGTH as u32, ..io };
        assert!(holds(&content(&*engine, &source), SOURCE, 0));
    }
}

#[test]
fn persistent_memory_flushes_need_support() {
    let directory = directory();
    let path = file(directory.path(), "file", &[5; 4096]);
    for flush in [Flush::CacheLines, Flush::CacheLinesWithoutDrain] {
        let told = refusal(open(&path), flush);
        for part in ["file", "-Nn and -Ni", "dax", "-Nv"] {
            assert!(told.contains(part), "{part:?} is not in: {told}");
        }
    }
}

#[test]
fn unmappable_targets_are_refused_with_reason() {
    let told = refusal(open_to_read(Path::new("/proc/self/status")), Flush::None);
    assert!(told.contains("/status") && told.contains("cannot be mapped"), "{told}");
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let told = refusal(reader.into(), Flush::None);
    assert!(told.contains("cannot be mapped"), "{told}");
}
