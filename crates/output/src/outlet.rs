//! The single interface for files that a command writes in addition to its targets: reports, tables,
//! pages, streams, logs, journals. It rejects outputs that would destroy data before opening anything.
//!
//! ```text
//! OutputPolicy        targets and inputs of the command, and the outputs permitted so far
//!   .permit(path) ──▶ Permitted      not in use, kept or read by the command; named once; no symbolic link
//!     .open()     ──▶ Outlet         writable; an earlier file stays until the new one is complete
//! ```

use super::destination::{
    Destination, KeptRule, NamedOutput, OverwriteCheck, OwnFiles, inputs_of, open_inherited, open_special,
    refuse_double, refuse_kept, refuse_target, resolve_name, targets,
};
use super::io_timeout::HangGuard;
use super::output_error::{OutputError, OutputErrorKind, WriteError};
use diskspd_profile::{Profile, RunOptions};
use diskspd_sys::atomic_file::{FileTarget, FileTargetError, Guard, NewFile, create_elsewhere};
use diskspd_sys::standard_output;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub struct OutputPolicy {
    targets: Vec<PathBuf>,
    inputs: Vec<NamedOutput>,
    permitted: Vec<NamedOutput>,
    keeps: Vec<PathBuf>,
}

impl OutputPolicy {
    pub fn of_run(profile: &Profile, run_options: &RunOptions) -> OutputPolicy {
        OutputPolicy::default().which_runs(profile, run_options)
    }

    pub fn which_runs(mut self, profile: &Profile, run_options: &RunOptions) -> OutputPolicy {
        self.targets.extend(targets(profile));
        self.targets.dedup();
        self.which_reads(inputs_of(profile, run_options))
    }

    pub fn which_reads(mut self, inputs: impl IntoIterator<Item = NamedOutput>) -> OutputPolicy {
        self.inputs.extend(inputs);
        self
    }

    /// Adds folders that the command maintains, which may contain its outputs.
    pub fn which_keeps(mut self, folders: impl IntoIterator<Item = PathBuf>) -> OutputPolicy {
        self.keeps.extend(folders);
        self
    }

    /// Adds files and folders that the command reads and maintains.
    pub fn which_owns(self, own: &OwnFiles) -> OutputPolicy {
        self.which_reads(own.reads.iter().cloned()).which_keeps(own.keeps.iter().cloned())
    }

    /// Checks an option's path (`-`: standard output) and its destination, without opening or changing it.
    ///
    /// # Errors
    /// Fails with a message if the path must not be written.
    pub fn permit(&mut self, option: &str, path: &Path) -> Result<PermittedOutput, OutputError> {
        self.permit_shown(option, &path.display().to_string(), path)
    }

    /// As [`OutputPolicy::permit`], for a path that messages show in another form.
    pub fn permit_shown(
        &mut self,
        option: &str,
        shown: &str,
        path: &Path,
    ) -> Result<PermittedOutput, OutputError> {
        self.permit_by(option, shown, path, KeptRule::All)
    }

    /// Permits a journal in the same way. It must not exist yet, and may belong to a campaign.
    pub fn permit_journal(&mut self, option: &str, path: &Path) -> Result<PermittedOutput, OutputError> {
        self.permit_by(option, &path.display().to_string(), path, KeptRule::NewJournal)
    }

    fn permit_by(
        &mut self,
        option: &str,
        shown: &str,
        path: &Path,
        rule: KeptRule,
    ) -> Result<PermittedOutput, OutputError> {
        let path = resolve_name(path);
        let by = format!("{option} {shown}");
        let output = NamedOutput { by: by.clone(), path: path.clone() };
        let (option, door, looked) = (option.to_owned(), self.clone(), output.clone());
        // Its storage may not answer. No run has begun: a signal ends the program.
        let permitted = HangGuard::default().attempt(&by, move || {
            let NamedOutput { by, path } = &looked;
            let destination = Destination::at(path).map_err(|fault| fault.named_by(by))?;
            if let Some(spot) = destination.spot() {
                refuse_target(&option, path, spot, &door.targets)?;
                refuse_kept(spot, &door.keeps, rule).map_err(|fault| fault.named_by(by))?;
            }
            refuse_double(&looked, &destination, &door.permitted, &door.inputs)?;
            Ok::<_, OutputError>((destination, OverwriteCheck::find(path, &door.targets, &door.inputs)))
        });
        let (destination, precious) =
            permitted.map_err(|unanswered| OutputErrorKind::from(unanswered).named_by(&by))??;
        self.permitted.push(output);
        Ok(PermittedOutput { by, path, destination, precious })
    }

    /// Permits a file that the program itself maintains, in a separate folder.
    ///
    /// # Errors
    /// Fails with a message if it is in use, or another user placed a file there.
    pub fn permit_own(option: &str, path: &Path) -> Result<PermittedOutput, OutputError> {
        let by = format!("{option} {}", path.display());
        let looked = (option.to_owned(), path.to_owned(), by.clone());
        let permitted = HangGuard::default().attempt(&by, move || {
            let (option, path, by) = &looked;
            let destination = Destination::at(path).map_err(|fault| fault.named_by(by))?;
            if let Some(spot) = destination.spot() {
                refuse_target(option, path, spot, &[])?;
            }
            Ok::<_, OutputError>((destination, OverwriteCheck::find(path, &[], &[])))
        });
        let (destination, precious) =
            permitted.map_err(|unanswered| OutputErrorKind::from(unanswered).named_by(&by))??;
        Ok(PermittedOutput { by, path: path.to_owned(), destination, precious })
    }
}

#[derive(Debug)]
pub struct PermittedOutput {
    by: String,
    path: PathBuf,
    destination: Destination,
    precious: OverwriteCheck,
}

impl PermittedOutput {
    pub fn by(&self) -> &str {
        &self.by
    }

    pub fn is_standard_output(&self) -> bool {
        self.destination.is_standard_output()
    }

    /// Opens the destination. Tests that a file can be placed there; an existing file stays.
    pub fn open(self, patience: &HangGuard) -> Result<Outlet, OutputError> {
        let PermittedOutput { by, path, destination, precious } = self;
        let sink = match destination {
            Destination::Descriptor(number) => Sink::Open(Arc::new(open_inherited(number, &by)?)),
            Destination::Nowhere(error) => {
                return Err(OutputErrorKind::from(FileTargetError::Folder(error)).named_by(by));
            }
            Destination::Special(spot) => {
                Sink::Open(Arc::new(open_special(&spot).map_err(|fault| fault.named_by(&by))?))
            }
            Destination::File(spot) => {
                let guard: Box<dyn Guard> = Box::new(precious);
                let place = patience
                    .attempt(&by, move || FileTarget::at(spot, Some(guard)).map_err(OutputErrorKind::from))
                    .map_err(|unanswered| OutputErrorKind::from(unanswered).named_by(&by))?;
                Sink::File(place.map_err(|fault| fault.named_by(&by))?)
            }
        };
        Ok(Outlet { by, path, sink, patience: patience.clone() })
    }

    /// Makes a new file under its final name. The name is on the disk afterwards.
    ///
    /// # Errors
    /// Fails with [`io::ErrorKind::AlreadyExists`], or another error of the system.
    pub fn create_new(self) -> io::Result<File> {
        let spot = match self.destination {
            Destination::File(spot) => spot,
            Destination::Nowhere(error) => return Err(error),
            _ => return Err(io::ErrorKind::AlreadyExists.into()),
        };
        let file = spot.create_new()?;
        let flushed = spot.sync_folder();
        flushed.map_err(|error| io::Error::other(format!("cannot flush its folder: {error}")))?;
        Ok(file)
    }
}

#[derive(Debug)]
pub struct Outlet {
    by: String,
    path: PathBuf,
    sink: Sink,
    patience: HangGuard,
}

#[derive(Debug)]
enum Sink {
    Open(Arc<File>),
    /// Regular file, which appears under its name complete or not at all.
    File(Arc<FileTarget>),
}

impl Outlet {
    pub fn by(&self) -> &str {
        &self.by
    }

    /// Whether each write can replace the previous content.
    pub fn is_replaceable(&self) -> bool {
        matches!(self.sink, Sink::File(_))
    }

    /// Whether it is a terminal, for which texts are sanitized.
    pub fn is_terminal(&self) -> bool {
        matches!(&self.sink, Sink::Open(file) if file.is_terminal())
    }

    /// Writes all bytes and gives a file its name. If it cannot be put in place, it is kept elsewhere.
    ///
    /// # Errors
    /// Fails with a message, including the location of the kept file.
    pub fn put(&self, bytes: Vec<u8>) -> Result<(), OutputError> {
        let failed = |why: WriteError| OutputErrorKind::NotWritten(why).named_by(&self.by);
        match &self.sink {
            Sink::File(place) => self.replace(place, bytes).map_err(failed),
            Sink::Open(file) => match self.append(file, bytes) {
                // As on standard output: a reader that has seen enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                answer => answer.map_err(|error| failed(error.into())),
            },
        }
    }

    fn append(&self, file: &Arc<File>, bytes: Vec<u8>) -> io::Result<()> {
        // A pipe's reader and a terminal take their time.
        if !file.metadata().is_ok_and(|found| found.is_file()) {
            return standard_output::write_sanitized(file, &bytes);
        }
        let file = Arc::clone(file);
        self.patience.attempt(&self.by, move || (&*file).write_all(&bytes))?
    }

    fn replace(&self, place: &Arc<FileTarget>, bytes: Vec<u8>) -> Result<(), WriteError> {
        let (place, bytes) = (Arc::clone(place), Arc::new(bytes));
        let kept = Arc::clone(&bytes);
        let put = move || {
            let mut new = place.begin().map_err(|error| (WriteError::from(error), true))?;
            let written = new.file().write_all(&bytes).and_then(|()| new.file().sync_all());
            // The disk may be full: what was measured isn't lost for that.
            written.map_err(|error| (error.into(), true))?;
            new.put().map_err(|not| (not.into(), false))
        };
        let done = self.patience.attempt(&self.by, put);
        match done.unwrap_or_else(|unanswered| Err((unanswered.into(), true))) {
            Err((why, true)) => {
                Err(WriteError::Elsewhere { why: Box::new(why), kept: self.put_elsewhere(kept) })
            }
            answer => answer.map_err(|(why, _)| why),
        }
    }

    fn put_elsewhere(&self, bytes: Arc<Vec<u8>>) -> io::Result<PathBuf> {
        let name = self.path.file_name().unwrap_or_default().to_owned();
        self.patience.attempt(&self.by, move || {
            let (mut file, path) = create_elsewhere(&name)?;
            let written = file.write_all(&bytes);
            // There is no better place for it; whether a power cut would take it is another matter.
            let _ = file.sync_all();
            if written.is_err() {
                let _ = std::fs::remove_file(&path);
            }
            written.map(|()| path)
        })?
    }

    /// Starts incremental writing in another thread.
    ///
    /// # Errors
    /// Fails with a message if no file can be created.
    pub(super) fn begin(self) -> Result<OpenOutput, OutputError> {
        match self.sink {
            Sink::Open(file) => Ok(OpenOutput::Open(file)),
            Sink::File(place) => {
                let begun = self.patience.attempt(&self.by, move || place.begin());
                let begun = begun.map_err(io::Error::from).and_then(|begun| begun);
                begun
                    .map(OpenOutput::New)
                    .map_err(|error| OutputErrorKind::NotCreated(error).named_by(&self.by))
            }
        }
    }
}

#[derive(Debug)]
pub(super) enum OpenOutput {
    Open(Arc<File>),
    /// Regular file, placed later.
    New(NewFile),
}

#[cfg(test)]
mod tests;
