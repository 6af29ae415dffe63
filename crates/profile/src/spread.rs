//! Distributions of random I/O beyond `-rd`: a few forms with one or two parameters.

use diskspd_figures::units;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `--distribution`: distribution of random positions over the area of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressSpread {
    /// Zipf distribution: the k-th most used block gets a share of 1 / k^theta.
    Zipf {
        /// theta x 1000; 1 to [`AddressSpread::HIGHEST_THETA`].
        theta_thousandths: u32,
    },
    /// Around the middle of the area, as a normal distribution that is cut off at its ends.
    Normal {
        /// Standard deviation in percent of the area, 1 to 100.
        deviation_percent: u32,
    },
    /// A share of the I/Os goes to a part of the area, the others to the rest.
    Hot {
        /// Size of the part in percent of the area, 1 to 99.
        area_percent: u32,
        io_percent: u32,
        /// Interval in s after which the part moves by its length; `None` = it stays.
        moves_every_s: Option<u32>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpreadError {
    /// Byte offset into the text.
    pub position: usize,
    pub what: &'static str,
}

impl AddressSpread {
    /// The highest theta, in thousandths: of more, all I/O but a billionth would go to two blocks.
    pub const HIGHEST_THETA: u32 = 10_000;
    pub const SPREAD_FORMS: &str =
        "zipf:<theta>, normal:<deviation>%, or hot:<area>%/<share of I/O>%[,moves=<seconds>s]";

    /// Parses the form of the option and the XML element.
    ///
    /// # Errors
    /// Fails if it is not a valid distribution.
    pub fn parse(text: &str) -> Result<AddressSpread, SpreadError> {
        let Some((form, numbers)) = text.split_once(':') else {
            return Err(SpreadError { position: 0, what: "the form is missing" });
        };
        let mut rest = UnparsedText { text, position: form.len() + 1 };
        let spread = match form {
            "zipf" => AddressSpread::Zipf { theta_thousandths: parse_theta(numbers, rest.position)? },
            "normal" => AddressSpread::Normal { deviation_percent: rest.parse_percent(1..=100)? },
            "hot" => {
                let area_percent = rest.parse_percent(1..=99)?;
                rest.take_token("/", "/ and the share of the I/Os are missing here")?;
                let io_percent = rest.parse_percent(1..=100)?;
                AddressSpread::Hot { area_percent, io_percent, moves_every_s: rest.parse_moves()? }
            }
            _ => return Err(SpreadError { position: 0, what: "unknown form" }),
        };
        match spread {
            AddressSpread::Zipf { .. } => Ok(spread),
            _ if rest.is_at_end() => Ok(spread),
            _ => Err(rest.wrong_text("unexpected text after the distribution")),
        }
    }
}

/// Parses a decimal number with up to three decimal places.
fn parse_theta(text: &str, position: usize) -> Result<u32, SpreadError> {
    let wrong = SpreadError { position, what: "theta must be a number above 0, at most 10, such as 1.1" };
    let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(places) {
        return Err(wrong);
    }
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong);
    let theta = number(whole)? * 1000 + number(&format!("{places:0<3}"))?;
    (1..=AddressSpread::HIGHEST_THETA).contains(&theta).then_some(theta).ok_or(wrong)
}

struct UnparsedText<'a> {
    text: &'a str,
    position: usize,
}

impl UnparsedText<'_> {
    fn wrong_text(&self, what: &'static str) -> SpreadError {
        SpreadError { position: self.position, what }
    }

    fn is_at_end(&self) -> bool {
        self.position == self.text.len()
    }

    fn parse_number(&mut self) -> Option<u32> {
        let (number, digits) = units::parse_digits(&self.text.as_bytes()[self.position..]).ok()?;
        self.position += digits;
        u32::try_from(number).ok()
    }

    fn parse_percent(&mut self, range: std::ops::RangeInclusive<u32>) -> Result<u32, SpreadError> {
        let wrong = self.wrong_text("a percentage is missing here: from 1 to 100, of an area to 99");
        let percent = self.parse_number().filter(|percent| range.contains(percent)).ok_or(wrong)?;
        self.position += usize::from(self.text[self.position..].starts_with('%'));
        Ok(percent)
    }

    fn take_token(&mut self, token: &str, what: &'static str) -> Result<(), SpreadError> {
        if !self.text[self.position..].starts_with(token) {
            return Err(self.wrong_text(what));
        }
        self.position += token.len();
        Ok(())
    }

    fn parse_moves(&mut self) -> Result<Option<u32>, SpreadError> {
        if self.is_at_end() {
            return Ok(None);
        }
        self.take_token(",moves=", "only ,moves=<seconds>s is allowed here")?;
        let wrong = self.wrong_text("a number of seconds, at least 1, is missing here");
        let seconds = self.parse_number().filter(|seconds| *seconds > 0).ok_or(wrong)?;
        self.position += usize::from(self.text[self.position..].starts_with('s'));
        Ok(Some(seconds))
    }
}

impl fmt::Display for AddressSpread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AddressSpread::Zipf { theta_thousandths } => {
                let places = format!("{:03}", theta_thousandths % 1000);
                let places = places.trim_end_matches('0');
                let dot = if places.is_empty() { "" } else { "." };
                write!(f, "zipf:{}{dot}{places}", theta_thousandths / 1000)
            }
            AddressSpread::Normal { deviation_percent } => write!(f, "normal:{deviation_percent}%"),
            AddressSpread::Hot { area_percent, io_percent, moves_every_s } => {
                write!(f, "hot:{area_percent}%/{io_percent}%")?;
                moves_every_s.map_or(Ok(()), |seconds| write!(f, ",moves={seconds}s"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_spread_is_read_back() {
        let hot = |area_percent, io_percent, moves_every_s| AddressSpread::Hot {
            area_percent,
            io_percent,
            moves_every_s,
        };
        for (text, printed, expected) in [
            ("zipf:1.1", "zipf:1.1", AddressSpread::Zipf { theta_thousandths: 1100 }),
            ("zipf:0.001", "zipf:0.001", AddressSpread::Zipf { theta_thousandths: 1 }),
            ("zipf:10", "zipf:10", AddressSpread::Zipf { theta_thousandths: 10_000 }),
            ("zipf:2.050", "zipf:2.05", AddressSpread::Zipf { theta_thousandths: 2050 }),
            ("normal:10%", "normal:10%", AddressSpread::Normal { deviation_percent: 10 }),
            ("normal:100", "normal:100%", AddressSpread::Normal { deviation_percent: 100 }),
            ("hot:10%/90%", "hot:10%/90%", hot(10, 90, None)),
            ("hot:99/100", "hot:99%/100%", hot(99, 100, None)),
            ("hot:1%/1%,moves=30s", "hot:1%/1%,moves=30s", hot(1, 1, Some(30))),
        ] {
            assert_eq!(AddressSpread::parse(text), Ok(expected), "{text}");
            assert_eq!(expected.to_string(), printed);
            assert_eq!(AddressSpread::parse(printed), Ok(expected), "{printed}");
        }
    }

    #[test]
    fn invalid_spread_names_its_position() {
        for (text, position) in [
            ("", 0),
            ("zipf", 0),
            ("Zipf:1", 0),
            ("zipf:", 5),
            ("zipf:0", 5),
            ("zipf:-1", 5),
            ("zipf:10.001", 5),
            ("zipf:1.1234", 5),
            ("zipf:1x", 5),
            ("normal:0%", 7),
            ("normal:101%", 7),
            ("normal:10%,", 10),
            ("hot:10%", 7),
            ("hot:100%/90%", 4),
            ("hot:10%/0%", 8),
            ("hot:10%/90%,moves=0s", 18),
            ("hot:10%/90%, moves=1s", 11),
            ("hot:10%/90%,moves=1sx", 20),
        ] {
            assert_eq!(AddressSpread::parse(text).map_err(|wrong| wrong.position), Err(position), "{text}");
        }
    }
}
