//! Values that may differ between reads, writes and trims.

use super::number::NumberError;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PerDirection<T> {
    pub(super) read: T,
    pub(super) write: T,
    pub(super) trim: T,
}

impl<T: Clone> PerDirection<T> {
    pub(super) fn all(value: T) -> PerDirection<T> {
        PerDirection { read: value.clone(), write: value.clone(), trim: value }
    }

    pub(super) fn map<U>(self, mut change: impl FnMut(T) -> U) -> PerDirection<U> {
        PerDirection { read: change(self.read), write: change(self.write), trim: change(self.trim) }
    }
}

impl<T> PerDirection<Option<T>> {
    pub(super) fn or_else_from(self, other: PerDirection<Option<T>>) -> PerDirection<Option<T>> {
        PerDirection {
            read: self.read.or(other.read),
            write: self.write.or(other.write),
            trim: self.trim.or(other.trim),
        }
    }

    /// Reads a list with commas: one value for all, one for reads and one for the others, or three. Empty
    /// values are `None`.
    ///
    /// # Errors
    /// Fails with the error of `read`, or for more than three values.
    pub(super) fn parse<E: From<TooMany>>(
        text: &str,
        mut read: impl FnMut(&str) -> Result<T, E>,
    ) -> Result<PerDirection<Option<T>>, E> {
        let mut value = |text: &str| match text.trim() {
            "" => Ok(None),
            text => read(text).map(Some),
        };
        let parts: Vec<&str> = text.split(',').collect();
        Ok(match parts[..] {
            [all] => PerDirection { read: value(all)?, write: value(all)?, trim: value(all)? },
            [reads, others] => {
                PerDirection { read: value(reads)?, write: value(others)?, trim: value(others)? }
            }
            [reads, writes, trims] => {
                PerDirection { read: value(reads)?, write: value(writes)?, trim: value(trims)? }
            }
            _ => return Err(TooMany.into()),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("at most three values are possible: for reads, writes and trims")]
pub(super) struct TooMany;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum WrongValue {
    #[error(transparent)]
    Number(#[from] NumberError),
    #[error(transparent)]
    TooMany(#[from] TooMany),
    #[error("{part}: {error}")]
    NumberIn {
        part: String,
        #[source]
        error: NumberError,
    },
    #[error("{part}: {wrong}")]
    Part { part: String, wrong: &'static str },
    #[error("the shares must add up to 100 %, not {0}")]
    Shares(String),
    #[error("{0}")]
    Other(&'static str),
}

impl WrongValue {
    pub(super) fn part(part: &str, wrong: &'static str) -> WrongValue {
        WrongValue::Part { part: part.to_owned(), wrong }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_settings_have_fio_defaults() {
        let number = |text: &str| text.parse::<u32>().map_err(|_| WrongValue::Other("not a number"));
        for (text, read, write, trim) in [
            ("4", Some(4), Some(4), Some(4)),
            ("4,8", Some(4), Some(8), Some(8)),
            ("4,8,", Some(4), Some(8), None),
            (",8", None, Some(8), Some(8)),
            ("4,", Some(4), None, None),
            ("1,2,3", Some(1), Some(2), Some(3)),
        ] {
            let parsed = PerDirection::parse(text, number);
            assert_eq!(parsed, Ok(PerDirection { read, write, trim }), "{text}");
        }
        assert!(PerDirection::parse("1,2,3,4", number).is_err());
        assert!(PerDirection::parse("x", number).is_err());
    }
}
