//! One thread on one target: the next position and direction.

use super::block_map::BlockMap;
use super::positions::{Positions, Uniform};
use super::{Grid, Modulus, Pattern, Random, TargetWorkload};
use diskspd_base::engines::Direction;
use diskspd_results::EffectiveRange;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The shared position of all threads of an interlocked target (`-si`): one per target and time span.
///
/// It counts I/Os, not bytes, so that it wraps with the region and never overflows. It has a separate
/// cache line, including the prefetched next one, to avoid false sharing with threads of other targets.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct InterlockedPosition(AtomicU64);

impl InterlockedPosition {
    #[inline]
    fn advance(&self) -> u64 {
        // No other memory depends on the order.
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// State of one thread on one target.
#[derive(Debug)]
pub(super) struct TargetState {
    sequence: Sequence,
    positions: Positions,
    mix: Mix,
    track: Track,
    /// Number of slices of a data source; `None` = slices are not drawn.
    slices: Option<Modulus>,
    base: u64,
    pub(super) block_size: u32,
    /// Number of the part of the mix.
    part: Option<u32>,
    /// Index of the thread's map of completed blocks; `None` = without `--each-once`.
    pub(super) map: Option<u32>,
}

#[derive(Debug)]
enum Sequence {
    Sequential {
        next: u64,
    },
    Interlocked {
        shared: Arc<InterlockedPosition>,
        positions: Modulus,
    },
    ParallelAsync,
    Random,
    Mixed {
        random: u32,
        next: u64,
        last: Direction,
    },
    /// Each I/O begins at the first position after the previous I/O, whose size may differ; 0 to 100
    /// percent are random.
    Following(Box<Sizes>),
}

#[derive(Debug)]
struct Sizes {
    /// Share of random I/Os in percent.
    random: u32,
    run: Arc<SizesRun>,
}

struct FollowingPosition<'a> {
    positions: &'a Positions,
    track: &'a Track,
    mix: Mix,
}

impl Sizes {
    /// Returns the next I/O: its position relative to the base, and its direction.
    // Targets without sizes have its code out of the way.
    #[inline(never)]
    fn next(&self, place: FollowingPosition, block_size: u64, random: &mut Random) -> (u64, Direction) {
        let FollowingPosition { positions, track, mix } = place;
        let run = &self.run;
        let drawn = self.random > 0 && random.draw_percent(self.random);
        let position = if drawn {
            positions.draw(random)
        } else {
            let next = run.next.load(Ordering::Relaxed).saturating_add(track.stride - 1);
            let position = next - next % track.stride;
            if position > track.limit { 0 } else { position }
        };
        run.next.store(position.saturating_add(block_size), Ordering::Relaxed);
        if drawn || self.random == 0 {
            run.writes.store(mix.choose(random) == Direction::Write, Ordering::Relaxed);
        }
        let writes = run.writes.load(Ordering::Relaxed);
        (position, if writes { Direction::Write } else { Direction::Read })
    }
}

/// Shared next position of all sizes of a part. Only one thread uses it, so its atomics are plain numbers.
#[derive(Debug)]
pub(super) struct SizesRun {
    next: AtomicU64,
    writes: AtomicBool,
}

#[derive(Debug, Clone, Copy)]
struct Track {
    stride: u64,
    /// Last byte at which an I/O may start.
    limit: u64,
    restart: u64,
}

impl Track {
    #[inline]
    fn step(&self, next: &mut u64) -> u64 {
        let position = if *next > self.limit { self.restart } else { *next };
        *next = position.saturating_add(self.stride);
        position
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Mix {
    Read,
    Write,
    /// Share of writes in percent; each choice draws a number.
    Drawn(u32),
}

impl Mix {
    fn new(write_ratio: u32) -> Mix {
        match write_ratio {
            0 => Mix::Read,
            1..100 => Mix::Drawn(write_ratio),
            100.. => Mix::Write,
        }
    }

    #[inline]
    pub(super) fn choose(self, random: &mut Random) -> Direction {
        match self {
            Mix::Read => Direction::Read,
            Mix::Write => Direction::Write,
            // A branch on a random number would be mispredicted all the time.
            Mix::Drawn(share) => {
                std::hint::select_unpredictable(random.draw_percent(share), Direction::Write, Direction::Read)
            }
        }
    }
}

/// Random I/Os over all positions, with a state that fits into registers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain {
    pub(super) positions: Uniform,
    pub(super) base: u64,
    pub(super) block_size: u32,
    pub(super) mix: Mix,
}

impl Plain {
    /// Returns the direction of all I/Os; `None` = it is drawn.
    #[inline(always)]
    pub(super) fn direction(&self) -> Option<Direction> {
        match self.mix {
            Mix::Read => Some(Direction::Read),
            Mix::Write => Some(Direction::Write),
            Mix::Drawn(_) => None,
        }
    }
}

fn is_split(workload: &TargetWorkload) -> bool {
    workload.portion.is_some_and(|portion| portion.is_split)
}

fn run(workload: &TargetWorkload, before: Option<&TargetState>, next: u64, last: Direction) -> Arc<SizesRun> {
    let part = workload.portion.filter(|portion| !portion.is_first).map(|portion| portion.part);
    match before.map(|before| (before.part, &before.sequence)) {
        Some((known, Sequence::Following(sizes))) if part.is_some() && known == part => {
            Arc::clone(&sizes.run)
        }
        _ => Arc::new(SizesRun {
            next: AtomicU64::new(next),
            writes: AtomicBool::new(last == Direction::Write),
        }),
    }
}

impl TargetState {
    /// Makes the draws of the set-up: for the mixed pattern an initial position, then for every pattern the
    /// initial direction. `before`: the entry of the list before. Also returns the effective ranges of the
    /// distribution.
    pub(super) fn new(
        workload: &TargetWorkload,
        shared: Arc<InterlockedPosition>,
        before: Option<&TargetState>,
        random: &mut Random,
    ) -> (TargetState, Vec<EffectiveRange>) {
        let grid: Grid = workload.grid();
        let stride = grid.stride.max(1);
        let (positions, effective) = Positions::new(workload, &grid);
        let mix = Mix::new(workload.write_ratio);
        let initial = match workload.pattern {
            Pattern::Mixed { .. } => positions.draw(random),
            _ => workload.first,
        };
        let last = mix.choose(random);
        let following = |random| {
            Sequence::Following(Box::new(Sizes { random, run: run(workload, before, initial, last) }))
        };
        let sequence = match workload.pattern {
            Pattern::Sequential if is_split(workload) => following(0),
            Pattern::Mixed { random } if is_split(workload) => following(random),
            Pattern::Sequential => Sequence::Sequential { next: initial },
            Pattern::Interlocked => {
                Sequence::Interlocked { shared, positions: Modulus::new(grid.positions()) }
            }
            Pattern::ParallelAsync => Sequence::ParallelAsync,
            Pattern::Random => Sequence::Random,
            Pattern::Mixed { random } => Sequence::Mixed { random, next: initial, last },
        };
        let track = Track { stride, limit: grid.limit(), restart: workload.first % stride };
        let state = TargetState {
            sequence,
            positions,
            mix,
            track,
            slices: None,
            base: workload.base,
            block_size: workload.block_size,
            part: workload.portion.map(|portion| portion.part),
            map: None,
        };
        (state, effective)
    }

    pub(super) fn draw_slices(&mut self, slices: u64) {
        self.slices = Some(Modulus::new(slices));
    }

    /// The next I/O of a request: byte offset in the target and direction. `position` is the request's own
    /// one, which the parallel pattern alone uses.
    #[inline(always)]
    pub(super) fn next(&mut self, random: &mut Random, position: &mut u64) -> (u64, Direction) {
        let relative = match &mut self.sequence {
            Sequence::Sequential { next } => self.track.step(next),
            Sequence::Interlocked { shared, positions } => {
                positions.reduce(shared.advance()) * self.track.stride
            }
            Sequence::ParallelAsync => self.track.step(position),
            Sequence::Random => self.positions.draw(random),
            Sequence::Mixed { random: share, next, last } => {
                let position = if random.draw_percent(*share) {
                    let position = self.positions.draw(random);
                    *next = position.saturating_add(self.track.stride);
                    *last = self.mix.choose(random);
                    position
                } else {
                    self.track.step(next)
                };
                return (self.base + position, *last);
            }
            Sequence::Following(following) => {
                let place =
                    FollowingPosition { positions: &self.positions, track: &self.track, mix: self.mix };
                let (position, direction) = following.next(place, u64::from(self.block_size), random);
                return (self.base + position, direction);
            }
        };
        (self.base + relative, self.mix.choose(random))
    }

    /// Whether the next I/Os depend on the time.
    pub(super) fn moves(&self) -> bool {
        self.positions.moves()
    }

    /// Sets the elapsed time since the start in ns.
    pub(super) fn move_to(&mut self, elapsed: u64) {
        self.positions.move_to(elapsed);
    }

    /// Whether the next I/Os depend on random numbers.
    pub(super) fn draws(&self) -> bool {
        matches!(self.sequence, Sequence::Random | Sequence::Mixed { .. } | Sequence::Following(_))
            || matches!(self.mix, Mix::Drawn(_))
            || self.slices.is_some()
    }

    pub(super) fn contains_offset(&self, offset: u64) -> bool {
        offset.checked_sub(self.base).is_some_and(|relative| relative <= self.track.limit)
    }

    /// Returns the offset and size of an I/O at the first free blocks from this offset on.
    pub(super) fn left_at(&self, map: &mut BlockMap, offset: u64) -> (u64, u32) {
        let (position, length) = map.take(offset - self.base, self.block_size);
        debug_assert!(position + u64::from(length) <= self.track.limit + u64::from(self.block_size));
        (self.base + position, length)
    }

    /// The state of I/Os that draw a position, then a direction, and no other number; `None` = others.
    #[inline]
    pub(super) fn plain(&self) -> Option<Plain> {
        match (&self.sequence, &self.slices, self.positions.uniform()) {
            (Sequence::Random, None, Some(positions)) if self.map.is_none() => {
                Some(Plain { positions, mix: self.mix, base: self.base, block_size: self.block_size })
            }
            _ => None,
        }
    }

    /// Draws the slice for a write; 0 without slices.
    #[inline]
    pub(super) fn slice(&self, direction: Direction, random: &mut Random) -> u32 {
        match &self.slices {
            None => 0,
            Some(slices) => slice(slices, direction, random),
        }
    }
}

/// Not inlined, because the compiler would then check the direction first, and random directions are
/// mispredicted.
#[inline(never)]
fn slice(slices: &Modulus, direction: Direction, random: &mut Random) -> u32 {
    match direction {
        Direction::Read => 0,
        Direction::Write => slices.reduce(u64::from(random.next_u32())) as u32,
    }
}
