//! Tests of effects of lower devices: devices served by programs, overlays, switched counters, small I/O
//! of other processes.

use super::*;

/// File system served by a program, over a directory.
struct Served(tempfile::TempDir);

impl Served {
    fn new(program: &str, options: &[&str], below: &Path) -> Option<Served> {
        let at = tempfile::tempdir_in("/var/tmp").unwrap();
        let places = [below.to_str().unwrap(), at.path().to_str().unwrap()];
        run(program, &[options, &places].concat())?;
        Some(Served(at))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        unmount(self.0.path());
    }
}

#[test]
fn device_over_served_file_is_unknown_and_strict_fails() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let below = disk.filled("image", 32);
    let below = below.parent().unwrap();
    for (program, options) in [
        ("bindfs", &["--no-allow-other"][..]),
        ("bindfs", &["--no-allow-other", "-o", "direct_io"]),
        ("mergerfs", &["-o", "cache.files=off"]),
    ] {
        let Some(served) = Served::new(program, options, below) else { return };
        let file = served.0.path().join("image");
        for direct in ["--direct-io=on", "--direct-io=off"] {
            let Some(looped) = Looped::new(&file, &[direct]) else { return };
            let ended = diskspd("-b4K -r -o2 -Su -W0 -d1 --strict {}", &looped.0);
            let told = verdict(&ended).starts_with("UNKNOWN (WARNING): the storage below");
            assert!(told, "{program} {direct}: {}", ended.stderr);
            assert!(ended.stderr.contains("a program serves the files"), "{}", ended.stderr);
            assert_eq!(ended.code, 2, "{program} {direct}");
        }
        expect_verdict("-b4K -r -o2 -W0 -d1 {}", &file, "UNKNOWN", "a program serves the files");
    }
}

struct Overlay(tempfile::TempDir);

impl Overlay {
    fn new(lower: &Path, upper: &Path) -> Option<Overlay> {
        let at = tempfile::tempdir_in("/var/tmp").unwrap();
        let (data, work) = (upper.join("data"), upper.join("work"));
        fs::create_dir(&data).unwrap();
        fs::create_dir(&work).unwrap();
        let options =
            format!("lowerdir={},upperdir={},workdir={}", lower.display(), data.display(), work.display());
        run("mount", &["-t", "overlay", "overlay", "-o", &options, at.path().to_str()?])?;
        Some(Overlay(at))
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        unmount(self.0.path());
    }
}

#[test]
fn overlay_file_is_attributed_to_its_open_layer() {
    let Some(lower) = Mounted::new("ext4", 256, "rw") else { return };
    let Some(upper) = Mounted::new("ext4", 256, "rw") else { return };
    lower.filled("a", 32);
    let record = lower.file("run.json");
    let device = |mounted: &Mounted| mounted.device.0.file_name().unwrap().to_str().unwrap().to_owned();
    {
        let Some(overlay) = Overlay::new(lower.at.path(), upper.at.path()) else { return };
        let file = overlay.0.path().join("a");
        for (options, on) in [("", &lower), ("-w100 -Zr", &upper), ("", &upper)] {
            let line = format!("-b4K -r -o4 -Su {options} -W0 -d1 --strict --out={} {{}}", record.display());
            let ended = diskspd(&line, &file);
            ended.report();
            assert!(verdict(&ended).starts_with("VERIFIED: "), "{options}: {}", ended.stderr);
            assert_eq!(ended.code, 0, "{options}: {}", ended.stderr);
            assert_eq!(part_of(&record)["devices"][0], device(on), "{options}");
        }
    }
    // The same with the upper directory in memory.
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let Some(overlay) = Overlay::new(lower.at.path(), memory.path()) else { return };
    let file = overlay.0.path().join("a");
    expect_verdict("-b4K -r -o4 -Su -W0 -d1 {}", &file, "VERIFIED: ", "");
    let words = "tmpfs keeps its files in memory: these I/Os were done in memory";
    expect_verdict("-b4K -r -w100 -Zr -o4 -Su -W0 -d1 {}", &file, "CACHED (WRONG): the overlay at", words);
    // A loop device over such a file.
    let Some(looped) = Looped::new(&file, &[]) else { return };
    let words = "a loop device over a file in memory";
    expect_verdict("-b4K -r -o4 -Su -W0 -d1 {}", &looped.0, "CACHED (WRONG)", words);
}

#[test]
fn toggled_statistics_give_unknown_not_cached() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let file = disk.filled("image", 64);
    for times in [1, 2] {
        let Some(looped) = Looped::new(&file, &["--direct-io=on"]) else { return };
        let name = looped.0.file_name().unwrap().to_str().unwrap();
        let switch = PathBuf::from(format!("/sys/block/{name}/queue/iostats"));
        let running = Running::until(": measuring", "-b4K -r -o4 -Su -W0 -d4 --strict {}", &looped.0);
        let second = std::time::Duration::from_secs(1);
        // Off to the end; off for a while only.
        std::thread::sleep(second / 2);
        let off = Setting::set(switch, "0");
        if times == 1 {
            let ended = running.end();
            drop(off);
            device_message(&ended);
        } else {
            std::thread::sleep(second * 2);
            drop(off);
            device_message(&running.end());
        }
    }
    fn device_message(ended: &Ended) {
        let line = verdict(ended);
        assert!(line.starts_with("UNKNOWN (WARNING)"), "{}", ended.stderr);
        assert!(line.contains("statistics"), "{}", ended.stderr);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
    }
}

#[test]
fn small_io_of_others_is_reported_by_count() {
    let Some(disk) = raw(64) else { return };
    let _others = Running::until(": measuring", "-b4K -r -o1 -g800i -Su -W0 -d600 {}", &disk.0);
    let words = "I/Os (";
    expect_verdict("-b1M -r -o1 -g40000 -Su -W0 -d2 {}", &disk.0, "SHARED (WARNING)", words);
}

#[test]
fn foreign_writes_during_reading_run_are_shared() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let (image, other) = (disk.filled("image", 32), disk.filled("other", 32));
    let Some(looped) = Looped::new(&image, &["--direct-io=on"]) else { return };
    let line = "-b64K -r -w100 -Zr -o1 -g20000 -Su -W0 -d600 {}";
    let _others = Running::until(": measuring", line, &other);
    expect_verdict("-b64K -r -o1 -g20000 -Su -W0 -d1 {}", &looped.0, "SHARED", "were not this run's");
}
