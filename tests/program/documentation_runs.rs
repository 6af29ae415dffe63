//! Tests of the guides' examples: command lines after `<!-- run -->` run in order, as a reader would, but
//! on a simulated drive with its own time and fixed seeds.
//!
//! | comment before a block | block |
//! |---|---|
//! | `<!-- before: LINE -->` | none: LINE runs first |
//! | `<!-- run -->` | command lines |
//! | `<!-- output -->` | output of the last line, kept by `UPDATE_EXPECT=1 cargo test --test program guides` |
//! | `<!-- sample -->` | output of real disks; the program has these headings and names of rows |

#![allow(clippy::unwrap_used)]

use crate::common::kept::is_kept;
use crate::common::{Ended, command_of, directory, output};
use std::fs;
use std::path::{Path, PathBuf};

/// Adapts a line for this test: a small file, without a real drive.
fn here(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in line.split_whitespace().skip(1) {
        match word {
            _ if word.ends_with("test.dat") => words.push("test.dat".to_owned()),
            _ if word.starts_with("-c") && word.ends_with('G') => words.push("-c8M".to_owned()),
            // Simulated I/Os cost time too.
            _ if word.starts_with("-o") && word.contains("..") => words.push("-o1..4".to_owned()),
            // Where no warm-up is asked for there is one all the same.
            _ if has_number(word, "-d") => words.extend(["-d2", "-W0"].map(str::to_owned)),
            _ if has_number(word, "-W") => {}
            "-Su" | "-Sh" => words.extend([word.to_owned(), "--engine=sim".to_owned()]),
            "--" => words.extend(["--order-seed=1", "--"].map(str::to_owned)),
            _ => words.push(word.to_owned()),
        }
    }
    if let Some(place) = words.iter().position(|word| word == "--preset") {
        let shorter = ["--engine=sim", "-d1", "-W0"].map(str::to_owned);
        words.splice(place + 2..place + 2, shorter);
    }
    words
}

/// Replaces the options of both sides in the output by those of the page.
fn as_typed(output: &str, typed: &str, executed: &[String]) -> String {
    let sides = |words: &[&str]| -> Vec<String> {
        let start = words.iter().position(|word| *word == "--").map_or(words.len(), |place| place + 1);
        let sides = words[start..].split(|word| *word == "::");
        sides.map(|side| side.join(" ").trim_end_matches(" test.dat").to_owned()).collect()
    };
    let here = sides(&executed.iter().map(String::as_str).collect::<Vec<_>>());
    let there = sides(&typed.split_whitespace().collect::<Vec<_>>());
    here.iter().zip(&there).fold(output.to_owned(), |text, (here, there)| match here.is_empty() {
        true => text,
        false => text.replace(here, there),
    })
}

/// Whether a word is this option with a number.
fn has_number(word: &str, option: &str) -> bool {
    word.strip_prefix(option)
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns the pages with steps: the tutorial and all guides.
fn guides() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let how_to = fs::read_dir(docs.join("how-to")).unwrap().map(|entry| entry.unwrap().path());
    let mut guides: Vec<PathBuf> =
        how_to.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    guides.push(docs.join("tutorial.md"));
    guides.sort();
    guides
}

/// Page in execution.
struct Guide {
    folder: tempfile::TempDir,
    /// Outputs of the last block, and standard output of its last line.
    all: String,
    last: String,
    lines: usize,
}

impl Guide {
    fn run_line(&mut self, line: &str) {
        let words = here(line);
        let mut command = command_of(&words.iter().map(String::as_str).collect::<Vec<_>>());
        command.current_dir(self.folder.path()).env("DISKSPD_STORE", self.folder.path().join("store"));
        let ended: Ended = output(&mut command).unwrap().into();
        // What a machine lacks is no fault of the guide: doctor says 2 where something would distort figures.
        let fine = ended.code == 0 || words[0] == "doctor" && ended.code == 2;
        assert!(fine, "{line}\n{words:?}\n{}", ended.stderr);
        self.all += &format!("{}{}", ended.stdout, ended.stderr);
        self.last = as_typed(&ended.stdout, line, &words);
        self.lines += 1;
    }

    /// Runs a line of a page with the block after it. Returns the block with the actual output.
    fn take_block(&mut self, mark: &str, block: &str) -> String {
        if let Some(line) = mark.strip_prefix("before: ") {
            self.run_line(line);
        }
        match mark {
            "run" => {
                self.all.clear();
                block.lines().filter(|line| !line.is_empty()).for_each(|line| self.run_line(line));
            }
            "output" => return self.last.trim().to_owned(),
            "sample" => self.check_names(block),
            _ => {}
        }
        block.to_owned()
    }

    /// Checks that the outputs or the sources contain the headings and the names of rows.
    fn check_names(&self, block: &str) {
        for line in block.lines().filter(|line| !line.is_empty() && !line.starts_with('-')) {
            let cells: Vec<&str> =
                line.split(['|']).flat_map(|part| part.split("  ")).map(str::trim).collect();
            let cells: Vec<&str> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
            let is_heading = cells.len() > 3 && cells.iter().all(|cell| !cell.contains('.'));
            let names = if is_heading { &cells[..] } else { &cells[..usize::from(cells.len() > 1)] };
            for name in names.iter().filter(|name| name.parse::<f64>().is_err()) {
                assert!(self.all.contains(name) || is_in_sources(name), "{name:?} of {line:?}\n{}", self.all);
            }
        }
    }
}

/// Whether a source has this string.
fn is_in_sources(name: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && fs::read_to_string(&path).unwrap().contains(&format!("\"{name}\""))
            {
                return true;
            }
        }
    }
    false
}

/// Runs the lines of a page. Returns the page with these outputs, and the number of lines.
fn executed(page: &str) -> (String, usize) {
    let folder = directory();
    // A simulated drive makes no files.
    fs::File::create(folder.path().join("test.dat")).unwrap().set_len(8 << 20).unwrap();
    let mut guide = Guide { folder, all: String::new(), last: String::new(), lines: 0 };
    let mut written = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        written += &format!("{line}\n");
        let Some(mark) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        while let Some(empty) = lines.next_if(|line| line.is_empty()) {
            written += &format!("{empty}\n");
        }
        let mut block = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("    ") || line.is_empty()) {
            block.push(line.strip_prefix("    ").unwrap_or(line));
        }
        let end = block.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let text = guide.take_block(mark, &block[..end].join("\n"));
        let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
        written.extend(text.lines().map(indented));
        written += &"\n".repeat(block.len() - end);
    }
    (written, guide.lines)
}

#[test]
fn guides_produce_their_stated_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut ran = 0;
    for guide in guides() {
        let page = fs::read_to_string(&guide).unwrap();
        let (written, lines) = executed(&page);
        is_kept(guide.strip_prefix(root).unwrap().to_str().unwrap(), &written);
        ran += lines;
    }
    assert!(ran > 20, "{ran}");
}

#[test]
fn guides_mark_their_command_lines() {
    for guide in guides() {
        let page = fs::read_to_string(&guide).unwrap();
        let mut before = "";
        let (mut in_block, mut in_fence) = (false, false);
        for line in page.lines().filter(|line| !line.is_empty()) {
            in_fence ^= line.starts_with("```");
            let is_command = line.starts_with("    diskspd ") && !line.ends_with(['\\', '|']);
            let is_marked = matches!(before, "<!-- run -->" | "<!-- parse -->");
            let is_form = line.contains("[options]");
            assert!(
                !is_command || in_fence || in_block || is_marked || is_form,
                "{}: {line}",
                guide.display()
            );
            in_block = line.starts_with("    ");
            before = line;
        }
    }
}
