//! Records and profiles sanitized for a terminal. Every text in them stays within its line, so none can
//! imitate a line of the report.

use crate::sys::standard_output;
use crate::units::visible::line;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;

pub(crate) fn on_standard_output<T: Clone + Serialize + DeserializeOwned>(value: &T) -> Cow<'_, T> {
    if standard_output::is_terminal() { sanitize(value) } else { Cow::Borrowed(value) }
}

/// Returns a copy without control characters in texts.
pub(crate) fn sanitize<T: Clone + Serialize + DeserializeOwned>(value: &T) -> Cow<'_, T> {
    let copy = serde_json::to_value(value).ok().and_then(|mut stored| {
        escape(&mut stored);
        // By way of its text, as everything is read: a second parser would be a tenth of the program.
        serde_json::from_slice(&serde_json::to_vec(&stored).ok()?).ok()
    });
    // What can't be stored stays as it is; what would drive the terminal is escaped when it's written, too.
    copy.map_or(Cow::Borrowed(value), Cow::Owned)
}

fn escape(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(harmless) = line(text) {
                *text = harmless;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(escape),
        Value::Object(fields) => {
            let harmful: Vec<String> =
                fields.keys().filter(|key| matches!(line(key), Cow::Owned(_))).cloned().collect();
            for key in harmful {
                if let Some(value) = fields.remove(&key) {
                    fields.insert(line(&key).into_owned(), value);
                }
            }
            fields.values_mut().for_each(escape);
            if let Some(text) = not_utf8(fields) {
                *value = Value::String(line(&text).into_owned());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns a text that is not UTF-8, which is stored as bytes ([`crate::profile::RawText`]).
fn not_utf8(fields: &serde_json::Map<String, Value>) -> Option<String> {
    let bytes = fields.get("bytes").filter(|_| fields.len() == 1)?.as_array()?;
    let bytes: Option<Vec<u8>> =
        bytes.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect();
    let mut text = String::new();
    for chunk in bytes?.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, RawText, Target, TimeSpan};

    #[test]
    fn profile_texts_stay_on_one_line() {
        let path = |text: &[u8]| RawText::from(text.to_vec());
        let target = |text| Target { path: path(text), ..Target::default() };
        let targets = vec![target(b"a\nb\x1b"), target(b"a\n\xff"), target(b"plain")];
        let profile = Profile {
            command_line: path(b"x\ny"),
            time_spans: vec![TimeSpan { targets, ..TimeSpan::default() }],
            ..Profile::default()
        };
        let shown = sanitize(&profile);
        let found: Vec<&[u8]> = shown.time_spans[0].targets.iter().map(|t| t.path.as_bytes()).collect();
        assert_eq!(found, [&b"a\\nb\\x1b"[..], b"a\\n\\xff", b"plain"]);
        assert_eq!(shown.command_line.as_bytes(), b"x\\ny");
    }
}
