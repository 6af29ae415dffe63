//! The head of files with an answer from many runs: repetitions, sweeps, comparisons.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFormat {
    pub name: String,
    /// Version, increased when an older reader could misunderstand the content.
    pub version: u32,
}

/// Answer that the program writes as JSON and reads again (`record::answers`).
pub trait StoredAnswer: Serialize + DeserializeOwned {
    /// Name in messages with an article: `a sweep (sweep --json)`.
    const TITLE: &'static str;
    const NAME: &'static str;
    const VERSION: u32;

    fn format() -> AnswerFormat {
        AnswerFormat { name: Self::NAME.to_owned(), version: Self::VERSION }
    }

    /// Adds the derived parts that the file does not contain.
    #[must_use]
    fn completed(self) -> Self {
        self
    }
}
