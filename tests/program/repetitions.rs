//! `--repeat` of an ordinary run: the answer of all runs in every form, and the reports of single runs.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, command_of, output, tool, wait_until, while_nothing_starts, worker_process};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;

fn repeated(more: &[&str], folder: &Path) -> Ended {
    let target = folder.join("target");
    let arguments =
        [&["--engine=sim", "-d1", "-W0", "-b1M", "-c1G", "-L"], more, &[target.to_str().unwrap()]].concat();
    output(&mut command_of(&arguments)).unwrap().into()
}

#[test]
fn xml_has_every_run_and_standard_error_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = [
        "--repeat",
        "3",
        "-Rxml",
        "--out",
        &path("run.xml"),
        "--out",
        &path("run.json"),
        "--out",
        &path("run.txt"),
    ];
    let ended = repeated(&out, folder.path()).succeeds();
    let results =
        |text: &str| (text.matches("<Results>").count(), text.matches("</Results>\n<Results>").count());
    assert_eq!(results(&ended.stdout), (3, 2));
    assert_eq!(results(&fs::read_to_string(path("run.xml")).unwrap()), (3, 2));
    assert!(is_answer(&fs::read_to_string(path("run.txt")).unwrap(), 3));
    for number in 1..=3 {
        crate::common::schema::record(&fs::read(path(&format!("run-{number}.json"))).unwrap());
    }
    for expected in ["run 1: ", "run 3: ", "95 % interval of the mean"] {
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
}

/// Whether a text is only the answer of `runs` runs.
fn is_answer(text: &str, runs: usize) -> bool {
    text.starts_with(&format!("{runs} runs: "))
        && text.matches("95 % interval of the mean").count() == 1
        && text.lines().last().is_some_and(|line| line.starts_with("severity: "))
        && !text.contains("Command Line:")
}

#[test]
fn answer_replaces_reports_on_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    for quiet in [false, true] {
        let told = |more: &[&str]| {
            let quietly: &[&str] = if quiet { &["--quiet"] } else { &[] };
            let more = [&["--repeat", "3"], more, quietly].concat();
            let ended = repeated(&more, folder.path()).succeeds();
            assert_eq!(ended.stderr.matches("\nrun ").count() > 0, !quiet, "{}", ended.stderr);
            ended.stdout
        };
        assert!(is_answer(&told(&[]), 3), "{}", told(&[]));
        let json: serde_json::Value = serde_json::from_str(&told(&["--out", "json:-"])).unwrap();
        assert_eq!(json["format"]["name"], "diskspd repetition");
        let iops = |run: usize| json["runs"][run]["figures"]["iops"].as_f64().unwrap();
        let mean = (iops(0) + iops(1) + iops(2)) / 3.0;
        assert!((json["figures"]["iops"]["mean"].as_f64().unwrap() - mean).abs() < 1e-6);
        assert!(json["runs"][0]["file"].is_null(), "no record was written");
        let csv = told(&["--out", "csv:-"]);
        assert_eq!(csv.lines().count(), 4, "{csv}");
        assert!(csv.starts_with("run,seed,file,iops,"), "{csv}");
        let page = told(&["--out", "html:-"]);
        assert_eq!((page.matches("<!DOCTYPE").count(), page.matches("</html>").count()), (1, 1));
    }
}

#[test]
fn each_option_reports_every_run_before_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.txt");
    let ended =
        repeated(&["--repeat", "2", "--each", "--out", path.to_str().unwrap()], folder.path()).succeeds();
    for text in [&ended.stdout, &fs::read_to_string(&path).unwrap()] {
        let (reports, answer) = text.split_once("2 runs: ").unwrap();
        assert_eq!(reports.matches("Command Line:").count(), 2, "{text}");
        assert!(is_answer(&format!("2 runs: {answer}"), 2), "{text}");
    }
    let ended = repeated(&["--each"], folder.path());
    ended.fails(3, &["--repeat"]);
}

#[test]
fn repetition_in_json_replaces_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let ended = repeated(&["--repeat", "3", "--out", &path("r.json")], folder.path()).succeeds();
    let told = |words: &[&str]| -> Ended {
        let words: Vec<String> = words
            .iter()
            .map(|word| if word.contains(".json") { path(word) } else { (*word).to_owned() })
            .collect();
        output(&mut command_of(&words.iter().map(String::as_str).collect::<Vec<_>>())).unwrap().into()
    };
    assert_eq!(told(&["report", "r.json"]).stdout, ended.stdout);
    let rows = |names: &[&str]| {
        let table = told(&[&["report", "--csv"], names].concat()).stdout;
        table.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<String>>()
    };
    let records = ["r-1.json", "r-2.json", "r-3.json"].map(path);
    for names in [&["r*.json"][..], &["r.json"], &["r.json", "r-2.json"], &["r-1.json", "r.json"]] {
        let mut found = rows(names);
        found.sort();
        assert_eq!(found, records, "{names:?}");
    }
    let compared = told(&["compare", "r.json", "r-*.json"]);
    assert!(compared.stdout.contains("r.json (3 runs)"), "{}{}", compared.stdout, compared.stderr);
    let page = path("page.html");
    assert_eq!(told(&["report", "r.json", "--html", &page]).code, 0);
    assert!(fs::read_to_string(&page).unwrap().contains("<a href=\"#r3\">Run 3</a>"));
    // A record of another run is not a run of the repetition, whose figures are in its own file.
    fs::copy(path("r-1.json"), path("r-3.json")).unwrap();
    let own = ["r.json#1", "r.json#2", "r.json#3"].map(path);
    assert_eq!(rows(&["r.json"]), own);
    fs::remove_file(path("r-3.json")).unwrap();
    assert_eq!(rows(&["r.json"]), own);
    assert_eq!(told(&["report", "r.json"]).stdout, ended.stdout);
    fs::write(path("r.json"), "{\"format\": {\"name\": \"diskspd repetition\"}}").unwrap();
    let damaged = told(&["report", "r.json"]);
    damaged.fails(1, &["r.json"]);
    assert_eq!(damaged.stdout, "");
}

#[test]
fn records_of_longer_earlier_repetition_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for runs in ["4", "3"] {
        repeated(&["--repeat", runs, "--out", &path("r.json")], folder.path()).succeeds();
    }
    let report = |names: &[&str]| -> Ended {
        let names: Vec<String> = names.iter().map(|name| path(name)).collect();
        let names = names.iter().map(String::as_str);
        output(&mut command_of(&["report", "--csv"].into_iter().chain(names).collect::<Vec<_>>()))
            .unwrap()
            .into()
    };
    let together = report(&["r*.json"]);
    assert_eq!(together.stdout.lines().count(), 4, "{}", together.stdout);
    assert!(together.stderr.contains("r-4.json"), "{}", together.stderr);
    // The earlier record is still there for those who name it.
    assert_eq!(report(&["r-4.json"]).stdout.lines().count(), 2);
    assert_eq!(report(&["r-*.json"]).stdout.lines().count(), 5);
}

#[test]
fn repetition_page_has_a_row_per_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.html");
    repeated(&["--repeat", "3", "--out", path.to_str().unwrap()], folder.path()).succeeds();
    let page = fs::read_to_string(&path).unwrap();
    // One document, and no other one behind its end.
    assert_eq!((page.matches("<!DOCTYPE").count(), page.matches("</html>").count()), (1, 1));
    assert!(page.trim_end().ends_with("</html>"));
    let title = page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap();
    let [work, answer] = [title.split(": ").next(), title.split(": ").nth(1)].map(Option::unwrap);
    assert!(work.contains("1 MiB") && work.contains(" on target, "), "{title}");
    assert!(answer.starts_with("mean ") && answer.contains(" IOPS ± "), "{title}");
    assert!(page.contains("95 % interval"));
    for number in 1..=3 {
        let row = format!("<a href=\"#r{number}\">Run {number}</a>");
        assert!(page.contains(&row), "{row}");
        assert!(page.contains(&format!("id=\"r{number}\"")), "run {number} has no section");
    }
    repeated(&["--repeat", "1", "--out", path.to_str().unwrap()], folder.path()).succeeds();
    assert!(fs::read_to_string(&path).unwrap().contains("(one run)"));
}

#[test]
fn repetitions_have_distinct_seeds_that_rerun_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // Random small blocks: what they cost a simulated drive depends on where they lie.
    let ended = repeated(&["--repeat", "3", "-z5", "-b4K", "-r", "--out", &path("run.json")], folder.path())
        .succeeds();
    assert!(ended.stdout.contains("5 (-z)") && ended.stdout.contains("65537"), "{}", ended.stdout);
    let record = |name: &str| diskspd::formats::json::read(&fs::read(path(name)).unwrap()).unwrap();
    let seed_and_ios = |name: &str| {
        let record = record(name);
        let row = &record.host().results.time_spans[0].threads[0].targets[0];
        (record.profile.time_spans[0].rand_seed, row.read.ios)
    };
    let all = ["run-1.json", "run-2.json", "run-3.json"].map(seed_and_ios);
    assert_eq!(all.map(|(seed, _)| seed), [5, 5 + 65_537, 5 + 2 * 65_537]);
    assert!(all[0].1 != all[1].1 && all[1].1 != all[2].1, "they scatter: {all:?}");
    let again = output(&mut command_of(&["rerun", "--out", &path("again.json"), &path("run-3.json")]));
    assert!(again.unwrap().status.success());
    assert_eq!(seed_and_ios("again.json"), all[2]);
}

#[test]
fn precision_is_judged_from_three_runs() {
    let folder = tempfile::tempdir().unwrap();
    let ended = repeated(&["--repeat", "until=2%"], folder.path());
    assert_eq!((ended.code, ended.stderr.matches(" IOPS, ").count()), (0, 3), "{}", ended.stderr);
}

#[test]
fn quiet_good_runs_print_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    // -ft does nothing on Linux, which is a warning.
    let run = "--engine=sim -d1 -W0 -b1M -c1G -L -ft";
    for (line, warns) in [
        (format!("{run} --repeat 2"), true),
        (format!("sweep {run} -o1,2"), false),
        (format!("compare --repeat 1 -- {run} -o1 :: {run} -o2"), false),
    ] {
        let told = |quiet: &str| -> Ended {
            let (first, rest) = line.split_once(' ').unwrap();
            let words = [first, quiet].into_iter().chain(rest.split(' ')).filter(|word| !word.is_empty());
            let words: Vec<&str> = words.chain([target.to_str().unwrap()]).collect();
            output(&mut command_of(&words)).unwrap().into()
        };
        let (loud, quiet) = (told(""), told("--quiet"));
        assert_eq!((loud.code, quiet.code), (0, 0), "{line}: {}{}", loud.stderr, quiet.stderr);
        assert!(loud.stderr.contains("run 2") && loud.stderr.contains("-ft") == warns, "{}", loud.stderr);
        assert_eq!(quiet.stderr, "", "{line}");
        assert_eq!(quiet.stdout.lines().count(), loud.stdout.lines().count(), "{line}");
    }
}

#[test]
fn single_run_options_are_refused_with_repeat() {
    let folder = tempfile::tempdir().unwrap();
    for (more, why) in [
        (vec!["--repeat", "2", "--stream", "-"], "--stream is for a single run"),
        (vec!["--repeat", "0"], "not a number of runs"),
        (vec!["--repeat", "2", "--out", "r.json", "--out", "html:r-2.json"], "--out r-2.json"),
        (vec!["--repeat", "2", "--dry-run"], "--repeat and --dry-run exclude each other"),
    ] {
        let ended = repeated(&more, folder.path());
        assert_eq!(ended.code, 3, "{more:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{more:?}: {}", ended.stderr);
    }
}

/// No run listens for signals between two runs.
#[test]
fn ctrl_c_between_two_runs_ends_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let run = "-d1 -W0 -b1M -c1G --engine=sim";
    let single = format!("--repeat 1000 {run} target");
    let sides = format!("compare --repeat 1000 -- {run} -o1 :: {run} -o2 target");
    for line in [&single, &sides] {
        for runs in 1..=8 {
            let mut command = command_of(&line.split_whitespace().collect::<Vec<_>>());
            command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = while_nothing_starts(|| command.spawn()).unwrap();
            // A line behind each run: the next one has not begun.
            let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
            assert_eq!(told.by_ref().filter(|line| line.starts_with("run ")).take(runs).count(), runs);
            tool(&format!("kill -INT {}", child.id())).unwrap();
            // All that are left would be many more.
            let more = told.filter(|line| line.starts_with("run ")).take(500).count();
            if more == 500 {
                child.kill().unwrap();
            }
            child.wait().unwrap();
            assert!(more < 500, "it goes on: {line}");
        }
    }
}

#[test]
fn ctrl_c_ends_a_comparison_without_reader() {
    let folder = tempfile::tempdir().unwrap();
    let (_reader, mut full) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&full, true).unwrap();
    while full.write(&[b'x'; 1024]).is_ok() {}
    rustix::io::ioctl_fionbio(&full, false).unwrap();
    let run = "-d1 -W0 -b1M -c1G --engine=sim";
    let line = format!("compare --repeat 2 -- {run} -o1 :: {run} -o2 target");
    let mut command = command_of(&line.split_whitespace().collect::<Vec<_>>());
    command.current_dir(folder.path()).stdout(full).stderr(Stdio::null());
    let mut child = while_nothing_starts(|| command.spawn()).unwrap();
    wait_until("its figures wait", || {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        let waits_at = format!("/proc/{}/wchan", worker_process(child.id()));
        fs::read_to_string(waits_at).is_ok_and(|waits| waits.contains("pipe_write"))
    });
    tool(&format!("kill -INT {}", child.id())).unwrap();
    let mut ended = None;
    wait_until("it has ended", || {
        ended = child.try_wait().unwrap();
        ended.is_some()
    });
    assert_eq!(ended.unwrap().signal(), Some(2));
}
