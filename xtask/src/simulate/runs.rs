//! Actions of the programs of a history, their reported results, and a check of them.

use super::programs::Programs;
use crate::harness::Failure;
use diskspd::checks::JudgedRecord;
use diskspd::experiments::selection::Selection;
use diskspd::formats::json;
use diskspd::machine::System;
use diskspd::profile::{Profile, TimeSpan};
use diskspd::results::{Record, Results, SpanResults};
use diskspd::store::{
    ImportOutcome, RunNotes, Store, StoreEntry, StoreError, StoreIndex, StoredForm, packed,
};
use std::collections::BTreeSet;
use std::fs::File;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All runs, in the order of the index.
pub fn all(index: &StoreIndex) -> Result<Vec<StoreEntry>, StoreError> {
    index.select(&Selection::default(), None)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LastMessage {
    #[default]
    Nothing,
    Done,
    CommandError,
}

/// A run that a program tried to keep; its label is its number.
#[derive(Debug, Default)]
struct Attempt {
    content: Vec<u8>,
    kept: LastMessage,
    id: String,
    is_imported: bool,
    time: (u32, u32),
    removed: Option<LastMessage>,
    tags: BTreeSet<String>,
    perhaps: BTreeSet<String>,
}

/// All runs that programs tried to keep.
#[derive(Default)]
pub struct Attempts {
    runs: Vec<Attempt>,
    time: u32,
    tags: u32,
    pub wrong: Vec<String>,
}

impl Attempts {
    fn next_time(&mut self) -> u32 {
        self.time += 1;
        self.time
    }

    fn have_to_be_there(&self) -> Vec<usize> {
        let is_there = |run: &Attempt| run.kept == LastMessage::Done && run.removed.is_none();
        (0..self.runs.len()).filter(|number| is_there(&self.runs[*number])).collect()
    }

    pub fn judge(&self, store: &Store, found: &[StoreEntry]) -> Result<(), Failure> {
        let mut latest = 0;
        let mut numbers = BTreeSet::new();
        for entry in found {
            let number: usize = entry.about.label.as_deref().unwrap_or_default().parse()?;
            let run = self.runs.get(number).ok_or("a run is found that no program made")?;
            let bytes = packed::unpack(File::open(store.file(&entry.id, entry.source))?)?;
            let tags: BTreeSet<String> = entry.about.tags.iter().cloned().collect();
            let missing = run.tags.difference(&tags).next();
            let foreign = tags.iter().find(|tag| !run.tags.contains(*tag) && !run.perhaps.contains(*tag));
            let wrong = match () {
                () if bytes != run.content => "differs from the kept run",
                () if run.kept == LastMessage::CommandError => "is found, although reported as not kept",
                () if run.kept == LastMessage::Done && run.id != entry.id => "is found under another id",
                () if run.removed == Some(LastMessage::Done) => "is found, although reported as removed",
                () if !numbers.insert(number) => "is found twice",
                () if missing.is_some() => "lacks a tag that was reported as set",
                () if foreign.is_some() => "has a tag that was set by no program",
                // It was stored before the preceding run of the list.
                () if !run.is_imported && run.kept == LastMessage::Done && run.time.1 < latest => {
                    "is listed after a run that was stored later"
                }
                () => "",
            };
            if !run.is_imported && run.kept == LastMessage::Done {
                latest = latest.max(run.time.0);
            }
            if !wrong.is_empty() {
                return Err(format!("run {number} {wrong}: {:?}", entry.about).into());
            }
        }
        match self.have_to_be_there().iter().find(|number| !numbers.contains(*number)) {
            Some(number) => Err(format!("run {number} is kept and is not found").into()),
            None => Ok(()),
        }
    }
}

pub struct RunContext<'a> {
    pub programs: &'a Programs,
    pub store: &'a Store,
    pub attempts: &'a Mutex<Attempts>,
    pub program: usize,
}

impl RunContext<'_> {
    fn attempts(&self) -> MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, what: &str) {
        self.programs.note(self.program, what);
    }

    fn last_message(&self, is_done: bool) -> LastMessage {
        match (self.programs.is_dead(self.program), is_done) {
            (true, _) => LastMessage::Nothing,
            (false, true) => LastMessage::Done,
            (false, false) => LastMessage::CommandError,
        }
    }

    /// Performs one action of a user on a history.
    pub fn act(&self) {
        match self.programs.number() % 12 {
            0..5 => self.save(),
            5 => self.import(),
            6..9 => self.describe(),
            9 => self.remove(),
            10 => self.list("list", || self.store.open_to_look()),
            _ => self.list("reindex", || self.store.reindex()),
        }
    }

    fn begin(&self, is_imported: bool) -> (usize, Record) {
        let mut attempts = self.attempts();
        let (number, began) = (attempts.runs.len(), attempts.next_time());
        let at = i64::try_from(number).unwrap_or_default();
        let span = SpanResults { started_at: Some(at * 1000), ..SpanResults::default() };
        let profile = Profile { time_spans: vec![TimeSpan::default()], ..Profile::default() };
        let record = Record::new(profile, System::default(), Results { time_spans: vec![span] });
        let mut content = Vec::new();
        // Memory takes everything.
        let _ = json::write_readable(&JudgedRecord::new(&record), &mut content);
        let time = (began, u32::MAX);
        attempts.runs.push(Attempt { content, is_imported, time, ..Attempt::default() });
        (number, record)
    }

    fn ends(&self, number: usize, kept: LastMessage, id: Option<&str>) {
        let mut attempts = self.attempts();
        let ended = attempts.next_time();
        let run = &mut attempts.runs[number];
        run.kept = kept;
        run.time.1 = ended;
        run.id = id.unwrap_or_default().to_owned();
    }

    fn save(&self) {
        let (number, record) = self.begin(false);
        self.note(&format!("saves run {number}"));
        let about = RunNotes { label: Some(number.to_string()), ..RunNotes::default() };
        let saved = self.store.save(&JudgedRecord::new(&record), about);
        let said = self.last_message(saved.is_ok());
        self.ends(number, said, saved.as_ref().ok().map(|saved| saved.kept.id.as_str()));
        self.note(&format!("run {number}: {said:?}"));
        if let Err(error) = saved {
            self.failed("a run cannot be kept", &error);
        }
    }

    fn failed(&self, what: &str, error: &StoreError) {
        if !self.programs.is_dead(self.program) && !self.programs.is_ever_full() {
            self.attempts().wrong.push(format!("{what}: {error}"));
        }
    }

    fn import(&self) {
        let (number, _) = self.begin(true);
        self.note(&format!("imports run {number}"));
        let content = self.attempts().runs[number].content.clone();
        let name = format!("{number}.json");
        let label = Some(number.to_string());
        let about = RunNotes { label, imported_from: Some(name), ..RunNotes::default() };
        let imported =
            self.store.open().and_then(|mut index| index.import(StoredForm::Record, &content, about));
        let id = match &imported {
            Ok(ImportOutcome::New(id) | ImportOutcome::Known(id)) => Some(id.as_str()),
            Err(error) => {
                self.failed("a run cannot be imported", error);
                None
            }
        };
        // It may be kept, and its row not.
        let said = if id.is_some() { self.last_message(true) } else { LastMessage::Nothing };
        self.ends(number, said, id);
    }

    fn any(&self) -> Option<usize> {
        let there = self.attempts().have_to_be_there();
        let any = self.programs.number() as usize;
        (!there.is_empty()).then(|| there[any % there.len()])
    }

    fn describe(&self) {
        let Some(number) = self.any() else { return };
        let (id, tag) = {
            let mut attempts = self.attempts();
            attempts.tags += 1;
            let tag = format!("t{}", attempts.tags);
            attempts.runs[number].perhaps.insert(tag.clone());
            (attempts.runs[number].id.clone(), tag)
        };
        self.note(&format!("tags run {number} as {tag}"));
        let tags = [tag.clone()];
        let done = self
            .store
            .open()
            .and_then(|mut index| index.describe(&id, |about: &mut RunNotes| about.tag(&tags, &[])));
        let mut attempts = self.attempts();
        let run = &mut attempts.runs[number];
        if self.last_message(done.is_ok()) == LastMessage::Done {
            run.tags.insert(tag);
        }
        let is_unknown = matches!(done, Err(StoreError::Unknown(_))) && run.removed.is_none();
        if is_unknown && !self.programs.is_dead(self.program) {
            attempts.wrong.push(format!("run {number} is kept and cannot be tagged: {done:?}"));
        }
    }

    fn remove(&self) {
        let Some(number) = self.any() else { return };
        let id = {
            let run = &mut self.attempts().runs[number];
            run.removed = Some(LastMessage::Nothing);
            run.id.clone()
        };
        self.note(&format!("removes run {number}"));
        let done = self.store.open().and_then(|mut index| index.remove(&id));
        if self.last_message(done.is_ok()) == LastMessage::Done {
            self.attempts().runs[number].removed = Some(LastMessage::Done);
        }
    }

    fn list(&self, what: &str, open: impl Fn() -> Result<StoreIndex, StoreError>) {
        self.note(what);
        let before = self.attempts().have_to_be_there();
        let listed = open().and_then(|index| all(&index));
        if self.programs.is_dead(self.program) {
            return;
        }
        let found = match listed {
            Ok(found) => found,
            Err(error) => return self.failed(what, &error),
        };
        let mut attempts = self.attempts();
        let after = attempts.have_to_be_there();
        let is_found = |number: usize| found.iter().any(|entry| entry.id == attempts.runs[number].id);
        let lost = before.into_iter().find(|number| after.contains(number) && !is_found(*number));
        if let Some(number) = lost {
            attempts.wrong.push(format!("{what}: run {number} is missing"));
        }
    }
}
