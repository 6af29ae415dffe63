//! What people read, as pages: the texts of each command, check and part of the program in a file of `tests/data/texts`, so
//! that a change of words is read as words. `DISKSPD_WRITE_TEXTS=1 cargo test --test library texts` writes them anew.

use super::source::{SOURCES, Source};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// A text of fewer words is no sentence: a name, a unit, a key.
const FEWEST_WORDS: usize = 4;

/// The page of a file: its crate, and what is in it that people call by a name: `judge-truth`, `commands-sweep`.
fn page(source: &Source) -> String {
    let of_crate = source.place.strip_prefix("crates/").and_then(|place| place.split('/').next());
    let module = source.module();
    match (of_crate, &module[..]) {
        (Some(name), [first, second, ..]) if *first == name => format!("{name}-{second}"),
        (Some(name), [first, ..]) if *first != name => format!("{name}-{first}"),
        (Some(name), _) => name.to_owned(),
        (None, [first, second, ..]) => format!("{first}-{second}"),
        (None, [first]) => (*first).to_owned(),
        (None, []) => "program".to_owned(),
    }
}

/// As it is read: without what continues it on the next line, and the quotes within it.
fn read(literal: &str) -> String {
    let mut text = String::new();
    let mut rest = literal;
    while let Some((before, behind)) = rest.split_once("\\\n") {
        text += before;
        rest = behind.trim_start();
    }
    text += rest;
    text.replace("\\\"", "\"")
}

/// Whether it speaks to people: some words, and neither markup nor a statement for a database.
fn is_said(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| word.len() > 1);
    let markup = ["<", "SELECT ", "INSERT ", "DELETE ", "PRAGMA ", "WHERE "];
    words.count() >= FEWEST_WORDS && !markup.iter().any(|begin| text.trim_start().starts_with(begin))
}

fn pages() -> BTreeMap<String, String> {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for source in SOURCES.iter() {
        let said = source.literals.iter().filter(|(at, _)| !source.is_test(*at));
        let said: Vec<String> = said.map(|(_, text)| read(text)).filter(|text| is_said(text)).collect();
        if said.is_empty() {
            continue;
        }
        let page = pages.entry(page(source)).or_default();
        let _ = writeln!(page, "## {}\n", source.place);
        for text in said {
            let _ = writeln!(page, "{}\n", text.trim_end_matches("\\n"));
        }
    }
    pages
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/texts")
}

#[test]
fn what_people_read_is_kept_as_pages() {
    let pages = pages();
    let path = |name: &str| folder().join(format!("{name}.md"));
    if std::env::var_os("DISKSPD_WRITE_TEXTS").is_some() {
        let _ = fs::remove_dir_all(folder());
        fs::create_dir_all(folder()).unwrap();
        return pages.iter().for_each(|(name, text)| fs::write(path(name), text).unwrap());
    }
    let mut differ = Vec::new();
    for (name, text) in &pages {
        let kept = fs::read_to_string(path(name)).unwrap_or_default();
        let first = kept.lines().zip(text.lines()).find(|(kept, now)| kept != now);
        if kept != *text {
            differ.push(format!("{name}, first in {first:?}"));
        }
    }
    let kept = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let without = kept.filter(|file| !pages.keys().any(|name| path(name) == *file));
    differ.extend(without.map(|file| format!("{} is about nothing any more", file.display())));
    let again = "DISKSPD_WRITE_TEXTS=1 cargo test --test library texts writes them anew, to be read";
    assert!(differ.is_empty(), "{}; {again}", differ.join("; "));
}

#[test]
fn texts_are_found_as_they_are_read() {
    let source = Source::new(
        "truth/limit.rs".into(),
        "const A: &str = \"the device could \\\n    do more\"; // \"no text of the program at all\"\nfn a() { b(\"sim\") }".into(),
    );
    let texts: Vec<String> = source.literals.iter().map(|(_, text)| read(text)).collect();
    assert_eq!(texts, ["the device could do more", "sim"]);
    assert!(is_said(&texts[0]) && !is_said(&texts[1]) && !is_said("SELECT id FROM runs WHERE kept = 1"));
}
