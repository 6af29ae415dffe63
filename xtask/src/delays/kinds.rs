//! The kinds of delays: staging, and the expected cause.

use super::scene::{Group, Scene, signal};
use super::spin::spin;
use crate::harness::Failure;
use diskspd::results::{Culprit, CulpritKind, IoStage};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

pub struct DelayKind {
    pub name: &'static str,
    pub options: &'static str,
    pub before: &'static str,
    /// Whether the run is in the control groups.
    pub is_in_groups: bool,
    pub queue: &'static [(&'static str, &'static str)],
    /// Another program on the same target, stopped except during a staged delay.
    pub rival: Option<&'static str>,
    pub target: fn(&Scene) -> String,
    /// Delays the run of this process for this time.
    pub stage: fn(&Scene, u32, Duration) -> Result<(), Failure>,
    pub is_it: fn(IoStage, Option<&Culprit>) -> bool,
}

/// All kinds. The thread of the run is on CPU 0.
pub const KINDS: [DelayKind; 11] = [
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
        ..PLAIN
    },
    DelayKind {
        name: "frozen group",
        options: "-b4K -r -o4 -Su",
        target: |scene| scene.inner.clone(),
        stage: |scene, _, length| scene.while_set(Group::Freezer, length),
        // No event tells of it (6.1 and later freeze a thread that sleeps where it is): it isn't woken.
        is_it: |stage, culprit| stage == IoStage::Interrupt || is(culprit, CulpritKind::Stopped, ""),
        ..PLAIN
    },
    DelayKind {
        name: "CPU hog",
        options: "-b4K -r -o4 -Su -a0",
        // Loop devices have threads of their own, which would wait for the CPU too.
        target: |scene| scene.plain.clone(),
        stage: |_, _, length| hog(length),
        is_it: |_, culprit| is(culprit, CulpritKind::Task, HOG),
        ..PLAIN
    },
    DelayKind {
        name: "CPU quota",
        options: "-b4K -r -o4 -Su",
        target: |scene| scene.inner.clone(),
        stage: |scene, _, length| scene.while_set(Group::Cpu, length),
        is_it: |stage, _| matches!(stage, IoStage::Submit | IoStage::Wake | IoStage::Reap),
        ..PLAIN
    },
    DelayKind {
        name: "I/O limit",
        options: "-b4K -r -o4 -Su",
        target: |scene| scene.inner.clone(),
        stage: |scene, _, length| scene.while_set(Group::Io, length),
        is_it: |_, culprit| is(culprit, CulpritKind::Throttle, "diskspd-delays"),
        ..PLAIN
    },
    DelayKind {
        name: "device",
        options: "-b4K -r -o4 -w100 -Su",
        target: |scene| scene.inner.clone(),
        stage: Scene::while_frozen,
        is_it: |stage, culprit| stage == IoStage::Device && is(culprit, CulpritKind::Device, "loop"),
        ..PLAIN
    },
    DelayKind {
        name: "file system",
        options: "-b4K -r -o4 -w100 -Su",
        target: |scene| scene.file.clone(),
        stage: Scene::while_frozen,
        is_it: |stage, culprit| stage == IoStage::Kernel && culprit.is_none(),
        ..PLAIN
    },
    DelayKind {
        name: "flush",
        // More than the device takes at once, and no more than can be recorded.
        options: "-b4K -r -o16 -Su -g5000i",
        // The loop device does the I/Os of each control group by themselves, and flushes with those of none.
        is_in_groups: false,
        queue: &[SHORT_QUEUE],
        target: |scene| scene.flushing.clone(),
        stage: |scene, _, length| scene.while_flushed(length),
        is_it: |_, culprit| is(culprit, CulpritKind::Flush, "loop"),
        ..PLAIN
    },
    DelayKind {
        name: "mq-deadline",
        queue: &[SHORT_QUEUE, ("scheduler", "mq-deadline"), LONG_QUEUE],
        ..SCHEDULED
    },
    DelayKind { name: "bfq", queue: &[SHORT_QUEUE, ("scheduler", "bfq"), LONG_QUEUE], ..SCHEDULED },
    DelayKind {
        name: "slow reaper",
        options: "-b4K -r -o4 -Su --engine=uring -a0",
        // Others that want its processor would be blamed, and rightly. Control groups may have no such tasks.
        before: "chrt -f 40",
        is_in_groups: false,
        stage: |_, process, length| spin(process, length),
        is_it: |stage, culprit| stage == IoStage::Reap && culprit.is_none(),
        ..PLAIN
    },
];

/// Limits the device's requests, because with the default of loop devices the I/Os would wait there
/// instead of in the scheduler.
const SHORT_QUEUE: (&str, &str) = ("nr_requests", "4");
const LONG_QUEUE: (&str, &str) = ("nr_requests", "1024");
const IDLE: &str = "ionice -c 3";
const RIVAL: &str = "ionice -c 1 -n 0 DISKSPD -b64K -r -t2 -o400 -Su -W0 -d3600 --quiet";

/// Delay by an I/O scheduler that prefers other programs.
const SCHEDULED: DelayKind = DelayKind {
    options: "-b4K -r -o4 -Su -g2000i",
    before: IDLE,
    rival: Some(RIVAL),
    target: |scene| scene.memory.clone(),
    stage: |scene, _, length| scene.while_rival_runs(length),
    is_it: |stage, culprit| stage == IoStage::Queue && culprit.is_none(),
    ..PLAIN
};

const PLAIN: DelayKind = DelayKind {
    name: "",
    options: "-b4K -r -o4 -Su",
    before: "",
    is_in_groups: true,
    queue: &[],
    rival: None,
    target: |scene| scene.inner.clone(),
    stage: |_, _, _| Ok(()),
    is_it: |_, _| false,
};

/// Name of the program that uses the CPU.
const HOG: &str = "yes";

/// Whether a culprit is of this kind, and its name holds this word.
fn is(culprit: Option<&Culprit>, kind: CulpritKind, word: &str) -> bool {
    culprit.is_some_and(|culprit| culprit.kind == kind && culprit.name.contains(word))
}

/// Runs a task with real-time priority on CPU 0.
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
