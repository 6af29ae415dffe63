//! Sources of write data (`-Z<size>[,<file>]`): filled once per time span, shared by all threads.

use diskspd_base::message_error::MessageError;
use diskspd_figures::units::Size;
use diskspd_plan::workload::Random;
use diskspd_plan::{SpanPlan, WorkerPlan, WorkerTarget, WriteContent};
use diskspd_profile::RandomDataSource;
use diskspd_sys::memory::{Buffer, Shared, SlotMut};
use diskspd_sys::owners;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// Makes the sources of a span, in order: from their files, or with random content, which is the same in
/// every run. `owners`: owners of the files with the names; they must be able to read the sources.
///
/// # Errors
/// Fails without memory, or if a file cannot be read.
pub(crate) fn make(sources: &[RandomDataSource], owners: &[u32]) -> Result<Vec<Shared>, MessageError> {
    // One generator for all of them, and not that of a thread.
    let mut random = Random::new(0);
    let make = |source: &RandomDataSource| {
        let size = source.size;
        let no_memory = |why: &dyn fmt::Display| {
            format!("-Z<size>: cannot allocate {} for write data: {why}; use a smaller size", Size(size))
        };
        let length = usize::try_from(size).map_err(|error| no_memory(&error))?;
        let filled = |mut bytes: SlotMut<'_>| match &source.path {
            None => {
                bytes.fill_with(|| random.next_word());
                Ok(())
            }
            Some(path) => fill_from_file(path.as_path(), &mut bytes, owners).map_err(|error| {
                FillError::Content(format!(
                    "-Z<size>,<file>: cannot read the write data from '{path}': {error}"
                ))
            }),
        };
        Shared::new(length, filled).map_err(|unfilled| match unfilled {
            FillError::Content(message) => message.into(),
            FillError::Memory(error) => no_memory(&error).into(),
        })
    };
    sources.iter().map(make).collect()
}

/// Returns the source of a target's writes, as an index into [`SpanPlan::sources`].
pub(crate) fn source_size(target: &WorkerTarget) -> Option<usize> {
    match target.content {
        WriteContent::Source { index, .. } => Some(index),
        _ => None,
    }
}

/// Returns the bytes of a worker's I/O buffer, including the sources after it.
pub(crate) fn with_sources(worker: &WorkerPlan, span: &SpanPlan) -> u64 {
    let sizes = worker.targets.iter().filter_map(source_size).map(|index| span.sources[index].size);
    Buffer::length_with(worker.buffer, sizes)
}

enum FillError {
    Memory(io::Error),
    Content(String),
}

impl From<io::Error> for FillError {
    fn from(error: io::Error) -> Self {
        FillError::Memory(error)
    }
}

/// Fills the bytes from a file, which is repeated if it is too short.
fn fill_from_file(path: &Path, bytes: &mut SlotMut<'_>, owners: &[u32]) -> io::Result<()> {
    let mut file = owners::open(path, owners)?;
    let mut part = vec![0; bytes.len().min(1 << 20)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut part) {
            Ok(0) => break,
            Ok(read) => {
                let read = read.min(bytes.len() - filled);
                if let Some(mut next) = bytes.by_ref().part(filled, read) {
                    next.copy_from(&part);
                }
                filled += read;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    bytes.repeat(filled);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_profile::RawText;
    use diskspd_sys::memory::HugePages;

    fn read_contents(sources: &[RandomDataSource]) -> Vec<Vec<u8>> {
        let made = make(sources, &[]).unwrap();
        let (buffer, places) =
            Buffer::with_shared(0, &made.iter().collect::<Vec<_>>(), HugePages::AskedFor).unwrap();
        let content = |(place, source): (&usize, &Shared)| {
            let mut bytes = vec![0; source.len()];
            buffer.slot(*place, source.len()).unwrap().copy_to(&mut bytes);
            bytes
        };
        places.iter().zip(&made).map(content).collect()
    }

    fn random_source(size: u64) -> RandomDataSource {
        RandomDataSource { size, path: None }
    }

    #[test]
    fn random_sources_continue_and_repeat_by_seed() {
        let two = read_contents(&[random_source(4096), random_source(5000)]);
        let one = read_contents(&[random_source(4096 + 5000)]);
        assert_eq!([&two[0][..], &two[1][..]].concat(), one[0]);
        assert_eq!(two, read_contents(&[random_source(4096), random_source(5000)]));
        assert_eq!(two[0][..8], 0x4b39_c42d_b38f_cdf5u64.to_le_bytes(), "the generator of seed 0");
    }

    #[test]
    fn source_file_is_cut_repeated_or_zero_padded() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("content");
        for (content, expected) in [("abc", "abcabcab"), ("0123456789", "01234567"), ("", "\0\0\0\0\0\0\0\0")]
        {
            std::fs::write(&path, content).unwrap();
            let path = RawText::from(path.to_str().unwrap().as_bytes().to_vec());
            let source = RandomDataSource { size: 8, path: Some(path) };
            assert_eq!(read_contents(&[source])[0], expected.as_bytes());
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        for path in ["/nonexistent/content", "/"] {
            let path = RawText::from(path.as_bytes().to_vec());
            let error = make(&[RandomDataSource { size: 8, path: Some(path.clone()) }], &[]).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(&format!("'{path}'")) && message.contains("-Z"), "{message}");
        }
    }
}
