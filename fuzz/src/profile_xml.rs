//! Any bytes as an XML profile: refused with a reason, or, where its settings go together, written and read
//! back as the
//! same profile.

use diskspd::finding::Severity;
use diskspd::profile::validate::validate;
use diskspd::profile::xml;
use diskspd::report::profile_xml::write_profile;

pub fn check(data: &[u8]) {
    let mut profile = match xml::read(data) {
        Ok(profile) => profile,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut written = Vec::new();
    write_profile(&mut written, &profile, 0);
    if validate(&profile, true).iter().any(|finding| finding.severity == Severity::Error) {
        return;
    }
    // A document that leaves the alignment out means the block size; what is written states it.
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        target.block_alignment = target.stride();
    }
    assert_eq!(xml::read(&written), Ok(profile));
}
