//! Another program that is started, watched and ended.

use super::mutex::LockAnyway;
use super::pipe_reader::PipeReader;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// A program that was started. What it starts itself isn't ended with it.
#[derive(Debug)]
pub struct ChildProgram {
    child: Mutex<Child>,
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
        let mut child = command.spawn()?;
        let printed = child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
        let told = child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
        let readers = [printed, told].into_iter().flatten().map(PipeReader::of).collect::<io::Result<_>>();
        if readers.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        Ok(ChildProgram { child: Mutex::new(child), readers: readers? })
    }

    /// Whether it has ended.
    ///
    /// # Errors
    /// What the system says.
    pub fn has_ended(&self) -> io::Result<bool> {
        self.child.lock_anyway().try_wait().map(|ended| ended.is_some())
    }

    /// Ends it: Ctrl-C of the console reaches it by itself.
    pub fn interrupt(&self) {
        let _ = self.child.lock_anyway().kill();
    }

    /// Ends whatever is left of it.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self) -> io::Result<ChildEnd> {
        let status = {
            let mut child = self.child.lock_anyway();
            let _ = child.kill();
            child.wait()?
        };
        let mut said = self.readers.drain(..).map(PipeReader::all);
        let [printed, told] = [0, 1].map(|_| said.next().unwrap_or_default());
        Ok(ChildEnd { status, printed, told })
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        if !self.readers.is_empty() {
            let mut child = self.child.lock_anyway();
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A folder among the user's temporary files, which only he may look into; it goes with all that is in it
/// when this is dropped.
#[derive(Debug)]
pub struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Makes one.
    ///
    /// # Errors
    /// What the system says, with the folder that it says it of.
    pub fn make(prefix: &str) -> io::Result<PrivateFolder> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let among = std::env::temp_dir();
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let path = among.join(format!("{prefix}-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(PrivateFolder(path)),
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
