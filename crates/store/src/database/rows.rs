//! Entries as rows of the tables.

use super::super::entry::INDEXED_PERCENTILES;
use super::super::{RunNotes, SpanWork, StoreEntry, StoredForm, WORK};
use diskspd_base::finding::Severity;
use diskspd_figures::units::Millis;
use diskspd_machine::fingerprint::Fingerprint;
use diskspd_profile::CommonValue;
use diskspd_results::{
    ChartRow, DirectionSummary, Findings, FioFigures, PercentileSummary, RunSummary, SpanSummary, Verdict,
    WhichIos,
};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Type, ValueRef};
use rusqlite::{Connection, Row, ToSql, params};

/// Converts the word in a cell; an unknown word is an error.
fn read_word<T>(row: &Row, column: usize, meaning: fn(&str) -> Option<T>) -> rusqlite::Result<Option<T>> {
    let Some(word) = row.get::<_, Option<String>>(column)? else { return Ok(None) };
    let unknown = || format!("unknown word '{word}'");
    let failed = || rusqlite::Error::FromSqlConversionFailure(column, Type::Text, unknown().into());
    meaning(&word).map(Some).ok_or_else(failed)
}

pub(super) fn source(row: &Row, column: usize) -> rusqlite::Result<StoredForm> {
    let missing = || rusqlite::Error::InvalidColumnType(column, "source".to_owned(), Type::Null);
    read_word(row, column, StoredForm::of_word)?.ok_or_else(missing)
}

/// Replaces the rows of a run. `notes`: stamp of the notes file, taken before reading it.
pub(super) fn add(transaction: &Connection, entry: &StoreEntry, notes: i64) -> rusqlite::Result<()> {
    let StoreEntry { id, source, about, run, .. } = entry;
    remove(transaction, id)?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO runs (id, source, label, pinned, saved_at, kept, position, notes, imported_from, \
        started_at, computer, machine, fingerprint, disks, workload, command_line, severity, identity) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )?;
    insert.execute(params![
        id,
        source.word(),
        about.label,
        about.pinned,
        about.saved_at,
        entry.kept_at(),
        entry.position(),
        notes,
        about.imported_from,
        run.started_at,
        run.computer(),
        run.machine,
        run.fingerprint,
        disks_text(&run.disks),
        entry.workload,
        run.command_line.as_ref().map(ToString::to_string),
        run.worst_severity().map(Severity::word),
        run.identity,
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

fn add_time_spans(transaction: &Connection, entry: &StoreEntry) -> rusqlite::Result<()> {
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
        p50_ms, p99_ms, p999_ms, open_end_ms, verdict) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    for (number, span) in entry.time_spans() {
        // One that never was measured has one line without figures.
        let never = SpanSummary::default();
        let (span, lines) = span.map_or((&never, 1), |span| (span, WhichIos::ALL.len()));
        let open_end = span.fio.as_ref().and_then(|fio| fio.open_end).map(Millis::ms);
        for (of, name) in &WhichIos::ALL[..lines] {
            let DirectionSummary { ios, iops, mib_per_s, mean_ms, .. } = span.figures(*of);
            let ios = ios.map(|ios| i64::try_from(ios).unwrap_or(i64::MAX));
            let [p50, p99, p999] =
                INDEXED_PERCENTILES.map(|percent| Some(span.percentile(percent)?.for_ios(*of)?.ms()));
            let mean = mean_ms.map(Millis::ms);
            insert.execute(params![
                id,
                number,
                name,
                span.seconds,
                ios,
                iops,
                mib_per_s,
                mean,
                p50,
                p99,
                p999,
                open_end,
                span.verdict.map(|verdict| verdict.to_string())
            ])?;
        }
    }
    Ok(())
}

/// Formats disks for a cell; `None` = unknown.
fn disks_text(disks: &[Option<String>]) -> Option<String> {
    serde_json::to_string(disks).ok().filter(|_| !disks.is_empty())
}

fn disks_of(cell: Option<String>) -> Vec<Option<String>> {
    cell.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

pub(super) fn has_run(transaction: &Connection, id: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1)";
    transaction.prepare_cached(sql)?.query_row([id], |row| row.get(0))
}

/// Removes the rows of a run.
pub(super) fn remove(transaction: &Connection, id: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([id]).map(drop)
}

pub(crate) fn add_fingerprint(transaction: &Connection, fingerprint: &Fingerprint) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO fingerprints (hash, part, value) VALUES (?1, ?2, ?3)";
    let mut insert = transaction.prepare_cached(sql)?;
    let mut parts = fingerprint.parts.iter();
    parts.try_for_each(|(part, value)| insert.execute([&fingerprint.hash, part, value]).map(drop))
}

pub(crate) fn has_fingerprint(transaction: &Connection, hash: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM fingerprints WHERE hash = ?1)";
    transaction.prepare_cached(sql)?.query_row([hash], |row| row.get(0))
}

/// Work parameter of a time span as a cell: a number, nothing, or [`MIXED`].
struct WorkCell(CommonValue<u64>);

impl ToSql for WorkCell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match &self.0 {
            CommonValue::Unknown => ToSqlOutput::from(rusqlite::types::Null),
            CommonValue::One(value) => ToSqlOutput::from(i64::try_from(*value).unwrap_or(i64::MAX)),
            CommonValue::Several => ToSqlOutput::from(MIXED),
        })
    }
}

impl FromSql for WorkCell {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(CommonValue::Unknown),
            ValueRef::Integer(value) => {
                u64::try_from(value).map(CommonValue::One).map_err(|_| FromSqlError::OutOfRange(value))
            }
            ValueRef::Text(text) if text == MIXED.as_bytes() => Ok(CommonValue::Several),
            _ => Err(FromSqlError::InvalidType),
        }
        .map(WorkCell)
    }
}

const MIXED: &str = "mixed";

pub(crate) const COLUMNS: &str = "r.id, r.source, r.label, r.pinned, r.saved_at, r.imported_from, \
                                  r.started_at, r.computer, r.fingerprint, r.workload, r.command_line, \
                                  r.severity, r.identity, r.machine, r.kept, r.disks";

/// Reads a run from a row of [`COLUMNS`], without its tags, targets and figures.
pub(crate) fn decode(row: &Row) -> rusqlite::Result<StoreEntry> {
    let about = RunNotes {
        label: row.get(2)?,
        tags: Vec::new(),
        pinned: row.get(3)?,
        saved_at: row.get(4)?,
        order: Some(row.get(14)?),
        imported_from: row.get(5)?,
    };
    let (computer, command_line): (Option<String>, Option<String>) = (row.get(7)?, row.get(10)?);
    let (worst, source) = (read_word(row, 11, Severity::from_word)?, source(row, 1)?);
    let run = RunSummary {
        started_at: row.get(6)?,
        hosts: computer.into_iter().collect(),
        machine: row.get(13)?,
        fingerprint: row.get(8)?,
        disks: disks_of(row.get::<_, Option<String>>(15)?),
        command_line: command_line.map(|line| line.as_str().into()),
        findings: worst.map(|worst| Findings { severity: Some(worst), names: Vec::new() }),
        identity: row.get(12)?,
        ..RunSummary::new("", source.origin())
    };
    let (targets, work) = (Vec::new(), Vec::new());
    Ok(StoreEntry { id: row.get(0)?, source, about, workload: row.get(9)?, targets, work, run })
}

/// Adds the figures of a row to its run: run, time span, direction, and the rest in the order of the table.
/// Rows are in the order of the time spans, for each with all I/Os first.
pub(crate) fn add_figures(row: &Row, run: &mut RunSummary) -> rusqlite::Result<()> {
    let of = read_word(row, 2, WhichIos::by_name)?.unwrap_or_default();
    let (seconds, ios): (Option<f64>, Option<i64>) = (row.get(3)?, row.get(4)?);
    let number: u32 = row.get(1)?;
    let figures = DirectionSummary {
        ios: ios.and_then(|ios| u64::try_from(ios).ok()),
        iops: row.get(5)?,
        mib_per_s: row.get(6)?,
        mean_ms: row.get::<_, Option<f64>>(7)?.map(Millis::new),
        ..DirectionSummary::default()
    };
    if of == WhichIos::Total {
        // Whoever wrote it: a number that no run has makes no list of that length.
        let missing = (number as usize).saturating_sub(run.time_spans.len() + 1).min(MAX_MISSING_FILES);
        // Most runs have one time span, and a vector that grows has room for four.
        if run.time_spans.is_empty() {
            run.time_spans.reserve_exact(missing + 1);
        }
        run.time_spans.extend((0..missing).map(|_| None));
        let measured = seconds.is_some() || figures != DirectionSummary::default();
        let percentiles =
            INDEXED_PERCENTILES.map(|percent| PercentileSummary { percent, latency: ChartRow::default() });
        let open_end = row.get::<_, Option<f64>>(11)?.map(Millis::new);
        let fio = open_end.map(|_| Box::new(FioFigures { open_end, ..FioFigures::default() }));
        let verdict = read_word(row, 12, Verdict::by_name)?;
        let percentiles = percentiles.into();
        let span = SpanSummary { seconds, percentiles, fio, verdict, ..SpanSummary::default() };
        run.time_spans.push(measured.then_some(span));
    }
    let Some(Some(span)) = run.time_spans.last_mut() else { return Ok(()) };
    for (known, column) in span.percentiles.iter_mut().zip(8..) {
        *known.latency.of_mut(of) = row.get::<_, Option<f64>>(column)?.map(Millis::new);
    }
    *span.figures_mut(of) = figures;
    Ok(())
}

/// Maximum number of consecutive time spans without a row.
const MAX_MISSING_FILES: usize = 1000;

/// The work of a time span out of a row: run, time span, and the rest in the order of [`WORK`].
pub(crate) fn work(row: &Row) -> rusqlite::Result<(String, SpanWork)> {
    let mut values = [CommonValue::Unknown; WORK.len()];
    for (value, column) in values.iter_mut().zip(2..) {
        *value = row.get::<_, WorkCell>(column)?.0;
    }
    Ok((row.get(0)?, SpanWork { time_span: row.get(1)?, values }))
}
