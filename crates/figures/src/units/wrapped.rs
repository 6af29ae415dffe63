//! Text wrapped to the available columns.

/// Returns the maximum columns of a character: two for non-ASCII.
pub fn width_of(c: char) -> usize {
    let narrow = c.is_ascii() || matches!(c, '…' | '│' | '▁'..='█');
    if narrow { 1 } else { 2 }
}

/// Returns the maximum columns of a text.
pub fn width(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Wraps words into lines of at most `columns`. `begun` columns of the first line are already used; the
/// other lines have `hanging` blanks. A longer word has a separate line. The text does not end with a line
/// feed.
pub fn wrapped(text: &str, columns: usize, begun: usize, hanging: usize) -> String {
    let mut out = String::new();
    let (mut taken, mut is_first) = (begun, true);
    for word in text.split(' ') {
        let wide = width(word);
        if !is_first && taken + 1 + wide > columns {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', hanging));
            taken = hanging;
        } else if !is_first {
            out.push(' ');
            taken += 1;
        }
        out.push_str(word);
        taken += wide;
        is_first = false;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_and_lines_within_their_columns() {
        for (text, columns, begun, hanging, expected) in [
            ("", 10, 0, 0, ""),
            ("one two", 7, 0, 0, "one two"),
            ("one two", 6, 0, 2, "one\n  two"),
            ("one two", 8, 2, 2, "one\n  two"),
            ("a longerthanall b", 8, 0, 1, "a\n longerthanall\n b"),
            ("线线 线", 6, 0, 0, "线线\n线"),
        ] {
            assert_eq!(wrapped(text, columns, begun, hanging), expected, "{text}");
        }
    }
}
