//! Lines and areas as SVG path data, in a square of 1000 units a side. The drawing is stretched to the
//! chart's real size, while lines keep their width.

use std::fmt::Write;

/// Position on a chart as shares of its width from the left and of its height from the bottom.
pub type Point = (f64, f64);

/// Length of a side in units.
const SIDE: f64 = 1000.0;

fn put_point(path: &mut String, command: char, (x, y): Point) {
    let unit = |share: f64| (share.clamp(-1.0, 2.0) * SIDE * 10.0).round() / 10.0;
    // Writing to a string can't fail.
    let _ = write!(path, "{command}{} {}", unit(x), unit(1.0 - y));
}

/// Returns a line through points, interrupted at missing ones.
pub fn line(points: impl IntoIterator<Item = Option<Point>>) -> String {
    let mut path = String::new();
    let mut begun = false;
    for point in points {
        if let Some(point) = point {
            put_point(&mut path, if begun { 'L' } else { 'M' }, point);
            if !begun {
                // A point alone is a dot: lines have round ends.
                path.push_str("h.01");
            }
        }
        begun = point.is_some();
    }
    path
}

/// Returns dots as lines without length, whose round ends stay round when the chart is stretched.
pub fn dots(points: impl IntoIterator<Item = Point>) -> String {
    let mut path = String::new();
    for point in points {
        put_point(&mut path, 'M', point);
        path.push_str("h.01");
    }
    path
}

/// The area between the lowest and the highest of each place, of each run of neighbours that have both.
pub fn area(places: &[Option<(f64, f64, f64)>]) -> String {
    let mut path = String::new();
    for run in places.split(Option::is_none) {
        let upper = run.iter().flatten().map(|(x, _, high)| (*x, *high));
        let lower = run.iter().flatten().rev().map(|(x, low, _)| (*x, *low));
        for (place, point) in upper.chain(lower).enumerate() {
            put_point(&mut path, if place == 0 { 'M' } else { 'L' }, point);
        }
        if !run.is_empty() {
            path.push('Z');
        }
    }
    path
}

/// Returns rectangles, each by its lower left and upper right corner.
pub fn boxes(corners: impl IntoIterator<Item = (Point, Point)>) -> String {
    let mut path = String::new();
    for ((left, low), (right, high)) in corners {
        put_point(&mut path, 'M', (left, low));
        put_point(&mut path, 'L', (left, high));
        put_point(&mut path, 'L', (right, high));
        put_point(&mut path, 'L', (right, low));
        path.push('Z');
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_breaks_at_unknown_values() {
        let points = [Some((0.0, 0.0)), Some((0.5, 1.0)), None, Some((1.0, 0.25))];
        assert_eq!(line(points), "M0 1000h.01L500 0M1000 750h.01");
        assert_eq!(line([None, None]), "");
    }

    #[test]
    fn area_path_follows_upper_then_lower_edge() {
        let places = [Some((0.0, 0.0, 0.5)), Some((1.0, 0.25, 1.0)), None];
        assert_eq!(area(&places), "M0 500L1000 0L1000 750L0 1000Z");
    }

    #[test]
    fn far_points_are_clamped() {
        assert_eq!(dots([(f64::MAX, -1e9)]), "M2000 2000h.01");
    }
}
