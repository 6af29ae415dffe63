//! Tables of figures that DISKSPD does not have: parts of a mix and sizes, other operations than reads and
//! writes, misses of `--nowait`, verified sectors. [`tables`] declares the columns once for text, XML and
//! pages.

mod failures;
mod table;
mod tables;

use diskspd_results::Summary;
pub use failures::held_text;
pub use failures::{FAILED, FailedSectorRow};
pub use table::{SecondaryRow, SecondaryTable, TableFormat, ruled_cells, ruled_heads};
pub use tables::{DEVICE_TIMES, PACED_RATES, write_tables};

struct TextSections {
    time_span: usize,
    sections: Vec<(u8, Vec<u8>)>,
}

/// Appends the tables of all time spans to the text report, after DISKSPD's part. The tables of one kind are
/// together.
pub(super) fn write_text(out: &mut Vec<u8>, summary: &Summary) {
    let mut text = TextSections { time_span: 0, sections: Vec::new() };
    for span in &summary.time_spans {
        text.time_span += 1;
        span.iter().for_each(|measured| write_tables(measured, &mut text));
    }
    text.sections.sort_by_key(|(rank, _)| *rank);
    text.sections.iter().for_each(|(_, section)| out.extend_from_slice(section));
}

impl TableFormat for TextSections {
    fn write<R: SecondaryRow>(&mut self, table: &SecondaryTable<R>) {
        let SecondaryTable { kind, columns, total, rows } = table;
        let (out, time_span) = (&mut Vec::new(), self.time_span);
        put!(out, "\n\n{} of timespan {time_span}:\n{}\n\n", kind.title, "*".repeat(79));
        let shown = total.as_ref().map_or(&**rows, std::slice::from_ref);
        let columns = || columns.iter().filter(|column| column.is_needed(shown));
        let thread_head = if total.is_some() { "thread |" } else { "" };
        let header = format!("{thread_head}{}", ruled_heads(columns(), kind.counted));
        let rule = "-".repeat(header.len() + 7);
        put!(out, "{header}|  file\n{rule}\n");
        for row in &**rows {
            row.thread().iter().for_each(|thread| put!(out, "{thread:6} | "));
            put!(out, "{} | ", ruled_cells(columns(), row));
            out.extend_from_slice(row.path().as_bytes());
            out.push(b'\n');
        }
        total.iter().for_each(|total| put!(out, "{rule}\ntotal: | {}\n", ruled_cells(columns(), total)));
        rows.iter().for_each(|row| row.write_details(out));
        self.sections.push((kind.rank, std::mem::take(out)));
    }
}
