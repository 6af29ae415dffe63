//! `--mix`: parsing of each part with the table of options, restricted to some of them.

use super::draft::RunRequestBuilder;
use super::error::ValueError;
use super::flag::Name;
use super::flags;
use crate::profile::MixPart;

const PART_EXAMPLES: &str = "parts such as 70:-b8K -r -w0, with ; between them: a share, a colon, options";
/// Options that a part may have.
const LETTERS: &[u8] = b"brswBf";
const LONG: &[&str] = &["distribution", "bs-split"];

/// Reads the value of the option.
///
/// # Errors
/// Fails with the position of the first error in the value.
pub(super) fn parse(value: &[u8]) -> Result<Vec<MixPart>, ValueError> {
    if value.is_empty() {
        return Err(ValueError::new(0, "the value is missing").with_expected(PART_EXAMPLES));
    }
    let mut position = 0;
    let mut parts = Vec::new();
    for text in value.split(|byte| *byte == b';') {
        parts.push(parse_part(text).map_err(|problem| problem.at(position))?);
        position += text.len() + 1;
    }
    Ok(parts)
}

fn parse_part(text: &[u8]) -> Result<MixPart, ValueError> {
    let colon = text.iter().position(|byte| *byte == b':').unwrap_or(text.len());
    let share = std::str::from_utf8(&text[..colon]).ok().map(str::trim);
    let share = share.and_then(|digits| digits.parse().ok()).filter(|share| (1..=1_000_000).contains(share));
    let Some(share) = share.filter(|_| colon < text.len()) else {
        return Err(
            ValueError::new(0, "a share from 1 to 1000000 is missing here").with_expected(PART_EXAMPLES)
        );
    };
    let mut draft = RunRequestBuilder::default();
    let words = split_words(text, colon + 1);
    // -b first, as on the command line: it is the unit of other sizes.
    for first in [true, false] {
        let mut rest = words.iter();
        while let Some(&(at, word)) = rest.next() {
            let (name, value, offset) = match word.strip_prefix(b"--") {
                None => (word.get(1).copied().map(Name::Letter), word.get(2..).unwrap_or_default(), 2),
                Some(long) => {
                    let equals = long.iter().position(|byte| *byte == b'=');
                    let name =
                        LONG.iter().find(|name| name.as_bytes() == &long[..equals.unwrap_or(long.len())]);
                    let (value, offset) = match equals {
                        Some(equals) => (&long[equals + 1..], equals + 3),
                        None => {
                            rest.next().map_or((&b""[..], word.len()), |(next, value)| (*value, next - at))
                        }
                    };
                    (name.map(|name| Name::Long(name)), value, offset)
                }
            };
            let known = |name: &Name| match name {
                Name::Letter(letter) => word[0] == b'-' && LETTERS.contains(letter),
                Name::Long(_) => true,
            };
            let Some(name) = name.filter(known) else { return Err(not_of_a_part(at)) };
            if (name == Name::Letter(b'b')) != first {
                continue;
            }
            if matches!(
                (name, value.first()),
                (Name::Letter(b'b'), Some(b's')) | (Name::Letter(b's'), Some(b'i'))
            ) || (name == Name::Letter(b'f') && value.first().is_some_and(u8::is_ascii_alphabetic))
            {
                return Err(not_of_a_part(at));
            }
            let Some(flag) = flags::find(|known| known == name) else { return Err(not_of_a_part(at)) };
            flag.apply(&mut draft, value).map_err(|problem| problem.at(at + offset))?;
        }
    }
    let base = draft.base_given.then_some(draft.target.base_file_offset);
    let end = draft.end_given.then_some(draft.target.max_file_size);
    let mut target = draft.target;
    target.block_alignment = draft.alignment.filter(|_| draft.alignment_given).unwrap_or(0);
    target.sum_up_parts();
    Ok(MixPart::new(target, share, base, end))
}

fn not_of_a_part(at: usize) -> ValueError {
    ValueError::new(at, "this is not an option of a part")
        .with_expected("-b -r -rs -rd -s -w -B -f --distribution --bs-split")
        .hint("put all other options, such as -o, -t, -S and -Z, outside: they hold for the whole target")
}

/// Splits the words of a part from this byte on, with their positions.
fn split_words(text: &[u8], from: usize) -> Vec<(usize, &[u8])> {
    let mut found = Vec::new();
    let mut at = from;
    for word in text[from..].split(|byte| *byte == b' ') {
        if !word.is_empty() {
            found.push((at, word));
        }
        at += word.len() + 1;
    }
    found
}
