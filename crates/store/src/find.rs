//! Search for kept runs by id, label or selection.

use super::database::{StoreIndex, add_figures, decode, work};
use super::{Fingerprints, StoreEntry, StoreError, WORK, id};
use diskspd_experiments::selection::Selection;
use diskspd_machine::fingerprint::Fingerprint;
use rusqlite::{ToSql, params_from_iter};
use std::collections::{BTreeSet, HashMap};

/// Maximum number of ids in a message.
const MAX_NAMED_IDS: usize = 6;

impl StoreIndex {
    /// Returns the selected runs, oldest first, with targets, tags and figures. `since`: limit of the
    /// selection in seconds since 1970.
    pub fn select(&self, selection: &Selection, since: Option<i64>) -> Result<Vec<StoreEntry>, StoreError> {
        self.read(selection, since).map_err(|error| self.store.index_error(&error))
    }

    fn read(&self, selection: &Selection, since: Option<i64>) -> rusqlite::Result<Vec<StoreEntry>> {
        let (condition, values) = sql_condition(selection, since);
        // The latest come first, so that the rest can be left out, and are turned round at the end.
        let limit = selection.last.map_or(-1, i64::from);
        let sql = format!(
            "SELECT {} FROM runs r {condition} ORDER BY r.position DESC, r.kept DESC, r.started_at DESC, \
            r.id LIMIT {limit}",
            super::database::COLUMNS
        );
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map(params_from_iter(values.iter()), decode)?;
        let mut entries = rows.collect::<rusqlite::Result<Vec<StoreEntry>>>()?;
        // Whoever wrote it: what is no id names no run.
        entries.retain(|entry| id::is_whole(&entry.id));
        entries.reverse();
        self.complete_entries(&mut entries)?;
        Ok(entries)
    }

    fn complete_entries(&self, entries: &mut [StoreEntry]) -> rusqlite::Result<()> {
        let places: HashMap<String, usize> =
            entries.iter().enumerate().map(|(place, entry)| (entry.id.clone(), place)).collect();
        // Of few runs only their own rows; a list of all would take longer to write down than to leave out.
        let few = entries.len() <= 500;
        let of = |table: &str, columns: &str, order: &str| {
            let these = vec!["?"; entries.len()].join(",");
            let only = if few { format!("WHERE run IN ({these})") } else { String::new() };
            format!("SELECT run, {columns} FROM {table} {only} ORDER BY run, {order}")
        };
        let sqls = [
            of("tags", "tag", "tag"),
            of("targets", "path", "number"),
            of(
                "figures",
                "time_span, direction, seconds, ios, iops, mib_per_s, mean_ms, p50_ms, p99_ms, p999_ms, \
                 open_end_ms, verdict",
                "time_span, CASE direction WHEN 'total' THEN 0 WHEN 'read' THEN 1 ELSE 2 END",
            ),
            of("time_spans", &format!("time_span, {}", WORK.join(", ")), "time_span"),
        ];
        let ids: Vec<String> =
            if few { entries.iter().map(|entry| entry.id.clone()).collect() } else { Vec::new() };
        for (sql, texts) in sqls.iter().zip([true, false]) {
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query(params_from_iter(ids.iter()))?;
            while let Some(row) = rows.next()? {
                let Some(entry) = places.get(row.get_ref(0)?.as_str()?).map(|place| &mut entries[*place])
                else {
                    continue;
                };
                if texts { entry.about.tags.push(row.get(1)?) } else { entry.targets.push(row.get(1)?) }
            }
        }
        let mut statement = self.connection.prepare(&sqls[3])?;
        let mut rows = statement.query(params_from_iter(ids.iter()))?;
        while let Some(row) = rows.next()? {
            let (run, line) = work(row)?;
            if let Some(place) = places.get(&run) {
                let work = &mut entries[*place].work;
                if work.is_empty() {
                    work.reserve_exact(1);
                }
                work.push(line);
            }
        }
        let mut statement = self.connection.prepare(&sqls[2])?;
        let mut rows = statement.query(params_from_iter(ids.iter()))?;
        while let Some(row) = rows.next()? {
            if let Some(place) = places.get(row.get_ref(0)?.as_str()?) {
                add_figures(row, &mut entries[*place].run)?;
            }
        }
        Ok(())
    }

    /// Returns the run with this id or its prefix, or the runs of a label, oldest first; never empty.
    ///
    /// # Errors
    /// Fails if no run matches, or several ids have this prefix.
    pub fn find_named(&self, name: &str) -> Result<Vec<StoreEntry>, StoreError> {
        let labelled = Selection { label: Some(name.to_owned()), ..Selection::default() };
        let found = self.select(&labelled, None)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let unknown = || StoreError::Unknown(name.to_owned());
        if !id::could_begin(name) {
            return Err(unknown());
        }
        let ids = self.ids_beginning(name).map_err(|error| self.store.index_error(&error))?;
        let ids: Vec<String> = ids.into_iter().filter(|id| id::is_whole(id)).collect();
        match &ids[..] {
            [] => Err(unknown()),
            [one] => self.entries_of(one),
            several => Err(StoreError::Ambiguous {
                name: name.to_owned(),
                ids: several.iter().take(MAX_NAMED_IDS).cloned().collect(),
            }),
        }
    }

    fn ids_beginning(&self, prefix: &str) -> rusqlite::Result<Vec<String>> {
        // Letters only: nothing in it means anything to GLOB.
        let mut statement =
            self.connection.prepare("SELECT id FROM runs WHERE id GLOB ?1 ORDER BY id LIMIT 100")?;
        statement.query_map([format!("{prefix}*")], |row| row.get(0))?.collect()
    }

    fn entries_of(&self, id: &str) -> Result<Vec<StoreEntry>, StoreError> {
        let read = || -> rusqlite::Result<Vec<StoreEntry>> {
            let sql = format!("SELECT {} FROM runs r WHERE r.id = ?1", super::database::COLUMNS);
            let mut entries = vec![self.connection.query_row(&sql, [id], decode)?];
            self.complete_entries(&mut entries)?;
            Ok(entries)
        };
        read().map_err(|error| self.store.index_error(&error))
    }

    /// Returns the recorded parts of these fingerprints.
    pub fn fingerprints(&self, entries: &[StoreEntry]) -> Result<Fingerprints, StoreError> {
        let hashes: BTreeSet<&str> =
            entries.iter().filter_map(|entry| entry.run.fingerprint.as_deref()).collect();
        let read = || -> rusqlite::Result<Fingerprints> {
            let mut statement =
                self.connection.prepare("SELECT part, value FROM fingerprints WHERE hash = ?1")?;
            let of = |hash: &&str| {
                let parts = statement.query_map([hash], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(Fingerprint { hash: (*hash).to_owned(), parts: parts.collect::<rusqlite::Result<_>>()? })
            };
            hashes.iter().map(of).collect::<rusqlite::Result<Vec<Fingerprint>>>().map(Fingerprints::new)
        };
        read().map_err(|error| self.store.index_error(&error))
    }

    /// Returns the id of an already stored run with this identity; `None` = it is new.
    pub(crate) fn of_identity(&self, identity: &str) -> Result<Option<String>, StoreError> {
        use rusqlite::OptionalExtension;
        let sql = "SELECT id FROM runs WHERE identity = ?1 ORDER BY saved_at LIMIT 1";
        let found = self.connection.query_row(sql, [identity], |row| row.get(0)).optional();
        found.map_err(|error| self.store.index_error(&error))
    }

    /// Returns the ids of the runs that began in this second (since 1970-01-01 00:00 UTC).
    pub(crate) fn begun_at(&self, second: i64) -> Result<Vec<String>, StoreError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let sql = "SELECT id FROM runs WHERE started_at = ?1 ORDER BY saved_at";
            self.connection.prepare(sql)?.query_map([second], |row| row.get(0))?.collect()
        };
        read().map_err(|error| self.store.index_error(&error))
    }

    /// Returns the length of id prefixes that distinguish all runs.
    pub fn telling_length(&self) -> Result<usize, StoreError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare("SELECT id FROM runs ORDER BY id")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        let mut ids = read().map_err(|error| self.store.index_error(&error))?;
        ids.retain(|id| id::is_whole(id));
        Ok(id::telling_length(&ids.iter().map(String::as_str).collect::<Vec<_>>()))
    }
}

fn sql_condition(selection: &Selection, since: Option<i64>) -> (String, Vec<Box<dyn ToSql>>) {
    let mut parts: Vec<&str> = Vec::new();
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    if let Some(label) = &selection.label {
        parts.push("r.label = ?");
        values.push(Box::new(label.clone()));
    }
    for tag in &selection.tags {
        parts.push("EXISTS (SELECT 1 FROM tags t WHERE t.run = r.id AND t.tag = ?)");
        values.push(Box::new(tag.clone()));
    }
    if let Some(target) = &selection.target {
        parts.push("EXISTS (SELECT 1 FROM targets t WHERE t.run = r.id AND instr(t.path, ?) > 0)");
        values.push(Box::new(target.clone()));
    }
    if let Some(fingerprint) = &selection.fingerprint {
        parts.push("instr(r.fingerprint, ?) = 1");
        values.push(Box::new(fingerprint.clone()));
    }
    if let Some(since) = since {
        parts.push("coalesce(r.started_at, r.saved_at) >= ?");
        values.push(Box::new(since));
    }
    let condition = if parts.is_empty() { String::new() } else { format!("WHERE {}", parts.join(" AND ")) };
    (condition, values)
}
