//! A part of a mix, and a size with its share, in their text form.

use crate::{AddressSpread, Distribution};
use diskspd_figures::units;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Block size with its share (`--bs-split`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SizeShare {
    /// Bytes of an I/O, at least 1.
    pub block_size: u32,
    pub share: u32,
}

/// A part of a mix (`--mix`): the settings for a share of the I/Os. The names are as in `Target`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MixPart {
    /// Share of the I/Os, relative to the other parts; at least 1.
    pub share: u32,
    pub block_size: u32,
    pub block_alignment: u64,
    pub random_ratio: u32,
    pub write_ratio: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Distribution>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<AddressSpread>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeShare>,
    /// 34 Offset; `None` = the value of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_file_offset: Option<u64>,
    /// `None` = that of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_size: Option<u64>,
}

impl SizeShare {
    pub const FORM: &'static str = "sizes with their shares, such as 4K/60:8K/30:64K/10";

    /// Parses a list.
    ///
    /// # Errors
    /// Fails with the position (byte offset) and the error.
    pub fn parse_list(text: &[u8]) -> Result<Vec<SizeShare>, (usize, &'static str)> {
        let mut list = Vec::new();
        let mut position = 0;
        loop {
            let wrong = |what| (position, what);
            let (bytes, taken) = units::parse_size_prefix(&text[position..], 1)
                .map_err(|_| wrong("a size is missing here"))?;
            let block_size = u32::try_from(bytes).ok().filter(|bytes| *bytes > 0);
            let block_size = block_size.ok_or_else(|| wrong("a size is 1 byte to 4 GiB"))?;
            position += taken;
            if text.get(position) != Some(&b'/') {
                return Err((position, "/ and the share of the size are missing here"));
            }
            position += 1;
            let (share, taken) =
                units::parse_digits(&text[position..]).map_err(|_| (position, "a share is missing here"))?;
            let share = u32::try_from(share).ok().filter(|share| (1..=1_000_000).contains(share));
            let share = share.ok_or((position, "a share is 1 to 1000000"))?;
            position += taken;
            list.push(SizeShare { block_size, share });
            match text.get(position) {
                None => return Ok(list),
                Some(b':') => position += 1,
                Some(_) => return Err((position, "expected : and a further size, or the end")),
            }
        }
    }

    pub fn print_list(list: &[SizeShare]) -> String {
        let one = |size: &SizeShare| format!("{}/{}", size.block_size, size.share);
        list.iter().map(one).collect::<Vec<_>>().join(":")
    }
}

impl fmt::Display for MixPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.share)?;
        match self.sizes.is_empty() {
            true => write!(f, " -b{}", self.block_size)?,
            false => write!(f, " --bs-split {}", SizeShare::print_list(&self.sizes))?,
        }
        let aligned = |letter| match self.block_alignment {
            0 => format!(" -{letter}"),
            bytes => format!(" -{letter}{bytes}"),
        };
        match self.random_ratio {
            0 => f.write_str(&aligned("s"))?,
            100 => f.write_str(&aligned("r"))?,
            random => write!(f, "{} -rs{random}", aligned("r"))?,
        }
        write!(f, " -w{}", self.write_ratio)?;
        if let Some(distribution) = &self.distribution {
            write!(f, " -rd{distribution}")?;
        }
        self.spread.map_or(Ok(()), |spread| write!(f, " --distribution {spread}"))?;
        self.base_file_offset.map_or(Ok(()), |base| write!(f, " -B{base}"))?;
        self.max_file_size.map_or(Ok(()), |end| write!(f, " -f{end}"))
    }
}
