//! The XML form of a profile: its reader ([`read`]), its schema ([`xsd`]), and helpers of its writer
//! ([`text`]). `recorded` reads the profile within the results of a run.
//!
//! ```text
//! bytes ─document─▶ text ─tree, by the schema─▶ checked tree ─interpret─▶ Profile
//! ```
//!
//! The reader accesses no external data and expands no entities. Memory is bounded by the document's
//! maximum size and the schema's depth.

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
mod words;
pub mod xsd;

pub use error::XmlError;
pub use own::NAMESPACE;

use crate::Profile;
use diskspd_base::limits;
use diskspd_figures::units;

/// Maximum size of a document in bytes, sufficient for ten thousand targets.
pub const MAX_BYTES: u64 = limits::PROFILE.bytes;

/// Reads a profile, without a command line and with unfilled templates (`*1`).
/// [`crate::validate`] checks whether its settings are compatible.
///
/// # Errors
/// Fails with the first error: malformed XML, a schema violation, or mutually exclusive settings.
pub fn read(bytes: &[u8]) -> Result<Profile, XmlError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(XmlError::of_document(&error::XmlErrorAt::new(0, too_large())));
    }
    let text = document::decode(bytes)?;
    tree::parse(&text)
        .and_then(|root| interpret::profile(&root))
        .map_err(|fault| XmlError::in_text(&text, &fault))
}

pub fn too_large() -> String {
    format!("the profile is larger than {}, the limit", units::amount(MAX_BYTES))
}
