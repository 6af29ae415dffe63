//! A value used constantly by one thread, and taken over by another thread if the first is stuck in the
//! kernel.
//!
//! ```text
//! owner:  get .. put_down ─▶ [a call that may never return] ─▶ pick_up .. get ..
//! rescuer:                             inherit, or inspect and leave it there
//! ```
//!
//! The owner pays two stores and a load per call, without locks or instructions that wait for other
//! processors. The rescuer pays once. It announces its request, makes the kernel run a memory barrier on all
//! processors of this process, and then checks whether the value is put down. If so, the owner stored this
//! before the barrier, and will see the request after it. The owner then never touches the value again. A
//! rescuer that only inspects makes the owner wait for that short time.

use super::barrier::barrier;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering, compiler_fence};

/// Available for the owner.
const FREE: u8 = 0;
const INSPECTED: u8 = 1;
/// Requested or taken by the rescuer; not available for the owner any more.
const REQUESTED: u8 = 2;

#[derive(Debug)]
struct HandoverCell<T> {
    thing: UnsafeCell<T>,
    /// Whether the owner does not use the value at the moment.
    down: AtomicBool,
    wanted: AtomicU8,
}

// SAFETY: at most one of them has the value at any time, see `HandoverOwner::pick_up` and
// `Rescuer::inherit`. It moves between threads, so it must be `Send`. It is not shared.
unsafe impl<T: Send> Sync for HandoverCell<T> {}

#[derive(Debug)]
pub struct HandoverOwner<T> {
    lent: Arc<HandoverCell<T>>,
    here: bool,
}

#[derive(Debug)]
pub struct Rescuer<T> {
    lent: Arc<HandoverCell<T>>,
    inherited: bool,
}

/// Creates the two ends of a value; the owner has picked it up.
pub fn lend<T: Send>(thing: T) -> (HandoverOwner<T>, Rescuer<T>) {
    let (down, wanted) = (AtomicBool::new(false), AtomicU8::new(FREE));
    let lent = Arc::new(HandoverCell { thing: UnsafeCell::new(thing), down, wanted });
    (HandoverOwner { lent: Arc::clone(&lent), here: true }, Rescuer { lent, inherited: false })
}

impl<T> HandoverOwner<T> {
    /// Returns the value; `None` if it is put down, or lost to the rescuer.
    #[inline(always)]
    pub fn get(&mut self) -> Option<&mut T> {
        // SAFETY: it is picked up, so the rescuer doesn't touch it, and there is no other reference of ours:
        // this one borrows the only owner.
        self.here.then(|| unsafe { &mut *self.lent.thing.get() })
    }

    /// Makes the value available to the rescuer.
    #[inline(always)]
    pub fn put_down(&mut self) {
        self.here = false;
        // Whatever was done to it comes before this.
        self.lent.down.store(true, Ordering::Release);
    }

    /// Picks the value up again. Returns `None` if the rescuer wants or has the value, which the owner then
    /// never gets again.
    #[inline(always)]
    pub fn pick_up(&mut self) -> Option<&mut T> {
        self.lent.down.store(false, Ordering::Relaxed);
        // The processor may still carry out the load first: that is what the rescuer's barrier is for.
        compiler_fence(Ordering::SeqCst);
        if self.lent.wanted.load(Ordering::Acquire) != FREE && !self.let_look() {
            return None;
        }
        self.here = true;
        // SAFETY: as in `get`.
        Some(unsafe { &mut *self.lent.thing.get() })
    }

    /// Waits while the rescuer inspects the value. Returns false if the value is lost.
    #[cold]
    fn let_look(&mut self) -> bool {
        loop {
            match self.lent.wanted.load(Ordering::Acquire) {
                FREE => return true,
                INSPECTED => std::thread::yield_now(),
                _ => {
                    self.lose_value();
                    return false;
                }
            }
        }
    }

    fn lose_value(&mut self) {
        self.here = false;
        // An rescuer who came too early finds it now.
        self.lent.down.store(true, Ordering::Release);
    }
}

impl<T> Rescuer<T> {
    /// Returns the value if its owner has put it down; it then belongs to the rescuer. Otherwise the owner
    /// loses it at its next put-down, and the caller must retry.
    pub fn inherit(&mut self) -> Option<&mut T> {
        if !self.inherited {
            self.lent.wanted.store(REQUESTED, Ordering::SeqCst);
            self.inherited = barrier() && self.lent.down.load(Ordering::SeqCst);
        }
        // SAFETY: it was put down when the owner could already see that it is wanted: it doesn't pick it up
        // any more. There is one rescuer, which is borrowed.
        self.inherited.then(|| unsafe { &mut *self.lent.thing.get() })
    }
}

impl<T> Rescuer<T> {
    /// Inspects the value if its owner has put it down, and leaves it. A returning owner waits until
    /// `look` returns. `None` = the owner uses it.
    pub fn inspect<R>(&mut self, look: impl FnOnce(&T) -> R) -> Option<R> {
        if self.inherited || self.lent.wanted.load(Ordering::SeqCst) == REQUESTED {
            return self.inherit().map(|thing| look(thing));
        }
        let done = LookGuard(&self.lent.wanted);
        done.0.store(INSPECTED, Ordering::SeqCst);
        let is_down = barrier() && self.lent.down.load(Ordering::SeqCst);
        // SAFETY: it was put down when the owner could already see that it is looked at: it picks it up only
        // when `done` has been dropped. There is one rescuer, which is borrowed.
        is_down.then(|| look(unsafe { &*self.lent.thing.get() }))
    }
}

struct LookGuard<'a>(&'a AtomicU8);

impl Drop for LookGuard<'_> {
    fn drop(&mut self) {
        self.0.store(FREE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn only_the_rescuer_gets_the_value() {
        let (mut owner, mut rescuer) = lend(vec![1]);
        owner.get().unwrap().push(2);
        owner.put_down();
        assert!(owner.get().is_none() && owner.pick_up().is_some());
        assert!(rescuer.inherit().is_none(), "the owner works on it");
        owner.put_down();
        rescuer.inherit().unwrap().push(3);
        assert!(owner.pick_up().is_none() && owner.get().is_none());
        assert_eq!(rescuer.inherit().unwrap(), &[1, 2, 3]);
    }

    /// Changes two numbers together, and puts them down around each call, until the rescuer has them; returns
    /// how often.
    fn count_rounds(mut owner: HandoverOwner<[u64; 2]>, call: impl Fn()) -> u64 {
        let mut rounds = 0;
        while let Some(pair) = owner.get() {
            rounds += 1;
            pair[0] = rounds;
            std::hint::black_box(&pair);
            pair[1] = rounds;
            owner.put_down();
            call();
            owner.pick_up();
        }
        rounds
    }

    #[test]
    fn readers_see_a_consistent_copy() {
        let (owner, mut rescuer) = lend([0_u64; 2]);
        assert!(rescuer.inspect(|_| ()).is_none(), "the owner works on it");
        // A call that takes its time.
        let worker =
            std::thread::spawn(move || count_rounds(owner, || std::thread::sleep(Duration::from_micros(20))));
        let mut looks = 0_u64..100_000_000;
        // Who looks again and again without a pause lets the owner hardly ever go on.
        let pause = || std::thread::sleep(Duration::from_micros(10));
        let seen = looks.by_ref().filter_map(|_| {
            pause();
            rescuer.inspect(|pair| assert_eq!(pair[0], pair[1]))
        });
        assert_eq!(seen.take(200).count(), 200);
        assert!(looks.any(|_| rescuer.inherit().is_some()));
        let rounds = worker.join().unwrap();
        assert_eq!(rescuer.inspect(|pair| *pair), Some([rounds; 2]));
    }

    #[test]
    fn inherited_value_is_complete() {
        for _ in 0..50 {
            // Two numbers that are always changed together.
            let (owner, mut rescuer) = lend([0_u64; 2]);
            let worker = std::thread::spawn(move || count_rounds(owner, || ()));
            let end = Instant::now() + Duration::from_secs(20);
            let found = loop {
                if let Some(pair) = rescuer.inherit() {
                    break *pair;
                }
                assert!(Instant::now() < end);
            };
            let rounds = worker.join().unwrap();
            assert_eq!(found, [rounds; 2]);
            assert_eq!(rescuer.inherit().copied(), Some(found));
        }
    }
}
