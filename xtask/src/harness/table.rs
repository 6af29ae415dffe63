//! Tables, for a terminal or in Markdown.

/// Prints a table; the first column is text, the others are numbers.
pub fn print(head: &[&str], rows: &[Vec<String>], markdown: bool) {
    print!("{}", format(head, rows, markdown));
}

fn format(head: &[&str], rows: &[Vec<String>], markdown: bool) -> String {
    let head: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let all = || std::iter::once(&head).chain(rows);
    let width = |column: usize| all().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        let cells: Vec<String> = cells.collect();
        match markdown {
            true => format!("| {} |\n", cells.join(" | ")),
            false => format!("{}\n", cells.join("  ").trim_end()),
        }
    };
    let mut text = line(&head);
    if markdown {
        let rule = widths.iter().enumerate().map(|(column, width)| match column {
            0 => "-".repeat(*width),
            _ => format!("{}:", "-".repeat(width.saturating_sub(1))),
        });
        text += &line(&rule.collect());
    }
    rows.iter().for_each(|row| text += &line(row));
    text
}

/// Formats a number with these decimals; a dash if unknown.
pub fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_in_both_forms() {
        let rows = [vec!["µs".to_owned(), "1".to_owned()], vec!["longer".to_owned(), number(Some(12.34), 1)]];
        assert_eq!(format(&["what", "n"], &rows, false), "what       n\nµs         1\nlonger  12.3\n");
        let expected = "| what   |    n |\n| ------ | ---: |\n| µs     |    1 |\n| longer | 12.3 |\n";
        assert_eq!(format(&["what", "n"], &rows, true), expected);
        assert_eq!(number(None, 1), "-");
    }
}
