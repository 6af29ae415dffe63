//! Writing of the journal by a separate thread, which repeatedly makes it durable.

use super::format::{Acknowledged, JournalPiece};
use super::layout::MAX_PIECE_ENTRIES;
use crate::error::JournalError;
use diskspd_output::guard;
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::mutex::LockUnpoisoned;
use diskspd_sys::process;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Maximum number of queued acknowledgements; then workers wait.
const MAX_QUEUED_ACKS: usize = 1 << 18;
/// Maximum wait for the journal; then the device counts as unresponsive.
const MAX_JOURNAL_WAIT: Duration = Duration::from_secs(20);

/// Journal in progress.
#[derive(Debug)]
pub struct AckJournal {
    shared: Arc<JournalQueue>,
    began: Nanos,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct JournalQueue {
    waiting: Mutex<PendingAcks>,
    changed: Condvar,
    file: Mutex<File>,
}

#[derive(Debug, Default)]
struct PendingAcks {
    acks: Vec<Acknowledged>,
    added: Vec<u8>,
    is_writing: bool,
    is_closed: bool,
    failure: Option<JournalError>,
}

impl AckJournal {
    /// Starts a journal in an empty file. `boot` = boot ID of the kernel, empty if unknown.
    pub fn begin(file: File, run: u64, boot: &str) -> io::Result<AckJournal> {
        let (waiting, changed) = (Mutex::default(), Condvar::default());
        let shared = Arc::new(JournalQueue { waiting, changed, file: Mutex::new(file) });
        let work = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("journal".into()).spawn(move || {
            let _waited_for = guard::is_waited_for();
            work.write_all();
        })?;
        let journal = AckJournal { shared, began: clock::monotonic(), thread: Some(thread) };
        journal.add(&[JournalPiece::Run(run, clock::wall_millis(), boot)]).map_err(io::Error::other)?;
        Ok(journal)
    }

    pub fn now_us(&self) -> u64 {
        clock::monotonic().saturating_sub(self.began) / 1000
    }

    pub fn push(&self, acks: &mut Vec<Acknowledged>) {
        if acks.is_empty() {
            return;
        }
        let mut waiting = self.shared.wait_while(|waiting| waiting.acks.len() >= MAX_QUEUED_ACKS);
        match waiting.failure {
            Some(_) => acks.clear(),
            None => waiting.acks.append(acks),
        }
        drop(waiting);
        self.shared.changed.notify_all();
    }

    /// Adds pieces durably after all earlier acknowledgements.
    ///
    /// # Errors
    /// Fails if the journal has failed.
    pub fn add(&self, pieces: &[JournalPiece]) -> Result<(), JournalError> {
        let mut waiting = self.shared.wait_while(PendingAcks::is_busy);
        if let Some(failure) = &waiting.failure {
            return Err(failure.clone());
        }
        pieces.iter().for_each(|piece| piece.append_to(&mut waiting.added));
        drop(waiting);
        self.shared.changed.notify_all();
        // In the journal's own thread, because the device may block any caller.
        self.shared.wait_while(PendingAcks::is_busy).failure.clone().map_or(Ok(()), Err)
    }
}

impl PendingAcks {
    fn is_busy(&self) -> bool {
        self.is_writing || !self.acks.is_empty() || !self.added.is_empty()
    }
}

impl Drop for AckJournal {
    fn drop(&mut self) {
        self.shared.waiting.lock_anyway().is_closed = true;
        self.shared.changed.notify_all();
        let hangs = self.shared.wait_while(PendingAcks::is_busy).failure.is_some();
        match self.thread.take() {
            Some(thread) if !hangs => drop(thread.join()),
            // It may still wait for the device.
            _ => process::abandon_thread(),
        }
    }
}

impl JournalQueue {
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock_anyway();
        file.write_all(bytes)?;
        file.sync_data()
    }

    fn wait_while(&self, so: impl Fn(&PendingAcks) -> bool) -> MutexGuard<'_, PendingAcks> {
        let waiting = self.waiting.lock_anyway();
        let still = |waiting: &mut PendingAcks| so(waiting) && waiting.failure.is_none();
        let ended = self.changed.wait_timeout_while(waiting, MAX_JOURNAL_WAIT, still);
        let (mut waiting, timeout) = ended.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            waiting.failure = Some(JournalError::Unanswered(MAX_JOURNAL_WAIT.as_secs()));
        }
        waiting
    }

    /// Writes queued acknowledgements until the end.
    fn write_all(&self) {
        let mut acks = Vec::new();
        loop {
            let waiting = self.waiting.lock_anyway();
            let nothing = |waiting: &PendingAcks| waiting.acks.is_empty() && waiting.added.is_empty();
            let idle = |waiting: &mut PendingAcks| nothing(waiting) && !waiting.is_closed;
            let ended = self.changed.wait_while(waiting, idle);
            let mut waiting = ended.unwrap_or_else(PoisonError::into_inner);
            if nothing(&waiting) {
                return;
            }
            std::mem::swap(&mut waiting.acks, &mut acks);
            let added = std::mem::take(&mut waiting.added);
            waiting.is_writing = true;
            drop(waiting);
            self.changed.notify_all();
            let mut bytes = Vec::new();
            acks.chunks(MAX_PIECE_ENTRIES).for_each(|acks| JournalPiece::Acks(acks).append_to(&mut bytes));
            bytes.extend(added);
            let written = self.write(&bytes);
            acks.clear();
            let mut waiting = self.waiting.lock_anyway();
            waiting.is_writing = false;
            if let Err(error) = written {
                waiting.failure.get_or_insert_with(|| Arc::new(error).into());
            }
            drop(waiting);
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::{JournalTarget, Mixing, read};
    use super::*;

    fn sample_ack(offset: u64, oldest: u64) -> Acknowledged {
        let (write, write_offset, at_us) = (oldest, offset, oldest);
        let (target, writer, write_length, overlapped) = (0, 0, 512, false);
        Acknowledged { target, writer, offset, oldest, write, write_offset, write_length, overlapped, at_us }
    }

    #[test]
    fn journal_keeps_order_of_each_thread() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let journal = AckJournal::begin(File::create_new(&path).unwrap(), 5, "").unwrap();
        let (id, sector, unit, mixing) = (0, 512, 512, Mixing::Never);
        let target = JournalTarget { id, sector, unit, mixing, atomic: false, path: "t".into() };
        journal.add(&[JournalPiece::Target(target)]).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let journal = &journal;
                scope.spawn(move || {
                    for round in 1..=50 {
                        let mut acks: Vec<_> =
                            (0..20).map(|unit| sample_ack((20 * thread + unit) * 512, round)).collect();
                        journal.push(&mut acks);
                        assert!(acks.is_empty());
                    }
                });
            }
        });
        journal.add(&[JournalPiece::End]).unwrap();
        let content = read(File::open(&path).unwrap()).unwrap();
        assert_eq!((content.run, content.acknowledged.len(), content.has_ended), (5, 80, true));
        assert!(content.acknowledged.values().all(|ack| ack.oldest == 50));
    }

    #[test]
    fn unwritable_journal_reports_error_without_waiting() {
        let journal = AckJournal::begin(File::options().write(true).open("/dev/full").unwrap(), 5, "");
        assert!(journal.is_err());
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let journal = AckJournal::begin(File::create_new(&path).unwrap(), 5, "").unwrap();
        *journal.shared.file.lock_anyway() = File::open(&path).unwrap();
        let mut acks = vec![sample_ack(0, 1); 10];
        (0..100).for_each(|_| journal.push(&mut acks.clone()));
        journal.push(&mut acks);
        assert!(journal.add(&[JournalPiece::End]).is_err());
    }
}
