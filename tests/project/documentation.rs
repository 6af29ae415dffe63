//! Tests of the documentation: links are valid, and its command lines are accepted by the program.
//!
//! A comment before a block defines the check of its lines: `<!-- parse -->` reads them, `<!-- run -->`
//! also runs them (tests/program/documentation_runs.rs) on a simulated drive.

#![allow(clippy::unwrap_used)]

use diskspd::cli;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = Vec::new();
    let mut folders = vec![root.join("docs")];
    let top = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(top.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

/// Returns the link names of a page's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let heading = |line: &str| {
        let title =
            line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))?.to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        Some(kept.map(|c| if c == ' ' { '-' } else { c }).collect())
    };
    text.lines().filter_map(heading).collect()
}

fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '\n']).next())
}

#[test]
fn links_lead_to_files_and_headings_that_are_there() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let place = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let there = match fs::read_to_string(&place) {
                Ok(text) if !anchor.is_empty() => anchors(&text).contains(anchor),
                _ => place.exists() && anchor.is_empty(),
            };
            if !there {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_reached_from_the_index() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    let linked: BTreeSet<PathBuf> = links(&index).map(|link| docs.join(link)).collect();
    for page in pages().into_iter().filter(|page| page.starts_with(&docs)) {
        let indirect = page.starts_with(docs.join("design")) || page == docs.join("README.md");
        assert!(indirect || linked.contains(&page), "docs/README.md does not name {}", page.display());
    }
}

pub fn blocks<'a>(text: &'a str, mark: &str) -> Vec<Vec<&'a str>> {
    let block = |rest: &'a str| {
        let lines = rest.lines().skip_while(|line| line.is_empty());
        lines.map_while(|line| line.strip_prefix("    ")).collect()
    };
    text.split(mark).skip(1).map(block).collect()
}

#[test]
fn command_lines_in_guides_are_accepted() {
    let mut seen = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for line in
            ["<!-- parse -->\n", "<!-- run -->\n"].iter().flat_map(|mark| blocks(&text, mark)).flatten()
        {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let read = cli::parse(&words);
            assert!(read.is_ok(), "{}: {line}\n{:?}", page.display(), read.err());
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn readme_is_short_and_has_both_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(text.lines().count() <= 60, "{} lines", text.lines().count());
    let main_job = "-c256M -b4K -r -w25 -t2 -o32 -Su -L -D -W1 -d5 /var/tmp/test.dat";
    assert!(
        text.contains(&format!("    cargo run --release -- {main_job}\n")) && text.contains("`cargo test`")
    );
    let words = ["diskspd"].into_iter().chain(main_job.split(' ')).map(OsString::from).collect::<Vec<_>>();
    assert!(matches!(cli::parse(&words), Ok(cli::Invocation::Run(_))));
    // The first sentence defines the program, without another tool's name.
    let first = text.lines().skip(1).find(|line| !line.is_empty()).unwrap();
    assert!(first.split('.').next().is_some_and(|sentence| !sentence.contains("DISKSPD")), "{first}");
    // The sample has at most twelve lines, with the labels of the final block.
    let shown = blocks(&text, "report it prints:\n");
    let shown = shown.first().unwrap();
    assert!((5..=12).contains(&shown.len()), "{shown:#?}");
    for label in
        ["workload  ", "figures   ", "course    ", "verdict   ", "severity  ", "limit     ", "next      "]
    {
        assert!(shown.iter().any(|line| line.starts_with(label)), "{label}: {shown:#?}");
    }
}

/// The documentation explains each option of Linux, not only the compatibility table.
#[test]
fn feature_page_lists_help_forms_and_exit_codes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let text = fs::read_to_string(docs.join("reference/features.md")).unwrap();
    for words in ["`diskspd --help`", "`diskspd --help all`", "`-?`", "`--quiet`", "`NO_COLOR`"] {
        assert!(text.contains(words), "{words}");
    }
    let codes = text.split_once("## Exit codes").unwrap().1;
    for exit in cli::Exit::ALL {
        let code = format!("| {} |", exit.code());
        assert!(codes.contains(&code), "{code}");
    }
    for topic in ["caching", "all"] {
        assert!(cli::parse(&["diskspd".into(), "--help".into(), topic.into()]).is_ok(), "{topic}");
    }
}

#[test]
fn windows_script_has_every_open_row() {
    let page = std::fs::read_to_string("docs/reference/windows.md").unwrap_or_default();
    let script = std::fs::read_to_string("packaging/try-on-windows.ps1").unwrap_or_default();
    let rows = script.lines().filter_map(|line| line.trim().strip_prefix("@{ Row = "));
    let numbers: Vec<usize> = rows.filter_map(|row| row.split(';').next()?.parse().ok()).collect();
    let open = page.lines().filter(|line| line.starts_with("| \u{2610} |")).count();
    assert_eq!(numbers, (1..=open).collect::<Vec<_>>());
    assert!(open > 0);
}
