//! Tests that written profiles read back unchanged.

use super::corpus::{documents, read_expected};
use super::generated::profile;
use super::written;
use super::written::is_newest;
use diskspd::cli::{self, Invocation};
use diskspd::finding::Severity;
use diskspd::profile::validate::validate;
use diskspd::profile::{BufferSeparation, Profile, RawText, xml};
use proptest::prelude::*;
use serde_json::Value;

/// Returns the profile as XML expresses it: without the command line, alignment and stride in bytes, and a
/// sized buffer instead of zeros if both are given.
pub fn as_stated(profile: &Profile) -> Profile {
    let mut profile = Profile { command_line: RawText::default(), ..profile.clone() };
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        target.block_alignment = target.stride();
        target.zero_write_buffers &= target.random_data_source.is_none();
        // There is no form for -Sb, which says more than the default only where a target is a device.
        target.uncached_devices = true;
    }
    // What DISKSPD 2.3 always writes counts as stated, and its masks have 64 bits.
    if profile.time_spans.iter().any(is_newest) {
        for span in &mut profile.time_spans {
            span.affinity.retain(|at| at.cpu.is_none_or(|cpu| cpu < 64));
            if !span.disable_affinity {
                span.affinity_traversal.get_or_insert_default();
            }
            span.buffer_separation.get_or_insert(BufferSeparation::PageDirectories);
        }
    }
    profile
}

#[track_caller]
fn comes_back(profile: &Profile, name: &str) {
    let text = written(profile);
    let read = xml::read(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    assert_eq!(read, as_stated(profile), "{name}\n{text}");
}

#[test]
fn accepted_command_lines_round_trip() {
    let recorded = include_str!("../../data/command-lines/recorded.jsonl").lines().map(|line| {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let arguments = recorded["args"].as_array().unwrap();
        arguments.iter().map(|argument| argument.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    let accepted = include_str!("../../data/command-lines/accepted.txt").lines();
    let accepted = accepted.filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| {
        let line = line.split('|').next().unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    });
    let mut compared = 0;
    for arguments in recorded.chain(accepted) {
        let line = arguments.join(" ");
        let arguments: Vec<_> =
            std::iter::once("diskspd").map(str::to_owned).chain(arguments).map(Into::into).collect();
        let Ok(Invocation::Run(request)) = cli::parse(&arguments) else { continue };
        let valid = validate(&request.profile, true).iter().all(|f| f.severity == Severity::Warning);
        let template = |path: &RawText| matches!(diskspd::profile::template::number(path), Some(Err(_)));
        let malformed = request.profile.time_spans.iter().flat_map(|s| &s.targets).any(|t| template(&t.path));
        if request.profile_file.is_none() && valid && !malformed {
            comes_back(&request.profile, &line);
            compared += 1;
        }
    }
    assert!(compared > 500, "only {compared} command lines were compared");
}

#[test]
fn valid_corpus_documents_round_trip() {
    for (name, (stage, _)) in read_expected() {
        if stage == "ok" {
            let profile = xml::read(&std::fs::read(&documents()[&name]).unwrap()).unwrap();
            comes_back(&profile, &name);
        }
    }
}

#[test]
fn written_documents_are_rewritten_identically() {
    for name in ["written-thread-pool", "written-random"] {
        let text = std::fs::read_to_string(&documents()[name]).unwrap();
        assert_eq!(written(&xml::read(text.as_bytes()).unwrap()), text, "{name}");
    }
}

proptest! {
    #[test]
    fn generated_profiles_round_trip(profile in profile()) {
        let text = written(&profile);
        let read = xml::read(text.as_bytes());
        prop_assert_eq!(read, Ok(as_stated(&profile)), "{}", text);
    }

    #[test]
    fn encoding_and_line_ends_do_not_matter(profile in profile()) {
        let text = written(&profile).replace('\n', "\r\n");
        let mut utf16: Vec<u8> = vec![0xff, 0xfe];
        utf16.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        prop_assert_eq!(xml::read(&utf16), xml::read(text.as_bytes()));
        prop_assert_eq!(xml::read(&utf16), Ok(as_stated(&profile)));
    }
}
