//! Probable causes of failed I/O.

use diskspd_base::engines::EngineKind;
use diskspd_sys::target_error;

/// Returns the probable cause of a failed I/O of this engine with this error number, after a semicolon;
/// empty if unknown.
pub(crate) fn usual_cause(engine: EngineKind, errno: i32) -> &'static str {
    match engine {
        EngineKind::Nvme => target_error::usual_cause_of_command(errno),
        _ => target_error::usual_cause(errno),
    }
}
