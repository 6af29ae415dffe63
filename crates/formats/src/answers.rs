//! Reads the files of answers: repetitions (`--repeat N --out r.json`), sweeps and comparisons (`--json`).

use super::error::{LineError, ResultError};
use diskspd_base::json_reader::{JsonError, read_json};
use diskspd_base::limits::ANSWER;
use diskspd_experiments::{AnswerFormat, StoredAnswer};
use serde::Deserialize;

/// Whether the beginning of a text identifies an answer of this kind.
pub fn begins_so<A: StoredAnswer>(text: &str) -> bool {
    let start: String = text.chars().take(120).collect();
    start.starts_with('{') && start.contains(&format!("\"{}\"", A::NAME))
}

#[derive(Deserialize)]
struct Head {
    format: AnswerFormat,
}

/// Reads an answer.
///
/// # Errors
/// Fails if the text is not an answer of this kind and version.
pub fn read<A: StoredAnswer>(bytes: &[u8]) -> Result<A, ResultError> {
    ANSWER.check(bytes.len()).map_err(|error| LineError::of_all(error.to_string()))?;
    let fault = |error: JsonError| LineError::of_all(format!("not {} in JSON: {error}", A::TITLE));
    let Head { format } = read_json(bytes).map_err(fault)?;
    if format.name != A::NAME {
        return Err(LineError::of_all(format!("not {} in JSON", A::TITLE)).into());
    }
    let (found, known) = (format.version, A::VERSION);
    if found != known {
        let (program, hint) = match found > known {
            true => ("a newer program", "read it with that program"),
            false => ("an older program", "run the command again"),
        };
        let what = format!("{program} wrote {} (version {found} instead of {known})", A::TITLE);
        return Err(LineError::of_all(what).hint(hint).into());
    }
    let read: A = read_json(bytes).map_err(fault)?;
    Ok(read.completed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_experiments::compare::{Names, RunComparison};
    use diskspd_experiments::repeat::Repeat;
    use diskspd_experiments::repetition::{RepeatedWork, Repetition};
    use diskspd_experiments::sweep::{Settings, SweepOutcome, SweepResult};

    fn rejects_others<A: StoredAnswer + PartialEq + std::fmt::Debug>(written: A, list: &str) {
        let good = serde_json::to_string_pretty(&written).unwrap();
        assert!(begins_so::<A>(&good));
        let version = |version: u32| format!("\"version\": {version}");
        for text in [
            String::new(),
            "{}".to_owned(),
            "[]".to_owned(),
            good.replace(&version(A::VERSION), &version(A::VERSION + 1)),
            good.replace(&version(A::VERSION), &version(0)),
            good.replace(A::NAME, "diskspd other"),
            good.replace(&format!("\"{list}\": []"), &format!("\"{list}\": [{{}}]")),
            good[..good.len() / 2].to_owned(),
        ] {
            assert!(read::<A>(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(read(good.as_bytes()), Ok(written));
    }

    #[test]
    fn answers_reject_texts_of_other_kinds() {
        let none = |_: usize| Vec::new();
        let work = RepeatedWork::default;
        rejects_others(Repetition::new("d x".into(), work(), Repeat::Times(1), Vec::new(), none), "runs");
        rejects_others(
            SweepResult {
                format: SweepResult::format(),
                command_line: "d x".into(),
                work: work(),
                ended: SweepOutcome::Complete,
                settings: Settings::default(),
                points: Vec::new(),
                commands: Vec::new(),
                answers: Vec::new(),
                drift: None,
            },
            "points",
        );
        rejects_others(
            RunComparison {
                format: RunComparison::format(),
                work: work(),
                equivalence_percent: 2.0,
                looks: 1,
                order_seed: None,
                until_sure: None,
                sides: [Names::default(), Names::default()],
                workloads: Vec::new(),
                unmatched: [Vec::new(), Vec::new()],
                time_spans: Vec::new(),
                differences: Vec::new(),
                not_comparable: Vec::new(),
            },
            "time_spans",
        );
    }
}
