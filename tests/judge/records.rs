//! Tests of records: reading back, rejections with reasons, and content of summaries.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common::samples::is_sample;
use crate::common::schema;
use crate::report::golden_reports::synth;
use diskspd::checks::JudgedRecord;
use diskspd::cli::{self, Invocation};
use diskspd::formats::index::Index;
use diskspd::formats::json::{self, RecordError, read};
use diskspd::machine::Group;
use diskspd::machine::content::{self, ContentFacts, ContentShares, Reducer};
use diskspd::machine::environment::{Environment, Limits};
use diskspd::machine::storage::Storage;
use diskspd::prelude::{Control, RunObserver, Session, execute};
use diskspd::profile::TargetId;
use diskspd::report::text::text;
use diskspd::results::*;
use diskspd::stats::Series;
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

/// Recorded result set: two threads on each of a.dat and b.dat, with latencies and series of reads and
/// writes.
const LARGE: &[u8] = include_bytes!("../data/synth/43_rand3.json");
/// Recorded result set with three I/Os.
const SMALL: &[u8] = include_bytes!("../data/synth/07_LD_sparse.json");

static STORED: LazyLock<Vec<u8>> = LazyLock::new(|| write(&synth::record(SMALL)));

/// Returns the stored form of a record, checked against its schema.
fn write(record: &Record) -> Vec<u8> {
    let stored = json::bytes(record);
    schema::record(&stored);
    stored
}

/// Returns the stored small record with one text replaced.
fn edited(old: &str, new: &str) -> Vec<u8> {
    let stored = String::from_utf8(STORED.clone()).unwrap();
    assert!(stored.contains(old), "{old} is not in {stored}");
    stored.replacen(old, new, 1).into_bytes()
}

#[test]
fn record_begins_with_its_format() {
    assert!(STORED.starts_with(br#"{"format":{"name":"diskspd-record","version":3},"index":{"identity":""#));
    assert!(STORED.ends_with(b"}\n"));
}

#[test]
fn other_files_are_refused_with_their_kind() {
    let table: [(Vec<u8>, &str); 20] = [
        (b"\nCommand Line: diskspd".to_vec(), "this is not JSON (line 2, column 1: expected value)"),
        (b"<Results>".to_vec(), "this is not JSON (line 1, column 1: expected value)"),
        (b"\xff\xfe".to_vec(), "this is not JSON"),
        (edited("}\n,\"profile\"", "}\n \"profile\""), "this is not JSON"),
        (b"".to_vec(), "the file is empty"),
        (b"[]".to_vec(), "this is JSON, but not a record"),
        (b"{\"a\": 1}".to_vec(), "\"format\": {\"name\": \"diskspd-record\"} is missing"),
        (edited("diskspd-record", "fio"), "this is JSON, but not a record"),
        (edited("\"version\":3", "\"version\":4"), "format version 4, this program reads versions up to 3"),
        (edited("\"version\":3", "\"version\":99999999999999"), "format version 99999999999999"),
        (edited("\"results\"", "\"result\""), "hosts[0]: missing field `results`; the record was"),
        (
            edited("\"duration\":2", "\"duration\":\"2\""),
            "profile.time_spans[0].duration: invalid type: string \"2\", expected u32",
        ),
        (edited("\"profile\":{", "\"profile\":[1,2,3],\"other\":{"), "profile[1]: data did not match"),
        (edited(",\"version\":3}", ",\"version\":[3,4]}"), "this is JSON, but not a record"),
        (
            edited("\"duration\":2", "\"duration\":3"),
            "the series of reads is not one of 250 ms intervals over 3 s",
        ),
        (edited("\"threads_per_file\":1", "\"threads_per_file\":2"), "time span 1: 1 threads instead of 2"),
        (edited("\"mask\":15", "\"mask\":7"), "time span 1: 4 CPUs instead of 3"),
        (
            edited("\"bytes\":8192,\"ios\":2", "\"bytes\":8192,\"ios\":3"),
            "target 't.dat': 2 latencies of reads instead of 3",
        ),
        (edited("\"short\":0", "\"short\":3"), "3 short reads of only 2"),
        (edited("\"short\":0", "\"short\":0,\"nowait_misses\":3"), "3 of only 2 reads would have waited"),
    ];
    for (bytes, complaint) in table {
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error:?} should contain {complaint:?}");
    }
}

#[test]
fn truncated_record_is_detected_at_any_byte() {
    // Each of the first and last bytes, and every seventh in between: all that there is comes by.
    let end = STORED.trim_ascii_end().len();
    is_sample("cases", "record: empty file", &read(&[]).unwrap_err().to_string());
    for length in (1..300).chain((300..end - 300).step_by(7)).chain(end - 300..end) {
        let error = read(&STORED[..length]).unwrap_err();
        assert!(matches!(error, RecordError::Truncated { .. }), "after {length} bytes: {error}");
    }
}

#[test]
fn later_fields_are_ignored_and_optional_may_be_absent() {
    let record = synth::record(SMALL);
    assert_eq!(read(&edited("\"profile\"", "\"later\":{},\"profile\"")), Ok(record.clone()));
    assert_eq!(read(&edited("\"short\":0,", "")), Ok(record));
}

#[test]
fn pool_threads_serve_all_targets_without_lists() {
    let mut record = synth::record(SMALL);
    let span = &mut record.profile.time_spans[0];
    span.thread_count = 2;
    span.targets.push(span.targets[0].clone());
    span.targets[1].thread_targets = vec![diskspd::profile::ThreadTarget { thread: 1, weight: 0 }];
    let thread = record.hosts[0].results.time_spans[0].threads[0].clone();
    let target = thread.targets[0].clone();
    record.hosts[0].results.time_spans[0].threads.push(thread);
    let misfit = record.check().unwrap_err();
    assert_eq!(misfit.to_string(), "time span 1, thread 1: 1 targets instead of 2");
    record.hosts[0].results.time_spans[0].threads[1].targets.push(target);
    assert_eq!(record.check(), Ok(()));
}

struct Counted<'a>(&'a [u8], usize);

impl std::io::Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.read(into)?;
        self.1 += count;
        Ok(count)
    }
}

#[test]
fn record_index_is_read_alone() {
    let stored = write(&synth::record(LARGE));
    assert!(stored.len() > 16384);
    let mut source = Counted(&stored, 0);
    let index = json::read_index(&mut source).unwrap().unwrap();
    assert!(source.1 <= 8192, "{} bytes were read", source.1);
    let judged = JudgedRecord::new(Box::leak(Box::new(synth::record(LARGE))));
    // What serde_json reads back may differ in the last bit.
    let expected = Index::from_record(&judged);
    let stored = serde_json::to_vec(&expected).unwrap();
    assert_eq!(index, serde_json::from_slice(&stored).unwrap());
    let (found, expected) =
        (expected.0.time_spans[0].as_ref().unwrap(), judged.summary.time_spans[0].as_ref().unwrap());
    let iops = expected.write.total.throughput.iops;
    assert_eq!((found.seconds, found.write.iops), (Some(expected.seconds), Some(iops)));
    let chart = &expected.latency.as_ref().unwrap().all.percentiles;
    assert_eq!(found.percentile(50.0), Some(chart[1]));
    assert_eq!((found.percentile(99.0), found.percentile(99.9)), (Some(chart[5]), Some(chart[6])));
    assert_eq!(index.0.hosts, [judged.record.hosts[0].name.clone()]);
}

#[test]
fn copies_of_a_run_share_one_identity() {
    let identity = |stored: &[u8]| json::read_index(stored).unwrap().unwrap().0.identity;
    let copy = write(&read(&STORED).unwrap());
    assert_eq!(identity(&copy), identity(&STORED));
    let mut later = synth::record(SMALL);
    later.hosts[0].results.time_spans[0].started_at = Some(1);
    assert_ne!(identity(&write(&later)), identity(&STORED));
}

#[test]
fn missing_index_differs_from_damaged_record() {
    assert!(json::read_index(&include_bytes!("../data/records/one-line.json")[..]).unwrap().is_some());
    assert_eq!(json::read_index(&edited("\"index\":", "\"other\":")[..]), Ok(None));
    let older = edited("\"version\":3", "\"version\":2");
    assert_eq!(json::read_index(&older[..]), Err(RecordError::OlderVersion { found: 2 }));
    assert_eq!(json::read(&older), Err(RecordError::OlderVersion { found: 2 }));
    assert!(matches!(json::read_index(&b"{}"[..]), Err(RecordError::NotARecord)));
    assert!(matches!(json::read_index(&b"7"[..]), Err(RecordError::NotARecord)));
    let log = b"0, 12, 0, 4096, 0, 0\n1, 13, 0, 4096, 0, 0\n";
    assert_eq!(json::read_index(&log[..]), Err(RecordError::FioLog));
    assert_eq!(json::read(log), Err(RecordError::FioLog));
    let newer = edited("\"version\":3", "\"version\":4");
    assert_eq!(json::read_index(&newer[..]), Err(RecordError::NewerVersion { found: 4 }));
    let damaged = edited("\"identity\":", "\"identity\":1,\"x\":");
    assert!(matches!(json::read_index(&damaged[..]), Err(RecordError::Field { .. })));
    assert!(matches!(json::read_index(&STORED[..90]), Err(RecordError::Truncated { .. })));
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_judged_without_panic(bytes: Vec<u8>) {
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn mutated_records_are_judged_without_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof!["[0-9]", "[0-9]{1,20}", ".{0,2}"]), 1..4)
    ) {
        let mut bytes = STORED.clone();
        for (position, text) in edits {
            // Mostly digits: an edit that leaves the JSON intact gets further.
            let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
            prop_assume!(!digits.is_empty());
            let at = digits[position.index(digits.len())];
            bytes.splice(at..=at, text.bytes());
        }
        if let Ok(record) = read(&bytes) {
            text(&record);
        }
    }
}

#[test]
fn inconsistent_record_still_has_a_summary() {
    let fits = synth::record(LARGE);
    let breaks: [fn(&mut Record); 9] = [
        |record| record.hosts[0].results.time_spans.clear(),
        |record| record.profile.time_spans.clear(),
        |record| record.hosts[0].system.topology.groups.clear(),
        |record| record.hosts[0].system.topology = Default::default(),
        |record| record.hosts[0].results.time_spans[0].cpus.clear(),
        |record| record.hosts[0].results.time_spans[0].threads.clear(),
        |record| record.hosts[0].results.time_spans[0].threads[1].targets.clear(),
        |record| record.hosts[0].results.time_spans[0].threads[0].targets[0].read.latency = None,
        |record| {
            record.hosts[0].results.time_spans[0].threads[0].targets[0].read.series =
                Some(Box::new(Series::new(7, u32::MAX)))
        },
    ];
    for (index, damage) in breaks.into_iter().enumerate() {
        let mut record = fits.clone();
        damage(&mut record);
        let report = String::from_utf8(text(&record)).unwrap();
        let cells = report.split(['|', '%', '\n', '\t']).map(str::trim);
        let odd: Vec<&str> =
            cells.filter(|cell| ["NaN", "inf", "-0"].iter().any(|odd| cell.starts_with(odd))).collect();
        assert!(odd.is_empty(), "{index}: {odd:?} in {report}");
        assert_eq!(summarize(&record).time_spans.len(), record.profile.time_spans.len());
    }
}

#[test]
fn numbers_too_large_to_add_up_are_judged() {
    let edits: [fn(&mut Record); 4] = [
        |record| {
            let mut environment = Environment::default();
            environment.load.running = Some(u64::MAX);
            record.hosts[0].system.environment = Some(environment);
        },
        |record| {
            let group = record.hosts[0].system.topology.groups[0];
            record.hosts[0].system.topology.groups = vec![Group { maximum: u32::MAX, ..group }; 2];
            record.hosts[0].system.environment = Some(Environment {
                limits: Limits { cpus: Some("0".into()), ..Limits::default() },
                ..Environment::default()
            });
        },
        |record| {
            with_content(record, |facts| {
                facts.space = Some(ContentShares {
                    examined: 1,
                    holes: u64::MAX,
                    inline: u64::MAX,
                    ..ContentShares::default()
                })
            })
        },
        |record| {
            with_content(record, |facts| {
                let (blocks, block_size) = (u64::MAX, u64::MAX);
                facts.sample = Some(content::Sample { blocks, block_size, ..Default::default() });
                facts.data_reduction = vec![Reducer { compresses: true, ..Reducer::default() }];
            })
        },
    ];
    for edit in edits {
        let mut record = synth::record(SMALL);
        edit(&mut record);
        JudgedRecord::new(&record);
    }
}

fn with_content(record: &mut Record, edit: impl FnOnce(&mut ContentFacts)) {
    let mut facts = ContentFacts::default();
    edit(&mut facts);
    let observed = record.hosts[0].results.time_spans[0].observed.get_or_insert_default();
    observed.content = vec![facts];
}

#[test]
fn path_charts_are_in_order_of_appearance() {
    let mut record = synth::record(LARGE);
    record.hosts[0].results.time_spans[0].threads.reverse();
    let summary = summarize(&record);
    let charts = summary.time_spans[0].as_ref().and_then(|span| span.latency.as_ref()).unwrap();
    let paths: Vec<String> = charts.paths.iter().map(|of_path| of_path.path.to_string()).collect();
    assert_eq!(paths, ["b.dat", "a.dat"]);
}

#[test]
fn shared_distribution_is_listed_once_with_its_users() {
    let mut record = synth::record(include_bytes!("../data/synth/25_dist.json"));
    let id = TargetId(1);
    let storage = Storage { path: "a.dat".into(), ..Storage::default() };
    record.hosts[0].targets.push(HostTarget { id, storage });
    let threads = &mut record.hosts[0].results.time_spans[0].threads;
    let mut other = threads[1].targets[0].clone();
    other.target = id;
    threads[1].targets.push(other.clone());
    other.distribution.truncate(1);
    threads[0].targets.push(other);
    let summary = summarize(&record);
    let groups = &summary.time_spans[0].as_ref().unwrap().distributions;
    let users = |group: &DistributionGroup| -> Vec<(String, Vec<u32>)> {
        group.users.iter().map(|user| (user.path.to_string(), user.threads.clone())).collect()
    };
    let expected =
        [vec![("a.dat".to_string(), vec![0])], vec![("a.dat".into(), vec![1]), ("t.dat".into(), vec![0, 1])]];
    assert_eq!(groups.iter().map(users).collect::<Vec<_>>(), expected);
}

#[test]
fn totals_cover_measured_spans_only() {
    let one = synth::record(LARGE);
    let mut record = one.clone();
    for results in
        [one.hosts[0].results.time_spans[0].clone(), SpanResults { measured: 99, ..SpanResults::default() }]
    {
        record.profile.time_spans.push(one.profile.time_spans[0].clone());
        record.hosts[0].results.time_spans.push(results);
    }
    assert_eq!(record.check(), Ok(()));
    let (one, three) = (summarize(&one), summarize(&record));
    assert_eq!(one.totals, None, "a single span has no totals");
    assert_eq!(three.time_spans[2], None, "99 ns are no measurement");
    let (totals, span) = (three.totals.unwrap(), one.time_spans[0].as_ref().unwrap());
    assert_eq!(totals.seconds, 2.0 * span.seconds);
    for (total, table) in
        [(totals.read, &span.read), (totals.write, &span.write), (totals.total, &span.total)]
    {
        let Throughput { bytes, ios, mib_per_s, iops } = table.total.throughput;
        assert_eq!(total, Throughput { bytes: 2 * bytes, ios: 2 * ios, mib_per_s, iops });
    }
}

#[test]
fn totals_without_spans_are_zero() {
    let mut record = synth::record(SMALL);
    record.profile.time_spans.push(record.profile.time_spans[0].clone());
    record.hosts[0].results.time_spans = vec![SpanResults::default(); 2];
    let report = String::from_utf8(text(&record)).unwrap();
    assert!(report.ends_with(
        "total  |               0 |            0 |       0.00 |       0.00\n\ntotal test time:\t0.00s\n"
    ));
}

#[test]
fn non_utf_8_paths_round_trip() {
    let mut record = synth::record(SMALL);
    let path = diskspd::profile::RawText::from(b"/data/\xff.bin".to_vec());
    record.profile.time_spans[0].targets[0].path = path.clone();
    record.hosts[0].targets[0].storage.path = path.clone();
    assert_eq!(read(&write(&record)), Ok(record.clone()));
    let report = text(&record);
    assert_eq!(report.windows(path.as_bytes().len()).filter(|window| *window == path.as_bytes()).count(), 4);
}

#[test]
fn every_stored_field_is_documented() {
    let mut record = synth::record(include_bytes!("../data/synth/25_dist.json"));
    record.profile.etw = Some(Default::default());
    let span = &mut record.profile.time_spans[0];
    span.affinity = vec![diskspd::profile::GroupCpu { group: 0, cpu: Some(0) }];
    span.targets[0].thread_targets = vec![diskspd::profile::ThreadTarget { thread: 0, weight: 1 }];
    span.targets[0].random_data_source = Some(diskspd::profile::RandomDataSource { size: 1, path: None });
    let results = &mut record.hosts[0].results.time_spans[0];
    results.threads[0].wait = Some(WaitStatistics::default());
    let measured = synth::record(SMALL).hosts[0].results.time_spans[0].threads[0].targets[0].read.clone();
    results.threads[0].targets[0].read = measured;
    results.errors.push(IoErrors {
        target: TargetId(0),
        direction: diskspd::engines::Direction::Read,
        errno: 5,
        count: 1,
        first_offset: 0,
        at_us: vec![1],
    });
    results.ended = Some(RunOutcome { cause: EndedBy::Interrupt, after: Some(1) });
    results.threads[0].targets[0].unfinished = vec![1];
    results.observed = Some(Observations { delays: Some(Delays::default()), ..Observations::default() });
    let mut keys = Vec::new();
    collect_keys(&serde_json::from_slice(&write(&record)).unwrap(), &mut keys);
    let documentation = include_str!("../../docs/reference/record-fields.md");
    let words: Vec<&str> = documentation.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    keys.retain(|key| !words.contains(&key.as_str()));
    assert!(keys.is_empty(), "docs/reference/record-fields.md does not mention {keys:?}");
}

fn collect_keys(value: &serde_json::Value, keys: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                keys.push(key.clone());
                collect_keys(value, keys);
            }
        }
        serde_json::Value::Array(elements) => elements.iter().for_each(|element| collect_keys(element, keys)),
        _ => {}
    }
}

/// Interrupts a run at the end of a time span.
#[derive(Debug)]
struct EndsAfter(Arc<Control>, u32, std::sync::atomic::AtomicU32);

impl RunObserver for EndsAfter {
    fn time_span_ended(&self, _: &Record) {
        if self.2.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1 == self.1 {
            self.0.interrupt();
        }
    }
}

fn kept_as_it_is(line: &str, spans: usize, ends_after: u32) {
    let words = format!("diskspd {line}");
    let words: Vec<_> = words.split_whitespace().map(|word| word.replace('_', " ").into()).collect();
    let Ok(Invocation::Run(request)) = cli::parse(&words) else { panic!("{line}") };
    let (mut profile, run_options) = (request.profile, request.run_options);
    profile.time_spans = vec![profile.time_spans.remove(0); spans];
    let control = Arc::<Control>::default();
    let listener = Arc::new(EndsAfter(Arc::clone(&control), ends_after, Default::default()));
    let session = Session { control, listener, ..Session::default() };
    // What is refused has no record.
    let Ok(executed) = execute(&profile, &run_options, &session) else { return };
    let record = executed.record;
    assert_eq!(record.check(), Ok(()), "{line}");
    let stored = json::bytes(&record);
    assert_eq!(read(&stored).as_ref(), Ok(&record), "{line}");
    let mut kept = Vec::new();
    json::write_readable(&JudgedRecord::new(&record), &mut kept)
        .unwrap_or_else(|why| panic!("{line}: {why}"));
    assert_eq!(kept, stored, "{line}");
    let index = json::read_index(&stored[..]).unwrap_or_else(|why| panic!("{line}: {why}"));
    assert_eq!(index, Some(Index::from_record(&JudgedRecord::new(&record))), "{line}");
}

#[test]
fn unreadable_record_is_not_written() {
    let refused = |change: &dyn Fn(&mut Record), why: &str| {
        let mut record = synth::record(SMALL);
        change(&mut record);
        let mut kept = Vec::new();
        let error = json::write_readable(&JudgedRecord::new(&record), &mut kept).unwrap_err().to_string();
        assert!(error.contains(why) && kept.is_empty(), "{error}");
        // For programs that print it all the same.
        assert!(read(&json::bytes(&record)).is_err());
    };
    refused(&|record| record.hosts[0].results.time_spans[0].threads.clear(), "contradicts itself");
    // It contradicts nothing, and JSON has no such number.
    let limit = CpuLimit { group: "/".into(), cpus: f64::NAN };
    let change = LimitChange { cpus: vec![limit], ..LimitChange::default() };
    let effort = ResourceUsage { limit_changes: vec![change], ..ResourceUsage::default() };
    refused(
        &|record| {
            let observed = Observations { resource_usage: Some(effort.clone()), ..Observations::default() };
            record.hosts[0].results.time_spans[0].observed = Some(observed);
        },
        "could not be read again",
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_written_record_reads_back(
        (threads, spans, ends_after) in (prop::sample::select(&["", "-t3", "-F4", "-F5 -O2"][..]), 1..4usize, 0..4u32),
        what in prop::sample::select(&[
            "-b4K -r", "-b64K -s -w100", "--bs-split 4K/60:64K/40 -r -w30", "-b8K -r -rdpct90/10 --trim 20 -w50",
            "--mix 70:-b8K_-r_-w0;30:-b64K_-s_-w100", "-b4K -g50i -w20", "-b4K -g1i -L", "-b4K --rate-total 40 -w20", "-b4K --rate-total 1", "-b16K -w100 --fsync-every 2",
        ][..]),
        more in prop::sample::select(&["", "-L", "-D100", "-L -D", "-vs -L", "--compat 2.3 -vs -u"][..]),
        time in prop::sample::select(&["-d0 -W0", "-d1 -W0", "-d1 -W1 -C1"][..]),
        engine in prop::sample::select(&["--engine sim", "--engine null"][..]),
        others in prop::sample::select(&["", " b.dat c.dat"][..]),
    ) {
        // In real time nothing but the shortest of all.
        let time = if engine.ends_with("null") { "-d0 -W0" } else { time };
        // Simulated at full speed a second takes one.
        let pace = if what.contains("-g") || what.contains("rate") { "" } else { "-g200i" };
        let line = format!("-c1M {pace} {what} {threads} {more} {time} {engine} a.dat{others}");
        kept_as_it_is(&line, spans, ends_after);
    }
}
