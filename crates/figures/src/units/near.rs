//! Words that were probably meant.

/// Returns the most similar word with at most two different letters. All short words match.
pub fn nearest<'a>(words: &[&'a str], given: &[u8]) -> Option<&'a str> {
    const MIN_WORD_LENGTH: usize = 4;
    if given.len() < MIN_WORD_LENGTH {
        return None;
    }
    // Who differs by more letters than two in length alone isn't looked at: what is given may be a MiB.
    let alike = words.iter().filter(|word| word.len().abs_diff(given.len()) <= 2);
    let near = alike.map(|word| (distance(word.as_bytes(), given), *word));
    let (_, word) =
        near.filter(|(distance, _)| (1..=2).contains(distance)).min_by_key(|(distance, _)| *distance)?;
    Some(word)
}

pub fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_distances_match_known_values() {
        let cases =
            [("", "", 0), ("a", "", 1), ("engine", "engin", 1), ("engine", "enigne", 2), ("out", "in", 3)];
        for (a, b, expected) in cases {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }
}
