//! The best divisions of a series into a given number of levels, exact.

use crate::stats::segments::Sums;

/// The division with the least squares left over, of one bound, two, and so on: where levels behind the
/// first begin. Each level has at least `shortest` values.
pub fn best(sums: &Sums, shortest: usize, most_bounds: usize) -> Vec<Vec<usize>> {
    let count = sums.count();
    let fits = |bounds: &usize| (bounds + 1) * shortest <= count;
    // For each number of bounds and each end: the least squares of what is before it, and where the last
    // level of that begins.
    let mut least: Vec<f64> = (0..=count).map(|end| first_level(sums, end, shortest)).collect();
    let mut begins: Vec<Vec<usize>> = Vec::new();
    let mut found = Vec::new();
    for bounds in (1..=most_bounds).take_while(fits) {
        let mut now = vec![f64::INFINITY; count + 1];
        let mut last = vec![0; count + 1];
        for end in (bounds + 1) * shortest..=count {
            for begin in bounds * shortest..=end - shortest {
                let squares = least[begin] + sums.squares_left(begin..end);
                if squares < now[end] {
                    (now[end], last[end]) = (squares, begin);
                }
            }
        }
        least = now;
        begins.push(last);
        found.push(places(&begins, count));
    }
    found
}

fn first_level(sums: &Sums, end: usize, shortest: usize) -> f64 {
    if end < shortest { f64::INFINITY } else { sums.squares_left(0..end) }
}

/// The bounds that lead to the end, from the first on.
fn places(begins: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut end = count;
    let mut places: Vec<usize> = begins
        .iter()
        .rev()
        .map(|last| {
            end = last[end];
            end
        })
        .collect();
    places.reverse();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_division_of_each_number_is_found() {
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
        let found = best(&Sums::of(&values), 4, 3);
        assert_eq!(found[1], [8, 20]);
        assert_eq!((found.len(), found[0].len(), found[2].len()), (3, 1, 3));
        assert_eq!(best(&Sums::of(&values[..9]), 4, 3).len(), 1);
        assert!(best(&Sums::of(&values[..7]), 4, 3).is_empty());
    }
}
