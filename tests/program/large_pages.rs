//! Large pages for I/O buffers (`-l`): one test, because the reserve is the whole machine's. And huge pages
//! that the kernel gives unasked.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, Running, directory_with, diskspd, skip, start, worker_process};
use std::fs;
use std::time::Duration;

const RESERVE: &str = "/proc/sys/vm/nr_hugepages";

fn meminfo(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

struct Reserve(u64);

impl Reserve {
    fn more(pages: u64) -> Option<Reserve> {
        let before = meminfo("HugePages_Total");
        if let Err(why) = fs::write(RESERVE, (before + pages).to_string()) {
            skip(&format!("large pages cannot be reserved: {why}"));
            return None;
        }
        let reserve = Reserve(before);
        if meminfo("HugePages_Total") < before + pages {
            skip("the memory is too fragmented for large pages");
            return None;
        }
        Some(reserve)
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        let _ = fs::write(RESERVE, self.0.to_string());
    }
}

#[test]
fn buffers_use_the_reserve_or_its_size_is_printed() {
    let page = meminfo("Hugepagesize") * 1024;
    if page != 2 << 20 {
        return skip(&format!("made for large pages of 2 MiB, here they have {page} bytes"));
    }
    let (_directory, file) = directory_with("test.dat");
    diskspd("-c16M BRIEF {}", &file).report();
    // Two threads, four blocks of 1 MiB for reads and as many for writes: four pages each.
    let line = "-l -b1M -o4 -w50 -t2 -r -W0 -d1 {}";
    if meminfo("HugePages_Free") == 0 {
        let ended = diskspd(line, &file);
        ended.fails(
            1,
            &["-l", "8 large pages are needed for all threads (2048 KiB each)", "vm.nr_hugepages="],
        );
        assert_eq!(ended.stderr.matches("large page").count(), 1, "{}", ended.stderr);
        // A copy of the source in each thread: 8 MiB and two blocks make five pages.
        let source = diskspd("-l -Z8M -w100 -b64K -o2 -t2 BRIEF {}", &file);
        source.fails(1, &["10 large pages are needed for all threads"]);
    }
    let Some(_reserve) = Reserve::more(8) else { return };
    // The first threads get theirs: what is told is what there was before.
    let (free, total) = (meminfo("HugePages_Free"), meminfo("HugePages_Total"));
    let threads = free + 8;
    let short = diskspd(&format!("-l -b64K -o2 -si -t{threads} BRIEF {{}}"), &file);
    short.fails(
        1,
        &[
            &format!(
                "{threads} large pages are needed for all threads (2048 KiB each), {free} of {total} are free"
            ),
            &format!("vm.nr_hugepages={} ", total + 8),
        ],
    );
    diskspd("-l -Z8M -w100 -b64K -o2 BRIEF {}", &file).report();
    diskspd("-c16M --recreate BRIEF {}", &file).report();
    for engine in ["", "-Su --engine aio", "-Sm"] {
        let mut running = start(&format!("{engine} {line}"), &file);
        let mut most = 0;
        while running.try_wait().unwrap().is_none() {
            let status = fs::read_to_string(format!("/proc/{}/status", worker_process(running.id())))
                .unwrap_or_default();
            let used = status.lines().find_map(|line| line.strip_prefix("HugetlbPages:"));
            let used = used.and_then(|used| used.split_whitespace().next()?.parse().ok()).unwrap_or(0);
            most = most.max(used);
            std::thread::sleep(Duration::from_millis(20));
        }
        let ended: Ended = running.wait_with_output().unwrap().into();
        assert!(ended.report().total("Total IO").ios > 0);
        assert_eq!(most, 8 * 2048_u64, "{engine}: KiB of large pages");
    }
    // What was written came out of them.
    assert!(fs::read(&file).unwrap().iter().enumerate().all(|(i, &b)| b == i as u8));
}

fn has_asked_for_huge_pages(process: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{process}/smaps")).unwrap_or_default();
    let flags = maps.lines().filter_map(|line| line.strip_prefix("VmFlags:"));
    flags.into_iter().any(|flags| flags.split_whitespace().any(|flag| flag == "hg"))
}

#[test]
fn huge_pages_are_requested_by_default() {
    if fs::metadata("/sys/kernel/mm/transparent_hugepage").is_err() {
        return skip("the kernel has no transparent huge pages");
    }
    let (_directory, file) = directory_with("test.dat");
    diskspd("-c16M BRIEF {}", &file).report();
    for (options, asked) in [
        ("-b1M -o8 -r", true),
        ("-b1M -o8 -r --no-huge-pages", false),
        ("-b1M -o8 -w100 -Z4M -r --no-huge-pages", false),
        ("--compat 2.3 -b512K -bsp -o8 -r --no-huge-pages", false),
        ("-b4K -o8 -r", false),
    ] {
        let running = Running::until(": measuring", &format!("{options} -W0 -d600 {{}}"), &file);
        assert_eq!(has_asked_for_huge_pages(worker_process(running.child.id())), asked, "{options}");
    }
}
