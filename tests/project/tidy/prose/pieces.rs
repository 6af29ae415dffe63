//! The texts of the project, by class: pages, messages, help, doc comments and names of tests.

use crate::common::kept::root;
use crate::project::tidy::source::{CRATES, Source};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Mark in the first lines of a page that quotes banned phrases, which turns the check off.
pub const OFF: &str = "<!-- prose-lint: off";

/// Maximum position of the mark in bytes.
const HEAD_BYTES: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Docs,
    Changelog,
    Message,
    Help,
    Comment,
    Test,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Docs => "docs",
            Class::Changelog => "changelog",
            Class::Message => "message",
            Class::Help => "help",
            Class::Comment => "comment",
            Class::Test => "test",
        }
    }
}

/// Words and punctuation of one sentence. A code span is the word `Zq`.
pub struct Sentence {
    pub line: usize,
    pub words: Vec<String>,
}

/// A paragraph, a table row, a message, a doc comment or the name of a test.
pub struct Piece {
    pub class: Class,
    pub file: String,
    pub lines: RangeInclusive<usize>,
    pub sentences: Vec<Sentence>,
}

impl Piece {
    fn new(class: Class, file: &str, first: usize, text: &str) -> Piece {
        let last = first + text.matches('\n').count();
        Piece { class, file: file.to_owned(), lines: first..=last, sentences: split(text, first) }
    }

    #[cfg(test)]
    pub fn from_text(class: Class, text: &str) -> Piece {
        Piece::new(class, "", 1, text)
    }

    pub fn words(&self) -> usize {
        let words = self.sentences.iter().flat_map(|sentence| &sentence.words);
        words.filter(|word| word.starts_with(char::is_alphabetic)).count()
    }
}

/// Returns all texts of the project.
pub fn read_all() -> Vec<Piece> {
    let mut pages = Vec::new();
    for folder in ["docs", ".github", "packaging", "python", "xtask"] {
        find_pages(&root().join(folder), &mut pages);
    }
    let top = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(top.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    let mut pieces = Vec::new();
    for path in pages {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        pieces.extend(read_markdown(name, &fs::read_to_string(&path).unwrap()));
    }
    for (name, files) in CRATES.iter() {
        let is_test = name.ends_with("tests");
        pieces.extend(files.iter().flat_map(|file| read_rust(file, is_test)));
    }
    pieces
}

fn find_pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => find_pages(&path, found),
            false if path.extension().is_some_and(|ending| ending == "md") => found.push(path),
            false => {}
        }
    }
}

/// Returns paragraphs, list items, headings and table rows, without code blocks.
pub fn read_markdown(name: &str, text: &str) -> Vec<Piece> {
    if text.chars().take(HEAD_BYTES).collect::<String>().contains(OFF) {
        return Vec::new();
    }
    let class = if name.ends_with("CHANGELOG.md") { Class::Changelog } else { Class::Docs };
    let mut pieces = Vec::new();
    let mut block: (usize, Vec<&str>) = (0, Vec::new());
    let mut close = |block: &mut (usize, Vec<&str>)| {
        if !block.1.is_empty() {
            pieces.push(Piece::new(class, name, block.0, &block.1.join("\n")));
            block.1.clear();
        }
    };
    let mut is_code = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            close(&mut block);
            is_code = !is_code;
            continue;
        }
        let is_row = trimmed.starts_with('|');
        let is_rule = is_row && trimmed.chars().all(|c| "|-: ".contains(c));
        if is_code || trimmed.is_empty() || is_rule || line.contains("prose-lint: allow") {
            close(&mut block);
            continue;
        }
        let item = trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || "*+-.>#".contains(c));
        let is_item = item.len() < trimmed.len() && item.starts_with(' ');
        if is_row || is_item {
            close(&mut block);
        }
        if block.1.is_empty() {
            block.0 = at + 1;
        }
        block.1.push(if is_item { item } else { trimmed });
        if trimmed.starts_with('#') || is_row {
            close(&mut block);
        }
    }
    close(&mut block);
    pieces
}

fn read_rust((source, module): &(Source, Vec<String>), is_test: bool) -> Vec<Piece> {
    let mut pieces = read_comments(&source.place, &source.written);
    for (at, literal) in &source.literals {
        if is_test || source.is_test(*at) || !is_prose(literal) {
            continue;
        }
        let class = if module.first().is_some_and(|top| top == "cli") { Class::Help } else { Class::Message };
        let text = literal.replace("\\n", " ").replace("\\\"", "\"").replace("\\\n", " \n");
        pieces.push(Piece::new(class, &source.place, source.line(*at), &text));
    }
    for (at, mark) in source.code.match_indices("#[test]") {
        let Some((_, rest)) = source.code[at + mark.len()..].split_once("fn ") else { continue };
        let name: String = rest.chars().take_while(|c| super::super::is_name(*c)).collect();
        let line = source.line(at + source.code[at..].find(&name).unwrap_or(0));
        pieces.push(Piece::new(Class::Test, &source.place, line, &name.replace('_', " ")));
    }
    pieces
}

/// Returns doc comments, joined over consecutive lines.
fn read_comments(name: &str, written: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for (at, line) in written.lines().chain([""]).enumerate() {
        let line = line.trim_start();
        let text = line
            .strip_prefix("//!")
            .or_else(|| line.strip_prefix("///").filter(|rest| !rest.starts_with('/')));
        match text {
            Some(text) => block.push(text),
            None if !block.is_empty() => {
                let mut fences = 0;
                let text: Vec<&str> = block
                    .drain(..)
                    .map(|line| {
                        let is_fence = line.trim_start().starts_with("```");
                        fences += usize::from(is_fence);
                        if is_fence || fences % 2 == 1 { "" } else { line }
                    })
                    .collect();
                pieces.push(Piece::new(Class::Comment, name, at + 1 - text.len(), &text.join("\n")));
            }
            None => {}
        }
    }
    pieces
}

/// Whether a literal is a text of several words, not markup, an SQL statement or a format.
fn is_prose(literal: &str) -> bool {
    let markup =
        ["<", "SELECT ", "INSERT ", "DELETE ", "PRAGMA ", "WHERE ", "CREATE ", "UPDATE ", "http", "{\""];
    let words = literal.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| word.len() > 1);
    words.count() >= 2
        && literal.trim().contains(' ')
        && !markup.iter().any(|start| literal.trim_start().starts_with(start))
}

fn split(text: &str, first: usize) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut open = Sentence { line: first, words: Vec::new() };
    let mut line = first;
    let mut rest = text;
    let mut close = |open: &mut Sentence, line: usize| {
        let ended = std::mem::replace(open, Sentence { line, words: Vec::new() });
        if ended.words.iter().any(|word| word.starts_with(char::is_alphabetic)) {
            sentences.push(ended);
        }
    };
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        if open.words.is_empty() {
            open.line = line;
        }
        if c == '`' {
            length = rest[1..].find('`').map_or(rest.len(), |end| end + 2);
            open.words.push("Zq".to_owned());
        } else if c == '{' {
            length = rest.find('}').map_or(1, |end| end + 1);
            open.words.push("Zq".to_owned());
        } else if c.is_alphabetic() {
            length = rest.find(|c: char| !c.is_alphanumeric() && !"'’-_".contains(c)).unwrap_or(rest.len());
            open.words.push(rest[..length].to_lowercase().replace('’', "'"));
        } else if rest.starts_with("\n\n") || c == '|' {
            close(&mut open, line);
        } else if ".!?".contains(c) && rest[length..].starts_with([' ', '\n']) {
            let next = rest[length..].trim_start().chars().next();
            match next.is_none_or(|next| !next.is_lowercase()) {
                true => close(&mut open, line),
                false => open.words.push(c.to_string()),
            }
        } else if ",.;:()".contains(c) {
            open.words.push(c.to_string());
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    close(&mut open, line);
    sentences
}
