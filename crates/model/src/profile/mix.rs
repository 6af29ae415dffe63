//! Several patterns and sizes at once on one target.

use super::{AddressSpread, Distribution, DistributionKind, Target};
use crate::units;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A block size and how often it is drawn (`--bs-split`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SizeShare {
    /// Bytes of an I/O, at least 1.
    pub block_size: u32,
    /// Its share, relative to those of the others; at least 1.
    pub share: u32,
}

/// A part of a mix (`--mix`): what is done in so many of its I/Os. The names are those of [`Target`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MixPart {
    /// Its share of the I/Os, relative to those of the others; at least 1.
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
    /// `None` = that of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_file_offset: Option<u64>,
    /// `None` = that of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_size: Option<u64>,
}

/// What a target is worked on with: one for all I/Os, or one for each part of a mix and each of its sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Portion {
    /// Number of the part in the mix, from 0.
    pub part: u32,
    /// Share of the target's I/Os; all together are 1.
    pub share: f64,
    /// It is one of several sizes of its part.
    pub is_split: bool,
    /// The target as if there were nothing else.
    pub target: Target,
}

/// The most parts and sizes of a target: each has figures of its own.
pub const MOST_PORTIONS: usize = 64;

impl SizeShare {
    /// How a list of them is written.
    pub const FORM: &'static str = "sizes with their shares, such as 4K/60:8K/30:64K/10";

    /// Reads a list.
    ///
    /// # Errors
    /// Where it is wrong (byte offset), and what is.
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

    /// As it is read.
    pub fn print_list(list: &[SizeShare]) -> String {
        let one = |size: &SizeShare| format!("{}/{}", size.block_size, size.share);
        list.iter().map(one).collect::<Vec<_>>().join(":")
    }
}

impl MixPart {
    /// What a target that is nothing but this part says; without a base or end of its own unless given.
    pub fn of(target: Target, share: u32, base: Option<u64>, end: Option<u64>) -> MixPart {
        MixPart {
            share,
            block_size: target.block_size,
            block_alignment: target.block_alignment,
            random_ratio: target.random_ratio,
            write_ratio: target.write_ratio,
            distribution: target.distribution,
            spread: target.spread,
            sizes: target.sizes,
            base_file_offset: base,
            max_file_size: end,
        }
    }
}

impl Target {
    /// The targets that the parts of the mix would be by themselves, with their shares; the target itself
    /// if it has no mix.
    pub fn parts(&self) -> Vec<(u32, Target)> {
        if self.mix.is_empty() {
            return vec![(1, self.clone())];
        }
        let part = |part: &MixPart| {
            let target = Target {
                block_size: part.block_size,
                block_alignment: part.block_alignment,
                random_ratio: part.random_ratio,
                write_ratio: part.write_ratio,
                distribution: part.distribution.clone(),
                spread: part.spread,
                sizes: part.sizes.clone(),
                base_file_offset: part.base_file_offset.unwrap_or(self.base_file_offset),
                max_file_size: part.max_file_size.unwrap_or(self.max_file_size),
                // Where random I/O starts is drawn.
                thread_stride: if part.random_ratio == 0 { self.thread_stride } else { 0 },
                mix: Vec::new(),
                ..self.clone()
            };
            (part.share, target)
        };
        self.mix.iter().map(part).collect()
    }

    /// All parts and sizes; one that is the target itself if it has neither.
    pub fn portions(&self) -> Vec<Portion> {
        let parts = self.parts();
        let all: f64 = parts.iter().map(|(share, _)| f64::from(*share)).sum();
        let mut portions = Vec::new();
        for (part, (share, target)) in (0..).zip(parts) {
            let share = f64::from(share) / all;
            if target.sizes.is_empty() {
                portions.push(Portion { part, share, is_split: false, target });
                continue;
            }
            let sizes: f64 = target.sizes.iter().map(|size| f64::from(size.share)).sum();
            portions.extend(target.sizes.iter().map(|size| Portion {
                part,
                share: share * f64::from(size.share) / sizes,
                is_split: true,
                target: Target { block_size: size.block_size, sizes: Vec::new(), ..target.clone() },
            }));
        }
        portions
    }

    /// Whether it has several sizes or parts.
    pub fn is_mixed(&self) -> bool {
        !self.mix.is_empty() || !self.sizes.is_empty()
    }

    /// Lets the settings that parts and sizes stand for say what they come to: the largest block, the
    /// shares of writes and of random I/O rounded, but never so that there are none.
    pub fn sum_up_parts(&mut self) {
        if !self.is_mixed() {
            return;
        }
        let portions = self.portions();
        let mean = |of: fn(&Target) -> u32| {
            let all = || portions.iter().map(|portion| of(&portion.target));
            let sum: f64 = portions.iter().map(|p| p.share * f64::from(of(&p.target))).sum();
            let (least, most) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
            match (least, most) {
                (0, 0) | (100.., _) => least,
                _ => (sum.round() as u32).clamp(1, 99),
            }
        };
        let (random, writes) = (mean(|target| target.random_ratio), mean(|target| target.write_ratio));
        self.block_size = portions.iter().map(|portion| portion.target.block_size).max().unwrap_or(0);
        (self.random_ratio, self.write_ratio) = (random, writes);
    }
}

impl fmt::Display for MixPart {
    /// As the option has it, sizes in bytes.
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
            let kind = match distribution.kind {
                DistributionKind::Percent => "pct",
                DistributionKind::Absolute => "abs",
            };
            let ranges: Vec<String> =
                distribution.ranges.iter().map(|range| format!("{}/{}", range.io, range.span)).collect();
            write!(f, " -rd{kind}{}", ranges.join(":"))?;
        }
        self.spread.map_or(Ok(()), |spread| write!(f, " --distribution {spread}"))?;
        self.base_file_offset.map_or(Ok(()), |base| write!(f, " -B{base}"))?;
        self.max_file_size.map_or(Ok(()), |end| write!(f, " -f{end}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_printed_or_told_with_their_place() {
        let size = |block_size, share| SizeShare { block_size, share };
        let list = SizeShare::parse_list(b"4K/60:8k/30:1000/10").unwrap();
        assert_eq!(list, [size(4096, 60), size(8192, 30), size(1000, 10)]);
        assert_eq!(SizeShare::print_list(&list), "4096/60:8192/30:1000/10");
        for (text, position) in [
            ("", 0),
            ("4K", 2),
            ("4K/", 3),
            ("4K/0", 3),
            ("0/1", 0),
            ("4G/1", 0),
            ("4K/60%", 5),
            ("4K/60:", 6),
            ("4K/60:x", 6),
            ("4K/1000001", 3),
        ] {
            let found = SizeShare::parse_list(text.as_bytes()).map_err(|(position, _)| position);
            assert_eq!(found, Err(position), "{text}");
        }
    }

    #[test]
    fn a_target_says_what_its_parts_come_to() {
        let part = |share, block_size, random_ratio, write_ratio| {
            let target = Target { block_size, random_ratio, write_ratio, ..Target::default() };
            MixPart::of(target, share, None, None)
        };
        for (mix, sizes, expected) in [
            (
                vec![part(70, 8192, 100, 0), part(20, 65536, 0, 100), part(10, 524_288, 100, 0)],
                vec![],
                (524_288, 80, 20),
            ),
            (vec![part(1, 512, 100, 0), part(1000, 4096, 100, 0)], vec![], (4096, 100, 0)),
            // A share that rounds to nothing is not nothing.
            (vec![part(1, 512, 0, 100), part(1000, 512, 100, 0)], vec![], (512, 99, 1)),
            (
                vec![],
                vec![SizeShare { block_size: 1, share: 9 }, SizeShare { block_size: 3, share: 1 }],
                (3, 0, 0),
            ),
        ] {
            let mut target = Target { mix, sizes, ..Target::default() };
            target.sum_up_parts();
            assert_eq!((target.block_size, target.random_ratio, target.write_ratio), expected);
            let all: f64 = target.portions().iter().map(|portion| portion.share).sum();
            assert!((all - 1.0).abs() < 1e-12);
        }
    }
}
