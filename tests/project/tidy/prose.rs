//! Rules for texts: phrases with a plainer replacement, per class of text.
//!
//! `tests/data/tidy/prose.txt` has the highest density of each class, which may only fall, and the commit after which added
//! text must be nearly free of these phrases. `docs/dev/style.md` explains the style.

#[path = "prose/phrases.rs"]
mod phrases;
#[path = "prose/pieces.rs"]
mod pieces;

use super::ratchet::list;
use super::source::CRATES;
use crate::common::kept::root;
use phrases::INDEX;
use pieces::{Class, Piece};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;
use std::sync::LazyLock;

/// Maximum hits per 1,000 words of added text.
const MAX_ADDED_DENSITY: u64 = 5;

/// A class with fewer added words may have one hit.
const MIN_WORDS: u64 = 200;

/// Maximum words of a sentence in documentation.
const MAX_SENTENCE_WORDS: usize = 35;

/// Maximum words of a test's name.
const MAX_NAME_WORDS: usize = 9;

/// Function names without information.
const BANNED_FUNCTIONS: [&str; 16] = [
    "of", "told", "tell", "asked", "ask", "said", "say", "shown", "beneath", "beside", "behind", "kept",
    "lost", "alike", "meant", "seen",
];

static PIECES: LazyLock<Vec<Piece>> = LazyLock::new(pieces::read_all);

struct Hit {
    line: usize,
    found: String,
    hint: &'static str,
}

fn find_hits(piece: &Piece) -> Vec<Hit> {
    let mut hits = Vec::new();
    for sentence in &piece.sentences {
        let words = &sentence.words;
        let mut at = 0;
        while at < words.len() {
            if let Some((phrase, length)) = INDEX.match_at(piece.class, words, at) {
                let found = words[at..at + length].join(" ");
                hits.push(Hit { line: sentence.line, found, hint: phrase.hint });
                at += length.max(1);
            } else {
                at += 1;
            }
        }
        let count = words.iter().filter(|word| word.starts_with(char::is_alphabetic)).count();
        let (most, hint) = match piece.class {
            Class::Docs | Class::Changelog | Class::Comment => (MAX_SENTENCE_WORDS, "split the sentence"),
            Class::Test => (MAX_NAME_WORDS, "state the rule in fewer words"),
            Class::Message | Class::Help => (usize::MAX, ""),
        };
        if count > most {
            hits.push(Hit { line: sentence.line, found: format!("{count} words"), hint });
        }
    }
    hits
}

/// Hits and words of each class.
#[derive(Default)]
struct Tally(BTreeMap<Class, (u64, u64)>);

impl Tally {
    fn add(&mut self, class: Class, hits: usize, words: usize) {
        let entry = self.0.entry(class).or_default();
        entry.0 += hits as u64;
        entry.1 += words as u64;
    }

    /// Hits per 100,000 words, rounded up.
    fn densities(&self) -> BTreeMap<&'static str, u64> {
        self.0
            .iter()
            .map(|(class, (hits, words))| (class.name(), (hits * 100_000).div_ceil((*words).max(1))))
            .collect()
    }
}

#[test]
fn prose_density_never_rises() {
    let mut tally = Tally::default();
    for piece in PIECES.iter() {
        tally.add(piece.class, find_hits(piece).len(), piece.words());
    }
    let found = tally.densities();
    let text = list("prose.txt");
    let known: BTreeMap<&str, u64> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(class, density)| Some((class, density.parse().ok()?)))
        .collect();
    if std::env::var_os("TIDY_RECORD").is_some() {
        let mut kept: String = text
            .lines()
            .filter(|line| known.keys().all(|class| !line.starts_with(class)))
            .fold(String::new(), |text, line| text + line + "\n");
        for (class, density) in &found {
            let _ =
                writeln!(kept, "{class} {}", known.get(class).map_or(*density, |most| *most.min(density)));
        }
        std::fs::write(root().join("tests/data/tidy/prose.txt"), kept).unwrap();
        return;
    }
    for (class, density) in found {
        let most = known.get(class).copied().unwrap_or(0);
        assert!(
            density <= most,
            "{class}: {density} hits per 100,000 words, at most {most} are allowed (docs/dev/style.md)"
        );
    }
}

/// Returns the lines added after a commit, per file; `None` = the commit is unknown.
fn added_lines(commit: &str) -> Option<BTreeMap<String, BTreeSet<usize>>> {
    let diff = Command::new("git")
        .args(["diff", "-U0", "--no-color", "--no-ext-diff", "-M", commit, "--", "*.md", "*.rs"])
        .current_dir(root())
        .output()
        .ok()?;
    let mut lines: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut path = String::new();
    for line in String::from_utf8_lossy(&diff.stdout).lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            name.clone_into(&mut path);
        } else if let Some(range) = line.strip_prefix("@@ ").and_then(|rest| rest.split_once(" +")) {
            let range = range.1.split(' ').next()?;
            let (first, count) = range.split_once(',').unwrap_or((range, "1"));
            let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
            lines.entry(path.clone()).or_default().extend(first..first + count);
        }
    }
    diff.status.success().then_some(lines)
}

#[test]
fn added_text_follows_style_guide() {
    let text = list("prose.txt");
    let commit = text.lines().find_map(|line| line.strip_prefix("# added since ")).unwrap();
    let Some(added) = added_lines(commit) else {
        eprintln!("skipped: this checkout does not have commit {commit}");
        return;
    };
    let mut tally = Tally::default();
    let mut found: BTreeMap<Class, String> = BTreeMap::new();
    for piece in PIECES.iter() {
        let is_added =
            added.get(&piece.file).is_some_and(|lines| lines.range(piece.lines.clone()).next().is_some());
        if !is_added {
            continue;
        }
        let hits = find_hits(piece);
        tally.add(piece.class, hits.len(), piece.words());
        for Hit { line, found: words, hint } in hits {
            let _ =
                writeln!(found.entry(piece.class).or_default(), "{}:{line}: {words} -> {hint}", piece.file);
        }
    }
    for (class, (hits, words)) in tally.0 {
        let allowed = hits * 1000 <= MAX_ADDED_DENSITY * words.max(MIN_WORDS);
        assert!(
            allowed,
            "{}: {hits} hits in {words} added words (docs/dev/style.md)\n{}",
            class.name(),
            found.get(&class).map_or("", String::as_str)
        );
    }
}

#[test]
fn banned_function_names_only_decrease() {
    let mut found = super::Found::default();
    for (source, _) in CRATES.values().flatten() {
        for name in BANNED_FUNCTIONS {
            let words = format!("fn {name}");
            let count = source.uses(&words).count() as u64;
            if count > 0 {
                found.add(name, count, "");
            }
        }
    }
    super::hold("name the verb and its object", "function_names.txt", &found);
}

#[test]
fn phrases_match_their_samples() {
    for (class, text, hits) in [
        (Class::Docs, "The report shows the request.", 0),
        (Class::Docs, "It is told what was asked for.", 3),
        (Class::Docs, "A device that nobody uses is no target.", 2),
        (Class::Docs, "There is no such device.", 0),
        (Class::Docs, "The check reads what `is told` means.", 0),
        (Class::Comment, "Of the run, from 0.", 1),
        (Class::Comment, "Number of the run, from 0.", 0),
        (Class::Message, "the device doesn't support it", 1),
        (Class::Docs, "the device doesn't support it", 0),
        (Class::Test, "what goes wrong in it is told", 2),
        (Class::Test, "reports external program errors", 0),
        (Class::Test, "a b c d e f g h i j", 1),
    ] {
        let piece = Piece::from_text(class, text);
        let found: Vec<String> = find_hits(&piece).into_iter().map(|hit| hit.found).collect();
        assert_eq!(found.len(), hits, "{text}: {found:?}");
    }
}

#[test]
fn pieces_keep_class_and_lines() {
    let markdown = "# Title\n\nOne sentence. Another\none.\n\n```\nis told\n```\n\n| a | b |\n|---|---|\n| c `d` | e |\n";
    let read = pieces::read_markdown("docs/a.md", markdown);
    let lines: Vec<_> = read.iter().map(|piece| (piece.lines.clone(), piece.sentences.len())).collect();
    assert_eq!(lines, [(1..=1, 1), (3..=4, 2), (10..=10, 2), (12..=12, 2)]);
    assert!(pieces::read_markdown("docs/a.md", &format!("{}\nis told", pieces::OFF)).is_empty());
}
