//! Where the profile comes from: the command line, or the XML file of `-X`.

use crate::cli::{RunRequest, XmlProfile};
use crate::profile::Profile;
use crate::profile::xml::{self, MAX_BYTES};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The profile that is asked for, with everything that the command line puts into it.
///
/// # Errors
/// The file can't be read or is no profile, or its templates and the targets don't match: messages.
pub fn profile(request: &RunRequest) -> Result<Cow<'_, Profile>, Vec<String>> {
    let Some(from) = &request.xml_profile else { return Ok(Cow::Borrowed(&request.profile)) };
    let bytes = read_limited(from.path.as_path()).map_err(|why| vec![located(from, &why)])?;
    let profile = xml::read(&bytes).map_err(|error| vec![located(from, &error.to_string())])?;
    from.complete(profile, &request.profile.command_line)
        .map(Cow::Owned)
        .map_err(|messages| messages.iter().map(|message| located(from, message)).collect())
}

fn located(from: &XmlProfile, message: &str) -> String {
    format!("-X{}: {message}", from.path)
}

/// Reads a file, and no more of it than a profile may have: it might be a disk image, or have no end.
fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; the name stands right behind -X".to_owned(),
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
