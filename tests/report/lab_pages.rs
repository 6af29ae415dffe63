//! Tests of the pages of comparisons and histories: every figure equals its source, the answer is first,
//! and names have no effect.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::judge::comparison::{interleave, run, side};
use crate::report::page::{HOSTILE, asks_nobody, elements, holds, values, whole_charts};
use diskspd::experiments::compare::{ComparisonQuery, RunComparison, Side, compare};
use diskspd::experiments::selection::RunFigure;
use diskspd::finding::Severity;
use diskspd::page as html;
use diskspd::page::{ComparisonPage, HistoryPage, ListedRun, RunSeries, WorkloadSeries};
use diskspd::results::{
    ChartRow, DirectionSummary, Findings, Origin, PercentileSummary, RunSummary, SpanSummary, WhichIos,
};
use diskspd::stats::trend::Trend;
use diskspd::units::Millis;

/// Returns a side of reads and writes around a level, with 1 % difference between consecutive runs.
fn mixed(name: &str, level: f64, count: usize) -> Side {
    let halves = |span: &mut SpanSummary| {
        span.write = span.read;
        span.percentiles
            .iter_mut()
            .for_each(|row| row.latency.write = row.latency.total.map(|time| Millis::new(2.0 * time.ms())));
        let shortest = span.total.mean_ms.map(|time| Millis::new(time.ms() / 2.0));
        for figures in [&mut span.read, &mut span.write, &mut span.total] {
            figures.min_ms = shortest;
        }
    };
    let at = |number: usize| level * (1.0 + 0.01 * ((number * 5) % 7) as f64);
    let runs = (0..count).map(|number| {
        let mut run = run(at(number), halves);
        run.known.name = format!("{name}{}", number + 1);
        run.known.command_line = Some(format!("diskspd -o{count} <x>").as_str().into());
        run
    });
    Side { name: name.into(), ..side(runs.collect()) }
}

fn page_of(first: &Side, other: &Side, is_noise: bool) -> (RunComparison, String) {
    let question = ComparisonQuery { anyway: true, ..ComparisonQuery::default() };
    let [first, other] = &interleave(first, other);
    let comparison = compare(first, other, &question).unwrap();
    let page = ComparisonPage {
        comparison: &comparison,
        sides: [first, other],
        command_line: "diskspd compare A B",
        is_noise,
        sentence: None,
    };
    let mut bytes = Vec::new();
    html::write_comparison(&page, &mut bytes).unwrap();
    let page = String::from_utf8(bytes).unwrap();
    whole_charts(&page);
    (comparison, page)
}

#[test]
fn comparison_page_has_verdict_first_and_all_figures() {
    let (first, other) = (mixed("A", 5000.0, 12), mixed("B", 6000.0, 10));
    let (comparison, page) = page_of(&first, &other, false);
    asks_nobody(&page);
    let order = ["IOPS: B is better", ">Figures<", "id=\"changes-1\"", ">Single runs<", ">Latency<"];
    let order = order.into_iter().chain([">Other differences<", ">Runs<", ">Do it again<"]);
    let places: Vec<usize> = order.map(|text| page.find(text).unwrap_or_else(|| panic!("{text}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    let shown = values(&page);
    let json = serde_json::to_value(&comparison).unwrap();
    let mut compared = 0;
    for metric in json["time_spans"][0]["metrics"].as_array().unwrap() {
        let sides = metric["sides"].as_array().unwrap().iter().map(|side| ("median", &side["median"]));
        for (name, value) in
            metric.as_object().unwrap().iter().map(|(name, value)| (&**name, value)).chain(sides)
        {
            let Some(value) = value.as_f64() else { continue };
            assert!(holds(&shown, value), "{name} {value} of {}", metric["metric"]);
            compared += 1;
        }
    }
    // Seven figures, each with two medians, change, interval and its chance, noise, what it can find, and drift.
    assert_eq!(compared, 7 * 12);
    // Changes; seven figures of the single runs; distributions of all, reads and writes.
    assert_eq!(whole_charts(&page), 1 + 7 + 3);
    for run in first.runs.iter().chain(&other.runs) {
        let span = run.known.time_spans[0].as_ref().unwrap();
        let p99 = span.percentile(99.0).unwrap().total;
        for figure in [span.total.iops, span.total.mean_ms.map(Millis::ms), p99.map(Millis::ms)] {
            assert!(holds(&shown, figure.unwrap()), "{figure:?} of {}", run.known.name);
        }
        assert!(page.contains(&format!(">{}</th>", run.known.name)), "{}", run.known.name);
    }
    for text in [">-o12</span> &lt;x&gt;", ">-o10</span> &lt;x&gt;", "diskspd compare A B", "within ±2 %"] {
        assert!(page.contains(text), "{text}");
    }
}

/// Returns the cells of the row with this name in the table of a chart.
fn row(page: &str, chart: &str, name: &str) -> Vec<String> {
    let chart = page.split(&format!("id=\"{chart}\"")).nth(1).unwrap().split("</figure>").next().unwrap();
    let row = chart.split("<tr data-at=").find(|row| row.contains(&format!(">{name}</th>")));
    let row = row.unwrap_or_else(|| panic!("{name} is not in {chart}"));
    row.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap().to_owned()).collect()
}

#[test]
fn distribution_shows_medians_and_resolvable_nines() {
    let (comparison, page) = page_of(&mixed("A", 5000.0, 8), &mixed("B", 6000.0, 6), false);
    let p99 = comparison.time_spans[0].metrics.iter().find(|metric| metric.metric == "p99").unwrap();
    let expected: Vec<String> = p99
        .sides
        .iter()
        .flatten()
        .flat_map(|side| {
            let low = side.values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = side.values.iter().copied().fold(0.0, f64::max);
            [side.median, low, high].map(|ms| format!("{ms:.3}"))
        })
        .collect();
    assert_eq!(row(&page, "nines-1-all", "99 %"), expected);
    let few = |level| {
        let mut side = mixed("F", level, 2);
        side.runs[1].known.time_spans[0].as_mut().unwrap().total.ios = Some(500);
        side
    };
    let (_, page) = page_of(&few(5000.0), &few(5000.0), false);
    let chart = page.split("id=\"nines-1-all\"").nth(1).unwrap().split("</figure>").next().unwrap();
    assert!(chart.contains(">99 %</th>") && !chart.contains(">99.9 %</th>"), "500 I/Os have no thousandth");
}

#[test]
fn compared_time_spans_are_named_by_workload() {
    let twofold = |name: &str, level: f64| {
        let mut side = mixed(name, level, 6);
        for run in &mut side.runs {
            let mut second = run.known.time_spans[0].clone().unwrap();
            let access = &mut second.parameters.targets[0].access;
            (access.block_size, access.write_percent, access.random_percent) =
                (Some(65536), Some(100), Some(0));
            run.known.time_spans.push(Some(second));
        }
        side
    };
    let (_, page) = page_of(&twofold("A", 5000.0), &twofold("B", 6000.0), false);
    for number in 1..=2 {
        let heading =
            page.split("<h3>").skip(1).find(|rest| rest.contains(&format!("(time span {number})</h3>")));
        let name = heading.unwrap().split(" (time span").next().unwrap();
        assert!(!name.contains("span"), "{name}");
        assert!(page.contains(&format!("{name} (time span {number}): IOPS")), "the verdict is of {name}");
    }
    assert!(page.contains("<h3>Sequential writes of 64 KiB"), "of the second");
    assert!(!page_of(&mixed("A", 5000.0, 6), &mixed("B", 6000.0, 6), false).1.contains("time span"));
}

#[test]
fn inconclusive_comparison_states_the_reason() {
    let (_, page) = page_of(&mixed("A", 5000.0, 1), &mixed("B", 5100.0, 1), false);
    assert!(page.contains("TWO RUNS") && page.contains("compare --repeat 4 --"));
    let (_, page) = page_of(&mixed("A", 5000.0, 4), &mixed("B", 5000.0, 4), true);
    assert!(page.contains("this machine's own noise") && page.contains("runs vary by about"));
    let mut other = mixed("B", 5000.0, 4);
    other.runs[0].known.findings = Some(Findings::new(Some(Severity::Wrong), ["cached"]));
    for run in &mut other.runs {
        let access = &mut run.known.time_spans[0].as_mut().unwrap().parameters.targets[0].access;
        access.block_size = Some(8192);
    }
    let (_, page) = page_of(&mixed("A", 5000.0, 4), &other, false);
    for text in [
        "The figures of 1 of 4 runs of B are WRONG",
        "The sides ran different workloads, so their figures cannot be ranked: block size: 4096 bytes in A",
        "class=\"badge wrong\"",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let nothing = |name: &str| {
        let mut side = mixed(name, 5000.0, 4);
        side.runs[2].known.time_spans[0] = None;
        side
    };
    let (_, page) = page_of(&nothing("A"), &nothing("B"), false);
    assert!(page.contains("NOT COMPARED") && page.contains("ended before measuring began"));
    assert_eq!(page.matches("<figure").count(), 0);
}

#[test]
fn hostile_names_are_escaped_in_a_comparison() {
    let hostile = |count| {
        let mut side = mixed(HOSTILE, 5000.0, count);
        for run in &mut side.runs {
            run.known.hosts = vec![format!("{HOSTILE}{count}")];
            run.known.command_line = Some(HOSTILE.into());
            run.environment.insert(HOSTILE.into(), format!("{HOSTILE}{count}"));
        }
        side
    };
    let (_, page) = page_of(&hostile(4), &hostile(5), false);
    does_nothing(&page);
}

#[track_caller]
fn does_nothing(page: &str) {
    let all = elements(page);
    assert_eq!(all.iter().filter(|element| element.name == "script").count(), 1);
    assert!(all.iter().all(|element| element.name != "img" && !element.attributes.contains_key("onerror")));
    assert!(!page.contains('\u{202e}') && !page.contains('\x1b'));
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

/// Returns daily runs, which are a tenth slower from the seventeenth on. The second is pinned, the first
/// sixteen have a label.
fn listed(count: usize) -> Vec<ListedRun<'static>> {
    let run = |number: usize| {
        let slower = if number < 16 { 1.0 } else { 0.9 };
        let level = slower * (1.0 + 0.002 * ((number * 5) % 7) as f64);
        let percentile = |percent: f64, ms: f64| {
            let latency = ChartRow { total: Some(Millis::new(ms / level)), ..ChartRow::default() };
            PercentileSummary { percent, latency }
        };
        let total = DirectionSummary {
            iops: Some(5000.0 * level),
            mean_ms: Some(Millis::new(0.2 / level)),
            ..DirectionSummary::default()
        };
        let percentiles = vec![percentile(99.0, 0.8), percentile(99.9, 1.7)];
        let span = SpanSummary { total, percentiles, ..SpanSummary::default() };
        let known = RunSummary { time_spans: vec![Some(span)], ..RunSummary::new("", RECORD) };
        listed_of(known, number)
    };
    (0..count).map(run).collect()
}

const RECORD: Origin = Origin::Record { version: 3 };

fn listed_of(run: RunSummary, number: usize) -> ListedRun<'static> {
    ListedRun {
        id: format!("run{number}"),
        at: 1_700_000_000 + 86_400 * number as i64,
        label: (number < 16).then_some("old"),
        tags: &[],
        pinned: number == 1,
        targets: Vec::leak(vec!["/dev/x".into()]),
        work: Vec::new(),
        run: Box::leak(Box::new(run)),
    }
}

fn followed(runs: &[ListedRun]) -> WorkloadSeries {
    let course = |figure: RunFigure| {
        let value = |run: &ListedRun| figure.value(run.run.time_spans.first()?.as_ref()?, WhichIos::Total);
        let points: Vec<(usize, f64)> =
            runs.iter().enumerate().filter_map(|(place, run)| Some((place, value(run)?))).collect();
        let levels = Trend::detect(&points.iter().map(|(_, value)| *value).collect::<Vec<_>>()).levels;
        RunSeries { figure, points, levels, told: Vec::new(), said: Vec::new() }
    };
    let command_line = Some("diskspd -b4K <x>".into());
    WorkloadSeries {
        command_line,
        time_span: 1,
        courses: [RunFigure::Iops, RunFigure::Mean, RunFigure::P99].map(course).into(),
        ..WorkloadSeries::default()
    }
}

fn page_of_history(runs: &[ListedRun], works: &[WorkloadSeries], figure: Option<RunFigure>) -> String {
    let page = HistoryPage { command_line: "diskspd history list", figure, runs, works };
    let mut bytes = Vec::new();
    html::write_history(&page, &mut bytes).unwrap();
    let page = String::from_utf8(bytes).unwrap();
    whole_charts(&page);
    page
}

#[test]
fn history_page_marks_changes_and_has_all_figures() {
    let runs = listed(32);
    let page = page_of_history(&runs, &[followed(&runs)], None);
    asks_nobody(&page);
    let order = [
        "All 3 figures",
        "IOPS: <span class=\"whole\">-",
        ">From run to run<",
        "id=\"course-1-iops\"",
        ">All runs<",
    ];
    let places: Vec<usize> =
        order.into_iter().map(|text| page.find(text).unwrap_or_else(|| panic!("{text}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    for text in [
        "% (worse) from @run16 on, 2023/11/30 22:13:20 UTC",
        "Labels: old (runs 1 to 16).",
        "diskspd <span class=\"whole\">-b4K</span> &lt;x&gt;",
        "class=\"moment\"",
        "class=\"ring\"",
        "old, pinned",
        ">11/14<",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(whole_charts(&page), 3);
    let shown = values(&page);
    for run in &runs {
        for figure in [RunFigure::Iops, RunFigure::Mean, RunFigure::P99, RunFigure::P999] {
            let figure = figure.value(run.run.time_spans[0].as_ref().unwrap(), WhichIos::Total);
            assert!(holds(&shown, figure.unwrap()), "{figure:?} of {}", run.id);
        }
    }
}

#[test]
fn history_page_heads_work_in_words() {
    let work = |run: ListedRun<'static>| ListedRun { work: vec!["4 KiB random reads".into()], ..run };
    let runs: Vec<ListedRun> = listed(32).into_iter().map(work).collect();
    let targets = vec!["/data/a/t.dat".to_owned()];
    let page = page_of_history(&runs, &[WorkloadSeries { targets, ..followed(&runs) }], None);
    let title = page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap();
    assert!(title.starts_with("4 KiB random reads") && title.contains("worse, 32 runs"), "{title}");
    assert!(page.contains("<h3>4 KiB random reads on t.dat</h3>"), "{page}");
    assert!(page.contains("<code>diskspd"), "the command line is under the heading");
    // A verdict of the whole page does not contradict its changes.
    assert!(!page.contains("Cannot TELL"), "{page}");
}

#[test]
fn few_or_even_runs_have_no_trend() {
    let runs = listed(5);
    let few = page_of_history(&runs, &[followed(&runs)], None);
    assert!(few.contains("TOO FEW RUNS") && few.contains("5 runs left out: fewer than 16 runs"));
    let runs = listed(16);
    let even = page_of_history(&runs, &[followed(&runs)], None);
    assert!(even.contains("None of the 3 figures with enough runs shows a lasting change."));
    let nothing = page_of_history(&[], &[], Some(RunFigure::P99));
    assert!(nothing.contains("No run fits.") && nothing.contains("Runs: 99th percentile too few runs"));
}

#[test]
fn page_of_ten_thousand_runs_opens_in_a_browser() {
    let runs = listed(10_000);
    let works: Vec<WorkloadSeries> = vec![followed(&runs); 30];
    let page = page_of_history(&runs, &works, None);
    assert!(page.len() < 3 << 20, "{} bytes", page.len());
    assert_eq!(page.matches("<figure").count(), 24 * 3);
    for text in ["of 10000 runs are drawn", "8000 older runs are left out", "6 more workloads"] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn hostile_names_are_escaped_in_a_history() {
    let mut runs = listed(10);
    let hostile: &[String] = Vec::leak(vec![HOSTILE.into()]);
    for run in &mut runs {
        let known = RunSummary { hosts: hostile.into(), ..run.run.clone() };
        *run = ListedRun { id: HOSTILE.into(), label: Some(HOSTILE), ..listed_of(known, 1) };
        (run.tags, run.targets, run.work) = (hostile, hostile, hostile.into());
    }
    let work =
        WorkloadSeries { command_line: Some(HOSTILE.into()), machine: HOSTILE.into(), ..followed(&runs) };
    does_nothing(&page_of_history(&runs, &[work], None));
}
