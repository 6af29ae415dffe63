//! The index: an SQLite database that follows the files.
//!
//! Whoever opens it first brings it up to date: runs whose files are there and whose rows are not get
//! them, and the reverse. So a program that was killed between file and row has lost nothing.

mod rows;

pub(super) use rows::{COLUMNS, decode, headline};

use super::{KeptAs, Store, StoreEntry, StoreError};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// The version of the tables.
pub const VERSION: i64 = 1;
/// What tells the index from another program's database: "dspd".
const APPLICATION: i64 = 0x6473_7064;
/// So long others may have it in use before that is an error.
const PATIENCE: Duration = Duration::from_secs(60);

/// What couldn't be taken into the index: a message each. The rest is there.
pub type Troubles = Vec<String>;

/// The index, opened and up to date.
#[derive(Debug)]
pub struct StoreIndex {
    pub(super) store: Store,
    pub(super) connection: Connection,
    /// Files of the store that are none of a run, or damaged: a message each.
    pub troubles: Troubles,
}

impl Store {
    /// Opens the index and brings it up to date. It's made if there is none.
    ///
    /// # Errors
    /// It can't be opened, or is of a newer program.
    pub fn open(&self) -> Result<StoreIndex, StoreError> {
        let mut index = self.connect()?;
        index.catch_up()?;
        Ok(index)
    }

    /// The same for looking: where the index can't be written (a full disk, somebody else's store) one
    /// in memory is made from the files, which takes its time and says so.
    ///
    /// # Errors
    /// As [`Store::open`], for other reasons.
    pub fn open_to_look(&self) -> Result<StoreIndex, StoreError> {
        match self.open() {
            Err(StoreError::Index { why, .. }) if is_unwritable(&why) => {
                let memory = Connection::open_in_memory().map_err(|error| self.index_error(&error))?;
                let mut index = StoreIndex { store: self.clone(), connection: memory, troubles: Vec::new() };
                index.rebuild(true)?;
                index.troubles.push(format!("the index can't be written, and is made in memory: {why}"));
                Ok(index)
            }
            answer => answer,
        }
    }

    /// Makes the index anew from the files. Others that use it wait so long.
    ///
    /// # Errors
    /// As [`Store::open`]; of a damaged one nothing is left.
    pub fn reindex(&self) -> Result<StoreIndex, StoreError> {
        let index = match self.connect() {
            Err(StoreError::Index { why, .. }) if is_damaged(&why) => None,
            index => Some(index?),
        };
        let rebuilt = index.map(|mut index| index.rebuild(true).map(|()| index));
        match rebuilt {
            Some(Err(StoreError::Index { why, .. })) if is_damaged(&why) => self.made_anew(),
            Some(answer) => answer,
            None => self.made_anew(),
        }
    }

    /// The damaged file goes; what it held follows from the others.
    fn made_anew(&self) -> Result<StoreIndex, StoreError> {
        let file = self.index_file();
        let journal = PathBuf::from(format!("{}-journal", file.display()));
        for file in [&file, &journal] {
            match fs::remove_file(file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::File {
                        file: file.clone(),
                        why: format!("can't be removed: {error}"),
                    });
                }
                _ => {}
            }
        }
        self.open()
    }

    /// Opens the index; its tables are there and of today.
    fn connect(&self) -> Result<StoreIndex, StoreError> {
        let runs = self.runs();
        fs::create_dir_all(&runs).map_err(|error| StoreError::Folder { folder: runs, error })?;
        let failed = |error| self.index_error(&error);
        let connection = Connection::open(self.index_file()).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        // A crash of the machine may cost the index, and no run.
        connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;").map_err(failed)?;
        let mut index = StoreIndex { store: self.clone(), connection, troubles: Vec::new() };
        index.bring_tables_up_to_date()?;
        Ok(index)
    }

    pub(super) fn index_error(&self, error: &rusqlite::Error) -> StoreError {
        let why = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) => format!("the index is malformed: {error}"),
            Some(ErrorCode::DatabaseBusy) => format!("the index is locked: {error}"),
            Some(ErrorCode::DiskFull) => format!("the disk is full: {error}"),
            _ => error.to_string(),
        };
        StoreError::Index { file: self.index_file(), why }
    }
}

fn is_damaged(why: &str) -> bool {
    why.contains("malformed") || why.contains("not a database")
}

fn is_unwritable(why: &str) -> bool {
    ["disk is full", "readonly", "unable to open", "disk I/O error"].iter().any(|sign| why.contains(sign))
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}

impl StoreIndex {
    /// Tables of an older version are made anew: they follow from the files, so that nothing has to be
    /// converted.
    fn bring_tables_up_to_date(&mut self) -> Result<(), StoreError> {
        let file = self.store.index_file();
        let read = |connection: &Connection| -> rusqlite::Result<(i64, i64, i64)> {
            Ok((
                pragma(connection, "application_id")?,
                pragma(connection, "user_version")?,
                connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?,
            ))
        };
        let (application, version, objects) =
            read(&self.connection).map_err(|error| self.store.index_error(&error))?;
        match (application, version) {
            (APPLICATION, VERSION) => Ok(()),
            (APPLICATION, found) if found > VERSION => Err(StoreError::Newer { file, found, known: VERSION }),
            (APPLICATION, _) => self.rebuild(false),
            _ if objects == 0 => self.rebuild(false),
            _ => Err(StoreError::Foreign { file }),
        }
    }

    /// Makes tables and rows anew, in one step for everybody else; `anyway`: also when they are of
    /// today, as another program may have made them since we looked.
    fn rebuild(&mut self, anyway: bool) -> Result<(), StoreError> {
        let store = self.store.clone();
        let troubles = self.write(|transaction| {
            let failed = |error| store.index_error(&error);
            if !anyway && pragma(transaction, "user_version").map_err(failed)? == VERSION {
                return Ok(Vec::new());
            }
            drop_tables(transaction).map_err(failed)?;
            transaction.execute_batch(include_str!("tables.sql")).map_err(failed)?;
            transaction
                .execute_batch(&format!(
                    "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
                ))
                .map_err(failed)?;
            add_missing(&store, transaction, &BTreeSet::new())
        })?;
        self.troubles = troubles;
        Ok(())
    }

    /// Rows for files that have none, and none for files that are gone.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        // In this order: a row is younger than its file.
        let rows = self.rows_there()?;
        let files = self.store.listed()?;
        let gone: Vec<&String> = rows.difference(&files).map(|(id, _)| id).collect();
        if gone.is_empty() && files.is_subset(&rows) {
            return Ok(());
        }
        let store = self.store.clone();
        self.troubles = self.write(|transaction| {
            for id in gone {
                rows::remove(transaction, id).map_err(|error| store.index_error(&error))?;
            }
            add_missing(&store, transaction, &rows)
        })?;
        Ok(())
    }

    fn rows_there(&self) -> Result<BTreeSet<(String, &'static str)>, StoreError> {
        let read = || -> rusqlite::Result<BTreeSet<(String, &'static str)>> {
            let mut statement = self.connection.prepare("SELECT id, source FROM runs")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
            rows.map(|row| row.map(|(id, source)| (id, rows::source(&source).ending()))).collect()
        };
        read().map_err(|error| self.store.index_error(&error))
    }

    /// Does something that nobody else sees half done, and that waits for others who write.
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let store = self.store.clone();
        let failed = |error| store.index_error(&error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let answer = work(&transaction)?;
        transaction.commit().map_err(failed)?;
        Ok(answer)
    }
}

fn drop_tables(transaction: &Transaction) -> rusqlite::Result<()> {
    let names = {
        let query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut statement = transaction.prepare(query)?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        names.collect::<rusqlite::Result<Vec<String>>>()?
    };
    // Runs last: the others refer to them.
    let (runs, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name == "runs");
    for name in others.iter().chain(&runs) {
        transaction.execute_batch(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")))?;
    }
    Ok(())
}

/// Rows for the files that have none; one that can't be read doesn't keep the others away.
fn add_missing(
    store: &Store,
    transaction: &Transaction,
    rows: &BTreeSet<(String, &'static str)>,
) -> Result<Troubles, StoreError> {
    let mut troubles = Vec::new();
    for (id, ending) in store.listed()?.difference(rows) {
        let source = rows::source(ending);
        match store.entry(id, source) {
            Ok(None) => {}
            Ok(Some(entry)) => {
                rows::add(transaction, &entry).map_err(|error| store.index_error(&error))?;
            }
            Err(error) => troubles.push(error.to_string()),
        }
    }
    Ok(troubles)
}

impl Store {
    /// The row of a run, from its files; `None` = it was removed meanwhile.
    pub(super) fn entry(&self, id: &str, source: KeptAs) -> Result<Option<StoreEntry>, StoreError> {
        let Some(run) = self.known(id, source)? else { return Ok(None) };
        Ok(Some(StoreEntry::of(id, source, self.about(id)?, &run)))
    }
}

impl StoreIndex {
    /// Takes a run into the index that was just kept.
    pub(super) fn add(&mut self, entry: &StoreEntry) -> Result<(), StoreError> {
        let store = self.store.clone();
        self.write(|transaction| rows::add(transaction, entry).map_err(|error| store.index_error(&error)))
    }

    /// Takes a run out of the index.
    pub(super) fn take(transaction: &Transaction, store: &Store, id: &str) -> Result<(), StoreError> {
        rows::remove(transaction, id).map_err(|error| store.index_error(&error))
    }

    /// Writes the row of a run anew.
    pub(super) fn put(
        transaction: &Transaction,
        store: &Store,
        entry: &StoreEntry,
    ) -> Result<(), StoreError> {
        rows::add(transaction, entry).map_err(|error| store.index_error(&error))
    }
}
