//! A program and all its child processes: a process group.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Starts it in a separate process group, so that Ctrl-C of the terminal does not reach it. It ends when
/// this program is killed.
pub(crate) fn leads_its_own(command: &mut Command) {
    command.process_group(0);
    // SAFETY: between fork and exec this makes one system call, and nothing is allocated or locked.
    unsafe {
        command.pre_exec(|| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?));
    }
}

/// Starts it in a separate process group, so that Ctrl-C of the terminal does not reach it.
pub fn lead_group(command: &mut Command) {
    command.process_group(0);
}

/// Replaces this process with the program. Returns only if it cannot be started.
pub fn become_program(command: &mut Command) -> io::Error {
    command.exec()
}

/// Signal for a program and its descendants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupSignal {
    Interrupt,
    Terminate,
    Hangup,
    Kill,
}

impl GroupSignal {
    const ALL: [GroupSignal; 4] =
        [GroupSignal::Interrupt, GroupSignal::Terminate, GroupSignal::Hangup, GroupSignal::Kill];

    pub fn number(self) -> u8 {
        self as u8
    }

    pub fn from_number(number: u8) -> Option<GroupSignal> {
        GroupSignal::ALL.get(usize::from(number)).copied()
    }
}

/// Sends a signal to a program that leads its group. No effect after it was waited for.
pub fn send(child: &Child, signal: GroupSignal) {
    let signal = match signal {
        GroupSignal::Interrupt => Signal::INT,
        GroupSignal::Terminate => Signal::TERM,
        GroupSignal::Hangup => Signal::HUP,
        GroupSignal::Kill => Signal::KILL,
    };
    signal_group(child, signal);
}

/// Returns whether the program has ended; it can still be waited for, and keeps its process number.
pub fn has_ended(child: &mut Child) -> io::Result<bool> {
    let Some(pid) = child_pid(child) else { return Ok(true) };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(rustix::process::waitid(WaitId::Pid(pid), options)?.is_some())
}

/// Sends SIGINT to the group, as Ctrl-C does.
pub fn interrupt(child: &mut Child) {
    signal_group(child, Signal::INT);
}

pub fn kill(child: &mut Child) {
    signal_group(child, Signal::KILL);
}

/// Ignores Ctrl-C, while programs started before still end by it.
pub(crate) fn leaves_interrupts_to_children() {
    // SAFETY: it replaces no handler that could be running.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
    }
}

fn child_pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Sends the signal to the group, which exists until its first process is reaped.
fn signal_group(child: &Child, signal: Signal) {
    if let Some(group) = child_pid(child) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}
