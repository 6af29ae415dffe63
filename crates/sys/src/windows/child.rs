//! Another program that is started, watched and ended.

use super::mutex::LockAnyway;
use super::pipe_reader::PipeReader;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;

/// A program that was started. What it starts itself isn't ended with it.
#[derive(Debug)]
pub struct ChildProgram {
    child: Mutex<Child>,
    /// Reads what it says on standard output; `None` = that goes into a file.
    printed: Option<PipeReader>,
    /// The same of standard error; `None` = it is finished.
    told: Option<PipeReader>,
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
        ChildProgram::spawn(program, arguments, Stdio::piped())
    }

    /// The same of a program that prints more than is kept: into a file. [`ChildEnd::printed`] stays empty.
    ///
    /// # Errors
    /// It can't be started.
    pub fn start_into(program: &Path, arguments: &[OsString], printed: File) -> io::Result<ChildProgram> {
        ChildProgram::spawn(program, arguments, printed.into())
    }

    fn spawn(program: &Path, arguments: &[OsString], printed: Stdio) -> io::Result<ChildProgram> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(printed).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let printed = child.stdout.take().map(PipeReader::of).transpose();
        let told = child.stderr.take().map(PipeReader::of).transpose();
        match (printed, told) {
            (Ok(printed), Ok(told)) => Ok(ChildProgram { child: Mutex::new(child), printed, told }),
            (Err(error), _) | (_, Err(error)) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
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
        let said = |reader: Option<PipeReader>| reader.map(PipeReader::all).unwrap_or_default();
        Ok(ChildEnd { status, printed: said(self.printed.take()), told: said(self.told.take()) })
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        if self.told.is_some() {
            let mut child = self.child.lock_anyway();
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
