//! Tests of `--verify` on devices that become faulty in the midst of a run. Each fault is detected and
//! named during the run.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::mapped::Mapped;
use crate::common::{
    DeviceCounters, Ended, Running, directory_with, diskspd, side_by_side, stop, wait_until,
};
use std::fs;
use std::path::Path;

/// Size of a versioned place in bytes.
const PLACE: u64 = 16 << 10;
const SECTORS: u64 = 2048;
const LINE: &str = "-b16K -r -w50 -W0 -o1 --verify";

fn faults(ended: &Ended) -> String {
    let Some((_, section)) = ended.stdout.split_once("Verified sectors of timespan 1:") else {
        return format!("no report: {}", ended.stderr);
    };
    let told = section.lines().find(|line| line.starts_with('\'')).unwrap_or_default();
    let counts = told.rsplit_once("': ").map_or("", |(_, counts)| counts);
    // `96 stale, in 192 reads`: the number of reads is not a fault.
    let faults = counts.split(", ").filter(|count| count.starts_with(|c: char| c.is_ascii_digit()));
    faults.filter_map(|count| count.split(' ').nth(1)).collect::<Vec<_>>().join(" ")
}

fn wait_for_writes(device: &Path, more: u64) {
    let before = DeviceCounters::read(device).writes;
    wait_until("writes arrive", || DeviceCounters::read(device).writes >= before + more);
}

fn whole_device(kind: &str, words: &str, below: &Path) -> String {
    format!("0 {SECTORS} {kind} {}", words.replace("{}", &format!("{} 0", below.display())))
}

/// Returns a table in which the second half of each place drops its writes.
fn half_dropped(below: &Path) -> String {
    let half = PLACE / 512 / 2;
    let pieces = (0..SECTORS / half).map(|number| {
        let (at, below) = (number * half, below.display());
        match number % 2 {
            0 => format!("{at} {half} linear {below} {at}"),
            _ => format!("{at} {half} flakey {below} {at} 0 1 1 drop_writes"),
        }
    });
    pieces.collect::<Vec<_>>().join("\n")
}

type Lie = (&'static str, fn(&Path) -> String, &'static [&'static str], i32);

const LIES: [Lie; 6] = [
    ("nothing at all", |below| whole_device("linear", "{}", below), &[""], 0),
    // Of one dropped write the version before is there, of two the one before that.
    (
        "it drops writes",
        |below| whole_device("flakey", "{} 0 1 1 drop_writes", below),
        &["lost stale", "lost", "stale"],
        4,
    ),
    ("it drops half of each write", half_dropped, &["torn"], 4),
    // (Reads, too, can be changed by the letter of its description: up to Linux 6.15 it leaves them as they are.)
    (
        "it writes bytes wrong",
        |below| whole_device("flakey", "{} 0 1 5 corrupt_bio_byte 100 w 7 0", below),
        &["corrupt"],
        4,
    ),
    (
        "all is one place further on",
        |below| format!("0 {SECTORS} linear {} {}", below.display(), PLACE / 512),
        &["misplaced unwritten", "unwritten misplaced", "misplaced"],
        4,
    ),
    ("it holds nothing", |_| format!("0 {SECTORS} zero"), &["unwritten"], 4),
];

#[test]
fn device_faults_during_run_are_named() {
    if !Mapped::is_possible() || !Mapped::knows("flakey") {
        return;
    }
    side_by_side(LIES, |(what, table, expected, code)| {
        let Some(below) = Loop::new(2 * SECTORS * 512) else { return };
        let Some(mapped) = Mapped::new(&whole_device("linear", "{}", &below.device)) else { return };
        let run = Running::until("starting", &format!("{LINE} -Su -f64K -d600 {{}}"), &mapped.path);
        wait_for_writes(&mapped.device, 60);
        mapped.change(&table(&below.device));
        // It goes on long enough for each of the four places to be written and read, and ends like any run that somebody ends.
        wait_for_writes(&mapped.device, 60);
        run.signal("INT");
        let ended = run.end();
        let found = faults(&ended);
        assert!(expected.contains(&found.as_str()), "{what}: {found:?}\n{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, code, "{what}: {}{}", ended.stdout, ended.stderr);
    });
}

#[test]
fn failed_write_and_unreadable_sectors_are_not_damage() {
    if !Mapped::is_possible() || !Mapped::knows("flakey") {
        return;
    }
    let Some(below) = Loop::new(SECTORS * 512) else { return };
    let Some(mapped) = Mapped::new(&whole_device("linear", "{}", &below.device)) else { return };
    let (_directory, journal) = directory_with("journal");
    let line = format!("{LINE} -Sh -f128K -d60 -x --journal {} {{}}", journal.display());
    let run = Running::until("starting", &line, &mapped.path);
    wait_for_writes(&mapped.device, 50);
    // Its only request stops at the first write that fails, so the run is over.
    mapped.change(&whole_device("flakey", "{} 0 1 1 error_writes", &below.device));
    let ended = run.end();
    ended.fails(1, &["Input/output error"]);
    assert!(!ended.stderr.contains("ERROR: --verify"), "{}", ended.stderr);
    let back = || diskspd("verify-after {}", &journal);
    back().succeeds();
    // Of the second place the first half can't be read any more.
    let half = PLACE / 512 / 2;
    let (start, rest) = (2 * half, SECTORS - 3 * half);
    mapped.change(&format!(
        "0 {start} linear {below} 0\n{start} {half} error\n{} {rest} linear {below} {}",
        start + half,
        start + half,
        below = below.device.display()
    ));
    let ended = back();
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains(&format!("failed:    {half}: {half} unreadable")), "{}", ended.stdout);
}

/// As the previous test, without a device mapper: writes to a loop device's file are reverted while the run
/// is stopped.
#[test]
fn lost_writes_are_found_during_run_and_by_journal() {
    let Some(device) = Loop::new(SECTORS * 512) else { return };
    let (_directory, journal) = directory_with("journal");
    let line = format!("{LINE} -Sh -f64K -d120 --journal {} {{}}", journal.display());
    let run = Running::until("starting", &line, &device.device);
    wait_for_writes(&device.device, 40);
    stop(run.child.id());
    let before = fs::read(device.backing()).unwrap();
    run.signal("CONT");
    wait_for_writes(&device.device, 20);
    stop(run.child.id());
    fs::write(device.backing(), &before).unwrap();
    run.signal("CONT");
    // Most places are read or written, and it ends like any run that somebody ends.
    wait_for_writes(&device.device, 40);
    run.signal("INT");
    let ended = run.end();
    let found = faults(&ended);
    let named = ["lost stale", "lost", "stale"].contains(&found.as_str());
    assert!(named && ended.code == 4, "{found:?} {}{}", ended.stdout, ended.stderr);
    // Once more, and this time nobody reads before the run is over.
    fs::write(device.backing(), &before).unwrap();
    let ended = diskspd("verify-after {}", &journal);
    let failed = ended.stdout.lines().find(|line| line.contains("failed:")).unwrap_or_default();
    assert!(ended.code == 4 && failed.contains(" stale"), "{}{}", ended.stdout, ended.stderr);
}
