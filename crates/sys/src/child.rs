//! Another program that is started, watched and ended together with all that it starts itself.

use super::pipe_reader::PipeReader;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A program that was started in a group of its own: Ctrl-C of the terminal doesn't reach it but through
/// [`ChildProgram::interrupt`], and it ends when this one is killed.
#[derive(Debug)]
pub struct ChildProgram {
    child: Child,
    /// Read what it says on standard output and standard error; empty = it is finished.
    readers: Vec<PipeReader>,
}

/// What a program has come to.
#[derive(Debug)]
pub struct ChildEnd {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed on standard output, at most the last 64 KiB.
    pub printed: Vec<u8>,
    /// The same of standard error.
    pub told: Vec<u8>,
}

impl ChildProgram {
    /// Starts it; nothing is there for it to be read.
    ///
    /// # Errors
    /// It can't be started.
    pub fn start(program: &Path, arguments: &[OsString]) -> io::Result<ChildProgram> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        // SAFETY: between fork and exec this makes one system call, and nothing is allocated or locked.
        unsafe {
            command.pre_exec(|| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?));
        }
        let mut child = command.spawn()?;
        let pipes = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
        let pipes = pipes.into_iter().flatten().map(File::from);
        let readers = pipes.map(PipeReader::of).collect::<io::Result<Vec<_>>>();
        match readers {
            Ok(readers) => Ok(ChildProgram { child, readers }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Whether it has ended. Until [`ChildProgram::finish`] its number is given to no other process.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn has_ended(&self) -> io::Result<bool> {
        let Some(pid) = self.pid() else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(rustix::process::waitid(WaitId::Pid(pid), options)?.is_some())
    }

    /// Asks it, and whatever it has started, to end: as Ctrl-C does.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Ends whatever is left of it and of what it has started.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn finish(mut self) -> io::Result<ChildEnd> {
        self.signal(Signal::KILL);
        let status = self.child.wait()?;
        let mut said = self.readers.drain(..).map(PipeReader::all);
        let [printed, told] = [0, 1].map(|_| said.next().unwrap_or_default());
        Ok(ChildEnd { status, printed, told })
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// To its group, which is there until it is waited for.
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.pid() {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        // Finished: nothing is left, and the number may be another's.
        if !self.readers.is_empty() {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// A folder that only this user may look into; it goes with all that is in it when this is dropped.
#[derive(Debug)]
pub struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Makes one among the temporary files (`TMPDIR`).
    ///
    /// # Errors
    /// What the kernel says, with the folder that it says it of.
    pub fn make(prefix: &str) -> io::Result<PrivateFolder> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let among = std::env::temp_dir();
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let path = among.join(format!("{prefix}-{}-{number}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(PrivateFolder(path)),
                // One that was left behind, or a trap: another name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {}
                Err(error) => {
                    return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
                }
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::pipe_reader::MOST_SAID;
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn all_that_a_program_starts_ends_with_it() {
        let script = |text: &str| ["-c".into(), text.into()];
        let start = |text: &str| ChildProgram::start(Path::new("sh"), &script(text)).unwrap();
        let finish = |program: ChildProgram| {
            while !program.has_ended().unwrap() {
                std::thread::yield_now();
            }
            let end = program.finish().unwrap();
            (end.status.code(), String::from_utf8(end.printed).unwrap(), String::from_utf8(end.told).unwrap())
        };
        // What is left behind has the pipes open, and would be waited for.
        let said = finish(start("sleep 1000 & echo here; echo there >&2; exit 5"));
        assert_eq!(said, (Some(5), "here\n".into(), "there\n".into()));
        // A service outlives it, and is not waited for.
        let (code, printed, _) = finish(start("setsid sleep 3 & sleep 0.2; echo here"));
        assert_eq!((code, &*printed), (Some(0), "here\n"));
        let asked = start("trap 'exit 7' INT; sleep 1000; exit 8");
        asked.interrupt();
        // Before the trap is set the signal ends the shell itself.
        assert!([Some(7), None].contains(&finish(asked).0));
        let end = start("trap '' INT; while :; do echo; done").finish().unwrap();
        assert!(end.status.code().is_none() && end.printed.len() <= MOST_SAID);
        let much = start("i=0; while [ $i -lt 9000 ]; do echo 0123456789; i=$((i+1)); done; echo last");
        let (code, printed, _) = finish(much);
        assert!(code == Some(0) && printed.len() == MOST_SAID && printed.ends_with("last\n"));
        drop(start("sleep 1000"));
    }

    #[test]
    fn a_private_folder_goes_with_all_that_is_in_it() {
        let folder = PrivateFolder::make("diskspd-child").unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        fs::create_dir_all(path.join("a/b")).unwrap();
        assert_ne!(PrivateFolder::make("diskspd-child").unwrap().path(), path);
        drop(folder);
        assert!(!path.exists());
    }
}
