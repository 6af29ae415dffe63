//! Parts and sizes: an element that DISKSPD's results don't have (`--xml-verdict`).

use super::others::write_time;
use super::writer::Writer;
use diskspd_model::results::PartTable;

/// `<Parts>` of a time span, all threads together.
pub fn write(out: &mut Writer, table: &PartTable) {
    out.open("Parts");
    for row in &table.rows {
        let figures = &row.figures;
        out.open("Part");
        out.text("Path", row.path.as_bytes());
        out.value("Number", row.part);
        out.value("BlockSize", row.block_size);
        out.value("IOCount", figures.ios);
        out.value("WriteCount", figures.writes);
        out.value("Bytes", figures.bytes);
        out.value("PerSecond", format_args!("{:.2}", figures.iops));
        let times = [
            ("AverageMilliseconds", figures.mean),
            ("MedianMilliseconds", figures.median),
            ("Percentile99Milliseconds", figures.p99),
            ("Percentile999Milliseconds", figures.p999),
        ];
        times.into_iter().for_each(|(name, time)| write_time(out, name, time));
        out.close("Part");
    }
    out.close("Parts");
}
