//! Texts for people, as pages: the texts of each command and part of the program in a file of
//! `tests/data/texts`, to make changes of wording visible. Findings and refusals are in `tests/data/messages`
//! instead, as users see them. `UPDATE_EXPECT=1 cargo test --test library texts` updates the pages.

use super::source::{SOURCES, Source};
use crate::common::kept::{is_kept, place};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

const FEWEST_WORDS: usize = 4;

/// Sources of findings and refusals, whose rendered samples are in `tests/data/messages`.
const RENDERED: [&str; 2] = ["crates/checks/src/", "crates/profile/src/validate"];

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

/// Whether the text is a message: several words, neither markup nor an SQL statement.
fn is_said(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| word.len() > 1);
    let markup = ["<", "../", "SELECT ", "INSERT ", "DELETE ", "PRAGMA ", "WHERE "];
    words.count() >= FEWEST_WORDS && !markup.iter().any(|begin| text.trim_start().starts_with(begin))
}

fn pages() -> BTreeMap<String, String> {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for source in
        SOURCES.iter().filter(|source| !RENDERED.iter().any(|place| source.place.starts_with(place)))
    {
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

#[test]
fn message_texts_match_stored_pages() {
    let pages = pages();
    for (name, text) in &pages {
        is_kept(&format!("tests/data/texts/{name}.md"), text);
    }
    for kept in fs::read_dir(place("tests/data/texts")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = kept.file_stem().unwrap().to_str().unwrap();
        assert!(pages.contains_key(name), "{} is about nothing any more: remove it", kept.display());
    }
}

#[test]
fn literals_are_extracted_without_escapes() {
    let source = Source::new(
        "truth/limit.rs".into(),
        "const A: &str = \"the device could \\\n    do more\"; // \"no text of the program at all\"\nfn a() { b(\"sim\") }".into(),
    );
    let texts: Vec<String> = source.literals.iter().map(|(_, text)| read(text)).collect();
    assert_eq!(texts, ["the device could do more", "sim"]);
    assert!(is_said(&texts[0]) && !is_said(&texts[1]) && !is_said("SELECT id FROM runs WHERE kept = 1"));
}
