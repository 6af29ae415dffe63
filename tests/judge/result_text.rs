//! Tests of reading text reports: DISKSPD's and this program's, as changed by shells and versions.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common::samples::is_sample;
use crate::report::golden_reports::synth;
use diskspd::checks::JudgedRecord;
use diskspd::formats::result_text::{parts, read};
use diskspd::formats::{known, table as formats};
use diskspd::profile::{Access, CacheMode, Compat, Parameters, Rate};
use diskspd::report::text;
use diskspd::results::{ChartRow, DirectionSummary, RunSummary, SpanSummary};
use diskspd::units::Millis;

fn one(bytes: &[u8]) -> RunSummary {
    let runs = read(bytes, "a.txt").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.len(), 1);
    runs.into_iter().next().unwrap()
}

fn span(bytes: &[u8]) -> SpanSummary {
    one(bytes).time_spans.into_iter().next().unwrap().unwrap()
}

const READS: &[u8] = include_bytes!("../data/samples/text-a-random-read-latency.txt");
const TWO_SPANS: &[u8] = include_bytes!("../data/samples/text-c-two-timespans.txt");
const INTERRUPTED: &[u8] = include_bytes!("../data/samples/text-d-interrupted.txt");
const SERIES: &[u8] = include_bytes!("../data/samples/text-e-iops-stddev-waitstats.txt");

/// Form of the first versions.
const FIRST: &str = "
Command Line: diskspd -b8K -d60 -h -L -o4 -t2 -r -w30 -Z1M d:\\io.dat

Input parameters:

	timespan:   1
	-------------
	duration: 60s
	warm up time: 5s
	cool down time: 0s
	measuring latency
	random seed: 0
	path: 'd:\\io.dat'
		think time: 0ms
		burst size: 0
		software and hardware cache disabled
		write buffer size: 1048576
		performing mix test (write/read ratio: 30/100)
		block size: 8192
		using random I/O (alignment: 8192)
		number of outstanding I/O operations: 4
		stride size: 8192
		thread stride size: 0
		threads per file: 2
		using I/O Completion Ports
		IO priority: normal



Results for timespan 1:
*******************************************************************************

actual test time:	60.00s
thread count:		2
proc count:		1

CPU |  Usage |  User  |  Kernel |  Idle
-------------------------------------------
   0|  20.50%|   1.50%|   19.00%|  79.50%
-------------------------------------------
avg.|  20.50%|   1.50%|   19.00%|  79.50%

Total IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |         4915200 |          600 |       0.08 |      10.00 |    2.000 |     1.000 | d:\\io.dat (1024MB)
     1 |         4915200 |          600 |       0.08 |      10.00 |    2.000 |     1.000 | d:\\io.dat (1024MB)
-----------------------------------------------------------------------------------------------------
total:          9830400 |         1200 |       0.16 |      20.00 |    2.000 |     1.000

Read IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |         3276800 |          400 |       0.05 |       6.67 |    2.000 |     1.000 | d:\\io.dat (1024MB)
     1 |         3276800 |          400 |       0.05 |       6.67 |    2.000 |     1.000 | d:\\io.dat (1024MB)
-----------------------------------------------------------------------------------------------------
total:          6553600 |          800 |       0.10 |      13.33 |    2.000 |     1.000

Write IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |         1638400 |          200 |       0.03 |       3.33 |    2.000 |     1.000 | d:\\io.dat (1024MB)
     1 |         1638400 |          200 |       0.03 |       3.33 |    2.000 |     1.000 | d:\\io.dat (1024MB)
-----------------------------------------------------------------------------------------------------
total:          3276800 |          400 |       0.05 |       6.67 |    2.000 |     1.000


  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.500 |      0.600 |      0.500
   25th |      1.000 |      1.100 |      1.050
   50th |      2.000 |      2.100 |      2.050
   99th |      4.000 |      4.100 |      4.050
3-nines |      5.000 |      5.100 |      5.050
    max |      6.000 |      6.100 |      6.100
";

/// Form of 2.0.18 and later: name of the machine and time, a heading above the latencies, plain sizes.
fn second() -> String {
    FIRST
        .replace("software and hardware cache disabled", "using software cache\n\t\tusing hardware write cache, writethrough off")
        .replace("(write/read ratio: 30/100)", "(read/write ratio: 70/30)")
        .replace("\n\n\nResults", "\nSystem information:\n\n\tcomputer name: old-box\n\tstart time: 2019/07/25 21:46:27 UTC\n\nResults")
        .replace("MB/s  ", "MiB/s ")
        .replace("\n\n\n  %-ile", "\n\n\ntotal:\n  %-ile")
        .replace("max |      6.000 |      6.100 |      6.100\n", "max |      6.000 |      6.100 |      6.100\n\nRead latency histogram bins:  12\nWrite latency histogram bins: 13")
}

#[test]
fn text_report_figures_are_read() {
    let run = one(READS);
    assert_eq!((run.name.as_str(), run.origin.to_string().as_str()), ("a.txt", "text"));
    assert_eq!(run.hosts, ["lab-07"]);
    assert_eq!(run.started_at, Some(1_741_944_413));
    assert!(run.command_line.unwrap().to_string().ends_with("testfile.dat"));
    let span = run.time_spans[0].as_ref().unwrap();
    assert_eq!((span.seconds, span.cpu_percent), (Some(10.0), Some(4.15)));
    let expected = DirectionSummary {
        ios: Some(24310),
        bytes: Some(99_573_760),
        iops: Some(2430.0),
        mib_per_s: Some(9.49),
        mean_ms: Some(Millis::new(13.25)),
        std_dev_ms: Some(Millis::new(5.83)),
        min_ms: Some(Millis::new(2.881)),
        max_ms: Some(Millis::new(201.361)),
        ..DirectionSummary::default()
    };
    assert_eq!((span.total, span.read), (expected, expected));
    let reads = Some(Millis::new(66.521));
    let p999 = ChartRow { read: reads, write: None, total: reads };
    assert_eq!((span.percentile(99.9), span.percentiles.len()), (Some(p999), 13));
    let access = span.parameters.targets[0].access;
    assert_eq!(
        (access.outstanding, access.block_size, access.rate),
        (Some(32), Some(4096), Some(Rate::Unlimited))
    );
    let series = self::span(SERIES);
    assert_eq!((series.total.iops_std_dev, series.read.iops_std_dev), (Some(7.0), Some(18.5)));
}

#[test]
fn absent_figures_of_report_are_unknown() {
    let run = one(SERIES);
    assert_eq!((run.identity, run.findings, run.label, run.fingerprint), (None, None, None, None));
    let series = span(SERIES);
    assert_eq!((series.total.mean_ms, series.total.max_ms, series.percentiles.len()), (None, None, 0));
    let reads = span(READS);
    assert_eq!((reads.write.ios, reads.write.mean_ms, reads.write.max_ms), (Some(0), None, None));
    // What was rounded.
    let text = String::from_utf8(READS.to_vec()).unwrap().replace("block size: 4KiB", "block size: 1.95MiB");
    assert_eq!(span(text.as_bytes()).parameters.targets[0].access.block_size, None);
}

#[test]
fn reports_of_the_first_versions_are_read() {
    let run = one(FIRST.as_bytes());
    assert_eq!((run.hosts, run.started_at), (vec![], None));
    let first = run.time_spans[0].as_ref().unwrap();
    let Parameters { threads, in_flight, duration_s, .. } = first.parameters;
    assert_eq!((threads, in_flight, duration_s), (Some(2), Some(8), Some(60)));
    let Access { write_percent, random_percent, stride, block_size, rate, caching, .. } =
        first.parameters.targets[0].access;
    assert_eq!(
        (write_percent, random_percent, stride, block_size),
        (Some(30), Some(100), Some(8192), Some(8192))
    );
    let caching = caching.unwrap();
    assert_eq!((caching.mode, caching.write_through), (CacheMode::DisableOsCache, true));
    // These versions don't print a rate, even where there was one.
    assert_eq!(rate, None);
    assert_eq!((first.total.mib_per_s, first.cpu_percent), (Some(0.16), Some(20.5)));

    let second = second();
    let run = one(second.as_bytes());
    assert_eq!((run.computer().as_deref(), run.started_at), (Some("old-box"), Some(1_564_091_187)));
    let span = run.time_spans[0].as_ref().unwrap();
    assert_eq!(span.percentile(99.0).unwrap().total, Some(Millis::new(4.05)));
    assert_eq!((span.read.min_ms, span.total.max_ms), (Some(Millis::new(0.5)), Some(Millis::new(6.1))));
    assert_eq!(span.parameters.targets[0].access.write_percent, Some(30));
}

#[test]
fn unmeasured_time_spans_keep_their_parameters() {
    let spans = one(TWO_SPANS).time_spans;
    let [Some(first), Some(second)] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!(first.parameters.common(|access| access.block_size).common_value(), Some(65536));
    assert_eq!((second.parameters.threads, second.parameters.floating_pool), (Some(2), Some(true)));
    assert_eq!((second.parameters.in_flight, second.total.ios), (Some(16), Some(24179)));
    let run = one(INTERRUPTED);
    assert_eq!((run.time_spans.len(), run.time_spans[0].is_none()), (1, true));
    assert_eq!(run.unmeasured[0].parameters.duration_s, Some(10));
}

fn same(kept: Option<f64>, back: Option<f64>, decimals: usize) -> bool {
    let printed = |figure: Option<f64>| figure.map(|figure| format!("{figure:.decimals$}"));
    printed(kept) == printed(back)
}

fn same_time(kept: Option<Millis>, back: Option<Millis>, decimals: usize) -> bool {
    same(kept.map(Millis::ms), back.map(Millis::ms), decimals)
}

fn check(name: &str, kept: &SpanSummary, back: &SpanSummary) {
    for (kept, back) in [(kept.read, back.read), (kept.write, back.write), (kept.total, back.total)] {
        assert_eq!((kept.ios, kept.bytes), (back.ios, back.bytes), "{name}");
        assert!(
            same(kept.iops, back.iops, 2) && same(kept.mib_per_s, back.mib_per_s, 2),
            "{name} {kept:?} {back:?}"
        );
        assert!(
            same_time(kept.mean_ms, back.mean_ms, 3) && same_time(kept.std_dev_ms, back.std_dev_ms, 3),
            "{name} {kept:?} {back:?}"
        );
        assert!(
            same_time(kept.min_ms, back.min_ms, 3) && same_time(kept.max_ms, back.max_ms, 3),
            "{name} {kept:?} {back:?}"
        );
        assert!(same(kept.iops_std_dev, back.iops_std_dev, 2), "{name} {kept:?} {back:?}");
    }
    assert!(same(kept.seconds, back.seconds, 2) && same(kept.cpu_percent, back.cpu_percent, 2), "{name}");
    let known = |span: &SpanSummary| -> Vec<(f64, ChartRow)> {
        let rows = span.percentiles.iter().map(|row| (row.percent, row.latency));
        rows.filter(|(_, latency)| *latency != ChartRow::default()).collect()
    };
    let (kept_rows, back_rows) = (known(kept), known(back));
    let of_text = kept_rows.iter().filter(|(percent, _)| back_rows.iter().any(|(other, _)| other == percent));
    assert!(back_rows.is_empty() == kept_rows.is_empty(), "{name}");
    for ((percent, kept), (other, back)) in of_text.zip(&back_rows) {
        assert_eq!(percent, other, "{name}");
        let all = [(kept.read, back.read), (kept.write, back.write), (kept.total, back.total)];
        assert!(all.iter().all(|(kept, back)| same_time(*kept, *back, 3)), "{name} {kept:?} {back:?}");
    }
}

#[test]
fn written_report_is_read_back_exactly() {
    for (name, input) in crate::report::golden_reports::inputs("synth") {
        for compat in [Compat::V2_2, Compat::V2_3] {
            let mut record = synth::record(&input);
            record.profile.compat = compat;
            let judged = JudgedRecord::new(&record);
            let (kept, back) = (known::run(&judged, "a.txt"), one(&text::text(&record)));
            assert_eq!((&back.hosts, back.started_at), (&kept.hosts, kept.started_at), "{name}");
            assert_eq!(back.command_line, kept.command_line, "{name}");
            assert_eq!(back.time_spans.len(), kept.time_spans.len(), "{name}");
            for (kept, back) in kept.time_spans.iter().zip(&back.time_spans) {
                let (kept, back) = (kept.as_ref().unwrap(), back.as_ref().unwrap());
                check(&name, kept, back);
                // What isn't in the text, of parameters: whether targets are devices.
                let mut parameters = kept.parameters.clone();
                for group in &mut parameters.targets {
                    group.access = group.access.for_target(None);
                    let caching = group.access.caching.as_mut().unwrap();
                    caching.cached_devices = false;
                }
                assert_eq!(parameters, back.parameters, "{name}");
            }
        }
    }
}

#[test]
fn text_and_xml_of_one_run_agree() {
    let mut compared = 0;
    for (name, _) in crate::report::golden_reports::inputs("synth") {
        let file = |end: &str| {
            std::fs::read(format!("{}/tests/data/synth/{name}.{end}", env!("CARGO_MANIFEST_DIR")))
        };
        let (text, xml) = (one(&file("txt").unwrap()), file("xml").unwrap());
        let xml = diskspd::formats::result_xml::read(&xml, "a.xml").unwrap().remove(0);
        for (xml, text) in xml.time_spans.iter().zip(&text.time_spans) {
            let (xml, text) = (xml.as_ref().unwrap(), text.as_ref().unwrap());
            assert_eq!((xml.total.ios, xml.read.bytes), (text.total.ios, text.read.bytes), "{name}");
            assert!(same_time(xml.total.mean_ms, text.total.mean_ms, 2), "{name}");
            assert_eq!(xml.parameters.targets, text.parameters.targets, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 15);
}

#[test]
fn reports_in_shell_encodings_are_read() {
    let text = String::from_utf8([READS, SERIES].concat()).unwrap();
    let plain = read(text.as_bytes(), "a").unwrap();
    assert_eq!(plain.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["a#1", "a#2"]);
    let dos = text.replace('\n', "\r\n");
    let wide = |text: &str, unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let marked = String::from_utf8([READS, "\u{feff}".as_bytes(), SERIES].concat()).unwrap();
    // As it is copied out of a console, which has blanks in the place of tabs, with what stood before it.
    let console = format!("PS C:\\> diskspd ..\nWARNING: something\n{}", text.replace('\t', "        "));
    for bytes in [
        dos.clone().into_bytes(),
        ["\u{feff}", &dos].concat().into_bytes(),
        [&b"\xff\xfe"[..], &wide(&dos, u16::to_le_bytes)].concat(),
        [&b"\xfe\xff"[..], &wide(&dos, u16::to_be_bytes)].concat(),
        wide(&dos, u16::to_le_bytes),
        marked.into_bytes(),
        console.into_bytes(),
    ] {
        let mut runs = read(&bytes, "a").unwrap();
        assert_eq!(runs.len(), 2);
        runs.iter_mut().zip(&plain).for_each(|(run, plain)| run.command_line.clone_from(&plain.command_line));
        assert_eq!(runs, plain);
        let alone: Vec<RunSummary> =
            parts(&bytes).iter().map(|part| read(part, "x").unwrap().remove(0)).collect();
        assert_eq!(alone[1].time_spans, plain[1].time_spans);
    }
}

fn wrapped(text: &str, width: usize) -> String {
    let wrap = |line: &str| {
        let letters: Vec<char> = line.replace('\t', "        ").chars().collect();
        let lines: Vec<String> = letters.chunks(width).map(|piece| piece.iter().collect()).collect();
        lines.join("\n")
    };
    text.lines().map(wrap).collect::<Vec<_>>().join("\n")
}

#[test]
fn wrapped_console_lines_are_joined() {
    let path = "C:\\ClusterStorage\\volume of the first node\\measurements\\testfile.dat";
    let series = String::from_utf8(SERIES.to_vec()).unwrap().replace("/data/a.bin", path);
    for text in [FIRST.to_owned(), second(), series] {
        let plain = one(text.as_bytes());
        let total = &plain.time_spans[0].as_ref().unwrap().total;
        assert!(total.std_dev_ms.map(Millis::ms).or(total.iops_std_dev).is_some());
        for width in 75..125 {
            let narrow = one(wrapped(&text, width).as_bytes());
            assert_eq!(narrow.time_spans, plain.time_spans, "{width}");
        }
    }
    // Of a command line nobody knows whether a blank stood there.
    let narrow = FIRST.replace(" d:\\io.dat\n\nInput", "\nd:\\io.dat\n\nInput");
    assert_ne!(narrow, FIRST);
    assert_eq!(one(narrow.as_bytes()), RunSummary { command_line: None, ..one(FIRST.as_bytes()) });
}

#[test]
fn a_report_without_its_first_line_is_read() {
    let headless = FIRST[FIRST.find("Input parameters:").unwrap()..].to_owned();
    let whole = one(FIRST.as_bytes());
    assert_eq!(one(headless.as_bytes()), RunSummary { command_line: None, ..whole.clone() });
    let several = [&headless, FIRST, &headless, &headless].map(String::from).concat();
    let runs = read(several.as_bytes(), "a").unwrap();
    assert_eq!(
        runs.iter().map(|run| run.command_line.is_some()).collect::<Vec<_>>(),
        [false, true, false, false]
    );
    assert!(runs.iter().all(|run| run.time_spans == whole.time_spans));
    for (text, word) in [(headless.as_str(), Some("text")), ("Input parameters:\n\nsize: 3\n", None)] {
        assert_eq!(formats::of_beginning(text.as_bytes()).map(|format| format.word), word);
    }
}

#[test]
fn paths_keep_their_bytes() {
    let text = String::from_utf8(SERIES.to_vec()).unwrap();
    let (before, behind) = text.split_once("path: '/data/a.bin'").unwrap();
    for path in [&b"D:\\it's a 'file' \xfc.dat "[..], b"a"] {
        let bytes = [before.as_bytes(), b"path: '", path, b"'", behind.as_bytes()].concat();
        assert_eq!(span(&bytes).parameters.paths().next().unwrap().as_bytes(), path);
    }
}

#[test]
fn unreadable_input_is_refused_with_its_place() {
    let text = String::from_utf8(READS.to_vec()).unwrap();
    let before = |mark: &str| text.as_bytes()[..text.find(mark).unwrap()].to_vec();
    let edit = |old: &str, new: &str| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1).into_bytes()
    };
    let figures = &text[text.find("Total IO").unwrap()..];
    let table: [(Vec<u8>, &str); 12] = [
        (
            text.replace("Results for timespan 1:", "Results for job 1:").into_bytes(),
            "line 2: this is a report of Microsoft's diskspd-for-linux",
        ),
        // As they are pasted into notes.
        (format!("{text}\nThe other disk:\n{figures}").into_bytes(), "a second table \"Total IO\""),
        (b"".to_vec(), "not a text report"),
        (b"anything\nat all\n".to_vec(), "no line begins with \"Command Line:\""),
        (before("Results for"), "has no \"Results for timespan 1:\""),
        (before("Write IO"), "the results end before the tables"),
        (before("Total latency"), "the results end before the latency distribution"),
        (before("4-nines"), "has no 'max' row"),
        (before("total:"), "the table \"Total IO\" has no line of all threads"),
        (
            edit("total:          99573760", "total:          99,573,760"),
            "\"99,573,760\" is not possible here",
        ),
        (edit("time:\t10.00s", "time:\t10,00s"), "line 43: \"10,00\""),
        (edit("25th |      9.741", "25th |      -9.741"), "a number from 0 on"),
    ];
    for (bytes, complaint) in table {
        let error = read(&bytes, "a.txt").map(|runs| runs.len()).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error:?} should contain {complaint:?}");
    }
    // What C libraries print for what is no number.
    for undefined in ["nan", "-nan(ind)", "1.#QNAN", "-1.#IND00", "inf"] {
        assert_eq!(span(&edit("time:\t10.00s", &format!("time:\t{undefined}s"))).seconds, None);
    }
    let two = String::from_utf8(TWO_SPANS.to_vec()).unwrap();
    let cut = &two[..two.find("Results for timespan 2").unwrap()];
    is_sample(
        "cases",
        "report: cut result of DISKSPD",
        &read(cut.as_bytes(), "a.txt").unwrap_err().to_string(),
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_text_reports_are_judged_without_panic(
        at: proptest::sample::Index,
        with: Vec<u8>,
        gone in 0..40_usize,
    ) {
        let at = at.index(READS.len());
        let damaged = [&READS[..at], &with, &READS[(at + gone).min(READS.len())..]].concat();
        if let Err(error) = read(&damaged, "a.txt") {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
    }
}
