//! Module dependencies visible in paths: `crate::..`, `super::..`, `self::..`.

use super::source::{Source, is_name};
use std::collections::{BTreeMap, BTreeSet};

/// A module's path, without `crate`.
pub type Module = Vec<String>;

pub fn imported_modules(source: &Source) -> Vec<(usize, Module)> {
    let own: Module = source.module().into_iter().map(str::to_owned).collect();
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for at in source.uses(start).filter(|at| !source.is_test(*at)) {
            // Later parts of `super::super::x`.
            if source.code[..at].ends_with("::") {
                continue;
            }
            let mut from = own.clone();
            let mut rest = &source.code[at..];
            loop {
                rest = rest.trim_start();
                rest = if let Some(behind) = rest.strip_prefix("crate::") {
                    from.clear();
                    behind
                } else if let Some(behind) = rest.strip_prefix("super::") {
                    from.pop();
                    behind
                } else if let Some(behind) = rest.strip_prefix("self::") {
                    behind
                } else {
                    break;
                };
            }
            found.extend(paths(rest).0.into_iter().map(|path| (at, [from.clone(), path].concat())));
        }
    }
    found
}

/// Returns the paths of a tree such as `a::{b, c::d}`, and its end.
fn paths(text: &str) -> (Vec<Module>, usize) {
    let mut at = blanks(text, 0);
    if text[at..].starts_with('{') {
        let mut all = Vec::new();
        at += 1;
        loop {
            let (paths, taken) = paths(&text[at..]);
            all.extend(paths);
            at += taken;
            // `as x` and `*` name nothing else.
            at += text[at..].find([',', '}']).unwrap_or(text.len() - at);
            if text[at..].starts_with(',') {
                at += 1;
            } else {
                return (all, (at + 1).min(text.len()));
            }
        }
    }
    let name: String = text[at..].chars().take_while(|c| is_name(*c)).collect();
    if name.is_empty() {
        return (Vec::new(), at);
    }
    at += name.len();
    if !text[at..].starts_with("::") {
        return (vec![vec![name]], at);
    }
    let (below, taken) = paths(&text[at + 2..]);
    let below = if below.is_empty() { vec![Vec::new()] } else { below };
    (below.into_iter().map(|path| [vec![name.clone()], path].concat()).collect(), at + 2 + taken)
}

fn blanks(text: &str, at: usize) -> usize {
    at + text[at..].bytes().take_while(u8::is_ascii_whitespace).count()
}

pub fn edges(sources: &[Source]) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
    let modules: BTreeSet<Module> =
        sources.iter().map(|source| source.module().into_iter().map(str::to_owned).collect()).collect();
    let mut edges: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for source in sources {
        let own: Module = source.module().into_iter().map(str::to_owned).collect();
        for (_, mut used) in imported_modules(source) {
            while !used.is_empty() && !modules.contains(&used) {
                used.pop();
            }
            let common = own.iter().zip(&used).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (own.get(common), used.get(common)) {
                let below = edges.entry(own[..common].to_vec()).or_default();
                below.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    edges
}

/// Returns the modules that can be reached from one.
fn reached<'a>(edges: &'a BTreeMap<String, BTreeSet<String>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for to in edges.get(next).into_iter().flatten() {
            if found.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    found
}

pub fn circles(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<(String, Vec<String>)> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|name| (name.as_str(), reached(edges, name))).collect();
    let mut found = Vec::new();
    for (name, to) in &reached {
        let back = |other: &&&str| reached.get(**other).is_some_and(|all| all.contains(name));
        let circle: Vec<String> = to.iter().filter(back).map(|other| (*other).to_owned()).collect();
        if !circle.is_empty() {
            found.push(((*name).to_owned(), circle));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Source {
        Source::new(name.into(), text.into())
    }

    #[test]
    fn names_of_a_tree_are_collected_outside_tests() {
        let source = read(
            "run/worker/share.rs",
            "use crate::{units::Size, stats::{self, Moments as M}};\nuse super::super::live::*;\n\
             fn f() { super::g(crate::clock::now()) }\n#[cfg(test)] mod tests { use crate::cli; }\nself::x();",
        );
        let mut found: Vec<String> =
            imported_modules(&source).into_iter().map(|(_, path)| path.join("::")).collect();
        found.sort();
        assert_eq!(
            found,
            [
                "clock::now",
                "run::live",
                "run::worker::g",
                "run::worker::share::x",
                "stats::Moments",
                "stats::self",
                "units::Size",
            ]
        );
    }

    #[test]
    fn cyclic_modules_are_found_at_any_depth() {
        let sources = [
            read("run/mod.rs", "use self::a::X;"),
            read("run/a.rs", "use super::b::X;"),
            read("run/a/deep.rs", "use crate::run::c;"),
            read("run/b.rs", ""),
            read("run/b/deep.rs", "fn f() { super::super::a::deep::g() }"),
            read("run/c.rs", "use crate::units;"),
        ];
        let edges = edges(&sources);
        let of_run = &edges[&vec!["run".to_owned()]];
        let circle = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(circles(of_run), [("a".to_owned(), circle.clone()), ("b".to_owned(), circle)]);
    }
}
