//! One thread on all its targets: the next I/O of a request.

use super::assignment::Assignment;
use super::block_map::BlockMap;
use super::portions::TargetShares;
use super::target::{Plain, TargetState};
use super::{Modulus, Random, TargetWorkload};
use diskspd_base::engines::Direction;
use diskspd_results::EffectiveRange;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextIo {
    pub target: u32,
    /// Bytes to transfer. With [`TargetWorkload::each_once`] and several sizes, fewer than the drawn size
    /// if a completed block follows.
    pub length: u32,
    /// Byte offset in the target, including the base offset.
    pub offset: u64,
    /// Offset of a write's data in the random data (`-Z<size>`) in bytes, before rounding down to the
    /// target's alignment. 0 unless requested by [`ThreadWorkload::draw_slices`].
    pub slice: u32,
    pub direction: Direction,
}

/// Decides which I/Os one thread issues, and their order. [`ThreadWorkload::next`] is called once per I/O:
/// it does not allocate or lock, and divides only by constants.
///
/// All numbers come from one generator, in this order, which makes the addresses equal to DISKSPD's
/// addresses.
/// * set-up, target by target: initial position (mixed pattern), initial direction (write share 1 to 99).
/// * I/O by I/O: target (floating pool with more than one), chance of a random step (mixed), position,
///   range of the distribution, direction (write share 1 to 99), payload. The payload (`-Zr`) is a slice,
///   or its whole content drawn by the caller from [`ThreadWorkload::generator`].
#[derive(Debug)]
pub struct ThreadWorkload {
    random: Random,
    choice: TargetChoice,
    targets: Vec<TargetState>,
    /// Position of each request, for the parallel pattern.
    requests: Vec<u64>,
    effective: Vec<Vec<EffectiveRange>>,
    /// Completed blocks of the targets with `--each-once`.
    maps: Vec<BlockMap>,
    /// Whole state for the next I/Os without the generator, if it is small enough.
    plain: Option<Plain>,
}

impl Plain {
    /// Fills each slot with a next I/O.
    #[inline(always)]
    fn fill<T>(
        self,
        random: &mut Random,
        slots: impl Iterator<Item = (u32, T)>,
        take: impl FnMut(u32, T, NextIo),
    ) {
        // Decided once for all of them.
        let masked = self.positions.is_masked();
        match (self.direction(), masked) {
            (None, true) => self.fill_by((None, true), random, slots, take),
            (None, false) => self.fill_by((None, false), random, slots, take),
            (Some(Direction::Read), true) => {
                self.fill_by((Some(Direction::Read), true), random, slots, take);
            }
            (Some(Direction::Write), true) => {
                self.fill_by((Some(Direction::Write), true), random, slots, take);
            }
            (all, false) => self.fill_by((all, false), random, slots, take),
        }
    }

    #[inline(always)]
    fn fill_by<T>(
        self,
        (direction, masked): (Option<Direction>, bool),
        random: &mut Random,
        slots: impl Iterator<Item = (u32, T)>,
        mut take: impl FnMut(u32, T, NextIo),
    ) {
        // A copy that nothing else can refer to stays in registers: half the time.
        let mut drawn = random.clone();
        for (request, slot) in slots {
            take(request, slot, self.next(direction, masked, &mut drawn));
        }
        *random = drawn;
    }

    /// Returns the next I/O; `None` draws the direction.
    #[inline(always)]
    fn next(&self, direction: Option<Direction>, masked: bool, random: &mut Random) -> NextIo {
        let offset = self.base + self.positions.draw(masked, random);
        let direction = match direction {
            Some(direction) => direction,
            None => self.mix.choose(random),
        };
        NextIo { target: 0, length: self.block_size, offset, slice: 0, direction }
    }
}

/// See [`ThreadWorkload::plain`].
fn plain_choice(choice: &TargetChoice, targets: &[TargetState]) -> Option<Plain> {
    match (choice, targets) {
        (TargetChoice::Only, [only]) => only.plain(),
        _ => None,
    }
}

/// Returns the index of a target's map; portions share the map of their first one.
fn find_map(workload: &TargetWorkload, maps: &mut Vec<BlockMap>) -> Option<u32> {
    if !workload.each_once {
        return None;
    }
    if workload.portion.is_none_or(|portion| portion.is_first) {
        maps.push(BlockMap::new(workload.block_count(), workload.stride));
    }
    (maps.len() as u32).checked_sub(1)
}

#[derive(Debug)]
enum TargetChoice {
    Only,
    Bound(Vec<u32>),
    Uniform(Modulus),
    /// Drawn; the target of a number is the first one whose entry, the sum of weights up to it, is above the
    /// number.
    Weighted(Modulus, Vec<u64>),
    PortionsOfOne(TargetShares),
    /// Finds a target, and draws one of its portions.
    Portions(Box<TargetChoice>, Vec<u32>, TargetShares),
}

impl TargetChoice {
    fn new(targets: &[Assignment<'_>], floating: bool) -> TargetChoice {
        let Some(portions) = TargetShares::new(targets) else {
            return TargetChoice::of_targets(targets, floating);
        };
        // By their places in this list where they are chosen by numbers, else by their own.
        let leaders: Vec<u32> = portions.leaders().collect();
        if leaders.len() == 1 {
            return TargetChoice::PortionsOfOne(portions);
        }
        let several = floating;
        let whole: Vec<Assignment<'_>> = match several {
            true => leaders.iter().map(|&leader| targets[leader as usize].clone()).collect(),
            false => targets.to_vec(),
        };
        let entries = if several { leaders } else { (0..targets.len() as u32).collect() };
        TargetChoice::Portions(Box::new(TargetChoice::of_targets(&whole, floating)), entries, portions)
    }

    fn of_targets(targets: &[Assignment<'_>], floating: bool) -> TargetChoice {
        let weights = || targets.iter().map(|t| t.workload.weight);
        if targets.len() < 2 {
            TargetChoice::Only
        } else if !floating {
            TargetChoice::Bound(
                (0u32..).zip(targets).flat_map(|(i, t)| (0..t.requests).map(move |_| i)).collect(),
            )
        } else if weights().all(|weight| weight == targets[0].workload.weight) {
            TargetChoice::Uniform(Modulus::new(targets.len() as u64))
        } else {
            let ends = weights().scan(0u64, |end, weight| {
                *end += u64::from(weight);
                Some(*end)
            });
            let ends: Vec<u64> = ends.collect();
            TargetChoice::Weighted(Modulus::new(ends.last().copied().unwrap_or(1)), ends)
        }
    }

    #[inline(always)]
    fn target_index(&self, request: u32, random: &mut Random) -> u32 {
        match self {
            TargetChoice::Only => 0,
            TargetChoice::Bound(targets) => targets[request as usize],
            TargetChoice::PortionsOfOne(portions) => portions.draw_of_first(random),
            drawn => drawn.draw_target(request, random),
        }
    }

    fn draw_target(&self, request: u32, random: &mut Random) -> u32 {
        match self {
            TargetChoice::Only => 0,
            TargetChoice::Bound(targets) => targets[request as usize],
            TargetChoice::PortionsOfOne(portions) => portions.draw_of_first(random),
            TargetChoice::Portions(targets, entries, portions) => {
                let target = targets.draw_target(request, random);
                portions.draw(entries[target as usize], random)
            }
            TargetChoice::Uniform(count) => count.reduce(u64::from(random.next_u32())) as u32,
            TargetChoice::Weighted(total, ends) => {
                let point = total.reduce(random.next_u64());
                // Looks at all of them: to stop at the right one would be mispredicted.
                ends.iter().filter(|&&end| end <= point).count() as u32
            }
        }
    }
}

impl ThreadWorkload {
    /// Sets a thread up on its targets, in order; at least one. Thread i of a time span with `-z<z>` has the
    /// seed (z + i) mod 2^32. In a `floating` pool each request chooses among all targets before each I/O;
    /// otherwise requests belong to targets: the first ones to the first target, and so on.
    pub fn new(seed: u64, floating: bool, targets: &[Assignment<'_>]) -> ThreadWorkload {
        let mut random = Random::new(seed);
        let (mut states, mut effective): (Vec<TargetState>, Vec<_>) = (Vec::new(), Vec::new());
        let mut maps = Vec::new();
        for target in targets {
            let shared = target.interlocked.clone();
            let (mut state, ranges) = TargetState::new(target.workload, shared, states.last(), &mut random);
            state.map = find_map(target.workload, &mut maps);
            states.push(state);
            effective.push(ranges);
        }
        let starts = |t: &Assignment<'_>| std::iter::repeat_n(t.workload.first, t.requests as usize);
        let bound = if floating { &targets[..targets.len().min(1)] } else { targets };
        let choice = TargetChoice::new(targets, floating);
        ThreadWorkload {
            plain: plain_choice(&choice, &states),
            choice,
            requests: bound.iter().flat_map(starts).collect(),
            targets: states,
            random,
            effective,
            maps,
        }
    }

    /// Makes every write on a target draw the place of its data in a source of random data: `slices` is the
    /// number of places, source size - block size + 1.
    pub fn draw_slices(&mut self, target: usize, slices: u64) {
        self.targets[target].draw_slices(slices);
        self.plain = plain_choice(&self.choice, &self.targets);
    }

    /// The next I/O of a request. Requests are numbered from 0, over all targets of the thread.
    ///
    /// # Panics
    /// There is no such request.
    // Once per I/O: the call alone would cost as much as the random number.
    #[inline(always)]
    pub fn next(&mut self, request: u32) -> NextIo {
        if let Some(next) = self.next_plain() {
            return next;
        }
        let next = self.draw_next(request);
        if self.maps.is_empty() { next } else { self.leave_next(next) }
    }

    /// Length and direction of all I/Os, if only their random offsets differ; otherwise `None`.
    pub fn shape(&self) -> Option<(u32, Direction)> {
        let plain = self.plain.as_ref()?;
        Some((plain.block_size, plain.direction()?))
    }

    /// Draws offsets into the slots of requests, as [`ThreadWorkload::fill`] does. Returns false without a
    /// draw if the I/Os differ in more than their offsets.
    #[inline(always)]
    pub fn fill_offsets<T>(
        &mut self,
        slots: &mut [T],
        requests: &[u32],
        mut take: impl FnMut(u32, u64) -> T,
    ) -> bool {
        let Some(plain) = self.plain.filter(|plain| plain.direction().is_some()) else { return false };
        let slots = requests.iter().copied().zip(slots);
        let take = |request, slot: &mut T, next: NextIo| *slot = take(request, next.offset);
        match plain.positions.is_masked() {
            true => plain.fill_by((Some(Direction::Read), true), &mut self.random, slots, take),
            false => plain.fill_by((Some(Direction::Read), false), &mut self.random, slots, take),
        }
        true
    }

    /// Returns the next I/O of any request, if it depends only on random numbers; otherwise `None`.
    #[inline(always)]
    pub fn next_plain(&mut self) -> Option<NextIo> {
        let plain = self.plain.as_ref()?;
        Some(plain.next(plain.direction(), plain.positions.is_masked(), &mut self.random))
    }

    #[inline(always)]
    fn draw_next(&mut self, request: u32) -> NextIo {
        let index = self.choice.target_index(request, &mut self.random);
        let target = &mut self.targets[index as usize];
        let position = &mut self.requests[request as usize];
        let (offset, direction) = target.next(&mut self.random, position);
        debug_assert!(target.contains_offset(offset), "{offset} is outside of the region: {target:?}");
        let slice = target.slice(direction, &mut self.random);
        NextIo { target: index, length: target.block_size, offset, slice, direction }
    }

    /// Maps a drawn I/O to the remaining blocks of its target.
    // Threads without a map have its code out of the way.
    #[cold]
    #[inline(never)]
    fn leave_next(&mut self, next: NextIo) -> NextIo {
        let target = &self.targets[next.target as usize];
        let Some(map) = target.map else { return next };
        let (offset, length) = target.left_at(&mut self.maps[map as usize], next.offset);
        NextIo { offset, length, ..next }
    }

    /// Draws the next I/O of each request as [`ThreadWorkload::next`] does, into the slot of the request, as
    /// `take` converts it.
    ///
    /// # Panics
    /// There is no such request.
    #[inline(always)]
    pub fn fill<T>(&mut self, slots: &mut [T], requests: &[u32], mut take: impl FnMut(u32, NextIo) -> T) {
        let slots = requests.iter().copied().zip(slots);
        let take = |request, slot: &mut T, next| *slot = take(request, next);
        match self.plain {
            Some(plain) => plain.fill(&mut self.random, slots, take),
            None => self.fill_drawn(slots, take),
        }
    }

    #[inline(always)]
    fn fill_drawn<T>(&mut self, slots: impl Iterator<Item = (u32, T)>, mut take: impl FnMut(u32, T, NextIo)) {
        // Looked at once for all of them.
        if self.maps.is_empty() {
            for (request, slot) in slots {
                take(request, slot, self.draw_next(request));
            }
            return;
        }
        for (request, slot) in slots {
            let next = self.draw_next(request);
            take(request, slot, self.leave_next(next));
        }
    }

    /// Returns the generator of all the thread's numbers. Every draw from it shifts the I/Os that follow.
    #[inline]
    pub fn generator(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Whether addresses depend on the time, so that [`ThreadWorkload::move_to`] is necessary.
    pub fn moves(&self) -> bool {
        self.targets.iter().any(TargetState::moves)
    }

    /// Sets the elapsed time since the start in ns.
    pub fn move_to(&mut self, elapsed: u64) {
        self.targets.iter_mut().for_each(|target| target.move_to(elapsed));
    }

    /// Whether any I/O depends on random numbers, so that other draws would change the I/Os.
    pub fn draws(&self) -> bool {
        matches!(
            self.choice,
            TargetChoice::Uniform(_)
                | TargetChoice::Weighted(..)
                | TargetChoice::PortionsOfOne(_)
                | TargetChoice::Portions(..)
        ) || self.targets.iter().any(TargetState::draws)
    }

    /// Returns the effective ranges of a target's distribution, relative to the base offset. Empty without
    /// a distribution, or if the target ends before its first range.
    pub fn effective(&self, target: usize) -> &[EffectiveRange] {
        &self.effective[target]
    }
}
