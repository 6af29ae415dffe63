//! Options that one command alone has: one table, which its grammar and its help read.

use super::error::{CliError, Problem};
use super::flag::Form;
use std::ffi::OsString;
use std::slice::Iter;

/// An option of a command that collects what was given in an `R`.
pub(super) struct OwnOption<R> {
    /// Its name, and one line of help.
    pub(super) form: Form,
    /// What its value is; empty = it takes none.
    value: &'static str,
    /// Takes the value; else says what is expected.
    read: fn(&mut R, &str) -> Result<(), String>,
}

/// An entry of the table.
pub(super) const fn own<R>(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    read: fn(&mut R, &str) -> Result<(), String>,
) -> OwnOption<R> {
    OwnOption { form: (name, help), value, read }
}

/// The options of a table as the help shows them.
pub(super) const fn forms<R, const N: usize>(table: &[OwnOption<R>; N]) -> [Form; N] {
    let mut forms = [("", ""); N];
    let mut at = 0;
    while at < N {
        forms[at] = table[at].form;
        at += 1;
    }
    forms
}

/// Reads `argument` if it is an option of the table, and its value, which may stand behind it in `rest`.
/// Returns whether it is one.
///
/// # Errors
/// The value is missing, is not possible, or stands where none is taken.
pub(super) fn take<R>(
    table: &[OwnOption<R>],
    request: &mut R,
    argument: &OsString,
    rest: &mut Iter<OsString>,
) -> Result<bool, CliError> {
    let shown = argument.to_string_lossy();
    let (name, attached) = shown.split_once('=').map_or((&*shown, None), |(n, v)| (n, Some(v)));
    let Some(own) = table.iter().find(|own| own.form.0 == name) else { return Ok(false) };
    let value = match (own.value.is_empty(), attached) {
        (true, Some(_)) => {
            let what = format!("{name} takes no value");
            return Err(CliError::at(argument.as_encoded_bytes(), name.len(), what));
        }
        (true, None) => String::new(),
        (false, Some(value)) => value.to_owned(),
        (false, None) => rest.next().map(|value| value.to_string_lossy().into_owned()).ok_or_else(|| {
            CliError::new(format!("{name}: the value is missing")).hint(format!("write {name} {}", own.value))
        })?,
    };
    (own.read)(request, &value).map_err(|expected| {
        let problem = Problem::new(0, "this value is not possible").expected(expected);
        CliError::in_value(value.as_bytes(), 0, name, problem)
    })?;
    Ok(true)
}
