//! Tests of tracing (`-e`) on real devices: its counts agree with other kernel counters and with the
//! report.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::loops::{Loop, run};
use crate::common::{
    DeviceCounters, Zram, agree, command_of, directory, directory_with, diskspd, read_json, skip,
    worker_process,
};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::mem::MaybeUninit;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const MIB: u64 = 1 << 20;

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        skip("tracing needs root");
    }
    root
}

fn trace_of(record: &Path) -> Value {
    let record: Value = read_json(record);
    record["hosts"][0]["results"]["time_spans"][0]["observed"]["trace"].clone()
}

fn count(trace: &Value, event: &str) -> u64 {
    let counts = trace["counts"].as_array().unwrap();
    counts.iter().find(|count| count["event"] == event).unwrap()["count"].as_u64().unwrap()
}

/// Returns the number of events lost from full kernel buffers, which is not a defect on a busy machine.
fn lost(trace: &Value) -> u64 {
    let lost = trace["session"]["lost_events"].as_u64().unwrap();
    if lost > 0 {
        eprintln!("NOT COMPARED to 1 %: the machine was too busy, its buffers had no room for {lost} events");
    }
    lost
}

/// Returns the tracefs instances of programs that have ended.
fn left_behind() -> Vec<String> {
    let entries = |place| std::fs::read_dir(place).into_iter().flatten().flatten();
    let places = ["/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances"];
    let process = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_prefix("diskspd-")?;
        name.split('-').next()?.parse::<u32>().ok()
    };
    let gone = |process| !Path::new(&format!("/proc/{process}")).exists();
    let found = places.into_iter().flat_map(entries).map(|entry| entry.path());
    // Looked at again: a program that has ended meanwhile removed its own before.
    let left = found.filter(|path| process(path).is_some_and(gone) && path.exists());
    left.map(|path| path.display().to_string()).collect()
}

/// Returns the cells of a device's row in the report: requests, mean, 50th, 99th, our mean.
#[track_caller]
fn device_row(report: &str, device: &str, kind: &str) -> Vec<String> {
    let rows =
        report.lines().map(|line| line.split('|').map(|cell| cell.trim().to_string()).collect::<Vec<_>>());
    let mut found = rows.filter(|cells| cells.len() == 7 && cells[0] == device && cells[1] == kind);
    found.next().unwrap_or_else(|| panic!("no {kind} of {device} in {report}"))[2..].to_vec()
}

#[test]
fn disk_io_agrees_with_report_and_device_counters() {
    if !is_root() {
        return;
    }
    let (_directory, json) = directory_with("run.json");
    let Some(device) = Loop::new(64 * MIB) else { return };
    let device = &device.device;
    let name = device.file_name().unwrap().to_str().unwrap();
    let line = format!("-b4K -r -w30 -o4 -Su -L -W0 -d3 -eDISK_IO --out {} {{}}", json.display());
    let before = DeviceCounters::read(device);
    let ended = diskspd(&line, device);
    let kernel = DeviceCounters::read(device).since(before);
    let report = ended.report();
    let trace = trace_of(&json);
    let lost = lost(&trace);
    for (kind, table, event, kernels) in
        [("read", "Read IO", "disk_read", kernel.reads), ("write", "Write IO", "disk_write", kernel.writes)]
    {
        let row = device_row(report.0, name, kind);
        // No completion is missing, also of those that came while a CPU was idle.
        let requests: u64 = row[0].parse().unwrap();
        assert!(requests > 100, "too few to compare: {}", ended.stdout);
        // The kernel's counters count before and after the window, too.
        assert!(requests <= kernels, "{requests}, {kernels}");
        let counted = report.total(table).ios;
        assert!(requests + lost + (counted / 100).max(8) > counted, "{requests} + {lost}, {counted}");
        if lost == 0 {
            agree(kind, requests, counted);
        }
        assert!(count(&trace, event) >= requests, "the machine did what the device did: {trace}");
        // An I/O is handed to the device after we begin to wait for it, and is complete before we know.
        let [mean, median, p99, ours] = [1, 2, 3, 4].map(|cell| row[cell].parse::<f64>().unwrap());
        assert!(0.0 < mean && mean <= ours, "{kind}: the device took {mean} ms of our {ours} ms");
        assert!(median <= p99, "{row:?}");
    }
    let devices = trace["devices"].as_array().unwrap();
    assert!(devices.len() > 1, "what holds the file behind the loop device is traced too: {trace}");
    assert_eq!(left_behind(), [""; 0]);
}

#[test]
fn disk_io_separates_flushes_from_writes() {
    if !is_root() {
        return;
    }
    let (_directory, json) = directory_with("run.json");
    let Some(device) = Loop::new(16 * MIB) else { return };
    let device = &device.device;
    let name = device.file_name().unwrap().to_str().unwrap();
    // One at a time, each followed by a flush: the kernel calls both a write.
    let line = format!("-b4K -r -w100 -o1 -Sh -W0 -d1 -eDISK_IO --out {} {{}}", json.display());
    let ended = diskspd(&line, device);
    let ios = ended.report().total("Write IO").ios;
    let trace = trace_of(&json);
    let row = device_row(&ended.stdout, name, "write");
    if lost(&trace) == 0 {
        agree("writes", row[0].parse().unwrap(), ios);
        assert!(!ended.stdout.contains("have no time"), "{}", ended.stdout);
    }
    assert!(ended.stdout.contains("flushes of its write cache are not among"), "{}", ended.stdout);
}

#[test]
fn xml_has_diskspd_elements_then_devices() {
    if !is_root() {
        return;
    }
    let Some(device) = Loop::new(16 * MIB) else { return };
    let ended =
        diskspd("-b4K -r -Su -W0 -d1 -Rxml -eDISK_IO -eMEMORY_HARD_FAULTS -ePROCESS -ec {}", &device.device);
    let place =
        |element: &str| ended.stdout.rfind(element).unwrap_or_else(|| panic!("{element}: {}", ended.stdout));
    let order = [
        "<CpuUtilization>",
        "<ETW>\n      <DiskIO>\n        <Read>",
        "<HardPageFault>",
        "<Process>\n        <Start>",
        "<ETWSessionInfo>",
        "<Thread>\n      <Id>",
        "<DeviceCompletionTime>",
    ];
    assert!(order.map(place).is_sorted(), "{}", ended.stdout);
}

#[test]
fn a_device_without_requests_is_named() {
    if !is_root() {
        return;
    }
    let Some(zram) = Zram::new(32) else { return };
    let ended = diskspd("-b4K -r -Su -W0 -d1 -eDISK_IO {}", &zram.0);
    let name = zram.0.file_name().unwrap().to_str().unwrap();
    let row =
        ended.report().0.lines().find(|line| line.starts_with(&format!("{name:<16} |"))).unwrap().to_string();
    assert!(row.contains("not traced") && row.contains("no request queue"), "{row}");
}

fn made_and_removed(place: &str, work: impl FnOnce() -> u32) -> Vec<&'static str> {
    let watch = inotify::init(CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, place, WatchFlags::CREATE | WatchFlags::DELETE).unwrap();
    let name = format!("diskspd-{}", work());
    let mut memory = [MaybeUninit::uninit(); 4096];
    let mut reader = inotify::Reader::new(&watch, &mut memory);
    let mut seen = Vec::new();
    while let Ok(event) = reader.next() {
        if event.file_name().is_some_and(|found| found.to_bytes() == name.as_bytes()) {
            seen.push(if event.events().contains(ReadFlags::CREATE) { "made" } else { "removed" });
        }
    }
    // The kernel tells of one directory several times.
    seen.dedup();
    seen
}

#[test]
fn probed_trace_session_serves_first_time_span() {
    if !is_root() {
        return;
    }
    let Some(device) = Loop::new(16 * MIB) else { return };
    // It is the same one wherever it is mounted, by us or by the program.
    let tracefs = directory();
    let at = tracefs.path().to_str().unwrap();
    if run("mount", &["-t", "tracefs", "tracefs", at]).is_none() {
        return;
    }
    let seen = made_and_removed(&format!("{at}/instances"), || {
        let line = ["-b4K", "-r", "-Su", "-W0", "-d1", "-eDISK_IO", device.device.to_str().unwrap()];
        let mut running = command_of(&line).stdout(Stdio::null()).spawn().unwrap();
        let worker = worker_process(running.id());
        assert!(running.wait().unwrap().success());
        worker
    });
    run("umount", &[at]);
    assert_eq!(seen, ["made", "removed"]);
}

#[test]
fn engine_without_devices_traces_none() {
    if !is_root() {
        return;
    }
    let (_directory, file) = directory_with("test.dat");
    let ended = diskspd("--engine null -c1M -W0 -d1 -eDISK_IO -eTHREAD {}", &file);
    let report = ended.report();
    assert!(report.0.contains("no block device is below the targets"), "{}", report.0);
    assert!(report.0.contains("\n\tThread\n\t\tStart: "), "{}", report.0);
}

#[test]
fn untraceable_events_are_refused_before_start() {
    let (_directory, file) = directory_with("test.dat");
    for (options, name) in [
        ("-eREGISTRY", "-eREGISTRY (Registry)"),
        ("-ePROCESS -eIMAGE_LOAD", "-eIMAGE_LOAD (ImageLoad)"),
        ("-eDISK_IO -ep", "-ep (UsePagedMemory)"),
        ("-eDISK_IO -es", "-es (UseSystemTimer)"),
        ("-eDISK_IO -eq -ec", "-eq and -ec"),
        ("--engine sim -eDISK_IO", "a simulated run"),
    ] {
        for how in ["-d30", "--dry-run"] {
            let ended = diskspd(&format!("{options} -c1M {how} {{}}"), &file);
            ended.fails(3, &[name]);
        }
        assert!(!file.exists(), "{options}");
        diskspd(&format!("{} -c1M -Rpxml {{}}", options.replace("--engine sim", "")), &file).succeeds();
    }
}

#[test]
fn missing_trace_privilege_has_one_remedy_message() {
    if !is_root() {
        return;
    }
    let directory = directory();
    let program = crate::common::copy_of_program(directory.path());
    let file = directory.path().join("test.dat");
    std::fs::write(&file, vec![0; MIB as usize]).unwrap();
    for (path, mode) in [(directory.path(), 0o755), (&program, 0o755), (&file, 0o666)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    // Where tracefs isn't mounted that is what is said: only root can do without.
    let mounted = std::path::Path::new("/sys/kernel/tracing/events").exists();
    let records = if mounted { "which root may make and the user who owns" } else { "mount -t tracefs" };
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"];
    for (class, words) in [
        ("-eDISK_IO", [records, "as root"]),
        ("-ePROCESS", ["tracepoints", "as root"]),
        ("-eMEMORY_HARD_FAULTS", ["perf_event_open", "setcap cap_perfmon=ep"]),
    ] {
        let run =
            Command::new("setpriv").args(nobody).arg(&program).args([class, "-d30"]).arg(&file).output();
        let Ok(ended) = run.map(crate::common::Ended::from) else { return skip("setpriv is not there") };
        if ended.code == 127 || ended.stderr.starts_with("setpriv") {
            return skip(&ended.stderr);
        }
        if class == "-eMEMORY_HARD_FAULTS" && everybody_may_count() {
            continue;
        }
        ended.fails(3, &words);
        assert_eq!(ended.stderr.matches("ERROR").count(), 1, "{}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
}

fn everybody_may_count() -> bool {
    let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    level.trim().parse::<i32>().is_ok_and(|level| level < 1)
}

#[test]
fn tracefs_need_not_be_mounted() {
    if !is_root() {
        return;
    }
    let (_directory, file) = directory_with("test.dat");
    std::fs::write(&file, vec![0; MIB as usize]).unwrap();
    let program = command_of(&[]).get_program().to_owned();
    // In a mount namespace of its own nobody else misses it.
    let hide =
        "for at in /sys/kernel/tracing /sys/kernel/debug; do mount -t tmpfs none $at; done; exec \"$@\"";
    let mut run = Command::new("unshare");
    run.args(["-m", "sh", "-ec", hide, "sh"]);
    let arguments = ["-b4K", "-W0", "-d1", "-eTHREAD", "-eDISK_IO"];
    let Ok(ended) = run.arg(program).args(arguments).arg(&file).output().map(crate::common::Ended::from)
    else {
        return skip("unshare is not there");
    };
    if ended.stderr.starts_with("unshare") || ended.stderr.starts_with("mount") {
        return skip(&ended.stderr);
    }
    assert!(ended.report().0.contains("\n\tThread\n\t\tStart: "), "{}", ended.stdout);
}

fn watched(device: &Path, out: &Path, work: impl FnOnce()) -> String {
    let arguments = ["trace", device.to_str().unwrap(), "-d60", "--out", out.to_str().unwrap()];
    let mut watching = command_of(&arguments);
    let mut watching = watching.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let process = watching.id();
    // It says so when the kernel records.
    let mut said = String::new();
    BufReader::new(watching.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("tracing "), "{said}");
    work();
    run("kill", &["-INT", &process.to_string()]).unwrap();
    let ended = watching.wait_with_output().unwrap();
    let told = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success(), "{told}");
    told
}

#[track_caller]
fn figure(told: &str, name: &str) -> f64 {
    let found = told.split_once(name).and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    found.unwrap_or_else(|| panic!("no {name}: {told}"))
}

#[test]
fn watched_device_gives_its_workload_profile() {
    if !is_root() {
        return;
    }
    let (_directory, out) = directory_with("profile.xml");
    let Some(device) = Loop::new(64 * MIB) else { return };
    let device = &device.device;
    let before = DeviceCounters::read(device);
    let told = watched(device, &out, || {
        // With --destroy nothing is read before the run to see what is on the device.
        diskspd("-b4K -r -w30 -o4 -g2000i -Su -W0 -d1 --destroy {}", device).report();
    });
    let kernel = DeviceCounters::read(device).since(before);
    let seen = figure(&told, ": ") as u64;
    if told.contains("lost         0 events") {
        agree("I/Os", seen, kernel.reads + kernel.writes);
    }
    assert!(told.contains("profile: -b4096 -r"), "{told}");
    let profile = std::fs::read_to_string(&out).unwrap();
    assert!(
        profile.contains("<Path>*1</Path>") && profile.contains("<BlockSize>4096</BlockSize>"),
        "{profile}"
    );
    assert_eq!(left_behind(), [""; 0]);
    let refused = command_of(&["trace", out.to_str().unwrap(), "-d1"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("only block devices can be traced"));
}

#[test]
fn traced_workload_runs_again_from_its_profile() {
    if !is_root() {
        return;
    }
    let (_directory, out) = directory_with("profile.xml");
    let Some(device) = Loop::new(64 * MIB) else { return };
    let device = &device.device;
    // Linux AIO hands sixteen neighbours over at once, of which the kernel may make one request. What ends first:
    // a second, or all of it.
    let line = "--engine aio -b16K -s -w100 -o16 -Su -W0 -d1 --until-written 64M --destroy";
    let first = watched(device, &out, || drop(diskspd(&format!("{line} {{}}"), device)));
    let again = out.with_extension("again.xml");
    let line = format!("-X{} --engine aio --destroy", out.display());
    let second = watched(device, &again, || drop(diskspd(&format!("{line} {{}}"), device)));
    for told in [first, second] {
        assert!(figure(&told, ": ") > 50.0, "too few to compare: {told}");
        assert!(told.contains("profile: -b16384 -s -w100"), "{told}");
        if told.contains("lost         0 events") {
            let (size, sequential) = (figure(&told, "mean size"), figure(&told, "sequential"));
            assert!((size / 16384.0 - 1.0).abs() <= 0.01 && sequential >= 98.0, "{told}");
        }
        assert!(!told.contains("not seen"), "{told}");
    }
}
