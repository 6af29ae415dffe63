//! The portion of a target for the next I/O (`--mix`, `--bs-split`).

use super::{Assignment, Random};

/// Portions of each target of a thread, as indexes into its list.
#[derive(Debug)]
pub(super) struct TargetShares {
    target_of: Vec<u32>,
    shares: Vec<Shares>,
}

#[derive(Debug)]
struct Shares {
    first: u32,
    /// Cumulative end of each portion's numbers, except the last.
    ends: Vec<u64>,
}

impl Shares {
    #[inline(always)]
    fn draw(&self, random: &mut Random) -> u32 {
        if self.ends.is_empty() {
            return self.first;
        }
        let number = random.next_u64();
        // Looks at all of them: to stop at the right one would be mispredicted.
        self.first + self.ends.iter().map(|&end| u32::from(end <= number)).sum::<u32>()
    }
}

impl TargetShares {
    pub(super) fn new(targets: &[Assignment<'_>]) -> Option<TargetShares> {
        targets.iter().find_map(|target| target.workload.portion)?;
        let (mut target_of, mut shares): (Vec<u32>, Vec<Shares>) = (Vec::new(), Vec::new());
        let mut sum = 0.0;
        for (index, target) in (0u32..).zip(targets) {
            match (target.workload.portion, shares.last_mut()) {
                (Some(portion), Some(known)) if !portion.is_first => {
                    known.ends.push((sum * 2f64.powi(64)) as u64);
                    sum += portion.share;
                }
                (portion, _) => {
                    shares.push(Shares { first: index, ends: Vec::new() });
                    sum = portion.map_or(1.0, |portion| portion.share);
                }
            }
            target_of.push(shares.len() as u32 - 1);
        }
        Some(TargetShares { target_of, shares })
    }

    /// Returns the entries that represent their targets.
    pub(super) fn leaders(&self) -> impl Iterator<Item = u32> + '_ {
        self.shares.iter().map(|shares| shares.first)
    }

    /// Draws a portion of this entry's target; consumes a random number if there are several.
    #[inline]
    pub(super) fn draw(&self, entry: u32, random: &mut Random) -> u32 {
        self.shares[self.target_of[entry as usize] as usize].draw(random)
    }

    /// Draws a portion if there is only one target.
    #[inline(always)]
    pub(super) fn draw_of_first(&self, random: &mut Random) -> u32 {
        self.shares[0].draw(random)
    }
}
