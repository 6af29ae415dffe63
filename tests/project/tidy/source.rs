//! Rust source for the rules: the code, the texts, and the test parts of a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub struct Source {
    pub name: String,
    /// Path relative to the root of the project: `crates/run/src/span.rs`.
    pub place: String,
    pub written: String,
    /// Text as if all crates were one: `diskspd_plan::x` is `crate::x`.
    pub text: String,
    pub code: String,
    pub literals: Vec<(usize, String)>,
    tests: Vec<Range<usize>>,
}

const BESIDES: [(&str, &str); 1] = [("sys", "clock")];

const ONE_NAME: [&str; 21] = [
    "profile",
    "machine",
    "results",
    "plan",
    "trace",
    "fio_jobs",
    "checks",
    "experiments",
    "formats",
    "merge",
    "report",
    "page",
    "sys",
    "host",
    "engine",
    "integrity",
    "worker",
    "output",
    "run",
    "ranks",
    "store",
];

pub static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut crates: Vec<PathBuf> =
        fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort();
    for folder in std::iter::once(root).chain(crates.iter().map(PathBuf::as_path)) {
        let within = if folder == root { "" } else { folder.file_name().unwrap().to_str().unwrap() };
        let mounts = mounts(&folder.join("src"));
        for path in files(&folder.join("src")) {
            let module = module_file(&path, &mounts);
            let name = module.strip_prefix(folder.join("src")).unwrap().to_str().unwrap();
            let place = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            sources.push(Source::of_crate(within, name, place, &fs::read_to_string(&path).unwrap()));
        }
    }
    // A test module may be a file of its own.
    let of_tests: BTreeSet<String> = sources.iter().flat_map(Source::test_files).collect();
    for source in sources.iter_mut().filter(|source| of_tests.contains(&source.name)) {
        source.tests = std::iter::once(0..source.text.len()).collect();
    }
    sources
});

static OWN_FOLDERS: LazyLock<Vec<(String, PathBuf)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<(String, PathBuf)> = fs::read_dir(root.join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path.join("src")))
        .collect();
    for (name, folder) in
        [("diskspd", "src"), ("xtask", "xtask/src"), ("tests", "tests"), ("engines-tests", "tests/engines")]
    {
        found.push((name.to_owned(), root.join(folder)));
    }
    found.sort();
    found
});

/// Files of a crate with their modules.
pub type CrateFiles = Vec<(Source, Vec<String>)>;

/// All crates, including xtask and the tests, with their files and modules.
pub static CRATES: LazyLock<BTreeMap<String, CrateFiles>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut crates = BTreeMap::new();
    for (name, folder) in OWN_FOLDERS.iter() {
        let elsewhere = |path: &PathBuf| {
            OWN_FOLDERS
                .iter()
                .any(|(_, other)| other.starts_with(folder) && other != folder && path.starts_with(other))
        };
        let mut sources = Vec::new();
        let mounts = mounts(folder);
        for path in files(folder).into_iter().filter(|path| !elsewhere(path)) {
            let place = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let source = Source::new(place, fs::read_to_string(&path).unwrap());
            let module = module_file(&path, &mounts);
            let module = module.strip_prefix(folder).unwrap().to_str().unwrap();
            sources.push((source, module_of(module, folder.join("lib.rs").exists())));
        }
        let of_tests: BTreeSet<String> = sources.iter().flat_map(|(source, _)| source.test_files()).collect();
        sources.retain(|(source, _)| !of_tests.contains(&source.name));
        crates.insert(name.clone(), sources);
    }
    crates
});

/// Returns the module path of a file, given its path in its crate's folder. `main.rs` is the root of a crate without a library,
/// and not part of the library in the same folder.
fn module_of(path: &str, has_library: bool) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" | "library" => Vec::new(),
        "main" if !has_library => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// Returns the grammars and requests of commands, which are in the folders of the actions, and their paths as
/// parts of `cli` without `#[path]`.
fn mounts(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    for file in files(&folder.join("cli")) {
        let text = fs::read_to_string(&file).unwrap();
        for part in text.split("#[path = \"../../").skip(1) {
            let (path, rest) = part.split_once("\"]\nmod ").unwrap();
            let module = file.with_file_name(rest.split_once(';').unwrap().0);
            found.push(match path.strip_suffix("/mod.rs") {
                Some(path) => (folder.join(path), module),
                None => (folder.join(path), module.with_extension("rs")),
            });
        }
    }
    found
}

fn module_file(path: &Path, mounts: &[(PathBuf, PathBuf)]) -> PathBuf {
    let within = |(from, to): &(PathBuf, PathBuf)| match path.strip_prefix(from).ok()? {
        rest if rest.as_os_str().is_empty() => Some(to.clone()),
        rest => Some(to.join(rest)),
    };
    mounts.iter().find_map(within).unwrap_or_else(|| path.to_owned())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

impl Source {
    pub fn new(name: String, text: String) -> Source {
        let (code, literals) = split(&text);
        let tests = test_items(&code);
        Source { place: name.clone(), name, written: text.clone(), text, code, literals, tests }
    }

    /// Creates a source file of a crate (empty: the program itself); `name`: path in its `src`. Crates are
    /// named as one: `diskspd_figures::units` is `crate::units`.
    fn of_crate(within: &str, name: &str, place: String, text: &str) -> Source {
        let (mut text, written) = (text.to_owned(), text.to_owned());
        let own = ONE_NAME.contains(&within);
        // What these crates have on top beside the module that they are called by.
        let besides =
            BESIDES.iter().filter(|(crate_name, _)| *crate_name == within).map(|(_, module)| *module);
        let is_beside =
            |path: &str| besides.clone().any(|module| path.split(['/', '.']).next() == Some(module));
        if own {
            text = text.replace("crate::", &format!("crate::{within}::"));
            for module in besides.clone() {
                text = text.replace(&format!("crate::{within}::{module}"), &format!("crate::{module}"));
            }
        }
        for (crate_name, module) in BESIDES {
            text = text.replace(&format!("diskspd_{crate_name}::{module}"), &format!("crate::{module}"));
        }
        for crate_name in ONE_NAME {
            text = text.replace(&format!("diskspd_{crate_name}::"), &format!("crate::{crate_name}::"));
        }
        for crate_name in ["figures", "base"] {
            text = text.replace(&format!("diskspd_{crate_name}::"), "crate::");
        }
        let name = match name {
            name if !own || is_beside(name) => name.to_owned(),
            "lib.rs" => format!("{within}/mod.rs"),
            name => format!("{within}/{name}"),
        };
        Source { place, written, ..Source::new(name, text) }
    }

    /// Whether a place is compiled for tests only.
    pub fn is_test(&self, at: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&at))
    }

    pub fn uses<'a>(&'a self, words: &'a str) -> impl Iterator<Item = usize> + 'a {
        let whole = move |at: usize| {
            let (before, after) = (&self.code[..at], &self.code[at + words.len()..]);
            let begins = !words.starts_with(is_name) || !before.ends_with(is_name);
            begins && (!words.ends_with(is_name) || !after.starts_with(is_name))
        };
        self.code.match_indices(words).map(|(at, _)| at).filter(move |at| whole(*at))
    }

    pub fn line(&self, at: usize) -> usize {
        1 + self.text[..at].bytes().filter(|byte| *byte == b'\n').count()
    }

    /// The module's path: `["run", "worker"]`; empty for `lib.rs`.
    pub fn module(&self) -> Vec<&str> {
        let path = self.name.trim_end_matches(".rs");
        let path = if path == "lib" || path == "main" { "" } else { path.trim_end_matches("/mod") };
        path.split('/').filter(|name| !name.is_empty()).collect()
    }

    fn test_files(&self) -> Vec<String> {
        let mut found = Vec::new();
        for range in &self.tests {
            let Some(name) = self.code[range.clone()].trim_end().strip_suffix(';') else { continue };
            let Some((_, name)) = name.rsplit_once("mod ") else { continue };
            let (directory, file) = self.name.rsplit_once('/').unwrap_or(("", &self.name));
            let within = |(at, _): &&(usize, String)| range.contains(at);
            let named = self.literals.iter().find(within).map(|(_, path)| format!("{directory}/{path}"));
            found.push(named.unwrap_or_else(|| match file {
                "mod.rs" | "lib.rs" => format!("{directory}/{name}.rs"),
                _ => format!("{directory}/{}/{name}.rs", file.trim_end_matches(".rs")),
            }));
        }
        found
    }
}

pub fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Splits code from its comments and texts, and returns the texts.
fn split(text: &str) -> (String, Vec<(usize, String)>) {
    let mut code = text.as_bytes().to_vec();
    let mut literals = Vec::new();
    let mut blank = |range: Range<usize>| {
        for byte in &mut code[range] {
            *byte = if *byte == b'\n' { b'\n' } else { b' ' };
        }
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let end = match bytes[at] {
            b'/' if rest.starts_with("//") => at + rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => at + comment(rest),
            b'"' => {
                let end = at + 1 + quoted(&rest[1..], '"');
                literals.push((at, text[at + 1..end].to_owned()));
                blank(at + 1..end);
                at = end + 1;
                continue;
            }
            b'\'' => {
                let end = at + character(rest);
                blank(at + 1..(end - 1).max(at + 1));
                at = end;
                continue;
            }
            b'r' | b'b' | b'c' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let word = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
                let fences = rest[word.len()..].bytes().take_while(|byte| *byte == b'#').count();
                let start = at + word.len() + fences;
                if !["r", "br", "cr"].contains(&word) || bytes.get(start) != Some(&b'"') {
                    at += word.len();
                    continue;
                }
                let close = format!("\"{}", "#".repeat(fences));
                let end = text[start + 1..].find(&close).map_or(text.len(), |found| start + 1 + found);
                literals.push((start, text[start + 1..end].to_owned()));
                blank(start + 1..end);
                at = (end + close.len()).min(text.len());
                continue;
            }
            _ => {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
        };
        blank(at..end);
        at = end;
    }
    (String::from_utf8(code).unwrap(), literals)
}

fn comment(text: &str) -> usize {
    let (mut at, mut open) = (2, 1);
    while open > 0 && at < text.len() {
        match &text.as_bytes()[at..] {
            [b'*', b'/', ..] => (at, open) = (at + 2, open - 1),
            [b'/', b'*', ..] => (at, open) = (at + 2, open + 1),
            _ => at += 1,
        }
    }
    at
}

fn quoted(text: &str, end: char) -> usize {
    let mut escaped = false;
    let closes = |c: char| {
        let closes = c == end && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    };
    text.find(closes).unwrap_or(text.len())
}

/// Returns the length of a character literal (`'a'`, `'\''`); 1 = the mark of a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text[1..].chars();
    match (inside.next(), inside.next()) {
        (Some('\\'), _) => 1 + quoted(&text[1..], '\'') + 1,
        (Some(one), Some('\'')) => one.len_utf8() + 2,
        _ => 1,
    }
}

/// Returns the ranges of items that are compiled only for tests, from their attributes on.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    for (at, _) in code.match_indices("#[cfg(") {
        let behind = at + "#[cfg(".len();
        let condition = &code[behind..behind + code[behind..].find(']').unwrap_or(0)];
        let is_test = condition.starts_with("test)") || condition.starts_with("all(test,");
        if is_test && items.last().is_none_or(|last| last.end <= at) {
            items.push(at..item_end(code, at));
        }
    }
    items
}

pub fn item_end(code: &str, from: usize) -> usize {
    let (mut brackets, mut braces) = (0, 0);
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets -= 1,
            b'{' => braces += 1,
            b'}' => braces -= 1,
            _ => {}
        }
        if brackets == 0 && braces == 0 && (byte == b'}' || byte == b';') {
            return at + 1;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Source {
        Source::new("a/b.rs".into(), text.into())
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        for (text, code) in [
            ("a // unsafe\nb", "a          \nb"),
            ("a /* x /* y */ z */ b", "a                   b"),
            ("f(\"unsafe \\\" {\", x)", "f(\"           \", x)"),
            ("r#\"a \" b\"# c", "r#\"     \"# c"),
            ("r\"\\\" c", "r\" \" c"),
            ("'\"' 'a' '\\'' 'ü' &'a str \"x\"", "' ' ' ' '  ' '  ' &'a str \" \""),
            ("fur(\"a\")", "fur(\" \")"),
            ("b\"a\" br\"b\"", "b\" \" br\" \""),
        ] {
            assert_eq!(read(text).code, code);
        }
        assert_eq!(read("f(\"one\", r\"two\")").literals, [(2, "one".into()), (10, "two".into())]);
    }

    #[test]
    fn tests_end_where_their_item_ends() {
        let source = read(
            "mod a;\n#[cfg(test)]\nmod b { fn x() {} }\nmod c;\n#[cfg(test)]\n#[path = \"d_tests.rs\"]\nmod d;\n\
             #[cfg(test)]\nuse e::{f, g};\nmod h;\n#[cfg(test)]\nmod i;\n",
        );
        let of_tests = |words: &str| source.is_test(source.uses(words).next().unwrap());
        assert_eq!(
            ["mod a", "mod b", "fn x", "mod c", "mod d", "mod h", "mod i"].map(of_tests),
            [false, true, true, false, true, false, true]
        );
        assert_eq!(source.test_files(), ["a/d_tests.rs", "a/b/i.rs"]);
    }

    #[test]
    fn word_search_matches_whole_words() {
        let source = read("libc::a(); mylibc::b(); unsafe_code");
        assert_eq!(source.uses("libc::").collect::<Vec<_>>(), [0]);
        assert_eq!(source.uses("unsafe").count(), 0);
    }
}
