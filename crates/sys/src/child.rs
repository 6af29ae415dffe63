//! Another program that is started, watched and ended together with all that it starts itself.

use super::mutex::LockUnpoisoned;
use super::pipe_reader::PipeReader;
use super::process_group;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;

/// Starts a program that shows a text on the terminal, and waits for its end.
/// Ctrl-C reaches the program only.
pub fn feed(command: &mut Command, text: &[u8]) -> io::Result<ExitStatus> {
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    process_group::leaves_interrupts_to_children();
    if let Some(mut input) = child.stdin.take() {
        // A pager that ends early reads no further.
        let _ = input.write_all(text);
    }
    child.wait()
}

/// A started program without direct access to Ctrl-C of the terminal, if the system supports that.
/// Interrupts go through [`ChildProgram::interrupt`].
#[derive(Debug)]
pub struct ChildProgram {
    child: Mutex<Child>,
    /// Reader of standard output; `None` = output to a file.
    printed: Option<PipeReader>,
    /// Reader of standard error; `None` = finished.
    told: Option<PipeReader>,
}

#[derive(Debug)]
pub struct ChildEnd {
    pub status: ExitStatus,
    pub printed: Vec<u8>,
    pub told: Vec<u8>,
}

impl ChildProgram {
    /// Starts it with empty standard input.
    pub fn start(program: &Path, arguments: &[OsString]) -> io::Result<ChildProgram> {
        ChildProgram::spawn(program, arguments, Stdio::piped())
    }

    /// Starts a program with its output in a file, for output that is too long to keep. [`ChildEnd::printed`]
    /// stays empty.
    pub fn start_into(program: &Path, arguments: &[OsString], printed: File) -> io::Result<ChildProgram> {
        ChildProgram::spawn(program, arguments, printed.into())
    }

    fn spawn(program: &Path, arguments: &[OsString], printed: Stdio) -> io::Result<ChildProgram> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(printed).stderr(Stdio::piped());
        process_group::leads_its_own(&mut command);
        let mut child = command.spawn()?;
        let printed = child.stdout.take().map(PipeReader::spawn).transpose();
        let told = child.stderr.take().map(PipeReader::spawn).transpose();
        match (printed, told) {
            (Ok(printed), Ok(told)) => Ok(ChildProgram { child: Mutex::new(child), printed, told }),
            (Err(error), _) | (_, Err(error)) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Whether it has ended. Its process number is not reused before [`ChildProgram::finish`].
    pub fn has_ended(&self) -> io::Result<bool> {
        process_group::has_ended(&mut self.child.lock_anyway())
    }

    /// Interrupts it and its descendants, as Ctrl-C does.
    pub fn interrupt(&self) {
        process_group::interrupt(&mut self.child.lock_anyway());
    }

    /// Ends all remaining processes of it and its descendants.
    pub fn finish(mut self) -> io::Result<ChildEnd> {
        let status = self.end()?;
        let said = |reader: Option<PipeReader>| reader.map(PipeReader::all).unwrap_or_default();
        Ok(ChildEnd { status, printed: said(self.printed.take()), told: said(self.told.take()) })
    }

    fn end(&self) -> io::Result<ExitStatus> {
        let mut child = self.child.lock_anyway();
        process_group::kill(&mut child);
        child.wait()
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        // Finished: nothing is left, and the number may be another's.
        if self.told.is_some() {
            let _ = self.end();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::pipe_reader::MAX_OUTPUT_BYTES;
    use super::*;

    #[test]
    fn child_processes_end_with_program() {
        let script = |text: &str| ["-c".into(), text.into()];
        let start = |text: &str| ChildProgram::start(Path::new("sh"), &script(text)).unwrap();
        let finish = |program: ChildProgram| {
            while !program.has_ended().unwrap() {
                std::thread::yield_now();
            }
            let end = program.finish().unwrap();
            (end.status.code(), String::from_utf8(end.printed).unwrap(), String::from_utf8(end.told).unwrap())
        };
        // Processes left behind keep the pipes open, and would be waited for.
        let said = finish(start("sleep 1000 & echo here; echo there >&2; exit 5"));
        assert_eq!(said, (Some(5), "here\n".into(), "there\n".into()));
        // A service outlives it, and is not waited for.
        let (code, printed, _) = finish(start("setsid sleep 3 & sleep 0.2; echo here"));
        assert_eq!((code, &*printed), (Some(0), "here\n"));
        // Who starts the tests in the background may have the signal ignored, and then a shell can't trap it.
        let folder = tempfile::tempdir().unwrap();
        let trapped = folder.path().join("trapped");
        let script =
            format!("trap 'exit 7' INT; : >'{}'; sleep 0.1; sleep 0.1; sleep 10; exit 8", trapped.display());
        let words = ["--default-signal=INT", "sh", "-c", &script];
        let asked = ChildProgram::start(Path::new("env"), &words.map(Into::into)).unwrap();
        while !trapped.exists() {
            std::thread::yield_now();
        }
        asked.interrupt();
        assert_eq!(finish(asked).0, Some(7));
        let end = start("trap '' INT; while :; do echo; done").finish().unwrap();
        assert!(end.status.code().is_none() && end.printed.len() <= MAX_OUTPUT_BYTES);
        let much = start("i=0; while [ $i -lt 9000 ]; do echo 0123456789; i=$((i+1)); done; echo last");
        let (code, printed, _) = finish(much);
        assert!(code == Some(0) && printed.len() == MAX_OUTPUT_BYTES && printed.ends_with("last\n"));
        drop(start("sleep 1000"));
    }
}
