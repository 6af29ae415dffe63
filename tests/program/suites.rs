//! Suites and baselines: run by the program as users run it, on a simulated drive.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::lab::Lab;
use crate::common::{self, output, skip, tool};
use serde_json::Value;
use std::path::Path;

const SIM: &str = "-- --engine=sim -c1G -d1 -W0 -g200i";

const SUITE: &str = "name = 'nightly'\nabout = 'two tests'\nrepeat = 2\n\n[[test]]\nname = 'reads'\n\
    about = 'random reads'\ncommand = '-b4K -r -o4'\nmetric = 'iops'\n\n[[test]]\nname = 'writes'\n\
    command = '-b8K -w100 -o2'\nmetric = 'iops'\nworse = '5%'\n";

/// Returns a folder with a history and a suite.
fn suite_lab() -> Lab {
    let lab = Lab::new().with_word("SIM", SIM);
    lab.write("s.toml", SUITE);
    lab
}

#[test]
fn suite_runs_sequentially_and_is_kept_whole() {
    let lab = suite_lab();
    let ended = lab.done("suite s.toml f.dat --json s.json --html s.html SIM");
    let rows: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(rows.len(), 3, "{}", ended.stdout);
    assert!(rows[1].starts_with("reads ") && rows[2].starts_with("writes "), "{}", ended.stdout);
    let order: Vec<&str> =
        ended.stderr.lines().filter_map(|line| line.strip_prefix("round ")?.split(": ").nth(1)).collect();
    assert_eq!(order, ["reads", "writes", "writes", "reads"], "{}", ended.stderr);
    let document = common::schema::suite(lab.read("s.json").as_bytes());
    assert_eq!(document["format"]["name"], "diskspd-suite");
    assert_eq!((document["name"].as_str(), document["label"].as_str()), (Some("nightly"), Some("nightly.1")));
    assert_eq!(document["tests"][1]["lines"].as_array().unwrap().len(), 2);
    assert!(lab.read("s.html").contains("writes 2"));
    // All of it, one test of it, one run of it.
    let listed = |line: &str| lab.done(line).stdout.lines().filter(|line| line.contains("f.dat")).count();
    assert_eq!(listed("history list --label nightly.1"), 4);
    assert_eq!(listed("history list --tag test:reads"), 2);
    assert!(lab.done("suite s.toml f.dat --repeat 1 SIM").stderr.contains("@nightly.2"));
}

#[test]
fn two_suite_runs_are_compared_by_test() {
    let lab = suite_lab();
    lab.done("suite s.toml f.dat SIM");
    lab.write("s.toml", &SUITE.replace("-o4", "-o8"));
    lab.done("suite s.toml f.dat SIM");
    let said = lab.done("compare @nightly.1 @nightly.2").stdout;
    assert!(said.contains("\nreads\n") && said.contains("\nwrites\n"), "{said}");
    // One run beside them is of no suite: then all are told apart by what they do.
    lab.done("--engine=sim -c1G -b8K -w100 -o2 -d1 -W0 -g200i -L --save=alone f.dat");
    let said = lab.done("compare @nightly.1,@alone @nightly.2").stdout;
    assert!(said.contains("share of writes 100 %") && !said.contains("\nreads\n"), "{said}");
}

#[test]
fn suite_accepts_presets_and_multi_span_profiles() {
    let lab = suite_lab();
    let ended = lab.done("suite four-corners f.dat --repeat 1 --dry-run SIM");
    let names: Vec<&str> =
        ended.stdout.lines().filter_map(|line| line.split_once(", 1 run")).map(|(name, _)| name).collect();
    assert_eq!(names, ["random-reads", "random-writes", "sequential-reads", "sequential-writes"]);
    let spans = "<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target><Path>*1</Path>\
        <FileSize>1073741824</FileSize></Target></Targets></TimeSpan>";
    lab.write("p.xml", &format!("<Profile><TimeSpans>{spans}{spans}</TimeSpans></Profile>"));
    let ended = lab.done("suite p.xml f.dat --dry-run");
    assert!(
        ended.stdout.contains("time-span-1, 5 runs") && ended.stdout.contains("time-span-2"),
        "{}",
        ended.stdout
    );
}

#[test]
fn suite_is_checked_completely_before_any_run() {
    let lab = suite_lab();
    let second = SUITE.replace("-b8K -w100 -o2", "-b8K -w101");
    lab.write("broken.toml", &second);
    lab.write("typo.toml", &SUITE.replace("repeat =", "repaet ="));
    lab.write("own.toml", &SUITE.replace("-o4'", "-o4 a.dat'").replace("-o2'", "-o2 *2'"));
    for (line, words) in [
        ("suite broken.toml f.dat SIM", &["test 'writes'", "-w101"][..]),
        ("suite typo.toml f.dat SIM", &["typo.toml: line 3", "did you mean 'repeat'?"]),
        ("suite own.toml f.dat SIM", &["it needs a target 2 (*2), but one is given"]),
        (
            "suite befor-and-after f.dat SIM",
            &["neither a file nor a suite", "did you mean before-and-after?"],
        ),
        ("suite s.toml SIM", &["test 'reads'", "target"]),
        ("suite s.toml f.dat SIM --stream x", &["--stream cannot be used in a suite"]),
        ("suite s.toml missing.dat -- --engine=sync -d1", &["test 'reads'", "missing.dat"]),
    ] {
        let ended = lab.run(line);
        ended.fails(3, words);
        assert!(!lab.path("store").exists(), "{line}");
    }
}

#[test]
fn single_run_options_are_refused_for_suites() {
    let lab = suite_lab();
    lab.write("target", "data of somebody");
    let of_one = "--dry-run,--out o.json,--repeat 2,--strict,--quiet,--save,--stream -,--io-log l,-Rp,-Rxml,-v,\
                  -P,--xml-verdict,--text-verdict,-ysE";
    for option in of_one.split(',') {
        let named = option.split(' ').next().unwrap();
        let ended = lab.run(&format!("suite s.toml target -- -w100 -d1 -W0 {option}"));
        assert_eq!(ended.code, 3, "{option}: {}", ended.stderr);
        let named = named.trim_end_matches('E');
        assert!(
            ended.stderr.contains(&format!("{named} cannot be used in a suite's runs")),
            "{}",
            ended.stderr
        );
    }
    for option in ["--dry-run", "--out o.json", "--strict", "-Rxml", "-v", "--text-verdict", "--stream -"] {
        let named = option.split(' ').next().unwrap();
        let ended = lab.run(&format!("compare --repeat 2 -- -w100 -d1 {option} :: -w100 -d1 -o4 target"));
        assert_eq!(ended.code, 3, "{option}: {}", ended.stderr);
        assert!(ended.stderr.contains(&format!("{named} is for single runs")), "{}", ended.stderr);
    }
    assert_eq!(lab.read("target"), "data of somebody");
    let ended = lab.run("suite s.toml -- -d1");
    assert!(ended.stderr.contains("diskspd suite NAME TARGET"), "{}", ended.stderr);
    assert!(!lab.path("o.json").exists() && !lab.path("l").exists());
}

#[test]
fn shipped_suites_are_listed_shown_and_run() {
    let lab = suite_lab();
    let listed = lab.done("suite --list").stdout;
    let suites =
        ["before-and-after", "ten-run-average", "sql-server-four-files", "cluster-volume", "cloud-disk"];
    for name in suites {
        assert!(listed.contains(name), "{listed}");
        lab.write("shown.toml", &lab.done(&format!("suite {name} --show")).stdout);
        let dry = "--dry-run -- --engine=sim -c1G";
        let own = lab.done(&format!("suite {name} a b c d {dry}"));
        assert_eq!(lab.done(&format!("suite shown.toml a b c d {dry}")).stdout, own.stdout);
    }
}

#[test]
fn baseline_is_set_checked_and_removed_without_losing_runs() {
    let lab = suite_lab();
    lab.run("baseline check b").fails(3, &["there is no baseline 'b'", "baseline set"]);
    lab.run("baseline set b").fails(1, &["no runs in"]);
    lab.done("suite s.toml f.dat SIM");
    let set = lab.done("baseline set b").stdout;
    assert!(set.contains("b: 2 tests, 4 runs"), "{set}");
    let shown = lab.done("baseline show b").stdout;
    assert!(shown.contains(" nightly") && shown.contains(" 5 %"), "{shown}");
    let ended = lab.done("baseline check b --repeat 2 --fail-if worse");
    assert!(ended.stdout.contains("2 tests: 2 inconclusive (reads, writes: "), "{}", ended.stdout);
    assert!(ended.stderr.contains("@nightly.2"), "{}", ended.stderr);
    lab.run("baseline check b --repeat 2 --fail-if unsure").fails(2, &[]);
    lab.run("baseline check b x y").fails(3, &["measured 1 targets, but 2 are given"]);
    lab.run("baseline check c").fails(3, &["the baselines are b"]);
    lab.done("baseline remove b");
    assert!(!lab.done("baseline list").stdout.lines().any(|line| line.starts_with("b ")));
    assert_eq!(lab.done("history list").stdout.lines().filter(|line| line.contains("f.dat")).count(), 12);
}

/// The warning about too few runs comes before the first run, with a sufficient number.
#[test]
fn too_few_runs_are_reported_before_they_are_made() {
    let lab = suite_lab();
    const FEW: &str = "cannot detect any change";
    let is_before = |told: &str, first: &str| told.find(FEW).is_some_and(|at| Some(at) < told.find(first));
    let ended = lab.done("suite s.toml f.dat --repeat 3 SIM");
    assert!(is_before(&ended.stderr, "round 1 of 3"), "{}", ended.stderr);
    let sufficient = ended.stderr.split("--repeat ").nth(1).unwrap();
    let sufficient: u32 = sufficient.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    let dry = |runs: u32| lab.done(&format!("suite s.toml f.dat --dry-run --repeat {runs} SIM")).stderr;
    assert!(!dry(sufficient).contains(FEW) && dry(sufficient - 1).contains(FEW));
    let quiet = lab.done("suite s.toml f.dat --dry-run --quiet --repeat 1 SIM");
    assert!(!quiet.stderr.contains(FEW), "{}", quiet.stderr);
    let set = lab.done("baseline set b");
    assert!(set.stderr.contains(FEW), "{}", set.stderr);
    let checked = lab.done("baseline check b --repeat 2");
    assert!(is_before(&checked.stderr, "round 1 of 2"), "{}", checked.stderr);
    lab.done(&format!("suite s.toml f.dat --repeat {sufficient} --quiet SIM"));
    assert!(!lab.done("baseline set c").stderr.contains(FEW));
}

#[test]
fn only_collapsed_tests_are_named() {
    let lab = suite_lab();
    let run = |suite: &str| {
        lab.done(&format!("suite {suite} f.dat --repeat 5 --quiet -- --engine=sim -c1G -d1 -W0"));
    };
    run("s.toml");
    lab.done("baseline set b");
    // A test is known by its name: what else was changed is told.
    lab.write("slow.toml", &SUITE.replace("-w100 -o2", "-w100 -o1"));
    run("slow.toml");
    let line = "baseline check b --against @nightly.2 --fail-if worse --out r.junit.xml --out a.github.txt \
        --out m.md --out metrics.txt --out b.bencher.json --html p.html";
    let ended = lab.run(line);
    assert_eq!(ended.code, 2, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("1 worse (writes by "), "{}", ended.stdout);
    assert!(ended.stdout.contains("I/Os in flight: 2 in A, 1 in B"), "{}", ended.stdout);
    let annotations = lab.read("a.github.txt");
    assert!(annotations.contains("::error title=b%3A writes::IOPS: B is worse"), "{annotations}");
    assert!(lab.read("m.md").contains("| ❌ | writes |"));
    assert!(lab.read("metrics.txt").contains("diskspd_worse{test=\"writes\"} 1"));
    assert!(lab.read("p.html").contains("writes"));
    let bencher: Value = serde_json::from_str(&lab.read("b.bencher.json")).unwrap();
    assert!(bencher["b: writes"]["iops"]["value"].as_f64().unwrap() > 0.0);
    jq_finds("[.[] | .iops.value] | length > 1 and all(. > 0)", &lab.path("b.bencher.json"));
    valid_junit(&lab.path("r.junit.xml"));
}

/// Whether `jq` says true of a file.
fn jq_finds(what: &str, file: &Path) {
    if tool("jq --version").is_none() {
        return skip("no jq: apt-get install jq");
    }
    let told = output(std::process::Command::new("jq").args(["-e", what]).arg(file)).unwrap();
    assert!(told.status.success(), "{what}: {}", String::from_utf8_lossy(&told.stderr));
}

fn valid_junit(file: &Path) {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/junit.xsd");
    if tool("xmllint --version").is_none() {
        return skip("no xmllint");
    }
    let mut command = std::process::Command::new("xmllint");
    command.arg("--noout").arg("--schema").arg(schema).arg(file);
    let ended = output(&mut command).unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn baseline_of_files_is_compared_by_workload() {
    let lab = suite_lab();
    for (name, block) in [("a1", 4), ("a2", 4), ("a3", 8), ("b1", 4), ("b2", 8)] {
        let line =
            format!("--engine=sim -c1G -b{block}K -r -L -W0 -d1 -g200i --quiet --out json:{name}.json f.dat");
        lab.done(&line);
    }
    let set = lab.done("baseline set files a1.json,a2.json a3.json").stdout;
    assert!(set.contains("files: 2 tests, 3 runs"), "{set}");
    let ended = lab.done("baseline check files --against b1.json,b2.json --out summary:-");
    assert!(ended.stdout.starts_with("### DiskSpd: files"), "{}", ended.stdout);
    // Records can be run again.
    let ended = lab.done("baseline check files --repeat 1 --quiet");
    assert!(ended.stdout.contains("2 tests: "), "{}", ended.stdout);
    // What is gone is told.
    let shown = lab.done("baseline show files").stdout;
    let id = shown.split_whitespace().find_map(|word| word.strip_prefix('@')).unwrap();
    lab.done(&format!("history remove {id}"));
    let ended = lab.done("baseline check files --against b1.json,b2.json");
    assert!(ended.stderr.contains("1 of 3 runs"), "{}", ended.stderr);
}
