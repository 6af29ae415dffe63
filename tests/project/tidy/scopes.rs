//! Definitions and imports of every module of a crate, and resolution of names to files. Names are
//! followed through `use`, `pub use`, `use ..::*`, `crate::`, `self::` and `super::` to their definition.

use super::source::Source;
use super::tokens::{Token, is_word, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Path as written, or the path of a module from the crate's root.
pub type Path = Vec<String>;

#[derive(Debug, Default)]
struct Scope {
    file: usize,
    defined: BTreeSet<String>,
    imported: BTreeMap<String, Path>,
    globs: Vec<Path>,
}

#[derive(Debug)]
struct Mention {
    module: Path,
    file: usize,
    at: usize,
    path: Path,
}

#[derive(Debug, Default)]
pub struct Scopes {
    scopes: BTreeMap<Path, Scope>,
    mentions: Vec<Mention>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    pub at: usize,
    pub path: String,
}

const DEFINES: [&str; 8] = ["struct", "enum", "trait", "type", "fn", "const", "static", "macro_rules"];

type Seen = BTreeSet<(Path, String)>;

#[derive(Debug, Default, PartialEq, Eq)]
struct Meaning {
    module: Option<Path>,
    file: Option<usize>,
}

impl Meaning {
    fn or(self, other: Meaning) -> Meaning {
        Meaning { module: self.module.or(other.module), file: self.file.or(other.file) }
    }
}

impl Scopes {
    /// Collects the modules of a crate from its sources with their module paths.
    pub fn collect(sources: &[(Source, Path)]) -> Scopes {
        let mut scopes = Scopes::default();
        for (file, (source, module)) in sources.iter().enumerate() {
            scopes.read(file, source, module.clone());
        }
        scopes
    }

    fn read(&mut self, file: usize, source: &Source, module: Path) {
        let all = tokens(&source.code);
        let tokens: Vec<Token> = all.into_iter().filter(|(at, _)| !source.is_test(*at)).collect();
        let word = |at: usize| tokens.get(at).map_or("", |(_, token)| *token);
        // Modules that stand within the file, each with the braces that are open around what it holds.
        let mut within = vec![(module, 0)];
        let mut open = 0;
        let mut at = 0;
        while at < tokens.len() {
            let (module, depth) = within[within.len() - 1].clone();
            let scope = self.scopes.entry(module.clone()).or_default();
            scope.file = file;
            match word(at) {
                "{" => open += 1,
                "}" => {
                    open -= 1;
                    if within.len() > 1 && open < depth {
                        within.pop();
                    }
                }
                "mod" if word(at + 2) == "{" => {
                    within.push(([module, vec![word(at + 1).into()]].concat(), open + 1));
                    at += 1;
                }
                "use" => at += self.import(&module, file, &tokens, at),
                kind if DEFINES.contains(&kind) => {
                    let name = at + 1 + usize::from(["mut", "!"].contains(&word(at + 1)));
                    if open == depth && word(name) != "fn" {
                        scope.defined.insert(word(name).into());
                    }
                    // `const fn f` is the definition of `f`.
                    at = if word(name) == "fn" { at } else { name };
                }
                first if is_word(first) => {
                    let place = Mention { module, file, at, path: Vec::new() };
                    at += self.mention(place, &tokens);
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn import(&mut self, module: &Path, file: usize, tokens: &[Token], at: usize) -> usize {
        let passed_on = at > 0 && ["pub", ")"].contains(&tokens[at - 1].1);
        let len = tokens[at..].iter().position(|(_, token)| *token == ";").unwrap_or(1);
        for Import { path, name } in imports(&tokens[at + 1..at + len], &[]).0 {
            let scope = self.scopes.entry(module.clone()).or_default();
            match name {
                Some(name) => drop(scope.imported.insert(name, path.clone())),
                None => scope.globs.push(path.clone()),
            }
            if !passed_on {
                self.mentions.push(Mention { module: module.clone(), file, at: tokens[at].0, path });
            }
        }
        len
    }

    /// Records a path of a type or call that begins at this token; returns its number of tokens.
    fn mention(&mut self, place: Mention, tokens: &[Token]) -> usize {
        let word = |at: usize| tokens.get(at).map_or("", |(_, token)| *token);
        let mut path = vec![word(place.at).to_owned()];
        let mut end = place.at;
        while word(end + 1) == "::" && is_word(word(end + 2)) {
            path.push(word(end + 2).into());
            end += 2;
        }
        let is_type = path[0].starts_with(|c: char| c.is_ascii_uppercase());
        let called = path.len() > 1 || ["(", "!"].contains(&word(end + 1));
        let of_a_value = place.at > 0 && [".", "::"].contains(&word(place.at - 1));
        if !of_a_value && (is_type || called) {
            self.mentions.push(Mention { path, at: tokens[place.at].0, ..place });
        }
        end - place.at
    }

    fn meaning(&self, module: &[String], path: &[String], seen: &mut Seen) -> Meaning {
        let mut within = module.to_vec();
        let (last, before) = path.split_last().map_or((None, path), |(last, before)| (Some(last), before));
        for name in before {
            let child = [within.as_slice(), std::slice::from_ref(name)].concat();
            within = match name.as_str() {
                "crate" => Vec::new(),
                "self" => within,
                "super" => within[..within.len().saturating_sub(1)].to_vec(),
                _ if self.scopes.contains_key(&child) => child,
                _ => match self.meaning_of(&within, name, seen) {
                    Meaning { module: Some(module), .. } => module,
                    // A variant of an enum, a function of a type.
                    meaning => return meaning,
                },
            };
        }
        last.map_or_else(Meaning::default, |last| self.meaning_of(&within, last, seen))
    }

    fn meaning_of(&self, module: &[String], name: &String, seen: &mut Seen) -> Meaning {
        let Some(scope) = self.scopes.get(module) else { return Meaning::default() };
        if !seen.insert((module.to_vec(), name.clone())) {
            return Meaning::default();
        }
        let child = Some([module, std::slice::from_ref(name)].concat());
        let child = child.filter(|child| self.scopes.contains_key(child));
        let defined = scope.defined.contains(name).then_some(scope.file);
        let mut found = Meaning { module: child, file: defined };
        if let Some(path) = scope.imported.get(name) {
            found = found.or(self.meaning(module, path, seen));
        }
        for path in &scope.globs {
            if found == Meaning::default()
                && let Some(whole) = self.meaning(module, path, &mut seen.clone()).module
            {
                found = self.meaning_of(&whole, name, seen);
            }
        }
        found
    }

    pub fn arrows(&self) -> Vec<Arrow> {
        let mut found: BTreeMap<(usize, usize, String), Arrow> = BTreeMap::new();
        for Mention { module, file, at, path } in &self.mentions {
            let meant = self.meaning(module, path, &mut Seen::new()).file;
            if let Some(to) = meant.filter(|to| to != file) {
                let arrow = Arrow { from: *file, to, at: *at, path: path.join("::") };
                found.entry((*file, to, arrow.path.clone())).or_insert(arrow);
            }
        }
        found.into_values().collect()
    }
}

/// A leaf of a tree of imports.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    path: Path,
    name: Option<String>,
}

/// Returns the leaves of a tree such as `a::{b, c::d as e, f::*}` below a path, and its number of tokens.
fn imports(tree: &[Token], below: &[String]) -> (Vec<Import>, usize) {
    let mut path = below.to_vec();
    let mut at = 0;
    let word = |at: usize| tree.get(at).map_or("", |(_, token): &Token| *token);
    loop {
        match word(at) {
            "{" => {
                let mut all = Vec::new();
                at += 1;
                while !["}", ""].contains(&word(at)) {
                    let (leaves, taken) = imports(&tree[at..], &path);
                    all.extend(leaves);
                    at += taken.max(1);
                    at += usize::from(word(at) == ",");
                }
                return (all, at + 1);
            }
            "*" => return (vec![Import { path, name: None }], at + 1),
            "::" => at += 1,
            "self" if !path.is_empty() => at += 1,
            "as" => {
                return (vec![Import { path, name: Some(word(at + 1).into()) }], at + 2);
            }
            name if is_word(name) => {
                path.push(name.into());
                at += 1;
            }
            _ => {
                let name = path.last().cloned();
                return (vec![Import { path, name }], at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(files: &[(&str, &str)]) -> Vec<String> {
        let sources = files.iter().map(|(name, text)| Source::new((*name).into(), (*text).into()));
        let module = |source: &Source| source.module().into_iter().map(str::to_owned).collect();
        let with_modules: Vec<(Source, Path)> =
            sources.map(|source| (module(&source), source)).map(|(m, s)| (s, m)).collect();
        let arrows = Scopes::collect(&with_modules).arrows();
        let name = |file: usize| files[file].0.trim_end_matches(".rs");
        let mut found: Vec<String> =
            arrows.iter().map(|arrow| format!("{} -> {}", name(arrow.from), name(arrow.to))).collect();
        found.dedup();
        found
    }

    #[test]
    fn names_are_followed_to_their_definition() {
        for (user, expected) in [
            ("use crate::a::Deep;", "user -> a/deep"),
            ("use crate::a::*; fn f(_: Deep) {}", "user -> a/deep"),
            ("use crate::a as b; fn f() { b::call() }", "user -> a"),
            ("use crate::a; fn f() { a::Deep::new() }", "user -> a/deep"),
            ("fn f() { super::a::again() }", "user -> a/deep"),
            ("use crate::{a::{self, Renamed}}; ", "user -> a/deep"),
            // Nothing is used yet.
            ("use crate::a;", ""),
            ("pub use crate::a::Deep;", ""),
            ("#[cfg(test)] use crate::a::Deep;", ""),
            ("use std::a::Deep;", ""),
            ("fn f(x: X) { x.call(); x.a::<u8>() }", ""),
            ("// crate::a::Deep\nconst A: &str = \"crate::a::Deep\";", ""),
            // A re-export is used where it stands.
            ("pub(crate) use crate::a::call; fn f() { call() }", "user -> a"),
            ("mod inner { fn f() { super::super::a::call() } }", "user -> a"),
        ] {
            let a = "mod deep; pub use deep::{Deep, Deep as Renamed, again}; pub fn call() {}";
            let deep = "pub struct Deep; pub fn again() {}";
            let found = arrows(&[
                ("lib.rs", "mod a; mod user;"),
                ("a.rs", a),
                ("a/deep.rs", deep),
                ("user.rs", user),
            ]);
            assert_eq!(found.join(", "), expected, "{user}");
        }
    }

    #[test]
    fn parent_and_child_cycles_are_found() {
        let parent = "mod child; pub struct Kind; fn f() { child::work() }";
        let child = "use super::Kind; pub fn work() { let _ = Kind; }";
        assert_eq!(
            arrows(&[("a/mod.rs", parent), ("a/child.rs", child)]),
            ["a/mod -> a/child", "a/child -> a/mod"]
        );
    }

    #[test]
    fn a_module_and_a_function_may_share_a_name() {
        let a = "mod b; pub use b::b; pub fn own() {}";
        let user = "fn f() { super::a::b(); super::a::b::c() }";
        let found = arrows(&[("a.rs", a), ("a/b.rs", "pub fn b() {}\npub fn c() {}"), ("user.rs", user)]);
        assert_eq!(found, ["user -> a/b"]);
    }

    #[test]
    fn imports_that_name_themselves_end() {
        assert!(arrows(&[("a.rs", "use a::b; use super::a::*; fn f() { b(); X::y() }")]).is_empty());
    }
}
