//! Selection of runs.

use diskspd_base::message_error::MessageError;
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::Cell;
use diskspd_results::{SpanSummary, WhichIos};

/// Selection of runs in a history; `None` and empty fields do not restrict it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    pub label: Option<String>,
    pub tags: Vec<String>,
    /// `--target`: part of the path of a target.
    pub target: Option<String>,
    pub since: Option<StartTime>,
    pub fingerprint: Option<String>,
    pub last: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StartTime {
    Ago(u64),
    /// Day, or time of a day: `2026-11-22`, `2026-11-22T14:30`.
    Date(String),
}

impl StartTime {
    /// Parses `7d`, `12h`, `30m`, `2w`, or a date. The caller checks the date.
    pub fn read(text: &str) -> Option<StartTime> {
        if text.len() >= 8 && text.contains('-') {
            return Some(StartTime::Date(text.to_owned()));
        }
        let unit = match text.chars().last()? {
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            'w' => 7 * 86_400,
            _ => return None,
        };
        let count: u64 = text[..text.len() - 1].parse().ok()?;
        Some(StartTime::Ago(count.checked_mul(unit)?))
    }
}

/// Maximum length of a label or tag in characters.
const MAX_LABEL_LENGTH: usize = 64;

/// Checks whether a text can be a label or a tag, unambiguous in lists, options and references.
///
/// # Errors
/// Fails with the problem of the text.
pub fn check_word(word: &str) -> Result<(), MessageError> {
    let fits = |c: char| c.is_alphanumeric() || "-_.:+".contains(c);
    let why = match word.chars().next() {
        None => "is empty",
        Some('-' | '.') => "begins with a dash or a dot",
        Some(_) if word.chars().count() > MAX_LABEL_LENGTH => "has more than 64 characters",
        Some(_) if !word.chars().all(fits) => "may have letters, digits and - _ . : + only",
        Some(_) => return Ok(()),
    };
    Err(format!("'{word}' {why}").into())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunFigure {
    Iops,
    /// 2^20 bytes per second.
    MibPerS,
    Mean,
    /// Median.
    P50,
    /// 99th percentile.
    P99,
    /// 99.9th percentile.
    P999,
}

impl RunFigure {
    pub const ALL: [(RunFigure, &str); 6] = [
        (RunFigure::Iops, "iops"),
        (RunFigure::MibPerS, "mib"),
        (RunFigure::Mean, "mean"),
        (RunFigure::P50, "p50"),
        (RunFigure::P99, "p99"),
        (RunFigure::P999, "p99.9"),
    ];

    pub fn from_name(name: &str) -> Option<RunFigure> {
        RunFigure::ALL.iter().find(|(_, known)| *known == name).map(|(figure, _)| *figure)
    }

    pub fn name(self) -> &'static str {
        RunFigure::ALL.iter().find(|(figure, _)| *figure == self).map_or("", |(_, name)| name)
    }

    /// Returns the title with its unit.
    pub fn title(self) -> &'static str {
        match self {
            RunFigure::Iops => "IOPS",
            RunFigure::MibPerS => "MiB/s",
            RunFigure::Mean => "mean latency, ms",
            RunFigure::P50 => "50th percentile, ms",
            RunFigure::P99 => "99th percentile, ms",
            RunFigure::P999 => "99.9th percentile, ms",
        }
    }

    pub fn value(self, span: &SpanSummary, of: WhichIos) -> Option<f64> {
        let figures = span.figures(of);
        match self {
            RunFigure::Iops => figures.iops,
            RunFigure::MibPerS => figures.mib_per_s,
            RunFigure::Mean => figures.mean_ms.map(Millis::ms),
            RunFigure::P50 | RunFigure::P99 | RunFigure::P999 => {
                span.percentile(self.percent()?)?.for_ios(of).map(Millis::ms)
            }
        }
    }

    /// Returns the exact value; `None` also for a percentile with only a lower bound.
    pub fn exact_value(self, span: &SpanSummary, of: WhichIos) -> Option<f64> {
        let is_bound = |value: f64| self.percent().is_some() && span.is_lower_bound(Millis::new(value));
        self.value(span, of).filter(|value| !is_bound(*value))
    }

    pub fn cell(self, span: &SpanSummary, of: WhichIos, decimals: usize) -> Cell {
        match (self.value(span, of), self.exact_value(span, of)) {
            (Some(bound), None) => Cell::AtLeast(Millis::new(bound)),
            (value, _) => Cell::figure(value, decimals),
        }
    }

    pub fn more_is_better(self) -> bool {
        matches!(self, RunFigure::Iops | RunFigure::MibPerS)
    }

    pub fn percent(self) -> Option<f64> {
        match self {
            RunFigure::P50 => Some(50.0),
            RunFigure::P99 => Some(99.0),
            RunFigure::P999 => Some(99.9),
            RunFigure::Iops | RunFigure::MibPerS | RunFigure::Mean => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_in_open_bin_has_no_exact_value() {
        use diskspd_results::{ChartRow, FioFigures, PercentileSummary};
        let at = |percent, ms| PercentileSummary {
            percent,
            latency: ChartRow { total: Some(Millis::new(ms)), ..ChartRow::default() },
        };
        let mut span =
            SpanSummary { percentiles: vec![at(50.0, 1.0), at(99.0, 17_000.0)], ..SpanSummary::default() };
        span.total.iops = Some(18_000.0);
        let open_end = Some(Millis::new(17_000.0));
        span.fio = Some(Box::new(FioFigures { open_end, ..FioFigures::default() }));
        let found = |figure: RunFigure| {
            (figure.exact_value(&span, WhichIos::Total), figure.cell(&span, WhichIos::Total, 3))
        };
        assert_eq!(found(RunFigure::P99), (None, Cell::AtLeast(Millis::new(17_000.0))));
        assert_eq!(found(RunFigure::P50), (Some(1.0), Cell::Figure(1.0, 3)));
        assert_eq!(found(RunFigure::Iops), (Some(18_000.0), Cell::Figure(18_000.0, 3)));
        assert_eq!(found(RunFigure::P999), (None, Cell::Missing));
    }

    #[test]
    fn start_times_accept_durations_and_dates() {
        assert_eq!(StartTime::read("7d"), Some(StartTime::Ago(7 * 86_400)));
        assert_eq!(StartTime::read("90m"), Some(StartTime::Ago(5400)));
        assert_eq!(StartTime::read("2026-11-22"), Some(StartTime::Date("2026-11-22".into())));
        assert_eq!(["", "d", "7", "x7d", "7y"].map(StartTime::read), [None, None, None, None, None]);
    }

    #[test]
    fn labels_are_restricted_to_safe_characters() {
        for word in ["baseline", "fw-1.2", "Größe", "2026", "a:b"] {
            assert_eq!(check_word(word), Ok(()), "{word}");
        }
        for word in ["", "-x", ".", "a b", "a,b", "a\n", "@a", "a/b", &"x".repeat(65)] {
            assert!(check_word(word).is_err(), "{word}");
        }
    }

    #[test]
    fn every_figure_is_found_by_its_name() {
        for (figure, name) in RunFigure::ALL {
            assert_eq!((RunFigure::from_name(name), figure.name()), (Some(figure), name));
        }
    }
}
