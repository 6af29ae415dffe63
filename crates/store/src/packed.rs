//! Compressed files: gzip, which every other tool reads.

use diskspd_model::limits::RECORD;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, Read, Write};
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

/// All of what is compressed.
///
/// # Errors
/// It is damaged, cut off, or longer than a record may be: a small file can hold a large one.
pub fn unpack(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader(source).take(RECORD.bytes + 1).read_to_end(&mut bytes).map_err(|error| {
        io::Error::new(error.kind(), format!("the compressed file is damaged or cut off: {error}"))
    })?;
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
}
