//! Fingerprints of whole streams (`tests/data/fingerprints.txt`). A change of any address, direction or target of the
//! first 10,000 I/Os of a thread changes its fingerprint: runs with the same seed would no longer be comparable.

use super::command::{Command, Thread, is_write};
use diskspd::workload::NextIo;

const FINGERPRINTS: &str = include_str!("../../data/fingerprints.txt");
const IOS: usize = 10_000;

/// FNV-1a, 64 bits.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn fingerprint(ios: &[NextIo]) -> u64 {
    fnv1a(ios.iter().flat_map(bytes))
}

fn bytes(io: &NextIo) -> impl Iterator<Item = u8> {
    io.target.to_le_bytes().into_iter().chain([u8::from(is_write(io))]).chain(io.offset.to_le_bytes())
}

fn fingerprints(options: &str) -> String {
    let mut threads = Command::parse(options).threads();
    let mut ios = vec![Vec::with_capacity(IOS); threads.len()];
    for _ in 0..IOS {
        for (thread, ios) in threads.iter_mut().zip(&mut ios) {
            ios.extend(thread.next());
        }
    }
    let hashes: Vec<String> = ios.iter().map(|ios| format!("{:016x}", fingerprint(ios))).collect();
    hashes.join(" ")
}

#[test]
fn address_streams_are_unchanged() {
    let mut changed = Vec::new();
    let mut count = 0;
    for (number, line) in (1..).zip(FINGERPRINTS.lines()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (options, expected) = line.split_once(" = ").unwrap_or((line, ""));
        let actual = fingerprints(options);
        if actual != expected {
            changed.push(format!("line {number} should read: {options} = {actual}"));
        }
        count += 1;
    }
    assert!(changed.is_empty(), "address streams have changed:\n{}", changed.join("\n"));
    assert!(count >= 40, "{count} lines");
}

/// One line per command line: a hash of 200 I/Os, and of the bytes of each write among them.
const CONTENT: &str = include_str!("../../data/fingerprints-of-content.txt");

fn content_fingerprints(options: &str) -> String {
    let fingerprint = |mut thread: Thread| {
        let ios = std::iter::repeat_with(|| thread.next().map(|io| (io, thread.content.clone())));
        let ios = ios.flatten().take(200);
        fnv1a(ios.flat_map(|(io, content)| {
            let carried = if is_write(&io) { content } else { Vec::new() };
            bytes(&io).chain(carried).collect::<Vec<u8>>()
        }))
    };
    let threads = Command::parse(options).threads().into_iter();
    threads.map(|thread| format!("{:016x}", fingerprint(thread))).collect::<Vec<_>>().join(" ")
}

#[test]
fn fresh_content_is_unchanged() {
    let lines = CONTENT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| line.split_once(" = ").unwrap_or((line, "")));
    let rows = rows.map(|(options, expected)| (options, expected, content_fingerprints(options)));
    let changed = rows.filter(|(_, expected, actual)| expected != actual);
    let changed: Vec<String> = changed.map(|(options, _, actual)| format!("{options} = {actual}")).collect();
    assert!(changed.is_empty(), "the lines should read:\n{}", changed.join("\n"));
}

#[test]
fn stream_hash_covers_every_field() {
    assert_eq!(fnv1a(b"a".iter().copied()), 0xaf63_dc4c_8601_ec8c, "the published value");
    let io = Command::parse("-c1M -b4K").ios(0, 1)[0];
    let others = [
        NextIo { target: 1, ..io },
        NextIo { offset: 1, ..io },
        NextIo { direction: diskspd::engines::Direction::Write, ..io },
    ];
    assert!(others.iter().all(|other| fingerprint(&[*other]) != fingerprint(&[io])));
    assert_ne!(fingerprint(&[io, others[0]]), fingerprint(&[others[0], io]));
}
