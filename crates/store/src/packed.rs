//! Compressed files: gzip, which every other tool reads.

use diskspd_model::limits::RECORD;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Whether bytes are compressed.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The bytes, compressed.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Memory takes everything.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

pub fn reader(source: impl Read) -> impl Read {
    MultiGzDecoder::new(source)
}

/// The content of a compressed file, which is not held in memory; reading fails beyond the length of a
/// record. It seeks to its start only.
#[derive(Debug)]
pub struct Inflated {
    file: File,
    decoder: MultiGzDecoder<File>,
    position: u64,
}

impl Inflated {
    /// # Errors
    /// The descriptor cannot be duplicated.
    pub fn new(file: File) -> io::Result<Inflated> {
        Ok(Inflated { decoder: MultiGzDecoder::new(file.try_clone()?), file, position: 0 })
    }
}

impl Read for Inflated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(into).map_err(|error| damaged(&error))?;
        self.position += read as u64;
        RECORD.check(usize::try_from(self.position).unwrap_or(usize::MAX)).map_err(io::Error::other)?;
        Ok(read)
    }
}

impl Seek for Inflated {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => {}
            SeekFrom::Start(0) => {
                self.file.rewind()?;
                self.decoder = MultiGzDecoder::new(self.file.try_clone()?);
                self.position = 0;
            }
            _ => return Err(io::ErrorKind::Unsupported.into()),
        }
        Ok(self.position)
    }
}

fn damaged(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the compressed file is damaged or cut off: {error}"))
}

/// Decompresses the whole content.
///
/// # Errors
/// Fails if it is damaged, truncated, or longer than a record may be, because a small file can hold a
/// large one.
pub fn unpack(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader(source).take(RECORD.bytes + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    RECORD.check(bytes.len()).map_err(io::Error::other)?;
    Ok(bytes)
}

/// All that a file holds, compressed or not.
///
/// # Errors
/// It can't be read, is damaged, or longer than a record may be.
pub fn whole(file: &Path) -> io::Result<Vec<u8>> {
    let bytes = RECORD.read(File::open(file)?)?;
    if is_packed(&bytes) { unpack(&bytes[..]) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_data_is_unpacked_and_damage_reported() {
        let text = b"a record ".repeat(1000);
        let packed = pack(&text);
        assert!(is_packed(&packed) && packed.len() < text.len() / 10);
        assert_eq!(unpack(&packed[..]).unwrap(), text);
        let cut = unpack(&packed[..packed.len() / 2]).unwrap_err().to_string();
        assert!(cut.contains("damaged or cut off"), "{cut}");
    }

    #[test]
    fn content_is_read_again_after_rewind() {
        let mut file = tempfile::tempfile().unwrap();
        let text = b"a record ".repeat(100_000);
        file.write_all(&pack(&text)).unwrap();
        file.rewind().unwrap();
        let mut content = Inflated::new(file).unwrap();
        for begin in [10, text.len()] {
            let mut read = vec![0; begin];
            content.read_exact(&mut read).unwrap();
            assert_eq!((content.stream_position().unwrap(), &read[..]), (begin as u64, &text[..begin]));
            content.rewind().unwrap();
        }
        assert!(content.seek(SeekFrom::End(0)).is_err());
    }

    #[test]
    fn content_longer_than_record_is_refused() {
        let mut file = tempfile::tempfile().unwrap();
        // Members of 16 MiB each, one byte beyond the limit.
        let part = pack(&vec![b' '; 16 << 20]);
        for _ in 0..RECORD.bytes >> 24 {
            file.write_all(&part).unwrap();
        }
        file.write_all(&pack(b"x")).unwrap();
        file.rewind().unwrap();
        let error = io::copy(&mut Inflated::new(file).unwrap(), &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("a record"), "{error}");
    }
}
