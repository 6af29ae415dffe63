//! The arguments of the ranks, which must be equal: rank 0 reads its own for all.

use crate::profile::RawText;
use std::ffi::OsString;

/// The arguments that all ranks must share: all except the program's name and `--mpi`, whose library may be
/// in another place on each host.
pub(super) fn common(typed: &[OsString]) -> Vec<RawText> {
    let words = typed.iter().skip(1).map(|word| RawText::from(word.clone()));
    words.filter(|word| word.as_bytes() != b"--mpi" && !word.as_bytes().starts_with(b"--mpi=")).collect()
}

/// The arguments in which a rank's line differs from rank 0's; `None` = the lines are the same.
pub(super) fn difference(own: &[RawText], first: &[RawText]) -> Option<String> {
    if own == first {
        return None;
    }
    let equal = own.iter().zip(first).take_while(|(own, first)| own == first).count();
    let (own, first) = (&own[equal..], &first[equal..]);
    let ends = own.iter().rev().zip(first.iter().rev()).take_while(|(own, first)| own == first).count();
    let shown = |words: &[RawText]| match &words[..words.len() - ends] {
        [] => "nothing".to_owned(),
        words => format!("'{}'", words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
    };
    Some(format!(
        "its command line has {} where rank 0 has {}: start all ranks with the same options; %r (the rank) \
         and %h (the host) in a path name separate files",
        shown(own),
        shown(first)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(text: &str) -> Vec<RawText> {
        common(&text.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn program_name_and_library_may_differ_by_rank() {
        let same = [("diskspd -o4 a", "/opt/diskspd --mpi=/lib/x -o4 a"), ("diskspd", "diskspd --mpi")];
        for (own, first) in same {
            assert_eq!(difference(&parse_line(own), &parse_line(first)), None, "{own}");
        }
        for (own, first, shown) in [
            ("d -o8 a", "d -o4 a", "has '-o8' where rank 0 has '-o4'"),
            ("d -o4 b c", "d -o4 a", "has 'b c' where rank 0 has 'a'"),
            ("d -o4 -o4 a", "d -o4 a", "has '-o4' where rank 0 has nothing"),
            ("d a", "d --mpix a", "has nothing where rank 0 has '--mpix'"),
            ("d", "d a", "has nothing where rank 0 has 'a'"),
        ] {
            let found = difference(&parse_line(own), &parse_line(first)).unwrap_or_default();
            assert!(found.contains(shown), "{own}, {first}: {found}");
        }
    }
}
