//! Decoding of a tool's output bytes to text, in the encodings of shells and consoles.

use diskspd_profile::xml::text::keeping_bytes;
use diskspd_results::RunSummary;
use std::borrow::Cow;

/// The text of a file: UTF-8, with or without a byte order mark, or UTF-16, as `>` of PowerShell writes it.
/// Bytes of another encoding become characters that stand for them
/// ([`diskspd_profile::xml::text::bytes`] gives them back).
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => keeping_bytes(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16_text(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16_text(rest, u16::from_be_bytes)),
        // Without a byte order mark: what tools print begins with ASCII.
        [first, 0, ..] if *first != 0 => Cow::Owned(utf16_text(bytes, u16::from_le_bytes)),
        [0, first, ..] if *first != 0 => Cow::Owned(utf16_text(bytes, u16::from_be_bytes)),
        _ => keeping_bytes(bytes),
    }
}

/// Returns the bytes in UTF-8 without a byte order mark, for files from editors or PowerShell; unchanged
/// without a mark.
pub fn in_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        _ if is_marked(bytes) => Cow::Owned(decoded(bytes).into_owned().into_bytes()),
        _ => Cow::Borrowed(bytes),
    }
}

/// Whether the start of a file is a byte order mark: UTF-8 (`Set-Content -Encoding utf8` of PowerShell 5)
/// or UTF-16 (its `>`).
pub fn is_marked(beginning: &[u8]) -> bool {
    matches!(beginning, [0xef, 0xbb, 0xbf, ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Decodes UTF-16. Invalid units become the replacement character; an odd last byte is dropped.
fn utf16_text(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Gives the runs of a file their names: one alone that of the file, of several each its number.
pub(super) fn name_runs(mut runs: Vec<RunSummary>, name: &str) -> Vec<RunSummary> {
    let several = runs.len() > 1;
    for (run, number) in runs.iter_mut().zip(1..) {
        run.name = if several { format!("{name}#{number}") } else { name.to_owned() };
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_encodings_decode_to_same_text() {
        let text = "Command Line: diskspd größe.dat\r\n";
        let wide = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let (little, big) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            [b"\xff\xfe", &little[..]].concat(),
            [b"\xfe\xff", &big[..]].concat(),
            little,
            big,
        ] {
            assert_eq!(decoded(&bytes), text);
        }
        assert_eq!(decoded(b""), "");
        assert_eq!(*in_utf8(b"\xff\xfe{\0}\0"), *b"{}");
        assert_eq!(*in_utf8(b"\xef\xbb\xbf{}"), *b"{}");
        assert_eq!(*in_utf8(b"\xff\xf0"), *b"\xff\xf0", "what is not marked stays as it is");
        assert_eq!(decoded(b"\xff\xfea\0b"), "a");
        assert_eq!(decoded(b"gr\xf6\xdfe"), "gr\u{10fff6}\u{10ffdf}e");
    }
}
