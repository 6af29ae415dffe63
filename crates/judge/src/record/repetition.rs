//! Reads the file of a repetition (`--repeat N --out r.json`).

use super::fault::{LineFault, ResultError};
use crate::lab::repetition::{NAME, Repetition, VERSION};
use diskspd_model::limits::REPETITION;

/// Whether a text begins as a repetition in JSON does.
pub fn begins_so(text: &str) -> bool {
    let start: String = text.chars().take(120).collect();
    start.starts_with('{') && start.contains("\"diskspd repetition\"")
}

/// Reads a repetition.
///
/// # Errors
/// The text is not a repetition of this version.
pub fn read(bytes: &[u8]) -> Result<Repetition, ResultError> {
    REPETITION.check(bytes.len()).map_err(|error| LineFault::of_all(error.to_string()))?;
    let read: Repetition = serde_json::from_slice(bytes)
        .map_err(|error| LineFault::at(error.line(), format!("not a repetition (--repeat): {error}")))?;
    if read.format.name != NAME {
        return Err(LineFault::of_all("not a repetition (--repeat)").into());
    }
    if read.format.version > VERSION {
        let version = read.format.version;
        let what = format!("a newer program wrote this repetition (version {version} instead of {VERSION})");
        return Err(LineFault::of_all(what).hint("read it with that program").into());
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::repeat::Repeat;
    use crate::lab::repetition::RepeatedWork;

    #[test]
    fn rejects_texts_of_other_kinds() {
        let none = |_: usize| Vec::new();
        let written =
            Repetition::new("d x".into(), RepeatedWork::default(), Repeat::Times(1), Vec::new(), none);
        let good = written.json();
        assert!(begins_so(&good));
        assert_eq!(read(good.as_bytes()), Ok(written));
        for text in [
            String::new(),
            "{}".to_owned(),
            "[]".to_owned(),
            good.replace("\"version\": 1", "\"version\": 2"),
            good.replace(NAME, "diskspd sweep"),
            good.replace("\"runs\": []", "\"runs\": [{}]"),
            good[..good.len() / 2].to_owned(),
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
