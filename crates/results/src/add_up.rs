//! Addition of results.

use diskspd_figures::stats::{Histogram, Moments, SeriesSum};

/// Associative and commutative addition with [`Default`] as the neutral element. Overflowing sums
/// saturate.
pub trait Accumulate<Other = Self>: Default {
    fn add(&mut self, other: &Other);
}

impl Accumulate for u64 {
    fn add(&mut self, other: &u64) {
        *self = self.saturating_add(*other);
    }
}

impl Accumulate for Moments {
    fn add(&mut self, other: &Moments) {
        self.merge(other);
    }
}

impl Accumulate for Histogram {
    fn add(&mut self, other: &Histogram) {
        self.merge(other);
    }
}

impl Accumulate for SeriesSum {
    fn add(&mut self, other: &SeriesSum) {
        self.merge(other);
    }
}

impl<T: Accumulate> Accumulate for Option<T> {
    fn add(&mut self, other: &Option<T>) {
        if let Some(other) = other {
            self.get_or_insert_default().add(other);
        }
    }
}

/// Adds a boxed part of a row.
impl<T: Accumulate> Accumulate<Option<Box<T>>> for Option<T> {
    fn add(&mut self, other: &Option<Box<T>>) {
        if let Some(other) = other {
            self.get_or_insert_default().add(&**other);
        }
    }
}

impl<T: Accumulate> Accumulate for Box<T> {
    fn add(&mut self, other: &Box<T>) {
        (**self).add(other);
    }
}
