//! The written form of a profile.

use diskspd::profile::{Compat, Profile, TimeSpan};
use diskspd::report::profile_xml::write_profile;

/// Returns a profile as printed by `-Rpxml`, with settings unknown to DISKSPD 2.2 in the form of 2.3.
pub fn written(profile: &Profile) -> String {
    let mut out = Vec::new();
    let newest = profile.time_spans.iter().any(is_newest);
    let compat = if newest { Compat::V2_3 } else { profile.compat };
    write_profile(&mut out, &Profile { compat, ..profile.clone() }, 0);
    String::from_utf8(out).unwrap()
}

pub fn is_newest(span: &TimeSpan) -> bool {
    span.affinity.iter().any(|at| at.cpu.is_none())
        || span.affinity_traversal.is_some()
        || span.io_ring.is_some()
        || span.completion_depth.is_some()
        || span.buffer_separation.is_some()
        || span.targets.iter().any(|target| target.bypass_io.is_some())
}
