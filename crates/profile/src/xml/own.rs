//! Additional profile elements without a DISKSPD counterpart. They are in a separate namespace with the
//! prefix `linux`, so DISKSPD's reader rejects a profile with them and names them.

use super::error::{XmlErrorAt, quote};
use super::tokens::attribute_text;
use quick_xml::events::BytesStart;

pub const NAMESPACE: &str = "urn:diskspd-linux:profile:1";
pub(super) const PREFIX: &str = "linux:";
const DECLARATION: &str = "xmlns:linux";

/// Whether a tag declares the namespace.
///
/// # Errors
/// Fails if the tag declares another namespace for its prefix.
pub(super) fn is_declared(tag: &BytesStart, at: usize) -> Result<bool, XmlErrorAt> {
    let Some(declared) = tag.attributes().flatten().find(|found| found.key.as_ref() == DECLARATION) else {
        return Ok(false);
    };
    let namespace = attribute_text(&declared, at)?;
    match namespace == NAMESPACE {
        true => Ok(true),
        false => Err(XmlErrorAt::new(at, format!("{DECLARATION}={} is unknown", quote(&namespace)))
            .with_expected(format!("{DECLARATION}=\"{NAMESPACE}\""))
            .hint("was the profile written by a newer version?")),
    }
}

pub(super) fn check_name(name: &str, at: usize, declared: bool) -> Result<(), XmlErrorAt> {
    match name.starts_with(PREFIX) && !declared {
        false => Ok(()),
        true => Err(XmlErrorAt::new(at, format!("<{}>: the prefix is not declared", name))
            .with_expected(format!("<{} {DECLARATION}=\"{NAMESPACE}\" ..>", name))),
    }
}
