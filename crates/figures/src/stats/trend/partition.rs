//! The best divisions of a series into a given number of levels.

use crate::stats::segments::Sums;

/// Maximum number of places in the first search of longer series; the second search is between those
/// places. Otherwise the time would be quadratic.
const MAX_SEARCH_POSITIONS: usize = 500;

/// Returns the least-squares divisions with one bound, two bounds, and so on, as start indices of the
/// later levels. Each level has at least `shortest` values.
pub(super) fn best(sums: &Sums, shortest: usize, most_bounds: usize) -> Vec<Vec<usize>> {
    let count = sums.count();
    let step = count.div_ceil(MAX_SEARCH_POSITIONS).max(1);
    let places: Vec<usize> = (0..count).step_by(step).chain([count]).collect();
    let fits = |bounds: &usize| (bounds + 1) * (shortest + step - 1) <= count;
    // For each number of bounds and each end: the least squares of what is before it, and where the last
    // level of that begins, as places.
    let first = |end: &usize| if *end < shortest { f64::INFINITY } else { sums.squares_left(0..*end) };
    let mut least: Vec<f64> = places.iter().map(first).collect();
    let mut begins: Vec<Vec<usize>> = Vec::new();
    let mut found = Vec::new();
    for _ in (1..=most_bounds).take_while(fits) {
        let mut now = vec![f64::INFINITY; places.len()];
        let mut last = vec![0; places.len()];
        for (at, end) in places.iter().enumerate() {
            for (before, begin) in places[..at].iter().enumerate() {
                if begin + shortest > *end {
                    break;
                }
                let squares = least[before] + sums.squares_left(*begin..*end);
                if squares < now[at] {
                    (now[at], last[at]) = (squares, before);
                }
            }
        }
        least = now;
        begins.push(last);
        let mut bounds: Vec<usize> =
            trace_bounds(&begins, places.len() - 1).iter().map(|at| places[*at]).collect();
        if step > 1 {
            refine(&mut bounds, sums, shortest, step);
        }
        found.push(bounds);
    }
    found
}

/// Returns the indexes of the bounds on the way to the end, from the first on.
fn trace_bounds(begins: &[Vec<usize>], end: usize) -> Vec<usize> {
    let mut at = end;
    let back = begins.iter().rev().map(|last| {
        at = last[at];
        at
    });
    let mut places: Vec<usize> = back.collect();
    places.reverse();
    places
}

fn refine(bounds: &mut [usize], sums: &Sums, shortest: usize, step: usize) {
    for at in 0..bounds.len() {
        let before = at.checked_sub(1).map_or(0, |left| bounds[left]);
        let behind = bounds.get(at + 1).copied().unwrap_or(sums.count());
        let from = (before + shortest).max(bounds[at].saturating_sub(step));
        let to = (behind - shortest).min(bounds[at] + step);
        let left = |bound: &usize| sums.squares_left(before..*bound) + sums.squares_left(*bound..behind);
        bounds[at] = (from..=to).min_by(|a, b| left(a).total_cmp(&left(b))).unwrap_or(bounds[at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partition_finds_the_optimal_bounds() {
        let values: Vec<f64> = (0..30)
            .map(|at| {
                if at < 8 {
                    1.0
                } else if at < 20 {
                    5.0
                } else {
                    2.0
                }
            })
            .collect();
        let found = best(&Sums::from_values(&values), 4, 3);
        assert_eq!(found[1], [8, 20]);
        assert_eq!((found.len(), found[0].len(), found[2].len()), (3, 1, 3));
        // Also where not all places are looked at first.
        let long: Vec<f64> =
            (0..1999).map(|at| if at < 777 { 1.0 } else { 5.0 + f64::from(at > 1502) }).collect();
        assert_eq!(best(&Sums::from_values(&long), 8, 2)[1], [777, 1503]);
        assert_eq!(best(&Sums::from_values(&values[..9]), 4, 3).len(), 1);
        assert!(best(&Sums::from_values(&values[..7]), 4, 3).is_empty());
    }
}
