//! The crates of the program, from cargo.

use super::build::Triple;
use super::output;
use crate::harness::Failure;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

#[derive(Debug)]
pub struct Crates(pub Value);

impl Crates {
    /// Reads the packages from cargo.
    pub fn known(root: &Path, triple: Triple) -> Result<Crates, Failure> {
        let known = output(
            Command::new("cargo")
                .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", triple.name])
                .current_dir(root),
        )?;
        Ok(Crates(serde_json::from_str(&known)?))
    }

    /// Returns the program's own package.
    pub fn root(&self) -> Option<&str> {
        self.0["resolve"]["root"].as_str()
    }

    /// Returns the packages by id.
    pub fn packages(&self) -> Option<BTreeMap<&str, &Value>> {
        Some(self.0["packages"].as_array()?.iter().map(|package| (text(&package["id"]), package)).collect())
    }

    /// Returns the dependencies of each package by id.
    pub fn nodes(&self) -> Option<BTreeMap<&str, &Value>> {
        Some(self.0["resolve"]["nodes"].as_array()?.iter().map(|node| (text(&node["id"]), node)).collect())
    }

    /// Returns the ids of the program's package and its dependencies at build and run time.
    pub fn reached(&self) -> Option<BTreeSet<&str>> {
        let nodes = self.nodes()?;
        let (mut reached, mut next) = (BTreeSet::new(), vec![self.root()?]);
        while let Some(id) = next.pop() {
            if reached.insert(id) {
                next.extend(needed(nodes.get(id)?));
            }
        }
        Some(reached)
    }
}

pub fn needed(node: &Value) -> impl Iterator<Item = &str> {
    let of_test = |kind: &Value| text(&kind["kind"]) == "dev";
    node["deps"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(move |dep| !dep["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().all(of_test)))
        .map(|dep| text(&dep["pkg"]))
}

/// Returns an optional text.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
