//! `--give-up`, the time that a command waits for storage. It is an option of every command, so it is read
//! before all others.

use super::error::CliError;
use super::option::{OptionRow, text};
use super::words::time_ms;
use std::ffi::OsString;
use std::time::Duration;

const NAME: &str = "--give-up";
/// Shortest time in ms.
pub(super) const MIN_LIMIT_MS: u64 = 100;
pub(super) const DEFAULT: &str = "30s, and 120s for calls that write data back";

pub(super) const GIVE_UP: OptionRow =
    text(NAME, "<time>", "60s", "end when storage is not responding for this long").with_default(DEFAULT);

/// Splits the arguments into the value of `--give-up` and all others. The last value counts.
///
/// # Errors
/// Fails if the value is missing or is not a time.
pub fn split(arguments: &[OsString]) -> Result<(Option<Duration>, Vec<OsString>), CliError> {
    let (mut given, mut others) = (None, Vec::new());
    let mut rest = arguments.iter();
    let is_judged = arguments.get(1).is_some_and(|word| word == "judge" || word == "hosts");
    while let Some(argument) = rest.next() {
        if is_judged && argument == "--" {
            // What follows is another program's.
            others.push(argument.clone());
            others.extend(rest.cloned());
            break;
        }
        let attached = argument.as_encoded_bytes().strip_prefix(NAME.as_bytes());
        let (stands_in, value) = match attached {
            Some([]) => rest.next().map_or((argument, &[][..]), |next| (next, next.as_encoded_bytes())),
            Some([b'=', value @ ..]) => (argument, value),
            _ => {
                others.push(argument.clone());
                continue;
            }
        };
        let bytes = stands_in.as_encoded_bytes();
        let wrong = |problem| CliError::in_value(bytes, bytes.len() - value.len(), NAME, problem);
        given = Some(Duration::from_millis(time_ms(value, MIN_LIMIT_MS).map_err(wrong)?));
    }
    Ok((given, others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_value_is_accepted_in_any_position() {
        let split = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            split(&arguments)
                .map(|(time, others)| (time.map(|time| time.as_millis()), others.join(" ".as_ref())))
        };
        for (line, time, others) in [
            ("diskspd report x", None, "diskspd report x"),
            ("diskspd --give-up 5s report x", Some(5000), "diskspd report x"),
            ("diskspd report x --give-up=900ms", Some(900), "diskspd report x"),
            ("diskspd sweep --give-up 2 x -- -b4K --give-up 3", Some(3000), "diskspd sweep x -- -b4K"),
            ("diskspd judge -- x --give-up 3", None, "diskspd judge -- x --give-up 3"),
            ("diskspd --give-upper x", None, "diskspd --give-upper x"),
        ] {
            let (found, rest) = split(line).unwrap();
            assert_eq!((found, rest.to_str()), (time, Some(others)), "{line}");
        }
        for line in
            ["diskspd x --give-up", "diskspd x --give-up=", "diskspd --give-up 0 x", "diskspd --give-up 2d x"]
        {
            assert!(split(line).is_err(), "{line}");
        }
    }
}
