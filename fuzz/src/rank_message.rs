//! Any bytes as a message of a rank, compressed and as its text: refused, or the same kind when it is
//! written again.

use diskspd::commands::foreign;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

pub fn check(data: &[u8]) {
    let _ = foreign::rank_message(data);
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(data).unwrap();
    let _ = foreign::rank_message(&packed.finish().unwrap());
}
