//! Requests of an option that prints at once; later arguments are not read.

use super::topics::TOPICS;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InfoRequest {
    Usage(UsageExtent),
    Version,
    Engines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageExtent {
    First,
    Everyday,
    /// All options of a topic of the table.
    Topic(&'static str),
    All,
}

impl UsageExtent {
    /// Returns the extent for a word after `--help`; `None` if the topic is unknown.
    pub fn from_word(word: &[u8]) -> Option<UsageExtent> {
        match TOPICS.iter().find(|topic| topic.as_bytes() == word)? {
            &"all" => Some(UsageExtent::All),
            topic => Some(UsageExtent::Topic(topic)),
        }
    }
}
