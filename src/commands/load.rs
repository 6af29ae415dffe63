//! What is to be run, and how: by the command line, the XML file of `-X`, or a record (`rerun`).

use super::not_done::NotDone;
use super::{known_runs, stored};
use crate::cli::{Exit, RunRequest, XmlProfile};
use crate::finding::Finding;
use crate::machine::System;
use crate::profile::xml::{self, MAX_BYTES};
use crate::profile::{Method, Profile};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What is asked for.
pub struct ToRun<'a> {
    /// What is run, with everything that the command line puts into it.
    pub profile: Cow<'a, Profile>,
    /// How.
    pub method: Cow<'a, Method>,
    /// Not if it comes from a record that doesn't say.
    pub method_is_known: bool,
    /// The machine that it was run on before, when it's run again.
    pub before: Option<System>,
}

/// What a command line asks for.
///
/// # Errors
/// A file can't be read or isn't what it should be, or the templates of a profile and the targets don't
/// match.
pub fn asked(request: &RunRequest) -> Result<ToRun<'_>, NotDone> {
    if let Some(file) = &request.record {
        let found =
            stored::file(file, request.store.as_deref()).and_then(|file| Ok(known_runs::record(&file)?));
        let record = found.map_err(|not| not.with_exit(Exit::Usage))?;
        let before = Some(record.present().next().unwrap_or(record.host()).system.clone());
        return Ok(ToRun {
            profile: Cow::Owned(record.asked_of_each().clone()),
            method_is_known: record.method.is_some(),
            method: Cow::Owned(record.method.unwrap_or_default()),
            before,
        });
    }
    let profile = match &request.xml_profile {
        Some(from) => Cow::Owned(from_xml(from, request)?),
        None => Cow::Borrowed(&request.profile),
    };
    let method = Cow::Borrowed(&request.method);
    Ok(ToRun { profile, method, method_is_known: true, before: None })
}

fn from_xml(from: &XmlProfile, request: &RunRequest) -> Result<Profile, NotDone> {
    let wrong = |messages: Vec<String>| {
        let located = |message| Finding::error(format!("-X{}: {message}", from.path));
        NotDone::usage(messages.into_iter().map(located).collect())
    };
    let bytes = read_limited(from.path.as_path()).map_err(|why| wrong(vec![why]))?;
    let profile = xml::read(&bytes).map_err(|error| wrong(vec![error.to_string()]))?;
    from.complete(profile, &request.profile.command_line).map_err(wrong)
}

/// Reads a file, and no more of it than a profile may have: it might be a disk image, or have no end.
fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "no such file; attach the name to -X, without a blank".to_owned(),
        _ => format!("can't be opened: {error}"),
    })?;
    let unreadable = |error: io::Error| format!("can't be read: {error}");
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err("is a directory; name a file in it".to_owned());
    }
    if metadata.is_file() && metadata.len() > MAX_BYTES {
        return Err(xml::too_large());
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
