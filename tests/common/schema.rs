//! A subset of JSON Schema sufficient for records, inferred from values with every field, and used for
//! checks.
//!
//! All JSON written by the program in a test passes through [`record`] or [`stream`]; `common::diskspd`
//! does this for the files on a command line.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // every test binary uses another part of this

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Objects whose keys are names of the system instead of fields.
const MAPS: [&str; 4] = ["io", "parts", "queue", "vulnerabilities"];

#[derive(Default)]
pub struct Shape {
    types: BTreeSet<&'static str>,
    fields: BTreeMap<String, Shape>,
    objects: usize,
    seen: usize,
    elements: Option<Box<Shape>>,
}

impl Shape {
    pub fn see(&mut self, value: &Value) {
        self.seen += 1;
        match value {
            Value::Object(fields) => {
                self.types.insert("object");
                self.objects += 1;
                fields
                    .iter()
                    .for_each(|(name, value)| self.fields.entry(name.clone()).or_default().see(value));
            }
            Value::Array(elements) => {
                self.types.insert("array");
                let shape = self.elements.get_or_insert_default();
                elements.iter().for_each(|element| shape.see(element));
            }
            other => {
                self.types.insert(type_of(other));
            }
        }
    }

    fn schema(&self, name: &str) -> Value {
        let mut types: Vec<&str> = self.types.iter().copied().collect();
        if types.contains(&"number") {
            types.retain(|name| *name != "integer");
        }
        let mut schema = Map::new();
        match types[..] {
            [] => return json!({}),
            [one] => schema.insert("type".into(), json!(one)),
            _ => schema.insert("type".into(), json!(types)),
        };
        if self.objects > 0 && MAPS.contains(&name) {
            schema.insert("additionalProperties".into(), json!({ "type": "string" }));
        } else if self.objects > 0 {
            let fields = self.fields.iter().map(|(name, shape)| (name.clone(), shape.schema(name)));
            schema.insert("properties".into(), Value::Object(fields.collect()));
            let required: Vec<&String> = self
                .fields
                .iter()
                .filter(|(_, shape)| shape.seen == self.objects)
                .map(|(name, _)| name)
                .collect();
            schema.insert("required".into(), json!(required));
        }
        if let Some(elements) = &self.elements {
            schema.insert("items".into(), elements.schema(""));
        }
        Value::Object(schema)
    }

    pub fn document(&self, title: &str) -> String {
        self.document_with(title, &[])
    }

    pub fn document_with(&self, title: &str, descriptions: &[(&str, &str)]) -> String {
        let mut schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": title,
        });
        schema.as_object_mut().unwrap().extend(self.schema("").as_object().unwrap().clone());
        for (name, description) in descriptions {
            assert!(describe(&mut schema, name, description), "there is no field {name}");
        }
        serde_json::to_string_pretty(&schema).unwrap() + "\n"
    }
}

fn describe(schema: &mut Value, name: &str, description: &str) -> bool {
    let mut found = false;
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (field, schema) in properties {
            if field == name {
                schema["description"] = json!(description);
                found = true;
            }
            found |= describe(schema, name, description);
        }
    }
    schema.get_mut("items").is_some_and(|items| describe(items, name, description)) || found
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

static RECORD: LazyLock<Value> = LazyLock::new(|| document("docs/reference/record.schema.json"));
static COMPARISON: LazyLock<Value> = LazyLock::new(|| document("docs/reference/comparison.schema.json"));
static DEVICES: LazyLock<Value> = LazyLock::new(|| document("docs/reference/devices.schema.json"));
static SUITE: LazyLock<Value> = LazyLock::new(|| document("docs/reference/suite.schema.json"));
static STREAM: LazyLock<Value> = LazyLock::new(|| document("docs/reference/stream.schema.json"));

fn document(file: &str) -> Value {
    let text = std::fs::read(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Checks a record against `docs/reference/record.schema.json`; the failure names the place.
#[track_caller]
pub fn record(json: &[u8]) -> Value {
    assert!(json.ends_with(b"\n"), "a record ends with a line feed");
    checked(json, &RECORD)
}

/// Checks the output of `diskspd devices --json` against `docs/reference/devices.schema.json`.
#[track_caller]
pub fn devices(json: &[u8]) -> Value {
    checked(json, &DEVICES)
}

/// Checks the output of `diskspd compare --json` against `docs/reference/comparison.schema.json`.
#[track_caller]
pub fn comparison(json: &[u8]) -> Value {
    checked(json, &COMPARISON)
}

/// Checks the output of `diskspd suite --json` against `docs/reference/suite.schema.json`.
#[track_caller]
pub fn suite(json: &[u8]) -> Value {
    checked(json, &SUITE)
}

/// Checks the lines of a stream against `docs/reference/stream.schema.json`.
#[track_caller]
pub fn stream(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| checked(line.as_bytes(), &STREAM)).collect()
}

/// Checks more strictly than JSON Schema: an unknown field is an error.
#[track_caller]
fn checked(json: &[u8], schema: &Value) -> Value {
    let value = serde_json::from_slice(json)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(json)));
    if let Err(error) = conforms(&value, schema, "") {
        panic!("{error} ({} in docs/)", schema["title"]);
    }
    value
}

/// Location and kind of a deviation from a schema.
#[derive(Debug)]
pub struct SchemaError(String);

impl std::fmt::Display for SchemaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a value is as a schema says; the error names the place.
pub fn conforms(value: &Value, schema: &Value, place: &str) -> Result<(), SchemaError> {
    let found = type_of(value);
    let allowed = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return Ok(()),
    };
    let fits = |name| allowed.contains(&name);
    if !fits(found) && (found != "integer" || !fits("number")) {
        return Err(SchemaError(format!("{place} is {found} and not {allowed:?}")));
    }
    if let (Value::Object(fields), true) = (value, schema["properties"].is_object()) {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(SchemaError(format!("{place}/{name} is missing")));
            }
        }
        for (name, field) in fields {
            let known = schema["properties"].get(name);
            conforms(
                field,
                known.ok_or_else(|| SchemaError(format!("{place}/{name} is not in the schema")))?,
                &format!("{place}/{name}"),
            )?;
        }
    }
    if let Value::Array(elements) = value {
        for (index, element) in elements.iter().enumerate() {
            conforms(element, &schema["items"], &format!("{place}/{index}"))?;
        }
    }
    Ok(())
}
