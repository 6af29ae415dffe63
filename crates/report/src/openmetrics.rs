//! Metrics text for Prometheus and compatible readers: families with their heads, samples with their
//! labels. The callers define the metrics.

use std::fmt::Write;

/// Grammar of the text. The dialects differ in the heads of counters, in units, and at the end of the
/// text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Prometheus' text format 0.0.4 for node_exporter's textfile collector.
    Prometheus,
    /// OpenMetrics 1.0 for GitLab's metrics reports and other collectors.
    OpenMetrics,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Monotonic within a run; its samples end in `_total`.
    Counter,
    Gauge,
    /// Counts by upper bounds: [`Samples::histogram`].
    Histogram,
    /// Always 1, with information in its labels; samples end in `_info`.
    Info,
}

/// Metric: samples that differ only in their labels.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Letters, digits and underscores, with the unit but without the suffix of the kind:
    /// `diskspd_measured_seconds`.
    pub name: &'static str,
    pub kind: MetricKind,
    /// The base unit at the end of the name: `seconds`, `bytes`; empty = none.
    pub unit: &'static str,
    pub help: &'static str,
}

/// Creates a family whose values rise and fall.
pub const fn gauge(name: &'static str, unit: &'static str, help: &'static str) -> Family {
    Family { name, kind: MetricKind::Gauge, unit, help }
}

/// Creates a family whose values only rise.
pub const fn counter(name: &'static str, unit: &'static str, help: &'static str) -> Family {
    Family { name, kind: MetricKind::Counter, unit, help }
}

pub type Label<'a> = (&'a str, &'a str);

#[derive(Debug)]
pub struct Exposition {
    dialect: Dialect,
    text: String,
}

impl Exposition {
    pub fn new(dialect: Dialect) -> Exposition {
        Exposition { dialect, text: String::new() }
    }

    /// Begins a family. All its samples follow directly, because readers reject scattered ones. A family
    /// without samples is omitted.
    pub fn family(&mut self, family: Family) -> Samples<'_> {
        Samples { exposition: self, family, begun: false }
    }

    pub fn finish(mut self) -> String {
        if self.dialect == Dialect::OpenMetrics {
            self.text.push_str("# EOF\n");
        }
        self.text
    }

    fn write_head(&mut self, family: Family) {
        let Family { name, kind, unit, help } = family;
        let (ending, word) = match (self.dialect, kind) {
            (Dialect::Prometheus, MetricKind::Counter) => ("_total", "counter"),
            (Dialect::Prometheus, MetricKind::Info) => ("_info", "gauge"),
            (_, MetricKind::Counter) => ("", "counter"),
            (_, MetricKind::Info) => ("", "info"),
            (_, MetricKind::Gauge) => ("", "gauge"),
            (_, MetricKind::Histogram) => ("", "histogram"),
        };
        let help = match self.dialect {
            Dialect::Prometheus => help.replace('\\', r"\\").replace('\n', r"\n"),
            Dialect::OpenMetrics => escape_label(help),
        };
        // Memory takes everything.
        let _ = writeln!(self.text, "# HELP {name}{ending} {help}\n# TYPE {name}{ending} {word}");
        if self.dialect == Dialect::OpenMetrics && !unit.is_empty() {
            let _ = writeln!(self.text, "# UNIT {name} {unit}");
        }
    }

    fn line(&mut self, name: &str, ending: &str, labels: &[Label], value: &str) {
        self.text.push_str(name);
        self.text.push_str(ending);
        for (place, (label, value)) in labels.iter().enumerate() {
            let separator = if place == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{separator}{label}=\"{}\"", escape_label(value));
        }
        let close = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{close} {value}");
    }
}

#[derive(Debug)]
pub struct Samples<'a> {
    exposition: &'a mut Exposition,
    family: Family,
    begun: bool,
}

impl Samples<'_> {
    /// Adds a sample; labels must be unique.
    pub fn sample(&mut self, labels: &[Label], value: f64) {
        let ending = match self.family.kind {
            MetricKind::Counter => "_total",
            MetricKind::Info => "_info",
            MetricKind::Gauge | MetricKind::Histogram => "",
        };
        self.line(ending, labels, &format_number(value));
    }

    /// Adds a sample if the value is known.
    pub fn sample_if(&mut self, labels: &[Label], value: Option<f64>) {
        if let Some(value) = value {
            self.sample(labels, value);
        }
    }

    /// Adds a histogram: the number of values up to each of the ascending `bounds`, their total number,
    /// and their sum.
    pub fn histogram(&mut self, labels: &[Label], bounds: &[(f64, u64)], count: u64, sum: f64) {
        let up_to = bounds.iter().map(|(bound, count)| (format_number(*bound), *count));
        for (bound, up_to) in up_to.chain([("+Inf".to_owned(), count)]) {
            let mut labels = labels.to_vec();
            labels.push(("le", &bound));
            self.line("_bucket", &labels, &up_to.to_string());
        }
        self.line("_count", labels, &count.to_string());
        self.line("_sum", labels, &format_number(sum));
    }

    fn line(&mut self, ending: &str, labels: &[Label], value: &str) {
        if !self.begun {
            self.begun = true;
            self.exposition.write_head(self.family);
        }
        self.exposition.line(self.family.name, ending, labels, value);
    }
}

fn format_number(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".into(),
        f64::INFINITY => "+Inf".into(),
        f64::NEG_INFINITY => "-Inf".into(),
        value => value.to_string(),
    }
}

fn escape_label(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const IOS: Family = Family { name: "x_ios", kind: MetricKind::Counter, unit: "", help: "I/Os \"done\"." };
    const MEASURED_SECONDS: Family =
        Family { name: "x_seconds", kind: MetricKind::Histogram, unit: "seconds", help: "How long." };
    const ABOUT_FAMILY: Family =
        Family { name: "x", kind: MetricKind::Info, unit: "", help: "What\nit was." };

    fn text(dialect: Dialect) -> String {
        let mut text = Exposition::new(dialect);
        let mut ios = text.family(IOS);
        ios.sample(&[("direction", "read"), ("path", "C:\\a \"b\"\n")], 3.0);
        ios.sample_if(&[("direction", "write")], None);
        text.family(Family { name: "x_empty", ..IOS }).sample_if(&[], None);
        text.family(MEASURED_SECONDS).histogram(
            &[("direction", "read")],
            &[(0.000_001, 1), (2.0, 3)],
            4,
            0.5,
        );
        text.family(ABOUT_FAMILY).sample(&[], 1.0);
        text.finish()
    }

    #[test]
    fn prometheus_form_has_suffixed_counters_without_units_or_eof() {
        let expected = "# HELP x_ios_total I/Os \"done\".\n# TYPE x_ios_total counter\n\
                        x_ios_total{direction=\"read\",path=\"C:\\\\a \\\"b\\\"\\n\"} 3\n\
                        # HELP x_seconds How long.\n# TYPE x_seconds histogram\n\
                        x_seconds_bucket{direction=\"read\",le=\"0.000001\"} 1\n\
                        x_seconds_bucket{direction=\"read\",le=\"2\"} 3\n\
                        x_seconds_bucket{direction=\"read\",le=\"+Inf\"} 4\n\
                        x_seconds_count{direction=\"read\"} 4\nx_seconds_sum{direction=\"read\"} 0.5\n\
                        # HELP x_info What\\nit was.\n# TYPE x_info gauge\nx_info 1\n";
        assert_eq!(text(Dialect::Prometheus), expected);
    }

    #[test]
    fn open_metrics_has_units_and_an_end() {
        let text = text(Dialect::OpenMetrics);
        assert!(text.starts_with("# HELP x_ios I/Os \\\"done\\\".\n# TYPE x_ios counter\nx_ios_total{"));
        assert!(text.contains("# TYPE x_seconds histogram\n# UNIT x_seconds seconds\n"), "{text}");
        assert!(text.contains("# TYPE x info\nx_info 1\n# EOF\n"), "{text}");
    }

    #[test]
    fn non_finite_values_use_words() {
        let words = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5, 1e-9].map(format_number);
        assert_eq!(words, ["NaN", "+Inf", "-Inf", "-0.5", "0.000000001"]);
    }
}
