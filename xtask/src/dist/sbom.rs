//! Software bill of materials in the CycloneDX 1.5 format.

use super::beside::{self, Linked};
use super::build::Triple;
use super::crates::{Crates, needed, text};
use crate::harness::Failure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Writes the list of all crates in the program or its build, and of the other linked code.
///
/// # Errors
/// Fails if Cargo.lock cannot be read, a version is not found, or the list cannot be written.
pub fn write(root: &Path, triple: Triple, crates: &Crates, out: &Path) -> Result<PathBuf, Failure> {
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))?;
    let place = out.join(format!("diskspd-{}.cdx.json", triple.label()));
    let beside = beside::linked(root, triple, crates)?;
    let bill = bill(crates, &hashes(&lock), &beside).ok_or("cargo metadata has another form")?;
    std::fs::write(&place, serde_json::to_string_pretty(&bill)? + "\n")?;
    Ok(place)
}

/// Returns the bill of materials, without time and random numbers, so that it is reproducible.
fn bill(crates: &Crates, hashes: &BTreeMap<(String, String), String>, beside: &[Linked]) -> Option<Value> {
    let (root, packages, nodes, reached) =
        (crates.root()?, crates.packages()?, crates.nodes()?, crates.reached()?);
    let reference = |id: &str| packages.get(id).map(|package| url(package)).unwrap_or_default();
    let components: Vec<Value> = reached
        .iter()
        .filter(|id| **id != root)
        .filter_map(|id| packages.get(id))
        .map(|package| component(package, hashes))
        .chain(beside.iter().map(Linked::component))
        .collect();
    let dependencies: Vec<Value> = reached
        .iter()
        .filter_map(|id| nodes.get(id))
        .map(|node| {
            let own = reference(text(&node["id"]));
            let mut on: Vec<String> = needed(node).map(reference).collect();
            on.extend(beside.iter().filter(|linked| own.starts_with(&linked.by_prefix())).map(Linked::purl));
            on.sort();
            json!({ "ref": own, "dependsOn": on })
        })
        .collect();
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": of_program(packages.get(root)?) },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn url(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

fn of_program(package: &Value) -> Value {
    json!({
        "type": "application", "bom-ref": url(package), "purl": url(package),
        "name": package["name"], "version": package["version"], "description": package["description"],
        "licenses": [{ "expression": package["license"] }],
    })
}

fn component(package: &Value, hashes: &BTreeMap<(String, String), String>) -> Value {
    let named = (text(&package["name"]).to_owned(), text(&package["version"]).to_owned());
    let mut component = of_program(package);
    component["type"] = json!("library");
    // Older manifests separate alternatives by a slash, which isn't SPDX.
    component["licenses"] = json!([{ "expression": text(&package["license"]).replace('/', " OR ") }]);
    if let Some(hash) = hashes.get(&named) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
    }
    component
}

fn hashes(lock: &str) -> BTreeMap<(String, String), String> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let package =
        |block: &str| Some(((field(block, "name")?, field(block, "version")?), field(block, "checksum")?));
    lock.split("[[package]]").filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_dependencies_are_listed_without_test_ones() {
        let dep = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let package = |id: &str, license: &str| {
            json!({
                "id": id, "name": id, "version": "1.0.0", "license": license, "description": null,
            })
        };
        let metadata = json!({
            "packages": [
                package("own", "MIT"), package("a", "MIT/Apache-2.0"),
                package("b", "MIT"), package("t", "MIT"),
            ],
            "resolve": { "root": "own", "nodes": [
                { "id": "own", "deps": [dep("a", Value::Null), dep("t", json!("dev"))] },
                { "id": "a", "deps": [dep("b", json!("build"))] },
                { "id": "b", "deps": [] }, { "id": "t", "deps": [] },
            ]},
        });
        let linked = Linked {
            name: "sqlite",
            version: "3.50.2".into(),
            vendor: "sqlite",
            license: "blessing",
            by: "b",
        };
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"12ab\"\n";
        let bill = bill(&Crates(metadata), &hashes(lock), &[linked]).unwrap();
        let names: Vec<&str> =
            bill["components"].as_array().unwrap().iter().map(|c| text(&c["name"])).collect();
        assert_eq!(names, ["a", "b", "sqlite"]);
        assert_eq!(bill["components"][2]["cpe"], "cpe:2.3:a:sqlite:sqlite:3.50.2:*:*:*:*:*:*:*");
        assert_eq!(bill["dependencies"][1]["dependsOn"][0], "pkg:generic/sqlite@3.50.2");
        assert_eq!(bill["components"][0]["hashes"][0]["content"], "12ab");
        assert_eq!(bill["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["metadata"]["component"]["purl"], "pkg:cargo/own@1.0.0");
        assert_eq!(bill["dependencies"].as_array().unwrap().len(), 3);
    }
}
