//! A recorded run on the disk, and the basis for judging cuts of it.

use super::disk::Disk;
use super::place::CutStorage;
use super::setting::Setting;
use super::unflushed::Unflushed;
use crate::harness::{Failure, Random, Undo, tool};
use crate::served::{self, ServedDisk};
use diskspd::integrity::journal::{JournalContent, format};
use diskspd::integrity::{Power, read_back};
use diskspd::results::IntegrityResults;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub struct Workload<'a> {
    pub place: CutStorage,
    pub way: &'a str,
    pub atomic: bool,
    /// Blocks are judged as atomic writes, whether they were or not.
    pub whole_blocks: bool,
}

pub struct Recording {
    place: CutStorage,
    whole_blocks: bool,
    disk: Arc<Mutex<Disk>>,
    events: usize,
    journal: Vec<u8>,
    disks: String,
    mount: String,
    // Unmounted before the directory goes.
    _undo: Undo,
    _directory: tempfile::TempDir,
}

/// The number of the disk while it is recorded; cuts are shown as others.
const RECORDED: usize = 0;

impl Recording {
    /// Runs it.
    ///
    /// # Errors
    /// Something can't be made, or the run fails.
    pub fn make(setting: &Setting, workload: &Workload) -> Result<Recording, Failure> {
        let directory = tempfile::tempdir_in("/var/tmp")?;
        let place = |name: &str| {
            let path = directory.path().join(name);
            std::fs::create_dir(&path)?;
            Ok::<String, std::io::Error>(path.display().to_string())
        };
        let (disks, mount) = (place("disks")?, place("mount")?);
        let journal = directory.path().join("journal");
        let disk = Arc::new(Mutex::new(Disk::new(
            workload.place.size(),
            workload.place.never_torn(),
            journal.clone(),
        )));
        served::serve(Path::new(&disks), Arc::clone(&disk))?;
        let mut undo = Undo::default();
        undo.push(&["umount", "-l", &disks]);
        let mut recording = Recording {
            place: workload.place,
            whole_blocks: workload.whole_blocks,
            disk,
            events: 0,
            journal: Vec::new(),
            disks,
            mount,
            _undo: undo,
            _directory: directory,
        };
        let begin = recording.record(setting, workload, &journal)?;
        let events = recording.disk().show_cuts(begin);
        recording.events = events;
        recording.journal = std::fs::read(&journal)?;
        match recording.events {
            0 => Err("the run wrote nothing".into()),
            _ => Ok(recording),
        }
    }

    fn record(&self, setting: &Setting, workload: &Workload, journal: &Path) -> Result<Vec<u8>, Failure> {
        let mut undo = Undo::default();
        let device = attach(&self.disks, RECORDED, &mut undo)?;
        self.place.make(&device)?;
        let target = self.place.mount(&device, &self.mount, &mut undo)?;
        let ours = setting.diskspd.display().to_string();
        let size: &[&str] = if self.place == CutStorage::Raw { &["--destroy"] } else { &["-c8M"] };
        tool(&[&[&*ours, "-b64K", "-w100", "-Su", "-W0", "-d1"], size, &[&target]].concat())?;
        tool(&["sync", &target])?;
        let begin = self.disk().record();
        let journal = journal.display().to_string();
        let seconds = format!("-d{}", setting.seconds);
        let mut words = vec![&*ours, "-r", "-w100", "-W0", &seconds, "--verify", "--journal", &journal];
        words.extend(workload.way.split(' '));
        words.extend(workload.atomic.then_some("--atomic"));
        words.extend((self.place == CutStorage::Raw).then_some("--destroy"));
        words.push(&target);
        tool(&words)?;
        Ok(begin)
    }

    /// The disk, as it is shown.
    pub fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of writes and flushes.
    pub fn events(&self) -> usize {
        self.events
    }

    pub fn moments(&self, cuts: usize, random: &mut Random) -> Vec<usize> {
        let flushes = self.disk().flushes();
        let mut moments: Vec<usize> = (0..cuts)
            .map(|number| match flushes.is_empty() || number % 2 == 0 {
                true => random.below(self.events),
                false => flushes[random.below(flushes.len())],
            })
            .collect();
        moments.sort_unstable();
        moments
    }

    /// Returns the content of the journal at this length in bytes; `None` if not even its beginning is
    /// complete.
    ///
    /// # Errors
    /// Fails if it is invalid.
    pub fn journal_at(&self, bytes: u64) -> Result<Option<JournalContent>, Failure> {
        let said = &self.journal[..self.journal.len().min(bytes as usize)];
        match format::began_ms(said) {
            None => Ok(None),
            Some(_) => Ok(Some(format::read(said)?)),
        }
    }

    /// Returns the acknowledged writes without a later flush.
    ///
    /// # Errors
    /// Fails if the journal is invalid.
    pub fn unflushed(&self) -> Result<Unflushed, Failure> {
        Unflushed::from_journal(&self.disk(), &self.journal)
    }

    /// Keeps the state after a cut at an event in a folder: the disk (`N.disk`), the journal
    /// (`N.journal`), and the disk's events until then (`N.events`: number, offset and length in bytes;
    /// `flush`).
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn keep(&self, at: usize, bytes: u64, folder: &Path) -> Result<(), Failure> {
        std::fs::create_dir_all(folder)?;
        let file = |ending: &str| folder.join(format!("{at}.{ending}"));
        std::fs::write(file("journal"), &self.journal[..self.journal.len().min(bytes as usize)])?;
        let disk = self.disk();
        let mut content = vec![0; disk.size()];
        disk.read(0, &mut content);
        std::fs::write(file("disk"), content)?;
        Ok(std::fs::write(file("events"), disk.listed(at))?)
    }

    /// Judges the shown state by the journal at this length in bytes; `None` = no data was durable yet.
    ///
    /// # Errors
    /// Fails if the state cannot be mounted or read.
    pub fn judge(&self, bytes: u64) -> Result<Option<IntegrityResults>, Failure> {
        let Some(mut said) = self.journal_at(bytes)?.filter(|said| !said.acknowledged.is_empty()) else {
            return Ok(None);
        };
        let mut undo = Undo::default();
        let number = self.disk().shown_cut();
        // The disk itself is read as the file that it is.
        let target = match self.place {
            CutStorage::Raw => format!("{}/{number}", self.disks),
            _ => {
                let device = attach(&self.disks, number, &mut undo)?;
                self.place.mount(&device, &self.mount, &mut undo)?
            }
        };
        let mut all = IntegrityResults::default();
        said.targets.values_mut().for_each(|target| target.atomic |= self.whole_blocks);
        for of_journal in said.targets.values() {
            let found = read_back(&said, of_journal, Path::new(&target), Power::Lost)?;
            all.add_thread(found.results);
        }
        Ok(Some(all))
    }
}

fn attach(disks: &str, number: usize, undo: &mut Undo) -> Result<String, Failure> {
    let device = tool(&["losetup", "--find", "--show", &format!("{disks}/{number}")])?;
    undo.push(&["losetup", "-d", &device]);
    Ok(device)
}
