//! The files of `-c` of a time span, or of a whole run, are created: several at once, so that neither many
//! small files nor files on several devices wait for each other.

use crate::files::prepare::{self, FileOrder, Growth, Preparation, PrepareError, Reason, RewriteReason};
use crate::options::Options;
use crate::precreate::{File, PrecreateError};
use diskspd_host::claims;
use diskspd_host::target;
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::inode;
use diskspd_worker::{Control, RunReporter};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Number of files written concurrently. A single large file saturates a device; several hide the per-file
/// cost of small ones: creation, allocation, flush.
const MAX_PARALLEL_FILES: usize = 4;
const TICK: Duration = Duration::from_millis(100);

/// Index of a file and its result; `None` if there was nothing to create.
type CreationOutcome = (usize, Result<Option<Preparation>, CreationError>);

/// Files that are written in parallel.
type Round<'a> = Vec<&'a (File, PathBuf)>;

enum CreationError {
    /// Creation was canceled by another error or the user.
    Stopped(PrepareError),
    Because {
        message: String,
        changed: bool,
    },
}

/// Creates files at their locations and skips block devices. After a failure or an interruption no further
/// file is begun, and unfinished ones are abandoned.
///
/// # Errors
/// A failure takes precedence over a simultaneous interruption.
pub(crate) fn create_all(
    files: &[(File, PathBuf)],
    options: &Options,
    control: &Control,
    voice: &RunReporter,
) -> Result<(), PrecreateError> {
    for (file, _) in files {
        voice.verbose(|| format!("creating '{}' with {} bytes", file.path, file.size));
    }
    claims::spare(files.iter().map(|(_, path)| path.as_path()))
        .map_err(|refusal| PrecreateError::Refused(refusal.to_string()))?;
    let mut nowhere = files.iter().filter_map(|(file, path)| {
        Some(format!(
            "'{}': {}",
            file.path,
            diskspd_machine::target::no_folder(path, &target::missing_folder(path)?)
        ))
    });
    if let Some(message) = nowhere.next() {
        return Err(PrecreateError::Refused(message));
    }
    let wanted = last_of_each(files).map(|(file, path)| (path.as_path(), Growth::To(file.size)));
    prepare::all_fit(wanted, options.recreate).map_err(|error| PrecreateError::Refused(error.to_string()))?;
    let mut changed = false;
    creation_rounds(files)
        .into_iter()
        .try_for_each(|files| create_round(files, &mut changed, options, control, voice))
}

/// Divides files into lists without duplicates, so that the same file under several names is written
/// sequentially.
fn creation_rounds(files: &[(File, PathBuf)]) -> Vec<Round<'_>> {
    let mut rounds: Vec<(HashSet<PathIdentity>, Round)> = Vec::new();
    let mut places = PathIdentities::default();
    for file in files {
        let place = places.find_place(&file.1);
        match rounds.iter_mut().find(|(places, _)| !places.contains(&place)) {
            Some((places, files)) => {
                places.insert(place);
                files.push(file);
            }
            None => rounds.push((HashSet::from([place]), vec![file])),
        }
    }
    rounds.into_iter().map(|(_, files)| files).collect()
}

/// Returns the final files: a file under several names appears once, as its last entry requests it.
pub(super) fn last_of_each<T>(files: &[(T, PathBuf)]) -> impl Iterator<Item = &(T, PathBuf)> {
    let (mut places, mut last) = (PathIdentities::default(), HashSet::new());
    files.iter().rev().filter(move |(_, path)| last.insert(places.find_place(path)))
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum PathIdentity {
    /// Device and inode of an existing file.
    There((u64, u64)),
    New(PathBuf),
}

/// Places of paths; each folder is looked up once.
#[derive(Default)]
struct PathIdentities<'a> {
    folders: HashMap<&'a Path, Option<PathBuf>>,
}

impl<'a> PathIdentities<'a> {
    fn find_place(&mut self, path: &'a Path) -> PathIdentity {
        if let Ok(found) = std::fs::metadata(path) {
            return PathIdentity::There(inode::identity(&found));
        }
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let real = |folder: &Path| std::fs::canonicalize(absolute(folder).join(".")).ok();
        // A folder that has to be created as well is known by its path alone.
        let folder = path
            .parent()
            .and_then(|folder| self.folders.entry(folder).or_insert_with(|| real(folder)).as_ref());
        PathIdentity::New(match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => absolute(path),
        })
    }
}

/// Creates these files; `changed` is set when a file is modified.
fn create_round(
    files: Round,
    changed: &mut bool,
    options: &Options,
    control: &Control,
    voice: &RunReporter,
) -> Result<(), PrecreateError> {
    let work = CreationWork {
        next: AtomicUsize::new(0),
        done: files.iter().map(|_| AtomicU64::new(0)).collect(),
        stop: AtomicBool::new(control.is_interrupted()),
        files,
        recreate: options.recreate,
    };
    let ends = work.run(control, voice);
    voice.clear_line();
    let (mut failure, mut given_up) = (None, Vec::new());
    for (index, end) in
        ends.map_err(|failed| PrecreateError::Failed(format!("{failed}; {}", failed.remedy())))?
    {
        match end {
            Ok(done) => {
                *changed |= done.is_some_and(|done| done != Preparation::Kept);
                report_created(&work.files[index].0, done, voice);
            }
            Err(CreationError::Stopped(error)) => {
                *changed |= error.state.is_changed();
                given_up.push(error);
            }
            Err(CreationError::Because { message, changed: this }) => {
                *changed |= this;
                failure = failure.or(Some(message));
            }
        }
    }
    match failure {
        Some(first) => {
            let given_up = given_up.iter().map(PrepareError::to_string);
            let message = std::iter::once(first).chain(given_up).collect::<Vec<_>>().join("\n");
            Err(if *changed { PrecreateError::Failed(message) } else { PrecreateError::Refused(message) })
        }
        None if given_up.is_empty() && !work.stop.load(Ordering::Relaxed) => Ok(()),
        None => {
            given_up.iter().for_each(|error| tell_given_up(error, voice));
            Err(PrecreateError::Interrupted)
        }
    }
}

fn tell_given_up(error: &PrepareError, voice: &RunReporter) {
    match error.state.is_changed() {
        false => voice.note(&error.to_string()),
        true => voice.warn(&error.to_string()),
    }
}

fn report_created(file: &File, done: Option<Preparation>, voice: &RunReporter) {
    match done {
        Some(Preparation::Kept) => voice.note(&format!(
            "'{}' already has the requested size and is fully written: kept (--recreate rewrites it)",
            file.path
        )),
        Some(other @ Preparation::Rewritten(RewriteReason::Content { .. })) => {
            voice.note(&format!("'{}': {other}", file.path));
        }
        Some(other) => voice.verbose(|| format!("'{}': {other}", file.path)),
        None => {}
    }
}

struct CreationWork<'a> {
    files: Round<'a>,
    recreate: bool,
    /// Index of the next file.
    next: AtomicUsize,
    /// Written bytes of each file.
    done: Vec<AtomicU64>,
    stop: AtomicBool,
}

impl CreationWork<'_> {
    fn run(&self, control: &Control, voice: &RunReporter) -> Result<Vec<CreationOutcome>, FailedCall> {
        std::thread::scope(|scope| {
            let (say, said) = mpsc::channel();
            for started in 0..self.files.len().min(MAX_PARALLEL_FILES) {
                let say = say.clone();
                let work = move || self.run_thread(&say);
                match std::thread::Builder::new().name("prepare".into()).spawn_scoped(scope, work) {
                    Ok(_) => {}
                    // Those that there are do it all, in more time.
                    Err(_) if started > 0 => break,
                    Err(error) => return Err(FailedCall::starting_thread("to create files", &error)),
                }
            }
            drop(say);
            let mut ends = Vec::new();
            loop {
                match said.recv_timeout(TICK) {
                    Ok(end) => ends.push(end),
                    Err(RecvTimeoutError::Timeout) => self.draw_progress(&ends, voice),
                    Err(RecvTimeoutError::Disconnected) => return Ok(ends),
                }
                if control.is_interrupted() {
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
        })
    }

    /// Creates files sequentially in one thread.
    fn run_thread(&self, say: &mpsc::Sender<CreationOutcome>) {
        while !self.stop.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.files.len() {
                return;
            }
            let end = self.create(index);
            self.stop.fetch_or(end.is_err(), Ordering::Relaxed);
            let _ = say.send((index, end));
        }
    }

    fn create(&self, index: usize) -> Result<Option<Preparation>, CreationError> {
        let (file, path) = self.files[index];
        let because = |message, changed| CreationError::Because { message, changed };
        let kind = target::probe(path).map_err(|error| because(error.to_string(), false))?.kind;
        if kind.is_device() {
            return Ok(None);
        }
        let order = FileOrder { path, size: file.size, zero: file.zero, recreate: self.recreate };
        let done = &self.done[index];
        prepare::prepare(&order, &mut |bytes, _| done.store(bytes, Ordering::Relaxed), &self.stop)
            .map(Some)
            .map_err(|error| match error.reason {
                Reason::Stopped => CreationError::Stopped(error),
                _ => because(error.to_string(), error.state.is_changed()),
            })
    }

    fn draw_progress(&self, ends: &[CreationOutcome], voice: &RunReporter) {
        let name = match &self.files[..] {
            [(file, _)] => file.path.to_string(),
            files => format!("{} and {} more", files[0].0.path, files.len() - 1),
        };
        let kept = |index: usize| ends.iter().any(|(ended, end)| *ended == index && end.is_ok());
        let sizes = || self.files.iter().map(|(file, _)| file.size);
        let written = sizes().zip(&self.done).enumerate().map(|(index, (size, done))| match kept(index) {
            true => size,
            false => done.load(Ordering::Relaxed),
        });
        voice.draw_preparation(&name, written.sum(), sizes().sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_file(path: PathBuf, size: u64) -> (File, PathBuf) {
        (File { path: path.clone().into_os_string().into(), size, zero: false }, path)
    }

    fn create(files: &[(File, PathBuf)], control: &Control) -> Result<(), PrecreateError> {
        create_all(files, &Options::default(), control, &RunReporter::quiet())
    }

    #[test]
    fn files_above_the_parallel_limit_are_all_created() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let files: Vec<_> = (0..3 * MAX_PARALLEL_FILES as u64)
            .map(|i| sample_file(directory.path().join(i.to_string()), i * 70_000))
            .collect();
        create(&files, &Control::default()).unwrap();
        for (file, path) in &files {
            assert_eq!(std::fs::metadata(path).unwrap().len(), file.size);
        }
    }

    #[test]
    fn file_with_two_names_follows_the_last_target() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let plain = directory.path().join("file");
        let other = directory.path().join("../").join(directory.path().file_name().unwrap()).join("file");
        let files = [sample_file(plain.clone(), 9 << 20), sample_file(other, 5 << 20)];
        for _ in ["new", "there"] {
            create(&files, &Control::default()).unwrap();
            assert_eq!(std::fs::metadata(&plain).unwrap().len(), 5 << 20);
        }
        let link = directory.path().join("link");
        std::fs::hard_link(&plain, &link).unwrap();
        assert_eq!(
            creation_rounds(&[
                sample_file(plain, 1),
                sample_file(link, 1),
                sample_file("/elsewhere".into(), 1)
            ])
            .len(),
            2
        );
        assert_eq!(
            creation_rounds(&[sample_file("not-there".into(), 1), sample_file("./not-there".into(), 1)])
                .len(),
            2
        );
    }

    #[test]
    fn first_failure_stops_creation_and_is_reported() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let bad = directory.path().join("directory");
        std::fs::create_dir(&bad).unwrap();
        let mut files = vec![sample_file(bad, 5)];
        files.extend((0..100).map(|i| sample_file(directory.path().join(i.to_string()), 1 << 20)));
        let error = create(&files, &Control::default()).unwrap_err();
        // A refusal if no other file was begun before the first one failed.
        let (PrecreateError::Failed(message) | PrecreateError::Refused(message)) = error else { panic!() };
        assert!(message.lines().next().unwrap().contains("directory"), "{message}");
        assert!(!files[100].1.exists(), "no further file is begun");
    }

    #[test]
    fn interruption_ends_creation_before_first_file() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let control = Control::default();
        control.interrupt();
        let files = [sample_file(directory.path().join("file"), 5)];
        assert!(matches!(create(&files, &control), Err(PrecreateError::Interrupted)));
        assert!(!files[0].1.exists());
    }

    #[test]
    fn a_failure_is_not_hidden_by_an_interruption() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = directory.path().join("file");
        let files =
            [sample_file(path.clone(), 1 << 60), sample_file(directory.path().join("other"), 1 << 60)];
        std::fs::write(&path, "data").unwrap();
        let control = Control::default();
        control.interrupt();
        let Err(PrecreateError::Refused(message)) = create(&files, &control) else { panic!() };
        assert!(message.contains("its 2 files need 2048 PiB together"), "{message}");
        assert!(message.contains("no file was changed"), "{message}");
        assert_eq!(std::fs::read(&path).unwrap(), b"data");
    }
}
