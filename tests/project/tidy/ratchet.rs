//! Violations of a rule, compared with the exceptions from its introduction, which may only become fewer.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Default)]
pub struct Found(BTreeMap<String, (u64, String)>);

impl Found {
    pub fn add(&mut self, name: impl Into<String>, amount: u64, place: impl Into<String>) {
        let entry = self.0.entry(name.into()).or_insert((0, String::new()));
        entry.0 += amount;
        let place = place.into();
        if !entry.1.is_empty() && !place.is_empty() {
            entry.1.push_str(", ");
        }
        entry.1.push_str(&place);
    }
}

/// An exception, a line `name number # reason`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Exception {
    name: String,
    amount: u64,
    reason: String,
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tidy").join(name)
}

/// Returns the text of a list in `tests/data/tidy`.
pub fn list(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap()
}

fn parse(line: &str) -> Option<Exception> {
    let (left, reason) = line.split_once('#')?;
    let (name, amount) = left.trim().rsplit_once(' ')?;
    let exception =
        Exception { name: name.trim().into(), amount: amount.parse().ok()?, reason: reason.trim().into() };
    (!exception.reason.is_empty()).then_some(exception)
}

fn compare(rule: &str, found: &Found, text: &str) -> (Vec<String>, String) {
    let mut wrong = Vec::new();
    let mut kept = String::new();
    let mut known = BTreeMap::new();
    for line in text.lines() {
        if line.starts_with('#') || line.is_empty() {
            kept += &format!("{line}\n");
            continue;
        }
        let Some(exception) = parse(line) else {
            wrong.push(format!("not of the form `name number # reason`: {line}"));
            continue;
        };
        let now = found.0.get(&exception.name).map_or(0, |(amount, _)| *amount);
        let Exception { name, amount, reason } = &exception;
        match now {
            0 => wrong.push(format!("{name} is an exception no longer: remove its line")),
            _ if now < *amount => wrong.push(format!("{name} is down from {amount} to {now}: write {now}")),
            _ => {}
        }
        if now > 0 {
            kept += &format!("{name} {} # {reason}\n", now.min(*amount));
        }
        known.insert(exception.name.clone(), exception.amount);
    }
    for (name, (amount, place)) in &found.0 {
        let allowed = known.get(name).copied().unwrap_or(0);
        if *amount > allowed {
            wrong.push(format!("{name} {amount} # allowed are {allowed}: {rule} ({place})"));
        }
    }
    (wrong, kept)
}

/// Fails if a violation is not listed, or if a line permits more than exist. With `TIDY_RECORD=1` lines
/// are lowered and removed, never added.
#[track_caller]
pub fn hold(rule: &str, name: &str, found: &Found) {
    let (mut wrong, kept) = compare(rule, found, &list(name));
    if std::env::var_os("TIDY_RECORD").is_some() {
        fs::write(file(name), &kept).unwrap();
        wrong = compare(rule, found, &kept).0;
    }
    assert!(
        wrong.is_empty(),
        "{}\n\ntests/data/tidy/{name} holds the exceptions; TIDY_RECORD=1 lowers and removes what is needed no longer",
        wrong.join("\n")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_exceptions_never_grows() {
        let mut found = Found::default();
        found.add("a", 2, "x:1");
        found.add("b", 3, "x:2");
        found.add("c", 1, "x:3");
        let (wrong, kept) =
            compare("be short", &found, "# All.\na 2 # because\nb 5 # old\nd 1 # gone\ne 1\n");
        assert_eq!(
            wrong,
            [
                "b is down from 5 to 3: write 3",
                "d is an exception no longer: remove its line",
                "not of the form `name number # reason`: e 1",
                "c 1 # allowed are 0: be short (x:3)",
            ]
        );
        assert_eq!(kept, "# All.\na 2 # because\nb 3 # old\n");
        found.add("a", 1, "x:4");
        let (wrong, _) = compare("be short", &found, &kept);
        assert_eq!(wrong[0], "a 3 # allowed are 2: be short (x:1, x:4)");
    }
}
