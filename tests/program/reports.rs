//! Tests of reports in every format: on standard output, in files, and as a stream during the run.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::schema;
use crate::common::{Ended, directory, directory_with, diskspd, output, read_json, skip, start, tool};
use rustix::process::{Pid, Signal};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};

const LIST: &str = "
import sys, xml.etree.ElementTree as tree
def walk(element, path):
    path += '/' + element.tag
    print(path + ': ' + repr(element.text.strip() if element.text else ''))
    for child in element: walk(child, path)
walk(tree.fromstring(sys.stdin.buffer.read()), '')
";

fn elements(document: &[u8]) -> Option<Vec<String>> {
    let child = Command::new("python3")
        .args(["-c", LIST])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skip("python3 is not here to check the XML");
        return None;
    };
    child.stdin.take().unwrap().write_all(document).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

fn text_of<'a>(elements: &'a [String], path: &str) -> Vec<&'a str> {
    elements.iter().filter_map(|line| line.strip_prefix(path)?.strip_prefix(": ")).collect()
}

fn target(directory: &Path) -> std::path::PathBuf {
    let file = directory.join("test.dat");
    std::fs::write(&file, vec![7; 4 << 20]).unwrap();
    file
}

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap()
}

#[test]
fn xml_is_well_formed_for_any_path() {
    let directory = directory();
    for name in
        [&b"a&b<c>\"d'e.dat"[..], b"line\nfeed\ttab.dat", b"\xff\xfe\x01.dat", "\u{10ffff}ü.dat".as_bytes()]
    {
        let file = directory.path().join(std::ffi::OsString::from_vec(name.to_vec()));
        std::fs::write(&file, vec![0; 1 << 20]).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_diskspd"))
            .args(["-Rxml", "-b4K", "-L", "-D500", "-W0", "-d1"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.stdout.starts_with(b"<Results>\n  <System>\n"));
        assert!(output.stdout.ends_with(b"</TimeSpan>\n</Results>"));
        let Some(elements) = elements(&output.stdout) else { return };
        let asked = text_of(&elements, "/Results/Profile/TimeSpans/TimeSpan/Targets/Target/Path");
        let got = text_of(&elements, "/Results/TimeSpan/Thread/Target/Path");
        assert_eq!((asked.len(), asked), (1, got));
    }
}

#[test]
fn elements_read_by_scripts_are_in_the_xml() {
    let directory = directory();
    let file = target(directory.path());
    let ended = diskspd("-Rxml -b4K -r -w30 -t2 -o4 -L -D500 -W0 -d1 {}", &file).succeeds();
    let Some(elements) = elements(ended.stdout.as_bytes()) else { return };
    let one = |path: &str| match text_of(&elements, path)[..] {
        [text] => text.trim_matches('\'').to_owned(),
        ref other => panic!("{path}: {other:?}"),
    };
    let seconds: f64 = one("/Results/TimeSpan/TestTimeSeconds").parse().unwrap();
    assert!((1.0..2.0).contains(&seconds));
    assert_eq!(text_of(&elements, "/Results/TimeSpan/Thread/Target/ReadCount").len(), 2);
    let percentiles = text_of(&elements, "/Results/TimeSpan/Latency/Bucket/Percentile");
    assert_eq!(percentiles.len(), 108);
    for text in ["'0'", "'25'", "'50'", "'99'", "'99.9'", "'99.99'", "'99.999'", "'100'"] {
        assert!(percentiles.contains(&text), "{text}");
    }
    one("/Results/System/ComputerName");
    one("/Results/TimeSpan/Iops/ReadIopsStdDev");
    one("/Results/TimeSpan/Latency/AverageWriteMilliseconds");
    one("/Results/TimeSpan/CpuUtilization/Average/KernelPercent");
    one("/Results/Profile/TimeSpans/TimeSpan/Targets/Target/Random");
}

#[test]
fn failed_run_writes_a_document_and_an_exit_code() {
    let directory = directory();
    let ended = diskspd("-Rxml -W0 -d1 {}", &directory.path().join("missing.dat"));
    ended.fails(1, &["missing.dat"]);
    assert!(ended.stderr.starts_with('\n'), "an empty line stands before the messages: {:?}", ended.stderr);
    let Some(elements) = elements(ended.stdout.as_bytes()) else { return };
    let error = text_of(&elements, "/Results/TimeSpan/Error");
    assert_eq!(
        error,
        ["'The test was interrupted before the measurements began. No results are displayed.'"]
    );
}

#[test]
fn an_interrupted_run_gives_a_whole_document() {
    let directory = directory();
    let file = target(directory.path());
    let mut running = start("-Rxml -b4K -L -D500 -W0 -d600 --stream fd:2 {}", &file);
    // An interval is over.
    BufReader::new(running.stderr.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
    crate::common::tool(&format!("kill -INT {}", running.id())).unwrap();
    let ended: Ended = running.wait_with_output().unwrap().into();
    assert_eq!(ended.code, 0);
    elements(ended.stdout.as_bytes());
}

#[test]
fn one_run_writes_all_requested_reports() {
    let directory = directory();
    let place = directory.path();
    let file = target(place);
    let names = ["a.txt", "a.xml", "a.json", "a.csv", "b.json", "c.report"];
    let outs = format!(
        "--out {0}/a.txt --out {0}/a.xml --out {0}/a.json --out {0}/a.csv --out {0}/b.json --out xml:{0}/c.report",
        place.display()
    );
    let ended = diskspd(&format!("-b4K -r -w50 -t2 -o2 -L -D250 -W0 -d1 {outs} {{}}"), &file);
    let report = ended.report().0;
    assert!(report.starts_with("\nCommand Line: "));
    assert_eq!(read(place, "a.txt"), report, "the same figures in every form");
    assert_eq!(read(place, "a.xml"), read(place, "c.report"));
    assert_eq!(read(place, "a.json"), read(place, "b.json"));
    let mut left: Vec<String> = std::fs::read_dir(place)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.retain(|name| !names.contains(&name.as_str()) && name != "test.dat");
    assert!(left.is_empty(), "left over: {left:?}");
    elements(read(place, "a.xml").as_bytes());
}

#[test]
fn record_is_rewritten_in_every_form_of_its_run() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let forms = ["txt", "xml", "csv", "html", "prom", "om", "json"];
    let outs = |stem: &str| -> String {
        forms.iter().map(|form| format!("--out {} ", at(&format!("{stem}.{form}")))).collect()
    };
    // The simulated drive takes no time, and its run is the same on any machine.
    let line = format!("--engine sim -c1G -b4K -r -w50 -o4 -L -D -d2 {} {{}}", outs("run"));
    diskspd(&line, &directory.path().join("nowhere")).report();
    let (record, again) = (at("run.json"), outs("again"));
    let words: Vec<&str> = ["report", &record].into_iter().chain(again.split_whitespace()).collect();
    let ended: Ended = output(&mut crate::common::command_of(&words)).unwrap().into();
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "", ""));
    for form in forms {
        let [run, again] = ["run", "again"].map(|stem| read(directory.path(), &format!("{stem}.{form}")));
        assert!(!run.is_empty() && run == again, "{form}");
    }
    // What can't be done is refused, and nothing is written.
    let other = at("other.xml");
    for (words, code, why) in [
        (vec!["report", &record, &record, "--out", &other], 3, "--out is for one record"),
        (vec!["report", &record, &record, "-v"], 3, "-v is for one file"),
        (vec!["report", &at("run.xml"), "--out", &other], 1, "--out takes a record of this program"),
        (vec!["report", &record, "--out", &record], 1, "run.json"),
        (vec!["report", &record, "--out", &at("x.pdf")], 3, "the extension sets the format"),
    ] {
        let ended: Ended = output(&mut crate::common::command_of(&words)).unwrap().into();
        assert!(
            ended.code == code && ended.stderr.contains(why),
            "{words:?}: {} {}",
            ended.code,
            ended.stderr
        );
    }
    assert!(!Path::new(&other).exists());
}

#[test]
fn record_has_system_and_wall_clock_times() {
    let directory = directory();
    let file = target(directory.path());
    let path = directory.path().join("run.json");
    diskspd(&format!("-b4K -r -w50 -t3 -o2 -L -D250 -W0 -d1 --out {} {{}}", path.display()), &file).report();
    let record = schema::record(&std::fs::read(&path).unwrap());
    let host = &record["hosts"][0];
    let system = &host["system"];
    assert!(system["memory_total"].as_u64().unwrap() >= system["memory_available"].as_u64().unwrap());
    let storage = &host["targets"][0];
    assert_eq!(storage["id"], 0);
    assert_eq!(storage["path"], file.to_str().unwrap());
    assert!(!storage["file_system"]["kind"].as_str().unwrap().is_empty());
    assert!(storage["file_system"]["options"].as_str().unwrap().contains("rw"));

    let span = &record["figures"]["time_spans"][0];
    let intervals = span["iops"]["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), 4);
    let began = record["hosts"][0]["results"]["time_spans"][0]["started_at"].as_i64().unwrap();
    let mut bytes = 0.0;
    let mut ios = 0;
    for (number, interval) in intervals.iter().enumerate() {
        assert_eq!(interval["started_at"].as_i64().unwrap(), began + 250 * number as i64);
        let total = &interval["total"];
        assert!(
            (total["mib_per_s"].as_f64().unwrap() - total["iops"].as_f64().unwrap() / 256.0).abs() < 1e-6
        );
        bytes += total["mib_per_s"].as_f64().unwrap() / 4.0;
        ios += total["ios"].as_u64().unwrap();
        let latency = |name: &str| total["latency"][name].as_f64().unwrap();
        let at = |name: &str| interval["percentiles"][name].as_f64().unwrap();
        assert!(latency("min") <= at("p50") && at("p50") <= at("p95") && at("p95") <= at("p99"));
        assert!(at("p99") <= at("p999") && at("p999") <= latency("max"));
    }
    let all = span["total"]["total"]["throughput"]["ios"].as_u64().unwrap();
    assert!(ios <= all && ios as f64 >= 0.9 * all as f64, "{ios} of {all}");
    assert!((bytes - ios as f64 / 256.0).abs() < 1e-3);
}

#[test]
fn record_with_byte_order_mark_is_read() {
    let directory = directory();
    let (directory, file) = (directory.path(), directory.path().join("run.json"));
    let run = format!("--engine sim -c1M -b4K -r -d1 -W0 --quiet --out {} sim.dat", file.display());
    assert_eq!(diskspd(&run, &file).code, 0);
    let text = read(directory, "run.json");
    let plain = diskspd("report {}", &file).stdout;
    let wide = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for (name, bytes) in [
        ("utf-8", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("little", [b"\xff\xfe", &wide(u16::to_le_bytes)[..]].concat()),
        ("big", [b"\xfe\xff", &wide(u16::to_be_bytes)[..]].concat()),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let of_file = diskspd("report {}", &file);
        assert_eq!(of_file.stdout, plain, "{name}: {}", of_file.stderr);
        let mut piped = Command::new("sh");
        piped.args(["-c", "cat \"$1\" | \"$0\" report /dev/stdin", env!("CARGO_BIN_EXE_diskspd")]).arg(&file);
        let piped = Ended::from(crate::common::output(&mut piped).unwrap());
        assert_eq!(piped.stdout, plain, "{name}, piped: {}", piped.stderr);
    }
}

/// Runs the `jq` lines of docs/reference/record.md.
#[test]
fn documented_jq_recipes_work() {
    const DOCUMENTATION: &str = include_str!("../../docs/reference/record.md");
    if tool("jq --version").is_none() {
        return skip("no jq: apt-get install jq");
    }
    let directory = directory();
    diskspd("--engine=sim -c1G -o2 -w30 -d1 -W0 -L --out {}/run.json {}/a.dat", directory.path()).succeeds();
    let blocks = DOCUMENTATION.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let within = DOCUMENTATION.split('`').filter(|code| code.starts_with("head -1 run.json"));
    let lines: Vec<&str> = blocks.filter(|block| block.starts_with("jq ")).chain(within).collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    for line in lines {
        let told = output(Command::new("sh").args(["-euc", line]).current_dir(&directory)).unwrap();
        let told = (told.status.success(), String::from_utf8_lossy(&told.stdout).into_owned());
        let shown = if line.contains(".summary") { "\"unknown\"" } else { "a.dat" };
        assert!(told.0 && told.1.contains(shown), "{line}: {}", told.1);
    }
}

#[test]
fn interval_percentiles_cover_all_its_ios() {
    let (directory, path) = directory_with("run.json");
    let line = format!("--engine sim -c1G -b4K -r -t4 -o8 -L -D1000 -W0 -d1 --out {} {{}}", path.display());
    diskspd(&line, &directory.path().join("nowhere")).report();
    let record = schema::record(&std::fs::read(&path).unwrap());
    let span = &record["figures"]["time_spans"][0];
    // One interval is the whole span: its percentiles are those of the exact histogram, but for its coarser cells.
    let interval = &span["iops"]["intervals"][0]["percentiles"];
    let rows = span["fine_percentiles"]["rows"].as_array().unwrap();
    for (name, row) in [("p50", 50), ("p95", 95), ("p99", 99), ("p999", 100)] {
        let (coarse, fine) = (interval[name].as_f64().unwrap(), rows[row]["total"].as_f64().unwrap());
        assert!((coarse - fine).abs() <= 0.01 * fine, "{name}: {coarse} and {fine}");
    }
}

#[test]
fn csv_has_a_line_per_interval() {
    let directory = directory();
    let file = target(directory.path());
    let path = directory.path().join("run.csv");
    // The simulated drive is never held up by other tests, so every interval has I/Os.
    let line = format!("--engine sim -b4K -r -o2 -L -D250 -W0 -d1 --out {} {{}}", path.display());
    diskspd(&line, &file).report();
    let csv = std::fs::read_to_string(&path).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[0].join(","), diskspd::report::csv::HEAD);
    let ends: Vec<&str> = rows[1..].iter().map(|row| row[1]).collect();
    assert_eq!(ends, ["0.250", "0.500", "0.750", "1.000"]);
    for row in &rows[1..] {
        assert_eq!(row.len(), rows[0].len());
        // Only the wall-clock time is missing, simulated time has none, and every interval is a whole one; and response times,
        // without a rate.
        let numbers = row.iter().filter(|cell| cell.parse::<f64>().is_ok()).count();
        let response = rows[0].iter().filter(|name| name.starts_with("response_")).count();
        assert!(numbers + 2 + response >= row.len() && row[16].is_empty(), "{row:?}");
        assert_eq!(row[4], "0.000", "no writes");
    }
}

/// Returns the cells of a CSV report.
fn cells(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn partial_interval_counts_for_diskspd_only() {
    let directory = directory();
    // Duration, width, ends of the last two intervals, length of the last one, its end by DISKSPD's definition.
    let rows =
        [("2", "300", "1.800", "2.000", "0.200", "2100"), ("3", "5000", "end_s", "3.000", "3.000", "5000")];
    for (duration, width, before, end, length, whole) in rows {
        let out = |form: &str| directory.path().join(format!("{duration}.{form}"));
        let outs = ["csv", "json", "xml"].map(|form| format!("--out {}", out(form).display()));
        let line =
            format!("--engine sim -c64M -b4K -r -o2 -D{width} -W0 -d{duration} {} {{}}", outs.join(" "));
        let text = diskspd(&line, &directory.path().join("nowhere"));
        let csv = std::fs::read_to_string(out("csv")).unwrap();
        let rows = cells(&csv);
        let [.., first, last] = &rows[..] else { panic!("{csv}") };
        assert_eq!((first[1], last[1], last[16]), (before, end, length), "{csv}");
        let record: serde_json::Value = read_json(out("json"));
        let span = &record["figures"]["time_spans"][0];
        let (iops, rate) = (&span["iops"], span["total"]["total"]["throughput"]["iops"].as_f64().unwrap());
        let last = iops["intervals"].as_array().unwrap().last().unwrap();
        assert_eq!(format!("{:.3}", last["partial_s"].as_f64().unwrap()), length);
        let of_last = last["total"]["iops"].as_f64().unwrap();
        assert!((of_last / rate - 1.0).abs() < 0.1, "{of_last} of {rate} I/Os per second");
        let weighted = iops["weighted_std_devs"]["total"].as_f64().unwrap();
        assert!(weighted < 0.05 * rate, "{weighted} of {rate} I/Os per second");
        // Text and XML are DISKSPD's: 0.2 s of 0.3 make a third less.
        let deviation = iops["total_std_dev"].as_f64().unwrap();
        assert!(text.stdout.contains(&format!("{deviation:.2}")), "{}", text.stdout);
        assert!(duration != "2" || deviation > 0.1 * rate, "{deviation} of {rate} I/Os per second");
        let xml = std::fs::read_to_string(out("xml")).unwrap();
        assert!(xml.contains(&format!("<IopsStdDev>{deviation:.3}</IopsStdDev>")), "{xml}");
        let bucket = xml.lines().rfind(|line| line.contains("<Bucket SampleMillisecond")).unwrap();
        let count = last["total"]["ios"].as_f64().unwrap();
        let total = count / (width.parse::<f64>().unwrap() / 1000.0);
        for part in [format!("SampleMillisecond=\"{whole}\""), format!("Total=\"{total:.0}\"")] {
            assert!(bucket.contains(&part), "{part}: {bucket}");
        }
    }
}

#[test]
fn interrupted_run_ends_with_its_last_interval() {
    let directory = directory();
    let (csv, json) = (directory.path().join("run.csv"), directory.path().join("run.json"));
    let line = format!(
        "--engine null -c64M -b4K -g4000 -D200 -W0 -d3600 --stream - --out {} --out {} {{}}",
        csv.display(),
        json.display()
    );
    let mut run = start(&line, &directory.path().join("nowhere"));
    let mut out = BufReader::new(run.stdout.take().unwrap());
    for _ in 0..3 {
        out.read_line(&mut String::new()).unwrap();
    }
    std::thread::sleep(std::time::Duration::from_millis(90));
    rustix::process::kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let mut said = String::new();
    run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(run.wait().unwrap().success());
    let record = schema::record(&std::fs::read(&json).unwrap());
    let measured = record["hosts"][0]["results"]["time_spans"][0]["measured"].as_u64().unwrap();
    let intervals = record["figures"]["time_spans"][0]["iops"]["intervals"].as_array().unwrap();
    let last = intervals.last().unwrap();
    assert_eq!(last["end_ms"].as_u64(), Some(measured / 1_000_000));
    assert_eq!(intervals.len() as u64, measured.div_ceil(200_000_000));
    let partial = (measured % 200_000_000) as f64 / 1e9;
    assert!((last["partial_s"].as_f64().unwrap() - partial).abs() < 1e-6, "{last}");
    let csv = std::fs::read_to_string(&csv).unwrap();
    let last = cells(&csv).pop().unwrap();
    assert_eq!(last[16], format!("{partial:.3}"), "{csv}");
    assert_eq!(last[1], format!("{}.{:03}", measured / 1_000_000_000, measured / 1_000_000 % 1000), "{csv}");
    // What ended it is said, with the duration of the report, and is in the record.
    let seconds = format!("{:.2}", measured as f64 / 1e9);
    assert!(rest.contains(&format!("actual test time:\t{seconds}s")), "{rest}");
    let told = format!("Ctrl-C ended the run after {seconds} of 3600 s: the figures cover {seconds} s");
    assert!(said.contains(&told), "{said}");
    let ended = &record["hosts"][0]["results"]["time_spans"][0]["ended"];
    assert_eq!((ended["cause"].as_str(), ended["after"].as_u64()), (Some("interrupt"), Some(measured)));
    // No line of the stream ends where the one before ended, or just behind it.
    let ends: Vec<u64> = rest
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["end_ms"].as_u64())
        .collect();
    assert!(ends.windows(2).all(|two| two[1] >= two[0] + 20), "{ends:?}");
}

#[test]
fn stopped_program_reports_stop_duration() {
    let (directory, json) = directory_with("run.json");
    let line = format!(
        "--engine null -c64M -b4K -D200 -W0 -d3600 --strict --stream - --out {} {{}}",
        json.display()
    );
    let mut run = start(&line, &directory.path().join("nowhere"));
    let mut out = BufReader::new(run.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    let pid = Pid::from_child(&run);
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(900));
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    // It goes on.
    for _ in 0..3 {
        out.read_line(&mut String::new()).unwrap();
    }
    rustix::process::kill_process(pid, Signal::INT).unwrap();
    let (mut rest, mut said) = (String::new(), String::new());
    out.read_to_string(&mut rest).unwrap();
    run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(2), "{said}");
    assert!(
        said.contains(
            "WRONG: the program was stopped (SIGSTOP, Ctrl-Z or a debugger), and could not run for "
        ),
        "{said}"
    );
    let record = schema::record(&std::fs::read(&json).unwrap());
    let delays = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["delays"];
    // It wakes every tenth of a second: as much of the stop may not show.
    assert!(delays["longest_us"].as_u64().unwrap() >= 700_000, "{delays}");
    assert_eq!((delays["was_stopped"].as_bool(), delays["suspended_us"].as_u64()), (Some(true), Some(0)));
}

#[test]
fn stream_has_each_interval_during_the_run() {
    const IOPS: f64 = 2000.0;
    let directory = directory();
    let file = target(directory.path());
    // It would go on for an hour, and is ended when some lines have come: however busy the machine is, those came while it
    // went on.
    let options = format!("-b4K -r -w50 -o4 -g{IOPS}i -L -D250 -W0 -d3600 -n --stream -");
    let mut running = Command::new(env!("CARGO_BIN_EXE_diskspd"))
        .args(options.split(' '))
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(running.stdout.take().unwrap());
    let mut streamed = String::new();
    for _ in 0..8 {
        out.read_line(&mut streamed).unwrap();
    }
    assert!(running.try_wait().unwrap().is_none(), "{streamed}");
    rustix::process::kill_process(Pid::from_child(&running), Signal::INT).unwrap();
    out.read_to_string(&mut streamed).unwrap();
    assert!(running.wait().unwrap().success());
    let (streamed, report) = streamed.split_once("\n\nCommand Line: ").unwrap();
    let lines = schema::stream(streamed);
    let ends: Vec<u64> = lines.iter().map(|line| line["end_ms"].as_u64().unwrap()).collect();
    // A last one tells of the interval that was cut short, unless hardly any of it had gone by.
    assert!(ends.len() >= 8, "{ends:?}");
    // A line may be late, and stand for several intervals then; it's never early, but for the last.
    assert!(ends[..ends.len() - 1].iter().zip(1..).all(|(end, number)| *end >= 250 * number), "{ends:?}");
    assert!(ends.is_sorted(), "{ends:?}");

    let time = report.split_once("actual test time:\t").unwrap().1.split_once('s').unwrap().0;
    let behind = (time.parse::<f64>().unwrap() - ends[ends.len() - 1] as f64 / 1000.0).max(0.0);
    let total: u64 = lines.iter().map(|line| line["total"]["ios"].as_u64().unwrap()).sum();
    let reported = crate::common::Report(report).total("Total IO").ios;
    assert!(
        total as f64 + IOPS * behind >= 0.9 * reported as f64 && total as f64 <= 1.01 * reported as f64,
        "{total} of {reported}, the last {behind} s were not streamed"
    );
    for line in &lines {
        // An interval may be empty: the machine is shared with other tests.
        let busy = line["total"]["ios"].as_u64().unwrap() > 0;
        assert_eq!(busy, line["percentiles"]["p99"].as_f64().is_some_and(|p99| p99 > 0.0), "{line}");
        assert_eq!((line["time_span"].as_u64(), line["missed"].as_u64()), (Some(1), Some(0)));
    }
}

#[test]
fn stream_goes_to_a_file_or_open_descriptor() {
    let directory = directory();
    let file = target(directory.path());
    let path = directory.path().join("run.jsonl");
    diskspd(&format!("-b4K -W0 -d1 -D500 --stream {} {{}}", path.display()), &file).report();
    // A line may be late, and stand for several intervals then.
    assert!((1..=3).contains(&schema::stream(&std::fs::read_to_string(&path).unwrap()).len()));
    let shell = format!(
        "{} -b4K -W0 -d1 -D500 --stream fd:3 {} 3>{}",
        env!("CARGO_BIN_EXE_diskspd"),
        file.display(),
        path.display()
    );
    let ended: Ended = Command::new("sh").args(["-c", &shell]).output().unwrap().into();
    ended.report();
    // A line may be late, and stand for several intervals then.
    assert!((1..=3).contains(&schema::stream(&std::fs::read_to_string(&path).unwrap()).len()));
    diskspd("-W0 -d30 --stream fd:77 {}", &file).fails(1, &["fd:77", "77>FILE"]);
    diskspd("-W0 -d30 --stream fd:x {}", &file).fails(3, &["--stream", "descriptor"]);
    diskspd("-W0 -d30 --stream /nonexistent/s {}", &file).fails(1, &["/nonexistent/s"]);
    diskspd("-W0 -d30 --out xml: {}", &file).fails(3, &["--out", "missing"]);
}

#[test]
fn closed_stream_reader_does_not_stop_the_run() {
    let directory = directory();
    let file = target(directory.path());
    let pipe = directory.path().join("pipe");
    if crate::common::tool(&format!("mkfifo {}", pipe.display())).is_none() {
        return skip("mkfifo is missing");
    }
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(std::fs::File::open(pipe).unwrap())
    });
    let ended = diskspd(&format!("-b4K -W0 -d2 -D200 --stream {} {{}}", pipe.display()), &file);
    reader.join().unwrap();
    assert!(ended.report().total("Total IO").ios > 0);
    assert!(ended.stderr.contains(pipe.to_str().unwrap()), "{}", ended.stderr);
}

#[allow(clippy::zombie_processes)] // the caller waits for it, or the test has failed
fn in_the_second_time_span(directory: &Path) -> (std::process::Child, BufReader<std::process::ChildStdout>) {
    let file = target(directory);
    let span = |seconds: u32| {
        format!(
            "<TimeSpan><MeasureLatency>true</MeasureLatency><CalculateIopsStdDev>true</CalculateIopsStdDev>\
             <IoBucketDuration>250</IoBucketDuration><Duration>{seconds}</Duration><Warmup>0</Warmup><Targets><Target>\
             <Path>{}</Path><BlockSize>4096</BlockSize><Random>4096</Random></Target></Targets></TimeSpan>",
            file.display()
        )
    };
    let profile = format!("<Profile><TimeSpans>{}{}</TimeSpans></Profile>", span(1), span(3600));
    std::fs::write(directory.join("profile.xml"), profile).unwrap();
    let mut running = crate::common::command_of(&["-Xprofile.xml", "--stream", "-"])
        .args(["--out", "run.json", "--out", "run.xml"])
        .current_dir(directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(running.stdout.take().unwrap());
    loop {
        let mut line = String::new();
        assert!(out.read_line(&mut line).unwrap() > 0, "the run ended before its second time span");
        if schema::stream(&line)[0]["time_span"] == 2 {
            return (running, out);
        }
    }
}

fn measured(directory: &Path) -> (Ended, Option<Vec<String>>) {
    schema::record(&std::fs::read(directory.join("run.json")).unwrap());
    let again = diskspd("report {}", &directory.join("run.json"));
    let first = crate::common::Report(&again.stdout).total("Total IO");
    assert!(again.code == 0 && first.ios > 0, "{}{}", again.stdout, again.stderr);
    assert!(again.stdout.contains("Results for timespan 2:"), "{}", again.stdout);
    (again, elements(&std::fs::read(directory.join("run.xml")).unwrap()))
}

#[test]
fn killed_run_keeps_reports_of_finished_time_spans() {
    let directory = directory();
    let (mut running, _out) = in_the_second_time_span(directory.path());
    running.kill().unwrap();
    assert!(!running.wait().unwrap().success());
    let (again, elements) = measured(directory.path());
    let second = again.stdout.split_once("Results for timespan 2:").unwrap().1;
    assert!(second.contains("No results are displayed") && !second.contains("total:"), "{second}");
    let Some(elements) = elements else { return };
    assert_eq!(text_of(&elements, "/Results/TimeSpan/TestTimeSeconds").len(), 1);
    assert_eq!(text_of(&elements, "/Results/TimeSpan/Thread/Target/ReadCount").len(), 1);
    assert_eq!(text_of(&elements, "/Results/TimeSpan/Latency/Bucket/Percentile").len(), 108);
    assert_eq!(text_of(&elements, "/Results/TimeSpan/Error").len(), 1);
}

#[test]
fn ctrl_c_in_the_second_time_span_reports_both() {
    let directory = directory();
    let (mut running, mut out) = in_the_second_time_span(directory.path());
    crate::common::tool(&format!("kill -INT {}", running.id())).unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(0));
    let (again, elements) = measured(directory.path());
    let second = again.stdout.split_once("Results for timespan 2:").unwrap().1;
    assert!(second.contains("total:") && !again.stdout.contains("No results"), "{}", again.stdout);
    assert!(rest.ends_with(&again.stdout), "the record holds what was printed:\n{rest}\n{}", again.stdout);
    let Some(elements) = elements else { return };
    assert_eq!(text_of(&elements, "/Results/TimeSpan/TestTimeSeconds").len(), 2);
    assert_eq!(text_of(&elements, "/Results/TimeSpan/Error").len(), 0);
}
