//! `diskspd sweep` as a user runs it, in simulated time: points, table, answer, and a folder that outlives the program.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::random::Random;
use crate::common::samples::is_sample;
use crate::common::{Ended, command_of, output, read_json};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Options with which a simulated second takes some ms, because the device's link limits blocks of 1 MiB.
const SIM: [&str; 5] = ["--engine=sim", "-d1", "-W0", "-b1M", "-c1G"];

fn sweep_of(before: &[&str], target: &Path) -> Ended {
    let arguments = [&["sweep"], before, &SIM[..], &[target.to_str().unwrap()]].concat();
    output(&mut command_of(&arguments)).unwrap().into()
}

fn place() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    (folder, target)
}

fn points(stdout: &str) -> Vec<(String, f64)> {
    let table = stdout.lines().skip(1).take_while(|line| !line.is_empty());
    let read = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let options = words.iter().take_while(|word| word.parse::<f64>().is_err()).count();
        (words[..options].join(" "), words[options].parse().unwrap())
    };
    table.map(read).collect()
}

/// Compares the answer with its rendered sample.
#[track_caller]
fn is_answer(heading: &str, ended: &Ended, target: &Path) {
    is_sample("answers", heading, &ended.stdout.replace(target.to_str().unwrap(), "x.dat"));
}

#[test]
fn sweep_prints_a_line_per_point_and_the_answer() {
    let (_folder, target) = place();
    let ended = sweep_of(&["-o1..32"], &target).succeeds();
    let points = points(&ended.stdout);
    let names: Vec<&str> = points.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["-o1", "-o2", "-o4", "-o8", "-o16", "-o32"]);
    // A block is 150 us on the link and 82 us elsewhere: two keep the link busy.
    is_answer("sweep: knee by one run per point", &ended, &target);
    assert!(points[0].1 < 0.8 * points[1].1 && points[5].1 < 1.1 * points[1].1, "{points:?}");
    assert!(ended.stderr.contains("6 points, 9 runs"), "{}", ended.stderr);
}

#[test]
fn repetitions_give_an_interval_and_data_hold_every_run() {
    let (folder, target) = place();
    let (csv, json) = (folder.path().join("t.csv"), folder.path().join("t.json"));
    let more = ["-o32,64", "-t1,2", "--repeat", "2", "--quiet", "--out", csv.to_str().unwrap()];
    let ended = sweep_of(&[&more[..], &["--json", json.to_str().unwrap()]].concat(), &target);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
    let lines = fs::read_to_string(&csv).unwrap();
    assert_eq!(lines.lines().count(), 1 + 4 * 2, "{lines}");
    assert!(lines.starts_with("o,t,offered_iops,threads,load,run,iops,"), "{lines}");
    let columns = |line: &str| line.split(',').count();
    assert!(lines.lines().all(|line| columns(line) == columns(lines.lines().next().unwrap())), "{lines}");
    let document: Value = read_json(&json);
    assert_eq!(document["points"].as_array().unwrap().len(), 4);
    assert_eq!(document["points"][0]["runs"].as_array().unwrap().len(), 2);
    assert!(document["answers"][0]["knee"]["between"].is_array(), "{document}");
}

#[test]
fn repeated_points_have_a_confidence() {
    let (_folder, target) = place();
    let ended = sweep_of(&["-o1..32", "--repeat", "2", "--quiet"], &target).succeeds();
    is_answer("sweep: knee with a confidence", &ended, &target);
}

#[test]
fn iops_only_sweep_has_no_latency_and_no_knee() {
    let (folder, target) = place();
    let page = folder.path().join("sweep.html");
    let ended = sweep_of(&["-o1..32", "--iops-only", "--html", page.to_str().unwrap()], &target).succeeds();
    is_answer("sweep: without latencies", &ended, &target);
    let first = ended.stdout.lines().find(|line| line.starts_with("-o1 ")).unwrap();
    assert_eq!(first.split_whitespace().filter(|cell| *cell == "-").count(), 2, "no latency: {first}");
    assert!(!ended.stderr.contains("-L "), "{}", ended.stderr);
    let page = fs::read_to_string(page).unwrap();
    assert!(!page.contains("<dt>knee") && page.contains("<dt>highest"), "no knee on the page");
    let ended = sweep_of(&["-o1..32", "--iops-only", "-L"], &target);
    assert_eq!(ended.code, 3, "{}", ended.stderr);
}

#[test]
fn added_latency_is_reported_in_one_line() {
    let (_folder, target) = place();
    for (options, count) in [(&["-o1..4"][..], 1), (&["-o1..4", "-L"], 0), (&["-o1..4", "--quiet"], 0)] {
        let ended = sweep_of(options, &target);
        assert_eq!(ended.stderr.matches("-L is added").count(), count, "{options:?}: {}", ended.stderr);
    }
}

#[test]
fn page_omits_unknown_knee() {
    let (folder, target) = place();
    for (loads, is_known) in [("-o1..32", true), ("-o1,2", false)] {
        let page = folder.path().join("sweep.html");
        sweep_of(&[loads, "--quiet", "--html", page.to_str().unwrap()], &target).succeeds();
        let page = fs::read_to_string(page).unwrap();
        let points = page.split("All points").last().unwrap();
        assert_eq!(points.contains("knee"), is_known, "{loads}: {points}");
        assert_eq!(page.contains("highest, I/Os per second"), is_known, "{loads}");
    }
}

#[test]
fn curve_finds_the_maximum_and_refines_the_objective() {
    let (folder, target) = place();
    let json = folder.path().join("t.json");
    let more =
        ["--slo", "p99=1ms", "--curve", "20%..100%+20%", "-o32", "--order=given", "--repeat=4", "--json"];
    let ended = sweep_of(&[&more[..], &[json.to_str().unwrap()]].concat(), &target).succeeds();
    let document: Value = read_json(&json);
    let points = document["points"].as_array().unwrap();
    assert!(
        points.len() > 6,
        "the maximum, five parts of it and rates around the objective: {}",
        ended.stdout
    );
    let kept = &document["answers"][0]["objective"];
    let sure = kept["surely_kept"].as_f64().unwrap().min(kept["highest"].as_f64().unwrap());
    let (kept, broken) = (kept["highest"].as_f64().unwrap(), kept["broken"].as_f64().unwrap());
    // The link takes 6667 blocks a second. Evenly spaced ones would hardly wait up to there; these queue.
    assert!((3000.0..6000.0).contains(&kept) && broken > kept && broken - kept < 150.0, "{kept} {broken}");
    for point in points.iter().filter(|point| point["by_rate"] == true) {
        let p99s = [0, 1, 2, 3].map(|run| point["runs"][run]["response"]["p99_ms"].as_f64().unwrap());
        let rate = point["load"].as_f64().unwrap();
        assert_eq!(p99s.iter().product::<f64>() <= 1.0, rate <= kept, "{rate}: {p99s:?}");
        assert_ne!(point["runs"][0]["iops"], point["runs"][1]["iops"], "{rate}: other arrivals each time");
    }
    let answer = ended.stdout.split("\n\n").nth(1).unwrap();
    let command = format!(" -o32 -d1 -W0 -L --engine=sim --rate-total={sure:.0},poisson ");
    assert!(answer.contains("use           diskspd ") && answer.contains(&command), "{answer}");
}

#[test]
fn total_rate_is_an_axis_in_load_units() {
    let (folder, target) = place();
    let csv = folder.path().join("t.csv");
    let more = ["--rate-total", "1K..4K,uniform", "-o8", "--slo", "p99=5ms", "--out", csv.to_str().unwrap()];
    let ended = sweep_of(&more, &target).succeeds();
    let names: Vec<String> = points(&ended.stdout).into_iter().map(|(name, _)| name).collect();
    let expected = ["1K", "2K", "4K"].map(|rate| format!("--rate-total={rate},uniform"));
    assert_eq!(names, expected);
    is_answer("sweep: latency at offered rates", &ended, &target);
    let lines = fs::read_to_string(&csv).unwrap();
    assert!(lines.contains("\n\"2K,uniform\",2000,1,2000,1,"), "{lines}");
}

#[test]
fn single_span_preset_is_sweepable_and_others_are_refused() {
    let (_folder, target) = place();
    sweep_of(&["--preset", "fleet-general", "-o1,2", "-t1"], &target).succeeds();
    let refused = sweep_of(&["--preset", "four-corners", "-o1,2"], &target);
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains("diskspd preset four-corners"), "{}", refused.stderr);
}

#[test]
fn the_page_is_one_of_the_outputs() {
    let (folder, target) = place();
    let (page, again) = (folder.path().join("p.html"), folder.path().join("again.htm"));
    let kept = folder.path().join("kept");
    let more = ["-o1,2,4", "--dir", kept.to_str().unwrap(), "--repeat=2", "--html"];
    sweep_of(&[&more[..], &[page.to_str().unwrap()]].concat(), &target).succeeds();
    // Options are kept together where lines are broken.
    let text = fs::read_to_string(&page).unwrap();
    let words = text.replace("<span class=\"whole\">", "").replace("</span>", "");
    for part in [
        ">Answer<",
        "id=\"curve-1\"",
        ">Environment<",
        "diskspd sweep -o1,2,4 --dir ",
        "diskspd -b1M -c1G -o2",
    ] {
        assert!(words.contains(part), "{part} is missing in {text}");
    }
    // Nothing is run again: the record in the folder says where.
    let more = ["-o1,2,4", "--dir", kept.to_str().unwrap(), "--repeat=2", "--out"];
    let ended = sweep_of(&[&more[..], &[again.to_str().unwrap()]].concat(), &target);
    assert!(ended.code == 0 && ended.stderr.contains(" 0 runs "), "{}", ended.stderr);
    let repeated = fs::read_to_string(&again).unwrap();
    assert_eq!(
        repeated.replace(again.to_str().unwrap(), "").replace("--out", "--html"),
        text.replace(page.to_str().unwrap(), "")
    );
}

#[test]
fn sweep_in_json_is_reported_again() {
    let (folder, target) = place();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let more = ["-o1..16", "--json", &path("s.json"), "--csv", &path("s.csv"), "--html", &path("s.html")];
    let ended = sweep_of(&more, &target).succeeds();
    let report =
        |words: &[&str]| -> Ended { output(&mut command_of(&[&["report"], words].concat())).unwrap().into() };
    assert_eq!(report(&[&path("s.json")]).stdout, ended.stdout);
    assert_eq!(report(&[&path("s.json"), "--out", &path("again.csv")]).code, 0);
    let read = |name: &str| fs::read_to_string(path(name)).unwrap();
    assert_eq!(read("again.csv"), read("s.csv"));
    assert_eq!(report(&[&path("s.json"), "--out", &path("again.json")]).code, 0);
    assert_eq!(read("again.json"), read("s.json"));
    assert_eq!(report(&[&path("s.json"), "--html", &path("again.html")]).code, 0);
    let title = |page: &str| page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_owned();
    assert_eq!(title(&read("again.html")), title(&read("s.html")));
    let target_name = target.file_name().unwrap().to_str().unwrap();
    let title = title(&read("s.html"));
    assert!(title.contains(&format!("reads on {target_name}, ")), "{title}");
    assert!(title.contains(" IOPS") && title.contains("-o"), "{title}");
    for load in [1, 2, 4, 8, 16] {
        assert!(read("s.html").contains(&format!(">{load}</text>")), "{load} is not named");
    }
    let runs = report(&["--csv", &path("s.json")]);
    assert_eq!((runs.code, runs.stdout.lines().count()), (0, 6), "{}", runs.stdout);
    fs::write(path("old.json"), read("s.json").replace("\"version\": 4", "\"version\": 3")).unwrap();
    report(&[&path("old.json")]).fails(1, &["old.json"]);
    fs::write(path("cut.json"), &read("s.json")[..2000]).unwrap();
    report(&[&path("cut.json")]).fails(1, &["cut.json"]);
}

#[test]
fn invalid_sweep_is_refused_before_first_point() {
    let (folder, target) = place();
    for (arguments, code, why) in [
        (vec!["-o1..8", "-b0"], 3, "-b"),
        (vec!["-o4"], 3, "nothing to sweep"),
        (vec!["-o1..8", "-Rxml"], 3, "cannot be used in a sweep"),
        (vec!["-o1..4", "--stream", "-"], 3, "cannot be used in a sweep"),
        (vec!["--curve", "10%..100%", "--rate-total=5K"], 3, "leave out --rate-total"),
        (vec!["--curve", "10%..100%", "-g500i"], 3, "--rate-total and -g"),
        (vec!["-w0..200+100"], 3, "in: diskspd -L -w200"),
        (vec!["-o1..8", "--csv", "/nonexistent/t.csv"], 1, "cannot be created"),
    ] {
        let ended = sweep_of(&arguments, &folder.path().join("other"));
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{arguments:?}: {}", ended.stderr);
    }
    let dry = sweep_of(&["-o1..4", "--dry-run"], &target);
    assert_eq!(dry.stdout.lines().count(), 4, "{}", dry.stdout);
}

#[test]
fn failed_point_has_a_table_row() {
    let (folder, target) = place();
    let count = folder.path().join("count");
    // The second time it fails.
    let between = format!("echo >> {0}; test $(wc -l < {0}) -ne 2", count.display());
    let ended = sweep_of(&["-o1,2,4", "--between", &between], &target);
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    let failed: Vec<&str> = ended.stdout.lines().filter(|line| line.contains("failed: --between")).collect();
    assert_eq!(failed.len(), 1, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("highest "), "{}", ended.stdout);
}

fn figures(ended: &Ended) -> Vec<String> {
    let of = |line: &str| line.split_whitespace().take(7).collect::<Vec<_>>().join(" ");
    ended.stdout.lines().take_while(|line| !line.is_empty()).map(of).collect()
}

/// Time of the kill of a sweep. Numbers count the runs before it.
#[derive(Debug, Clone, Copy)]
enum Killed {
    SynchronousEngine,
    BeforeRun(u32),
    AtRecord(u32),
    BeforeLine(u32),
    AtLine(u32),
    Torn,
}

impl Killed {
    fn any(number: u64) -> Killed {
        let runs = 1 + (number / 6 % 2) as u32;
        match number % 6 {
            0 => Killed::SynchronousEngine,
            1 => Killed::BeforeRun(runs - 1),
            2 => Killed::AtRecord(runs),
            3 => Killed::BeforeLine(runs),
            4 => Killed::AtLine(runs),
            _ => Killed::Torn,
        }
    }
}

/// Sweep in a folder that kills itself (`kill -9`) before one of its runs.
struct Mortal {
    folder: std::path::PathBuf,
    gate: std::path::PathBuf,
    arguments: Vec<String>,
}

impl Mortal {
    fn new(options: &[&str], folder: &Path, target: &Path) -> Mortal {
        let gate = folder.with_extension("gate");
        let file = gate.display();
        let between =
            format!("read n < {file}; test $n -gt 0 || {{ kill -9 $PPID; exit; }}; echo $((n-1)) > {file}");
        let own = ["--between", &between, "--dir", folder.to_str().unwrap()];
        let words = [&["sweep"], options, &own, &SIM[..], &[target.to_str().unwrap()]].concat();
        let arguments = words.into_iter().map(str::to_owned).collect();
        Mortal { folder: folder.to_owned(), gate, arguments }
    }

    fn start(&self, runs: u32, largest_file: &str) -> std::process::Child {
        fs::write(&self.gate, format!("{runs}\n")).unwrap();
        let limited = format!("ulimit -f {largest_file}; exec \"$0\" \"$@\"");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_diskspd")]).args(&self.arguments);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
    }

    fn complete_sweep(&self) -> Ended {
        fs::write(&self.gate, "1000\n").unwrap();
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        output(&mut command_of(&arguments)).unwrap().into()
    }

    fn file(&self, part: &str, number: usize) -> std::path::PathBuf {
        self.folder.join(format!("{part}/{number:04}.json"))
    }

    fn kept(&self) -> usize {
        (1..).take_while(|number| self.file("runs", *number).exists()).count()
    }

    /// Starts the sweep and kills it at the given point.
    fn killed(&self, when: Killed) {
        let before = self.kept();
        let (gate, until) = match when {
            Killed::SynchronousEngine => (0, Some(self.folder.clone())),
            Killed::BeforeRun(runs) => (runs, None),
            Killed::AtRecord(runs) | Killed::BeforeLine(runs) => {
                (runs, Some(self.file("records", before + runs as usize)))
            }
            Killed::AtLine(runs) => (runs, Some(self.file("runs", before + runs as usize))),
            Killed::Torn => (1, None),
        };
        let mut child = self.start(gate, if matches!(when, Killed::Torn) { "8" } else { "unlimited" });
        if let Some(until) = until {
            while !until.exists() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            child.kill().unwrap();
        }
        assert!(!child.wait().unwrap().success(), "{when:?}: it came to its end");
        if let (Killed::BeforeLine(_), true) = (when, self.kept() > before) {
            fs::remove_file(self.file("runs", self.kept())).unwrap();
        }
        let grown = self.kept() - before;
        match when {
            Killed::Torn => assert_eq!(grown, 0, "its record had no room"),
            _ => assert!(grown <= gate as usize, "{when:?}: {grown} runs"),
        }
    }

    fn runs(&self) -> Vec<Value> {
        let read = |number| -> Value {
            let mut run: Value = read_json(self.file("runs", number));
            run.as_object_mut().unwrap().remove("seconds");
            run
        };
        (1..=self.kept()).map(read).collect()
    }
}

#[test]
fn resumed_sweep_equals_undisturbed_sweep() {
    let (folder, target) = place();
    // By any other order of runs, or of their seeds, the second one would come to other rates.
    let grid = ["-o1..64", "--repeat", "4"];
    let curve = ["--curve", "40%..100%+30%", "--slo", "p99=1ms", "--repeat", "2", "-o32"];
    for (name, options, kills) in [("grid", &grid[..], 20), ("curve", &curve, 8)] {
        let undisturbed = Mortal::new(options, &folder.path().join(name), &target);
        let expected = undisturbed.complete_sweep().succeeds();
        let mortal = Mortal::new(options, &folder.path().join(format!("{name}-killed")), &target);
        // The same moments each time.
        let mut random = Random(1);
        for number in 0..kills {
            mortal.killed(if number == 0 { Killed::SynchronousEngine } else { Killed::any(random.number()) });
        }
        let some = mortal.kept();
        assert!(some > 0 && some < undisturbed.kept(), "{name}: {some} of {}", undisturbed.kept());
        let resumed = mortal.complete_sweep().succeeds();
        assert_eq!(figures(&resumed), figures(&expected), "{name}");
        assert_eq!(mortal.runs(), undisturbed.runs(), "{name}");
        for number in 1..=mortal.kept() {
            let record = fs::read(mortal.file("records", number)).unwrap();
            assert!(diskspd::formats::json::read(&record).is_ok(), "{name}: record {number}");
        }
        let again = mortal.complete_sweep();
        assert!(again.stderr.contains(" 0 runs "), "{}", again.stderr);
        assert_eq!(figures(&again), figures(&expected), "{name}");
    }
}

#[test]
fn sweep_points_are_kept_until_its_end() {
    let (folder, target) = place();
    let states = folder.path().join("states");
    let count = folder.path().join("count");
    // Before its second run the command interrupts the program that runs it, once.
    let between = format!(
        "echo >> {0}; test $(wc -l < {0}) -ne 2 || {{ kill -INT $PPID; exec sleep 60; }}",
        count.display()
    );
    let sweep = |more: &[&str]| -> Ended {
        let own = ["-o1,2", "--engine=null", "-d1", "-W0", "-c1M", "--between", &between];
        let words = [&["sweep"], more, &own, &[target.to_str().unwrap()]].concat();
        output(command_of(&words).env("XDG_STATE_HOME", &states)).unwrap().into()
    };
    let ended = sweep(&[]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let command = ended.stderr.lines().find(|line| line.starts_with("diskspd sweep --dir ")).unwrap();
    let kept = Path::new(command.split(' ').nth(3).unwrap());
    assert!(kept.starts_with(&states) && kept.join("records/0001.json").is_file(), "{command}");
    let report: Ended = output(&mut command_of(&["report", kept.to_str().unwrap()])).unwrap().into();
    assert_eq!((report.code, report.stdout.lines().count()), (0, 2), "{}{}", report.stdout, report.stderr);
    sweep(&["--dir", kept.to_str().unwrap()]).succeeds();
    // Another one, which comes to its end, leaves nothing behind.
    sweep(&[]).succeeds();
    assert_eq!(fs::read_dir(states.join("diskspd/sweeps")).unwrap().count(), 1);
}

#[test]
fn other_files_in_folder_are_counted_and_named() {
    let (folder, target) = place();
    let runs = folder.path().join("runs");
    fs::create_dir(&runs).unwrap();
    let record = runs.join("a.json");
    let run = [&SIM[..], &["--quiet", "--out", record.to_str().unwrap(), target.to_str().unwrap()]].concat();
    assert!(output(&mut command_of(&run)).unwrap().status.success());
    for name in ["notes.txt", "b.csv", "c", "d", "e", "f"] {
        fs::write(runs.join(name), "").unwrap();
    }
    let report: Ended = output(&mut command_of(&["report", runs.to_str().unwrap()])).unwrap().into();
    assert_eq!(report.stdout.lines().count(), 2, "{}", report.stdout);
    let expected = "skipped 6 entries without runs: b.csv, c, d, e, f and 1 more";
    assert!(report.stderr.contains(expected), "{}", report.stderr);
}

#[test]
fn answers_are_given_per_workload_without_range_ends() {
    let (_folder, target) = place();
    // Blocks of 4 KiB at random: the simulated drive does more with each doubling of the depth.
    let sweep_of = |options: &[&str], target: &Path| -> Ended {
        let sim = ["--engine=sim", "-d1", "-W0", "-c1G", "-r", target.to_str().unwrap()];
        output(&mut command_of(&[&["sweep"], options, &sim].concat())).unwrap().into()
    };
    let ended = sweep_of(&["-b4K,64K", "-o4"], &target);
    is_answer("sweep: axis of the workload", &ended, &target);
    let ended = sweep_of(&["-o1..8", "-b4K", "--repeat=2"], &target);
    is_answer("sweep: knee beyond the range", &ended, &target);
    let ended = sweep_of(&["-t1..2", "-o1,2", "-b4K", "--repeat=3"], &target);
    is_answer("sweep: threads up to the last", &ended, &target);
    let ended = sweep_of(&["--slo", "p99=5ms"], &target);
    assert!(ended.stderr.contains("--slo") && ended.stderr.contains("-o"), "{}", ended.stderr);
    let ended = sweep_of(&["--slo", "p99=90us", "-o2", "-b4K", "--curve", "50%,90%"], &target);
    is_answer("sweep: no load keeps the limit", &ended, &target);
}

#[test]
fn folder_of_another_sweep_is_refused() {
    let (folder, target) = place();
    let directory = folder.path().join("kept");
    let kept = directory.to_str().unwrap();
    assert_eq!(sweep_of(&["-o1,2", "--dir", kept], &target).code, 0);
    let other = sweep_of(&["-o1,4", "--dir", kept], &target);
    other.fails(1, &["diskspd sweep -o1,2"]);
    let lock = fs::File::open(&directory).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    let second = sweep_of(&["-o1,2", "--dir", kept], &target);
    second.fails(1, &[kept]);
    let full = folder.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("mine"), "").unwrap();
    let refused = sweep_of(&["-o1,2", "--dir", full.to_str().unwrap()], &target);
    refused.fails(1, &[full.to_str().unwrap()]);
}

#[test]
fn interrupted_sweep_keeps_points_and_prints_continuation() {
    let (folder, target) = place();
    let kept = folder.path().join("kept");
    // The command interrupts the program that runs it, before its third run.
    let count = folder.path().join("count");
    let between = format!(
        "echo >> {0}; test $(wc -l < {0}) -ne 3 || {{ kill -INT $PPID; exec sleep 60; }}",
        count.display()
    );
    let more = ["-o1..8", "--between", &between, "--dir", kept.to_str().unwrap()];
    let ended = sweep_of(&more, &target);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(kept.join("runs/0002.json").exists() && !kept.join("runs/0003.json").exists());
    let resumed = sweep_of(&more, &target).succeeds();
    assert_eq!(points(&resumed.stdout).len(), 4);
}
