//! Options of the worker loop on real files: rates, bursts, wait statistics, completion routines, the log. Counts
//! decide, not timings.

#![allow(clippy::unwrap_used)]

use crate::common::{Report, again, directory, diskspd, read_json, side_by_side};
use serde_json::Value;
use std::path::Path;

fn file(directory: &tempfile::TempDir) -> std::path::PathBuf {
    let file = directory.path().join("test.dat");
    std::fs::write(&file, vec![1; 4 << 20]).unwrap();
    file
}

/// Checks that the rate limits the I/Os of the measurement. Each thread may have one more at both ends, and
/// late thread starts on a busy machine may lose some. Such delayed I/Os may also fall into the measurement.
#[track_caller]
fn within(line: &str, file: &Path, rate: f64) {
    again(|| {
        let total = diskspd(line, file).report().total("Total IO");
        let asked = rate * total.ios as f64 / total.iops;
        let threads = if line.contains("-t4") { 4.0 } else { 1.0 };
        let kept = (asked * 0.95 - 3.0..=asked * 1.005 + 3.0 + threads).contains(&(total.ios as f64));
        kept.then_some(()).ok_or_else(|| format!("{line}: {} I/Os instead of {asked}", total.ios))
    });
}

#[test]
fn engines_keep_the_rate_at_every_depth() {
    let directory = directory();
    let file = file(&directory);
    let rates = [
        ("-g100i -o1", 100.0),
        ("-g100i -o8 -L", 100.0),
        ("-g100i -o32 -D -Su", 100.0),
        ("-g1000i --engine null -o4", 1000.0),
        ("-g1000i -t4 -o2", 4000.0),
        // 4 blocks of 4 KiB in 10 ms.
        ("-g1638 -o2", 1638.0 * 1000.0 / 4096.0),
        ("-g7i -o2 -i1 -j500", 7.0),
    ];
    side_by_side(rates, |(line, rate)| {
        within(&format!("{line} -b4K -r -W0 -d2 {{}}"), &file, rate);
    });
}

#[test]
fn rate_continues_through_warm_up_without_burst() {
    let directory = directory();
    let file = file(&directory);
    within("-g50i -b4K -o8 -W1 -C1 -d2 -D {}", &file, 50.0);
}

#[test]
fn each_target_of_a_thread_has_its_own_limit() {
    let directory = directory();
    let (a, b) = (file(&directory), directory.path().join("b.dat"));
    std::fs::write(&b, vec![1; 1 << 20]).unwrap();
    again(|| {
        let ended = diskspd(&format!("-F1 -g100i -b4K -o3 -W0 -d2 {} {{}}", a.display()), &b);
        let rows = ended.report().rows("Total IO");
        let ios: Vec<u64> = rows.iter().map(|row| row[2].parse().unwrap()).collect();
        let kept = ios.len() == 2 && ios.iter().all(|ios| (170..=203).contains(ios));
        kept.then_some(()).ok_or_else(|| format!("{ios:?}"))
    });
}

#[test]
fn bursts_are_followed_by_pauses() {
    let directory = directory();
    let file = file(&directory);
    // Bursts of 10 with 100 ms in between are at most 20 in 2 s; with 2 threads, 5 each.
    let bursts = [("-i10 -j100 -o4", 210), ("-i10 -j100 -o1", 210), ("-i10 -j100 -t2 -o2 -L", 210)];
    side_by_side(bursts, |(line, most)| {
        again(|| {
            let ended = diskspd(&format!("{line} -b4K -W0 -d2 {{}}"), &file);
            let ios = ended.report().total("Total IO").ios;
            (most / 2..=most).contains(&ios).then_some(()).ok_or_else(|| format!("{line}: {ios}"))
        });
    });
    let ended = diskspd("--engine sim -i10 -j100 -o4 -b4K -W0 -d2 {}", &file);
    assert_eq!(ended.report().total("Total IO").ios, 200);
}

#[test]
fn synchronous_bursts_pause_and_others_are_reported() {
    let directory = directory();
    let file = file(&directory);
    let run = |line: &str| diskspd(&format!("{line} -b4K -r -W0 -d1 {{}}"), &file);
    let ios = |line: &str| run(line).report().total("Total IO").ios;
    // Bursts of 10, 100 ms apart: 10 of them in a second.
    assert_eq!(ios("-x -o1 --engine sim -i10 -j100"), 100);
    for line in ["-x -o1 -i10 -j100", "-x -o4 --engine sync -i10 -j100"] {
        again(|| {
            let ios = ios(line);
            (50..=110).contains(&ios).then_some(()).ok_or_else(|| format!("{line}: {ios}"))
        });
    }
    assert!(ios("-x -o4 --engine sim -i10 -j100") > 1000);
    assert_eq!(ios("--engine sim -o4 -g100i -i1 -j1000"), 100 - 1, "the limit goes before pauses");
    for (line, told) in [
        ("-x -o4 -i10 -j100", Some("no effect with completion routines (-x)")),
        ("-x -o2 -F1 -i10 -j100", Some("no effect with completion routines (-x)")),
        ("-o4 -g100i -i1 -j1000", Some("no effect with -g")),
        ("-o1 -g100i -i1 -j1000", Some("no effect with -g")),
        ("-x -o1 -i10 -j100", None),
        ("-o4 -i10 -j100", None),
        ("-o4 -g100i", None),
        ("-x -o4", None),
    ] {
        let ended = run(&format!("--engine sim {line}"));
        ended.report();
        let warnings: Vec<&str> =
            ended.stderr.lines().filter(|l| l.starts_with("WARNING: ") && l.contains("no effect")).collect();
        assert_eq!(warnings.len(), usize::from(told.is_some()), "{line}: {}", ended.stderr);
        assert!(warnings.iter().all(|line| line.contains("-i and -j") && line.contains(told.unwrap())));
    }
}

fn deviations(csv: &str, rate: f64) -> (f64, f64) {
    let column = csv.lines().next().unwrap().split(',').position(|name| name == "total_iops").unwrap();
    let iops: Vec<f64> =
        csv.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    assert_eq!(iops.len(), 10, "{csv}");
    let off = |iops: f64| (iops - rate).abs() / rate * 100.0;
    (off(iops.iter().sum::<f64>() / 10.0), iops.iter().map(|&second| off(second)).fold(0.0, f64::max))
}

#[test]
fn rate_is_exact_in_total_and_in_each_second() {
    let directory = directory();
    let (file, csv) = (file(&directory), directory.path().join("rate.csv"));
    for (limit, per_thread) in [("-g1000i", 1000.0), ("-g62i", 62.0), ("-g333i", 333.0), ("-g4096", 1000.0)] {
        for threads in [1, 16] {
            for depth in [1, 4] {
                let line = format!(
                    "--engine sim {limit} -t{threads} -o{depth} -b4096 -r -D1000 -W1 -d10 --out {}",
                    csv.display()
                );
                diskspd(&format!("{line} {{}}"), &file).report();
                let (total, worst) =
                    deviations(&std::fs::read_to_string(&csv).unwrap(), per_thread * f64::from(threads));
                assert!(total <= 0.5 && worst <= 2.0, "{line}: {total} % off, {worst} % in a second");
            }
        }
    }
}

/// Returns completion waits, throttle waits, throttle sleeps, polls, and completions per poll, of thread 0.
fn waits(report: &Report<'_>) -> Vec<u64> {
    let table = report.0.split_once("\nWait Statistics\n").unwrap().1;
    let row = table.lines().nth(2).unwrap();
    row.split(['|', ' ', '-'])
        .filter(|cell| !cell.is_empty())
        .skip(1)
        .map(|cell| cell.parse().unwrap())
        .collect()
}

#[test]
fn wait_statistics_count_what_happened() {
    let directory = directory();
    let file = file(&directory);
    let of = |line: &str| {
        let ended = diskspd(&format!("{line} -vs -b4K -r -W0 -d1 {{}}"), &file);
        let report = ended.report();
        (waits(&report), report.total("Total IO").ios)
    };
    // Without an end that depends on what was read: that is waited for with a look at the clock.
    let (plain, _) = of("-o16");
    assert!(plain[0] > 0 && plain[1..].iter().all(|&n| n == 0), "{plain:?}");
    for line in ["-o16 -L", "-o64 -D", "-o16 -L -Su"] {
        let (looking, _) = of(&format!("{line} --until-read 4M"));
        assert_eq!(looking[3], looking[4..].iter().sum::<u64>(), "{line}: {looking:?}");
        assert!(looking[3] > 0, "{line}: {looking:?}");
    }
    let (synchronous, _) = of("-o1 -L --until-read 4M");
    assert_eq!(synchronous, [0; 12]);
    let (routines, ios) = of("-o8 -x -L --until-read 4M");
    assert_eq!(routines, [0; 12]);
    assert!(ios > 8);
    // Who is woken late catches up without a sleep.
    let (sleeping, _) = of("-o1 -g100i");
    assert!(sleeping[2] > 0 && sleeping[0] == 0 && sleeping[1] == 0, "{sleeping:?}");
    let (limited, ios) = of("--engine sim -o4 -g1000i");
    assert_eq!((limited[0], limited[3]), (0, 0), "{limited:?}");
    assert!(
        limited[1] >= ios && limited[2] >= ios,
        "a wait with and a sleep without I/O in flight: {limited:?}"
    );
    // With -L a look after each of them, while three requests are left, which finds nothing yet.
    let (looking, ios) = of("--engine sim -o4 -g1000i -L");
    assert!(looking[1] >= ios && looking[2] >= ios, "{looking:?}");
    assert!((ios..=ios + 1).contains(&looking[3]) && looking[3] == looking[4], "{ios} I/Os: {looking:?}");
    // The same for bursts; none after the last idle request, when the thread waits for completions.
    let (bursts, ios) = of("--engine sim -o4 -i1 -j1 -L");
    assert!((ios..=ios + 1).contains(&bursts[3]), "{ios} I/Os: {bursts:?}");
    let (none_left, _) = of("--engine sim -o1 -i1 -j1 -L");
    assert_eq!(none_left[3], 0, "{none_left:?}");
}

#[test]
fn simulated_run_is_reproducible_with_any_options() {
    let directory = directory();
    let file = file(&directory);
    for line in [
        "-W1 -g777i -o4",
        "-i7 -j3 -o8 -L",
        "-x -o8 -L",
        "-w50 -Zr -Z64K -o8 -D",
        "-g50000i -o64 -w30 -L -F2",
    ] {
        let run = || {
            let ended = diskspd(&format!("--engine sim BRIEF {line} -vs -b4K -r {{}}"), &file);
            ended.report();
            ended.stdout.split_once("\nTotal IO\n").unwrap().1.to_string()
        };
        assert_eq!(run(), run(), "{line}");
    }
}

#[test]
fn simulated_run_is_equal_on_one_and_all_cpus() {
    let directory = directory();
    let file = file(&directory);
    for line in ["-t7 -o8 -r -w30 -L -D100", "-t5 -o4 -si", "-t3 -o64 -r -g900i -L -D", "-F9 -o2 -L"] {
        let words = format!("--engine sim -W1 -d1 {line} -b4K -v {}", file.display());
        let of = |program: &mut std::process::Command| -> (String, Vec<String>) {
            let ended: crate::common::Ended =
                crate::common::output(program.args(words.split(' '))).unwrap().into();
            let ready =
                |line: &str| Some(line.split_once(": thread ")?.1.split_once(" ready: seed ")?.0.to_owned());
            let ready = ended.stderr.lines().chain(ended.stdout.lines()).filter_map(ready);
            (ended.stdout.split_once("\nTotal IO\n").unwrap().1.to_string(), ready.collect())
        };
        let all = of(&mut crate::common::command_of(&[]));
        let mut one = std::process::Command::new("taskset");
        assert_eq!(all, of(one.args(["-c", "0", env!("CARGO_BIN_EXE_diskspd")])), "{line}");
        assert!(all.1.len() > 1, "{line}");
    }
}

/// Returns the lines of a log without the header: thread, target, direction, offset, size, start, latency.
fn log(path: &Path) -> Vec<(u64, u64, String, u64, u64, u64, u64)> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("thread,target,direction,offset,size,start_ns,latency_ns,due_ns"));
    lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |i: usize| cells[i].parse().unwrap();
            (number(0), number(1), cells[2].to_string(), number(3), number(4), number(5), number(6))
        })
        .collect()
}

/// Returns (due, start, latency) of the I/Os in a log, in ns.
fn times(path: &Path) -> Vec<(u64, u64, u64)> {
    let text = std::fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let cells: Vec<u64> = line.split(',').map(|cell| cell.parse().unwrap_or(0)).collect();
        (cells[7], cells[5], cells[6])
    };
    text.lines().skip(1).filter(|line| !line.starts_with('#')).map(line).collect()
}

fn paced(record: &Path) -> (Value, Vec<Value>) {
    let record: Value = read_json(record);
    let findings = record["judgement"]["findings"].as_array().unwrap().clone();
    (record["figures"]["time_spans"][0]["paced"].clone(), findings)
}

fn find<'a>(findings: &'a [Value], name: &str) -> Option<&'a Value> {
    findings.iter().find(|finding| finding["name"] == name)
}

/// Returns the latency of rank `p` in 100,000.
fn percentile(sorted: &[u64], p: u64) -> f64 {
    sorted[(sorted.len() as u64 * p).div_ceil(100_000) as usize - 1] as f64 / 1e6
}

#[test]
fn response_times_count_from_due_time() {
    let directory = directory();
    let (file, at) = (file(&directory), |name: &str| directory.path().join(name).display().to_string());
    // Nothing is done from second 3 to 4.
    let line = format!(
        "--engine sim:stall -b4K -r -w30 -o4 -g500i -L -D1000 -W0 -d6 --io-log {} --out {} --out {} {{}}",
        at("log.csv"),
        at("run.json"),
        at("run.csv")
    );
    let ended = diskspd(&line, &file);
    ended.report();
    let mut all: Vec<(u64, u64, u64)> = times(&directory.path().join("log.csv"));
    all.retain(|(_, start, latency)| start + latency < 6_000_000_000);
    let (figures, findings) = paced(&directory.path().join("run.json"));
    assert_eq!(figures["ios"], all.len());
    let late = all.iter().filter(|(due, start, _)| start - due > 1_000_000).count();
    assert!(late > 490 && figures["late_starts"] == late, "{late} {figures}");
    let (mut service, mut response): (Vec<u64>, Vec<u64>) =
        all.iter().map(|(due, start, latency)| (*latency, start + latency - due)).unzip();
    service.sort_unstable();
    response.sort_unstable();
    for (row, p) in [(1, 50_000), (3, 90_000), (5, 99_000)] {
        for (kind, sorted) in [("service", &service), ("response", &response)] {
            let told = figures[kind]["chart"]["percentiles"][row]["total"].as_f64().unwrap();
            let true_one = percentile(sorted, p);
            assert!((told / true_one - 1.0).abs() < 0.002, "{kind} {p}: {told} {true_one}");
        }
    }
    assert!(percentile(&service, 99_000) < 1.0 && percentile(&response, 90_000) > 300.0);
    let mean = response.iter().sum::<u64>() as f64 / 1e6 / response.len() as f64;
    assert!((figures["response"]["total"]["mean"].as_f64().unwrap() - mean).abs() < 1e-6);
    let finding = find(&findings, "late-starts").unwrap();
    assert_eq!(finding["severity"], "warning");
    assert!(finding["message"].as_str().unwrap().starts_with("16.7 % of the I/Os (50"), "{finding}");
    assert!(finding["evidence"][0].as_str().unwrap().contains("p99 "), "{finding}");

    // By interval: the one behind the stall has it.
    let csv = std::fs::read_to_string(at("run.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "response_p50_ms").unwrap();
    let cell = |interval: usize, offset: usize| rows[interval][column + offset].parse::<f64>().ok();
    assert!(cell(1, 0).unwrap() < 1.0 && cell(4, 0).is_none(), "{csv}");
    assert!(cell(5, 1).unwrap() > 800.0 && cell(5, 4).unwrap() >= cell(5, 3).unwrap(), "{csv}");
}

#[test]
fn kept_rate_has_no_finding() {
    let directory = directory();
    let (file, json) = (file(&directory), directory.path().join("run.json"));
    for (line, has_times) in [
        ("-g500i -L", true),
        ("-g500i", true),
        ("-g2000 -L -t2", true),
        ("-i10 -j20 -L", false),
        ("-L", false),
    ] {
        let line = format!("--engine sim -b4K -r -o4 {line} -W0 -d3 --out {} {{}}", json.display());
        diskspd(&line, &file).report();
        let (figures, findings) = paced(&json);
        assert_eq!(figures.is_object(), has_times, "{line}: {figures}");
        assert_eq!(figures["response"].is_object(), has_times && line.contains("-L"), "{line}");
        assert!(find(&findings, "late-starts").is_none(), "{line}: {findings:?}");
        assert!(!has_times || figures["late_starts"] == 0, "{line}: {figures}");
    }
}

#[test]
fn unstarted_io_is_reported_without_latencies() {
    let directory = directory();
    let (file, json) = (file(&directory), directory.path().join("run.json"));
    // The run ends in the middle of the stall, or with it.
    for (seconds, overdue, percent) in [(4, 496..=498, "24.9 %"), (7, 0..=1, "14.3 %")] {
        let line =
            format!("--engine sim:stall -b4K -r -o4 -g500i -W0 -d{seconds} --out {} {{}}", json.display());
        diskspd(&line, &file).report();
        let (figures, findings) = paced(&json);
        assert!(overdue.contains(&figures["not_submitted"].as_u64().unwrap()), "{figures}");
        let message = find(&findings, "late-starts").unwrap()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(percent), "{message}");
    }
}

/// File system whose writes wait, until this is dropped.
struct Frozen<'a>(&'a Path);

impl Frozen<'_> {
    fn new(at: &Path) -> Option<Frozen<'_>> {
        crate::common::loops::run("fsfreeze", &["--freeze", at.to_str()?]).map(|_| Frozen(at))
    }
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        crate::common::loops::run("fsfreeze", &["--unfreeze", self.0.to_str().unwrap_or_default()]);
    }
}

#[test]
fn stalled_file_system_lengthens_response_times() {
    let Some((_device, at)) = crate::common::loops::Loop::with_file_system(32 << 20, "ext4") else { return };
    let directory = directory();
    let (file, json) = (at.join("test.dat"), directory.path().join("run.json"));
    std::fs::write(&file, vec![1; 4 << 20]).unwrap();
    let line = format!("-b4K -r -w100 -o2 -g200i -Su -L -W0 -d3 --out {} {{}}", json.display());
    let run = crate::common::Running::until(": measuring", &line, &file);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let frozen = Frozen::new(&at);
    std::thread::sleep(std::time::Duration::from_millis(1000));
    let was_frozen = frozen.is_some();
    drop(frozen);
    run.end().report();
    if !was_frozen {
        return;
    }
    let (figures, findings) = paced(&json);
    let at = |kind: &str, row: usize| figures[kind]["chart"]["percentiles"][row]["total"].as_f64().unwrap();
    // A third of the I/Os were due meanwhile; only two at a time are counted with it.
    let late = figures["late_starts"].as_u64().unwrap() as f64 / figures["ios"].as_u64().unwrap() as f64;
    assert!(late > 0.2, "{figures}");
    assert!(at("response", 3) > 300.0, "{figures}");
    let service = figures["service"]["total"]["mean"].as_f64().unwrap();
    let response = figures["response"]["total"]["mean"].as_f64().unwrap();
    assert!(response > service + 50.0, "{service} {response}");
    assert!(find(&findings, "late-starts").is_some(), "{findings:?}");
    let limited = find(&findings, "limited-by-profile");
    assert!(limited.is_none_or(|limit| limit["message"].as_str().unwrap().contains("started late")));
}

#[test]
fn log_contains_the_start_of_measuring() {
    let directory = directory();
    let (csv, record, profile) =
        (directory.path().join("log.csv"), directory.path().join("r.json"), directory.path().join("p.xml"));
    let span = |warm_up: u32| {
        format!(
            "<TimeSpan><Duration>1</Duration><Warmup>{warm_up}</Warmup><Targets><Target><Path>{}</Path>\
             <BlockSize>4096</BlockSize><ThreadsPerFile>1</ThreadsPerFile><Random>4096</Random>\
             <Throughput unit=\"IOPS\">500</Throughput></Target></Targets></TimeSpan>",
            file(&directory).display()
        )
    };
    let text = format!("<Profile><TimeSpans>{}{}</TimeSpans></Profile>", span(1), span(0));
    std::fs::write(&profile, text).unwrap();
    let utc =
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let before = utc();
    let line = format!("--io-log {} --out {} -X{{}}", csv.display(), record.display());
    assert_eq!(diskspd(&line, &profile).code, 0);
    let after = utc();
    let record: serde_json::Value = read_json(&record);
    let spans = record["hosts"][0]["results"]["time_spans"].as_array().unwrap();
    let log = std::fs::read_to_string(&csv).unwrap();
    let parts: Vec<&str> = log.split("\n\n").collect();
    assert_eq!(parts.len(), 2, "{log}");
    for (number, (part, span)) in (1..).zip(parts.iter().zip(spans)) {
        let told: Vec<&str> = part.lines().filter(|line| line.starts_with('#')).collect();
        let [told] = told[..] else { panic!("{told:?}") };
        assert!(told.starts_with(&format!("# time_span={number} ")), "{told}");
        let value = |name: &str| -> u64 {
            let mut words = told.split(' ');
            words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok()).unwrap()
        };
        let (signal, measuring) = (value("start_signal_utc_ns"), value("measuring_utc_ns"));
        let begin = value("measuring_ns");
        assert!(before <= signal && measuring <= after && measuring - signal == begin, "{told}");
        assert_eq!(begin >= 1_000_000_000, number == 1, "{told}");
        let began = &span["start"];
        assert_eq!(
            [&began["start_signal_utc_ns"], &began["measuring_utc_ns"]].map(|v| v.as_u64()),
            [Some(signal), Some(measuring)]
        );
        let end = begin + span["measured"].as_u64().unwrap();
        let ends = part.lines().filter_map(|line| {
            let cells: Vec<u64> = line.split(',').map(|cell| cell.parse().unwrap_or(0)).collect();
            Some(cells.get(5)? + cells.get(6)?)
        });
        let counted = ends.filter(|at| (begin..end).contains(at)).count() as u64;
        let ios = span["threads"][0]["targets"][0]["read"]["ios"].as_u64().unwrap();
        // A worker looks at the phase behind its stamp: an I/O at each edge may be on either side.
        assert!(ios > 0 && counted.abs_diff(ios) <= 2, "{counted} of {ios}: {told}");
    }
}

#[test]
fn io_log_contains_every_io() {
    let directory = directory();
    let (a, b, csv) = (file(&directory), directory.path().join("b.dat"), directory.path().join("log.csv"));
    std::fs::write(&b, vec![1; 1 << 20]).unwrap();
    // Without -L: the log takes its own stamps.
    let options = "-t2 -b4K -B4K -r -w40 -o4 -g500i -W0 -d1";
    let ended = diskspd(&format!("{options} --io-log {} {} {{}}", csv.display(), a.display()), &b);
    let total = ended.report().total("Total IO");
    let lines = log(&csv);
    assert!(!ended.stderr.contains("missing"), "{}", ended.stderr);
    // I/Os that complete between the end of the measured time and the stop are logged, not counted.
    assert!(
        lines.len() as u64 >= total.ios && lines.len() as u64 <= total.ios + 100,
        "{} {total:?}",
        lines.len()
    );
    let writes = ended.report().total("Write IO").ios;
    assert!(lines.iter().filter(|line| line.2 == "write").count() as u64 >= writes);
    for (thread, target, direction, offset, size, start, latency) in &lines {
        assert_eq!(thread / 2, *target, "two threads for each target");
        assert!(direction == "read" || direction == "write");
        assert!(
            *offset >= 4096 && offset % 4096 == 0 && offset + size <= [4 << 20, 1 << 20][*target as usize]
        );
        assert_eq!(*size, 4096);
        // 500 I/Os per second, the first after 2 ms.
        assert!(*start >= 2_000_000 && *start < 60_000_000_000 && *latency > 0);
    }
    let threads: std::collections::HashSet<u64> = lines.iter().map(|line| line.0).collect();
    assert_eq!(threads.len(), 4);
}

#[test]
fn simulated_log_is_complete_and_reproducible() {
    let directory = directory();
    let (file, csv) = (file(&directory), directory.path().join("log.csv"));
    let run = || {
        let line = format!("--engine sim -t2 -b4K -r -w30 -o8 BRIEF --io-log {} {{}}", csv.display());
        let ended = diskspd(&line, &file);
        assert_eq!(ended.report().total("Total IO").ios, log(&csv).len() as u64);
        std::fs::read(&csv).unwrap()
    };
    assert_eq!(run(), run());
}

#[test]
fn failed_io_ends_the_run_except_with_completion_routines() {
    let directory = directory();
    let (file, limit) = (file(&directory), 2 << 20);
    if crate::common::tool("prlimit --version").is_none()
        || crate::common::tool("env --ignore-signal=XFSZ true").is_none()
    {
        return crate::common::skip(
            "prlimit (util-linux) or env --ignore-signal (coreutils 8.31) is missing",
        );
    }
    // Writes beyond the process's file size limit fail with EFBIG; half of the target lies there.
    let run = |options: &str| -> crate::common::Ended {
        std::process::Command::new("prlimit")
            .arg(format!("--fsize={limit}"))
            .args(["env", "--ignore-signal=XFSZ", env!("CARGO_BIN_EXE_diskspd")])
            .args(options.split_whitespace())
            .arg(&file)
            .output()
            .unwrap()
            .into()
    };
    run("-b4K -w100 -r -o4 -W0 -d1").fails(1, &["File too large", "thread 0, request", "the run failed"]);
    let ended = run("-b4K -w100 -r -o4 -x -W0 -d1").succeeds();
    assert_eq!(ended.stderr.matches("With -x this request stops").count(), 4, "{}", ended.stderr);
    assert!(ended.stdout.contains("\nTotal IO\n"));
}
