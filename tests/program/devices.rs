//! Tests on real devices: the report must agree with the kernel's counters.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{
    DeviceCounters, Running, Zram, directory, diskspd, read_json, report_agrees_with_kernel,
};
use diskspd::host::claims::{Claims, protect};
use diskspd::sys::files;
use std::path::Path;

const MIB: u64 = 1 << 20;

#[test]
fn uncached_loop_io_equals_kernel_counters() {
    let Some(disk) = Loop::new(64 * MIB) else { return };
    // With --destroy nothing is read before the run to see what is on the device.
    let lines = [
        "-b4K -r -o8 -Su -L -W0 -d1 {}",
        "-b4K -r -o1 -Su -W0 -d1 {}",
        "-b8K -r -w50 -t2 -o8 -Su -D100 -W0 -d1 --destroy {}",
        "-b64K -w100 -o4 -Su -W0 -d1 {}",
    ];
    for line in lines {
        report_agrees_with_kernel(line, &disk.device, &disk.device);
    }
}

#[test]
fn uncached_zram_io_equals_kernel_counters() {
    let Some(disk) = Zram::new(64) else { return };
    // A fresh zram device answers reads from nowhere: it is written first.
    diskspd("-b1M -w100 -o2 -Su -W0 -d1 {}", &disk.0).report();
    for line in ["-b4K -r -o8 -Su -L -W0 -d1 {}", "-b4K -r -w30 -t2 -o4 -Su -W0 -d1 --destroy {}"] {
        report_agrees_with_kernel(line, &disk.0, &disk.0);
    }
}

#[test]
fn uncached_ext4_io_equals_kernel_counters() {
    let Some((disk, directory)) = Loop::with_file_system(256 * MIB, "ext4") else { return };
    let file = directory.join("test.dat");
    // Prepared first: the writing of the file is not part of the report.
    diskspd("-c64M -b4K -Su -W0 -d1 {}", &file).report();
    for line in ["-c64M -b4K -r -o16 -Su -L -W0 -d1 {}", "-c64M -b4K -r -w25 -t2 -o32 -Su -L -D -W0 -d1 {}"] {
        report_agrees_with_kernel(line, &file, &disk.device);
    }
}

#[test]
fn only_uncached_run_reaches_the_device() {
    let Some((disk, directory)) = Loop::with_file_system(128 * MIB, "ext4") else { return };
    let file = directory.join("test.dat");
    diskspd("-c16M -b64K -W0 -d1 {}", &file).report();
    // All of it is in the cache; from then on nothing comes from the device.
    std::fs::read(&file).unwrap();
    let before = DeviceCounters::read(&disk.device);
    let cached = diskspd("-b4K -r -o4 -W0 -d1 {}", &file);
    let kernel = DeviceCounters::read(&disk.device).since(before);
    let ios = cached.report().total("Read IO").ios;
    assert!(ios > 1000, "{}", cached.stdout);
    // A sample of its content was read past the cache before the start: 128 blocks of 4 KiB. A kernel that takes back what
    // was not used for seconds (DAMON) leaves a part of the file outside of the cache: each page of it is read once again.
    let at_most = 128 + (16 * MIB / 4096) / 4;
    assert!(ios > 4 * at_most, "too few I/Os to tell: {}", cached.stdout);
    assert!(kernel.reads < at_most, "a cached run of {ios} I/Os read {kernel:?} from the device");
    report_agrees_with_kernel("-b4K -r -o4 -Su -W0 -d1 {}", &file, &disk.device);
}

#[test]
fn block_device_bypasses_cache_unless_explicit() {
    let Some(disk) = Loop::new(64 * MIB) else { return };
    // Nothing said, as literature about DISKSPD has it for physical drives; by its number in the kernel, too.
    let name = format!("#{}", disk.device.file_name().unwrap().to_str().unwrap());
    report_agrees_with_kernel("-b4K -r -o8 -W0 -d1 {}", &disk.device, &disk.device);
    report_agrees_with_kernel("-b4K -r -o16 -w10 -Sw -W0 -d1 --destroy {}", Path::new(&name), &disk.device);
    // The report says of the cache what DISKSPD says.
    let unstated = diskspd("-b4K -r -o8 -W0 -d1 -Rtext {}", &disk.device);
    assert!(unstated.stdout.contains("using software cache"), "{}", unstated.stdout);
    // A profile of DISKSPD says nothing either; what it can say is that the cache is not disabled.
    let directory = crate::common::directory();
    let printed = diskspd("-b4K -r -o8 -W0 -d1 -Sb -Rpxml {}", &disk.device);
    assert!(printed.stderr.contains("<DisableOSCache>false</DisableOSCache>"), "{}", printed.stderr);
    assert_eq!(printed.stdout, diskspd("-b4K -r -o8 -W0 -d1 -Rpxml {}", &disk.device).stdout);
    let [unstated, stated] = ["unstated.xml", "stated.xml"].map(|name| directory.path().join(name));
    std::fs::write(&unstated, &printed.stdout).unwrap();
    let literal = "<DisableOSCache>false</DisableOSCache><WriteBufferContent>";
    std::fs::write(&stated, printed.stdout.replace("<WriteBufferContent>", literal)).unwrap();
    for (line, direct) in [
        ("-Sb -b4K -r -o8 -W0 -d1 {}".to_owned(), false),
        ("-Sbw -b4K -r -o8 -W0 -d1 {}".to_owned(), false),
        (format!("-X{}", unstated.display()), true),
        (format!("-X{}", stated.display()), false),
    ] {
        let plan = diskspd(&format!("--dry-run {line}"), &disk.device);
        assert_eq!(plan.report().0.contains("O_DIRECT"), direct, "{line}: {}", plan.stdout);
        assert_eq!(plan.stdout.contains("-Sb uses the page cache"), direct, "{line}: {}", plan.stdout);
    }
    // All of it is in the cache while somebody has the device open.
    let mut open = std::fs::File::open(&disk.device).unwrap();
    std::io::copy(&mut open, &mut std::io::sink()).unwrap();
    let before = DeviceCounters::read(&disk.device);
    let cached = diskspd("-Sb -b4K -r -o4 -W0 -d1 {}", &disk.device);
    let kernel = DeviceCounters::read(&disk.device).since(before);
    assert!(kernel.reads < cached.report().total("Read IO").ios / 2, "{kernel:?}: {}", cached.stdout);
    assert!(cached.stderr.contains("CACHED"), "{}", cached.stderr);
}

#[test]
fn device_failure_ends_the_run_with_error_counts() {
    let Some(disk) = Loop::new(64 * MIB) else { return };
    let running = Running::until(": measuring", "-b4K -r -o8 -Su -L -W0 -d600 {}", &disk.device);
    // What lies beyond the end of the backing file can't be read any more.
    std::fs::OpenOptions::new().write(true).open(disk.backing()).unwrap().set_len(0).unwrap();
    let ended = running.end();
    ended.fails(1, &["Input/output error", "offset", "in all", "the run failed"]);
    assert!(
        ended.stdout.contains("The test was interrupted before the measurements began."),
        "{}",
        ended.stdout
    );
}

#[test]
fn a_mounted_device_is_not_written_to() {
    let Some((disk, directory)) = Loop::with_file_system(64 * MIB, "ext4") else { return };
    for line in ["-w100 -W0 -d1 {}", "-w100 -W0 -d1 --destroy {}"] {
        diskspd(line, &disk.device).fails(1, &["mounted", directory.to_str().unwrap()]);
    }
    diskspd("-b4K -r -W0 -d1 {}", &disk.device).report();
}

#[test]
fn device_with_file_system_needs_destroy() {
    let Some(disk) = Loop::new(64 * MIB) else { return };
    if disk.mkfs("ext4").is_none() {
        return;
    }
    diskspd("-w100 -W0 -d1 {}", &disk.device).fails(1, &["ext4", "--destroy"]);
    diskspd("-w100 -W0 -d1 --destroy {}", &disk.device).report();
}

/// The claim of ranks on one machine lasts until its last holder releases it.
#[test]
fn shared_claim_outlives_its_creator() {
    let Some(device) = Loop::new(1 << 20) else { return };
    let path = device.device.as_path();
    let first = protect([path], false).unwrap();
    let other = Claims::shared_with(std::process::id(), &first.to_share()).unwrap();
    assert_eq!(other.len(), 1);
    drop(first);
    assert!(files::claim(path).is_err(), "nobody else gets it");
    drop(other);
    files::claim(path).unwrap();
}

#[test]
fn reported_cache_action_matches_block_device() {
    let Some(device) = Loop::new(8 << 20) else { return };
    let folder = directory();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let line = |line: String| diskspd(&line, &device.device).succeeds();
    for (name, mode, words) in [
        ("default", "", "bypassing the page cache"),
        ("cached", "-Sb", "through the page cache"),
        ("bypassed", "-Su", "bypassing the page cache"),
    ] {
        let (record, page) = (at(&format!("{name}.json")), at(&format!("{name}.html")));
        line(format!("-b4K -r {mode} BRIEF --out {record} --out {page} {{}}"));
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains(&format!(", {words}, ")) && !page.contains("files through"), "{name}");
    }
    let [default, cached, bypassed] =
        ["default", "cached", "bypassed"].map(|name| at(&format!("{name}.json")));
    let table = line(format!("report {default} {cached} {bypassed} --csv")).stdout;
    let column = |row: &str, place: usize| row.split(',').nth(place).unwrap().to_owned();
    let place = table.lines().next().unwrap().split(',').position(|name| name == "caching").unwrap();
    let letters: Vec<String> = table.lines().skip(1).map(|row| column(row, place)).collect();
    assert_eq!(letters, ["u", "b", "u"], "{table}");
    let told = |other: &str| line(format!("compare {default} {other}")).stdout;
    assert!(told(&cached).contains("caching: "));
    assert!(!told(&bypassed).contains("caching:"), "the default is -Su on a block device");
}

/// The report of a buffered run with small writes contains the few large writes of the device in every form.
#[test]
fn deferred_run_reports_device_in_every_form() {
    let Some((_disk, directory)) = Loop::with_file_system(256 * MIB, "ext4") else { return };
    let [file, record, page] = ["test.dat", "run.json", "run.html"].map(|name| directory.join(name));
    let line = "-c64M -b4K -r -w100 -Sb -W0 -d1 --out {} --out";
    let line = format!("{line} {} {}", page.display(), file.display());
    let ended = diskspd(&line, &record);
    ended.report();
    let json: serde_json::Value = read_json(&record);
    let part = &json["judgement"]["verdicts"][0]["parts"][0];
    assert_eq!(part["verdict"], "deferred", "{part}");
    let (counted, device) = (&json["index"]["time_spans"][0]["write"], &part["device_write"]);
    let rate = |of: &serde_json::Value| of["iops"].as_f64().unwrap();
    assert_eq!(counted["device_iops"], device["iops"]);
    assert!(rate(device) < rate(counted) / 2.0, "{device} {counted}");
    assert!(ended.stderr.contains("the device: "), "{}", ended.stderr);
    let csv = diskspd("report --csv {}", &record).stdout;
    let (head, row) = csv.split_once('\n').unwrap();
    let place = head.split(',').position(|name| name == "device_write_iops").unwrap();
    assert_eq!(row.trim_end().split(',').nth(place), Some(rate(device).to_string().as_str()));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<dt>I/Os per second, the device</dt>") && page.contains("device IOPS</th>"));
}
