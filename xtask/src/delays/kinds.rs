//! The kinds of delays: how each is staged, and what has to be blamed for it.

use super::scene::{Group, Scene};
use crate::Failure;
use diskspd::results::{Culprit, CulpritKind, IoStage};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A kind of delay.
pub struct DelayKind {
    /// What it is called.
    pub name: &'static str,
    /// How the run is done.
    pub options: &'static str,
    /// What it runs on.
    pub target: fn(&Scene) -> String,
    /// Holds up the run of this process for so long.
    pub stage: fn(&Scene, u32, Duration) -> Result<(), Failure>,
    /// Whether the longest stage of an I/O and its culprit are those of this delay.
    pub is_it: fn(IoStage, Option<&Culprit>) -> bool,
}

/// All of them. CPU 0 is where the thread of the run is.
pub const KINDS: [DelayKind; 7] = [
    DelayKind {
        name: "SIGSTOP",
        options: "-b4K -r -o4 -Su",
        target: |scene| scene.inner.clone(),
        stage: |_, process, length| {
            signal("STOP", process)?;
            sleep(length);
            signal("CONT", process)
        },
        is_it: |_, culprit| is(culprit, CulpritKind::Stopped, ""),
    },
    DelayKind {
        name: "frozen group",
        options: "-b4K -r -o4 -Su",
        target: |scene| scene.inner.clone(),
        stage: |scene, _, length| scene.while_set(Group::Freezer, length),
        // No event tells of it (6.1 and later freeze a thread that sleeps where it is): it isn't woken.
        is_it: |stage, culprit| stage == IoStage::Interrupt || is(culprit, CulpritKind::Stopped, ""),
    },
    DelayKind {
        name: "CPU hog",
        options: "-b4K -r -o4 -Su -a0",
        // Loop devices have threads of their own, which would wait for the CPU too.
        target: |scene| scene.plain.clone(),
        stage: |_, _, length| hog(length),
        is_it: |_, culprit| is(culprit, CulpritKind::Task, HOG),
    },
    DelayKind {
        name: "CPU quota",
        options: "-b4K -r -o4 -Su",
        target: |scene| scene.inner.clone(),
        stage: |scene, _, length| scene.while_set(Group::Cpu, length),
        is_it: |stage, _| matches!(stage, IoStage::Submit | IoStage::Wake | IoStage::Reap),
    },
    DelayKind {
        name: "I/O limit",
        options: "-b4K -r -o4 -Su",
        target: |scene| scene.inner.clone(),
        stage: |scene, _, length| scene.while_set(Group::Io, length),
        is_it: |_, culprit| is(culprit, CulpritKind::Throttle, "diskspd-delays"),
    },
    DelayKind {
        name: "device",
        options: "-b4K -r -o4 -w100 -Su",
        target: |scene| scene.inner.clone(),
        stage: Scene::while_frozen,
        is_it: |stage, culprit| stage == IoStage::Device && is(culprit, CulpritKind::Device, "loop"),
    },
    DelayKind {
        name: "file system",
        options: "-b4K -r -o4 -w100 -Su",
        target: |scene| scene.file.clone(),
        stage: Scene::while_frozen,
        is_it: |stage, culprit| stage == IoStage::Kernel && culprit.is_none(),
    },
];

/// The program that has the CPU.
const HOG: &str = "yes";

/// Whether a culprit is of this kind, and its name holds this word.
fn is(culprit: Option<&Culprit>, kind: CulpritKind, word: &str) -> bool {
    culprit.is_some_and(|culprit| culprit.kind == kind && culprit.name.contains(word))
}

fn signal(name: &str, process: u32) -> Result<(), Failure> {
    super::scene::run(&["kill", &format!("-{name}"), &process.to_string()])
}

/// A task with real-time priority has CPU 0.
fn hog(length: Duration) -> Result<(), Failure> {
    let mut hog = Command::new("setpriv");
    // It must not outlive this program.
    hog.args(["--pdeathsig", "KILL", "taskset", "-c", "0", "chrt", "-f", "50", HOG]).stdout(Stdio::null());
    let mut hog = hog.spawn()?;
    sleep(length);
    hog.kill()?;
    hog.wait()?;
    Ok(())
}
