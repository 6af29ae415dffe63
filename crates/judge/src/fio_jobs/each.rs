//! What may differ between reads, writes and trims.

/// A value for each direction.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Each<T> {
    /// Of reads.
    pub(super) read: T,
    /// Of writes.
    pub(super) write: T,
    /// Of trims.
    pub(super) trim: T,
}

impl<T: Clone> Each<T> {
    /// The same for all.
    pub(super) fn all(value: T) -> Each<T> {
        Each { read: value.clone(), write: value.clone(), trim: value }
    }

    /// What each is made into.
    pub(super) fn map<U>(self, mut change: impl FnMut(T) -> U) -> Each<U> {
        Each { read: change(self.read), write: change(self.write), trim: change(self.trim) }
    }
}

impl<T> Each<Option<T>> {
    /// Reads a list with commas: one value for all, or one for reads and one for the others, or three. What is
    /// empty is `None`.
    ///
    /// # Errors
    /// Those of `read`, and that there are more than three.
    pub(super) fn parse<E: From<TooMany>>(
        text: &str,
        mut read: impl FnMut(&str) -> Result<T, E>,
    ) -> Result<Each<Option<T>>, E> {
        let mut value = |text: &str| match text.trim() {
            "" => Ok(None),
            text => read(text).map(Some),
        };
        let parts: Vec<&str> = text.split(',').collect();
        Ok(match parts[..] {
            [all] => Each { read: value(all)?, write: value(all)?, trim: value(all)? },
            [reads, others] => Each { read: value(reads)?, write: value(others)?, trim: value(others)? },
            [reads, writes, trims] => {
                Each { read: value(reads)?, write: value(writes)?, trim: value(trims)? }
            }
            _ => return Err(TooMany.into()),
        })
    }
}

/// There are more values than directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("at most three values are possible: for reads, writes and trims")]
pub(super) struct TooMany;

impl From<TooMany> for String {
    fn from(error: TooMany) -> String {
        error.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_as_fio_has_it() {
        for (text, read, write, trim) in [
            ("4", Some(4), Some(4), Some(4)),
            ("4,8", Some(4), Some(8), Some(8)),
            ("4,8,", Some(4), Some(8), None),
            (",8", None, Some(8), Some(8)),
            ("4,", Some(4), None, None),
            ("1,2,3", Some(1), Some(2), Some(3)),
        ] {
            let parsed = Each::parse(text, |text| text.parse::<u32>().map_err(|error| error.to_string()));
            assert_eq!(parsed, Ok(Each { read, write, trim }), "{text}");
        }
        let read = |text: &str| text.parse::<u32>().map_err(|error| error.to_string());
        assert!(Each::parse("1,2,3,4", read).is_err());
        assert!(Each::parse("x", read).is_err());
    }
}
