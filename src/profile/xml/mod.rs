//! The XML form of a profile: reading it ([`read`]), and what its writer needs ([`text`]).
//!
//! ```text
//! bytes ─document─▶ text ─tree, by the schema─▶ checked tree ─interpret─▶ Profile
//! ```

pub mod text;
