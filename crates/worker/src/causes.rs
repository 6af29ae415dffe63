//! Probable causes of failed I/O.

use diskspd_model::engines::EngineKind;
use diskspd_sys::problem;

/// What probably is the matter when an I/O of this engine fails with this error number, behind a semicolon;
/// empty = anything may be.
pub(crate) fn usual_cause(engine: EngineKind, errno: i32) -> &'static str {
    match engine {
        EngineKind::Nvme => problem::usual_cause_of_command(errno),
        _ => problem::usual_cause(errno),
    }
}
