//! Templates: targets of an XML profile (`*1`, `*2`, ...), filled in by the command line.

use super::{Profile, RawText};
use std::collections::BTreeSet;

/// Path that begins with `*` but is not a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplatePathError;

/// Returns the number of a template, from 1; `None` if the path is not a template.
///
/// # Errors
/// Fails for a path that starts with `*` without a valid number from 1.
pub fn number(path: &RawText) -> Option<Result<u64, TemplatePathError>> {
    let digits = path.as_bytes().strip_prefix(b"*")?;
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let add = |number: u64, digit: &u8| number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    Some(match is_number.then(|| digits.iter().fold(0, add)) {
        None | Some(0) => Err(TemplatePathError),
        Some(number) => Ok(number),
    })
}

/// Replaces template n by path n in all time spans. Without paths the profile is unchanged. A path after the
/// template paths may repeat a path of the profile: a suite writes only to devices of its command line.
///
/// # Errors
/// Fails with a message for the templates without a path, and one for each path without a template.
pub fn substitute(profile: &mut Profile, paths: &[RawText]) -> Result<(), Vec<String>> {
    if paths.is_empty() {
        return Ok(());
    }
    let mut used = vec![false; paths.len()];
    let mut missing = BTreeSet::new();
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        let Some(Ok(number)) = number(&target.path) else { continue };
        let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
        match paths.get(index) {
            Some(path) => {
                used[index] = true;
                target.path = path.clone();
            }
            None => {
                missing.insert(number);
            }
        }
    }
    let mut messages = Vec::new();
    if let Some(first) = missing.first() {
        messages.push(format!(
            "the template *{first}{} has no target: name one target for every template, in order (given: {})",
            if missing.len() > 1 { format!(" and {} more", missing.len() - 1) } else { String::new() },
            paths.len(),
        ));
    }
    let is_named = |path: &RawText| {
        profile.time_spans.iter().flat_map(|span| &span.targets).any(|target| target.path == *path)
    };
    let idle = paths.iter().enumerate().filter(|(index, path)| !used[*index] && !is_named(path));
    for (index, path) in idle {
        let template = index + 1;
        messages.push(format!(
            "the target '{path}' has no template *{template} in the profile: leave it out, or write \
             *{template} as a <Path> of the profile"
        ));
    }
    if messages.is_empty() { Ok(()) } else { Err(messages) }
}
