//! Tests of reading result XML: DISKSPD's own, modifications by shells and scripts, and no invented
//! values.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common::result_files::{DISKSPD, Mutation, mutations};
use crate::report::golden_reports::synth;
use diskspd::checks::JudgedRecord;
use diskspd::checks::Verdict;
use diskspd::finding::Severity;
use diskspd::formats::known;
use diskspd::formats::result_xml::read;
use diskspd::limits::TIME_SPANS;
use diskspd::profile::{Access, CacheMode, Caching, Parameters, Rate};
use diskspd::report::xml;
use diskspd::results::{ChartRow, Origin, RunSummary, SpanSummary};
use diskspd::units::Millis;

fn one(bytes: &[u8]) -> RunSummary {
    let runs = read(bytes, "a.xml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.len(), 1);
    runs.into_iter().next().unwrap()
}

fn span(bytes: &[u8]) -> SpanSummary {
    one(bytes).time_spans.into_iter().next().unwrap().unwrap()
}

const READS: &[u8] = include_bytes!("../data/samples/xml-a-random-read-latency.xml");
const TWO_TARGETS: &[u8] = include_bytes!("../data/samples/xml-b-two-targets-numa.xml");
const SERIES: &[u8] = include_bytes!("../data/samples/xml-c-iops-series-waitstats.xml");

#[test]
fn result_xml_figures_are_read() {
    let run = one(SERIES);
    assert_eq!(run.name, "a.xml");
    assert_eq!(run.origin, Origin::ResultXml { version: Some("2.2.0".into()) });
    assert_eq!(run.computer().as_deref(), Some("lab-07"));
    // 2025/03/14 13:15:40 UTC
    assert_eq!(run.started_at, Some(1_741_958_140));
    let span = run.time_spans[0].as_ref().unwrap();
    assert_eq!((span.seconds, span.cpu_percent), (Some(2.0), Some(7.75)));
    assert_eq!(
        (span.total.ios, span.read.ios, span.write.bytes),
        (Some(3100), Some(1565), Some(100_597_760))
    );
    assert_eq!(
        (span.total.iops, span.total.mib_per_s),
        (Some(1550.0), Some(203_161_600.0 / 2.0 / 1048576.0))
    );
    assert_eq!((span.read.iops_std_dev, span.total.iops_std_dev), (Some(18.5), Some(7.0)));
    let access = Access {
        threads: Some(1),
        outstanding: Some(2),
        block_size: Some(65536),
        write_percent: Some(50),
        shares: Default::default(),
        random_percent: Some(0),
        stride: Some(65536),
        rate: Some(Rate::Unlimited),
        caching: Some(Caching {
            mode: CacheMode::Cached,
            write_through: false,
            memory_mapped: false,
            cached_devices: false,
            block_device: None,
        }),
    };
    let Parameters { threads, in_flight, duration_s, warmup_s, targets, .. } = &span.parameters;
    assert_eq!((*threads, *in_flight, *duration_s, *warmup_s), (Some(1), Some(2), Some(2), Some(0)));
    assert_eq!(targets[0].access, access);
    assert_eq!(targets[0].paths, ["/data/a.bin".into()]);
}

#[test]
fn absent_figures_of_results_are_unknown() {
    let run = one(SERIES);
    assert_eq!((run.identity, run.command_line, run.findings, run.label), (None, None, None, None));
    let series = span(SERIES);
    // Without -L.
    assert_eq!((series.total.mean_ms, series.total.max_ms, series.percentiles.len()), (None, None, 0));
    let reads = span(READS);
    assert_eq!(
        (reads.read.mean_ms, reads.write.mean_ms, reads.write.ios),
        (Some(Millis::new(13.25)), None, Some(0))
    );
    assert_eq!(
        (reads.total.min_ms, reads.write.min_ms, reads.read.max_ms),
        (Some(Millis::new(2.881)), None, Some(Millis::new(201.361)))
    );
    assert_eq!(reads.percentiles.len(), 106);
    let p99 = ChartRow { read: Some(Millis::new(29.059)), write: None, total: Some(Millis::new(29.059)) };
    assert_eq!((reads.percentile(99.0), reads.percentile(42.5)), (Some(p99), None));
    assert_eq!(reads.total.iops_std_dev, None);
}

#[test]
fn missing_element_is_not_a_default() {
    type Gone = fn(&SpanSummary) -> bool;
    let table: [(&str, Gone); 14] = [
        ("BlockSize", |span| span.parameters.common(|access| access.block_size).common_value().is_none()),
        ("WriteRatio", |span| span.parameters.common(|access| access.write_percent).common_value().is_none()),
        ("StrideSize", |span| {
            span.parameters.common(|access| access.random_percent).common_value().is_none()
        }),
        ("Throughput", |span| span.parameters.common(|access| access.rate).common_value().is_none()),
        ("ThreadsPerFile", |span| span.parameters.in_flight.is_none()),
        ("Duration", |span| span.parameters.duration_s.is_none()),
        ("Warmup", |span| span.parameters.warmup_s.is_none()),
        ("RandSeed", |span| span.parameters.rand_seed.is_none()),
        ("TestTimeSeconds", |span| span.seconds.is_none() && span.total.iops.is_none()),
        ("CpuUtilization", |span| span.cpu_percent.is_none()),
        ("IOCount", |span| span.total.ios.is_none() && span.read.ios.is_some()),
        ("WriteBytes", |span| span.write.mib_per_s.is_none() && span.total.mib_per_s.is_some()),
        ("IopsStdDev", |span| span.total.iops_std_dev.is_none() && span.read.iops_std_dev.is_some()),
        ("Profile", |span| span.parameters.targets.is_empty() && span.parameters.threads == Some(1)),
    ];
    let text = std::str::from_utf8(SERIES).unwrap();
    for (name, gone) in table {
        assert!(!gone(&span(SERIES)), "{name}");
        let mut without = text.to_owned();
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        while let Some(begin) = without.find(&open) {
            let end = begin + without[begin..].find(&close).unwrap() + close.len();
            without.replace_range(begin..end, "");
        }
        assert!(gone(&span(without.as_bytes())), "{name}");
    }
}

#[test]
fn figures_sum_all_threads_and_targets() {
    let span = span(TWO_TARGETS);
    assert_eq!(span.parameters.paths().count(), 2);
    assert_eq!(span.total.ios, Some(span.read.ios.unwrap() + span.write.ios.unwrap()));
}

#[test]
fn record_and_results_agree() {
    let near = |a: Option<f64>, b: Option<f64>, digits: f64| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => (a - b).abs() <= digits + a.abs() * 1e-6,
        _ => false,
    };
    for (name, input) in crate::report::golden_reports::inputs("synth") {
        let record = synth::record(&input);
        let judged = JudgedRecord::new(&record);
        let mut written = Vec::new();
        xml::write_with_verdict(&judged, &mut written).unwrap();
        let (kept, back) = (known::run(&judged, "a.xml"), one(&written));
        assert_eq!((&back.hosts, back.started_at), (&kept.hosts, kept.started_at), "{name}");
        let kept_findings = kept.findings.unwrap();
        assert_eq!(back.findings.as_ref().and_then(|found| found.severity), kept_findings.severity, "{name}");
        assert_eq!(back.findings.unwrap_or_default().names, kept_findings.names, "{name}");
        let (kept, back) = (kept.time_spans[0].as_ref().unwrap(), back.time_spans[0].as_ref().unwrap());
        assert_eq!(kept.parameters, back.parameters, "{name}");
        assert_eq!(kept.verdict, back.verdict, "{name}");
        for (kept, back) in [(kept.read, back.read), (kept.write, back.write), (kept.total, back.total)] {
            assert_eq!((kept.ios, kept.bytes), (back.ios, back.bytes), "{name}");
            assert!(
                near(kept.mean_ms.map(Millis::ms), back.mean_ms.map(Millis::ms), 0.0006),
                "{name} {kept:?} {back:?}"
            );
            assert!(
                near(kept.max_ms.map(Millis::ms), back.max_ms.map(Millis::ms), 0.0006),
                "{name} {kept:?} {back:?}"
            );
            assert!(
                near(kept.std_dev_ms.map(Millis::ms), back.std_dev_ms.map(Millis::ms), 0.0006),
                "{name} {kept:?} {back:?}"
            );
            assert!(near(kept.iops_std_dev, back.iops_std_dev, 0.0006), "{name} {kept:?} {back:?}");
        }
        assert_eq!(kept.percentiles.is_empty(), back.percentiles.is_empty(), "{name}");
        for (kept, back) in kept.percentiles.iter().zip(&back.percentiles).take(99) {
            assert_eq!(kept.percent, back.percent, "{name}");
            assert!(
                near(kept.latency.total.map(Millis::ms), back.latency.total.map(Millis::ms), 0.0006),
                "{name} {kept:?} {back:?}"
            );
        }
    }
}

#[test]
fn findings_of_results_have_their_severity() {
    let text = String::from_utf8(SERIES.to_vec()).unwrap();
    let found = "<Findings><Finding><Name>a</Name><Severity>note</Severity></Finding><Finding><Name>b</Name>\
                 <Severity>wrong</Severity></Finding></Findings></Results>";
    let verdict = "<DeviceVerdict><Verdict>CACHED</Verdict><Severity>warning</Severity></DeviceVerdict>";
    let text = text.replace("  </TimeSpan>\n</Results>", &format!("{verdict}  {found}"));
    let text = text.replace(found, &found.replace("</Results>", "</TimeSpan></Results>"));
    let run = one(text.as_bytes());
    let findings = run.findings.unwrap();
    assert_eq!((findings.severity, findings.names), (Some(Severity::Wrong), vec!["b".into(), "a".into()]));
    assert_eq!(run.time_spans[0].as_ref().unwrap().verdict, Some(Verdict::Cached));
}

/// Encodings, line ends, surrounding text and elements of other versions do not change a figure.
#[test]
fn results_are_read_in_every_legal_form() {
    for (file, text) in DISKSPD {
        let plain = one(text.as_bytes());
        for Mutation { name, bytes } in mutations(text) {
            let mut runs = read(&bytes, "a.xml").unwrap_or_else(|error| panic!("{file}, {name}: {error}"));
            runs.iter_mut().for_each(|run| run.name = "a.xml".into());
            assert!(!runs.is_empty());
            for mut run in runs {
                run.origin.clone_from(&plain.origin);
                assert_eq!(run, plain, "{file}, {name}");
            }
        }
    }
}

#[test]
fn several_results_of_a_file_have_their_number() {
    let text = [SERIES, b"\n\xef\xbb\xbf", READS].concat();
    let runs = read(&text, "both.xml").unwrap();
    assert_eq!(runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["both.xml#1", "both.xml#2"]);
    let within = [b"<?xml version=\"1.0\"?><Runs><Run>".as_slice(), SERIES, b"</Run></Runs>"].concat();
    assert_eq!(one(&within), one(SERIES));
}

#[test]
fn time_spans_of_file_have_a_limit() {
    let results = |spans: usize| format!("<Results>{}</Results>", "<TimeSpan/>".repeat(spans));
    let most = TIME_SPANS;
    let read = |text: String| read(text.as_bytes(), "f");
    assert_eq!(read(results(most)).unwrap()[0].time_spans.len(), most);
    assert_eq!(read(results(1).repeat(most)).unwrap().len(), most);
    for text in [results(most + 1), results(1).repeat(most + 1), results(most) + &results(1)] {
        assert!(read(text).unwrap_err().what.contains(&most.to_string()));
    }
}

#[test]
fn paths_keep_their_bytes() {
    let with = |path: &[u8]| {
        let text = String::from_utf8(SERIES.to_vec()).unwrap();
        let (before, behind) = text.split_once("/data/a.bin").unwrap();
        [before.as_bytes(), path, behind.as_bytes()].concat()
    };
    // DISKSPD doesn't escape, and writes the machine's code page.
    for path in [&b"D:\\R&D\\a.dat"[..], b"D:\\a&b;c.dat", b"D:\\\xfcbung.dat"] {
        assert_eq!(span(&with(path)).parameters.paths().next().unwrap().as_bytes(), path);
    }
    let path = span(&with(b"a &amp; &#228;.dat")).parameters.paths().next().unwrap().clone();
    assert_eq!(path, "a & ä.dat".into());
}

#[test]
fn unmeasured_span_has_no_figures() {
    let text = String::from_utf8(SERIES.to_vec()).unwrap();
    let (before, _) = text.split_once("  <TimeSpan>\n    <TestTime").unwrap();
    let interrupted =
        format!("{before}<TimeSpan><Error>The test was interrupted.</Error></TimeSpan></Results>");
    assert_eq!(one(interrupted.as_bytes()).time_spans, [None]);
    // Nobody knows which time span of the profile the second one is.
    let more =
        text.replace("</Results>", "<TimeSpan><TestTimeSeconds>1.00</TestTimeSeconds></TimeSpan></Results>");
    let run = one(more.as_bytes());
    assert!(run.time_spans[0].as_ref().unwrap().parameters.targets.is_empty());
}

#[test]
fn unreadable_input_is_refused_with_its_place() {
    let edit = |old: &str, new: &str| {
        let text = String::from_utf8(SERIES.to_vec()).unwrap();
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1).into_bytes()
    };
    let text = std::str::from_utf8(SERIES).unwrap();
    let before = |tag: &str| text.as_bytes()[..text.find(tag).unwrap()].to_vec();
    let verdict = |word: &str, severity: &str| {
        let verdict = format!("<Verdict>{word}</Verdict><Severity>{severity}</Severity>");
        edit("<TestTimeSeconds>", &format!("<DeviceVerdict>{verdict}</DeviceVerdict><TestTimeSeconds>"))
    };
    assert_eq!(span(&verdict("CACHED", "none")).verdict, Some(Verdict::Cached));
    let table: [(Vec<u8>, &str); 17] = [
        (b"".to_vec(), "the document holds no element"),
        (b"Command Line: diskspd".to_vec(), "the document holds no element"),
        (b"<Profile></Profile>".to_vec(), "this is a profile, not the results of a run"),
        (b"<html><p>x</p></html>".to_vec(), "no element <Results>"),
        (b"<Results></Results>".to_vec(), "<Results> has no <TimeSpan>"),
        (SERIES[..SERIES.len() - 4].to_vec(), "line 1"),
        (before("<Socket>"), "the document ends within <CPU>"),
        (before("<Average>"), "the document ends within <CpuUtilization>"),
        (edit("<IOCount>3100", "<IOCount>3,100"), "<IOCount>: \"3,100\" is not possible"),
        (edit("<IOCount>3100", "<IOCount>-1"), "a whole number"),
        (edit("<ReadBytes>1", "<ReadBytes>99999999999999999999"), "<ReadBytes>: \"99999999999999999999"),
        (edit("Seconds>2.00", "Seconds>2,00"), "line 70, column 5: <TestTimeSeconds>: \"2,00\""),
        (edit("</Profile>", "</profile>"), "not well-formed XML"),
        (verdict("EXCELLENT", "none"), "<Verdict>: \"EXCELLENT\" is not possible"),
        (verdict("CACHED", "fatal"), "<Severity>: \"fatal\" is not possible"),
        (edit("<Progress>", "\u{1}<Progress>"), "the character U+0001 is not allowed in XML"),
        ([&b"\xff\xfe<\0R\0"[..], b"x"].concat(), "continues as something else"),
    ];
    for (bytes, complaint) in table {
        let error = read(&bytes, "a.xml").map(|runs| runs.len()).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error:?} should contain {complaint:?}");
    }
    // What C libraries print for what is no number, and nothing at all.
    for undefined in ["nan", "-nan(ind)", "1.#QNAN", "-1.#IND00", "inf", ""] {
        assert_eq!(span(&edit(">2.00<", &format!(">{undefined}<"))).seconds, None);
    }
}

#[test]
fn truncated_results_are_reported() {
    for length in (0..SERIES.len()).step_by(97) {
        assert!(read(&SERIES[..length], "a.xml").is_err(), "after {length} bytes");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_result_xml_is_judged_without_panic(
        at: proptest::sample::Index,
        with: Vec<u8>,
        gone in 0..40_usize,
    ) {
        let at = at.index(SERIES.len());
        let damaged = [&SERIES[..at], &with, &SERIES[(at + gone).min(SERIES.len())..]].concat();
        if let Err(error) = read(&damaged, "a.xml") {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
    }
}
