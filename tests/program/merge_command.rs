//! Tests of `diskspd merge` for users: the merged record equals the I/O logs of several runs.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{command_of, directory, diskspd, output, read_json};
use diskspd::stats::{Histogram, IntervalLog, Intervals};
use serde_json::Value;
use std::path::Path;

/// I/O of a log: whether it is a write, its size, its latency, its completion time in ns.
type Logged = (bool, u64, u64, u64);

fn logged(file: &Path) -> Vec<Logged> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().skip(1).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |at: usize| cells[at].parse::<u64>().unwrap();
            (cells[2] == "write", number(4), number(6), number(5) + number(6))
        })
        .filter(|(.., end)| *end <= 1_000_000_000)
        .collect()
}

fn ms(nanos: u64) -> f64 {
    f64::from((nanos as f64 / 1000.0) as f32 / 1000.0)
}

#[test]
fn merged_counts_equal_logs_of_all_hosts() {
    let folder = directory();
    let file = |name: &str| folder.path().join(name);
    let at = |name: &str| file(name).display().to_string();
    let mut ios = Vec::new();
    for host in 0..3 {
        let (log, record) = (at(&format!("{host}.csv")), at(&format!("{host}.json")));
        let line = format!(
            "--engine sim -c1G -b4K -r -w40 -t2 -L -D250 -W0 -d1 -g1500i -z{host} --io-log {log} --out {record} {{}}"
        );
        diskspd(&line, Path::new("a.dat")).succeeds();
        ios.extend(logged(&file(&format!("{host}.csv"))));
    }
    let (all, xml, gone) = (at("all.json"), at("all.xml"), at("gone.json"));
    let files = [at("0.json"), at("1.json"), gone, at("2.json")];
    let words: Vec<&str> = ["merge"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let csv = at("all.csv");
    let words = [&words[..], &["--out", &all, "--out", &xml, "--out", &csv, "--per-host"]].concat();
    let ended: crate::common::Ended = output(&mut command_of(&words)).unwrap().into();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stdout.starts_with("3 of 4 hosts (missing: gone)\n"), "{}", ended.stdout);
    assert!(ended.stderr.contains("WRONG: only 3 of 4 hosts"), "{}", ended.stderr);
    let xmls = std::fs::read_dir(folder.path()).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "xml")
    });
    assert_eq!(xmls.count(), 4);
    let table = std::fs::read_to_string(file("all.hosts.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((&rows[0][..3], rows.len()), (&["time_span", "host", "total_iops"][..], 5), "{table}");
    assert!(rows[4][1] == "gone" && rows[4][2].is_empty(), "{table}");

    let record: Value = read_json(file("all.json"));
    let span = &record["figures"]["time_spans"][0];
    for (name, write) in [("read", false), ("write", true)] {
        let own = || ios.iter().filter(|io| io.0 == write);
        let throughput = &span[name]["total"]["throughput"];
        assert_eq!(throughput["ios"], own().count() as u64, "{name}");
        assert_eq!(throughput["bytes"], own().map(|io| io.1).sum::<u64>(), "{name}");
        let mut latencies = Histogram::new();
        own().for_each(|io| latencies.record(io.2));
        let mean = latencies.moments().mean().unwrap() / 1e6;
        assert_eq!(span[name]["total"]["latency"]["mean"].as_f64(), Some(mean), "{name}");
        // 25, 50, 75, 90, 95, 99 % and three nines are the first ones.
        for (place, share) in [0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999].into_iter().enumerate() {
            let found = span["latency"]["all"]["percentiles"][place][name].as_f64();
            assert_eq!(found, latencies.percentile(share).map(ms), "{name} {share}");
        }
    }
    ios.sort_by_key(|io| io.3);
    let mut log = IntervalLog::new(250, 1, true, 1);
    ios.iter().for_each(|(write, size, latency, end)| log.record(*end, *latency, *size, *write));
    let mut by_second = Intervals::default();
    by_second.add(log);
    let intervals = span["iops"]["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), 4);
    for (number, interval) in intervals.iter().enumerate() {
        let own = by_second.get(number).unwrap();
        let count = own.latencies().map(|(_, ios)| ios).sum::<u64>();
        assert_eq!(interval["total"]["ios"], count, "{number}");
        for (name, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
            let expected = own.percentile(share).unwrap() as f64 / 1e6;
            assert_eq!(interval["percentiles"][name].as_f64(), Some(expected), "{number} {name}");
        }
    }
}

#[test]
fn result_xml_merges_available_figures() {
    let folder = directory();
    let mut files = Vec::new();
    for host in 0..2 {
        let file = folder.path().join(format!("{host}.xml"));
        let line = format!("--engine sim -c1G -b4K -r -L -W0 -d1 -g1000i -z{host} -Rxml {{}}");
        std::fs::write(&file, diskspd(&line, Path::new("a.dat")).stdout).unwrap();
        files.push(file.display().to_string());
    }
    let ended = |words: &[&str]| -> crate::common::Ended { output(&mut command_of(words)).unwrap().into() };
    let both = ended(&["merge", &files[0], &files[1]]).succeeds();
    let total = both.stdout.lines().find(|line| line.starts_with("total")).unwrap();
    let cells: Vec<&str> = total.split_whitespace().collect();
    let alone = |file: &str| -> u64 {
        let text = ended(&["report", file]).stdout;
        let total = text.lines().find(|line| line.starts_with("total")).unwrap().to_owned();
        total.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert_eq!(cells[1].parse(), Ok(alone(&files[0]) + alone(&files[1])));
    assert!(!both.stdout.contains("99 %"), "percentiles of percentiles: {}", both.stdout);
    ended(&["merge", &files[0], &files[1], "--out", "x.json"]).fails(3, &["--out x.json", "figures"]);
}

/// The text is short, but other forms contain all rows.
#[test]
fn report_of_many_hosts_is_short() {
    let folder = directory();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let line = format!("-b4K -r -c64K -t4 -g100i -d1 -W0 -L -D250 -Sh --out {} {{}}", at("base.json"));
    diskspd(&line, &folder.path().join("a.dat")).succeeds();
    let base: Value = read_json(at("base.json"));
    let report = |hosts: usize| -> crate::common::Ended {
        let files: Vec<String> = (0..hosts).map(|host| at(&format!("n{host}.json"))).collect();
        for (host, file) in files.iter().enumerate() {
            let mut record = base.clone();
            let own = &mut record["hosts"][0];
            own["name"] = format!("n{host}").into();
            own["results"]["time_spans"][0]["started_at"] = (1_700_000_000_000 + host as i64).into();
            own["system"]["fingerprint"]["parts"]["kernel"] = if host == 3 { "old" } else { "new" }.into();
            for thread in own["results"]["time_spans"][0]["threads"].as_array_mut().unwrap() {
                thread["targets"][0]["size"] = if host == 5 { 65536 } else { 131_072 }.into();
            }
            std::fs::write(file, record.to_string()).unwrap();
        }
        let (json, xml) = (at("all.json"), at("all.xml"));
        let words: Vec<&str> = ["merge"].into_iter().chain(files.iter().map(String::as_str)).collect();
        let outs = ["--out", &json, "--out", &xml, "--out", &at("all.html")];
        output(&mut command_of(&[&words[..], &outs].concat())).unwrap().into()
    };
    for (hosts, rows) in [(20, 80), (21, 0), (300, 0)] {
        let ended = report(hosts).succeeds();
        assert_eq!(ended.report().rows("Total IO").len(), rows, "{hosts}");
        assert!(ended.report().total("Total IO").ios > 0, "{hosts}");
        assert!(hosts == 20 || ended.stdout.lines().count() <= 200, "{}", ended.stdout);
        let differences = ended.stdout.split("\nDifferences over hosts\n").nth(1).unwrap();
        for row in ["size of target 1 | 64 KiB | 1: n5", "kernel | old | 1: n3"] {
            assert!(differences.contains(row), "{row}: {differences}");
        }
        let xml = std::fs::read_to_string(at("all.xml")).unwrap();
        assert_eq!(xml.matches("<Thread>").count(), 4 * hosts);
        let page = std::fs::read_to_string(at("all.html")).unwrap();
        let table = page.split("class=\"figures sortable\"").nth(1).unwrap();
        let table = table.split("</table>").next().unwrap();
        assert_eq!(table.matches("<tr>").count(), hosts + 1);
        // The run has intervals, so that there is a map.
        assert!(page.contains("Hosts by time"), "{hosts}");
    }
}
