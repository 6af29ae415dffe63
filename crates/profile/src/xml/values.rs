//! Values with the types of the schema.

use super::schema::Kind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Number(u64),
    Bool(bool),
    Text(String),
    Word(&'static str),
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

impl Kind {
    /// Reads a value; `None` = not of this type. Blanks around numbers and booleans are ignored.
    pub(super) fn parse(self, text: &str) -> Option<Value> {
        let trimmed = text.trim_matches(is_blank);
        match self {
            Kind::Number(lowest, highest) => {
                let digits = !trimmed.is_empty() && trimmed.bytes().all(|b| b.is_ascii_digit());
                let number = trimmed.parse().ok().filter(|_| digits)?;
                (lowest..=highest).contains(&number).then_some(Value::Number(number))
            }
            Kind::Bool => match trimmed {
                "true" | "1" => Some(Value::Bool(true)),
                "false" | "0" => Some(Value::Bool(false)),
                _ => None,
            },
            Kind::Text => Some(Value::Text(text.to_owned())),
            Kind::Word(words) => words.iter().find(|word| **word == text).map(|word| Value::Word(word)),
        }
    }

    pub(super) fn describe(self) -> String {
        match self {
            Kind::Number(lowest, highest) => {
                format!("a number from {lowest} to {highest}, in digits without a unit")
            }
            Kind::Bool => "true or false, in lower case (or 1 or 0)".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Word(words) => format!("{} (case matters)", words.join(" or ")),
        }
    }
}
