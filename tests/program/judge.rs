//! `diskspd judge`: other programs on real devices, with honest and with misleading figures.

#![allow(clippy::unwrap_used)]

use crate::common::hanging_storage::HangingStorage;
use crate::common::loops::{self, Loop, unmount};
use crate::common::{
    Ended, Zram, again, command_of, directory, directory_with, output, read_json, skip, tool,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// File system on an exclusive device.
struct Volume {
    at: PathBuf,
    device: Zram,
    _folder: tempfile::TempDir,
}

impl Volume {
    /// Creates it with `t.dat`, 64 MiB of random data.
    fn new() -> Option<Volume> {
        let (device, folder) = (Zram::new(512)?, directory());
        let name = device.0.to_str()?;
        loops::run("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", name])?;
        loops::run("mount", &[name, folder.path().to_str()?])?;
        let volume = Volume { at: folder.path().to_owned(), device, _folder: folder };
        volume.shell("dd if=/dev/urandom of=t.dat bs=1M count=64 conv=fsync");
        Some(volume)
    }

    fn shell(&self, script: &str) {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script]).current_dir(&self.at).stderr(Stdio::null());
        assert!(output(&mut shell).unwrap().status.success(), "{script}");
    }

    /// Judges a shell script; returns the record.
    fn judged(&self, options: &[&str], script: &str) -> (Ended, Value) {
        let report = self.at.join("r.json");
        let report = report.to_str().unwrap();
        let words = [&["judge", "--out", report], options, &["--", "sh", "-c", script]].concat();
        let ended: Ended =
            output(command_of(&words).current_dir(&self.at).stdin(Stdio::null())).unwrap().into();
        let record = fs::read(report).unwrap_or_default();
        (ended, serde_json::from_slice(&record).unwrap_or_default())
    }

    /// Whether a script gets one of these verdicts, in one of several tries.
    #[track_caller]
    fn has_verdict(&self, before: &str, script: &str, expected: &[&str]) {
        again(|| {
            self.shell(before);
            let (ended, record) = self.judged(&[], script);
            let found = verdict(&record);
            assert!(!ended.stderr.contains("the run: \n"), "{}", ended.stderr);
            match expected.contains(&found.as_str()) {
                true => Ok(()),
                false => Err(format!("{script}: {found}, not {expected:?}\n{}", ended.stderr)),
            }
        });
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        unmount(&self.at);
    }
}

fn verdict(record: &Value) -> String {
    record["judgement"]["verdicts"][0]["verdict"].as_str().unwrap_or("none").to_owned()
}

fn has_finding(record: &Value, name: &str) -> bool {
    let findings = record["judgement"]["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().any(|finding| finding["name"] == name)
}

fn is_there(program: &str) -> bool {
    let found = tool(&format!("which {program}")).is_some();
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

const WARM: &str = "cat t.dat >/dev/null; cat t.dat >/dev/null";

#[test]
fn exit_code_of_command_is_kept() {
    let judge = |words: &[&str]| -> Ended {
        output(command_of(&[&["judge", "--"], words].concat()).stdin(Stdio::null())).unwrap().into()
    };
    for (words, code) in [
        (&["true"][..], 0),
        (&["sh", "-c", "exit 7"], 7),
        (&["sh", "-c", "kill -9 $$"], 137),
        (&["/nonexistent/program"], 127),
        (&["/etc/passwd"], 126),
    ] {
        assert_eq!(judge(words).code, code, "{words:?}");
    }
    let ended = judge(&["sh", "-c", "echo out; echo err >&2; cat"]);
    assert_eq!(ended.stdout, "out\n", "the report is not on standard output");
    assert!(ended.stderr.starts_with("err\n"), "{}", ended.stderr);
}

#[test]
fn command_without_io_has_no_verdict() {
    let (_folder, report) = directory_with("r.json");
    let words = ["judge", "--strict", "--out", report.to_str().unwrap(), "--", "true"];
    let ended: Ended = output(&mut command_of(&words)).unwrap().into();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let record: Value = read_json(report);
    assert_eq!(
        (verdict(&record).as_str(), record["program"]["words"][0].as_str()),
        ("unknown", Some("true"))
    );
}

#[test]
fn forwarded_signal_ends_the_command() {
    let (_folder, mark) = directory_with("mark");
    let script = format!("trap 'exit 9' TERM; : >'{}'; while :; do sleep 0.05; done", mark.display());
    let mut child = command_of(&["judge", "--", "sh", "-c", &script]).stderr(Stdio::null()).spawn().unwrap();
    crate::common::wait_until("the command begins", || mark.exists());
    tool(&format!("kill -TERM {}", child.id())).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(9));
}

#[test]
fn formats_of_own_runs_are_refused() {
    let folder = directory();
    for name in ["r.xml", "r.csv"] {
        let report = folder.path().join(name);
        let words = ["judge", "--out", report.to_str().unwrap(), "--", "true"];
        let ended: Ended = output(&mut command_of(&words)).unwrap().into();
        assert_eq!((ended.code, report.exists()), (3, false), "{}", ended.stderr);
    }
}

#[test]
fn honest_io_of_dd_is_verified() {
    let Some(volume) = Volume::new() else { return };
    volume.has_verdict("true", "dd if=t.dat of=/dev/null bs=1M iflag=direct", &["verified"]);
    volume.has_verdict("true", "dd if=/dev/urandom of=w.dat bs=1M count=64 oflag=direct", &["verified"]);
    volume.has_verdict(
        "true",
        "dd if=/dev/urandom of=w.dat bs=1M count=64 conv=fsync",
        &["verified", "coalesced"],
    );
    let device = volume.device.0.display();
    volume.has_verdict(
        "true",
        &format!("dd if={device} of=/dev/null bs=1M count=64 iflag=direct"),
        &["verified"],
    );
}

#[test]
fn io_of_page_cache_is_named() {
    let Some(volume) = Volume::new() else { return };
    volume.has_verdict(WARM, "for i in 1 2 3 4; do dd if=t.dat of=/dev/null bs=64k; done", &["cached"]);
    volume.has_verdict(WARM, "for i in 1 2 3 4; do cat t.dat t.dat >/dev/null; done", &["cached"]);
    volume.has_verdict(
        "truncate -s 256M hole.dat",
        "dd if=hole.dat of=/dev/null bs=1M iflag=direct",
        &["cached"],
    );
    let zeros = "dd if=/dev/zero of=z.dat bs=1M count=64 oflag=direct";
    volume.has_verdict("rm -f z.dat", zeros, &["cached"]);
    let again = "for i in 1 2 3 4 5 6 7 8; do dd if=/dev/urandom of=o.dat bs=1M count=16 conv=notrunc; done";
    volume.has_verdict("rm -f o.dat", again, &["deferred", "unknown"]);
}

#[test]
fn loop_devices_above_memory_are_named() {
    let Some(volume) = Volume::new() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let image = memory.path().join("image");
    fs::write(&image, vec![7; 64 << 20]).unwrap();
    let Some(above) = Loop::on(&image) else { return };
    let read = format!("dd if={} of=/dev/null bs=1M iflag=direct", above.device.display());
    volume.has_verdict("true", &read, &["cached"]);
    drop(above);
    let Some(above) = Loop::on(&volume.at.join("t.dat")) else { return };
    let read = format!("dd if={} of=/dev/null bs=1M iflag=direct", above.device.display());
    volume.has_verdict(WARM, &read, &["cached"]);
}

#[test]
fn files_without_devices_are_undetermined() {
    let Some(volume) = Volume::new() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let file = memory.path().join("f").display().to_string();
    volume.has_verdict("true", &format!("dd if=/dev/zero of={file} bs=1M count=256"), &["unknown"]);
    let Some(served) = HangingStorage::with(&[("f", vec![7; 8 << 20])]) else { return };
    let read = format!("dd if={} of=/dev/null bs=64k", served.mounted.join("f").display());
    volume.has_verdict("true", &read, &["unknown"]);
}

#[test]
fn other_users_of_device_are_named() {
    let Some(volume) = Volume::new() else { return };
    again(|| {
        let busy =
            format!("while :; do dd if={} of=/dev/null bs=1M iflag=direct; done", volume.device.0.display());
        let mut other = std::process::Command::new("sh");
        let mut other = other.args(["-c", &busy]).stderr(Stdio::null()).spawn().unwrap();
        let script = "for i in 1 2 3 4; do dd if=t.dat of=/dev/null bs=64k iflag=direct; done";
        let (ended, record) = volume.judged(&[], script);
        other.kill().unwrap();
        other.wait().unwrap();
        match verdict(&record).as_str() {
            "shared" => Ok(()),
            found => Err(format!("{found}: {}", ended.stderr)),
        }
    });
}

#[test]
fn stopped_command_is_reported() {
    let Some(volume) = Volume::new() else { return };
    // The reader stops itself: any other moment depends on the speed of the device.
    let script = "sh -c 'kill -STOP $$; exec dd if=t.dat of=/dev/null bs=4k iflag=direct' & sleep 1; \
                  kill -CONT $!; wait";
    let (ended, record) = volume.judged(&[], script);
    assert!(has_finding(&record, "process-stalled"), "{}", ended.stderr);
}

#[test]
fn many_short_children_are_summed() {
    let Some(volume) = Volume::new() else { return };
    let script = "i=0; while [ $i -lt 300 ]; do dd if=t.dat of=/dev/null bs=128k count=1 skip=$i iflag=direct; \
                  i=$((i+1)); done";
    let (ended, record) = volume.judged(&[], script);
    let read = record["program"]["counted"]["read_bytes"].as_u64().unwrap_or(0);
    assert!(read >= 300 * (128 << 10), "{read} {}", ended.stderr);
    assert!(["verified", "unknown"].contains(&verdict(&record).as_str()), "{}", ended.stderr);
}

#[test]
fn outliving_child_does_not_hold_the_report() {
    let Some(volume) = Volume::new() else { return };
    let (ended, record) = volume.judged(&[], "sleep 30 & exit 0");
    assert_eq!(ended.code, 0);
    assert!(has_finding(&record, "processes-left"), "{}", ended.stderr);
}

#[test]
fn engines_of_fio_are_judged() {
    let Some(volume) = Volume::new() else { return };
    if !is_there("fio") {
        return;
    }
    let fio = "fio --name=x --filename=t.dat --size=64M --runtime=1 --time_based --output-format=json \
               --rw=randread --bs=4k --invalidate=0 --fallocate=none";
    for engine in ["psync", "libaio", "io_uring"] {
        let (direct, cached) =
            (format!("{fio} --ioengine={engine} --direct=1"), format!("{fio} --ioengine={engine}"));
        again(|| {
            let (ended, record) = volume.judged(&[], &format!("exec {direct}"));
            match verdict(&record).as_str() {
                "verified" => Ok(()),
                found => Err(format!("{engine} past the page cache: {found}\n{}", ended.stderr)),
            }
        });
        volume.shell(WARM);
        let words = ["judge", "--strict", "--", "fio"];
        let words: Vec<&str> = words.into_iter().chain(cached.split_whitespace().skip(1)).collect();
        let ended: Ended =
            output(command_of(&words).current_dir(&volume.at).stdin(Stdio::null())).unwrap().into();
        assert_eq!(ended.code, 2, "{engine} in the page cache\n{}", ended.stderr);
        assert!(ended.stdout.contains("\"fio version\""), "{}", ended.stdout);
        assert!(ended.stderr.contains("claimed by fio's JSON"), "{}", ended.stderr);
    }
}

#[test]
fn record_serves_report_and_history() {
    let Some(volume) = Volume::new() else { return };
    let store = volume.at.join("history");
    let options = ["--save=a", "--store", store.to_str().unwrap(), "--out", "r.html", "--out", "r.txt"];
    let (ended, record) = volume.judged(&options, "dd if=t.dat of=/dev/null bs=1M iflag=direct");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    crate::common::schema::record(&fs::read(volume.at.join("r.json")).unwrap());
    assert_eq!(
        record["index"]["time_spans"][0]["parameters"]["targets"][0]["access"]["block_size"],
        Value::Null
    );
    let text = fs::read_to_string(volume.at.join("r.txt")).unwrap();
    assert!(text.contains("Judged program:") && !text.contains("Input parameters"), "{text}");
    assert!(volume.at.join("r.html").exists());
    let again: Ended = output(command_of(&["report", "r.json"]).current_dir(&volume.at)).unwrap().into();
    assert_eq!((again.code, again.stdout), (0, text));
    let list = ["history", "--store", store.to_str().unwrap()];
    let listed: Ended = output(&mut command_of(&list)).unwrap().into();
    assert!(listed.code == 0 && listed.stdout.contains('a'), "{}", listed.stderr);
    let rerun: Ended = output(command_of(&["rerun", "r.json"]).current_dir(&volume.at)).unwrap().into();
    assert_eq!(rerun.code, 3, "{}", rerun.stderr);
}

#[test]
fn watched_device_needs_no_command() {
    let Some(volume) = Volume::new() else { return };
    let device = volume.device.0.to_str().unwrap().to_owned();
    let report = volume.at.join("w.json");
    let words = ["judge", "--for", "300ms", "--out", report.to_str().unwrap(), &device];
    let ended: Ended = output(&mut command_of(&words)).unwrap().into();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let record: Value = read_json(report);
    assert_eq!(verdict(&record), "unknown");
    assert!(Path::new(&device).exists());
}

#[test]
fn zeros_over_zeros_are_not_verified() {
    let Some(volume) = Volume::new() else { return };
    let write = "dd if=/dev/zero of=z.dat bs=1M count=128 oflag=direct conv=notrunc";
    volume.has_verdict(write, write, &["cached"]);
    volume.has_verdict(write, "dd if=z.dat of=/dev/null bs=1M iflag=direct", &["verified", "coalesced"]);
    // Half of the file holds zeros, so zeros may have been written.
    let half = "dd if=/dev/urandom of=z.dat bs=1M count=32 oflag=direct conv=notrunc";
    let again = "dd if=z.dat of=z.dat bs=1M iflag=direct oflag=direct conv=notrunc";
    volume.has_verdict(half, again, &["unknown"]);
    let random = "dd if=/dev/urandom of=w.dat bs=1M count=64 oflag=direct";
    volume.has_verdict("rm -f w.dat", random, &["verified", "coalesced"]);
}

#[test]
fn reads_of_zeros_on_zram_are_named() {
    let Some(volume) = Volume::new() else { return };
    volume.shell(
        "dd if=/dev/zero of=z.dat bs=1M count=64 conv=fsync; yes word | dd of=w.dat bs=1M count=64 \
                  iflag=fullblock conv=fsync",
    );
    // Open for long enough to be seen.
    let read =
        |name: &str| format!("exec 3<{name}; sleep 0.3; dd bs=64k iflag=direct of=/dev/null <&3; sleep 0.3");
    for (name, is_reduced) in [("z.dat", true), ("w.dat", true), ("t.dat", false)] {
        let (ended, record) = volume.judged(&[], &read(name));
        let found = has_finding(&record, "content-compressible");
        assert_eq!(found, is_reduced, "{name}: {}", ended.stderr);
    }
}

#[test]
fn mapped_reads_are_not_called_read_ahead() {
    let Some(volume) = Volume::new() else { return };
    if !is_there("python3") {
        return;
    }
    let script = "python3 -c \"import mmap,os,time
f=os.open('t.dat',os.O_RDONLY)
m=mmap.mmap(f,0,prot=mmap.PROT_READ)
for turn in range(3): sum(m[place] for place in range(0,len(m),4096))
time.sleep(1)\"";
    // The file stays open, so that it is seen also on a busy machine.
    again(|| {
        volume.shell("dd of=t.dat oflag=nocache conv=notrunc,fdatasync count=0");
        let (ended, record) = volume.judged(&[], script);
        let found = verdict(&record);
        match ["unknown", "amplified"].contains(&found.as_str()) && ended.stderr.contains("memory-mapped") {
            true => Ok(()),
            false => Err(format!("{found}: {}", ended.stderr)),
        }
    });
}

#[test]
fn client_of_daemon_is_named() {
    let Some(volume) = Volume::new() else { return };
    let docker = "cp /bin/sleep docker; ./docker 0.5";
    again(|| {
        let (ended, record) = volume.judged(&[], docker);
        match has_finding(&record, "io-elsewhere") {
            true => Ok(()),
            false => Err(ended.stderr),
        }
    });
    let (ended, record) = volume.judged(&[], "dd if=t.dat of=/dev/null bs=1M iflag=direct");
    assert!(!has_finding(&record, "io-elsewhere"), "{}", ended.stderr);
}

#[test]
fn dropped_counters_leave_verdict_open() {
    let Some(volume) = Volume::new() else { return };
    if !is_there("python3") {
        return;
    }
    let script = "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
                  if os.fork() == 0:\n    os.execvp('dd', ['dd', 'if=t.dat', 'of=/dev/null', 'bs=4k', \
                  'iflag=direct'])\ntime.sleep(1.5)\n";
    fs::write(volume.at.join("ignore.py"), script).unwrap();
    again(|| {
        let (ended, record) = volume.judged(&[], "exec python3 ignore.py");
        match (record["program"]["dropped"].as_u64(), verdict(&record).as_str()) {
            (Some(1), "unknown") => Ok(()),
            found => Err(format!("{found:?}\n{}", ended.stderr)),
        }
    });
}

#[test]
fn watched_folder_names_its_users() {
    let Some(volume) = Volume::new() else { return };
    let mut reader = std::process::Command::new("sh");
    let read = "while :; do dd if=t.dat of=/dev/null bs=64k iflag=direct; sleep 0.01; done 3<t.dat";
    let mut reader = reader.args(["-c", read]).current_dir(&volume.at).stderr(Stdio::null()).spawn().unwrap();
    let (report, stream) = (volume.at.join("w.json"), volume.at.join("s.jsonl"));
    let words = ["judge", "--for", "1500ms", "--out", report.to_str().unwrap(), "--stream"];
    let words = [&words[..], &[stream.to_str().unwrap(), "."]].concat();
    let ended: Ended = output(command_of(&words).current_dir(&volume.at)).unwrap().into();
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let record: Value = read_json(report);
    let users = record["program"]["users"].as_array().cloned().unwrap_or_default();
    let shell = users.iter().find(|user| user["pid"] == reader.id());
    let read = shell.and_then(|user| user["read_bytes"].as_u64());
    assert!(read.is_some_and(|bytes| bytes > 0), "{users:?}\n{}", ended.stderr);
    assert!(has_finding(&record, "target-users"), "{}", ended.stderr);
    let lines = fs::read_to_string(stream).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ios: u64 = lines.map(|line| line["read"]["ios"].as_u64().unwrap()).sum();
    assert!(ios > 0);
}

#[test]
fn device_view_shows_sizes_and_sequence() {
    let Some(volume) = Volume::new() else { return };
    again(|| {
        let read = "for i in $(seq 40); do dd if=t.dat of=/dev/null bs=16k iflag=direct; done";
        let (ended, record) = volume.judged(&[], read);
        let view = &record["program"]["device_view"]["requests"];
        let sizes = view["read"]["sizes"].as_array().cloned().unwrap_or_default();
        let largest = sizes.iter().max_by_key(|class| class["count"].as_u64()).cloned().unwrap_or_default();
        let count = |name: &str| view["read"][name].as_u64().unwrap_or(0);
        match (largest["from"].as_u64(), count("sequential") * 2 > count("requests")) {
            (Some(16_384), true) => Ok(()),
            found => Err(format!("{found:?} {view}\n{}", ended.stderr)),
        }
    });
}
