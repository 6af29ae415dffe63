//! A distribution by nines: latencies of the last tenth, hundredth and thousandth.

use super::axis::ChartAxis;
use super::table::FigureTable;
use super::{ChartFigure, Key, path};
use diskspd_checks as checks;
use maud::html;

#[derive(Debug)]
pub struct PercentileSeries {
    /// Class of the style sheet.
    pub class: &'static str,
    pub name: String,
    /// Number of I/Os, which limits the meaningful nines.
    pub ios: u64,
    /// (share of I/Os, their maximum latency in ms), ascending, without the maximum.
    pub steps: Vec<(f64, f64)>,
    /// Maximum in ms.
    pub max: f64,
}

impl PercentileSeries {
    /// Returns the nines of the maximum, which one I/O reaches.
    fn nines(&self) -> f64 {
        (self.ios.max(2) as f64).log10()
    }

    /// Returns the points (nines, ms) with enough I/Os.
    fn line_points(&self) -> Vec<(f64, f64)> {
        let end = self.nines();
        let steps = self.steps.iter().map(|(share, ms)| (nines(*share), *ms));
        // Nines of a share aren't exact.
        steps.filter(|(at, _)| *at < end - 1e-9).chain([(end, self.max)]).collect()
    }
}

/// Returns the number of nines of a share: 1 of 0.9, 2 of 0.99, 0 of 0.
pub fn nines(share: f64) -> f64 {
    -(1.0 - share).max(1e-15).log10()
}

/// Returns the number of nines of the axis of these distributions.
pub fn axis_of(distributions: &[PercentileSeries]) -> f64 {
    distributions.iter().map(PercentileSeries::nines).fold(2.0, f64::max)
}

/// Returns the chart of several distributions, the most important one last.
pub fn chart(
    id: String,
    summary: String,
    distributions: &[PercentileSeries],
    table: FigureTable,
) -> ChartFigure {
    let title = "Latency distribution".to_owned();
    let x = ChartAxis::nines(axis_of(distributions));
    let all = distributions.iter().flat_map(PercentileSeries::line_points).map(|(_, ms)| ms);
    let y = ChartAxis::latencies("latency", all);
    let drawing = html! {
        @for one in distributions {
            @let points = one.line_points();
            @let place = |(at, ms): &(f64, f64)| (x.scale.place(*at), y.scale.place(*ms));
            path.line.{(one.class)} d=(path::line(points.iter().map(|point| Some(place(point))))) {}
            path.dots.{(one.class)} d=(path::dots(points.last().map(place))) {}
        }
    };
    let key = distributions.iter().rev().map(|one| Key::line(one.class, one.name.clone())).collect();
    let few = distributions.last().map(|most_important| beyond_reported(most_important.ios));
    let note = format!(
        "The further to the right, the rarer; the dot at the end of a line is the longest I/O of all. Both \
         axes are logarithmic.{}",
        few.unwrap_or_default()
    );
    ChartFigure { kind: "lines", id, title, summary, note, x, y, key, drawing, marks: Vec::new(), table }
}

fn beyond_reported(ios: u64) -> String {
    match checks::highest_reported(ios) {
        Some(percent) => format!(
            " Above the {percent}th percentile fewer than 10 I/Os took longer: another run will have others."
        ),
        None => " There are too few I/Os for any percentile: another run will have others.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_few_ios_are_marked() {
        for (ios, said) in [
            (19, "too few I/Os for any percentile"),
            (400, "Above the 95th"),
            (1_000_000, "Above the 99.999th"),
        ] {
            assert!(beyond_reported(ios).contains(said), "{ios}");
        }
    }

    #[test]
    fn nines_need_enough_ios() {
        let steps = [(0.0, 1.0), (0.5, 2.0), (0.9, 3.0), (0.99, 4.0), (0.999, 5.0)].to_vec();
        let of = PercentileSeries { class: "total", name: String::new(), ios: 100, steps, max: 6.0 };
        let points = of.line_points();
        assert_eq!(points.len(), 4, "{points:?}");
        assert_eq!(points.last(), Some(&(2.0, 6.0)));
        assert!((nines(0.999) - 3.0).abs() < 1e-9 && nines(0.0) == 0.0 && nines(1.0).is_finite());
    }
}
