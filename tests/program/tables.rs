//! Tables of many runs, as `diskspd report` prints them.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common::result_files::{DISKSPD, mutations};
use crate::common::{Ended, directory, directory_with, diskspd, on_columns};
use std::path::Path;

const RECORD: &[u8] = include_bytes!("../data/records/one-line.json");

fn report(arguments: &str, folder: &Path) -> Ended {
    diskspd(&format!("report {arguments}"), folder)
}

fn rows(csv: &str) -> Vec<std::collections::BTreeMap<&str, &str>> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), names.len(), "{line}");
            names.iter().copied().zip(cells).collect()
        })
        .collect()
}

#[test]
fn three_hundred_result_files_become_one_table() {
    let directory = directory();
    let mut expected = 0;
    let mut files = 0;
    for (name, text) in DISKSPD {
        for (number, mutation) in mutations(text).into_iter().enumerate() {
            std::fs::write(directory.path().join(format!("{name}-{number:02}.xml")), mutation.bytes).unwrap();
            files += 1;
            expected += match mutation.name {
                "twice" => 2,
                "three times, each with a mark" => 3,
                _ => 1,
            };
        }
    }
    assert_eq!(files, 300);
    let ended = report("{} --csv", directory.path());
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let rows = rows(&ended.stdout);
    assert_eq!(rows.len(), expected);
    // All forms of a document have the same figures.
    let figures =
        ["computer", "ios", "iops", "mib_per_s", "mean_ms", "p99_ms", "block_bytes", "write_percent"];
    for (name, _) in DISKSPD {
        let same: Vec<_> = rows.iter().filter(|row| row["run"].contains(&format!("/{name}-"))).collect();
        assert_eq!(same.len(), 23, "{name}");
        for row in &same {
            figures.iter().for_each(|column| assert_eq!(row[column], same[0][column], "{name} {column}"));
        }
    }
    let markdown = report("{} --md", directory.path());
    assert_eq!(markdown.stdout.lines().count(), expected + 2);
}

#[test]
fn records_and_results_share_one_table() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("a.json"), RECORD).unwrap();
    std::fs::write(at("b.xml"), DISKSPD[1].1).unwrap();
    std::fs::write(at("not-a-run.txt"), "left out").unwrap();
    diskspd("--engine sim -L -b4K -r -w30 -t2 -o4 -c1M -d1 --out {} sim.dat", &at("c.json")).report();
    let ended = report("{} --csv", directory.path()).succeeds();
    let rows = rows(&ended.stdout);
    let column = |name: &str| rows.iter().map(|row| row[name]).collect::<Vec<_>>();
    assert_eq!(column("origin"), ["record 3", "XML 2.2.0", "record 3"]);
    assert_eq!(rows[2]["threads"], "2");
    assert_eq!((rows[2]["outstanding"], rows[2]["block_bytes"]), ("4", "4096"));
    assert_eq!((rows[2]["in_flight"], rows[2]["random_percent"]), ("8", "100"));
    // Nothing is made up: XML says nothing of these.
    assert_eq!((rows[1]["verdict"], rows[1]["findings"]), ("", ""));
    let text = report("{}", directory.path()).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("run ") && lines[0].ends_with("p99_ms"), "{text}");
    assert!(lines[2].contains(" - "), "{text}");
}

#[test]
fn unreadable_file_is_an_empty_row() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("a.xml"), &DISKSPD[1].1[..500]).unwrap();
    std::fs::write(at("b.xml"), DISKSPD[1].1).unwrap();
    std::fs::write(at("c.json"), "{}").unwrap();
    let ended = report("{} {}/none.json --csv", directory.path());
    assert_eq!(ended.code, 1);
    let rows = rows(&ended.stdout);
    let read: Vec<bool> = rows.iter().map(|row| !row["ios"].is_empty()).collect();
    assert_eq!(read, [false, true, false, false]);
    for complaint in [
        "a.xml: line ",
        "c.json: this is JSON, but not a record",
        "none.json: cannot be \
        read: ",
    ] {
        assert!(ended.stderr.contains(complaint), "{}", ended.stderr);
    }
    assert_eq!(
        ended.stderr.lines().filter(|line| line.starts_with("ERROR: ")).count(),
        3,
        "{}",
        ended.stderr
    );
}

#[test]
fn truncated_record_is_not_read_by_its_index() {
    let (_directory, file) = directory_with("a.json");
    diskspd("--engine sim -c1M -d1 --out {} sim.dat", &file).report();
    let whole = std::fs::read(&file).unwrap();
    assert_eq!(report("{} --csv", &file).code, 0);
    std::fs::write(&file, &whole[..whole.len() - 100]).unwrap();
    report("{} --csv", &file).fails(1, &["a.json: ", "the record is incomplete"]);
}

#[test]
fn empty_folder_is_reported() {
    let directory = directory();
    report("{}", directory.path()).fails(1, &["this folder holds no records or results\n"]);
    std::fs::create_dir(directory.path().join("monday")).unwrap();
    report("{}", directory.path()).fails(1, &["or results; its subfolders are not read: name them"]);
    std::fs::write(directory.path().join("a.xml"), DISKSPD[1].1).unwrap();
    let told = report("{}", directory.path()).stderr;
    assert!(told.contains("skipped 1 folder: monday"), "{told}");
    report("{} -v", directory.path()).fails(3, &["-v is for one file"]);
}

#[test]
fn names_are_escaped_in_table_cells() {
    let directory = directory();
    let name = "a,b|\"c\"\u{1b}[31m.xml";
    std::fs::write(directory.path().join(name), DISKSPD[1].1).unwrap();
    let markdown = report("{} --md", directory.path()).stdout;
    assert!(markdown.contains("a,b\\|\"c\"\\\\x1b\\[31m.xml |"), "{markdown}");
    let csv = report("{} --csv", directory.path()).stdout;
    assert!(csv.contains("/a,b|\"\"c\"\""), "{csv}");
}

#[test]
fn one_result_file_is_printed_as_its_figures() {
    let (_directory, file) = directory_with("r.xml");
    std::fs::write(&file, include_str!("../data/samples/xml-a-random-read-latency.xml")).unwrap();
    let ended = report("{}", &file).succeeds();
    for part in ["XML 2.2.0, of ", "13.250", "99.9 %     66.521      -   66.521", "random", "min ", "max "] {
        assert!(ended.stdout.contains(part), "{part:?} is missing:\n{}", ended.stdout);
    }
    let all = report("{} -v", &file);
    assert!(all.stdout.lines().count() > ended.stdout.lines().count() + 90, "{}", all.stdout);
    diskspd("rerun {}", &file).fails(3, &["r.xml: this is a report without"]);
}

#[test]
fn every_column_is_in_the_docs() {
    let docs = include_str!("../../docs/reference/tables.md");
    let head = report("--csv {}", Path::new("/dev/null")).stdout;
    for column in head.lines().next().unwrap().split(',') {
        assert!(docs.contains(&format!("`{column}`")), "docs/reference/tables.md says nothing of {column}");
    }
}

#[test]
fn tables_fit_the_columns_of_a_terminal() {
    let directory = directory();
    let folder = directory.path().display();
    let kept = format!("--engine sim -c64M -b4K -r -L -W0 -d1 --quiet --store {folder}/h --save=nightly");
    diskspd(&format!("{kept} --out {{}}/run.json {{}}/x.dat"), directory.path());
    std::fs::copy(directory.path().join("run.json"), directory.path().join("copy.json")).unwrap();
    std::fs::write(directory.path().join("y.dat"), vec![1; 1 << 20]).unwrap();
    std::fs::write(directory.path().join("r.xml"), DISKSPD[1].1).unwrap();
    let sim = "--engine sim -c64M -b4K -r -L -W0 -d1";
    diskspd(&format!("sweep {sim} -o1..4 --quiet --json {{}}/s.json x.dat"), directory.path());
    let sides = format!("-- {sim} -o2 :: {sim} -o2 y.dat");
    diskspd(&format!("compare --repeat 4 --json {{}}/c.json {sides}"), directory.path());
    for (command, kept_words) in [
        ("sweep --engine sim -o1..4 -b4K -r -c64M -W0 -d1 --quiet x.dat", &["-o4", "p99 ms", "UNKNOWN"][..]),
        ("history --store h", &["nightly", "IOPS"]),
        ("report run.json copy.json", &["iops", "p99"]),
        ("doctor y.dat", &["details", "way of I/O"]),
        ("--engine sim --repeat 3 -c64M -b4K -r -L -W0 -d1 --quiet x.dat", &["mean", "IOPS", "UNKNOWN"]),
        ("devices", &["device", "used by"]),
        ("report r.xml", &["total", "IOPS", "mean ms"]),
        ("report c.json", &["IOPS", "change", "inconclusive"]),
        ("report s.json", &["-o4", "p99 ms", "UNKNOWN"]),
    ] {
        for columns in [40, 60, 80, 120] {
            let Some(lines) = on_columns(columns, &format!("cd {folder}; \"$PROGRAM\" {command}")) else {
                return;
            };
            let colours = |line: &String| {
                line.split("\u{1b}[").skip(1).map(|piece| piece.find('m').unwrap_or(0) + 3).sum::<usize>()
            };
            let wide = lines.iter().find(|line| line.chars().count() - colours(line) > columns as usize);
            assert_eq!(wide, None, "{columns} columns: {command}: {lines:#?}");
            let all = lines.join("\n");
            // Narrower terminals lack columns, but never the table.
            let kept = if columns < 80 { &kept_words[..1] } else { kept_words };
            assert!(kept.iter().all(|word| all.contains(word)), "{columns} columns: {command}:\n{all}");
        }
    }
}
