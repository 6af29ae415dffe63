//! Missing flushes, zeros, first writes, and changes by other processes.

use super::*;

/// Returns the names of a run's warnings and worse findings, and its verdict.
fn findings(line: &str, target: &Path) -> (Vec<String>, String) {
    let (_directory, record) = crate::common::directory_with("run.json");
    let ended = diskspd(&format!("--out={} {line}", record.display()), target);
    ended.report();
    findings_of(&record)
}

fn findings_of(record: &Path) -> (Vec<String>, String) {
    let record: Value = read_json(record);
    let findings = record["judgement"]["findings"].as_array().unwrap().iter();
    let worse = findings.filter(|finding| finding["severity"] != "note");
    let names = worse.map(|finding| finding["name"].as_str().unwrap().to_owned()).collect();
    (names, record["judgement"]["verdicts"][0]["verdict"].as_str().unwrap().to_owned())
}

#[track_caller]
fn has(line: &str, target: &Path, name: &str, expected: bool) {
    let (names, _) = findings(line, target);
    assert_eq!(names.iter().any(|found| found == name), expected, "{line}: {name}: {names:?}");
}

#[test]
fn dropped_flushes_are_reported() {
    const FSYNC: &str = "-b4K -r -w100 -Su --fsync-every=8 -W0 -d1 {}";
    const THROUGH: &str = "-b4K -r -w100 -Sh -W0 -d1 --destroy {}";
    let Some((disk, at)) = crate::common::loops::Loop::with_file_system(96 * MIB, "ext4") else { return };
    let file = at.join("a");
    fs::write(&file, random(16 << 20)).unwrap();
    has(FSYNC, &file, "not-flushed", false);
    let remount = |option: &str| run("mount", &["-o", &format!("remount,{option}"), at.to_str().unwrap()]);
    remount("nobarrier").unwrap();
    has(FSYNC, &file, "not-flushed", true);
    has("-b4K -r -w100 -Su --flush-after -W0 -d1 {}", &file, "not-flushed", true);
    has("-b4K -r -w100 -Su -W0 -d1 {}", &file, "not-flushed", false);
    has("-b4K -r -Su -W0 -d1 {}", &file, "not-flushed", false);
    remount("barrier").unwrap();
    if let Some(looped) = Looped::new(&file, &["--direct-io=on"]) {
        let name = looped.0.file_name().unwrap().to_str().unwrap();
        let _set = Setting::set(format!("/sys/block/{name}/queue/write_cache").into(), "write through");
        has(THROUGH, &looped.0, "not-flushed", true);
    }
    let (lower, upper) = (at.join("lower"), at.join("upper"));
    let (work, merged) = (at.join("work"), tempfile::tempdir_in("/var/tmp").unwrap());
    [&lower, &upper, &work].iter().for_each(|folder| fs::create_dir(folder).unwrap());
    let places =
        format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), work.display());
    let options = format!("{places},volatile");
    if run("mount", &["-t", "overlay", "overlay", "-o", &options, merged.path().to_str().unwrap()]).is_some()
    {
        let file = merged.path().join("a");
        fs::write(&file, random(16 << 20)).unwrap();
        has(FSYNC, &file, "not-flushed", true);
        unmount(merged.path());
    }
    drop(disk);
}

#[test]
fn durable_writes_to_memory_are_reported() {
    let memory = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    memory.as_file().write_all_at(&random(1 << 20), 0).unwrap();
    has("-b4K -r -w100 -Sw -W0 -d1 {}", memory.path(), "not-durable", true);
    has("-b4K -r -w100 --fsync-every=8 -W0 -d1 {}", memory.path(), "not-durable", true);
    has("-b4K -r -w100 -W0 -d1 {}", memory.path(), "not-durable", false);
    has("-b4K -r -Sw -W0 -d1 {}", memory.path(), "not-durable", false);
}

#[test]
fn zeros_on_a_direct_loop_device_are_not_deferred() {
    let Some(disk) = Mounted::new("ext4", 512, "rw") else { return };
    let Some(looped) = Looped::new(&disk.filled("image", 256), &["--direct-io=on"]) else { return };
    let own = diskspd("-b64K -r -w100 -Zr --write-zeroes=50 -Su -W0 -d1 --destroy {}", &looped.0);
    assert!(!verdict(&own).contains("DEFERRED"), "{}", own.stderr);
    let node = looped.0.to_str().unwrap().to_owned();
    let zeros = ["-f", "-z", "-o", "128M", "-l", "64M"];
    if run("blkdiscard", &[&zeros[..], &[&node]].concat()).is_none() {
        return;
    }
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let other = std::thread::spawn({
        let stop = stop.clone();
        move || {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                run("blkdiscard", &[&zeros[..], &[&node]].concat());
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    });
    let (_, verdict) = findings("-b4K -r -f64M -Su -W0 -d1 {}", &looped.0);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    other.join().unwrap();
    assert_eq!(verdict, "shared", "zeros of another program");
}

#[test]
fn first_writes_are_reported_until_the_area_is_written() {
    let Some(disk) = Mounted::new("xfs", 512, "rw") else { return };
    let (allocated, sparse, clone) = (disk.file("allocated"), disk.file("sparse"), disk.file("clone"));
    const WRITES: &str = "-b64K -r -w100 -Zr -Su -W0 -d1 {}";
    if run("fallocate", &["-l", "16M", allocated.to_str().unwrap()]).is_none() {
        return;
    }
    File::create(&sparse).unwrap().set_len(16 * MIB).unwrap();
    let original = disk.filled("original", 16);
    for (what, file) in [("unwritten extents", &allocated), ("holes", &sparse)] {
        eprintln!("{what}");
        // So few writes that most find a place of their own.
        has("-b64K -r -w100 -g640 -Zr -Su -W0 -d1 {}", file, "first-writes", true);
        fs::write(file, random(16 << 20)).unwrap();
        File::open(file).unwrap().sync_all().unwrap();
        has(WRITES, file, "first-writes", false);
    }
    let reflink = ["--reflink=always", original.to_str().unwrap(), clone.to_str().unwrap()];
    if run("cp", &reflink).is_some() {
        has("-b64K -r -w100 -g640 -Zr -Su -W0 -d1 {}", &clone, "first-writes", true);
    }
    File::create(&sparse).unwrap().set_len(16 * MIB).unwrap();
    has("--prefill -b64K -r -w100 -Zr -Su -W0 -d1 {}", &sparse, "first-writes", false);
    let image = disk.file("image");
    File::create(&image).unwrap().set_len(64 * MIB).unwrap();
    if let Some(looped) = Looped::new(&image, &["--direct-io=on"]) {
        has("-b64K -r -w100 -g640 -Zr -Su -W0 -d1 --destroy {}", &looped.0, "first-writes", true);
    }
}

#[test]
fn clones_within_a_file_are_reported() {
    let Some(disk) = Mounted::new("xfs", 512, "rw") else { return };
    let (one, many) = (disk.filled("one", 1), disk.file("many"));
    for place in 0..16 {
        let clone = format!("reflink {} 0 {place}m 1m", one.display());
        if run("xfs_io", &["-f", "-c", &clone, many.to_str().unwrap()]).is_none() {
            return;
        }
    }
    has("-b64K -r -Su -W0 -d1 {}", &many, "content-clones", true);
    has("-b64K -r -Su -W0 -d1 {}", &disk.filled("plain", 16), "content-clones", false);
}

#[test]
fn changes_by_other_processes_are_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let file = disk.filled("a", 16);
    let during = |change: &dyn Fn(), name: &str| {
        let (_directory, record) = crate::common::directory_with("run.json");
        let line = format!("--out={} -b4K -r -w100 -Zr -Su -W0 -d3 {{}}", record.display());
        let running = Running::until(": measuring", &line, &file);
        // The first state is read once a second.
        std::thread::sleep(std::time::Duration::from_millis(1200));
        change();
        running.end().report();
        let (names, _) = findings_of(&record);
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    };
    during(&|| File::options().write(true).open(&file).unwrap().set_len(24 * MIB).unwrap(), "file-changed");
    let name = disk.device.0.file_name().unwrap().to_str().unwrap().to_owned();
    let cache = PathBuf::from(format!("/sys/block/{name}/queue/read_ahead_kb"));
    let old = fs::read_to_string(&cache).unwrap();
    during(&|| fs::write(&cache, "64").unwrap(), "settings-changed");
    fs::write(&cache, old).unwrap();
    during(&|| fs::remove_file(&file).unwrap(), "file-changed");
}

/// Runs a line on a target, with a change by another process after its start. Returns the names of the
/// warnings.
fn names_during(line: &str, target: &Path, change: &dyn Fn()) -> Vec<String> {
    let directory = crate::common::directory();
    let record = directory.path().join("run.json");
    let line = format!("--out={} {line} -W0 -d3 {{}}", record.display());
    let running = Running::until(": measuring", &line, target);
    std::thread::sleep(std::time::Duration::from_millis(1200));
    change();
    running.end().report();
    findings_of(&record).0
}

const READS: &str = "-b4K -r -o1 -g500i -Su";

#[test]
fn space_emptied_by_others_is_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let is_changed = |line: &str, target: &Path, expected: bool, words: &[&str]| {
        let names = names_during(line, target, &|| {
            run(words[0], &words[1..]);
        });
        assert_eq!(names.iter().any(|name| name == "file-changed"), expected, "{words:?}: {names:?}");
    };
    let file = disk.filled("a", 32);
    let name = file.to_str().unwrap();
    is_changed(READS, &file, true, &["fallocate", "-p", "-o", "0", "-l", "24M", name]);
    disk.filled("a", 32);
    is_changed("-b4K -r -w50 -Zr -o1 -g500i -Su", &file, true, &["fallocate", "-z", "-l", "24M", name]);
    is_changed(READS, &disk.filled("b", 16), false, &["sync"]);
    if let Some(looped) = Looped::new(&disk.filled("c", 32), &["--direct-io=on"]) {
        is_changed(READS, &looped.0, true, &["blkdiscard", "-f", looped.0.to_str().unwrap()]);
    }
    let Some(zram) = raw(32) else { return };
    is_changed(READS, &zram.0, false, &["sync"]);
    is_changed(READS, &zram.0, true, &["blkdiscard", "-f", zram.0.to_str().unwrap()]);
}

#[test]
fn clones_during_writes_are_reported() {
    let Some(disk) = Mounted::new("xfs", 512, "rw") else { return };
    let (file, clone) = (disk.filled("a", 16), disk.file("clone"));
    let copy = || {
        run("cp", &["--reflink=always", file.to_str().unwrap(), clone.to_str().unwrap()]);
    };
    for (line, expected) in [("-b64K -r -w100 -Zr -o1 -g640 -Su", true), (READS, false)] {
        let names = names_during(line, &file, &copy);
        if !clone.exists() {
            return;
        }
        assert_eq!(names.iter().any(|name| name == "file-changed"), expected, "{line}: {names:?}");
    }
}

#[test]
fn changed_loop_devices_are_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let Some(looped) = Looped::new(&disk.filled("a", 32), &["--direct-io=on"]) else { return };
    let node = looped.0.to_str().unwrap();
    let is_changed = |change: &dyn Fn()| {
        let names = names_during(READS, &looped.0, change);
        names.iter().any(|name| name == "settings-changed")
    };
    assert!(!is_changed(&|| ()));
    assert!(is_changed(&|| _ = run("losetup", &["--direct-io=off", node])));
    let grow = || {
        File::options().write(true).open(disk.file("a")).unwrap().set_len(48 * MIB).unwrap();
        run("losetup", &["-c", node]);
    };
    assert!(is_changed(&grow));
}

/// Returns a loop device on a disk, because memory has no write cache.
fn direct_loop(mib: u64) -> Option<crate::common::loops::Loop> {
    let fill = |file: &File| file.write_all_at(&random((mib << 20) as usize), 0).unwrap();
    crate::common::loops::Loop::with(mib << 20, &["--direct-io=on"], fill)
}

/// Sequence of programs that live for some milliseconds, ended on drop.
struct ShortLived(std::process::Child, tempfile::NamedTempFile);

impl ShortLived {
    fn reading(device: &Path, delay_s: &str) -> ShortLived {
        let flag = tempfile::NamedTempFile::new().unwrap();
        let script = "sleep $3; while [ -e $2 ]; do dd if=$1 of=/dev/null bs=1M count=4 iflag=direct; done";
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(device).arg(flag.path()).arg(delay_s);
        shell.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        ShortLived(crate::common::while_nothing_starts(|| shell.spawn()).unwrap(), flag)
    }
}

impl Drop for ShortLived {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.1.path());
        let _ = self.0.wait();
    }
}

#[test]
fn short_lived_programs_on_the_device_are_shared() {
    const LINE: &str = "-b4K -r -o1 -g100i -Su -W0 -d2 {}";
    let [Some(looped), Some(other)] = [64, 64].map(direct_loop) else { return };
    let on_loop = |device: &Path| {
        let (_directory, record) = crate::common::directory_with("run.json");
        diskspd(&format!("--out={} {LINE}", record.display()), device).report();
        let record: Value = read_json(&record);
        let verdict = &record["judgement"]["verdicts"][0]["parts"][0];
        let name = device.file_name().unwrap().to_str().unwrap();
        let lines = verdict["evidence"].as_array().into_iter().flatten().chain([&verdict["message"]]);
        let lines: Vec<&str> = lines.filter_map(Value::as_str).collect();
        eprintln!("{lines:?}");
        lines.iter().any(|line| line.contains(&format!("used {name} during the run")))
    };
    assert!(!on_loop(&looped.device), "no other program");
    let none = ShortLived::reading(&other.device, "0");
    assert!(!on_loop(&looped.device), "programs on another device");
    drop(none);
    let all_the_time = ShortLived::reading(&looped.device, "0");
    assert!(on_loop(&looped.device), "programs during the whole run");
    drop(all_the_time);
    let late = ShortLived::reading(&looped.device, "1");
    assert!(on_loop(&looped.device), "programs in the second half");
    drop(late);
}

#[test]
fn small_areas_of_devices_are_reported() {
    let [Some(looped), Some(small)] = [64, 2].map(direct_loop) else { return };
    let name = "small-area";
    for (line, device, expected) in [
        ("-b64K -r -f1M -Su -W0 -d1 {}", &looped, true),
        ("-b64K -r -f64K -Su -W0 -d1 {}", &looped, true),
        ("-b64K -B60M -f61M -Su -W0 -d1 {}", &looped, true),
        ("-b64K -r -f1M -w50 --destroy -Su -W0 -d1 {}", &looped, true),
        ("-b64K -r -Su -W0 -d1 {}", &small, true),
        ("-b64K -r -Su -W0 -d1 {}", &looped, false),
        ("-b64K -r -f1M -g20i -Su -W0 -d1 {}", &looped, false),
        ("-b64K -r -f1M -w100 --destroy -Sh -W0 -d1 {}", &looped, false),
    ] {
        has(line, &device.device, name, expected);
    }
}
