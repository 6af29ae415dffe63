//! Tests of metrics for dashboards, parsed by the grammar of their dialect, and by `promtool` if
//! installed.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{Ended, command_of, directory, directory_with, diskspd, side_by_side, skip};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Options of a simulated drive with reads, writes and latencies.
const RUN: &str = "--engine sim -c1M -b4K -r -w30 -o4 -L -D500 -g1000i -W0 -d2 --quiet";

/// Options of a real run of a second with little I/O, because simulated runs have no stream.
const REAL: &str = "-c1M -b4K -r -w30 -o4 -L -D200 -g100i -W0 -d1 --quiet";

/// Runs with this stream, in any format.
fn streaming(stream: &str, target: &Path) -> Ended {
    let words: Vec<&str> = REAL.split(' ').chain(["--stream", stream]).collect();
    Ended::from(command_of(&words).arg(target).output().unwrap())
}

/// Returns the samples of a text by name and labels. Fails on invalid grammar.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let mut samples = BTreeMap::new();
    let (mut families, mut family) = (BTreeSet::new(), String::new());
    for line in text.lines().filter(|line| *line != "# EOF") {
        if let Some(head) = line.strip_prefix("# ") {
            let (word, rest) = head.split_once(' ').unwrap();
            let (name, rest) = rest.split_once(' ').unwrap();
            match word {
                "HELP" => assert!(families.insert(name.to_owned()) && rest.ends_with('.'), "{line}"),
                "TYPE" => assert!(["counter", "gauge", "histogram", "info"].contains(&rest), "{line}"),
                "UNIT" => assert!(name.ends_with(&format!("_{rest}")), "{line}"),
                _ => panic!("{line}"),
            }
            family = name.trim_end_matches("_total").trim_end_matches("_info").to_owned();
            continue;
        }
        // No label of these has a blank: that would need more than this to read.
        let (sample, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) = sample.split_once('{').unwrap_or((sample, "}"));
        assert!(name.starts_with(&family), "{line} stands below {family}");
        let ending = &name[family.len()..];
        assert!(["", "_total", "_info", "_bucket", "_count", "_sum"].contains(&ending), "{line}");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
        assert!(labels.ends_with('}') && labels.matches('"').count().is_multiple_of(2), "{line}");
        let value = if value == "+Inf" { f64::INFINITY } else { value.parse().unwrap() };
        assert!(samples.insert(sample.to_owned(), value).is_none(), "{line} is there twice");
    }
    samples
}

#[test]
fn metrics_match_the_record() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    let outs =
        ["prom", "om", "json"].map(|ending| format!("--out {}", at(&format!("run.{ending}")).display()));
    diskspd(&format!("{RUN} {} {{}}", outs.join(" ")), &at("test.dat")).succeeds();
    let text = |name: &str| fs::read_to_string(at(name)).unwrap();
    let [prom, om] = ["run.prom", "run.om"].map(|name| samples(&text(name)));
    assert_eq!(prom, om);
    assert!(text("run.om").ends_with("\n# EOF\n") && !text("run.prom").contains("# EOF"));
    let record: serde_json::Value = serde_json::from_str(&text("run.json")).unwrap();
    let span = &record["figures"]["time_spans"][0];
    for direction in ["read", "write"] {
        let labels = format!("{{time_span=\"1\",direction=\"{direction}\"}}");
        let figures = &span[direction]["total"]["throughput"];
        assert_eq!(Some(prom[&format!("diskspd_ios_total{labels}")]), figures["ios"].as_f64());
        assert_eq!(
            Some(prom[&format!("diskspd_transferred_bytes_total{labels}")]),
            figures["bytes"].as_f64()
        );
        assert_eq!(Some(prom[&format!("diskspd_ios_per_second{labels}")]), figures["iops"].as_f64());
        let labels = format!("{{time_span=\"1\",direction=\"{direction}\"");
        let bucket =
            |bound: &str| prom[&format!("diskspd_io_latency_seconds_bucket{labels},le=\"{bound}\"}}")];
        assert_eq!(Some(bucket("+Inf")), figures["ios"].as_f64());
        assert!(bucket("0.000001") <= bucket("0.001") && bucket("0.001") <= bucket("10"));
        let mean = prom[&format!("diskspd_io_latency_seconds_sum{labels}}}")] / bucket("+Inf");
        let recorded = span[direction]["total"]["latency"]["mean"].as_f64().unwrap() / 1e3;
        assert!((mean / recorded - 1.0).abs() < 1e-9, "{mean} {recorded}");
    }
    understood_by_promtool(&text("run.prom"));
}

#[test]
fn run_without_figures_has_no_samples() {
    let (directory, out) = directory_with("run.prom");
    // Without -L.
    let run = RUN.replace(" -L", "");
    diskspd(&format!("{run} --out {} {{}}", out.display()), &directory.path().join("test.dat")).succeeds();
    let text = fs::read_to_string(out).unwrap();
    assert!(text.contains("diskspd_ios_total") && !text.contains("latency"), "{text}");
}

#[test]
fn metrics_stream_replaces_its_file_each_interval() {
    let directory = directory();
    let (live, target) = (directory.path().join("live.prom"), directory.path().join("test.dat"));
    streaming(&live.display().to_string(), &target).succeeds();
    let text = fs::read_to_string(&live).unwrap();
    let samples = samples(&text);
    assert_eq!(samples.iter().find(|(name, _)| name.contains("running")).unwrap().1, &0.0, "{text}");
    assert!(samples["diskspd_live_ios_total{direction=\"read\"}"] > 0.0, "{text}");
    understood_by_promtool(&text);
    // Nothing is replaced in a pipe.
    streaming("prom:-", &target).fails(1, &["--stream prom:-", "must be a regular file", "influx:-"]);
}

#[test]
fn influx_stream_follows_line_protocol() {
    let (_directory, target) = directory_with("test.dat");
    let text = streaming("influx:-", &target).stdout;
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty() && lines.len().is_multiple_of(3), "{text}");
    for line in lines {
        let [tags, fields, at] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(tags.starts_with("diskspd,direction=") && tags.contains(",time_span=1"), "{line}");
        assert!(at.len() == 19 && at.parse::<i64>().is_ok(), "{line}");
        for field in fields.split(',') {
            let (name, value) = field.split_once('=').unwrap();
            let number = value
                .strip_suffix('i')
                .map_or(value.parse::<f64>().is_ok(), |whole| whole.parse::<i64>().is_ok());
            assert!(
                number && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                "{line}"
            );
        }
    }
}

#[test]
fn stream_form_is_explicit_or_taken_from_the_suffix() {
    let directory = directory();
    let all = [
        ("a.jsonl", "{\"time_span\":1,"),
        ("b.lp", "diskspd,direction=total,"),
        ("c.PROM", "# HELP diskspd_live_running "),
        ("d", "{\"time_span\":1,"),
        ("influx:e.jsonl", "diskspd,direction=total,"),
        ("json:f.prom", "{\"time_span\":1,"),
    ];
    side_by_side(all, |(stream, begins)| {
        let (form, name) = stream.split_once(':').map_or(("", stream), |(form, name)| (form, name));
        let file = directory.path().join(name);
        let colon = if form.is_empty() { "" } else { ":" };
        let target = directory.path().join(format!("{name}.dat"));
        streaming(&format!("{form}{colon}{}", file.display()), &target).succeeds();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(begins), "{stream}: {text}");
    });
}

/// Checks the text with promtool, which must accept it without remarks on names.
fn understood_by_promtool(text: &str) {
    let program = std::env::var("DISKSPD_TEST_PROMTOOL").unwrap_or_else(|_| "promtool".to_owned());
    let checked = Command::new(&program)
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut checked) = checked else {
        return skip(
            "promtool is missing: apt-get install prometheus, or name it with DISKSPD_TEST_PROMTOOL",
        );
    };
    checked.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let said = checked.wait_with_output().unwrap();
    let words = [said.stdout, said.stderr].concat();
    assert!(said.status.success() && words.is_empty(), "{}{text}", String::from_utf8_lossy(&words));
}

#[test]
fn dashboard_uses_only_written_metrics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dashboard = fs::read_to_string(root.join("packaging/grafana/diskspd.json")).unwrap();
    let written = ["metrics.rs", "live.rs"]
        .map(|file| fs::read_to_string(root.join("crates/report/src").join(file)).unwrap())
        .concat();
    let parsed: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
    let mut expressions = Vec::new();
    collect(&parsed, &mut expressions);
    assert!(expressions.len() > 10);
    for expression in expressions {
        let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for word in words.filter(|word| word.starts_with("diskspd_")) {
            let family = ["_total", "_info", "_bucket", "_count", "_sum"]
                .iter()
                .find_map(|ending| word.strip_suffix(ending))
                .unwrap_or(word);
            assert!(written.contains(&format!("\"{family}\"")), "{word} in {expression}");
        }
    }
}

/// Collects the expressions and queries of a dashboard.
fn collect(value: &serde_json::Value, expressions: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if ["expr", "query", "definition"].contains(&&**name) => {
                        expressions.push(text.to_owned())
                    }
                    _ => collect(value, expressions),
                }
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, expressions)),
        _ => {}
    }
}
