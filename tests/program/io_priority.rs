//! Tests of I/O priorities (`-I`): the priorities of requests at the driver, from the tracepoint
//! `block_rq_issue`.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{Loop, run};
use crate::common::{diskspd, side_by_side, skip};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

struct Trace {
    mounted: tempfile::TempDir,
    instance: PathBuf,
}

impl Trace {
    fn start(device: &Path) -> Option<Trace> {
        let mounted = tempfile::tempdir().unwrap();
        run("mount", &["-t", "tracefs", "nodev", mounted.path().to_str().unwrap()])?;
        let name = format!("diskspd-test-{}", device.file_name()?.to_str()?);
        let instance = mounted.path().join("instances").join(name);
        let trace = Trace { mounted, instance };
        let event = "events/block/block_rq_issue";
        if !fs::read_to_string(trace.mounted.path().join(event).join("format")).ok()?.contains("ioprio") {
            skip("the kernel does not trace the priority of requests (before 6.9)");
            return None;
        }
        fs::create_dir(&trace.instance).ok()?;
        // The tracepoint has the kernel's own form of device numbers: 12 bits major, 20 bits minor.
        let number = fs::metadata(device).unwrap().rdev();
        let number = rustix::fs::major(number) << 20 | rustix::fs::minor(number);
        fs::write(trace.instance.join(event).join("filter"), format!("dev=={number}")).ok()?;
        fs::write(trace.instance.join(event).join("enable"), "1").ok()?;
        Some(trace)
    }

    fn priorities(&self) -> Vec<String> {
        let file = self.instance.join("trace");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, "").unwrap();
        let priority = |line: &str| {
            let (request, _) = line.split_once(": block_rq_issue: ")?.1.split_once(" [worker")?;
            Some(request.rsplit(' ').next()?.to_string())
        };
        let mut found: Vec<String> = text.lines().filter_map(priority).collect();
        found.sort();
        found.dedup();
        found
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = fs::write(self.instance.join("events/block/block_rq_issue/enable"), "0");
        let _ = fs::remove_dir(&self.instance);
        run("umount", &[self.mounted.path().to_str().unwrap()]);
    }
}

#[test]
fn requests_carry_the_configured_priority() {
    side_by_side(["--engine uring -o4", "--engine aio -o4", "--engine sync -o1"], |engine| {
        let Some(device) = Loop::new(16 << 20) else { return };
        let Some(trace) = Trace::start(&device.device) else { return };
        for (option, expected) in [("-I1", "idle,0,0"), ("-I2", "be,0,7"), ("-I3", ""), ("", "")] {
            let line = format!("{option} {engine} -b4K -r -w50 -Su BRIEF {{}}");
            assert!(diskspd(&line, &device.device).report().total("Total IO").ios > 0);
            match (expected, trace.priorities().as_slice()) {
                // Nothing is stated, or what follows from the nice value that the tests run with.
                ("", [found]) => assert!(found.starts_with("none,") || found.starts_with("be,0,"), "{found}"),
                (expected, found) => assert_eq!(found, [expected], "{line}"),
            }
        }
    });
}

#[test]
fn mapped_pages_are_read_with_the_thread_priority() {
    let Some((device, directory)) = Loop::with_file_system(64 << 20, "ext4") else { return };
    let file = directory.join("test.dat");
    diskspd("-c16M BRIEF {}", &file).report();
    let Some(trace) = Trace::start(&device.device) else { return };
    run("sync", &[]);
    // The file's own pages alone: other tests need theirs.
    let dont_need = rustix::fs::Advice::DontNeed;
    rustix::fs::fadvise(fs::File::open(&file).unwrap(), 0, None, dont_need).unwrap();
    trace.priorities();
    diskspd("-Sm -I1 -b4K -s BRIEF {}", &file).report();
    assert!(trace.priorities().contains(&"idle,0,0".to_string()));
}
