//! Malicious and random documents: no panic, hang or crash.

use super::corpus::documents;
use super::round_trip::as_stated;
use diskspd::finding::Severity;
use diskspd::profile::template;
use diskspd::profile::validate::validate;
use diskspd::profile::xml::{MAX_BYTES, read};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[test]
fn oversized_profile_is_refused_unread() {
    let error = read(&vec![b'<'; MAX_BYTES as usize + 1]).unwrap_err();
    assert!(error.to_string().contains("larger than 16 MiB"), "{error}");
}

/// Size of the largest document in bytes.
const LARGEST: usize = MAX_BYTES as usize;

fn large(head: &str, part: &str, tail: &str, bytes: usize) -> Vec<u8> {
    let mut text = head.to_owned();
    let room = bytes - tail.len() - part.len() - 10;
    if !part.contains('#') {
        text += &part.repeat(room.saturating_sub(text.len()) / part.len() + 1);
        return (text + tail).into_bytes();
    }
    for number in 0.. {
        if text.len() > room {
            break;
        }
        text.push_str(&part.replace('#', &number.to_string()));
    }
    (text + tail).into_bytes()
}

#[test]
fn largest_documents_are_read_in_bounded_time() {
    let targets = "<Profile><TimeSpans><TimeSpan><Targets>";
    let path = format!("{targets}<Target><Path>");
    let affinity = "<Profile><TimeSpans><TimeSpan><Affinity>";
    // A tenth of the largest where each part takes its time: if it took more with each, a tenth would show it.
    let many = LARGEST / 10;
    for (head, part, tail, bytes, expected) in [
        ("", "<Profile>", "", LARGEST, "unknown element <Profile> in <Profile>"),
        ("<!--", "x", "", LARGEST, "not well-formed"),
        ("<Profile ", "a#='1' ", ">", many, "unknown attribute"),
        ("<Profile ", "xmlns:a#='1' ", ">", many, "more than 64 attributes"),
        (targets, "<Target><Path>*#</Path></Target>", "", many, "ends within <Targets>"),
        (path.as_str(), "&amp;", "", many, "ends within <Path>"),
        ("<Profile><TimeSpans><TimeSpan><Duration>", "1", "</Duration>", LARGEST, "not possible"),
        (affinity, "<AffinityGroupAssignment/>", "", many, "ends within <Affinity>"),
        ("<Profile>", "&x", "", LARGEST, "not well-formed"),
        ("<Profile>", "\n \n", "", LARGEST, "ends within <Profile>"),
        ("<Profile>", "<?x?>", "", many, "ends within <Profile>"),
    ] {
        let error = read(&large(head, part, tail, bytes)).unwrap_err().to_string();
        assert!(error.contains(expected) && error.len() < 2000, "{head}{part}..: {error}");
    }
}

#[test]
fn profile_with_many_templates_is_read() {
    let head = "<Profile><TimeSpans><TimeSpan><Targets>";
    let tail = "</Targets></TimeSpan></TimeSpans></Profile>";
    // A tenth of what fits: what takes more than its share of time for each shows itself here, too.
    let mut profile = read(&large(head, "<Target><Path>*1#</Path></Target>", tail, LARGEST / 10)).unwrap();
    assert!(profile.time_spans[0].targets.len() > 30_000);
    let messages = template::substitute(&mut profile, &["a".into()]).unwrap_err();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(validate(&profile, true).is_empty());
}

#[derive(Debug, Clone)]
enum Change {
    Remove(usize, usize),
    Insert(usize, Vec<u8>),
    Repeat(usize, usize),
    Flip(usize, u8),
}

impl Change {
    fn apply(&self, document: &mut Vec<u8>) {
        let length = document.len().max(1);
        match self {
            Change::Remove(at, count) => {
                let at = at % length;
                document.drain(at.min(document.len())..(at + count).min(document.len()));
            }
            Change::Insert(at, bytes) => {
                let at = (at % length).min(document.len());
                document.splice(at..at, bytes.iter().copied());
            }
            Change::Repeat(at, count) => {
                let at = (at % length).min(document.len());
                let copy = document[at..(at + count).min(document.len())].to_vec();
                document.splice(at..at, copy);
            }
            Change::Flip(at, mask) => {
                if let Some(byte) = document.get_mut(at % length) {
                    *byte ^= mask;
                }
            }
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let pieces = [
        "<",
        ">",
        "</",
        "/>",
        "&",
        ";",
        "&#",
        "&#x10FFFF;",
        "&amp;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?",
        "?>",
        "<?xml version='1.0'?>",
        "<!DOCTYPE x [",
        "\"",
        "'",
        "=",
        "\0",
        "\u{feff}",
        "<Path>",
        "</Path>",
        "<Target>",
        "</Targets>",
        "unit=\"IOPS\"",
        "99999999999999999999",
        "-1",
        "*",
        "xmlns=''",
        " ",
        "\r\n",
    ];
    let piece = prop::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec());
    prop_oneof![
        (any::<usize>(), 1usize..40).prop_map(|(at, count)| Change::Remove(at, count)),
        (any::<usize>(), piece).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..4)).prop_map(|(at, b)| Change::Insert(at, b)),
        (any::<usize>(), 1usize..200).prop_map(|(at, count)| Change::Repeat(at, count)),
        (any::<usize>(), 1u8..).prop_map(|(at, mask)| Change::Flip(at, mask)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        rng_seed: RngSeed::Fixed(0x5eed),
        ..ProptestConfig::default()
    })]

    #[test]
    fn mutated_documents_are_judged_without_panic(
        index in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let documents: Vec<_> = documents().into_values().collect();
        let mut bytes = std::fs::read(index.get(&documents)).unwrap();
        changes.iter().for_each(|change| change.apply(&mut bytes));
        match read(&bytes) {
            Ok(profile) if validate(&profile, true).iter().all(|f| f.severity == Severity::Warning) => {
                prop_assert_eq!(read(super::written(&profile).as_bytes()), Ok(as_stated(&profile)));
            }
            Ok(_) => {}
            Err(error) => prop_assert!(!error.to_string().contains('\0')),
        }
    }

    #[test]
    fn arbitrary_bytes_are_judged_without_panic(bytes: Vec<u8>) {
        let _ = read(&bytes);
    }

    #[test]
    fn arbitrary_utf_16_is_judged_without_panic(units: Vec<u16>) {
        let bytes: Vec<u8> = [0xfeff].into_iter().chain(units).flat_map(u16::to_le_bytes).collect();
        let _ = read(&bytes);
    }
}
