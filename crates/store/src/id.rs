//! Names of runs: short, and distinguishable from numbers, options and dates.

use diskspd_sys::fault_points;

/// Letters from the end of the alphabet, so that ids are rarely words.
const LETTERS: &[u8; 16] = b"klmnopqrstuvwxyz";
/// 48 bits: a collision among a million runs has a chance of 1 in 500, and is checked.
pub(crate) const LENGTH: usize = 12;
pub(crate) const MIN_SHOWN_LENGTH: usize = 4;

pub(crate) fn random() -> String {
    let number = fault_points::random();
    (0..LENGTH).map(|place| char::from(LETTERS[(number >> (4 * place)) as usize & 15])).collect()
}

/// Whether the text can be an id or a prefix of one.
pub(crate) fn could_begin(text: &str) -> bool {
    !text.is_empty() && text.len() <= LENGTH && text.bytes().all(|letter| LETTERS.contains(&letter))
}

pub(crate) fn is_whole(text: &str) -> bool {
    text.len() == LENGTH && could_begin(text)
}

/// Returns the prefix length that distinguishes these ids, which must be sorted.
pub(crate) fn telling_length(ids: &[&str]) -> usize {
    let common = |pair: &[&str]| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
    let longest = ids.windows(2).map(common).max().unwrap_or(0);
    (longest + 1).clamp(MIN_SHOWN_LENGTH, LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_words_of_letters() {
        let mut ids: Vec<String> = (0..1000).map(|_| random()).collect();
        assert!(ids.iter().all(|id| id.len() == LENGTH && could_begin(id)));
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 1000);
        for text in
            ["", "../../x", "/etc/x", "kkkkkkkkkkk", "kkkkkkkkkkk\0", "kkkkkkkkkk/k", &"k".repeat(300)]
        {
            assert!(!is_whole(text), "{text}");
        }
        assert!(["", "1", "-1", "2026", "label", "kkkkkkkkkkkkk"].iter().all(|text| !could_begin(text)));
    }

    #[test]
    fn short_ids_are_unique_prefixes() {
        assert_eq!(telling_length(&["kkkkkkkkkkkk", "kkkkkklkkkkk", "zzzzzzzzzzzz"]), 7);
        assert_eq!(telling_length(&["kkkkkkkkkkkk"]), 4);
    }
}
