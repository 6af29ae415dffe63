//! Lines of code by crate, and the features that came after the count of 2026-11-28.
//!
//! A line of code holds a token that is not in a comment and not in an item for tests (`#[cfg(test)]`).
//! Files for tests do not count.

use crate::harness::{Arguments, Failure, table};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The features that came after 2026-11-28, with the files and folders that exist for them alone.
const LATER: &[(&str, &[&str])] = &[
    (
        "--give-up, guard of hanging calls",
        &[
            "crates/host/src/blocked_calls.rs",
            "crates/output/src/guard.rs",
            "crates/sys/src/parent_messages.rs",
            "crates/sys/src/parent_process.rs",
            "src/cli/give_up.rs",
        ],
    ),
    (
        "one answer of --repeat",
        &[
            "crates/experiments/src/repetition.rs",
            "crates/formats/src/answers.rs",
            "crates/page/src/repetition.rs",
            "crates/report/src/spark.rs",
            "src/commands/run/repeat/outs.rs",
            "src/commands/read/repetition.rs",
        ],
    ),
    (
        "rights of paths and owners",
        &[
            "crates/output/src/destination/precious.rs",
            "crates/sys/src/leases.rs",
            "crates/sys/src/owners.rs",
            "crates/sys/src/reach.rs",
            "crates/sys/src/windows/reach.rs",
        ],
    ),
    (
        "damaged journals, limits of readers",
        &[
            "crates/integrity/src/damaged.rs",
            "crates/integrity/src/journal/pieces.rs",
            "crates/base/src/limits.rs",
        ],
    ),
    ("spellings of other programs", &["src/cli/foreign.rs", "src/cli/quantity.rs"]),
    (
        "random pairs of --with",
        &[
            "crates/experiments/src/compare/foreseen.rs",
            "crates/experiments/src/compare/schedule.rs",
            "src/commands/experiments/foreseen.rs",
        ],
    ),
    (
        "changed files, first writes, uneven targets",
        &[
            "crates/host/src/content/space.rs",
            "crates/checks/src/changed.rs",
            "crates/checks/src/first_writes.rs",
            "crates/checks/src/uneven.rs",
            "crates/run/src/watch/linux/changes.rs",
        ],
    ),
    ("overlays and unread facts", &["crates/host/src/stacked.rs", "crates/host/src/unread_facts.rs"]),
    (
        "tables within a terminal, pager",
        &["crates/figures/src/units/table/fit.rs", "src/commands/read/man/mod.rs"],
    ),
    ("huge pages of buffers", &["crates/base/src/access/huge_pages.rs", "crates/plan/src/buffers.rs"]),
    ("free space before a run", &["crates/run/src/files/space.rs"]),
    ("loop of one I/O at a time", &["crates/worker/src/single.rs"]),
    (
        "judge, process tree",
        &[
            "crates/host/src/process_stat.rs",
            "crates/host/src/process_tree",
            "crates/host/src/process_tree.rs",
            "crates/checks/src/device/program.rs",
            "crates/checks/src/limit/program.rs",
            "crates/checks/src/program.rs",
            "crates/machine/src/process_io.rs",
            "crates/results/src/program.rs",
            "crates/report/src/program_text.rs",
            "crates/run/src/judged",
            "crates/run/src/judged.rs",
            "crates/sys/src/observed_child.rs",
            "src/commands/run/judge",
        ],
    ),
    (
        "display of a run, keys",
        &[
            "crates/run/src/span/machine_watch.rs",
            "crates/run/src/span/target_watch.rs",
            "crates/sys/src/keys.rs",
            "crates/sys/src/windows/keys.rs",
            "src/commands/shared/console/display.rs",
        ],
    ),
    (
        "experiments and tables over hosts",
        &[
            "crates/host/src/launched.rs",
            "crates/checks/src/merged/differences.rs",
            "crates/experiments/src/sweep/hosts.rs",
            "crates/report/src/hosts.rs",
            "crates/page/src/hosts.rs",
            "src/commands/cluster/arguments.rs",
            "src/commands/cluster/job.rs",
            "src/commands/cluster/joining.rs",
            "src/commands/cluster/stop_controls.rs",
            "src/commands/shared/job_command.rs",
            "src/commands/shared/job/job_limits.rs",
        ],
    ),
    (
        "sweeps and comparisons as files",
        &[
            "crates/experiments/src/answer_format.rs",
            "crates/experiments/src/sweep/result.rs",
            "crates/page/src/title.rs",
            "src/commands/read/answer_file.rs",
            "src/commands/shared/output/answer_forms.rs",
        ],
    ),
    ("exit codes for git bisect", &["crates/experiments/src/compare/bisect.rs"]),
    (
        "comparisons that end when the answer is certain",
        &["crates/experiments/src/compare/sequential.rs", "crates/experiments/src/compare/until_sure.rs"],
    ),
    ("sweeps of short runs", &["crates/experiments/src/sweep/slices.rs"]),
    (
        "hosts over ssh",
        &[
            "crates/ranks/src/job_group.rs",
            "crates/ranks/src/relay.rs",
            "crates/sys/src/rank_socket.rs",
            "src/commands/cluster/hosts",
        ],
    ),
    (
        "live rows of hosts",
        &[
            "crates/results/src/job_interval.rs",
            "src/commands/cluster/live.rs",
            "src/commands/cluster/plans.rs",
            "src/commands/shared/console/host_rows.rs",
        ],
    ),
    (
        "command lines of fio",
        &[
            "crates/fio_jobs/src/command_line.rs",
            "crates/fio_jobs/src/options/command_line.rs",
            "src/cli/fio_line.rs",
            "src/commands/run/fio",
        ],
    ),
];

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let markdown = arguments.flag("--markdown");
    let given = arguments.value("--root")?;
    arguments.finish()?;
    let root = given.map_or_else(own_root, PathBuf::from);
    let mut rows = Vec::new();
    let mut program = 0;
    for (name, folder) in crates(&root)? {
        let lines = code_below(&folder)?;
        program += lines;
        rows.push(vec![name, lines.to_string()]);
    }
    let later = LATER.iter().map(|(name, places)| Ok((*name, later(&root, places)?)));
    let later = later.collect::<Result<Vec<(&str, usize)>, Failure>>()?;
    let sum: usize = later.iter().map(|(_, lines)| lines).sum();
    rows.push(vec!["src and crates".into(), program.to_string()]);
    rows.extend(later.iter().map(|(name, lines)| vec![format!("  {name}"), lines.to_string()]));
    rows.push(vec!["src and crates except these features".into(), (program - sum).to_string()]);
    rows.push(vec!["xtask".into(), code_below(&root.join("xtask/src"))?.to_string()]);
    let all = all_files(&root)?.into_iter().map(|path| Ok(fs::read_to_string(path)?.lines().count()));
    rows.push(vec!["all Rust, every line".into(), all.sum::<Result<usize, Failure>>()?.to_string()]);
    table::print(&["lines of code", ""], &rows, markdown);
    Ok(())
}

fn own_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Crates of the program, with their folders.
fn crates(root: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut found = vec![("diskspd".to_owned(), root.join("src"))];
    for entry in fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        found.push((entry.file_name().to_string_lossy().into_owned(), entry.path().join("src")));
    }
    found.sort();
    Ok(found)
}

/// Files with a Rust source, of a file itself or a folder with all folders in it; without build folders.
fn all_files(place: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !place.is_dir() {
        let is_rust = place.extension().is_some_and(|ending| ending == "rs");
        return Ok(if is_rust { vec![place.to_owned()] } else { Vec::new() });
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != "target" && !name.to_string_lossy().starts_with('.') {
            files.extend(all_files(&entry.path())?);
        }
    }
    Ok(files)
}

fn is_for_tests(below: &Path) -> bool {
    let names = below.iter().map(|name| name.to_string_lossy());
    names
        .into_iter()
        .any(|name| name == "tests" || name == "benches" || name == "tests.rs" || name.ends_with("_tests.rs"))
}

fn code_below(place: &Path) -> Result<usize, Failure> {
    let mut lines = 0;
    for path in all_files(place)?.iter().filter(|path| !path.strip_prefix(place).is_ok_and(is_for_tests)) {
        let text = fs::read_to_string(path)?;
        let tokens = text.parse().map_err(|error| format!("{}: {error}", path.display()))?;
        lines += code(tokens).len();
    }
    Ok(lines)
}

/// Lines of a feature; a file that was joined with another one since counts there.
fn later(root: &Path, places: &[&str]) -> Result<usize, Failure> {
    let there = places.iter().map(|place| root.join(place)).filter(|place| place.exists());
    there.map(|place| code_below(&place)).sum()
}

/// The lines with tokens, without comments for documentation and items for tests.
fn code(tokens: TokenStream) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_attribute = is_mark(&token, '#');
        // `#![..]` is an attribute, too.
        let inner = is_attribute.then(|| tokens.next_if(|token| is_mark(token, '!'))).flatten();
        let attribute = match tokens.peek() {
            Some(TokenTree::Group(group)) if is_attribute => spelled(group.stream()),
            _ => String::new(),
        };
        if attribute.starts_with("doc=") {
            tokens.next();
        } else if attribute.starts_with("cfg(test") || attribute.starts_with("cfg(all(test") {
            // The item ends with its braces or a semicolon, also after braces (`use a::{b, c};`).
            let is_end = |token: &TokenTree| match token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                token => is_mark(token, ';'),
            };
            tokens.by_ref().find(is_end);
            tokens.next_if(|token| is_mark(token, ';'));
        } else if let TokenTree::Group(group) = token {
            lines.extend([group.span_open(), group.span_close()].map(|span| span.start().line));
            lines.extend(code(group.stream()));
        } else {
            lines.extend(std::iter::once(token).chain(inner).flat_map(|token| lines_of(token.span())));
        }
    }
    lines
}

fn lines_of(span: Span) -> std::ops::RangeInclusive<usize> {
    span.start().line..=span.end().line
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == mark)
}

/// Tokens without space between them.
fn spelled(tokens: TokenStream) -> String {
    tokens.to_string().split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        code(text.parse().unwrap()).into_iter().collect()
    }

    #[test]
    fn comments_blanks_and_tests_are_not_code() {
        assert!(lines("").is_empty());
        assert_eq!(lines("//! a\n\nfn f() {\n    // b\n    g(); /* c\n    */\n}\n"), [3, 5, 7]);
        assert_eq!(
            lines("/// a\n#[derive(Debug)]\nstruct A;\nconst B: &str = \"x\n\n// y\";"),
            [2, 3, 4, 5, 6]
        );
        let tests = "#[cfg(test)]\n#[path = \"a.rs\"]\nmod a;\n#[cfg(test)]\nuse a::{b, c};\n\
                     #[cfg(all(test, unix))]\n\
                     mod d {\n    fn e() {}\n}\nmod f;\n#[cfg(unix)]\nmod g;";
        assert_eq!(lines(tests), [10, 11, 12]);
    }

    #[test]
    fn test_files_are_not_counted() {
        let is = |path: &str| is_for_tests(Path::new(path));
        assert!(is("a/tests.rs") && is("a/b_tests.rs") && is("tests/a.rs") && is("a/benches/b.rs"));
        assert!(!is("a/latest.rs") && !is("contests/a.rs"));
    }

    #[test]
    fn features_name_existing_files() {
        for place in LATER.iter().flat_map(|(_, places)| *places) {
            assert!(own_root().join(place).exists(), "{place}");
        }
    }
}
