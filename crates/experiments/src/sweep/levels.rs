//! Significant differences between several loads with repetitions. Logarithms are compared, because rates
//! and latencies vary by factors. All loads share one deviation. One-sided t tests share an error rate of
//! 5 % (Bonferroni), so all of them hold in at least 95 % of all sweeps.

use diskspd_figures::stats::replicates::{CONFIDENCE, student_t};

/// Figure of several loads in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    /// Mean logarithm and number of runs of each load; `None` = it has no figure above 0.
    means: Vec<Option<(f64, usize)>>,
    scatter: Scatter,
    t: f64,
}

/// Variation of the logarithms of a point's runs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Scatter {
    squares: f64,
    degrees: usize,
}

impl Scatter {
    pub(super) fn estimate<'a>(groups: impl Iterator<Item = &'a [f64]>) -> Scatter {
        let mut scatter = Scatter::default();
        for group in groups {
            let logarithms = logarithms(group);
            let Some(middle) = mean(&logarithms) else { continue };
            scatter.squares += logarithms.iter().map(|value| (value - middle).powi(2)).sum::<f64>();
            scatter.degrees += logarithms.len() - 1;
        }
        scatter
    }

    pub(super) fn is_known(&self) -> bool {
        self.degrees > 0
    }

    fn deviation(&self) -> f64 {
        (self.squares / self.degrees.max(1) as f64).sqrt()
    }
}

impl Levels {
    /// `looks` = number of analyses that decide about more runs.
    pub(super) fn new(figures: &[Vec<f64>], scatter: Scatter, looks: usize) -> Levels {
        let level = |values: &Vec<f64>| {
            let logarithms = logarithms(values);
            Some((mean(&logarithms)?, logarithms.len()))
        };
        let means: Vec<Option<(f64, usize)>> = figures.iter().map(level).collect();
        let others = means.iter().flatten().count().saturating_sub(1).max(1);
        let share = 1.0 - (1.0 - CONFIDENCE) / (others * looks) as f64;
        let t = if scatter.is_known() { student_t(share, scatter.degrees as f64) } else { f64::INFINITY };
        Levels { means, scatter, t }
    }

    /// Returns the indexes of loads with a figure.
    fn measured_levels(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.means.len()).filter(|place| self.means[*place].is_some())
    }

    fn level_at(&self, place: usize) -> (f64, f64) {
        let (mean, runs) = self.means[place].unwrap_or((f64::NEG_INFINITY, 1));
        (mean, runs as f64)
    }

    /// Returns the highest load; the first of equal ones, which has the lowest cost. `None` = empty.
    pub(super) fn best(&self) -> Option<usize> {
        let above = |best: usize, place: usize| match self.level_at(place).0 > self.level_at(best).0 {
            true => place,
            false => best,
        };
        self.measured_levels().reduce(above)
    }

    /// Returns the difference of the logarithms of `one` and `other`.
    pub(super) fn share_above(&self, one: usize, other: usize) -> f64 {
        self.level_at(one).0 - self.level_at(other).0
    }

    fn margin(&self, one: usize, other: usize) -> Option<f64> {
        let runs = 1.0 / self.level_at(one).1 + 1.0 / self.level_at(other).1;
        self.scatter.is_known().then(|| self.t * self.scatter.deviation() * runs.sqrt())
    }

    /// Returns the loads not significantly below the best, including it. They contain the true best in 95
    /// % of all sweeps. `None` without repetitions.
    pub(super) fn not_below(&self) -> Option<Vec<usize>> {
        let best = self.best().filter(|_| self.scatter.is_known())?;
        let left = |place: &usize| {
            *place == best
                || self.margin(best, *place).is_none_or(|margin| self.share_above(best, *place) <= margin)
        };
        Some(self.measured_levels().filter(left).collect())
    }

    pub(super) fn is_within(&self, place: usize, share: f64) -> bool {
        let allowed = -(-share).ln_1p();
        self.measured_levels().filter(|other| *other != place).all(|other| {
            self.margin(other, place).is_some_and(|margin| self.share_above(other, place) + margin <= allowed)
        })
    }

    fn is_short(&self, place: usize, share: f64) -> bool {
        let allowed = -(-share).ln_1p();
        self.measured_levels().any(|other| {
            self.margin(other, place).is_some_and(|margin| self.share_above(other, place) - margin > allowed)
        })
    }

    /// Returns the first load within `share` of the best.
    pub(super) fn enough(&self, share: f64) -> Option<Enough> {
        let best = self.best()?;
        let allowed = -(-share).ln_1p();
        let seen =
            self.measured_levels().find(|place| self.share_above(best, *place) <= allowed).unwrap_or(best);
        let known = self.scatter.is_known();
        let least = self.measured_levels().find(|place| !self.is_short(*place, share)).filter(|_| known);
        let most = self.measured_levels().find(|place| self.is_within(*place, share));
        Some(Enough { seen, least, most })
    }

    /// Returns the number of runs of each that would separate `one` from `other`; `None` if they are
    /// equal.
    pub(super) fn runs_to_tell(&self, one: usize, other: usize) -> Option<f64> {
        let difference = self.share_above(one, other).abs();
        let needed = 2.0 * (self.t * self.scatter.deviation() / difference).powi(2);
        (self.scatter.is_known() && difference > 0.0).then_some(needed.ceil())
    }
}

/// Indexes of ascending steps that are as good as any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Enough {
    pub seen: usize,
    /// First step that may be sufficient in 95 % of all sweeps; `None` = no repetitions.
    pub least: Option<usize>,
    /// Step that is sufficient in 95 % of all sweeps; `None` = unknown.
    pub most: Option<usize>,
}

impl Enough {
    pub fn certain_level(&self) -> Option<usize> {
        self.most.filter(|most| self.least == Some(*most))
    }
}

fn logarithms(values: &[f64]) -> Vec<f64> {
    values.iter().filter(|value| **value > 0.0).map(|value| value.ln()).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_levels(figures: &[&[f64]]) -> Levels {
        let figures: Vec<Vec<f64>> = figures.iter().map(|values| values.to_vec()).collect();
        let scatter = Scatter::estimate(figures.iter().map(Vec::as_slice));
        Levels::new(&figures, scatter, 1)
    }

    #[test]
    fn indistinguishable_levels_stay_together() {
        let found =
            sample_levels(&[&[10.0, 10.2, 9.9], &[19.0, 19.3, 19.1], &[19.2, 19.0, 19.4], &[12.0, 12.1]]);
        assert_eq!((found.best(), found.not_below()), (Some(2), Some(vec![1, 2])));
        let single = sample_levels(&[&[1.0], &[3.0], &[2.0]]);
        assert_eq!((single.best(), single.not_below()), (Some(1), None));
        assert_eq!(sample_levels(&[&[2.0], &[2.0]]).best(), Some(0));
        assert_eq!(sample_levels(&[&[0.0], &[]]).best(), None);
    }

    #[test]
    fn sufficient_depth_is_certain_and_smallest() {
        let sure = sample_levels(&[&[50.0, 50.1, 49.9], &[99.9, 100.0, 100.1], &[100.0, 100.1, 99.9]]);
        assert_eq!(sure.enough(0.02).unwrap().certain_level(), Some(1));
        let noisy = sample_levels(&[&[90.0, 110.0], &[95.0, 105.0], &[99.0, 103.0]]);
        let found = noisy.enough(0.02).unwrap();
        assert_eq!((found.least, found.most, found.certain_level()), (Some(0), None, None));
        let single = sample_levels(&[&[1.0], &[2.0]]).enough(0.02).unwrap();
        assert_eq!((single.seen, single.least, single.most), (1, None, None));
    }
}
