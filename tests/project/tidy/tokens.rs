//! Tokens of code, limited to the needs of name resolution.

use super::source::is_name;

/// Position of a word, `::` or another sign, with its text.
pub type Token<'a> = (usize, &'a str);

pub fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = code[at..].chars().next() {
        let rest = &code[at..];
        let len = match next {
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            '\'' => {
                at += 1 + rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1);
                continue;
            }
            c => c.len_utf8(),
        };
        if !next.is_whitespace() {
            found.push((at, &rest[..len]));
        }
        at += len;
    }
    found
}

/// Whether a token is a word, and no number.
pub fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| is_name(c) && !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_check_splits_words_from_lifetimes() {
        let text = |code| tokens(code).into_iter().map(|(_, token)| token).collect::<Vec<_>>();
        assert_eq!(text("a::b(&'x c1, 2)"), ["a", "::", "b", "(", "&", "c1", ",", "2", ")"]);
        assert_eq!(text("f(' ')"), ["f", "(", ")"]);
        assert_eq!(["a", "_", "2", "::"].map(is_word), [true, true, false, false]);
    }
}
