//! Tests of the page, which must be well-formed, complete, harmless and small, with every figure of the
//! JSON.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::report::golden_reports::synth;
use diskspd::checks::JudgedRecord;
use diskspd::checks::{Limiter, Verdict};
use diskspd::engines::EngineKind;
use diskspd::experiments::precondition;
use diskspd::experiments::repeat::Repeat;
use diskspd::experiments::repetition::RepeatedWork;
use diskspd::experiments::sweep::{
    CompletedPoint, Drift, NextPoint, Objective, Setting, Settings, Sweep, SweepAction, SweepAnswer,
    SweepOutcome, SweepPoint, SweepResult, next, rows,
};
use diskspd::experiments::{LatencyRow, RunFinding, RunRow, StoredAnswer};
use diskspd::finding::Severity;
use diskspd::formats::{json, known};
use diskspd::machine::System;
use diskspd::operation::Operation;
use diskspd::page as html;
use diskspd::page::chart::curve::{Curve, CurveKnee, CurveObjective, CurvePoint};
use diskspd::profile::{CacheMode, Profile, RawText};
use diskspd::report_formats::HTML;
use diskspd::results::*;
use diskspd::stats::{Histogram, IntervalLog, Intervals, Series};
use diskspd::units::Millis;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Recorded result sets: two targets with latencies and series, few I/Os, several processor groups, no latencies, no I/O.
const RECORDED: [&[u8]; 6] = [
    include_bytes!("../data/synth/43_rand3.json"),
    include_bytes!("../data/synth/07_LD_sparse.json"),
    include_bytes!("../data/synth/10_two_files_t2.json"),
    include_bytes!("../data/synth/22_groups.json"),
    include_bytes!("../data/synth/25_dist.json"),
    include_bytes!("../data/synth/13_noio_nolat.json"),
];

fn page(record: &Record) -> String {
    String::from_utf8(HTML.bytes(record)).unwrap()
}

fn small() -> Record {
    synth::record(RECORDED[1])
}

fn three_spans() -> Record {
    let mut record = small();
    let asked = record.profile.time_spans[0].clone();
    record.profile.time_spans.extend([asked.clone(), asked]);
    let spans = &mut record.host_mut().results.time_spans;
    spans.push(spans[0].clone());
    spans.push(SpanResults::default());
    record
}

pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub text: String,
}

/// Returns all elements of a page; fails if it is not well-formed XML.
pub fn elements(page: &str) -> Vec<Element> {
    let mut reader = quick_xml::Reader::from_str(page);
    let (mut all, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
    let element = |start: &BytesStart| Element {
        name: start.name().as_ref().to_owned(),
        attributes: start
            .attributes()
            .map(|attribute| attribute.unwrap())
            .map(|one| (one.key.as_ref().to_owned(), unescaped(&one.value)))
            .collect(),
        text: String::new(),
    };
    loop {
        match reader
            .read_event()
            .unwrap_or_else(|error| panic!("at byte {}: {error}", reader.error_position()))
        {
            Event::Start(start) => {
                open.push(all.len());
                all.push(element(&start));
            }
            Event::Empty(start) => all.push(element(&start)),
            Event::End(_) => drop(open.pop()),
            Event::Text(text) => {
                let text: &str = &text;
                open.last()
                    .map(|at| all[*at].text.push_str(text))
                    .unwrap_or_else(|| assert_eq!(text.trim(), ""));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty());
    all
}

fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).unwrap().into_owned()
}

#[track_caller]
pub fn asks_nobody(page: &str) {
    let names = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"];
    let without = names.iter().fold(page.to_owned(), |page, name| page.replace(name, ""));
    let without = without.to_lowercase();
    for word in
        ["http:", "https:", "src=", "url(", "@import", "<iframe", "<img", "<object", "<form", "fetch("]
    {
        assert!(!without.contains(word), "{word}");
    }
    for element in elements(page).iter().filter(|element| element.attributes.contains_key("href")) {
        let href = &element.attributes["href"];
        assert!(href.starts_with('#') || href == "data:,", "{href}");
    }
    assert!(page.contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"));
    headings_skip_no_level(page);
}

#[track_caller]
fn headings_skip_no_level(page: &str) {
    let mut level = 0;
    for element in elements(page) {
        let digits = element.name.strip_prefix('h').and_then(|digits| digits.parse::<u32>().ok());
        let Some(own) = digits else { continue };
        assert!(own <= level + 1, "<h{own}> {:?} below <h{level}>", element.text);
        level = own;
    }
    assert!(level > 0, "no headings");
}

#[test]
fn page_is_well_formed_and_self_contained() {
    for recorded in RECORDED {
        asks_nobody(&page(&synth::record(recorded)));
    }
    let several = page(&three_spans());
    asks_nobody(&several);
    for text in ["All time spans", "It ended before measuring began: there are no figures."] {
        assert!(several.contains(text), "{text}");
    }
}

/// Returns the three time spans of a record: random reads, writes of four threads on another target, and an
/// unmeasured one.
fn three_workloads() -> Record {
    let mut record = three_spans();
    let [first, second, third] = &mut record.profile.time_spans[..] else { panic!("not three") };
    for (span, block, random, writes, depth) in
        [(first, 8192, 100, 0, 32), (second, 65536, 0, 100, 8), (third, 4096, 100, 30, 1)]
    {
        let target = &mut span.targets[0];
        (target.block_size, target.random_ratio, target.write_ratio) = (block, random, writes);
        (target.request_count, target.threads_per_file) = (depth, 1);
        target.throughput = None;
        span.targets.truncate(1);
        (span.thread_count, span.request_count) = (0, 0);
    }
    record
}

#[test]
fn workload_page_has_table_and_titled_sections() {
    let record = three_workloads();
    let judged = JudgedRecord::new(&record);
    let page = page(&record);
    asks_nobody(&page);
    whole_charts(&page);
    let names = [
        "Random reads of 8 KiB, 32 outstanding",
        "Sequential writes of 64 KiB, 8 outstanding",
        "Random I/Os of 4 KiB, 30 % writes, 1 outstanding",
    ];
    let table = page.find("<table class=\"figures workloads\"").expect("a table of the workloads");
    let sections: Vec<&str> = page[table..].split("<section").collect();
    let table = &page[table..page[table..].find("</table>").map(|end| table + end).unwrap()];
    let table = &format!("{table}</table>");
    for (number, name) in (1..).zip(names) {
        let id = format!("run-span-{number}");
        assert!(table.contains(&format!("href=\"#{id}\">{number}. {name}</a>")), "{name} is not in {table}");
        let section = sections.iter().find(|section| section.contains(&format!("id=\"{id}\"")));
        assert!(section.expect("a section").contains(&format!("<h2>{number}. {name}</h2>")), "{name}");
    }
    // Each row has its figures, and its own verdict; what was never measured says so.
    let shown = values(table);
    for span in judged.summary.time_spans.iter().flatten() {
        let total = &span.total.total;
        let mean = total.latency.and_then(|latency| latency.mean).expect("latencies");
        for figure in [total.throughput.iops, total.throughput.mib_per_s, mean.ms()] {
            assert!(holds(&shown, figure), "{figure} is not in {table}");
        }
    }
    assert_eq!(table.matches("class=\"badge").count(), 2, "{table}");
    assert!(table.contains("ended before measuring began"));
    assert!(page.contains("<h1>3 workloads in 3 time spans on "));
    assert!(!page.to_lowercase().contains("time span 2"), "workloads are called by what they do");
    // One workload is neither listed nor numbered.
    let one = self::page(&small());
    assert!(!one.contains("figures workloads") && one.contains("<h2>Figures</h2>"));
}

#[test]
fn verdict_links_to_its_workloads() {
    let mut record = three_workloads();
    // Sequential writes of four threads, all from the start: a warning of this time span alone.
    record.profile.time_spans[1].targets[0].threads_per_file = 2;
    let threads = &mut record.host_mut().results.time_spans[1].threads;
    let copy = threads[0].clone();
    threads.push(copy);
    let page = page(&record);
    let judgement =
        page.split("class=\"judgement").nth(1).and_then(|rest| rest.split("</section>").next()).unwrap();
    let link = "<a href=\"#run-span-2\">Sequential writes of 64 KiB, 16 outstanding in all, 2 threads</a>: ";
    assert!(judgement.contains(link), "{judgement}");
    // The word above rests on what is listed below it, not on what is folded away.
    let told = judgement.split("<details").next().unwrap();
    assert!(
        told.contains("badge warning\"><span class=\"sign\" aria-hidden=\"true\">!</span>WARNING"),
        "{told}"
    );
    assert!(told.contains("access the same addresses"), "{told}");
}

#[test]
fn page_states_the_cache_effect() {
    let with = |file_system: bool, device: bool, mode: CacheMode, uncached_devices: bool| {
        let mut record = small();
        for target in record.profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
            (target.cache_mode, target.uncached_devices) = (mode, uncached_devices);
            (target.memory_mapped_io, target.write_through) = (false, false);
        }
        for target in &mut record.host_mut().targets {
            target.storage.file_system = file_system.then(Default::default);
            target.storage.device = device.then(Default::default);
        }
        page(&record).split("class=\"lead\">").nth(1).unwrap().split("</p>").next().unwrap().to_owned()
    };
    let (cached, bypassed) = (CacheMode::Cached, CacheMode::DisableOsCache);
    for (file_system, device, mode, by_default, words) in [
        (true, true, cached, true, ", through the page cache,"),
        (true, false, cached, true, ", through the page cache,"),
        (false, true, cached, true, ", bypassing the page cache,"),
        (false, true, cached, false, ", through the page cache,"),
        (false, true, bypassed, true, ", bypassing the page cache,"),
        (false, false, cached, true, ", files through the page cache, block devices bypassing it,"),
    ] {
        let lead = with(file_system, device, mode, by_default);
        assert!(lead.contains(words), "{file_system} {device} {mode:?} {by_default}: {lead}");
    }
}

fn drawn(page: &str, chart: &str, class: &str) -> Vec<String> {
    let all = elements(page);
    let begin = all.iter().position(|element| element.attributes.get("id").is_some_and(|id| id == chart));
    let of_chart = all[begin.unwrap_or_else(|| panic!("no {chart}"))..].iter().skip(1);
    let of_chart = of_chart.take_while(|element| element.name != "figure");
    let of_class = of_chart.filter(|element| element.attributes.get("class").is_some_and(|own| own == class));
    of_class.map(|element| element.attributes["d"].clone()).collect()
}

#[test]
fn isolated_points_are_marked_over_their_interval() {
    // (seconds, those without I/O, dots of each percentile, the level of the first)
    for (seconds, idle, dots, level) in [
        (1, &[][..], 1, Some(["M0 ", "L1000 "])),
        (5, &[1, 3], 3, Some(["M0 ", "L200 "])),
        (5, &[1], 1, Some(["M0 ", "L200 "])),
        (5, &[], 0, None),
    ] {
        let page = page(&timed(1, seconds, idle));
        whole_charts(&page);
        let all: Vec<usize> = ["p50", "p95", "p99", "p999", "longest"]
            .map(|class| drawn(&page, "run-1-percentiles", &format!("dots {class}")))
            .map(|dots| dots.concat().matches('M').count())
            .into();
        assert_eq!(all, [dots; 5], "{seconds} s without {idle:?}");
        let line = drawn(&page, "run-1-percentiles", "line p50").concat();
        for end in level.into_iter().flatten() {
            assert!(line.contains(end), "{seconds} s without {idle:?}: {line}");
        }
    }
    // Rates are 0 where nothing was done: a line, unless there is one interval alone.
    for (seconds, dots) in [(1, 1), (2, 0)] {
        let page = page(&timed(1, seconds, &[]));
        for chart in ["run-1-iops", "run-1-mib"] {
            assert_eq!(drawn(&page, chart, "dots total").len(), dots, "{chart} of {seconds} s");
        }
    }
}

#[test]
fn threads_and_targets_are_named() {
    let mut record = synth::record(RECORDED[2]);
    let named = |record: &Record, chart: &str| -> Vec<String> {
        let page = page(record);
        let all = elements(&page);
        let begin = all.iter().position(|one| one.attributes.get("id").is_some_and(|id| id == chart));
        let within = all[begin.unwrap()..]
            .iter()
            .skip_while(|one| one.attributes.get("class").is_none_or(|class| class != "names"));
        within
            .skip(1)
            .take_while(|one| one.name == "text" && one.attributes["x"] == "4")
            .map(|one| one.text.clone())
            .collect()
    };
    let paths: Vec<String> =
        record.profile.time_spans[0].targets.iter().map(|target| target.path.to_string()).collect();
    assert_eq!(paths.len(), 2);
    assert_eq!(named(&record, "run-1-targets"), paths);
    let threads = record.host().results.time_spans[0].threads.len() as u32;
    assert!(threads > 1);
    let expected: Vec<String> = (0..threads).map(|thread| format!("thread {thread}")).collect();
    assert_eq!(named(&record, "run-1-threads"), expected);
    // With the processor, where that was recorded.
    let worker = |thread| WorkerUsage {
        engine: EngineKind::Sync,
        depth: 1,
        cpu: Some(thread + 4),
        affinity_change: None,
        times: None,
    };
    let effort = ResourceUsage { workers: (0..threads).map(worker).collect(), ..ResourceUsage::default() };
    let observed = Observations { resource_usage: Some(effort), ..Observations::default() };
    record.host_mut().results.time_spans[0].observed = Some(observed);
    let expected: Vec<String> =
        (0..threads).map(|thread| format!("thread {thread} on CPU {}", thread + 4)).collect();
    assert_eq!(named(&record, "run-1-threads"), expected);
}

#[test]
fn parts_flushes_and_discards_have_tables_if_present() {
    let mut record = small();
    let plain = page(&record);
    let target = &mut record.host_mut().results.time_spans[0].threads[0].targets[0];
    let mut times = Histogram::new();
    times.record(1_234_567);
    let (ios, bytes) = (1, 12_345);
    let discards = DirectionResults {
        ios,
        bytes,
        latency: Some(Box::new(times.clone())),
        ..DirectionResults::default()
    };
    target.others.set(Operation::Discard, discards);
    target.others.set(Operation::Flush, of_times(times));
    target.parts = (0..2).map(|part| target.as_part(part, 4096 << part)).collect();
    let with = page(&record);
    asks_nobody(&with);
    for caption in
        ["By part and size", "Flushes: not counted in any other", "Discards: not counted in any other"]
    {
        assert!(with.contains(caption) && !plain.contains(caption), "{caption}");
    }
    let title = elements(&with).into_iter().find(|element| element.name == "h1").unwrap().text;
    assert!(title.starts_with("A mix of 2 parts"), "{title}");
    let shown = values(&with);
    assert!([1.234_567, 12_345.0, 50.0].iter().all(|value| holds(&shown, *value)), "{shown:?}");
}

/// Returns the numbers that a page contains for programs.
pub fn values(page: &str) -> Vec<f64> {
    let data = elements(page).into_iter().filter(|element| element.name == "data");
    data.map(|element| element.attributes["value"].parse().unwrap()).collect()
}

/// Whether `values` contains a number, up to the last digit of JSON.
pub fn holds(values: &[f64], wanted: f64) -> bool {
    values.iter().any(|value| (value - wanted).abs() <= 1e-14 * wanted.abs())
}

/// Returns a preconditioning with these I/Os per second in its rounds.
fn preconditioned(rates: &[f64]) -> Record {
    let mut record = small();
    let round = |iops: &f64| RoundFigures {
        iops: *iops,
        mib_per_s: 1.0,
        mean_ms: Some(Millis::new(0.5)),
        p99_ms: None,
    };
    let window = precondition::window(rates);
    record.preconditioning = Some(Preconditioning {
        standard: "pts-client".into(),
        purged_bytes: Some(7 << 20),
        fill: Some(FillStep { command: "diskspd <fill>".into(), bytes: 14 << 20, seconds: 3.0 }),
        command: "diskspd <round>".into(),
        rounds: rates.iter().map(round).collect(),
        window,
        steady: window.is_some_and(|window| precondition::is_steady(&window)),
    });
    record
}

#[test]
fn preconditioning_rounds_have_verdict_chart_and_table() {
    let plain = page(&small());
    assert!(!plain.contains("Preconditioning"));
    let steady = page(&preconditioned(&[900.0, 110.0, 100.0, 100.0, 100.0, 90.0, 100.0]));
    asks_nobody(&steady);
    let verdict = "Steady after 7 rounds: the last 5 rounds average 98.00 IOPS, excursion 10.2 %";
    for text in [verdict, "diskspd &lt;fill&gt;", "diskspd &lt;round&gt;", "pts-client", ", 7 rows"] {
        assert!(steady.contains(text), "{text}");
    }
    assert!(holds(&values(&steady), f64::from(14 << 20)) && holds(&values(&steady), f64::from(7 << 20)));
    let all = elements(&steady);
    let chart =
        all.iter().position(|element| element.attributes.get("id").is_some_and(|id| id == "run-rounds"));
    let class = |name: &str| {
        let of = |element: &&Element| element.attributes.get("class").is_some_and(|class| class == name);
        all[chart.unwrap()..].iter().find(|element| element.name == "path" && of(element)).unwrap()
    };
    // A dot for each round; band, average and best line over the window alone.
    assert_eq!(class("dots total").attributes["d"].matches('M').count(), 7);
    assert_eq!(class("band total").attributes["d"].matches('M').count(), 1);
    assert!(
        class("level total").attributes["d"].starts_with("M357.1 "),
        "{:?}",
        class("level total").attributes
    );
    assert!(class("line write").attributes["d"].starts_with("M357.1 "));
    // Too few rounds say nothing together.
    let few = page(&preconditioned(&[900.0, 110.0]));
    assert!(few.contains("Not steady: 2 rounds are too few") && few.contains(", 2 rows"));
    let many = page(&preconditioned(&[5.0; 25]));
    asks_nobody(&many);
    page(&preconditioned(&[]));
    page(&preconditioned(&[0.0; 6]));
}

#[test]
fn headline_figures_match_the_json() {
    let (mut compared, mut with_few) = (0, 0);
    let records = RECORDED.iter().map(|recorded| synth::record(recorded));
    for record in records.chain([three_spans()]) {
        let stored: Value = serde_json::from_slice(&json::bytes(&record)).unwrap();
        let whole = page(&record);
        let shown = values(&whole);
        let measured = stored["index"]["time_spans"].as_array().unwrap().iter();
        let timed = measured.filter(|span| span["total"]["mean_ms"].is_f64());
        let few = timed.filter(|span| span["total"]["ios"].as_u64().unwrap() < 10_000).count();
        assert_eq!(whole.matches("99.9th percentile (fewer than 10 I/Os above it)").count(), few);
        with_few += few;
        let mut has = |what: &str, value: &Value| {
            let Some(value) = value.as_f64() else { return };
            assert!(holds(&shown, value), "{what} {value} is not on the page");
            compared += 1;
        };
        for span in stored["index"]["time_spans"].as_array().unwrap().iter().filter(|span| !span.is_null()) {
            let done = ["read", "write", "total"].into_iter().filter(|name| span[name]["ios"] != 0);
            for name in done.collect::<Vec<_>>() {
                for figure in ["iops", "mib_per_s", "mean_ms", "max_ms", "iops_std_dev", "ios", "bytes"] {
                    has(figure, &span[name][figure]);
                }
                let rows = span["percentiles"].as_array().unwrap().iter();
                rows.filter(|row| [50.0, 99.0, 99.9].contains(&row["percent"].as_f64().unwrap()))
                    .for_each(|row| has("percentile", &row[name]));
            }
            has("CPU", &span["cpu_percent"]);
        }
    }
    assert!(compared > 60 && with_few > 0, "{compared} figures");
}

#[test]
fn figures_carry_their_exact_values() {
    let page = page(&synth::record(RECORDED[0]));
    let data = elements(&page).into_iter().filter(|element| element.name == "data");
    for element in data {
        let exact: f64 = element.attributes["value"].parse().unwrap();
        let mut words = element.text.split(' ');
        let read: f64 = words.next().unwrap().replace(',', "").parse().unwrap();
        let unit = match words.next() {
            Some("ns") => 1e-6,
            Some("µs") => 1e-3,
            Some("s") => 1e3,
            Some("KiB") => 1024.0,
            Some("MiB") => 1_048_576.0,
            Some("GiB") => 1_073_741_824.0,
            _ => 1.0,
        };
        assert!((read * unit - exact).abs() <= 0.06 * exact.abs().max(0.01), "{} is {exact}", element.text);
    }
}

#[test]
fn verdict_precedes_figures() {
    let page = page(&small());
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(at("class=\"judgement") < at("class=\"tiles\"") && at("class=\"tiles\"") < at("<figure"));
    let badges = elements(&page)
        .into_iter()
        .filter(|one| one.attributes.get("class").is_some_and(|c| c.starts_with("badge")));
    let words: Vec<String> = badges.map(|badge| badge.text).collect();
    assert!(!words.is_empty() && words.iter().all(|word| word.len() > 3), "{words:?}");
}

#[track_caller]
pub fn whole_charts(page: &str) -> usize {
    let all = elements(page);
    let ids: Vec<&String> = all.iter().filter_map(|element| element.attributes.get("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id twice");
    let labelled = all.iter().filter_map(|element| element.attributes.get("aria-labelledby"));
    for id in labelled.flat_map(|named| named.split(' ')) {
        let named = all.iter().find(|element| element.attributes.get("id").is_some_and(|own| own == id));
        assert!(!named.unwrap().text.is_empty(), "{id}");
    }
    let charts = page.split("<figure").skip(1).map(|chart| chart.split("</figure>").next().unwrap());
    for chart in charts.clone() {
        for part in ["role=\"img\"", "<desc", "<table", "<tr data-at="] {
            assert!(chart.contains(part), "{part} is missing in {chart}");
        }
        assert!(!chart.contains("NaN") && !chart.contains("inf"), "{chart}");
    }
    charts.count()
}

#[test]
fn charts_have_descriptions_and_tables() {
    for recorded in RECORDED {
        whole_charts(&page(&synth::record(recorded)));
    }
}

pub const HOSTILE: &str =
    "a\"b'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;]]>\u{202e}\n\x1b[2J<!--";

#[test]
fn hostile_names_are_escaped_on_the_page() {
    let plain = small();
    let mut record = plain.clone();
    let hostile = RawText::from(HOSTILE);
    record.profile.command_line = hostile.clone();
    record
        .profile
        .time_spans
        .iter_mut()
        .flat_map(|span| &mut span.targets)
        .for_each(|t| t.path = hostile.clone());
    let host = record.host_mut();
    host.name = HOSTILE.into();
    host.system.kernel = HOSTILE.into();
    host.system.cpu_model = HOSTILE.into();
    host.system.power_scheme.name = Some(HOSTILE.into());
    host.targets.iter_mut().for_each(|target| target.storage.path = hostile.clone());
    for thread in host.results.time_spans.iter_mut().flat_map(|span| &mut span.threads) {
        let (name, reason, features, clock) =
            (HOSTILE.into(), HOSTILE.into(), HOSTILE.into(), HOSTILE.into());
        thread.engine = Some(EngineUse { name, reason, features, clock });
    }
    let page = page(&record);
    let all = elements(&page);
    assert_eq!(all.iter().filter(|element| element.name == "script").count(), 1);
    assert!(all.iter().all(|element| element.name != "img" && !element.attributes.contains_key("onerror")));
    assert!(!page.contains('\u{202e}') && !page.contains('\x1b'));
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

/// Returns the record of an hour with 64 threads and latencies by second; one second has no I/Os.
fn large() -> Record {
    timed(64, 3600, &[1800])
}

/// Returns the record of a run with latencies by second; `idle` seconds have no I/Os.
fn timed(threads: u64, seconds: u64, idle: &[u64]) -> Record {
    let (threads_option, time) = (format!("-t{threads}"), format!("-d{seconds}"));
    let line = ["diskspd", &threads_option, "-o8", "-r", "-w30", "-L", "-D", &time, "-W0", "x.dat"];
    let profile: Profile = synth::profile(line);
    let second = 1_000_000_000;
    let at = |thread: u64, number: u64| 80_000 + (thread * 7919 + number * 104_729) % 400_000;
    let mut intervals = Intervals::default();
    let mut log = IntervalLog::new(1000, seconds as u32, true, 1);
    let busy = || (0..seconds).filter(|number| !idle.contains(number));
    let mut thread_of = |thread: u64| {
        let direction = || DirectionResults {
            latency: Some(Box::default()),
            series: Some(Box::new(Series::new(1000, seconds as u32))),
            ..DirectionResults::default()
        };
        let (mut read, mut write) = (direction(), direction());
        for number in busy() {
            for of in [&mut read, &mut write] {
                of.series.as_mut().unwrap().record(number * second, at(thread, number));
                of.latency.as_mut().unwrap().record(at(thread, number));
                (of.ios, of.bytes) = (of.ios + 1, of.bytes + 65536);
            }
        }
        let target = TargetResults { read, write, size: 1 << 30, ..TargetResults::default() };
        ThreadResults { targets: vec![target], ..ThreadResults::default() }
    };
    let all = (0..threads).map(&mut thread_of).collect();
    for number in busy() {
        for thread in 0..threads {
            log.record_equal(number * second, at(thread, number), 2, 65536, thread % 2 == 0);
        }
    }
    intervals.add(log);
    let measured = seconds * second;
    let span = SpanResults { measured, threads: all, intervals: Some(intervals), ..SpanResults::default() };
    Record::new(profile, System::default(), Results { time_spans: vec![span] })
}

#[test]
fn long_run_page_is_small_and_keeps_peaks() {
    let page = page(&large());
    elements(&page);
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(page.contains("Each point stands for 15 intervals."));
    let iops = page.split("id=\"run-1-iops\"").nth(1).unwrap();
    let rows: Vec<&str> = iops.split("<tr data-at=").skip(1).take(240).collect();
    // From second 1800 on, the lowest is 0, the highest as ever; 14 of 15 seconds have 128 I/Os each.
    let row = rows.iter().find(|row| row.contains(">30:00</th>")).unwrap();
    assert!(row.contains("<td>0</td><td>119.5</td><td>128.0</td>"), "{row}");
    assert_eq!(rows.len(), 240);
}

fn several<'a>(judged: &'a [JudgedRecord<'a>], more: Vec<RunSummary>) -> String {
    let runs = judged.iter().enumerate().map(|(number, judged)| html::Run {
        known: known::run(judged, &format!("run <{number}>")),
        judged: Some(judged),
    });
    let more = more.into_iter().map(|known| html::Run { known, judged: None });
    let mut page = Vec::new();
    html::write_runs(&runs.chain(more).collect::<Vec<_>>(), &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn several_runs_have_a_table_and_each_its_sections() {
    let records: Vec<Record> = RECORDED.map(synth::record).into();
    let judged: Vec<JudgedRecord> = records.iter().map(JudgedRecord::new).collect();
    let unknown = RunSummary::new("nothing known", Origin::ResultXml { version: None });
    let page = several(&judged, vec![unknown]);
    asks_nobody(&page);
    let all = elements(&page);
    let articles = all.iter().filter(|element| element.name == "article").count();
    assert_eq!(articles, RECORDED.len() + 1);
    for number in 0..RECORDED.len() {
        assert!(page.contains(&format!("run &lt;{number}&gt;")));
    }
    assert!(page.contains("NOT RECORDED") && page.contains("The command line is not recorded."));
}

#[test]
fn page_of_result_xml_marks_missing_figures() {
    let xml = include_bytes!("../data/samples/xml-a-random-read-latency.xml");
    let runs = diskspd::formats::result_xml::read(xml, "sample").unwrap();
    let page = several(&[], runs.clone());
    asks_nobody(&page);
    for text in
        ["NOT RECORDED", "No values over time were recorded.", "Latency distribution", "is not recorded."]
    {
        assert!(page.contains(text), "{text}");
    }
    let span = runs[0].time_spans[0].as_ref().unwrap();
    for figure in [span.total.iops, span.total.mean_ms.map(Millis::ms), span.read.mib_per_s] {
        assert!(holds(&values(&page), figure.unwrap()), "{figure:?}");
    }
}

#[test]
fn hundreds_of_runs_have_rows_without_charts() {
    let record = small();
    let judged: Vec<JudgedRecord> = (0..60).map(|_| JudgedRecord::new(&record)).collect();
    let page = several(&judged, Vec::new());
    assert_eq!(page.matches("<figure").count(), 3, "those that compare them");
    assert_eq!(page.matches("<article").count(), 60);
}

#[test]
fn curve_page_names_knee_and_objective() {
    let points = [(1000.0, 0.5), (4000.0, 0.6), (6000.0, 1.5), (6100.0, 9.0)];
    let point = |(number, (iops, ms)): (usize, (f64, f64))| CurvePoint {
        load: 1 << number,
        label: format!("-o{}", 1 << number),
        threads: 1 + number as u64 / 2,
        iops,
        iops_interval: (number > 0).then_some((iops * 0.98, iops * 1.02)),
        latency_ms: Some(ms),
        latency_interval_ms: None,
    };
    let curve = Curve {
        id: "curve".into(),
        title: "Throughput and latency".into(),
        latency_name: "mean latency".into(),
        load_name: "I/Os outstanding".into(),
        points: points.into_iter().enumerate().map(point).collect(),
        knee: Some(CurveKnee { point: 2, iops_interval: Some((5800.0, 6050.0)) }),
        objective: Some(CurveObjective { latency_ms: 5.0, label: "mean = 5 ms".into(), iops: Some(6000.0) }),
    };
    let (chart, labels) = curve.chart();
    let figure = chart.markup_with(3, &labels).into_string();
    elements(&figure);
    for text in [
        "the knee: -o4, 6,000 IOPS, between 5,800 and 6,050",
        "objective mean = 5 ms: kept up to 6,000 IOPS",
        "4 loads; the highest is 6,100 IOPS at -o8.",
        "<td>5,880 to 6,120</td>",
        "class=\"knee\"",
        "class=\"objective\"",
        // A line per number of threads, and every point by its name.
        "1 thread",
        "2 threads",
        "class=\"line p50\"",
        ">-o1</text>",
        ">-o8</text>",
    ] {
        assert!(figure.contains(text), "{text} is missing in {figure}");
    }
    for chart in curve.by_load() {
        let figure = chart.markup(3).into_string();
        elements(&figure);
        let whisker = figure.find("class=\"whisker\"").unwrap();
        assert!(whisker < figure.find("class=\"line ").unwrap(), "intervals are under the line: {figure}");
        for load in ["1", "2", "4", "8"] {
            assert!(figure.contains(&format!(">{load}</text>")), "{load} is missing in {figure}");
        }
    }
    for chart in Curve::default().by_load().into_iter().chain([Curve::default().chart().0]) {
        elements(&chart.markup(3).into_string());
    }
}

/// Returns a run at a depth: 150 µs per I/O on a shared link, 300 µs elsewhere, with a variation of a
/// percent.
fn run_at(depth: f64, number: usize) -> RunRow {
    let iops = (depth / 450e-6).min(1.0 / 150e-6) * (1.0 + 0.01 * (number % 3) as f64);
    let mean_ms = 1000.0 * depth / iops;
    let found = |name: &str, severity| RunFinding {
        name: name.into(),
        severity,
        message: format!("something <{name}>"),
        remedy: Some("--do something".into()),
    };
    RunRow {
        iops,
        measured_s: 10.0,
        mib_per_s: iops,
        latency: Some(LatencyRow {
            mean_ms: Millis::new(mean_ms),
            p99_ms: Millis::new(2.0 * mean_ms),
            p999_ms: Millis::new(3.0 * mean_ms),
            open_end_ms: None,
        }),
        response: None,
        cpu: Some(12.5),
        hottest: Some(50.0),
        verdict: RunVerdict::new(Some(Verdict::Verified), (depth > 8.0).then_some(Severity::Warning)),
        limited_by: Some(Limiter::Storage),
        findings: if depth > 8.0 {
            vec![found("deep", Severity::Warning), found("deep", Severity::Warning)]
        } else {
            Vec::new()
        },
        hosts: Vec::new(),
    }
}

/// Returns a sweep of depths with three runs each, in two groups, with one failed point.
fn swept() -> (Sweep, Vec<CompletedPoint>) {
    let depths = [1, 2, 4, 8, 16];
    let point = |(group, block): (usize, &str), load: u64| {
        let setting = |option: &str, value: &str| Setting { option: option.into(), value: value.into() };
        let settings = vec![setting("-b", block), setting("-o", &load.to_string())];
        SweepPoint { settings, load, threads: 1, group, seconds: 1.0, ..SweepPoint::default() }
    };
    let points = [(0, "4K"), (1, "<64K>")].into_iter().flat_map(|of| depths.map(|load| point(of, load)));
    let settings = Settings {
        repeat: Repeat::Times(3),
        objective: Some(Objective::parse("p99=2ms").unwrap()),
        ..Settings::default()
    };
    let sweep = Sweep { points: points.collect(), settings };
    let mut history: Vec<CompletedPoint> = Vec::new();
    while let NextPoint::Run(what) = next(&sweep, &history) {
        let (SweepAction::Point(number) | SweepAction::Reference(number)) = what else { panic!("{what:?}") };
        let fails = number == 9;
        let line = (!fails).then(|| run_at(sweep.points[number].load as f64, history.len()));
        history.push(CompletedPoint {
            what,
            seconds: 1.0,
            line,
            failure: fails.then(|| "no <such> thing".into()),
        });
    }
    (sweep, history)
}

fn page_of_sweep(command: &str, record: Option<&Record>) -> String {
    let (sweep, history) = swept();
    let points = rows(&sweep, &history);
    let judged = record.map(JudgedRecord::new);
    let result = SweepResult {
        format: SweepResult::format(),
        command_line: command.into(),
        work: RepeatedWork {
            workload: "Random reads".into(),
            targets: vec!["/data/x.dat".into()],
            machine: Some("lab-07".into()),
        },
        ended: SweepOutcome::Interrupted,
        settings: sweep.settings.clone(),
        commands: points.iter().map(|row| format!("{command} {}", row.label())).collect(),
        answers: SweepAnswer::find_answers(&points, &sweep.settings),
        drift: Drift::detect(&sweep, &history),
        points,
    };
    let mut page = Vec::new();
    let sweep_page = html::SweepPage {
        sweep: &result,
        run: judged.as_ref().map(|judged| html::Run { known: known::run(judged, ""), judged: Some(judged) }),
    };
    html::write_sweep(&sweep_page, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn sweep_page_answers_first_and_lists_every_point() {
    let page = page_of_sweep("diskspd sweep x.dat", Some(&small()));
    asks_nobody(&page);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    let order = [
        "Random reads on x.dat, lab-07: 2 answers",
        ">Answer<",
        "class=\"tiles\"",
        "From now on",
        "id=\"rate-curve-1\"",
        "id=\"latency-curve-1\"",
        "id=\"curve-1\"",
        ">Points<",
    ];
    let order = order.into_iter().chain([">Findings<", ">Drift<", ">Do it again<", ">Environment<"]);
    let places: Vec<usize> = order.map(at).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(page.matches("<figure class=\"chart curve").count(), 2, "one for each group");
    let (sweep, history) = swept();
    let shown = values(&page);
    for row in rows(&sweep, &history) {
        let Some(figures) = row.figures else { continue };
        let latency = figures.latency.unwrap();
        for figure in
            [figures.iops, figures.mib_per_s, latency.mean_ms.ms(), latency.p99_ms.ms(), figures.cpu.unwrap()]
        {
            assert!(holds(&shown, figure), "{figure} of {:?}", row.settings);
        }
    }
    for text in ["the knee: -o4", "p99 &lt;= 2 ms", "no &lt;such&gt; thing", "FAILED"] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn sweep_page_lists_each_finding_once() {
    let page = page_of_sweep("diskspd sweep x.dat", None);
    assert_eq!(page.matches("omething &lt;deep&gt;").count(), 1, "of four runs and more");
    assert!(page.contains("at <span class=\"whole\">-b4K</span> <span class=\"whole\">-o16</span>"));
    assert!(!page.contains(">Environment<"), "there is no record");
    assert!(page.contains("The sweep was interrupted"));
}

#[test]
fn names_are_escaped_on_the_sweep_page() {
    let page = page_of_sweep(HOSTILE, None);
    let all = elements(&page);
    assert_eq!(all.iter().filter(|element| element.name == "script").count(), 1);
    assert!(all.iter().all(|element| element.name != "img" && !element.attributes.contains_key("onerror")));
    assert!(!page.contains('\u{202e}') && !page.contains('\x1b'));
}
