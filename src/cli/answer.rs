//! What an option asks for that answers at once: nothing behind it is read.

use super::topics::TOPICS;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PrintedAnswer {
    Usage(UsageExtent),
    Version,
    Engines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageExtent {
    /// What the program is, and what to type first: there were no arguments.
    First,
    /// The common options, by topic.
    Everyday,
    /// All of a topic, one of the table.
    Topic(&'static str),
    All,
}

impl UsageExtent {
    /// That of a word behind `--help`; `None` = there is no such topic.
    pub fn from_word(word: &[u8]) -> Option<UsageExtent> {
        match TOPICS.iter().find(|topic| topic.as_bytes() == word)? {
            &"all" => Some(UsageExtent::All),
            topic => Some(UsageExtent::Topic(topic)),
        }
    }
}
