//! Several patterns and sizes at once on one target.

use super::Target;
use super::mix_part::MixPart;

/// Work on a target: one for all I/Os, or one for each part of a mix and each of its sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkShare {
    /// Number of the part in the mix, from 0.
    pub part: u32,
    /// Share of the target's I/Os; the sum is 1.
    pub share: f64,
    pub is_split: bool,
    /// Target with the settings of this part only.
    pub target: Target,
}

/// Maximum number of parts and sizes of a target; each has separate figures.
pub const MAX_PORTIONS: usize = 64;

impl MixPart {
    pub fn new(target: Target, share: u32, base: Option<u64>, end: Option<u64>) -> MixPart {
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
    /// Returns the mix's parts as separate targets with their shares; the target itself without a mix.
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

    /// Returns all parts and sizes; the target itself if it has none.
    pub fn portions(&self) -> Vec<WorkShare> {
        let parts = self.parts();
        let all: f64 = parts.iter().map(|(share, _)| f64::from(*share)).sum();
        let mut portions = Vec::new();
        for (part, (share, target)) in (0..).zip(parts) {
            let share = f64::from(share) / all;
            if target.sizes.is_empty() {
                portions.push(WorkShare { part, share, is_split: false, target });
                continue;
            }
            let sizes: f64 = target.sizes.iter().map(|size| f64::from(size.share)).sum();
            portions.extend(target.sizes.iter().map(|size| WorkShare {
                part,
                share: share * f64::from(size.share) / sizes,
                is_split: true,
                target: Target { block_size: size.block_size, sizes: Vec::new(), ..target.clone() },
            }));
        }
        portions
    }

    pub fn is_mixed(&self) -> bool {
        !self.mix.is_empty() || !self.sizes.is_empty()
    }

    /// Sets the target's settings from its parts and sizes: the largest block, and rounded shares of
    /// writes and random I/O, which are never rounded to zero.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SizeShare;

    #[test]
    fn printed_sizes_are_read_back() {
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
    fn target_totals_match_its_parts() {
        let part = |share, block_size, random_ratio, write_ratio| {
            let target = Target { block_size, random_ratio, write_ratio, ..Target::default() };
            MixPart::new(target, share, None, None)
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
