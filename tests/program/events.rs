//! Events between processes: `-ys -yf -yr -yp -ye` and `diskspd event`.

#![allow(clippy::unwrap_used)]

use crate::common::{Running, diskspd, tool};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Unique name of an event, whose file is removed on drop.
struct Name {
    name: String,
    file: PathBuf,
}

impl Name {
    fn new(kind: &str) -> Name {
        let name = format!("test-{}-{kind}", std::process::id());
        let file = Path::new("/dev/shm").join(format!("diskspd.event.{name}"));
        Name { name, file }
    }

    fn is_set(&self) -> bool {
        std::fs::metadata(&self.file).is_ok_and(|found| found.len() > 0)
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Runs in virtual time or on nothing: events do not depend on the storage.
const NULL: &str = "--engine null -c1M -b4K -o1";

fn nowhere() -> &'static Path {
    Path::new("/nonexistent/target.dat")
}

/// Starts a run, and waits for this output.
fn until(text: &str, line: &str) -> Running {
    Running::until(text, line, nowhere())
}

#[test]
fn two_runs_wait_and_start_by_one_event() {
    let go = Name::new("go");
    let line = format!("{NULL} -W0 -d1 -yr{} {{}}", go.name);
    let waiting = [until("waiting for the event", &line), until("waiting for the event", &line)];
    let set = diskspd(&format!("-ye{}", go.name), nowhere());
    assert_eq!((set.code, set.stderr.as_str()), (1, ""), "as DISKSPD, it ends with 1");
    assert_eq!(set.stdout, format!("event '{}' is set\n", go.name));
    for run in waiting {
        assert!(run.end().report().total("Total IO").ios > 0);
    }
}

#[test]
fn unopened_event_cannot_be_set() {
    let name = Name::new("missing");
    diskspd(&format!("-ye{}", name.name), nowhere()).fails(1, &[&name.name, "no such event"]);
    diskspd(&format!("event set {}", name.name), nowhere()).fails(1, &[&name.name, "no such event"]);
    diskspd(&format!("event reset {}", name.name), nowhere()).fails(1, &[&name.name, "no such event"]);
    assert!(!name.file.exists());
    std::fs::write(&name.file, "left over").unwrap();
    diskspd(&format!("-ye{}", name.name), nowhere()).fails(1, &["no such event"]);
}

#[test]
fn leftover_event_does_not_start_a_run() {
    let go = Name::new("stale");
    std::fs::write(&go.file, "set by a run that is long over").unwrap();
    let run = until("waiting for the event", &format!("{NULL} -W0 -d1 -yr{} {{}}", go.name));
    assert!(!go.is_set());
    assert!(tool(&format!("{} event set {}", env!("CARGO_BIN_EXE_diskspd"), go.name)).is_some());
    assert!(run.end().report().total("Total IO").ios > 0);
}

#[test]
fn event_is_set_despite_a_later_command_line_error() {
    let go = Name::new("wrong");
    let run = until("waiting for the event", &format!("{NULL} -W0 -d1 -yr{} {{}}", go.name));
    diskspd(&format!("-ye{} -b {{}}", go.name), nowhere()).fails(3, &["-b"]);
    // -b is read in the first pass, before any event: nothing was set. What stands behind is another matter.
    assert!(!go.is_set());
    diskspd(&format!("-ye{} -t0 {{}}", go.name), nowhere()).fails(3, &["-t"]);
    assert!(run.end().report().total("Total IO").ios > 0);
}

#[test]
fn events_mark_start_and_end_of_measurement() {
    let (begin, finish) = (Name::new("begin"), Name::new("end"));
    let script = |name: &Name| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
        let waiting = command.args(["event", "wait", &name.name]).stdout(Stdio::null()).spawn().unwrap();
        // Until the script has it open, it would miss nothing but this test's order.
        while !name.file.exists() {
            std::thread::yield_now();
        }
        waiting
    };
    let (mut at_begin, mut at_end) = (script(&begin), script(&finish));
    let line = format!("{NULL} -W1 -d2 -C600 -ys{} -yf{} {{}}", begin.name, finish.name);
    let run = until("warming up", &line);
    assert!(!begin.is_set() && !finish.is_set());
    assert!(at_begin.wait().unwrap().success());
    assert!(at_end.wait().unwrap().success(), "before the cool-down is over");
    tool(&format!("kill -INT {}", run.child.id())).unwrap();
    assert!(run.end().report().total("Total IO").ios > 0);
    assert!(!begin.file.exists() && !finish.file.exists(), "nothing stays behind");
}

#[test]
fn stop_event_ends_a_run_in_any_phase() {
    let stop = Name::new("stop");
    let wait = Name::new("never");
    for (phase, options, measured) in [
        ("waiting for the event", format!("-W600 -d600 -yr{}", wait.name), false),
        ("warming up", "-W600 -d600".into(), false),
        ("measuring", "-W0 -d600".into(), true),
        ("cooling down", "-W0 -d1 -C600".into(), true),
    ] {
        let run = until(phase, &format!("{NULL} {options} -yp{} {{}}", stop.name));
        diskspd(&format!("-ye{}", stop.name), nowhere());
        let ended = run.end();
        assert!(!stop.file.exists() && !wait.file.exists(), "{phase}: nothing stays behind");
        assert_eq!(ended.code, 0, "{phase}: {}", ended.stderr);
        assert_eq!(!ended.stdout.contains("interrupted before the measurements began"), measured, "{phase}");
    }
}

#[test]
fn ctrl_c_sets_the_stop_event() {
    let (go, stop) = (Name::new("go-not"), Name::new("stop-all"));
    let line = format!("{NULL} -W600 -d600 -yr{} -yp{} {{}}", go.name, stop.name);
    let runs = [until("waiting for the event", &line), until("waiting for the event", &line)];
    tool(&format!("kill -INT {}", runs[0].child.id())).unwrap();
    for run in runs {
        let ended = run.end().succeeds();
        assert!(ended.stdout.contains("interrupted before the measurements began"), "{}", ended.stdout);
    }
    assert!(!stop.file.exists() && !go.file.exists(), "nothing stays behind");
}

#[test]
fn simulated_runs_obey_events() {
    let (begin, finish) = (Name::new("sim-begin"), Name::new("sim-end"));
    let line = format!("--engine sim -c1M -b4K -W0 -d1 -ys{} -yf{} {{}}", begin.name, finish.name);
    diskspd(&line, nowhere()).report();
    assert!(!begin.file.exists() && !finish.file.exists(), "nothing stays behind");
}

#[test]
fn unusable_event_is_refused_before_the_run() {
    let link = Name::new("link");
    std::os::unix::fs::symlink("/etc/passwd", &link.file).unwrap();
    for option in ["-ys", "-yf", "-yr", "-yp"] {
        let ended = diskspd(&format!("{NULL} -W0 -d600 {option}{} {{}}", link.name), nowhere());
        ended.fails(1, &[option, &link.name, "is not an event"]);
        let ended = diskspd(&format!("{NULL} -W0 -d600 {option} {{}}"), nowhere());
        ended.fails(1, &[option, "has no name"]);
    }
    // A profile is printed, and a plan told, without events.
    diskspd(&format!("-Rp -ys{} {{}}", link.name), nowhere()).report();
    diskspd(&format!("--dry-run {NULL} -ys{} {{}}", link.name), nowhere()).report();
}
