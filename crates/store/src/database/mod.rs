//! The index: an SQLite database that follows the files.
//!
//! The first opening adds rows for runs with files, and removes rows without files. A program killed
//! between file and row therefore loses no data.

mod rows;

pub(super) use rows::{COLUMNS, add_figures, decode, work};

use super::{INDEX, Store, StoreEntry, StoreError, StoredForm};
use diskspd_machine::fingerprint::Fingerprint;
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::fault_points::{self, FileStep};
use diskspd_sys::folder::OpenFolder;
use diskspd_sys::locks;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, TransactionBehavior, ffi};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::time::Duration;

const TABLES: &str = include_str!("tables.sql");
pub const VERSION: i64 = 6;
const APPLICATION: i64 = 0x6473_7064;
/// Time limit for other users of the index.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(60);
/// Interval of checks for an index re-created by another program.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Messages about files that could not be indexed; the rest is indexed.
pub type IndexMessages = Vec<String>;

/// Open, up-to-date index.
#[derive(Debug)]
pub struct StoreIndex {
    pub(super) store: Store,
    pub(super) connection: Connection,
    /// Messages about files in the store that are damaged, or not runs.
    pub troubles: IndexMessages,
}

/// Row of a run: its id, and the extension of its file.
type RowKey = (String, &'static str);

#[derive(Debug)]
pub(super) struct StampedEntry {
    entry: StoreEntry,
    /// Stamp of the run's notes, not newer than the notes.
    notes: i64,
}

impl Store {
    /// Opens the index and brings it up to date. Creates it if missing, and re-creates it with a message
    /// if damaged.
    ///
    /// # Errors
    /// Fails if it cannot be opened, or belongs to a newer program.
    pub fn open(&self) -> Result<StoreIndex, StoreError> {
        match self.open_as_it_is() {
            Err(StoreError::Damaged { why, file }) => {
                let mut index = self.made_anew()?;
                let told = format!("{}: {why}; it was rebuilt from the runs", file.display());
                index.troubles.insert(0, told);
                Ok(index)
            }
            answer => answer,
        }
    }

    fn open_as_it_is(&self) -> Result<StoreIndex, StoreError> {
        let mut index = self.connect()?;
        index.look_for_damage()?;
        index.catch_up()?;
        Ok(index)
    }

    /// Returns the position of a new run: the time in ns since 1970, or the position after the latest run
    /// if the clock was set back.
    pub(super) fn next_order(&self) -> Option<i64> {
        let now = clock::wall_nanos();
        Some(self.latest_order().map_or(now, |latest| now.max(latest.saturating_add(1))))
    }

    /// Returns the position of the latest run; `None` without runs. The files decide if the index is
    /// outdated or lost.
    fn latest_order(&self) -> Option<i64> {
        let indexed = || -> rusqlite::Result<(BTreeSet<String>, Option<i64>)> {
            let connection = self.open_connection(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            let mut statement = connection.prepare("SELECT id FROM runs")?;
            let ids = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok((ids, connection.query_row("SELECT max(kept) FROM runs", [], |row| row.get(0))?))
        };
        let (indexed, latest) = indexed().unwrap_or_default();
        // What can't be read has no place: a run is kept all the same.
        let there = self.listed().unwrap_or_default();
        let others = there.iter().filter(|(id, _)| !indexed.contains(id));
        others.filter_map(|(id, _)| self.read_notes(id).ok()?.order).chain(latest).max()
    }

    /// Opens it for reading. If the index cannot be written (a full disk, another user's store), a slower
    /// one in memory is built from the files, with a message.
    pub fn open_to_look(&self) -> Result<StoreIndex, StoreError> {
        match self.open() {
            Err(error) if is_unusable(&error) => {
                let memory = Connection::open_in_memory().map_err(|error| self.index_error(&error))?;
                let mut index = StoreIndex { store: self.clone(), connection: memory, troubles: Vec::new() };
                index.rebuild_index(true)?;
                index.troubles.push(format!("{error}; using a temporary index in memory"));
                Ok(index)
            }
            answer => answer,
        }
    }

    /// Re-creates the index from the files. Other users wait until it is complete.
    pub fn reindex(&self) -> Result<StoreIndex, StoreError> {
        let rebuilt = self.lock_folder().and_then(|_alone| {
            let mut index = self.connect()?;
            index.rebuild_index(true)?;
            Ok(index)
        });
        match rebuilt {
            Err(StoreError::Damaged { .. }) => self.made_anew(),
            answer => answer,
        }
    }

    fn made_anew(&self) -> Result<StoreIndex, StoreError> {
        let _alone = self.lock_folder()?;
        match self.open_as_it_is() {
            Err(StoreError::Damaged { .. }) => {}
            // Somebody else found the same, and was first.
            answer => return answer,
        }
        let folder = OpenFolder::open(&self.folder);
        // The index is last. As soon as it is removed another program may create one, with a journal.
        for name in [format!("{INDEX}-journal"), format!("{INDEX}-wal"), INDEX.to_owned()] {
            match folder.as_ref().map_err(|error| error.kind()).map(|folder| folder.remove(&name)) {
                Ok(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                    let why = format!("cannot be removed: {error}");
                    return Err(StoreError::File { file: self.folder.join(name), why });
                }
                _ => {}
            }
        }
        self.open_as_it_is()
    }

    /// Waits for exclusive permission to remove the index, so that two programs do not remove each other's
    /// new index. `None` if locks are not available.
    fn lock_folder(&self) -> Result<Option<File>, StoreError> {
        let begun = clock::monotonic();
        loop {
            let is_patient = clock::monotonic().saturating_sub(begun) < MAX_LOCK_WAIT.as_nanos() as Nanos;
            match locks::hold_folder(&self.folder) {
                Ok(None) if is_patient && fault_points::pause(CHECK_INTERVAL) => {}
                Ok(None) => {
                    let why = "the index is locked: another program is rebuilding it".to_owned();
                    return Err(StoreError::Index { file: self.index_file(), why });
                }
                Ok(lock) => return Ok(lock),
                Err(_) => return Ok(None),
            }
        }
    }

    fn open_connection(&self, mode: OpenFlags) -> rusqlite::Result<Connection> {
        announce_step(FileStep::Connect)?;
        // SQLite refuses links anywhere in the path; the folder's owner chooses its location.
        let folder = fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let flags = mode | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(folder.join(INDEX), flags)?;
        match fault_points::is_watched() {
            true => connection.busy_handler(Some(|_| fault_points::waits()))?,
            false => connection.busy_timeout(MAX_LOCK_WAIT)?,
        }
        // It may be anybody's file: nothing in it is carried out.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        Ok(connection)
    }

    /// Opens the index. Missing or outdated tables are created again.
    fn connect(&self) -> Result<StoreIndex, StoreError> {
        let runs = self.runs_folder();
        let made = self.make_with_those_above(&runs);
        made.map_err(|error| StoreError::Folder { folder: runs, error })?;
        let failed = |error| self.index_error(&error);
        self.refuse_what_is_no_file()?;
        let mode = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = self.open_connection(mode).map_err(failed)?;
        // Where a disk keeps what it was told to, a power cut leaves an index of the last change or the one
        // before. Pages of both would not always be seen.
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;").map_err(failed)?;
        let mut index = StoreIndex { store: self.clone(), connection, troubles: Vec::new() };
        index.bring_tables_up_to_date()?;
        Ok(index)
    }

    /// Rejects anything except a regular file: links may lead to other users' files, and pipes block.
    fn refuse_what_is_no_file(&self) -> Result<(), StoreError> {
        let file = self.index_file();
        let why = match fs::symlink_metadata(&file) {
            Ok(found) if found.is_symlink() => "is a symbolic link, which is not followed",
            Ok(found) if !found.is_file() => "is not a regular file",
            _ => return Ok(()),
        };
        Err(StoreError::NoFile { file, why })
    }

    pub(super) fn index_error(&self, error: &rusqlite::Error) -> StoreError {
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
        };
        let damaged = |why: String| StoreError::Damaged { file: self.index_file(), why };
        if matches!(
            error,
            FromSqlConversionFailure(..)
                | IntegralValueOutOfRange(..)
                | InvalidColumnType(..)
                | Utf8Error(..)
        ) {
            return damaged(format!("the index has invalid content ({error})"));
        }
        let why = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                return damaged(format!("the index is damaged ({error})"));
            }
            Some(ErrorCode::DatabaseBusy) => format!("the index is locked: {error}"),
            Some(ErrorCode::DiskFull) => format!("the disk is full: {error}"),
            _ => error.to_string(),
        };
        StoreError::Index { file: self.index_file(), why }
    }
}

fn is_unusable(error: &StoreError) -> bool {
    let signs = ["disk is full", "readonly", "unable to open", "disk I/O error"];
    match error {
        StoreError::Index { why, .. } => signs.iter().any(|sign| why.contains(sign)),
        StoreError::NoFile { .. } => true,
        _ => false,
    }
}

fn announce_step(step: FileStep) -> rusqlite::Result<()> {
    fault_points::check_step(step).map_err(|error| {
        let code = match error.kind() {
            io::ErrorKind::StorageFull => ffi::SQLITE_FULL,
            _ => ffi::SQLITE_IOERR,
        };
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    })
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}

impl StoreIndex {
    /// Re-creates tables of an older version from the files, so no conversion is necessary.
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
            (APPLICATION, VERSION) if self.has_our_tables()? => Ok(()),
            (APPLICATION, VERSION) => {
                Err(StoreError::Damaged { file, why: "the index has unexpected tables".into() })
            }
            (APPLICATION, found) if found > VERSION => Err(StoreError::Newer { file, found, known: VERSION }),
            (APPLICATION, _) => self.rebuild_index(false),
            _ if objects == 0 => self.rebuild_index(false),
            _ => Err(StoreError::Foreign { file }),
        }
    }

    fn has_our_tables(&self) -> Result<bool, StoreError> {
        let read = || -> rusqlite::Result<BTreeSet<String>> {
            let sql = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL";
            let mut statement = self.connection.prepare(sql)?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        let found = read().map_err(|error| self.store.index_error(&error))?;
        let lines: Vec<&str> = TABLES.lines().filter(|line| !line.starts_with("--")).collect();
        let statements = lines.join("\n");
        let statements = statements.split(';').map(|statement| statement.trim().to_owned());
        let ours: BTreeSet<String> = statements.filter(|statement| !statement.is_empty()).collect();
        Ok(found == ours)
    }

    fn look_for_damage(&self) -> Result<(), StoreError> {
        let found: rusqlite::Result<String> =
            self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        match found.map_err(|error| self.store.index_error(&error))?.as_str() {
            "ok" => Ok(()),
            why => Err(StoreError::Damaged {
                file: self.store.index_file(),
                why: format!("the index is damaged ({why})"),
            }),
        }
    }

    /// Re-creates tables and rows atomically; `anyway`: even if they are current, as another program may
    /// have just created them.
    fn rebuild_index(&mut self, anyway: bool) -> Result<(), StoreError> {
        let store = self.store.clone();
        let troubles = self.write(|transaction| {
            let failed = |error| store.index_error(&error);
            if !anyway && pragma(transaction, "user_version").map_err(failed)? == VERSION {
                return Ok(Vec::new());
            }
            drop_tables(transaction).map_err(failed)?;
            transaction.execute_batch(TABLES).map_err(failed)?;
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

    fn catch_up(&mut self) -> Result<(), StoreError> {
        // In this order: a row is younger than its file.
        let stamps = self.rows_there()?;
        let files = self.store.listed()?;
        let mut rows: BTreeSet<RowKey> = stamps.keys().cloned().collect();
        let gone: Vec<String> = rows.difference(&files).map(|(id, _)| id.clone()).collect();
        // A program that was killed, and an index that was brought back, know less than the files.
        let runs = self.store.open_runs()?;
        rows.retain(|row| stamps.get(row).copied() == Store::notes_stamp(&runs, &row.0).ok());
        if gone.is_empty() && files.is_subset(&rows) {
            return Ok(());
        }
        let store = self.store.clone();
        self.troubles = self.write(|transaction| {
            for id in &gone {
                rows::remove(transaction, id).map_err(|error| store.index_error(&error))?;
            }
            add_missing(&store, transaction, &rows)
        })?;
        Ok(())
    }

    fn rows_there(&self) -> Result<BTreeMap<RowKey, i64>, StoreError> {
        let read = || -> rusqlite::Result<BTreeMap<RowKey, i64>> {
            let mut statement = self.connection.prepare("SELECT id, source, notes FROM runs")?;
            let row = |row: &Row| Ok(((row.get(0)?, rows::source(row, 1)?.ending()), row.get(2)?));
            statement.query_map([], row)?.collect()
        };
        read().map_err(|error| self.store.index_error(&error))
    }

    /// Calls `work`, whose added rows are written together. The files of a run are durable at once; if the
    /// rows are lost, the next opening adds them.
    pub fn write_together<T>(&mut self, work: impl FnOnce(&mut StoreIndex) -> T) -> Result<T, StoreError> {
        let store = self.store.clone();
        let failed = |error| store.index_error(&error);
        announce_step(FileStep::Begin)
            .and_then(|()| self.connection.execute_batch("BEGIN IMMEDIATE"))
            .map_err(failed)?;
        let answer = work(self);
        announce_step(FileStep::Commit)
            .and_then(|()| self.connection.execute_batch("COMMIT"))
            .map_err(failed)?;
        Ok(answer)
    }

    /// Executes an atomic change after a wait for other writers.
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if !self.connection.is_autocommit() {
            return work(&self.connection);
        }
        let store = self.store.clone();
        let failed = |error| store.index_error(&error);
        announce_step(FileStep::Begin).map_err(failed)?;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let answer = work(&transaction)?;
        announce_step(FileStep::Commit).and_then(|()| transaction.commit()).map_err(failed)?;
        Ok(answer)
    }
}

fn drop_tables(transaction: &Connection) -> rusqlite::Result<()> {
    let found = {
        let query = "SELECT type, name FROM sqlite_master \
                     WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'";
        let mut statement = transaction.prepare(query)?;
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        found.collect::<rusqlite::Result<Vec<(String, String)>>>()?
    };
    // Runs last: the others refer to them.
    let (runs, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, name)| name == "runs");
    for (kind, name) in others.iter().chain(&runs) {
        transaction.execute_batch(&format!("DROP {kind} \"{}\"", name.replace('"', "\"\"")))?;
    }
    Ok(())
}

fn add_missing(
    store: &Store,
    transaction: &Connection,
    rows: &BTreeSet<RowKey>,
) -> Result<IndexMessages, StoreError> {
    let mut troubles = Vec::new();
    for (id, ending) in store.listed()?.difference(rows) {
        let Some(source) = StoredForm::of_ending(ending) else { continue };
        match store.entry(id, source) {
            Ok(None) => {}
            Ok(Some(entry)) => {
                put(transaction, store, &entry)?;
            }
            Err(error) => troubles.push(error.to_string()),
        }
    }
    Ok(troubles)
}

impl Store {
    /// Returns the row of a run from its files; `None` if it was removed in the meantime.
    pub(super) fn entry(&self, id: &str, source: StoredForm) -> Result<Option<StampedEntry>, StoreError> {
        let Some(run) = self.read_known(id, source)? else { return Ok(None) };
        // Read before the content, so that a change in between is noticed later.
        let notes = self.stamp_of(id)?;
        Ok(Some(StampedEntry { entry: StoreEntry::new(id, source, self.read_notes(id)?, run), notes }))
    }

    pub(super) fn stamped(&self, entry: StoreEntry) -> Result<StampedEntry, StoreError> {
        let notes = self.stamp_of(&entry.id)?;
        Ok(StampedEntry { entry, notes })
    }

    fn stamp_of(&self, id: &str) -> Result<i64, StoreError> {
        let failed = |error| StoreError::Folder { folder: self.runs_folder(), error };
        Store::notes_stamp(&self.open_runs()?, id).map_err(failed)
    }
}

impl StoreIndex {
    /// Adds a newly kept run to the index, unless another process has already added it, possibly with more
    /// notes.
    pub(super) fn add(&mut self, entry: &StampedEntry) -> Result<(), StoreError> {
        let store = self.store.clone();
        self.write(|transaction| {
            let has =
                rows::has_run(transaction, &entry.entry.id).map_err(|error| store.index_error(&error))?;
            if has { Ok(()) } else { put(transaction, &store, entry) }
        })
    }

    /// Removes a run from the index.
    pub(super) fn take(transaction: &Connection, store: &Store, id: &str) -> Result<(), StoreError> {
        rows::remove(transaction, id).map_err(|error| store.index_error(&error))
    }

    pub(super) fn insert_entry(
        transaction: &Connection,
        store: &Store,
        entry: &StampedEntry,
    ) -> Result<(), StoreError> {
        put(transaction, store, entry)
    }
}

fn put(transaction: &Connection, store: &Store, entry: &StampedEntry) -> Result<(), StoreError> {
    let failed = |error| store.index_error(&error);
    let StampedEntry { entry, notes } = entry;
    rows::add(transaction, entry, *notes).map_err(failed)?;
    let Some(hash) = &entry.run.fingerprint else { return Ok(()) };
    if rows::has_fingerprint(transaction, hash).map_err(failed)? {
        return Ok(());
    }
    // Its description of itself must match.
    let told = store.fingerprint(&entry.id).filter(|told| told.hash == *hash);
    let told = told.filter(|told| Fingerprint::of_parts(told.parts.clone()).hash == *hash);
    told.map_or(Ok(()), |told| rows::add_fingerprint(transaction, &told).map_err(failed))
}
