//! fio's command line with options of this program among its words.

use super::error::CliError;
use super::flag::Flag;
use super::flags;
use super::line::{OptionOnLine, TypedLine};
use crate::fio_jobs::option_of_word;
use std::ffi::OsString;

/// Options that end the command line, or replace fio's.
const OWN_COMMANDS: [&str; 4] = ["fio", "help", "verify-after", "version"];

/// Options of a run that may be among fio's words.
pub(super) fn own_flags() -> impl Iterator<Item = &'static Flag> {
    let is_free =
        |name: &str| !OWN_COMMANDS.contains(&name) && option_of_word(&format!("--{name}"), None).is_none();
    flags::all().filter(move |flag| flag.with_profile && flag.long().is_some_and(is_free))
}

/// Separates fio's words from our options. fio gets an option that both know, and an unknown option, which
/// its reader explains.
///
/// # Errors
/// Fails if an option of this program is misplaced or lacks its value, or a word is not UTF-8.
pub(super) fn split(words: &[OsString]) -> Result<(Vec<String>, TypedLine), CliError> {
    let (mut of_fio, mut ours) = (Vec::new(), TypedLine::default());
    let mut rest = words.iter().map(|word| word.as_encoded_bytes()).peekable();
    while let Some(word) = rest.next() {
        let text = |word: &[u8]| {
            let text = std::str::from_utf8(word).map(str::to_owned);
            text.map_err(|_| CliError::at(word, 0, "fio's options and job files are UTF-8 text"))
        };
        let next = rest.peek().and_then(|next| std::str::from_utf8(next).ok());
        let argument = text(word)?;
        if let Some(takes_next) = option_of_word(&argument, next) {
            of_fio.push(argument);
            of_fio.extend(rest.next_if(|_| takes_next).map(text).transpose()?);
        } else if word.first() == Some(&b'-') && is_ours(word) {
            ours.options.push(own(word, OptionOnLine::new(word, &mut rest)?)?);
        } else {
            of_fio.push(argument);
        }
    }
    ours.names_files_once()?;
    Ok((of_fio, ours))
}

/// Whether a word is an option of this program: a long one by its name, a letter by the form of its value.
fn is_ours(word: &[u8]) -> bool {
    let name = word.split(|byte| *byte == b'=').next().unwrap_or_default();
    match name.strip_prefix(b"--") {
        Some(long) => flags::all().any(|flag| flag.long().is_some_and(|name| name.as_bytes() == long)),
        None => !word.contains(&b'='),
    }
}

fn own(word: &[u8], given: OptionOnLine) -> Result<OptionOnLine, CliError> {
    match given.flag {
        Some(flag) if !given.goes_with_profile() || is_refused(flag) => {
            let what = format!("{} cannot be among fio's options", flag.name.with_dashes());
            Err(CliError::at(word, 0, what)
                .hint("fio's options define the I/O; diskspd fio --help lists the options that go with them"))
        }
        Some(_) => Ok(given),
        None => Err(CliError::at(word, 0, "unknown option of fio and of this program").unknown_option()),
    }
}

fn is_refused(flag: &Flag) -> bool {
    flag.long().is_some_and(|name| OWN_COMMANDS.contains(&name))
}
