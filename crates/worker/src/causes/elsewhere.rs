//! What probably is the matter when an I/O fails on Windows.

use diskspd_model::engines::EngineKind;

/// Nothing: the texts of errors say it.
pub(crate) fn usual_cause(_: EngineKind, _: i32) -> &'static str {
    ""
}
