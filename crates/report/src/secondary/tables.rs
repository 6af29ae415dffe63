//! The columns of the secondary tables, in all formats.

use super::table::{SecondaryKind, SecondaryTable, TableFormat, ThreadRow, UNRULED, column, words};
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_results::{
    AuxFigures, CompletionFigures, IntegrityCounts, IntegrityRow, Measured, NowaitFigures, PacedFigures,
    PartRow,
};

pub fn write_tables(measured: &Measured, format: &mut impl TableFormat) {
    if let Some(table) = &measured.parts {
        let kind = SecondaryKind::new(0, "Parts", "By part and size", ["Parts", "Part"]);
        format.write(&SecondaryTable::new(kind, PARTS, &table.rows));
    }
    for table in &measured.others.0 {
        let (title, counted) = (table.row.title, table.row.plural);
        let counted_in =
            if table.op.moves_data() { "among the writes" } else { "not counted in any other figure" };
        let caption = format!("{title}: {counted_in}");
        let kind = SecondaryKind::new(1 + table.op.number(), title, caption, [table.row.element, "Target"]);
        let kind = SecondaryKind { counted, ..kind };
        let rows = table.rows.iter().map(|row| (row.thread, &row.path, &row.figures));
        format.write(&SecondaryTable::by_thread(kind, OPERATION, &table.total, rows));
    }
    if let Some(table) = &measured.nowait {
        let title = "I/Os that would have waited (--nowait)";
        let caption = format!("{title}, repeated without the flag");
        let kind = SecondaryKind::new(100, title, caption, ["NoWait", "Target"]);
        let rows = table.rows.iter().map(|row| (row.thread, &row.path, &row.figures));
        format.write(&SecondaryTable::by_thread(kind, NOWAIT, &table.total, rows));
    }
    if let Some(table) = &measured.integrity {
        let title = "Verified sectors";
        let caption = format!("{title}, from the start signal on");
        let kind = SecondaryKind::new(101, title, caption, ["Integrity", "Target"]);
        format.write(&SecondaryTable::new(kind, VERIFIED, &table.rows));
    }
}

const PARTS: &[TableColumn<PartRow>] = &[
    TableColumn {
        is_number: false,
        ..column("part", "Number", ("part ", 4), |row: &PartRow| Cell::name_cell(row.part.to_string()))
    },
    column("block", "BlockSize", (" block size ", 10), |row| Cell::Size(row.block_size.into())),
    column("I/Os", "IOCount", ("     I/Os     ", 12), |row| Cell::Whole(row.figures.ios)),
    column("share", "", UNRULED, |row| share_cell(row.figures.share)),
    column("writes", "WriteCount", ("    writes    ", 12), |row| Cell::Whole(row.figures.writes)),
    column("", "", ("  share   ", 8), |row| {
        Cell::Text(format!("{} %", share_cell(row.figures.share).bare().unwrap_or_else(|| "N/A".into())))
    }),
    column("", "", ("    MiB    ", 9), |row| Cell::Figure(row.figures.bytes as f64 / f64::from(1 << 20), 2)),
    column("amount", "Bytes", UNRULED, |row| Cell::Size(row.figures.bytes)),
    column("IOPS", "PerSecond", ("  I/O per s  ", 11), |row| Cell::Figure(row.figures.iops, 2)),
    column("mean", "AverageMilliseconds", ("  mean (ms) ", 10), |row| Cell::time(row.figures.mean)),
    column("50 %", "MedianMilliseconds", ("  50th (ms) ", 10), |row| Cell::time(row.figures.median)),
    column("99 %", "Percentile99Milliseconds", ("  99th (ms) ", 10), |row| Cell::time(row.figures.p99)),
    column("99.9 %", "Percentile999Milliseconds", (" 3-nines (ms) ", 12), |row| Cell::time(row.figures.p999)),
    words("target", |row| Cell::Text(row.path.to_string())),
];

fn share_cell(percent: Option<f64>) -> Cell {
    percent.map_or(Cell::Missing, |percent| Cell::Share(percent, 2))
}

/// Columns of an operation, whose name replaces `%s` in the heading.
const OPERATION: &[TableColumn<ThreadRow<AuxFigures>>] = &[
    words("thread", ThreadRow::name_cell),
    column("number", "Count", ("%s", 12), |row| Cell::Whole(row.figures.count)),
    TableColumn::optional(column("amount", "Bytes", ("       bytes     ", 15), ThreadRow::bytes_cell)),
    column("per s", "PerSecond", ("  per s   ", 8), |row| Cell::Figure(row.figures.per_s, 2)),
    column("mean", "AverageMilliseconds", (" mean (ms) ", 9), |row| Cell::time(row.figures.times.mean)),
    column("50 %", "MedianMilliseconds", ("  50th (ms) ", 10), |row| Cell::time(row.figures.times.p50)),
    column("99 %", "Percentile99Milliseconds", ("  99th (ms) ", 10), |row| Cell::time(row.figures.times.p99)),
    column("99.9 %", "Percentile999Milliseconds", (" 3-nines (ms) ", 12), |row| {
        Cell::time(row.figures.times.p999)
    }),
    column("longest", "MaxMilliseconds", ("  max (ms) ", 9), |row| Cell::time(row.figures.times.max)),
    words("target", ThreadRow::path_cell),
];

impl ThreadRow<AuxFigures> {
    fn bytes_cell(&self) -> Cell {
        Cell::size(self.figures.bytes)
    }
}

const NOWAIT: &[TableColumn<ThreadRow<NowaitFigures>>] = &[
    words("thread", ThreadRow::name_cell),
    column("reads", "ReadCount", ("     reads    ", 11), |row| Cell::Whole(row.figures.read.ios)),
    column("misses", "ReadMissCount", ("   misses    ", 11), |row| Cell::Whole(row.figures.read.misses)),
    column("of reads", "", ("    %    ", 7), |row| share_cell(row.figures.read.percent)),
    column("writes", "WriteCount", ("   writes    ", 11), |row| Cell::Whole(row.figures.write.ios)),
    column("write misses", "WriteMissCount", ("   misses    ", 11), |row| {
        Cell::Whole(row.figures.write.misses)
    }),
    column("of writes", "", ("    %    ", 7), |row| share_cell(row.figures.write.percent)),
    words("target", ThreadRow::path_cell),
];

const VERIFIED: &[TableColumn<IntegrityRow>] = &[
    words("target", |row| Cell::name_cell(row.path.to_string())),
    column("stamped", "StampedSectors", ("    stamped   ", 13), |row| count_cell(row, |of| of.stamped)),
    column("verified", "VerifiedSectors", ("   verified   ", 12), |row| count_cell(row, |of| of.verified)),
    column("unknown", "UnknownSectors", ("   unknown    ", 12), |row| count_cell(row, |of| of.unknown)),
    column("undecided", "UndecidedSectors", ("  undecided   ", 12), |row| count_cell(row, |of| of.undecided)),
    column("acknowledged", "AcknowledgedUnits", ("durable writes", 12), |row| {
        count_cell(row, |of| of.acknowledged)
    }),
    column("wrong", "FailedSectors", ("    failed    ", 12), |row| count_cell(row, IntegrityCounts::wrong)),
];

fn count_cell(row: &IntegrityRow, count: fn(&IntegrityCounts) -> u64) -> Cell {
    Cell::Whole(count(&row.results.counts))
}

/// Device times of one direction (`-e`).
pub const DEVICE_TIMES: &[TableColumn<CompletionFigures>] = &[
    column("", "Requests", ("   requests   ", 12), |figures| Cell::Whole(figures.requests)),
    column("", "TimedRequests", UNRULED, |figures| Cell::Whole(figures.timed)),
    column("", "AverageMilliseconds", ("   mean   ", 8), |figures| Cell::time(figures.mean)),
    column("", "MedianMilliseconds", ("   50th   ", 8), |figures| Cell::time(figures.median)),
    column("", "Percentile99Milliseconds", ("   99th   ", 8), |figures| Cell::time(figures.p99)),
    column("", "ProgramAverageMilliseconds", (" our AvgLat", 8), |figures| Cell::time(figures.own)),
];

/// Rates of I/Os with a scheduled start time.
pub const PACED_RATES: &[TableColumn<PacedFigures>] = &[
    column("", "OfferedIOPS", UNRULED, |paced| Cell::Figure(paced.offered_iops, 2)),
    column("", "ReachedIOPS", UNRULED, |paced| Cell::Figure(paced.iops, 2)),
    column("", "IOCount", UNRULED, |paced| Cell::Whole(paced.ios)),
    column("", "LateCount", UNRULED, |paced| Cell::Whole(paced.late_starts)),
    column("", "OverdueCount", UNRULED, |paced| Cell::Whole(paced.not_submitted)),
];
