//! Query of a file's written areas.

use crate::windows::ranges::{Range, allocated, space, valid};
use diskspd_base::message_error::MessageError;
use diskspd_machine::content::ContentShares;
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::storage_answers::{StorageQuery, ask, open_for_ranges};
use std::io;
use std::path::Path;

/// Returns the areas of the file from `from` to `to`, until a deadline.
///
/// # Errors
/// Fails if the file cannot be opened, or its file system does not report areas (FAT, shares).
pub fn written(path: &Path, from: u64, to: u64, until: Nanos) -> Result<ContentShares, MessageError> {
    let not =
        |what| move |error: io::Error| format!("which parts of it were written is unknown: {what}: {error}");
    let file = open_for_ranges(path).map_err(not("it cannot be opened"))?;
    let to = to.min(file.metadata().map_err(not("its size"))?.len()).max(from);
    let (mut found, mut good) = (Vec::new(), Vec::new());
    let mut at = from;
    // Where there are more than fit in an answer, it is known as far as these go.
    let reached = |ranges: &[Range], more: bool, all: u64| match (more, ranges.last()) {
        (true, last) => last.map_or(0, |last| last.1.min(all)),
        (false, _) => all,
    };
    while at < to {
        let question = StorageQuery::AllocatedRanges { from: at, length: to - at };
        let answer = ask(&file, question).map_err(not("its allocated ranges"))?;
        let some = allocated(&answer.bytes);
        let end = reached(&some, answer.more, to);
        found.extend(some);
        let ahead = end > at;
        at = end.max(at);
        if !ahead || clock::monotonic() >= until {
            break;
        }
    }
    let mut valid_to = from;
    while valid_to < at {
        let question = StorageQuery::ValidRegions { from: valid_to, length: at - valid_to };
        let answer = ask(&file, question).map_err(not("its valid data"))?;
        let Some((some, more)) = valid(&answer.bytes) else { break };
        let end = reached(&some, more || answer.more, at);
        good.extend(some);
        let ahead = end > valid_to;
        valid_to = end.max(valid_to);
        if !ahead || clock::monotonic() >= until {
            break;
        }
    }
    Ok(space(from, valid_to, &found, &good))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_ranges_of_file_are_known_or_reason() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![1; 65536]).unwrap();
        let until = diskspd_sys::clock::monotonic() + 1_000_000_000;
        match written(file.path(), 4096, 1 << 30, until) {
            // Nothing lies behind its end.
            Ok(space) => assert_eq!((space.known, space.holes, space.unwritten), (61440, 0, 0)),
            Err(why) => assert!(why.to_string().contains("its allocated ranges: "), "{why}"),
        }
        let missing = written(&file.path().join("none"), 0, 1, until).unwrap_err();
        assert_eq!(missing.what, "it cannot be opened");
        assert_eq!(written(file.path(), 7, 7, until).unwrap(), ContentShares::default());
    }
}
