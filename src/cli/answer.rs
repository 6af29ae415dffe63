//! What an option asks for that answers at once: nothing behind it is read.

use super::topics::TOPICS;

/// What an option answers with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PrintedAnswer {
    /// The usage (`-?`, `--help`).
    Usage(UsageExtent),
    /// The version (`--version`).
    Version,
    /// The engines (`--engine help`).
    Engines,
}

/// How much of the usage is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageExtent {
    /// What the program is, and what to type first: there were no arguments.
    First,
    /// The common options, by topic.
    Everyday,
    /// All of a topic, one of the table.
    Topic(&'static str),
    /// Every option in all its forms: what DISKSPD's usage says.
    All,
}

impl UsageExtent {
    /// That of a word behind `--help`; `None` = there is no such topic.
    pub fn named(word: &[u8]) -> Option<UsageExtent> {
        match TOPICS.iter().find(|topic| topic.as_bytes() == word)? {
            &"all" => Some(UsageExtent::All),
            topic => Some(UsageExtent::Topic(topic)),
        }
    }
}
