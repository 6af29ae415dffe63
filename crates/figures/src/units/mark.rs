//! Quality words, each with a sign so that they do not depend on colours.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Note,
    Unknown,
    Warning,
    Wrong,
}

impl Tone {
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

/// Word with its tone and symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictMark {
    pub tone: Tone,
    pub sign: &'static str,
    pub word: String,
}

impl VerdictMark {
    pub fn new(tone: Tone, sign: &'static str, word: impl Into<String>) -> VerdictMark {
        VerdictMark { tone, sign, word: word.into() }
    }
}
