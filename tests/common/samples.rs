//! Rendered samples of texts for people: one page per subject in `tests/data/messages`, one section per
//! sample. A test compares a whole text with its section, so reviewers see the text as users do.
//! `UPDATE_EXPECT=1` rewrites the sections.

use super::kept::{is_kept, place};
use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, PoisonError};

/// Pages of samples, whose sections must all be used.
pub const PAGES: [&str; 2] = ["answers", "cases"];

static WRITING: Mutex<()> = Mutex::new(());

fn file(page: &str) -> String {
    format!("tests/data/messages/{page}.md")
}

/// Returns the sections of a page by heading.
pub fn sections(page: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(place(&file(page))).unwrap_or_default();
    let sections = text.split("## ").skip(1).filter_map(|section| section.split_once("\n\n```\n"));
    sections
        .map(|(heading, rest)| (heading.to_owned(), rest.rsplit_once("\n```\n").unwrap().0.to_owned()))
        .collect()
}

pub fn render(sections: &BTreeMap<String, String>) -> String {
    let section = |(heading, text): (&String, &String)| format!("## {heading}\n\n```\n{text}\n```\n");
    sections.iter().map(section).collect::<Vec<_>>().join("\n")
}

/// Compares a text with the section of this heading.
#[track_caller]
pub fn is_sample(page: &str, heading: &str, text: &str) {
    assert!(PAGES.contains(&page), "{page}");
    let text = text.trim_matches('\n');
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut known = sections(page);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        known.insert(heading.to_owned(), text.to_owned());
        is_kept(&file(page), &render(&known));
    }
    let expected = known.get(heading).unwrap_or_else(|| panic!("{page}.md has no section {heading:?}"));
    assert_eq!(text, expected, "{heading}: UPDATE_EXPECT=1 rewrites the sample");
}
