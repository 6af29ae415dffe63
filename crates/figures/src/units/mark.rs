//! Words that say how good or bad something is, with a sign, so that nobody has to tell colours apart.

/// How good or bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Good to know.
    Note,
    /// Nobody can tell.
    Unknown,
    /// Doubtful.
    Warning,
    /// Wrong.
    Wrong,
}

impl Tone {
    /// What style sheets call it.
    pub fn name(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Note => "note",
            Tone::Unknown => "unknown",
            Tone::Warning => "warning",
            Tone::Wrong => "wrong",
        }
    }
}

/// A word with its tone and sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictMark {
    /// How good or bad.
    pub tone: Tone,
    /// In one letter.
    pub sign: &'static str,
    /// In a word.
    pub word: String,
}

impl VerdictMark {
    /// Such a word.
    pub fn new(tone: Tone, sign: &'static str, word: impl Into<String>) -> VerdictMark {
        VerdictMark { tone, sign, word: word.into() }
    }
}
