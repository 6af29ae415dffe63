//! Descriptions of the fields of records: one table for the schemas, the page in docs/ and the Python package.

#![allow(clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const TABLE: &str = include_str!("../../crates/formats/src/fields.tsv");

/// Descriptions by field, or by parent and field.
pub struct FieldTable {
    rows: BTreeMap<&'static str, &'static str>,
    used: BTreeSet<String>,
}

impl FieldTable {
    pub fn read() -> FieldTable {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<_> =
            rows.map(|line| line.split_once('\t').expect("a field, a tab, a description")).collect();
        let table = FieldTable { rows: rows.iter().copied().collect(), used: BTreeSet::new() };
        assert_eq!(table.rows.len(), rows.len(), "a field has two descriptions");
        table
    }

    /// Adds the description of each field to a schema.
    pub fn describe(&mut self, schema: &mut Value, parent: &str) {
        if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            for (name, field) in fields {
                field["description"] = json!(self.description(parent, name));
                self.describe(field, name);
            }
        }
        if let Some(elements) = schema.get_mut("items") {
            self.describe(elements, parent);
        }
    }

    fn description(&mut self, parent: &str, name: &str) -> &'static str {
        let in_parent = format!("{parent}.{name}");
        let key = if self.rows.contains_key(&*in_parent) { in_parent } else { name.to_owned() };
        let text =
            self.rows.get(&*key).unwrap_or_else(|| panic!("crates/formats/src/fields.tsv lacks {key}"));
        self.used.insert(key);
        text
    }

    pub fn unused(&self) -> Vec<&str> {
        self.rows.keys().copied().filter(|key| !self.used.contains(*key)).collect()
    }
}

pub fn described(document: &str) -> String {
    let mut schema: Value = serde_json::from_str(document).expect("a schema");
    FieldTable::read().describe(&mut schema, "");
    serde_json::to_string_pretty(&schema).expect("a schema") + "\n"
}

/// Returns the tables of all fields, with a section for each part of the record.
pub fn page(schema: &Value) -> String {
    let mut page = Page { text: String::new(), places: BTreeMap::new() };
    for (name, field) in schema["properties"].as_object().expect("fields") {
        let text = field["description"].as_str().unwrap_or_default();
        let _ = writeln!(page.text, "\n### `{name}`\n\nType: {}. Meaning: {text}.", kind_of(field));
        let _ = writeln!(page.text, "\n| Field | Type | Meaning |\n|---|---|---|");
        page.add_fields(field, "");
    }
    page.text.trim().to_owned()
}

struct Page {
    text: String,
    /// First location of objects with these fields.
    places: BTreeMap<Vec<String>, String>,
}

impl Page {
    fn add_fields(&mut self, schema: &Value, place: &str) {
        let object = innermost(schema);
        let Some(fields) = object["properties"].as_object() else { return };
        for (name, field) in fields {
            let path = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            let names: Vec<String> = innermost(field)["properties"]
                .as_object()
                .into_iter()
                .flat_map(|all| all.keys().cloned())
                .collect();
            let same = self.places.get(&names).filter(|_| names.len() > 1);
            let text = field["description"].as_str().unwrap_or_default();
            let more = same.map(|same| format!("; fields as in `{same}`")).unwrap_or_default();
            let _ = writeln!(self.text, "| `{path}` | {} | {text}{more} |", kind_of(field));
            if same.is_none() {
                self.places.insert(names, path.clone());
                self.add_fields(field, &path);
            }
        }
    }
}

fn innermost(schema: &Value) -> &Value {
    schema.get("items").map_or(schema, innermost)
}

fn kind_of(schema: &Value) -> String {
    let kinds = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        kinds => kinds.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    };
    let kind = kinds.join(" or ");
    match schema.get("items") {
        Some(elements) if !kind_of(elements).is_empty() => format!("{kind} of {}", kind_of(elements)),
        _ => kind,
    }
}
