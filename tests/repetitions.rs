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
