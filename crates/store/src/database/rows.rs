//! Entries as rows of the tables.

use super::super::{FigureOf, Headline, KeptAs, RunNotes, SpanWork, StoreEntry, WORK};
use diskspd_model::machine::fingerprint::Fingerprint;
use diskspd_model::profile::OfAllTargets;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, Transaction, params};

/// What the column `source` says.
pub fn source(text: &str) -> KeptAs {
    KeptAs::of_word(text).unwrap_or(KeptAs::Record)
}

/// Writes the rows of a run, in place of those that it had.
pub fn add(transaction: &Transaction, entry: &StoreEntry) -> rusqlite::Result<()> {
    let StoreEntry { id, source, about, .. } = entry;
    remove(transaction, id)?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO runs (id, source, label, pinned, saved_at, kept, position, imported_from, started_at, \
        computer, machine, fingerprint, workload, command_line, worst, identity) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    )?;
    insert.execute(params![
        id,
        source.word(),
        about.label,
        about.pinned,
        about.saved_at,
        entry.kept(),
        entry.position(),
        about.imported_from,
        entry.started_at,
        entry.computer,
        entry.machine,
        entry.fingerprint,
        entry.workload,
        entry.command_line,
        entry.worst,
        entry.identity,
    ])?;
    let mut insert = transaction.prepare_cached("INSERT OR IGNORE INTO tags (run, tag) VALUES (?1, ?2)")?;
    about.tags.iter().try_for_each(|tag| insert.execute(params![id, tag]).map(drop))?;
    let mut insert =
        transaction.prepare_cached("INSERT INTO targets (run, number, path) VALUES (?1, ?2, ?3)")?;
    let targets = entry.targets.iter().zip(1..);
    targets
        .into_iter()
        .try_for_each(|(path, number): (_, i64)| insert.execute(params![id, number, path]).map(drop))?;
    add_time_spans(transaction, entry)
}

/// What the time spans were asked for, and their figures.
fn add_time_spans(transaction: &Transaction, entry: &StoreEntry) -> rusqlite::Result<()> {
    let id = &entry.id;
    let (names, values) = (WORK.join(", "), ["?"; WORK.len()].join(", "));
    let mut insert = transaction.prepare_cached(&format!(
        "INSERT INTO time_spans (run, time_span, {names}) VALUES (?, ?, {values})"
    ))?;
    entry.work.iter().try_for_each(|work| {
        let mut cells: Vec<&dyn ToSql> = vec![id, &work.time_span];
        let values = work.values.map(WorkCell);
        cells.extend(values.iter().map(|value| value as &dyn ToSql));
        insert.execute(&cells[..]).map(drop)
    })?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO figures (run, time_span, direction, seconds, ios, iops, mib_per_s, mean_ms, \
        p50_ms, p99_ms, p999_ms) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    entry.figures.iter().try_for_each(|line| {
        let ios = line.ios.map(|ios| i64::try_from(ios).unwrap_or(i64::MAX));
        let Headline {
            time_span, direction, seconds, iops, mib_per_s, mean_ms, p50_ms, p99_ms, p999_ms, ..
        } = line;
        insert
            .execute(params![
                id,
                time_span,
                direction.name(),
                seconds,
                ios,
                iops,
                mib_per_s,
                mean_ms,
                p50_ms,
                p99_ms,
                p999_ms
            ])
            .map(drop)
    })
}

/// Takes the rows of a run away.
pub fn remove(transaction: &Transaction, id: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([id]).map(drop)
}

/// Keeps what a fingerprint is made of.
pub fn add_fingerprint(transaction: &Transaction, fingerprint: &Fingerprint) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO fingerprints (hash, part, value) VALUES (?1, ?2, ?3)";
    let mut insert = transaction.prepare_cached(sql)?;
    let mut parts = fingerprint.parts.iter();
    parts.try_for_each(|(part, value)| insert.execute([&fingerprint.hash, part, value]).map(drop))
}

/// Whether it is known what a fingerprint is made of.
pub fn has_fingerprint(transaction: &Transaction, hash: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM fingerprints WHERE hash = ?1)";
    transaction.prepare_cached(sql)?.query_row([hash], |row| row.get(0))
}

/// A parameter of a time span as a cell: a number, nothing, or [`MIXED`].
struct WorkCell(OfAllTargets<u64>);

impl ToSql for WorkCell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match &self.0 {
            OfAllTargets::Unknown => ToSqlOutput::from(rusqlite::types::Null),
            OfAllTargets::One(value) => ToSqlOutput::from(i64::try_from(*value).unwrap_or(i64::MAX)),
            OfAllTargets::Several => ToSqlOutput::from(MIXED),
        })
    }
}

impl FromSql for WorkCell {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(OfAllTargets::Unknown),
            ValueRef::Integer(value) => {
                u64::try_from(value).map(OfAllTargets::One).map_err(|_| FromSqlError::OutOfRange(value))
            }
            ValueRef::Text(text) if text == MIXED.as_bytes() => Ok(OfAllTargets::Several),
            _ => Err(FromSqlError::InvalidType),
        }
        .map(WorkCell)
    }
}

/// Where targets differ.
const MIXED: &str = "mixed";

/// The columns that [`decode`] reads.
pub const COLUMNS: &str = "r.id, r.source, r.label, r.pinned, r.saved_at, r.imported_from, r.started_at, \
                           r.computer, r.fingerprint, r.workload, r.command_line, r.worst, r.identity, \
                           r.machine, r.kept";

/// A run without its tags, targets and figures, out of a row of [`COLUMNS`].
pub fn decode(row: &Row) -> rusqlite::Result<StoreEntry> {
    let about = RunNotes {
        label: row.get(2)?,
        tags: Vec::new(),
        pinned: row.get(3)?,
        saved_at: row.get(4)?,
        order: Some(row.get(14)?),
        imported_from: row.get(5)?,
    };
    Ok(StoreEntry {
        id: row.get(0)?,
        source: source(&row.get::<_, String>(1)?),
        about,
        started_at: row.get(6)?,
        computer: row.get(7)?,
        machine: row.get(13)?,
        fingerprint: row.get(8)?,
        workload: row.get(9)?,
        command_line: row.get(10)?,
        targets: Vec::new(),
        worst: row.get(11)?,
        identity: row.get(12)?,
        work: Vec::new(),
        figures: Vec::new(),
    })
}

/// The figures of a run out of a row: run, time span, direction, and the rest in the order of the table.
pub fn headline(row: &Row) -> rusqlite::Result<(String, Headline)> {
    let direction = FigureOf::named(row.get_ref(2)?.as_str()?).unwrap_or_default();
    let ios: Option<i64> = row.get(4)?;
    let line = Headline {
        time_span: row.get(1)?,
        direction,
        seconds: row.get(3)?,
        ios: ios.and_then(|ios| u64::try_from(ios).ok()),
        iops: row.get(5)?,
        mib_per_s: row.get(6)?,
        mean_ms: row.get(7)?,
        p50_ms: row.get(8)?,
        p99_ms: row.get(9)?,
        p999_ms: row.get(10)?,
    };
    Ok((row.get(0)?, line))
}

/// The work of a time span out of a row: run, time span, and the rest in the order of [`WORK`].
pub fn work(row: &Row) -> rusqlite::Result<(String, SpanWork)> {
    let mut values = [OfAllTargets::Unknown; WORK.len()];
    for (value, column) in values.iter_mut().zip(2..) {
        *value = row.get::<_, WorkCell>(column)?.0;
    }
    Ok((row.get(0)?, SpanWork { time_span: row.get(1)?, values }))
}
