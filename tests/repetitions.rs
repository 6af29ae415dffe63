//! `--repeat` of an ordinary run: as many reports as runs, and what they say together.

#![allow(clippy::unwrap_used)]

use super::common::{Ended, command_of, output};
use std::fs;
use std::path::Path;

fn repeated(more: &[&str], folder: &Path) -> Ended {
    let target = folder.join("target");
    let arguments =
        [&["--engine=sim", "-d1", "-W0", "-b1M", "-c1G", "-L"], more, &[target.to_str().unwrap()]].concat();
    output(&mut command_of(&arguments)).unwrap().into()
}

#[test]
fn every_run_has_its_report_and_the_end_says_what_they_have_in_common() {
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
    let ended = repeated(&out, folder.path());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let results =
        |text: &str| (text.matches("<Results>").count(), text.matches("</Results>\n<Results>").count());
    assert_eq!(results(&ended.stdout), (3, 2));
    assert_eq!(results(&fs::read_to_string(path("run.xml")).unwrap()), (3, 2));
    assert_eq!(fs::read_to_string(path("run.txt")).unwrap().matches("Command Line:").count(), 3);
    for number in 1..=3 {
        super::common::schema::record(&fs::read(path(&format!("run-{number}.json"))).unwrap());
    }
    for expected in ["run 1: ", "run 3: ", "95 % interval of the mean"] {
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
}

#[test]
fn repetitions_have_seeds_of_their_own_that_rerun_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // Random small blocks: what they cost a simulated drive depends on where they lie.
    let ended = repeated(&["--repeat", "3", "-z5", "-b4K", "-r", "--out", &path("run.json")], folder.path());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("random seeds: 5 for run 1 (-z), then 65537 more"), "{}", ended.stderr);
    let record = |name: &str| diskspd::report::json::read(&fs::read(path(name)).unwrap()).unwrap();
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
fn a_precision_that_is_reached_at_once_takes_three_runs() {
    let folder = tempfile::tempdir().unwrap();
    let ended = repeated(&["--repeat", "until=2%"], folder.path());
    assert_eq!((ended.code, ended.stderr.matches(" IOPS, ").count()), (0, 3), "{}", ended.stderr);
}

#[test]
fn quiet_runs_say_nothing_when_nothing_is_wrong() {
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
fn what_is_of_one_run_is_refused_with_several() {
    let folder = tempfile::tempdir().unwrap();
    for (more, why) in [
        (vec!["--repeat", "2", "--stream", "-"], "--stream is of one run"),
        (vec!["--repeat", "0"], "not a number of runs"),
        (vec!["--repeat", "2", "--dry-run"], "--repeat can't be given together with --dry-run"),
    ] {
        let ended = repeated(&more, folder.path());
        assert_eq!(ended.code, 3, "{more:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{more:?}: {}", ended.stderr);
    }
}
