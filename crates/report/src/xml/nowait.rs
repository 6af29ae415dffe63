//! I/Os that would have waited: an element that DISKSPD's results don't have (`--xml-verdict`).

use super::writer::Writer;
use diskspd_model::results::{NowaitFigures, NowaitTable};

/// Writes `<NoWait>` of a time span: the total, then each thread on each target.
pub fn write(out: &mut Writer, table: &NowaitTable) {
    out.open("NoWait");
    write_figures(out, &table.total);
    for row in &table.rows {
        out.open("Target");
        out.value("Thread", row.thread);
        out.text("Path", row.path.as_bytes());
        write_figures(out, &row.figures);
        out.close("Target");
    }
    out.close("NoWait");
}

fn write_figures(out: &mut Writer, figures: &NowaitFigures) {
    out.value("ReadCount", figures.read.ios);
    out.value("ReadMissCount", figures.read.misses);
    out.value("WriteCount", figures.write.ios);
    out.value("WriteMissCount", figures.write.misses);
}
