//! Suggestions for arguments that cannot be parsed.

use super::error::CliError;
use super::flag::{Flag, Name};
use super::flags;
use super::shell_quote::quoted;
use std::ffi::OsString;

pub(super) use crate::units::near::{distance, nearest};

/// A typographic dash that resembles a minus sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForeignDash {
    /// Byte offset into the argument.
    pub position: usize,
    length: usize,
    name: &'static str,
}

/// Returns the first foreign dash in the text of an argument.
pub(super) fn foreign_dash(argument: &[u8]) -> Option<ForeignDash> {
    let text = match std::str::from_utf8(argument) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&argument[..error.valid_up_to()]).ok()?,
    };
    text.char_indices()
        .find_map(|(position, c)| Some(ForeignDash { position, length: c.len_utf8(), name: dash_name(c)? }))
}

fn dash_name(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2010}' => "a hyphen (U+2010)",
        '\u{2011}' => "a non-breaking hyphen (U+2011)",
        '\u{2012}' => "a figure dash (U+2012)",
        '\u{2013}' => "an en dash (U+2013)",
        '\u{2014}' => "an em dash (U+2014)",
        '\u{2015}' => "a horizontal bar (U+2015)",
        '\u{2212}' => "a mathematical minus (U+2212)",
        '\u{fe63}' => "a small hyphen-minus (U+FE63)",
        '\u{ff0d}' => "a full-width hyphen-minus (U+FF0D)",
        _ => return None,
    })
}

/// Adds to an error that its argument contains a foreign dash, because it is hard to see and the likely
/// cause. The hint has the line of all `arguments` with minus signs, if they are known.
pub(super) fn naming_foreign_dash(mut error: CliError, arguments: &[OsString]) -> CliError {
    let Some(place) = &error.place else { return error };
    let Some(dash) = foreign_dash(&place.argument) else { return error };
    // Two minus signs in a row are what word processors make a single dash of.
    let behind = &place.argument[dash.position + dash.length..];
    let meant = if dash.position == 0 && names_long_option(behind) { "--" } else { "-" };
    let where_it_is = if dash.position == 0 { "begins with" } else { "holds" };
    let remedy = match line_with_minus_signs(arguments) {
        Some(line) => format!("Use {line}"),
        None => format!("Type {meant} again"),
    };
    let hint = format!(
        "the argument {where_it_is} {}, which is not a minus sign. Copied from a formatted page? {remedy}",
        dash.name
    );
    error.hint = Some(match error.hint {
        Some(other) => format!("{hint}; {other}"),
        None => hint,
    });
    error
}

/// The command line with minus signs where arguments begin with another dash; `None` = no such argument.
fn line_with_minus_signs(arguments: &[OsString]) -> Option<String> {
    let with_sign = |argument: &OsString| {
        let text = argument.to_str()?;
        let dash = foreign_dash(text.as_bytes()).filter(|dash| dash.position == 0)?;
        let rest = &text[dash.length..];
        let sign = if names_long_option(rest.as_bytes()) { "--" } else { "-" };
        Some(OsString::from(format!("{sign}{rest}")))
    };
    let signed: Vec<OsString> =
        arguments.iter().map(|argument| with_sign(argument).unwrap_or_else(|| argument.clone())).collect();
    (signed != arguments).then(|| quoted(&signed))
}

fn names_long_option(text: &[u8]) -> bool {
    let name = text.split(|b| *b == b'=').next().unwrap_or_default();
    flags::find(|n| matches!(n, Name::Long(long) if long.as_bytes() == name)).is_some()
}

/// Returns the option of the same letter in the other case.
pub(super) fn letter_in_other_case(given: u8) -> Option<&'static Flag> {
    flags::find(|name| match name {
        Name::Letter(letter) => letter.eq_ignore_ascii_case(&given),
        Name::Long(_) => false,
    })
}
