//! Tables on terminals. A table that is too wide loses its padding. Then words are folded, and columns are
//! left out by rank.

use crate::units::wrapped::{width, width_of, wrapped};

const COLUMN_GAP: usize = 2;
/// Minimum width of a folded column while a column with a rank remains.
const MIN_ROOMY_WIDTH: usize = 24;
const MIN_COLUMN_WIDTH: usize = 8;

pub(super) struct TextColumn {
    pub name: &'static str,
    pub is_number: bool,
    pub least_width: usize,
    pub spare: u8,
    /// Cells by row; empty cells follow an error text.
    pub cells: Vec<String>,
}

impl TextColumn {
    fn natural_width(&self) -> usize {
        self.cells.iter().map(|cell| width(cell)).chain([width(self.name)]).max().unwrap_or(0)
    }

    fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell == "-" || cell.is_empty())
    }
}

/// Writes the table in at most `room` columns. `instead` holds the error texts of rows.
pub(super) fn text(mut columns: Vec<TextColumn>, instead: &[Option<String>], room: usize) -> String {
    let padded: Vec<usize> =
        columns.iter().map(|column| column.natural_width().max(column.least_width)).collect();
    let (widths, left_out) = match total_width(&padded) > room {
        true => fit_columns(&mut columns, room),
        false => (padded, Vec::new()),
    };
    let mut text = row_lines(&columns, &widths, |column| column.name.to_owned());
    for (row, why) in instead.iter().enumerate() {
        let Some(why) = why else {
            text += &row_lines(&columns, &widths, |column| column.cells[row].clone());
            continue;
        };
        let there = columns.iter().take_while(|column| !column.cells[row].is_empty()).count();
        let mut begun = row_lines(&columns[..there], &widths[..there], |column| column.cells[row].clone());
        begun.truncate(begun.trim_end().len());
        let taken = total_width(&widths[..there]) + COLUMN_GAP;
        let indent = taken.min(room / 2);
        let blanks = taken.saturating_sub(width(begun.lines().last().unwrap_or_default()));
        text += &format!("{begun}{}{}\n", " ".repeat(blanks), wrapped(why, room, taken, indent));
    }
    if !left_out.is_empty() {
        text += &wrapped(&format!("(not enough columns for {})", left_out.join(", ")), room, 0, 2);
        text += "\n";
    }
    text
}

fn total_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + COLUMN_GAP * widths.len().saturating_sub(1)
}

/// Leaves out columns until the table fits. Returns the widths and the names of omitted columns with values.
fn fit_columns(columns: &mut Vec<TextColumn>, room: usize) -> (Vec<usize>, Vec<&'static str>) {
    let mut left_out = Vec::new();
    loop {
        let has_spare = columns.iter().any(|column| column.spare > 0 || column.is_empty());
        let widths = fold_widths(columns, room, if has_spare { MIN_ROOMY_WIDTH } else { MIN_COLUMN_WIDTH });
        if total_width(&widths) <= room || columns.len() < 2 {
            return (widths, left_out);
        }
        let rank = |place: &usize| {
            let column = &columns[*place];
            (column.is_empty(), column.spare, *place)
        };
        let Some(place) = (1..columns.len()).max_by_key(rank) else { return (widths, left_out) };
        let column = columns.remove(place);
        if !column.is_empty() {
            left_out.insert(0, column.name);
        }
    }
}

/// Returns the widths after the widest text columns have shrunk to at least `least`.
fn fold_widths(columns: &[TextColumn], room: usize, least: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(TextColumn::natural_width).collect();
    while total_width(&widths) > room {
        let words = (0..columns.len()).filter(|place| !columns[*place].is_number && widths[*place] > least);
        let Some(widest) = words.max_by_key(|place| widths[*place]) else { break };
        widths[widest] -= 1;
    }
    widths
}

fn row_lines(columns: &[TextColumn], widths: &[usize], cell: impl Fn(&TextColumn) -> String) -> String {
    let cells: Vec<Vec<String>> =
        columns.iter().zip(widths).map(|(column, room)| split_cell(&cell(column), *room)).collect();
    let lines = cells.iter().map(Vec::len).max().unwrap_or(1);
    let mut text = String::new();
    for number in 0..lines {
        let padded = cells.iter().zip(columns.iter().zip(widths)).map(|(cell, (column, room))| {
            let piece = cell.get(number).map_or("", String::as_str);
            let blanks = " ".repeat(room.saturating_sub(width(piece)));
            if column.is_number { blanks + piece } else { piece.to_owned() + &blanks }
        });
        text += padded.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Splits a cell into lines of at most `room` columns. Longer words are broken.
fn split_cell(cell: &str, room: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    for line in wrapped(cell, room, 0, 0).lines() {
        let mut piece = String::new();
        let mut taken = 0;
        for c in line.chars() {
            if taken + width_of(c) > room && !piece.is_empty() {
                pieces.push(std::mem::take(&mut piece));
                taken = 0;
            }
            piece.push(c);
            taken += width_of(c);
        }
        pieces.push(piece);
    }
    if pieces.is_empty() { vec![String::new()] } else { pieces }
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, TableColumn, text, text_within};
    use crate::units::wrapped::width;

    type Row = (&'static str, f64, &'static str);

    const COLUMNS: [TableColumn<Row>; 5] = [
        TableColumn::<Row>::words("point", |row| Cell::name_cell(row.0)).brief(),
        TableColumn::<Row>::number("IOPS", |row| match row.2 {
            "" => Cell::Failed("the device was removed during the run".to_owned()),
            _ => Cell::Figure(row.1, 2),
        })
        .brief()
        .with_least_width(12),
        TableColumn::<Row>::number("CPU %", |_| Cell::Whole(100)).brief().spare(1),
        TableColumn::<Row>::words("label", |_| Cell::Missing).brief(),
        TableColumn::<Row>::words("details", |row| Cell::Text(row.2.to_owned())).brief(),
    ];

    const ROWS: [Row; 3] = [
        ("-o1", 1000.5, "bypasses the page cache on /mnt/a/very/long/path/of/a/file.dat"),
        ("-o64", 123_456.25, "short"),
        ("-o128", 0.0, ""),
    ];

    #[test]
    fn table_fits_any_width_and_keeps_figures() {
        for room in 24..200 {
            let text = text_within(&COLUMNS, &ROWS, room);
            assert!(text.lines().all(|line| width(line) <= room), "{room}:\n{text}");
            assert!(text.contains("123456.25") && text.contains("1000.50"), "{room}:\n{text}");
        }
    }

    #[test]
    fn wide_table_folds_words_and_drops_spare_columns() {
        let expected = "\
point       IOPS  details
-o1      1000.50  bypasses the page cache on
                  /mnt/a/very/long/path/of/a/fil
                  e.dat
-o64   123456.25  short
-o128  failed: the device was removed during the
       run
(not enough columns for CPU %)
";
        assert_eq!(text_within(&COLUMNS, &ROWS, 48), expected);
        assert_eq!(text_within(&COLUMNS, &ROWS, 1000), text(&COLUMNS, &ROWS));
    }
}
