//! The command line of a test: words, as a shell takes them.

/// Quote without an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the quote {0} is opened and not closed")]
pub struct UnclosedQuote(pub char);

/// Splits a command line at blanks; quotes group words. Variables and patterns are not expanded.
///
/// # Errors
/// Fails if a quote is not closed.
pub fn words(line: &str) -> Result<Vec<String>, UnclosedQuote> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    match quote {
        Some(open) => Err(UnclosedQuote(open)),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_join_words_separated_by_blanks() {
        for (line, expected) in [
            ("", &[][..]),
            ("  -b4K\n -r  ", &["-b4K", "-r"]),
            ("'/data/my file' \"it's\"", &["/data/my file", "it's"]),
            ("--engine='sim'x ''", &["--engine=simx", ""]),
            ("$HOME *.dat", &["$HOME", "*.dat"]),
        ] {
            assert_eq!(words(line).unwrap(), expected, "{line}");
        }
        assert_eq!(words("-b4K 'file"), Err(UnclosedQuote('\'')));
    }
}
