//! Compares two text reports and says exactly which cell differs.

use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq)]
pub enum Tolerance {
    None,
    /// Percentiles between minimum and maximum may differ by a thousandth and the rounding to 0.001 ms,
    /// because histograms are bounded. The order of path charts may differ, because it is the hash order of
    /// the reference.
    Percentiles,
}

/// Fails with line and cell unless `got` equals `expected`.
pub fn reports(name: &str, got: &[u8], expected: &[u8], tolerance: Tolerance) {
    let (got, expected) = (text(got), text(expected));
    if tolerance == Tolerance::None {
        lines(name, &got, &expected);
        assert_eq!(got, expected, "{name}");
        return;
    }
    let ((got, mut got_charts), (expected, expected_charts)) = (split(&got), split(&expected));
    lines(name, &got, &expected);
    assert_eq!(got, expected, "{name}");
    for (title, expected) in expected_charts {
        let got = got_charts.remove(&title).unwrap_or_else(|| panic!("{name}: no chart {title:?}"));
        chart(&format!("{name}, {title:?}"), &got, &expected);
    }
    assert!(got_charts.is_empty(), "{name}: unexpected charts {:?}", got_charts.keys());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn lines(place: &str, got: &str, expected: &str) {
    for (number, (got, expected)) in got.lines().zip(expected.lines()).enumerate() {
        for (cell, (got, expected)) in got.split('|').zip(expected.split('|')).enumerate() {
            assert_eq!(got, expected, "{place}, line {}, cell {}", number + 1, cell + 1);
        }
        assert_eq!(got, expected, "{place}, line {}", number + 1);
    }
}

/// Returns a report with marks in place of its charts, and the charts by title with their empty lines.
fn split(report: &str) -> (String, BTreeMap<String, String>) {
    let mut rest = String::new();
    let mut charts = BTreeMap::new();
    let mut lines = report.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if !line.to_lowercase().contains("latency distribution:") {
            rest += line;
            continue;
        }
        rest += "<chart>\n";
        let mut chart = String::new();
        while let Some(line) = lines.next_if(|line| *line != "\n") {
            chart += line;
        }
        assert!(charts.insert(line.to_owned(), chart).is_none(), "two charts {line:?}");
    }
    (rest, charts)
}

/// Compares 17 lines: header, border, minimum, 13 percentiles, maximum.
fn chart(place: &str, got: &str, expected: &str) {
    let (got, expected): (Vec<&str>, Vec<&str>) = (got.lines().collect(), expected.lines().collect());
    assert_eq!((got.len(), expected.len()), (17, 17), "{place}: lines of the chart");
    for (number, (got, expected)) in got.iter().zip(&expected).enumerate() {
        let place = format!("{place}, row {:?}", expected.split('|').next().unwrap().trim());
        if !(3..16).contains(&number) {
            lines(&place, got, expected);
            continue;
        }
        let (got, expected): (Vec<&str>, Vec<&str>) =
            (got.split('|').collect(), expected.split('|').collect());
        assert_eq!((got.len(), expected.len()), (4, 4), "{place}: cells");
        for (column, (got, expected)) in
            ["label", "Read", "Write", "Total"].iter().zip(got.iter().zip(&expected))
        {
            assert!(same_cell(got, expected), "{place}, column {column}: {got:?} instead of {expected:?}");
        }
    }
}

/// Whether cells are equal, or numbers of the same width that differ by at most a thousandth and the rounding
/// of both.
fn same_cell(got: &str, expected: &str) -> bool {
    let near = |got: f64, expected: f64| (got - expected).abs() <= expected * 0.001 + 0.001 + 1e-9;
    got == expected
        || got.len() == expected.len()
            && got
                .trim()
                .parse()
                .ok()
                .zip(expected.trim().parse().ok())
                .is_some_and(|(got, expected)| near(got, expected))
}

#[test]
fn cells_differ_by_at_most_a_thousandth_and_rounding() {
    let table = [
        ("     12.372 ", "     12.372 ", true),
        ("     12.385 ", "     12.372 ", true),
        ("     12.386 ", "     12.372 ", false),
        ("      0.001 ", "      0.000 ", true),
        ("      0.002 ", "      0.000 ", false),
        ("    12.372 ", "     12.372 ", false),
        ("        N/A ", "      0.000 ", false),
    ];
    for (got, expected, same) in table {
        assert_eq!(same_cell(got, expected), same, "{got:?} and {expected:?}");
    }
}
