//! Files of a crate with circular dependencies, direct or indirect. Such a circle can only be read as a
//! whole.

use super::scopes::{Arrow, Path, Scopes};
use super::source::Source;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
pub struct Circle {
    pub files: Vec<String>,
    pub arrows: Vec<String>,
}

pub fn circles(sources: &[(Source, Path)]) -> Vec<Circle> {
    let arrows = Scopes::collect(sources).arrows();
    let place = |file: usize| sources[file].0.place.clone();
    let mut found: Vec<Circle> = strongly_connected(&arrows)
        .into_iter()
        .map(|files| {
            let within = |arrow: &&Arrow| files.contains(&arrow.from) && files.contains(&arrow.to);
            Circle {
                arrows: describe_circle(&arrows.iter().filter(within).collect::<Vec<_>>(), &place),
                files: files.iter().map(|file| place(*file)).collect(),
            }
        })
        .collect();
    found.sort_by_key(|circle| usize::MAX - circle.files.len());
    found
}

/// Formats arrows, with one line for all arrows between two files.
fn describe_circle(arrows: &[&Arrow], place: &dyn Fn(usize) -> String) -> Vec<String> {
    let mut used: BTreeMap<(usize, usize), BTreeSet<&str>> = BTreeMap::new();
    for arrow in arrows {
        let name = arrow.path.trim_start_matches("super::").trim_start_matches("crate::");
        used.entry((arrow.from, arrow.to)).or_default().insert(name);
    }
    let line = |((from, to), names): (&(usize, usize), &BTreeSet<&str>)| {
        let names = names.iter().copied().collect::<Vec<_>>().join(", ");
        format!("{} uses {names} of {}", place(*from), place(*to))
    };
    used.iter().map(line).collect()
}

/// Returns the sets of files that all reach each other.
fn strongly_connected(arrows: &[Arrow]) -> Vec<BTreeSet<usize>> {
    let mut used: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for arrow in arrows {
        used.entry(arrow.from).or_default().insert(arrow.to);
    }
    let reached: BTreeMap<usize, BTreeSet<usize>> =
        used.keys().map(|from| (*from, reached(&used, *from))).collect();
    let reaches = |from: &usize, to: &usize| reached.get(from).is_some_and(|all| all.contains(to));
    let mut found: Vec<BTreeSet<usize>> = Vec::new();
    for (file, all) in &reached {
        let circle: BTreeSet<usize> = all.iter().filter(|other| reaches(other, file)).copied().collect();
        if !circle.is_empty() && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

/// Returns the files that can be reached from one.
fn reached(used: &BTreeMap<usize, BTreeSet<usize>>, from: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        open.extend(used.get(&next).into_iter().flatten().filter(|to| found.insert(**to)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_reach_each_other_are_one_circle() {
        let arrow = |(from, to)| Arrow { from, to, at: 0, path: String::new() };
        for (arrows, expected) in [
            (vec![(0, 1), (1, 2)], vec![]),
            (vec![(0, 1), (1, 0), (1, 2)], vec![vec![0, 1]]),
            (vec![(0, 1), (1, 2), (2, 0), (3, 0), (3, 4), (4, 3)], vec![vec![0, 1, 2], vec![3, 4]]),
        ] {
            let arrows: Vec<Arrow> = arrows.into_iter().map(arrow).collect();
            let found: Vec<Vec<usize>> =
                strongly_connected(&arrows).into_iter().map(|files| files.into_iter().collect()).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn dependency_cycle_names_its_uses() {
        let parent = Source::new("a.rs".into(), "mod b;\npub struct Kind;\nfn f() {\n b::work()\n}".into());
        let child = Source::new("a/b.rs".into(), "use super::Kind;\npub fn work() {}".into());
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let found = circles(&[(parent, path(&["a"])), (child, path(&["a", "b"]))]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].files, ["a.rs", "a/b.rs"]);
        assert_eq!(found[0].arrows, ["a.rs uses b::work of a/b.rs", "a/b.rs uses Kind of a.rs"]);
    }
}
