//! The XML form of a profile: reading it ([`read`]), its schema ([`xsd`]), and what its writer needs
//! ([`text`]). `recorded` reads the profile within the results of a run.
//!
//! ```text
//! bytes ─document─▶ text ─tree, by the schema─▶ checked tree ─interpret─▶ Profile
//! ```
//!
//! Nothing outside the document is ever read, nothing in it is expanded, and memory is bounded: the size of
//! a document is limited, its depth by the schema.

pub mod document;
mod elements;
pub mod error;
mod interpret;
mod own;
mod placement;
pub mod recorded;
mod schema;
mod shape;
pub mod text;
pub mod tokens;
mod tree;
mod values;
pub mod xsd;

pub use error::XmlError;
pub use own::NAMESPACE;

use crate::limits;
use crate::profile::Profile;
use crate::units;

/// Largest document that is read, bytes: some ten thousand targets.
pub const MAX_BYTES: u64 = limits::PROFILE.bytes;

/// Reads a profile. It has no command line, and its templates (`*1`) are still to be filled in; whether its
/// settings go together is for [`crate::profile::validate`] to judge.
///
/// # Errors
/// The first thing that is wrong: no well-formed XML, not what the schema wants, or settings that exclude
/// each other.
pub fn read(bytes: &[u8]) -> Result<Profile, XmlError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(XmlError::of_document(&error::Fault::new(0, too_large())));
    }
    let text = document::decode(bytes)?;
    tree::parse(&text)
        .and_then(|root| interpret::profile(&root))
        .map_err(|fault| XmlError::in_text(&text, &fault))
}

pub fn too_large() -> String {
    format!("the profile is larger than {}, the limit", units::amount(MAX_BYTES))
}
