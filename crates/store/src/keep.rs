//! Operations on runs: keep, import, name, pin, remove.

use super::database::StoreIndex;
use super::files::known_of;
use super::{RunNotes, Store, StoreEntry, StoreError, StoredForm, StoredRun};
use diskspd_base::message_error::MessageError;
use diskspd_checks::JudgedRecord;
use diskspd_formats::{index, json, known};
use diskspd_results::RunSummary;

#[derive(Debug)]
pub struct SavedRun {
    pub kept: StoredRun,
    /// Reason for a missing index entry, which is added when the store is opened again.
    pub index: Result<(), StoreError>,
}

#[derive(Debug)]
pub enum ImportOutcome {
    New(String),
    /// The run was already stored under this id.
    Known(String),
}

impl Store {
    /// Stores a run.
    ///
    /// # Errors
    /// Fails if it cannot be kept, with its actual location.
    pub fn save(&self, judged: &JudgedRecord, about: RunNotes) -> Result<SavedRun, StoreError> {
        let mut record = Vec::new();
        // Memory takes everything.
        let written = json::write_readable(judged, &mut record);
        written.map_err(|error| StoreError::File { file: self.runs_folder(), why: error.to_string() })?;
        let about = RunNotes { order: self.next_order(), ..about };
        let kept = self.keep(StoredForm::Record, &record, &about)?;
        let run = known::of_index(index::Index::from_record(judged), &kept.id);
        let entry = StoreEntry::new(&kept.id, StoredForm::Record, about, run);
        let index = self.stamped(entry).and_then(|entry| self.open()?.add(&entry));
        Ok(SavedRun { kept, index })
    }
}

impl StoreIndex {
    /// Takes in a run from elsewhere, unless it's there.
    ///
    /// # Errors
    /// Fails if the content is not a run, or cannot be kept.
    pub fn import(
        &mut self,
        source: StoredForm,
        content: &[u8],
        about: RunNotes,
    ) -> Result<ImportOutcome, StoreError> {
        let name = about.imported_from.clone().unwrap_or_default();
        let wrong = |why: MessageError| StoreError::File { file: name.clone().into(), why: why.into() };
        let run = known_of(source, content, &name).map_err(wrong)?;
        if let Some(id) = self.of_identity(run.identity.as_deref().unwrap_or_default())? {
            return Ok(ImportOutcome::Known(id));
        }
        if let Some(id) = self.of_same_run(source, run)? {
            return Ok(ImportOutcome::Known(id));
        }
        let about = RunNotes { order: self.store.next_order(), ..about };
        let kept = self.store.keep(source, content, &about)?;
        if let Some(entry) = self.store.entry(&kept.id, source)? {
            self.add(&entry)?;
        }
        Ok(ImportOutcome::New(kept.id))
    }

    fn of_same_run(&self, source: StoredForm, run: RunSummary) -> Result<Option<String>, StoreError> {
        // That of results stands for their bytes, not for the run.
        let bare = |source: StoredForm, run: RunSummary| RunSummary {
            identity: run.identity.filter(|_| source == StoredForm::Record),
            ..run
        };
        let Some(started_at) = run.started_at else { return Ok(None) };
        let run = bare(source, run);
        for id in self.begun_at(started_at)? {
            let source = self.source_of(&id)?;
            let known = self.store.read_known(&id, source).unwrap_or_default();
            if known.is_some_and(|known| bare(source, known).is_of_run(&run)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Changes the notes of a run atomically: the file first, then the row.
    pub fn describe(&mut self, id: &str, change: impl Fn(&mut RunNotes)) -> Result<(), StoreError> {
        let store = self.store.clone();
        let source = self.source_of(id)?;
        self.write(|transaction| {
            let mut about = store.read_notes(id)?;
            change(&mut about);
            drop(store.write_about(id, &about)?);
            match store.entry(id, source)? {
                Some(entry) => StoreIndex::insert_entry(transaction, &store, &entry),
                None => Err(StoreError::Unknown(id.to_owned())),
            }
        })
    }

    /// Removes a run, unless it is pinned.
    ///
    /// # Errors
    /// Fails if the run is pinned, or a file cannot be removed.
    pub fn remove(&mut self, id: &str) -> Result<(), StoreError> {
        let store = self.store.clone();
        self.write(|transaction| {
            if store.read_notes(id)?.pinned {
                return Err(StoreError::Pinned(id.to_owned()));
            }
            store.remove_files(id)?;
            StoreIndex::take(transaction, &store, id)
        })
    }

    fn source_of(&self, id: &str) -> Result<StoredForm, StoreError> {
        StoredForm::ALL
            .into_iter()
            .find(|source| self.store.has_run(id, *source).unwrap_or(false))
            .ok_or_else(|| StoreError::Unknown(id.to_owned()))
    }
}
