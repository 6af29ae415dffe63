//! Reports: pure functions of a record.

pub mod profile_text;
