//! Tests of merging several hosts' records: exact sums, and rejection of unrelated records. Hosts are runs
//! of the simulated device with different seeds.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::profile_and_options as parse;
use crate::common::samples::is_sample;
use diskspd::formats::json;
use diskspd::merge::{Merge, MergeError, merge_all};
use diskspd::prelude::*;
use diskspd::report::csv;
use diskspd::report_formats::TEXT;
use diskspd::results::{CommonWindow, Host, HostClock, Measured, Observations, summarize};

/// Runs a line on a simulated device of 1 GiB.
fn run(line: &str) -> Record {
    let (profile, run_options) = parse(&format!("--engine sim -c1G -b4K -W0 {line} a.dat"));
    execute(&profile, &run_options, &Session::default()).unwrap_or_else(|why| panic!("{line}: {why}")).record
}

/// Returns records of the same line on several hosts; host i uses the seed of thread i.
fn hosts(line: &str, count: u32) -> Vec<Record> {
    let host = |number: u32| {
        let mut record = run(&format!("-z{} {line}", 40 + number));
        record.hosts[0].name = format!("node{number}");
        record.hosts[0].system.computer_name = format!("node{number}");
        record.hosts[0].rank = number;
        record
    };
    (0..count).map(host).collect()
}

fn merged(records: Vec<Record>) -> Record {
    let asked = records[0].profile.clone();
    merge_all(&asked, records, Vec::new()).unwrap()
}

fn measured(record: &Record) -> Measured {
    record.check().unwrap();
    summarize(record).time_spans.remove(0).unwrap()
}

fn figures(measured: &Measured) -> Vec<diskspd::results::Figures> {
    let tables = [&measured.total, &measured.read, &measured.write].into_iter();
    tables
        .flat_map(|table| table.rows.iter().map(|row| &row.figures).chain([&table.total]))
        .cloned()
        .collect()
}

#[test]
fn hosts_merge_like_threads() {
    for line in [
        "-d2 -r -w30 -L -D100",
        "-d2 -r -L -D250 -o8",
        "-d1 -r -w100 -g500i -L -D100",
        "-d1 -r -w50",
        "-d1 -r -L --rate-total 2000",
    ] {
        let four = measured(&merged(hosts(line, 4)));
        let one = line.replace("--rate-total 2000", "--rate-total 8000");
        let one = measured(&run(&format!("-z40 -t4 {one}")));
        if line.contains("--rate-total") {
            let offered = |of: &Measured| of.paced.as_ref().map(|paced| paced.offered_iops);
            assert_eq!((offered(&four), offered(&one)), (Some(8000.0), Some(8000.0)), "{line}");
            continue;
        }
        assert_eq!(figures(&four), figures(&one), "{line}");
        assert_eq!((four.fine_percentiles, four.paced), (one.fine_percentiles, one.paced), "{line}");
        assert_eq!(four.latency.map(|charts| charts.all), one.latency.map(|charts| charts.all), "{line}");
        assert_eq!(four.iops, one.iops, "{line}");
    }
}

#[test]
fn nodes_with_largest_numbers_are_merged() {
    let mut records = hosts("-d1 -r", 2);
    for record in &mut records {
        let node = diskspd::machine::CpuNode { number: u32::MAX, masks: vec![(0, 1)] };
        record.hosts[0].system.topology.nodes = vec![node];
    }
    assert_eq!(merged(records).host().system.topology.nodes.len(), 2);
}

#[test]
fn threads_are_numbered_through_and_paths_name_their_host() {
    let record = merged(hosts("-d1 -r -t2 -L b.dat", 2));
    let four = measured(&record);
    let rows = four.total.rows.iter().map(|row| format!("{} {}", row.thread, row.path));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            "0 node0:b.dat",
            "1 node0:b.dat",
            "2 node0:a.dat",
            "3 node0:a.dat",
            "4 node1:b.dat",
            "5 node1:b.dat",
            "6 node1:a.dat",
            "7 node1:a.dat"
        ]
    );
    let charts = four.latency.unwrap();
    assert_eq!(charts.paths.len(), 4);
    let own = measured(&hosts("-d1 -r -t2 -L b.dat", 2)[1]).latency.unwrap();
    assert_eq!(charts.paths[3].chart, own.paths[1].chart);
    let cpus = record.hosts.iter().map(|host| host.system.topology.active_cpus().count()).sum::<usize>();
    assert_eq!(four.cpu.rows.len(), cpus);
    let groups: Vec<u16> = four.cpu.rows.iter().map(|row| row.place.group).collect();
    assert!(groups.is_sorted() && groups.last() > groups.first(), "{groups:?}");
}

#[test]
fn machine_of_several_ranks_counts_once() {
    let one = run("-d1 -r").hosts[0].system.clone();
    for boot in [Some("a"), None] {
        let mut records = hosts("-d1 -r", 4);
        for (record, machine) in records.iter_mut().zip(["x", "x", "y", "x"]) {
            let system = &mut record.hosts[0].system;
            (system.computer_name, system.memory_total) = (machine.into(), 1 << 30);
            system.boot = boot.map(|boot| format!("{boot}{machine}"));
        }
        let record = merged(records);
        let system = &record.merged.as_ref().unwrap().host.system;
        let of = |system: &diskspd::machine::System| {
            (
                system.topology.active_cpus().count(),
                system.topology.nodes.len(),
                system.topology.sockets.len(),
            )
        };
        let (cpus, nodes, sockets) = of(&one);
        assert_eq!(of(system), (2 * cpus, 2 * nodes, 2 * sockets), "{boot:?}");
        assert_eq!(system.memory_total, 2 << 30, "{boot:?}");
        assert_eq!(measured(&record).cpu.rows.len(), 2 * cpus, "{boot:?}");
    }
}

/// A host's record that is given twice would double its figures.
#[test]
fn copied_record_is_refused() {
    let refused = |records: &[&Record]| {
        let mut merge = Merge::default();
        let mut numbered = (1..).zip(records);
        numbered.find_map(|(number, record)| merge.add((*record).clone(), &format!("{number}.json")).err())
    };
    let records = started("-d1 -r", &[0, 0]);
    assert_eq!(refused(&[&records[0], &records[1]]), None);
    let copy = refused(&[&records[0], &records[1], &records[0]]).unwrap();
    assert_eq!(copy, MergeError::Twice { name: "3.json".into(), first: "1.json".into() });
    // Simulated runs with the same seed are alike, and no copies.
    let simulated = hosts("-d1 -r", 1);
    assert_eq!(refused(&[&simulated[0], &simulated[0]]), None);
}

#[test]
fn impossible_figures_are_refused() {
    use diskspd::results::SpanResults;
    type Change = fn(&mut SpanResults);
    let changes: [(Change, &str); 3] = [
        (|span| span.measured = 1 << 63, "ns measured"),
        (|span| span.threads[0].targets[0].read.bytes = u64::MAX, "bytes of one thread"),
        (|span| span.threads[0].targets[0].write.ios = u64::MAX, "I/Os of one thread"),
    ];
    for (change, what) in changes {
        let mut record = run("-d1 -r");
        change(&mut record.hosts[0].results.time_spans[0]);
        let read = json::read(&json::bytes(&record)).unwrap_err().to_string();
        assert!(read.contains(what) && read.contains("damaged"), "{read}");
    }
}

#[test]
fn hostile_host_name_is_escaped() {
    let mut records = hosts("-d1 -r", 2);
    records[0].hosts[0].name = "evil\x1b[2J/../x:y".into();
    records[1].hosts[0].name = "z".repeat(1000);
    let record = merged(records);
    assert_eq!(record.hosts[0].name, "evil_[2J_.._x_y");
    assert_eq!(record.hosts[1].name, "z".repeat(48));
    assert!(!TEXT.bytes(&record).contains(&0x1b));
}

#[test]
fn pool_threads_stay_on_their_host() {
    let record = merged(hosts("-d1 -r -F2 -g100i b.dat", 2));
    let span = &record.profile.time_spans[0];
    assert_eq!((span.thread_count, span.targets.len()), (4, 4));
    let threads =
        |target: usize| span.targets[target].thread_targets.iter().map(|one| one.thread).collect::<Vec<_>>();
    assert_eq!([threads(0), threads(2)], [vec![0, 1], vec![2, 3]]);
    assert_eq!(record.offered_ios_per_s(span), 800.0);
    measured(&record);
}

#[test]
fn a_merged_record_is_stored_like_any_other() {
    let record = merged(hosts("-d1 -r -w30 -L -D100 -g5000i", 3));
    let stored = json::bytes(&record);
    let read = json::read(&stored).unwrap();
    assert!(read == record && json::bytes(&read) == stored);
    assert!(TEXT.bytes(&read) == TEXT.bytes(&record));
    assert_eq!(json::read_index(&stored[..]).unwrap().unwrap().0.hosts, ["node0", "node1", "node2"]);
    let mut table = Vec::new();
    csv::write(&diskspd::checks::JudgedRecord::new(&read), &mut table).unwrap();
    assert!(table.iter().filter(|byte| **byte == b'\n').count() > 5);
}

/// `delays` of the hosts' starts in ms.
fn started(line: &str, delays: &[i64]) -> Vec<Record> {
    let mut records = hosts(line, delays.len() as u32);
    for (record, delay) in records.iter_mut().zip(delays) {
        record.hosts[0].results.time_spans[0].started_at = Some(1_700_000_000_000 + delay);
    }
    records
}

#[test]
fn intervals_of_hosts_that_began_later_are_shifted() {
    let line = "-d2 -r -w30 -L -D100";
    let ios = |record: &Record| -> Vec<u64> {
        measured(record).iops.unwrap().intervals.iter().map(|interval| interval.total.ios).collect()
    };
    let each: Vec<Vec<u64>> = hosts(line, 3).iter().map(ios).collect();
    // The second began four intervals later, the third one earlier.
    let record = merged(started(line, &[0, 410, -120]));
    let expected: Vec<u64> =
        (4..19).map(|number| each[0][number] + each[1][number - 4] + each[2][number + 1]).collect();
    assert_eq!(ios(&record), expected);
    let series = measured(&record).iops.unwrap();
    assert_eq!(series.intervals[0].started_at, Some(1_700_000_000_400));
    assert!(series.intervals.iter().all(|interval| interval.percentiles.is_some()));
    let alignment = record.merged.as_ref().unwrap().alignments[0];
    assert_eq!((alignment.start_skew_ns, alignment.shifted), (Some(530_000_000), true));
    assert_eq!(alignment.intervals_apart_ns, Some(30_000_000));
    assert_eq!(alignment.clock_uncertainty_ns, None);
    let totals: u64 = hosts(line, 3).iter().map(|host| measured(host).total.total.throughput.ios).sum();
    assert_eq!(measured(&record).total.total.throughput.ios, totals);
}

/// The last intervals do not contain a host that ended earlier.
#[test]
fn intervals_that_not_all_hosts_measured_are_left_out() {
    let mut records = hosts("-d2 -r -L -D100", 2);
    let each = |records: &[Record], number: usize| measured(&records[number]).iops.unwrap().intervals;
    let own: Vec<Vec<u64>> =
        (0..2).map(|number| each(&records, number).iter().map(|one| one.total.ios).collect()).collect();
    records[1].hosts[0].results.time_spans[0].measured = 1_499_000_000;
    let record = merged(records);
    let sum: Vec<u64> = (0..15).map(|number| own[0][number] + own[1][number]).collect();
    let found = measured(&record).iops.unwrap();
    assert_eq!(found.intervals.iter().map(|one| one.total.ios).collect::<Vec<_>>(), sum);
    let alignment = record.merged.as_ref().unwrap().alignments[0];
    assert!(alignment.truncated && !alignment.shifted);
    let text = String::from_utf8(TEXT.bytes(&record)).unwrap();
    assert!(text.starts_with("2 hosts; in the 1.50 s that all measured together: "), "{text}");
    assert!(!merged(hosts("-d2 -r -D100", 2)).merged.unwrap().alignments[0].truncated);
}

#[test]
fn merged_text_without_intervals_states_the_common_window() {
    let first = |delays: &[i64]| {
        let text = String::from_utf8(TEXT.bytes(&merged(started("-d2 -r -L", delays)))).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        first(&[0, 15, 20]),
        "3 hosts; all measured together for 1.980 s, and the tables include up to 0.020 s (1.00 %) in \
         which not all did"
    );
    assert_eq!(first(&[5]), "1 host");
}

/// Windows of hosts with a common clock are on that clock.
#[test]
fn common_clock_precedes_host_clocks() {
    let mut records = started("-d2 -r -D100", &[0, 900]);
    for (record, uncertainty_ns) in records.iter_mut().zip([0, 70]) {
        let begin_ns = 1_700_000_000_000_000_000 + uncertainty_ns as i64;
        let windows = vec![Some(CommonWindow { start_ns: begin_ns, end_ns: begin_ns + 2_000_000_000 })];
        record.hosts[0].clock = Some(HostClock { uncertainty_ns, windows, ..HostClock::default() });
    }
    let alignment = merged(records).merged.unwrap().alignments[0];
    assert_eq!((alignment.start_skew_ns, alignment.stop_skew_ns), (Some(70), Some(70)));
    assert_eq!((alignment.clock_uncertainty_ns, alignment.shifted), (Some(70), false));
}

#[test]
fn unrelated_records_are_refused_with_reason() {
    let refused = |records: Vec<Record>| {
        let asked = records[0].profile.clone();
        merge_all(&asked, records, Vec::new()).unwrap_err().to_string()
    };
    let of = |first: &str, second: &str| vec![hosts(first, 1).remove(0), hosts(second, 2).remove(1)];
    for (first, second, why) in [
        ("-d1 -r", "-d2 -r", "profile.time_spans[0].duration is 2 instead of 1"),
        ("-d1 -r -o2", "-d1 -r -o8", "profile.time_spans[0].targets[0].request_count is 8 instead of 2"),
        ("-d1 -r", "-d1 -r --rate-total 5", "method.rate_total is something else instead of nothing"),
    ] {
        let message = refused(of(first, second));
        assert!(
            message.starts_with("node1 belongs to another run than node0: ") && message.contains(why),
            "{message}"
        );
    }
    is_sample("cases", "merge: hosts at different times", &refused(started("-d2 -r", &[0, 1500])));
    let record = merged(hosts("-d1 -r", 2));
    is_sample("cases", "merge: a merged record", &refused(vec![record]));
    assert_eq!(Merge::default().finish(), Err(MergeError::Nothing));
}

#[test]
fn equal_host_names_are_numbered_and_gaps_are_kept() {
    let mut records = hosts("-d1 -r", 3);
    records.iter_mut().for_each(|record| record.hosts[0].name = "node".into());
    records[2].hosts[0].rank = 3;
    let missing =
        Host { name: "node".into(), rank: 2, missing: Some("killed by signal 9".into()), ..Host::default() };
    let asked = records[0].profile.clone();
    let record = merge_all(&asked, records, vec![missing]).unwrap();
    let names: Vec<(&str, u32)> = record.hosts.iter().map(|host| (host.name.as_str(), host.rank)).collect();
    assert_eq!(names, [("node", 0), ("node#2", 1), ("node#3", 2), ("node#4", 3)]);
    assert_eq!(record.present().count(), 3);
    assert_eq!(json::read(&json::bytes(&record)).unwrap().hosts[2], record.hosts[2]);
}

/// The report begins with the number of hosts, continues as in DISKSPD, and ends with a table of hosts.
#[test]
fn merged_text_has_summary_line_and_host_table() {
    let line = |number: u32| format!("-d1 -r -L -z{number} -g{}i", 1000);
    let mut records: Vec<Record> = (0..5).map(|number| run(&line(number))).collect();
    // The third one did less of the same: what it counted is cut.
    let slow = &mut records[2].hosts[0];
    slow.results.time_spans[0].measured *= 2;
    for (record, number) in records.iter_mut().zip(0..) {
        record.hosts[0].name = format!("node{number}");
    }
    let record = merged(records);
    let text = String::from_utf8(TEXT.bytes(&record)).unwrap();
    assert!(text.starts_with("5 hosts\n\nCommand Line: "), "{text}");
    let (_, table) = text.split_once("\nHosts, slowest first\n").unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("host   |    MiB/s   |  I/O per s |"), "{table}");
    assert!(lines[2].starts_with("node2  | ") && lines[2].ends_with("(straggler)"), "{table}");
    assert!(lines[8].starts_with("min    | ") && lines[9].starts_with("median | "), "{table}");
    assert!(table.contains("straggler: node2: "), "{table}");
    let judged = diskspd::checks::JudgedRecord::new(&record);
    let found = judged.judgement.findings.iter().find(|finding| finding.name == "stragglers").unwrap();
    assert_eq!(found.message, "1 of 5 hosts are slower than the others: node2");
}

#[test]
fn early_end_of_all_hosts_is_one_finding() {
    use diskspd::results::{EndedBy, RunOutcome};
    let early = RunOutcome { cause: EndedBy::Interrupt, after: Some(1_000_000_000) };
    for (stopped, expected) in [(0, 0), (1, 1), (2, 1)] {
        let mut records = hosts("-d2 -r", 2);
        for record in records.iter_mut().take(stopped) {
            record.hosts[0].results.time_spans[0].ended = Some(early);
        }
        let record = merged(records);
        let found = diskspd::checks::JudgedRecord::new(&record).judgement.findings;
        let found: Vec<_> = found.into_iter().filter(|finding| finding.name == "ended-early").collect();
        assert_eq!(found.len(), expected, "{stopped}: {found:?}");
    }
}

#[test]
fn findings_of_hosts_are_combined_and_shared_devices_recognized() {
    use diskspd::machine::storage::BlockDevice;
    let mut records = hosts("-d1 -r", 3);
    for (record, identity) in records.iter_mut().zip([Some("naa.1"), Some("naa.1"), None]) {
        let identity = identity.map(str::to_owned);
        let device = BlockDevice { identity, ..BlockDevice::default() };
        record.hosts[0].targets[0].storage.device = Some(device);
        record.hosts[0].results.time_spans[0].errors.push(diskspd::results::IoErrors {
            target: diskspd::profile::TargetId(0),
            direction: diskspd::engines::Direction::Read,
            errno: 5,
            count: 1,
            first_offset: 0,
            at_us: vec![],
        });
    }
    let record = merged(records);
    let judged = diskspd::checks::JudgedRecord::new(&record);
    let messages = |name: &str| -> Vec<String> {
        let of = judged.judgement.findings.iter().filter(|finding| finding.name == name);
        of.map(|finding| finding.message.clone()).collect()
    };
    let shared = messages("shared-device");
    is_sample("cases", "merge: hosts on one device", &shared.join("\n"));
    let failed = messages("failed-ios");
    assert!(
        failed.len() == 1 && failed[0].starts_with("on all 3 hosts; on node0: 1 I/O failed"),
        "{failed:?}"
    );
    assert_eq!(measured(&record).failed, 3);
}

fn on_disks(line: &str, boots: &[(&str, f64)]) -> Vec<Record> {
    use diskspd::machine::io_counters::{Activity, DeviceActivity, DeviceFacts, Flow, OwnIo, TargetDevices};
    use diskspd::machine::stack::{Layer, Stack};
    use diskspd::machine::storage::BlockDevice;
    let mut records = hosts(line, boots.len() as u32);
    for (record, (boot, times)) in records.iter_mut().zip(boots) {
        let host = &mut record.hosts[0];
        host.system.boot = Some((*boot).into());
        host.targets[0].storage.device =
            Some(BlockDevice { name: "/dev/sdx".into(), ..BlockDevice::default() });
        let span = &mut host.results.time_spans[0];
        let rows = span.threads.iter().flat_map(|thread| &thread.targets);
        let (ios, bytes) = rows.fold((0, 0), |sum, row| (sum.0 + row.read.ios, sum.1 + row.read.bytes));
        let times = |of: u64| (of as f64 * times) as u64;
        let layer = Layer { name: "sdx".into(), one_to_one: true, statistics: true, ..Layer::default() };
        let stack = Stack { top_devices: vec!["sdx".into()], layers: vec![layer], ..Stack::default() };
        let read = Flow { ios: times(ios), merges: 0, bytes: times(bytes) };
        let done = Activity { read, ..Activity::default() };
        span.observed = Some(Observations {
            devices: Some(DeviceFacts {
                targets: vec![TargetDevices { stack, ..TargetDevices::default() }],
                devices: vec![DeviceActivity {
                    name: "sdx".into(),
                    activity: done,
                    has_statistics: true,
                    ..DeviceActivity::default()
                }],
                process: Some(OwnIo { read_bytes: bytes, ..OwnIo::default() }),
                elapsed: span.measured,
                ..DeviceFacts::default()
            }),
            ..Observations::default()
        });
    }
    records
}

#[test]
fn ranks_on_one_disk_are_not_foreign() {
    let verdicts = |boots: &[(&str, f64)]| {
        let record = merged(on_disks("-d1 -r -Su", boots));
        let kept = record.hosts.iter().map(|host| host.summary.clone().unwrap());
        let kept = kept.map(|summary| {
            let (devices, known) = (&summary.devices[0], summary.run.time_spans[0].clone().unwrap());
            assert_eq!(known.verdict, Some(devices.verdict));
            (devices.verdict.to_string(), devices.ranks)
        });
        let hosts: Vec<(String, usize)> = kept.collect();
        let judged = diskspd::checks::JudgedRecord::new(&record).judgement;
        let shared = judged.findings.iter().filter(|finding| finding.name == "shared-device");
        let shared: Vec<String> = shared.map(|finding| finding.message.clone()).collect();
        (hosts, judged.verdicts[0].parts[0].message.clone(), shared)
    };
    let found = |words: &[(&str, usize)]| -> Vec<(String, usize)> {
        words.iter().map(|(word, ranks)| ((*word).to_owned(), *ranks)).collect()
    };
    // Both ranks of kernel a see the I/O of both, the host with kernel b its own.
    let (hosts, message, shared) = verdicts(&[("a", 2.0), ("b", 1.0), ("a", 2.0)]);
    assert_eq!(hosts, found(&[("verified", 2), ("verified", 1), ("verified", 2)]));
    is_sample("cases", "merge: ranks on one device", &format!("{message}\n{}", shared.join("\n")));
    // Somebody else did as much again as they did together.
    let (hosts, message, shared) = verdicts(&[("a", 4.0), ("a", 4.0)]);
    assert_eq!(hosts, found(&[("shared", 2), ("shared", 2)]));
    is_sample("cases", "merge: other I/O on a shared device", &message);
    assert_eq!(shared.len(), 1, "on one machine it is known: {shared:?}");
    // On machines of their own that is somebody else's doing.
    assert_eq!(verdicts(&[("a", 2.0), ("b", 2.0)]).0, found(&[("shared", 1), ("shared", 1)]));
}
