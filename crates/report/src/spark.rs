//! Figures as characters of rising height.

/// Returns the characters from an empty to a full line: block characters, or ASCII.
pub fn levels(blocks: bool) -> &'static [char] {
    match blocks {
        true => &[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
        false => &[' ', '.', ':', '#'],
    }
}

/// Returns the height of a figure in steps, at most `most` for `top`. A figure above 0 has a step at least.
pub fn height(figure: Option<f64>, top: f64, most: usize) -> usize {
    match figure {
        Some(figure) if figure > 0.0 && top > 0.0 => {
            (((figure / top) * most as f64).round() as usize).clamp(1, most)
        }
        _ => 0,
    }
}

/// Returns a line of at most `columns` characters, a character for each figure. `condense` chooses from
/// figures that share a character.
pub fn line(figures: &[Option<f64>], columns: usize, blocks: bool, condense: fn(f64, f64) -> f64) -> String {
    let top = figures.iter().flatten().copied().fold(0.0, f64::max);
    let levels = levels(blocks);
    let columns = columns.min(figures.len());
    let character = |at: usize| {
        let shared = &figures[at * figures.len() / columns..(at + 1) * figures.len() / columns];
        levels[height(shared.iter().flatten().copied().reduce(condense), top, levels.len() - 1)]
    };
    (0..columns).map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparkline_fits_its_columns() {
        let known = |figures: &[f64]| -> Vec<Option<f64>> {
            figures.iter().map(|figure| (*figure >= 0.0).then_some(*figure)).collect()
        };
        for (figures, columns, blocks, condense, expected) in [
            (&[0.0, 1.0, 4.0, 8.0][..], 9, true, f64::max as fn(f64, f64) -> f64, " ▁▄█"),
            (&[0.0, 0.001, 2.0, 3.0], 9, false, f64::max, " .:#"),
            (&[8.0, 8.0, 1.0, 8.0], 2, true, f64::min, "█▁"),
            (&[8.0, 8.0, 1.0, 8.0], 2, true, f64::max, "██"),
            (&[-1.0, 8.0, -1.0], 3, true, f64::max, " █ "),
            (&[0.0, 0.0], 2, true, f64::max, "  "),
            (&[], 5, true, f64::max, ""),
            (&[1.0], 0, true, f64::max, ""),
        ] {
            assert_eq!(line(&known(figures), columns, blocks, condense), expected, "{figures:?} {columns}");
        }
    }
}
