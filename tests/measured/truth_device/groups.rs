//! Tests of I/O limits of control groups (version 1), each for a device and a group.

use super::*;

/// Group of the block I/O controller, removed on drop.
struct Group(PathBuf);

impl Group {
    fn new(above: &Path, name: &str) -> Option<Group> {
        let group = Group(above.join(format!("{name}-{}", std::process::id())));
        if fs::create_dir(&group.0).is_err() || !group.0.join("blkio.throttle.read_iops_device").exists() {
            skip("no control group of version 1 limits I/O here");
            return None;
        }
        Some(group)
    }

    /// Reads a second on a device; 0 = no limit.
    fn limit(&self, device: &Path, reads: u64) {
        let name = device.file_name().unwrap().to_str().unwrap();
        let number = fs::read_to_string(format!("/sys/class/block/{name}/dev")).unwrap();
        let line = format!("{} {reads}", number.trim());
        fs::write(self.0.join("blkio.throttle.read_iops_device"), line).unwrap();
    }

    fn take(&self, process: u32) {
        fs::write(self.0.join("cgroup.procs"), process.to_string()).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let program = command_of(arguments);
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(self.0.join("cgroup.procs"));
        command.arg(program.get_program()).args(program.get_args());
        crate::common::output(&mut command).unwrap().into()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Who was in it may not have ended yet.
        let gone = (0..100).any(|_| {
            let gone = fs::remove_dir(&self.0).is_ok();
            std::thread::sleep(std::time::Duration::from_millis(if gone { 0 } else { 50 }));
            gone
        });
        assert!(gone || std::thread::panicking(), "{} stays", self.0.display());
    }
}

fn two() -> Option<(Mounted, Looped, Looped)> {
    let disk = Mounted::new("ext4", 256, "rw")?;
    let files = [disk.filled("one", 32), disk.filled("other", 32)];
    let [one, other] = files.map(|file| Looped::new(&file, &["--direct-io=on"]));
    Some((disk, one?, other?))
}

const ROOT: &str = "/sys/fs/cgroup/blkio";
const RUN: [&str; 6] = ["-b4K", "-r", "-o4", "-Su", "-W0", "-d2"];

#[test]
fn limited_target_of_two_is_named() {
    let Some((_disk, one, other)) = two() else { return };
    let Some(group) = Group::new(Path::new(ROOT), "diskspd-limit") else { return };
    group.limit(&one.0, 300);
    let (first, second) = (one.0.to_str().unwrap(), other.0.to_str().unwrap());
    crate::common::again(|| {
        let ended = crate::common::calm(|| group.run(&[&RUN[..], &[first, second]].concat()));
        ended.report();
        let name = one.0.file_name().unwrap().to_str().unwrap();
        let right = ended.stderr.contains(&format!(" on {name} ("))
            && ended.stderr.contains(&format!("below '{first}' alone"))
            && ended.stderr.contains("riops=300");
        right.then_some(()).ok_or(ended.stderr)
    });
    // The limit of the one says nothing about the other.
    let ended = group.run(&[&RUN[..], &[second]].concat());
    assert!(!ended.stderr.contains("I/O limit"), "{}", ended.stderr);
}

#[test]
fn limit_of_a_parent_group_is_not_in_force() {
    let Some((_disk, one, _other)) = two() else { return };
    let Some(above) = Group::new(Path::new(ROOT), "diskspd-above") else { return };
    let Some(group) = Group::new(&above.0, "in") else { return };
    above.limit(&one.0, 300);
    let line = [&RUN[..], &[one.0.to_str().unwrap()]].concat();
    let ended = group.run(&line);
    assert!(ended.report().total("Total IO").ios > 1200, "it is in force here: {}", ended.stdout);
    assert!(!ended.stderr.contains("control group limits the I/O"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("I/O limit"), "{}", ended.stderr);
    let ended = above.run(&line);
    assert!(ended.stderr.contains("control group limits the I/O"), "{}", ended.stderr);
}

#[test]
fn limits_and_group_changes_during_the_run_are_reported() {
    let Some((_disk, one, _other)) = two() else { return };
    let Some(group) = Group::new(Path::new(ROOT), "diskspd-later") else { return };
    let Some(empty) = Group::new(Path::new(ROOT), "diskspd-none") else { return };
    let line = "-b4K -r -o4 -Su -W0 -d5 {}";
    for moves in [false, true] {
        group.limit(&one.0, if moves { 300 } else { 0 });
        let running = Running::until(": measuring", line, &one.0);
        let id = crate::common::worker_process(running.child.id());
        (if moves { &empty } else { &group }).take(id);
        std::thread::sleep(std::time::Duration::from_millis(1500));
        if moves {
            group.take(id)
        } else {
            group.limit(&one.0, 300)
        }
        let ended = running.end();
        let words = ["control groups changed during the measurement", "an I/O limit of the control group"];
        for words in words {
            assert!(ended.stderr.contains(words), "{moves} {words}: {}", ended.stderr);
        }
        assert_eq!(ended.stderr.contains("was moved to another control group"), moves, "{}", ended.stderr);
    }
}
