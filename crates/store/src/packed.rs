//! Compressed files: gzip, which every other tool reads.

use diskspd_base::limits::RECORD;
use diskspd_sys::files;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Memory takes everything.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Reads a pipe to its end. Its content is kept compressed, because text of JSON takes a tenth of its length
/// then.
///
/// # Errors
/// Fails if the pipe cannot be read, or its content exceeds the limit of a record.
pub fn spool(mut pipe: impl Read) -> io::Result<UnpackedFile<Cursor<Vec<u8>>>> {
    let mut beginning = Vec::new();
    pipe.by_ref().take(MAGIC.len() as u64).read_to_end(&mut beginning)?;
    let is_compressed = is_packed(&beginning);
    let source = Cursor::new(beginning).chain(pipe);
    let bytes = if is_compressed { RECORD.read(source)? } else { pack_stream(source)? };
    Ok(UnpackedFile::new(Cursor::new(bytes)))
}

fn pack_stream(source: impl Read) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let length = io::copy(&mut source.take(RECORD.bytes + 1), &mut encoder)?;
    RECORD.check(usize::try_from(length).unwrap_or(usize::MAX)).map_err(io::Error::other)?;
    encoder.finish()
}

pub fn reader(source: impl Read) -> impl Read {
    MultiGzDecoder::new(source)
}

/// The content of a compressed file, which is not kept in memory. Reading fails beyond the length of a
/// record, and only the start can be sought.
#[derive(Debug)]
pub struct UnpackedFile<S> {
    /// Decoder; `None` = after a failed rewind.
    decoder: Option<MultiGzDecoder<S>>,
    position: u64,
}

impl<S: Read + Seek> UnpackedFile<S> {
    /// Reads a source from its current position.
    pub fn new(source: S) -> UnpackedFile<S> {
        UnpackedFile { decoder: Some(MultiGzDecoder::new(source)), position: 0 }
    }
}

impl<S: Read> Read for UnpackedFile<S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let decoder = self.decoder.as_mut().ok_or(io::ErrorKind::Unsupported)?;
        let read = decoder.read(into).map_err(|error| damaged(&error))?;
        self.position += read as u64;
        check_unpacked(self.position)?;
        Ok(read)
    }
}

impl<S: Read + Seek> Seek for UnpackedFile<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => {}
            SeekFrom::Start(0) => {
                let decoder = self.decoder.take().ok_or(io::ErrorKind::Unsupported)?;
                let mut source = decoder.into_inner();
                source.rewind()?;
                self.decoder = Some(MultiGzDecoder::new(source));
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
    check_unpacked(bytes.len() as u64)?;
    Ok(bytes)
}

fn check_unpacked(length: u64) -> io::Result<()> {
    let checked = RECORD.check(usize::try_from(length).unwrap_or(usize::MAX));
    checked.map_err(|too_large| io::Error::other(format!("decompressed, {too_large}")))
}

/// Reads the whole content of a file, compressed or not.
///
/// # Errors
/// Fails if it cannot be read, is damaged, or exceeds the limit of a record.
pub fn unpack_file(file: &Path) -> io::Result<Vec<u8>> {
    let bytes = files::read_input(file, RECORD)?;
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
    fn pipe_is_read_again_and_bounded() {
        let text = b"a record ".repeat(1000);
        for piped in [&b""[..], b"a", &text, &pack(&text)] {
            let mut content = spool(piped).unwrap();
            let expected = if is_packed(piped) { &text } else { piped };
            for _ in 0..2 {
                let mut read = Vec::new();
                content.read_to_end(&mut read).unwrap();
                assert!(read == expected);
                content.rewind().unwrap();
            }
        }
        assert!(spool(&pack(&text)[..50]).unwrap().read_to_end(&mut Vec::new()).is_err());
        assert!(spool(io::repeat(b'a')).unwrap_err().to_string().contains("the limit for a record"));
    }

    #[test]
    fn content_is_read_again_after_rewind() {
        let mut file = tempfile::tempfile().unwrap();
        let text = b"a record ".repeat(100_000);
        file.write_all(&pack(&text)).unwrap();
        file.rewind().unwrap();
        let mut content = UnpackedFile::new(file);
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
        let error = io::copy(&mut UnpackedFile::new(file), &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("a record"), "{error}");
    }
}
