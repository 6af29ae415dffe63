//! The head of the files that hold an answer made of many runs: repetitions, sweeps, comparisons.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFormat {
    pub name: String,
    /// Rises when a reader of the last version could misunderstand.
    pub version: u32,
}

/// An answer that the program writes as JSON and reads again (`record::answers`).
pub trait StoredAnswer: Serialize + DeserializeOwned {
    /// Name in messages, with its article: `a sweep (sweep --json)`.
    const TITLE: &'static str;
    const NAME: &'static str;
    const VERSION: u32;

    fn format() -> AnswerFormat {
        AnswerFormat { name: Self::NAME.to_owned(), version: Self::VERSION }
    }

    /// Adds the parts that follow from the rest and are not in the file.
    #[must_use]
    fn completed(self) -> Self {
        self
    }
}
