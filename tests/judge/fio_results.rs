//! Tests of reading fio's results: output of fio 3.33, surrounding text, and no invented values.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common::samples::is_sample;
use diskspd::finding::Severity;
use diskspd::formats::fio::{is_log_of, parts, read, series};
use diskspd::formats::table as formats;
use diskspd::operation::Operation;
use diskspd::profile::{CacheMode, Rate};
use diskspd::report::run_text;
use diskspd::results::{
    FioFigures, FioLatency, FioLogged, FioPercentiles, FioSeriesOf, Origin, RunSummary, SpanSummary,
};
use diskspd::units::Millis;
use serde_json::Value;

const MIX: &str = include_str!("../data/fio/mix.json");
const CLONES: &str = include_str!("../data/fio/clones.json");
const GROUP: &str = include_str!("../data/fio/group.json");
const STONEWALL: &str = include_str!("../data/fio/stonewall.json");
const HOSTS: &str = include_str!("../data/fio/hosts.json");
const HOSTS_STATED: &str = include_str!("../data/fio/hosts_stated.json");
const TRIMS: &str = include_str!("../data/fio/trims.json");
const ALL: [&str; 7] = [MIX, CLONES, GROUP, STONEWALL, HOSTS, HOSTS_STATED, TRIMS];

fn one(text: &str) -> RunSummary {
    let runs = read(text.as_bytes(), "a.json").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.len(), 1);
    runs.into_iter().next().unwrap()
}

fn span(text: &str) -> SpanSummary {
    one(text).time_spans.into_iter().next().unwrap().unwrap()
}

fn fio(text: &str) -> FioFigures {
    *span(text).fio.unwrap()
}

/// Returns only the JSON, because fio prints notes before it.
fn value(text: &str) -> Value {
    serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap()
}

fn written(text: &str, at: &str) -> f64 {
    value(text).pointer(at).and_then(Value::as_f64).unwrap_or_else(|| panic!("{at}"))
}

fn near(known: Option<f64>, written: f64) {
    let known = known.unwrap();
    assert!((known - written).abs() <= written.abs() * 1e-6, "{known} {written}");
}

fn near_ns(known: Option<Millis>, written: f64) {
    near(known.map(Millis::ms), written / 1e6);
}

#[test]
fn fio_result_figures_are_read() {
    let run = one(MIX);
    assert_eq!(run.origin, Origin::Fio { version: Some("3.33".into()) });
    assert_eq!((run.name.as_str(), run.label.as_deref()), ("a.json", Some("mix")));
    let began = written(MIX, "/timestamp") - written(MIX, "/jobs/0/elapsed");
    assert_eq!(run.started_at, Some(began as i64));
    // fio doesn't say any of these.
    assert_eq!((run.command_line, run.hosts, run.findings), (None, vec![], None));
    let span = run.time_spans[0].as_ref().unwrap();
    assert_eq!((span.cpu_percent, span.verdict.as_ref()), (None, None));
    for (figures, direction) in [(span.read, "read"), (span.write, "write")] {
        let of = |name: &str| written(MIX, &format!("/jobs/0/{direction}/{name}"));
        assert_eq!(figures.ios.map(|ios| ios as f64), Some(of("total_ios")));
        assert_eq!(figures.bytes.map(|bytes| bytes as f64), Some(of("io_bytes")));
        near(figures.iops, of("iops"));
        near_ns(figures.mean_ms, of("lat_ns/mean"));
        near_ns(figures.std_dev_ms, of("lat_ns/stddev"));
        // Of the same times as the percentiles.
        near_ns(figures.min_ms, of("clat_ns/min"));
        near_ns(figures.max_ms, of("clat_ns/max"));
        near(figures.iops_std_dev, of("iops_stddev"));
    }
    assert_eq!(span.total.ios, Some(span.read.ios.unwrap() + span.write.ios.unwrap()));
    let access = span.parameters.targets[0].access;
    assert_eq!((access.threads, access.outstanding, access.block_size), (Some(1), Some(4), Some(4096)));
    assert_eq!((access.write_percent, access.random_percent), (Some(30), Some(100)));
    assert_eq!(access.rate, Some(Rate::Unlimited));
    assert_eq!(access.caching.unwrap().mode, CacheMode::DisableOsCache);
    assert_eq!(span.parameters.paths().next().unwrap().to_string(), "/tmp/fd/f");
    assert_eq!((span.parameters.duration_s, span.parameters.fsync_every), (Some(1), Some(64)));
}

/// The middle of a bin is at most 0.8 % from any latency in it, and is the value that fio prints.
#[test]
fn percentiles_from_bins_match_fio() {
    let span = span(MIX);
    let percentiles = (FioLatency::Completion, FioPercentiles::Counted);
    assert_eq!(span.fio.as_ref().unwrap().percentiles, Some(percentiles));
    for percent in [50.0, 90.0, 95.0, 99.0, 99.9, 99.99] {
        let latency = span.percentile(percent).unwrap();
        for (known, direction) in [(latency.read, "read"), (latency.write, "write")] {
            let stated = written(MIX, &format!("/jobs/0/{direction}/clat_ns/percentile/{percent:.6}")) / 1e6;
            let known = known.unwrap().ms();
            assert!((known / stated - 1.0).abs() < 0.016, "{percent} {direction}: {known} {stated}");
        }
        let (read, write, total) = (latency.read.unwrap(), latency.write.unwrap(), latency.total.unwrap());
        assert!(read.min(write) <= total && total <= read.max(write), "{percent}");
    }
}

#[test]
fn stated_percentiles_are_marked_and_are_not_added_up() {
    let span = span(GROUP);
    let percentiles = (FioLatency::Completion, FioPercentiles::Stated);
    assert_eq!(span.fio.as_ref().unwrap().percentiles, Some(percentiles));
    let stated = written(GROUP, "/jobs/0/read/clat_ns/percentile/99.900000");
    let stated = Millis::of_mean_ns(stated);
    let p999 = span.percentile(99.9).unwrap();
    assert_eq!((p999.read, p999.total, p999.write), (Some(stated), Some(stated), None));
    // Of two hosts.
    let hosts = self::span(HOSTS_STATED);
    assert!(hosts.percentiles.is_empty());
    assert_eq!(hosts.fio.unwrap().percentiles, None);
    assert!(hosts.total.mean_ms.is_some());
}

#[test]
fn missing_percentiles_have_a_reason() {
    let silent = |text: &str| {
        let mut value = value(text);
        for job in value["jobs"].as_array_mut().unwrap() {
            for direction in ["read", "write"] {
                for times in ["clat_ns", "lat_ns"] {
                    let of = job[direction][times].as_object_mut().unwrap();
                    of.remove("percentile");
                    of.remove("bins");
                }
            }
        }
        value.to_string()
    };
    let apart = |text: &str| (fio(text).percentiles.is_none(), fio(text).percentiles_apart);
    assert_eq!(apart(MIX), (false, false));
    assert_eq!(apart(&silent(MIX)), (true, false));
    let told = |text: &str| run_text::text(&one(text), false, usize::MAX);
    is_sample("answers", "report: fio without percentiles", &told(&silent(MIX)));
    assert_eq!(apart(HOSTS_STATED), (true, true));
    is_sample("answers", "report: percentiles of several fio jobs", &told(HOSTS_STATED));
}

#[test]
fn total_latency_is_preferred_over_completion_latency() {
    let clones = fio(CLONES);
    assert_eq!(clones.percentiles, Some((FioLatency::Total, FioPercentiles::Counted)));
    assert_eq!(clones.latency, Some(FioLatency::Total));
    // --disable_lat
    let mut value = value(GROUP);
    value["jobs"][0]["read"]["lat_ns"] =
        serde_json::json!({"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0});
    let without = value.to_string();
    assert_eq!(fio(&without).latency, Some(FioLatency::Completion));
    near_ns(span(&without).read.mean_ms, written(GROUP, "/jobs/0/read/clat_ns/mean"));
    // --gtod_reduce
    value["jobs"][0]["read"]["clat_ns"] = Value::Null;
    let none = value.to_string();
    assert_eq!((fio(&none).latency, span(&none).total.mean_ms), (None, None));
    assert!(span(&none).total.iops.is_some());
}

fn as_before(text: &str, in_us: bool) -> String {
    let mut value = value(text);
    for job in value["jobs"].as_array_mut().unwrap() {
        for name in ["read", "write"] {
            let direction = job[name].as_object_mut().unwrap();
            for times in ["clat", "lat"] {
                let mut of = direction.remove(&format!("{times}_ns")).unwrap();
                of.as_object_mut().unwrap().remove("N");
                if !in_us {
                    direction.insert(format!("{times}_ns"), of);
                    continue;
                }
                for at in ["/min", "/max", "/mean", "/stddev", "/percentile/99.900000"] {
                    if let Some(time) = of.pointer_mut(at) {
                        *time = serde_json::json!(time.as_f64().unwrap() / 1e3);
                    }
                }
                if of.get("bins").is_some() {
                    of["bins"] = serde_json::json!({"10": 1000, "11": 1000, "FIO_IO_U_PLAT_NR": 1216});
                }
                direction.insert(times.into(), of);
            }
            if in_us {
                let kib = direction.remove("io_kbytes").unwrap();
                direction.insert("io_bytes".into(), kib);
            }
        }
    }
    value.to_string()
}

#[test]
fn results_of_every_version_have_the_same_figures() {
    for text in [MIX, GROUP, STONEWALL] {
        let new = span(text);
        assert_eq!(span(&as_before(text, false)), new);
        let old = span(&as_before(text, true));
        for (old, new) in [(&old.read, &new.read), (&old.write, &new.write), (&old.total, &new.total)] {
            assert_eq!((old.ios, old.iops), (new.ios, new.iops));
            // Whole KiB, each direction.
            assert!(old.bytes.unwrap().abs_diff(new.bytes.unwrap()) < 2048);
            for (old, new) in [
                (old.mean_ms, new.mean_ms),
                (old.std_dev_ms, new.std_dev_ms),
                (old.min_ms, new.min_ms),
                (old.max_ms, new.max_ms),
            ] {
                assert_eq!(old.is_some(), new.is_some());
                old.iter().zip(&new).for_each(|(old, new)| near(Some(old.ms()), new.ms()));
            }
        }
    }
    // Its bins are numbered; its percentiles are stated.
    let old = as_before(MIX, true);
    assert_eq!(fio(&old).percentiles, Some((FioLatency::Completion, FioPercentiles::Stated)));
    let p999 = span(&old).percentile(99.9).unwrap();
    near_ns(p999.read, written(MIX, "/jobs/0/read/clat_ns/percentile/99.900000"));
    // Before 2.1.14 I/Os were not counted: here reads alone were done.
    let old = as_before(GROUP, true);
    let mut value = value(&old);
    for direction in ["read", "write"] {
        value["jobs"][0][direction].as_object_mut().unwrap().remove("total_ios");
    }
    let oldest = span(&value.to_string());
    assert_eq!((oldest.total.ios, oldest.total.iops, oldest.write.ios), (None, None, Some(0)));
    assert_eq!(oldest.total.mib_per_s, span(&old).total.mib_per_s);
    near_ns(oldest.total.mean_ms, written(GROUP, "/jobs/0/read/lat_ns/mean"));
}

#[test]
fn percentiles_of_total_latency_are_labelled() {
    let mut value = value(&as_before(GROUP, false));
    value["jobs"][0]["job options"]["lat_percentiles"] = "1".into();
    let known = span(&value.to_string());
    assert_eq!(known.fio.unwrap().percentiles, Some((FioLatency::Total, FioPercentiles::Stated)));
    near_ns(known.read.max_ms, written(GROUP, "/jobs/0/read/lat_ns/max"));
}

#[test]
fn jobs_that_ran_together_are_added_up() {
    for (text, threads) in [(CLONES, 2), (GROUP, 2), (HOSTS, 2)] {
        let span = span(text);
        assert_eq!(span.parameters.threads, Some(threads));
        assert_eq!(span.total.iops_std_dev, None);
        assert_eq!(span.parameters.targets.len(), 1);
    }
    let clones = span(CLONES);
    let of = |job: usize, name: &str| written(CLONES, &format!("/jobs/{job}/write/{name}"));
    assert_eq!(clones.write.ios.map(|ios| ios as f64), Some(of(0, "total_ios") + of(1, "total_ios")));
    let longest = of(0, "runtime").max(of(1, "runtime")) / 1000.0;
    assert_eq!(clones.seconds, Some(longest));
    near(clones.write.iops, (of(0, "total_ios") + of(1, "total_ios")) / longest);
    near_ns(clones.write.max_ms, of(0, "lat_ns/max").max(of(1, "lat_ns/max")));
    assert_eq!(clones.parameters.in_flight, Some(2));
    // "All clients" isn't a third job.
    let hosts = one(HOSTS);
    assert_eq!(hosts.hosts, ["127.0.0.1"]);
    assert_eq!(hosts.time_spans[0].as_ref().unwrap().total.ios, Some(512));
}

#[test]
fn jobs_after_stonewall_form_a_time_span() {
    let run = one(STONEWALL);
    assert_eq!((run.time_spans.len(), run.label), (2, None));
    let [Some(reader), Some(writer)] = &run.time_spans[..] else { panic!() };
    assert_eq!((reader.write.ios, writer.read.ios), (Some(0), Some(0)));
    assert_eq!(reader.fio.as_ref().unwrap().jobs, ["reader"]);
    let access = writer.parameters.targets[0].access;
    assert_eq!(
        (access.block_size, access.write_percent, access.random_percent),
        (Some(65536), Some(100), Some(0))
    );
    assert!(access.caching.unwrap().write_through);
    assert_eq!(writer.parameters.paths().next().unwrap().to_string(), "/tmp/fd/f");
}

#[test]
fn job_options_do_not_apply_to_groups() {
    // As if a second job had run besides, and group_reporting had added it to this entry.
    let mut value = value(GROUP);
    value["jobs"][0]["job options"]["numjobs"] = "1".into();
    let span = span(&value.to_string());
    assert_eq!((span.parameters.threads, span.parameters.targets.len()), (None, 0));
    assert!(span.total.iops.is_some());
}

#[test]
fn jobs_share_all_files() {
    let mut value = value(GROUP);
    value["global options"]["filename"] = "a:b".into();
    value["jobs"][0]["job options"]["filename"] = "c".into();
    value["jobs"][0]["job options"]["directory"] = "/d/".into();
    let span = span(&value.to_string());
    let paths: Vec<String> = span.parameters.paths().map(ToString::to_string).collect();
    assert_eq!(paths, ["a", "b", "/d/c"]);
    // Of several lines the last one's files alone would be told.
    let name = "\"filename\" : \"/tmp/fd/f\"";
    let twice = |first: &str| GROUP.replacen(name, &format!("\"filename\" : \"{first}\",\n{name}"), 1);
    assert_ne!(twice("x"), GROUP);
    assert_eq!(self::span(&twice("x")).parameters.paths().count(), 0);
    assert_eq!(one(&twice("/tmp/fd/f")), one(GROUP));
}

#[test]
fn discards_and_flushes_are_separate() {
    let trims = fio(TRIMS).trims.unwrap();
    assert_eq!(trims.count as f64, written(TRIMS, "/jobs/0/trim/total_ios"));
    near_ns(trims.times.mean, written(TRIMS, "/jobs/0/trim/lat_ns/mean"));
    // As of reads and writes: of the times of which there are percentiles.
    near_ns(trims.times.p50, written(TRIMS, "/jobs/0/trim/clat_ns/percentile/50.000000"));
    near_ns(trims.times.max, written(TRIMS, "/jobs/0/trim/clat_ns/max"));
    assert_eq!(span(TRIMS).parameters.targets[0].access.shares.percent(Operation::Discard), 50);
    assert_eq!(span(TRIMS).total.ios, span(TRIMS).write.ios);
    let syncs = fio(MIX).syncs.unwrap();
    assert_eq!(syncs.count as f64, written(MIX, "/jobs/0/sync/total_ios"));
    assert!(
        syncs.times.p50 <= syncs.times.p99 && syncs.times.p99 <= syncs.times.max && syncs.times.max.is_some()
    );
    // fio counts one discard where there was none.
    assert_eq!((fio(MIX).trims, fio(TRIMS).syncs), (None, None));
}

#[test]
fn failed_jobs_are_reported() {
    let failed = STONEWALL.replacen("\"error\" : 0", "\"error\" : 5", 1);
    let run = one(&failed);
    let found = run.findings.unwrap();
    assert_eq!((found.severity, found.names), (Some(Severity::Wrong), vec!["fio-job-failed".to_owned()]));
    assert_eq!(run.time_spans[0].as_ref().unwrap().fio.as_ref().unwrap().failed, [("reader".to_owned(), 5)]);
}

#[test]
fn text_around_fio_json_is_ignored() {
    for text in ALL {
        let plain = one(text);
        let noise = format!(
            "fio: this platform does not support process shared mutexes\nnote: both {{ and }} are here\n\n{text}\n\
             <127.0.0.1> fio: something\n"
        );
        assert_eq!(one(&noise), plain);
        assert_eq!(one(&text.replacen('{', "the first half hour> {", 1)), plain);
        let dos = text.replace('\n', "\r\n");
        let wide: Vec<u8> = dos.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [dos.into_bytes(), [&b"\xff\xfe"[..], &wide].concat()] {
            assert_eq!(read(&bytes, "a.json").unwrap(), std::slice::from_ref(&plain));
        }
        // Another version may leave something out, or divide by zero.
        assert_eq!(one(&text.replacen("\"bw_agg\" : 0.000000", "\"bw_agg\" : -nan", 1)), plain);
        assert_eq!(formats::of_beginning(&text.as_bytes()[..1000]).unwrap().word, "fio");
    }
}

#[test]
fn several_results_of_a_file_have_their_number() {
    let both = format!("{MIX}\n{GROUP}");
    let runs = read(both.as_bytes(), "a").unwrap();
    assert_eq!(runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["a#1", "a#2"]);
    let alone: Vec<RunSummary> =
        parts(both.as_bytes()).iter().map(|part| read(part, "x").unwrap().remove(0)).collect();
    assert_eq!((&alone[0].time_spans, &alone[1].time_spans), (&runs[0].time_spans, &runs[1].time_spans));
}

#[test]
fn last_status_of_run_is_read() {
    let early = |text: &str| {
        let mut value = value(text);
        let job = &mut value["jobs"][0];
        job["elapsed"] = (job["elapsed"].as_i64().unwrap() - 1).into();
        job["read"]["total_ios"] = 10.into();
        value["timestamp"] = (value["timestamp"].as_i64().unwrap() - 1).into();
        // Before fio 3.33 or so times are in seconds.
        value.as_object_mut().unwrap().remove("timestamp_ms");
        value.to_string()
    };
    let text = format!("{}\n{GROUP}", early(GROUP));
    assert_eq!(one(&text), one(GROUP));
    assert_eq!(parts(text.as_bytes()).len(), 1);
    // Newer versions say when a job began: states of the same second are known by it.
    let stated = |ms: i64, ios: u64| {
        let mut value = value(GROUP);
        value["jobs"][0]["job_start"] = ms.into();
        value["jobs"][0]["read"]["total_ios"] = ios.into();
        value.to_string()
    };
    let states = format!("{}\n{}\n{}", stated(1000, 10), stated(1000, 20), stated(1000, 20));
    assert_eq!(one(&states), one(&stated(1000, 20)));
    let runs = format!("{}\n{}", stated(1000, 10), stated(1001, 20));
    assert_eq!(read(runs.as_bytes(), "a").unwrap().len(), 2);
    // fio 3.33 says to the millisecond when it printed, and how long the job ran: 300 ms apart, as 500 ms.
    let printed = |ms: i64, ran: i64, ios: u64| {
        let mut value = value(GROUP);
        value["timestamp"] = (ms / 1000).into();
        value["timestamp_ms"] = ms.into();
        let job = &mut value["jobs"][0];
        (job["job_runtime"], job["elapsed"]) = (ran.into(), (ran / 1000 + 1).into());
        job["read"]["total_ios"] = ios.into();
        value.to_string()
    };
    for (second, runs) in [
        // A state 300 ms later, 1 ms later, one that the clock moved a little.
        ((100_300, 1466, 40), 1),
        ((100_001, 1167, 20), 1),
        ((100_500, 1650, 40), 1),
        // A run that began right after the first, as long, longer, much longer.
        ((101_180, 1166, 40), 2),
        ((101_700, 1690, 40), 2),
        ((110_010, 10_000, 90), 2),
        // The clock was set back.
        ((90_000, 1466, 40), 2),
    ] {
        let (ms, ran, ios) = second;
        let text = format!("{}\n{}", printed(100_000, 1166, 20), printed(ms, ran, ios));
        assert_eq!(read(text.as_bytes(), "a").unwrap().len(), runs, "{second:?}");
    }
    // The same done twice is two runs.
    assert_eq!(read(format!("{GROUP}{GROUP}").as_bytes(), "a").unwrap().len(), 2);
}

#[test]
fn fio_logs_become_time_series() {
    let log = include_bytes!("../data/fio/mix_iops.1.log").to_vec();
    let files = fio(MIX).logs;
    assert_eq!(files.len(), 4);
    let iops = files.iter().find(|files| files.of == FioSeriesOf::Iops).unwrap();
    assert!(is_log_of("mix_iops.1.log", iops) && !is_log_of("mix_bw.1.log", iops));
    assert!(files.iter().all(|files| !files.in_us));
    assert!(fio(&as_before(MIX, true)).logs.iter().all(|files| files.in_us));
    assert!(files.iter().all(|files| files.logged == FioLogged::Mean));
    let logged = |options: &str| {
        let text = MIX.replacen("\"log_avg_msec\" : \"100\"", options, 1);
        fio(&text).logs.into_iter().map(|files| files.logged).next().unwrap()
    };
    for (options, expected) in [
        ("\"iodepth\" : \"4\"", FioLogged::SingleIo),
        ("\"log_avg_msec\" : \"0\"", FioLogged::SingleIo),
        ("\"log_avg_msec\" : \"100\", \"log_max_value\" : \"0\"", FioLogged::Mean),
        ("\"log_avg_msec\" : \"100\", \"log_max_value\" : \"1\"", FioLogged::Maximum),
        ("\"log_avg_msec\" : \"100\", \"log_window_value\" : \"both\"", FioLogged::MeanAndMaximum),
    ] {
        assert_eq!(logged(options), expected, "{options}");
    }
    let courses = series(iops, &[log]);
    let read = &courses[0];
    assert_eq!((read.direction.as_str(), read.interval_s), ("read", 0.1));
    let known: Vec<f64> = read.values.iter().flatten().copied().collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    assert!((mean / written(MIX, "/jobs/0/read/iops") - 1.0).abs() < 0.2, "{mean}");
    // Of jobs behind a stonewall each has its own files.
    let logged =
        STONEWALL.replacen("\"size\" : \"4m\"", "\"size\" : \"4m\", \"write_bw_log\" : \"x/all\"", 1);
    let run = one(&logged);
    let numbers: Vec<(u32, u32)> = run
        .time_spans
        .iter()
        .flatten()
        .flat_map(|span| &span.fio.as_ref().unwrap().logs)
        .map(|files| (files.first, files.last))
        .collect();
    assert_eq!(numbers, [(1, 1), (2, 2)]);
}

#[test]
fn unreadable_input_is_refused_with_its_place() {
    let table: [(String, &str); 8] = [
        (String::new(), "not fio's JSON"),
        ("{}".into(), "not fio's JSON"),
        ("mix: (g=0): rw=randrw\nfio-3.33\nStarting 1 process\n".into(), "--output-format=json+"),
        ("{\"fio version\": \"fio-3.33\"}".into(), "line 1: fio's results hold no jobs"),
        (format!("a\n{}", &MIX[..MIX.len() / 2]), "does not end"),
        ("\n\n{\"fio version\": \"x\",\n \"jobs\": [1 2]}".into(), "line 4, column 13: this is not JSON"),
        (format!("{{\"fio version\":{}0{}}}", "[".repeat(5000), "]".repeat(5000)), "recursion limit"),
        ("{\"fio version\" : \"fio-3.33\", \"jobs\" : {}}".into(), "hold no jobs"),
    ];
    for (text, complaint) in table {
        let error = read(text.as_bytes(), "a").map(|runs| runs.len()).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error:?} should contain {complaint:?}");
    }
    // Wrong types are no figures.
    let odd = GROUP
        .replace("\"total_ios\" : 0", "\"total_ios\" : \"many\"")
        .replace("\"groupid\" : 0", "\"groupid\" : []");
    assert_eq!(span(&odd).write.ios, None);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_fio_results_are_judged_without_panic(
        at: proptest::sample::Index,
        with: String,
        gone in 0..40_usize,
    ) {
        let at = at.index(STONEWALL.len());
        let damaged = [&STONEWALL.as_bytes()[..at], with.as_bytes(), &STONEWALL.as_bytes()[(at + gone).min(STONEWALL.len())..]].concat();
        if let Err(error) = read(&damaged, "a") {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
    }
}
