//! The throughput-latency curve of a sweep: gain and cost of more load. Its input is plain data.

use super::axis::ChartAxis;
use super::table::FigureTable;
use super::{ChartFigure, Key, Mark, PointLabel, path};
use diskspd_report::number::{NONE, latency, number};
use diskspd_report::workload_text::capital;
use maud::{Markup, html};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    pub id: String,
    pub title: String,
    pub latency_name: String,
    /// Unit of the loads.
    pub load_name: String,
    pub points: Vec<CurvePoint>,
    /// Knee, above which more load has little effect; `None` = not found.
    pub knee: Option<CurveKnee>,
    pub objective: Option<CurveObjective>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurvePoint {
    pub label: String,
    pub load: u64,
    /// Number of threads; a line joins the points with the same number.
    pub threads: u64,
    pub iops: f64,
    pub iops_interval: Option<(f64, f64)>,
    /// Latency in ms; `None` = not measured.
    pub latency_ms: Option<f64>,
    pub latency_interval_ms: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurveKnee {
    pub point: usize,
    /// Confidence interval in I/Os per second; `None` = unknown.
    pub iops_interval: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurveObjective {
    pub latency_ms: f64,
    pub label: String,
    /// Highest I/Os per second that meet the objective; `None` = none.
    pub iops: Option<f64>,
}

/// Styles of lines if there are several.
const LINES: [&str; 6] = ["total", "p50", "p99", "read", "p95", "write"];
/// Width and height of a letter as shares of the chart; overlapping names are omitted.
const LETTER: [f64; 2] = [6.5 / 460.0, 15.0 / 208.0];
const LETTER_ON_PHONE: [f64; 2] = [6.5 / 270.0, 15.0 / 208.0];

/// Limit of the displayed intervals as a multiple of the highest point. A few variable runs have intervals
/// so wide that the points would shrink to a dot.
const MAX_RATE_RATIO: f64 = 2.0;
/// Minimum of a logarithmic latency axis as a fraction of the lowest latency.
const MAX_LATENCY_RATIO: f64 = 4.0;
pub const CUT: &str = "Intervals that reach beyond the chart end at its edge; the table has them whole.";

impl Curve {
    /// Returns the numbers of threads in ascending order.
    fn thread_counts(&self) -> Vec<u64> {
        let mut threads: Vec<u64> = self.points.iter().map(|point| point.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    fn point_labels(&self, place: &impl Fn((f64, f64)) -> (f64, f64)) -> Vec<PointLabel> {
        let knee = self.knee.as_ref().and_then(|knee| self.points.get(knee.point));
        let mut labels: Vec<PointLabel> = Vec::new();
        // The knee first, then the highest rates: what matters most has its name.
        for point in knee.into_iter().chain(self.points.iter().rev()) {
            let Some(latency_ms) = point.latency_ms else { continue };
            let place = place((point.iops, latency_ms));
            let mut label = PointLabel { place, text: point.label.clone(), wide_only: false };
            let has_room = |label: &PointLabel, letter: [f64; 2], wide: bool| {
                let others = labels.iter().filter(|other| wide || !other.wide_only);
                others.into_iter().all(|other| !covers_label(label, other, letter))
            };
            if has_room(&label, LETTER, true) {
                label.wide_only = !has_room(&label, LETTER_ON_PHONE, false);
                labels.push(label);
            }
        }
        labels
    }

    pub fn chart(&self) -> (ChartFigure, Vec<PointLabel>) {
        let known = |point: &CurvePoint| Some((point.iops, point.latency_ms?));
        let rates = self.points.iter().map(|point| point.iops);
        let rate_ends = self.points.iter().filter_map(|point| point.iops_interval);
        let rates = visible_points(rates, rate_ends, MAX_RATE_RATIO);
        let latencies = self.points.iter().filter_map(|point| point.latency_ms);
        let latency_ends = self.points.iter().filter_map(|point| point.latency_interval_ms);
        let latencies = visible_points(latencies, latency_ends, MAX_LATENCY_RATIO);
        let objective = self.objective.iter().map(|objective| objective.latency_ms);
        let x = ChartAxis::amounts("I/Os per second", rates.into_iter().fold(0.0, f64::max));
        let y = ChartAxis::latencies(self.latency_name.clone(), latencies.into_iter().chain(objective));
        let place = |(iops, ms): (f64, f64)| (x.scale.place(iops), y.scale.place(ms));
        let (whiskers, are_cut) = self.interval_path(&place);
        let threads = self.thread_counts();
        let drawing = html! {
            path.whisker d=(whiskers) {}
            @for (number, threads) in threads.iter().enumerate() {
                @let class = LINES[number % LINES.len()];
                @let points = || self.points.iter().filter(|point| point.threads == *threads).map(known);
                path.line.{(class)} d=(path::line(points().map(|point| point.map(place)))) {}
                path.dots.{(class)} d=(path::dots(points().flatten().map(place))) {}
            }
            (self.singled_out(&place))
        };
        let labels = self.point_labels(&place);
        let table = self.figure_table(&x);
        let (marks, key) = (self.point_marks(), self.legend_keys());
        let note = if are_cut { CUT.to_owned() } else { String::new() };
        let (id, title) = (self.id.clone(), self.title.clone());
        let figure = ChartFigure {
            kind: "curve",
            id,
            title,
            summary: self.summary_text(),
            note,
            x,
            y,
            key,
            drawing,
            marks,
            table,
        };
        (figure, labels)
    }

    /// Returns charts of rate and latency by load, with the name of each load.
    pub fn by_load(&self) -> [ChartFigure; 2] {
        let rate = LoadFigure {
            id: "rate",
            name: "I/Os per second",
            text: number,
            of: |point| Some(point.iops),
            interval: |point| point.iops_interval,
        };
        let latency = LoadFigure {
            id: "latency",
            name: &self.latency_name,
            text: latency,
            of: |point| point.latency_ms,
            interval: |point| point.latency_interval_ms,
        };
        let figures = |of: &LoadFigure, most| {
            visible_points(self.figures(of), self.points.iter().filter_map(of.interval), most)
        };
        let rates = figures(&rate, MAX_RATE_RATIO).into_iter().fold(0.0, f64::max);
        let objective = self.objective.as_ref().map(|objective| objective.latency_ms);
        let latencies = figures(&latency, MAX_LATENCY_RATIO).into_iter().chain(objective);
        let [y, above] = [
            ChartAxis::amounts(rate.name, rates),
            ChartAxis::latencies(self.latency_name.clone(), latencies),
        ];
        [self.chart_by_load(&rate, y, None), self.chart_by_load(&latency, above, objective)]
    }

    fn figures<'a>(&'a self, of: &LoadFigure) -> impl Iterator<Item = f64> + 'a {
        self.points.iter().filter_map(of.of)
    }

    fn chart_by_load(&self, figure: &LoadFigure, y: ChartAxis, objective: Option<f64>) -> ChartFigure {
        let mut loads: Vec<u64> = self.points.iter().map(|point| point.load).collect();
        loads.sort_unstable();
        loads.dedup();
        let names: Vec<String> = loads.iter().map(u64::to_string).collect();
        let x = ChartAxis::named_axis(self.load_name.clone(), &names);
        let at = |point: &CurvePoint| {
            let place = loads.iter().position(|load| *load == point.load).unwrap_or(0);
            x.scale.place(place as f64 + 0.5)
        };
        let place = |point: &CurvePoint| Some((at(point), y.scale.place((figure.of)(point)?)));
        let height = |figure: f64| y.scale.place(figure).clamp(0.0, 1.0);
        let whisker = |point: &CurvePoint| {
            let (low, high) = (figure.interval)(point)?;
            Some(path::line([low, high].map(|end| Some((at(point), height(end))))))
        };
        let whiskers: String = self.points.iter().filter_map(whisker).collect();
        let knee = self.knee.as_ref().and_then(|knee| place(self.points.get(knee.point)?));
        let drawing = html! {
            path.whisker d=(whiskers) {}
            @if let Some(limit) = objective {
                path.objective d=(path::line([0.0, 1.0].map(|end| Some((end, height(limit)))))) {}
            }
            @for (number, threads) in self.thread_counts().iter().enumerate() {
                @let class = LINES[number % LINES.len()];
                @let points = || self.points.iter().filter(|point| point.threads == *threads).map(place);
                path.line.{(class)} d=(path::line(points())) {}
                path.dots.{(class)} d=(path::dots(points().flatten())) {}
            }
            @if let Some(knee) = knee { path.knee d=(path::dots([knee])) {} }
        };
        let mut table = FigureTable::new(&["load", figure.name, "95 % interval"]);
        for point in &self.points {
            let interval = (figure.interval)(point);
            let interval =
                interval.map(|(low, high)| format!("{} to {}", (figure.text)(low), (figure.text)(high)));
            let value = (figure.of)(point).map_or(NONE.into(), figure.text);
            table.row(at(point), [point.label.clone(), value, interval.unwrap_or_else(|| NONE.into())]);
        }
        ChartFigure {
            kind: "steps",
            id: format!("{}-{}", figure.id, self.id),
            title: format!("{} by load", capital(figure.name)),
            summary: self.summary_text(),
            note: String::new(),
            x,
            y,
            key: self.legend_keys(),
            drawing,
            marks: Vec::new(),
            table,
        }
    }

    fn interval_path(&self, place: &impl Fn((f64, f64)) -> (f64, f64)) -> (String, bool) {
        let mut path = String::new();
        let mut are_cut = false;
        for point in &self.points {
            let Some(ms) = point.latency_ms else { continue };
            let across = point.iops_interval.map(|(low, high)| [(low, ms), (high, ms)]);
            let along = point.latency_interval_ms.map(|(low, high)| [(point.iops, low), (point.iops, high)]);
            for ends in [across, along].into_iter().flatten() {
                let whole = ends.map(place);
                let within = whole.map(|(x, y)| (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)));
                are_cut |= whole != within;
                path += &path::line(within.map(Some));
            }
        }
        (path, are_cut)
    }

    /// Renders the knee, larger than the other points, and the line of the objective.
    fn singled_out(&self, place: &impl Fn((f64, f64)) -> (f64, f64)) -> Markup {
        let knee = self.knee.as_ref().and_then(|knee| self.points.get(knee.point));
        let knee = knee.and_then(|point| Some(place((point.iops, point.latency_ms?))));
        html! {
            @if let Some(objective) = &self.objective {
                @let height = place((0.0, objective.latency_ms)).1;
                path.objective d=(path::line([Some((0.0, height)), Some((1.0, height))])) {}
            }
            @if let Some(knee) = knee { path.knee d=(path::dots([knee])) {} }
        }
    }

    fn point_marks(&self) -> Vec<Mark> {
        let Some(knee) = &self.knee else { return Vec::new() };
        let Some(point) = self.points.get(knee.point) else { return Vec::new() };
        let (from, to) = knee.iops_interval.unwrap_or((point.iops, point.iops));
        let between = match knee.iops_interval {
            Some((low, high)) => format!(", between {} and {}", number(low), number(high)),
            None => String::new(),
        };
        let text = format!("the knee: {}, {} IOPS{between}", point.label, number(point.iops));
        vec![Mark { from, to, text }]
    }

    fn legend_keys(&self) -> Vec<Key> {
        let knee = self.knee.as_ref().map(|_| Key::line("knee", "knee"));
        let objective = self.objective.as_ref().map(|objective| {
            let kept = match objective.iops {
                Some(iops) => format!("kept up to {} IOPS", number(iops)),
                None => "never kept".into(),
            };
            Key::line("objective", format!("objective {}: {kept}", objective.label))
        });
        let threads = Some(self.thread_counts()).filter(|threads| threads.len() > 1).unwrap_or_default();
        let lines = threads.iter().enumerate().map(|(number, threads)| {
            let words = if *threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
            Key::line(LINES[number % LINES.len()], words)
        });
        lines.chain(knee).chain(objective).collect()
    }

    fn summary_text(&self) -> String {
        let best = self.points.iter().max_by(|a, b| a.iops.total_cmp(&b.iops));
        let highest =
            best.map(|best| format!("; the highest is {} IOPS at {}", number(best.iops), best.label));
        format!("{} loads{}.", self.points.len(), highest.unwrap_or_default())
    }

    fn figure_table(&self, x: &ChartAxis) -> FigureTable {
        let mut table = FigureTable::new(&["load", "IOPS", "IOPS, interval", &self.latency_name, "interval"]);
        let interval = |ends: Option<(f64, f64)>, text: fn(f64) -> String| {
            ends.map_or(NONE.into(), |(low, high)| format!("{} to {}", text(low), text(high)))
        };
        for point in &self.points {
            let cells = [
                point.label.clone(),
                number(point.iops),
                interval(point.iops_interval, number),
                point.latency_ms.map_or(NONE.into(), latency),
                interval(point.latency_interval_ms, latency),
            ];
            table.row(x.scale.place(point.iops), cells);
        }
        table
    }
}

struct LoadFigure<'a> {
    id: &'static str,
    name: &'a str,
    text: fn(f64) -> String,
    of: fn(&CurvePoint) -> Option<f64>,
    interval: fn(&CurvePoint) -> Option<(f64, f64)>,
}

fn visible_points(
    points: impl Iterator<Item = f64>,
    ends: impl Iterator<Item = (f64, f64)>,
    most: f64,
) -> Vec<f64> {
    let mut figures: Vec<f64> = points.filter(|figure| figure.is_finite()).collect();
    let lowest = figures.iter().copied().fold(f64::INFINITY, f64::min) / most;
    let highest = figures.iter().copied().fold(0.0, f64::max) * most;
    if lowest <= highest {
        figures.extend(ends.flat_map(|(low, high)| [low.max(lowest), high.min(highest)]));
    }
    figures
}

/// Whether two names next to their points overlap; `letter`: width and height of a letter as shares of the
/// chart.
fn covers_label(one: &PointLabel, other: &PointLabel, letter: [f64; 2]) -> bool {
    let ends = |label: &PointLabel| {
        let width = letter[0] * (label.text.chars().count() as f64 + 1.0);
        let at = label.place.0;
        if label.is_left() { (at - width, at) } else { (at, at + width) }
    };
    let ((from, to), (begin, end)) = (ends(one), ends(other));
    (one.place.1 - other.place.1).abs() < letter[1] && from < end && begin < to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_intervals_do_not_compress_the_points() {
        let point = |iops: f64, ends| CurvePoint { iops, iops_interval: ends, ..CurvePoint::default() };
        let point = |iops, ends| CurvePoint { latency_ms: Some(1.0), ..point(iops, ends) };
        for (ends, end_of_axis, note) in [
            (None, 100.0, ""),
            (Some((80.0, 120.0)), 150.0, ""),
            (Some((0.1, 1e9)), 200.0, CUT),
            (Some((0.0, f64::INFINITY)), 200.0, CUT),
        ] {
            let curve = Curve { points: vec![point(50.0, None), point(100.0, ends)], ..Curve::default() };
            let (figure, _) = curve.chart();
            assert_eq!(figure.x.scale.place(end_of_axis), 1.0, "{ends:?}: {:?}", figure.x.scale);
            assert_eq!(figure.note, note, "{ends:?}");
        }
    }

    #[test]
    fn overlapping_labels_are_detected() {
        let label = |x: f64, y: f64| PointLabel { place: (x, y), text: "-o8 -t2".into(), wide_only: false };
        let table = [
            (label(0.1, 0.5), label(0.15, 0.5), [true, true]),
            // Side by side on a screen, not on a phone.
            (label(0.1, 0.5), label(0.25, 0.5), [false, true]),
            (label(0.1, 0.5), label(0.1, 0.6), [false, false]),
            // At the end names stand to the left.
            (label(0.95, 0.5), label(0.75, 0.5), [true, true]),
            (label(0.99, 0.5), label(0.6, 0.5), [false, false]),
        ];
        for (one, other, expected) in table {
            let found = [LETTER, LETTER_ON_PHONE].map(|letter| covers_label(&one, &other, letter));
            assert_eq!(found, expected, "{one:?} {other:?}");
        }
    }
}
