//! The XML profile for DISKSPD.

use crate::profile::{Compat, Profile, RawText, ResultFormat, xml};
use crate::report::profile_xml;

fn tool_profile(profile: &Profile, compat: Compat) -> Profile {
    Profile { compat, result_format: ResultFormat::Xml, progress: 0, verbose: false, ..profile.clone() }
}

pub(super) fn text(profile: &Profile, compat: Compat) -> Vec<u8> {
    let mut text = Vec::new();
    profile_xml::write_profile(&mut text, &tool_profile(profile, compat), 0);
    text
}

/// Returns whether a profile of this DISKSPD version expresses all of it. The newest does; others are
/// checked by reading it back.
pub(super) fn represents_all(profile: &Profile, compat: Compat) -> bool {
    let asked = tool_profile(profile, compat);
    compat.is_2_3()
        || xml::read(&text(profile, compat)).is_ok_and(|read| plain_profile(read) == plain_profile(asked))
}

fn plain_profile(profile: Profile) -> Profile {
    let mut profile = Profile { command_line: RawText::default(), compat: Compat::default(), ..profile };
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        target.block_alignment = target.stride();
        target.uncached_devices = false;
        // What has no effect isn't written.
        target.distribution = target.distribution.take().filter(|_| target.random_ratio > 0);
        target.zero_write_buffers &= target.random_data_source.is_none();
    }
    profile
}
