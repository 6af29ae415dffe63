//! Messages formatted for a terminal: wrapped at its width with aligned continuation, and with coloured
//! labels.
//!
//! ```text
//! WARNING: not steady: still falling when it ended: from 9000 to
//!          4000 IOPS
//!          -> warm up for longer than this run took: --until-steady
//!             finds out how long
//! ```

use diskspd_figures::units::wrapped::{width, wrapped};

/// Words that precede the explanation of an error.
const EXPLANATION_MARKS: [&str; 3] = ["-> ", "hint: ", "expected: "];

/// Whole lines, wrapped at the terminal's width; `colours`: labels have one. Lines of a table, which has
/// more than one gap between words, are left alone.
pub(crate) fn fitted(text: &str, columns: usize, colours: bool) -> String {
    text.split_inclusive('\n').map(|line| fitted_line(line, columns, colours)).collect()
}

fn fitted_line(whole: &str, columns: usize, colours: bool) -> String {
    let line = whole.strip_suffix('\n').unwrap_or(whole);
    let end = &whole[line.len()..];
    let label = line_label(line).unwrap_or_default();
    let (head, rest) = line.split_at(label.len() + start(&line[label.len()..]));
    let hanging = if width(head) * 2 > columns { 2 } else { width(head) };
    let fits = width(line) <= columns || rest.trim_end().contains("  ");
    let rest = if fits { rest.to_owned() } else { wrapped(rest, columns, width(head), hanging) };
    match colour_code(label).filter(|_| colours) {
        Some(code) => format!("\x1b[{code}m{label}\x1b[0m{}{rest}{end}", &head[label.len()..]),
        None => format!("{head}{rest}{end}"),
    }
}

fn start(line: &str) -> usize {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let text = &line[blanks..];
    if let Some(word) = EXPLANATION_MARKS.iter().find(|word| text.starts_with(**word)) {
        return blanks + word.len();
    }
    let gap = text.find("  ").map(|at| at + text[at..].len() - text[at..].trim_start_matches(' ').len());
    blanks + gap.unwrap_or(0)
}

/// Returns a label such as `WARNING: `, or a verdict with its severity: `CACHED (WRONG): `.
fn line_label(line: &str) -> Option<&str> {
    let end = line.find(": ")?;
    let (word, doubt) = line[..end].split_once(" (").unwrap_or((&line[..end], "A)"));
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
    let doubt = doubt.strip_suffix(')')?;
    (is_word(word) && (doubt == "A" || is_word(doubt))).then(|| &line[..end + 2])
}

/// Returns the color parameter of the terminal's control sequence for a severity.
fn colour_code(label: &str) -> Option<&'static str> {
    let says = |word: &str| label.trim_end_matches(": ").trim_end_matches(')').ends_with(word);
    match () {
        () if says("ERROR") || says("WRONG") => Some("1;31"),
        () if says("WARNING") => Some("1;33"),
        () if says("VERIFIED") => Some("1;32"),
        () if says("NOTE") => Some("36"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_block_lines_stay_adjacent() {
        let told = "WARNING: not steady: still falling when it ended\n\
                    \x20        60 intervals of 1.000 s vary by 21.0 %\n\
                    \x20        -> warm up for longer than this run took\n";
        let shown = "WARNING: not steady: still\n\
                     \x20        falling when it ended\n\
                     \x20        60 intervals of 1.000\n\
                     \x20        s vary by 21.0 %\n\
                     \x20        -> warm up for longer\n\
                     \x20           than this run took\n";
        assert_eq!(fitted(told, 30, false), shown);
        assert_eq!(fitted(told, 80, false), told);
        let error = "ERROR: unknown option\n    --x\n      ^\n  hint: diskspd --help lists all options\n";
        let shown =
            "ERROR: unknown option\n    --x\n      ^\n  hint: diskspd --help\n        lists all options\n";
        assert_eq!(fitted(error, 25, false), shown);
    }

    #[test]
    fn tables_are_not_wrapped_and_names_keep_their_column() {
        let table = "point          IOPS  runs     +- %       MiB/s     avg ms\n";
        assert_eq!(fitted(table, 20, true), table);
        let answer = "knee        -o8: 43182 IOPS at 0.185 ms; between 2 and 16 outstanding\n";
        let shown = "knee        -o8: 43182 IOPS at 0.185 ms;\n\
                     \x20           between 2 and 16 outstanding\n";
        assert_eq!(fitted(answer, 40, false), shown);
    }

    #[test]
    fn labels_are_colored_by_severity() {
        for (line, shown) in [
            ("ERROR: a", "\x1b[1;31mERROR: \x1b[0ma"),
            ("WRONG: a\n", "\x1b[1;31mWRONG: \x1b[0ma\n"),
            ("CACHED (WRONG): a", "\x1b[1;31mCACHED (WRONG): \x1b[0ma"),
            ("SHARED (WARNING): a", "\x1b[1;33mSHARED (WARNING): \x1b[0ma"),
            ("VERIFIED: a", "\x1b[1;32mVERIFIED: \x1b[0ma"),
            ("NOTE: a", "\x1b[36mNOTE: \x1b[0ma"),
            ("UNKNOWN: a", "UNKNOWN: a"),
            ("run 1: a", "run 1: a"),
            ("IOPS: B is better (sure): a", "IOPS: B is better (sure): a"),
            (": a", ": a"),
        ] {
            assert_eq!(fitted(line, 80, true), shown);
            assert_eq!(fitted(line, 80, false), line);
        }
    }
}
