//! Tests of the guides' examples marked `<!-- run -->`: run in order, as a reader would, but on a
//! simulated drive with its own time.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, command_of, directory, output};
use std::fs;
use std::path::Path;

/// The line as it is run here: in a folder of the test, a small file, without a real drive.
fn here(line: &str, folder: &Path) -> Vec<String> {
    let file = folder.join("test.dat");
    let mut words = Vec::new();
    for word in line.split_whitespace().skip(1) {
        match word {
            _ if word.ends_with("test.dat") => words.push(file.display().to_string()),
            _ if word.starts_with("-c") && word.ends_with('G') => words.push("-c8M".to_owned()),
            _ if word.ends_with(".html") || word.ends_with(".json") => {
                words.push(folder.join(word).display().to_string());
            }
            // Simulated I/Os cost time too.
            _ if word.starts_with("-o") && word.contains("..") => words.push("-o1..4".to_owned()),
            _ if has_number(word, "-o") => words.push("-o2".to_owned()),
            "5" | "8" if words.last().is_some_and(|last| last == "--repeat") => words.push("2".to_owned()),
            // Where no warm-up is asked for there is one all the same.
            _ if has_number(word, "-d") => words.extend(["-d1", "-W0"].map(str::to_owned)),
            _ if has_number(word, "-W") => {}
            "-Su" | "-Sh" => words.extend([word.to_owned(), "--engine=sim".to_owned()]),
            _ => words.push(word.to_owned()),
        }
    }
    if let Some(place) = words.iter().position(|word| word == "--preset") {
        let shorter = ["--engine=sim", "-d1", "-W0"].map(str::to_owned);
        words.splice(place + 2..place + 2, shorter);
    }
    words
}

/// Whether a word is this option with a number.
fn has_number(word: &str, option: &str) -> bool {
    word.strip_prefix(option)
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn guides_produce_their_stated_results() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let guides = ["tutorial.md", "how-to/sql-server-volume.md", "how-to/regression-in-ci.md"];
    let mut ran = 0;
    for guide in guides {
        let folder = directory();
        // A simulated drive makes no files.
        fs::File::create(folder.path().join("test.dat")).unwrap().set_len(8 << 20).unwrap();
        let text = fs::read_to_string(docs.join(guide)).unwrap();
        let lines = text.split("<!-- run -->\n").skip(1).flat_map(|rest| {
            rest.lines().skip_while(|line| line.is_empty()).map_while(|line| line.strip_prefix("    "))
        });
        for line in lines {
            let words = here(line, folder.path());
            let mut command = command_of(&words.iter().map(String::as_str).collect::<Vec<_>>());
            let ended: Ended =
                output(command.env("DISKSPD_STORE", folder.path().join("store"))).unwrap().into();
            // What a machine lacks is no fault of the guide: doctor says 2 where something would distort figures.
            let fine = ended.code == 0 || words[0] == "doctor" && ended.code == 2;
            assert!(fine, "{guide}: {line}\n{words:?}\n{}", ended.stderr);
            ran += 1;
        }
    }
    assert!(ran > 10, "{ran}");
}
