use super::*;
use diskspd_experiments::compare::{Side, SideRun, compare, draw_order};
use diskspd_results::{DirectionSummary, Origin, RunSummary, SpanSummary};
use std::collections::BTreeMap;

fn run(test: &str, iops: f64, number: i64) -> SideRun {
    let total = DirectionSummary { ios: Some(iops as u64), iops: Some(iops), ..DirectionSummary::default() };
    let span = SpanSummary { total, ..SpanSummary::default() };
    let name = format!("{test} {number}");
    let known =
        RunSummary { time_spans: vec![Some(span)], ..RunSummary::new(name, Origin::Record { version: 2 }) };
    SideRun {
        known,
        environment: BTreeMap::new(),
        run_options: BTreeMap::new(),
        began_ms: Some(number),
        boot: None,
        test: Some(test.to_owned()),
    }
}

/// Two sides in random pairs with three tests. The first is half as fast in B, the second the same, the third
/// scatters.
fn sample_comparison() -> RunComparison {
    let mut sides = ["old <1>", "new"].map(|name| Side { name: name.into(), runs: Vec::new() });
    for (at, side) in (0..).zip(draw_order(8, 0)) {
        let scatter = 1.0 + 0.001 * (at % 3) as f64;
        let wild = if (at * 7919) % 5 < 2 { 3.0 } else { 1.0 };
        let slow = if side == 1 { 500.0 } else { 1000.0 };
        sides[side].runs.push(run("a|b:c", slow * scatter, at));
        sides[side].runs.push(run("same", 1000.0 * scatter, at));
        sides[side].runs.push(run("wild", 1000.0 * wild, at));
    }
    sides[1].runs.push(run("only \"new\"", 1.0, 99));
    compare(&sides[0], &sides[1], &ComparisonQuery::default()).unwrap()
}

fn write_answer(form: fn(&ComparisonReport) -> Vec<u8>) -> String {
    let (comparison, question) = (sample_comparison(), ComparisonQuery::default());
    let told =
        ComparisonReport { title: "nightly, 4", comparison: &comparison, question: &question, by: 0.05 };
    String::from_utf8(form(&told)).unwrap()
}

#[test]
fn junit_has_a_case_with_outcome_per_test() {
    let text = write_answer(junit);
    assert!(text.contains("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""), "{text}");
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line("name=\"a|b:c\"").contains("<failure message="), "{text}");
    assert!(line("name=\"same\"").contains("<system-out>"), "{text}");
    assert!(line("name=\"wild\"").contains("<skipped message="), "{text}");
    assert!(line("name=\"only &quot;new&quot;\"").contains("<error message="), "{text}");
}

#[test]
fn annotations_follow_workflow_command_grammar() {
    let text = write_answer(github);
    assert_eq!(text.lines().count(), 4);
    for line in text.lines() {
        let rest = line.strip_prefix("::").unwrap();
        let (head, message) = rest.split_once("::").unwrap();
        let (command, property) = head.split_once(" title=").unwrap();
        assert!(["error", "warning", "notice"].contains(&command), "{line}");
        assert!(!property.contains([':', ',']) && !property.is_empty(), "{line}");
        // Every percent sign begins a code.
        for (at, _) in message.match_indices('%') {
            assert!(["25", "0D", "0A"].contains(&&message[at + 1..at + 3]), "{line}");
        }
    }
    assert!(text.starts_with("::error title=nightly%2C 4%3A a|b%3Ac::IOPS: B is worse"), "{text}");
}

#[test]
fn summary_rows_have_equal_column_counts() {
    let text = write_answer(summary);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 2 + 4);
    for row in &rows {
        let plain = row.replace("\\|", "");
        assert_eq!(plain.matches('|').count(), 9, "{row}");
    }
    assert!(text.contains("a\\|b:c") && text.contains("old &lt;1&gt;"), "{text}");
}

#[test]
fn metrics_are_openmetrics_text() {
    let text = write_answer(metrics);
    assert!(text.ends_with("# EOF\n"));
    let mut family = String::new();
    for line in text.lines().filter(|line| *line != "# EOF") {
        if let Some(help) = line.strip_prefix("# HELP ") {
            family = help.split(' ').next().unwrap().to_owned();
            continue;
        }
        if let Some(head) = line.strip_prefix("# TYPE ") {
            assert_eq!(head, format!("{family} gauge"));
            continue;
        }
        let labels = line.strip_prefix(&format!("{family}{{")).unwrap();
        let (labels, value) = labels.rsplit_once("} ").unwrap();
        assert!(labels.starts_with("test=\"") && value.parse::<f64>().is_ok(), "{line}");
    }
    assert!(text.contains("diskspd_worse{test=\"a|b:c\"} 1\n"), "{text}");
    assert!(text.contains("diskspd_worse{test=\"same\"} 0\n") && !text.contains("diskspd_worse{test=\"wild"));
}

#[test]
fn bencher_values_are_inside_their_bounds() {
    let json: serde_json::Value = serde_json::from_str(&write_answer(bencher)).unwrap();
    let benchmarks = json.as_object().unwrap();
    assert_eq!(benchmarks.len(), 3);
    for (name, measures) in benchmarks {
        assert!(name.starts_with("nightly, 4: "), "{name}");
        for measure in measures.as_object().unwrap().values() {
            let figure = |name: &str| measure[name].as_f64().unwrap();
            assert!(figure("lower_value") <= figure("value") && figure("value") <= figure("upper_value"));
        }
    }
}
