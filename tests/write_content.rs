//! What writes carry, read back from the target; and that random content is random.

#![allow(clippy::unwrap_used)]

use crate::common::{calm_diskspd, directory, diskspd, side_by_side};
use diskspd::sys::memory::SlotMut;
use diskspd::workload::payload::Noise;
use std::collections::HashSet;
use std::path::Path;

const BLOCK: usize = 4096;

/// A target of 0xee, worked on by `line`, and what it holds then.
fn written(line: &str, file: &Path) -> Vec<u8> {
    std::fs::write(file, vec![0xee; 1 << 20]).unwrap();
    diskspd(&format!("-b4K {line} -W0 -d1 {{}}"), file).report();
    std::fs::read(file).unwrap()
}

/// The blocks that were written to.
fn blocks(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.chunks(BLOCK).filter(|block| **block != [0xee; BLOCK])
}

/// Queue depths and targets' caching: whatever order completions take, slots belong to requests.
const WAYS: [&str; 7] = ["-o1", "-o8", "-o32 -L", "-o16 -Su", "-o8 -x", "-o4 -Sm", "-o1 -Smw"];

#[test]
fn the_pattern_and_zeros_survive_reads_in_between() {
    let directory = directory();
    let pattern: Vec<u8> = (0..BLOCK).map(|i| i as u8).collect();
    side_by_side(WAYS, |way| {
        let file = directory.path().join(way);
        // Sequential first, so that every read that could leak into a write brings 0xee along.
        for mix in ["-w50 -r", "-w100 -s"] {
            let content = written(&format!("{way} {mix}"), &file);
            assert!(blocks(&content).count() > 0);
            assert!(blocks(&content).all(|block| block == pattern), "{way} {mix}");
            let content = written(&format!("{way} {mix} -Z"), &file);
            assert!(blocks(&content).all(|block| block == [0; BLOCK]), "{way} {mix} -Z");
        }
    });
}

#[test]
fn the_pattern_counts_on_from_the_read_slots_to_the_write_slots() {
    let directory = directory();
    // 1000 bytes of read slots end with 0xe7, three times as many with 0xb7.
    let cases = [
        (1000, 1, 0xe8u8, "-w100"),
        (1000, 1, 0xe8, "-w50 -r"),
        (1000, 1, 0xe8, "-w100 -Sm"),
        (1000, 3, 0xb8, "-w100 -r"),
        (1000, 3, 0xb8, "-w30 -rs50 -L"),
        (1000, 3, 0xb8, "-w100 -F1 -O3"),
        (100, 2, 0xc8, "-w100 -p"),
        (768, 3, 0x00, "-w100"),
    ];
    side_by_side(cases.into_iter().enumerate(), |(number, (block, requests, first, line))| {
        let file = directory.path().join(number.to_string());
        std::fs::write(&file, vec![0xee; 60_000]).unwrap();
        let line = format!("-b{block} -o{requests} {line} -W0 -d1 {{}}");
        assert!(calm_diskspd(&line, &file).report().total("Write IO").ios > 0);
        let slot = |n: usize| (0..block).map(move |i| first.wrapping_add((n * block + i) as u8));
        let content = std::fs::read(&file).unwrap();
        for written in content.chunks(block).filter(|c| c.iter().any(|&byte| byte != 0xee)) {
            let known = (0..requests).any(|n| slot(n).eq(written.iter().copied()));
            assert!(known, "{line}: {:x?} ...", &written[..8]);
        }
    });
}

#[test]
fn fresh_content_is_different_in_every_sector_of_every_thread() {
    let directory = directory();
    side_by_side(WAYS, |way| {
        let content = written(&format!("{way} -w100 -r -t2 -Zr"), &directory.path().join(way));
        let sectors: Vec<&[u8]> = blocks(&content).flat_map(|block| block.chunks(512)).collect();
        assert!(sectors.len() > 8 * 200, "{way}: most blocks were written");
        assert_eq!(sectors.iter().collect::<HashSet<_>>().len(), sectors.len(), "{way}: a sector repeats");
    });
}

#[test]
fn a_source_is_sent_from_all_its_places() {
    let directory = directory();
    let source = directory.path().join("source");
    // Every place of the source tells where it is.
    let content: Vec<u8> = (0..1u32 << 15).flat_map(|i| (i * 4).to_le_bytes()).collect();
    std::fs::write(&source, &content).unwrap();
    let ways = [
        ("-o1 -t2", 1),
        ("-o8 -t2", 1),
        ("-o8 -t2 -L -w50", 1),
        ("-o16 -t2 -Su", 512),
        ("-o8 -t2 -x -Su", 512),
        ("-o8 -t2 --engine aio -Su", 512),
        // Copies of two threads to the same block would get mixed.
        ("-o4 -Sm", 1),
        ("-o1 -Smw -w50", 1),
    ];
    side_by_side(ways, |(way, alignment)| {
        let file = directory.path().join(way);
        let line = format!("-w100 {way} -r -Z128K,{}", source.display());
        let places: HashSet<usize> = blocks(&written(&line, &file))
            .map(|block| {
                // The second whole number of a slice is in sight even if it begins in the middle of one.
                let find = |shift: usize| {
                    let number = u32::from_le_bytes(block[shift..shift + 4].try_into().unwrap()) as usize;
                    number.checked_sub(shift).filter(|at| content.get(*at..at + BLOCK) == Some(block))
                };
                (0..4).find_map(find).unwrap_or_else(|| panic!("{way}: not a slice of the source"))
            })
            .collect();
        assert!(places.iter().all(|place| place.is_multiple_of(alignment)), "{way}");
        assert!(places.len() > 50, "{way}: {} places", places.len());
        assert!(
            *places.iter().max().unwrap() > 100 << 10 && *places.iter().min().unwrap() < 28 << 10,
            "{way}"
        );
    });
}

#[test]
fn short_and_empty_files_and_random_sources() {
    let directory = directory();
    let (file, source) = (directory.path().join("test.dat"), directory.path().join("source"));
    std::fs::write(&source, "abc").unwrap();
    let content = written(&format!("-w100 -o4 -Z64K,{}", source.display()), &file);
    assert!(blocks(&content).all(|block| block.windows(4).all(|w| w[0] == w[3] && b"abc".contains(&w[0]))));
    std::fs::write(&source, "").unwrap();
    let content = written(&format!("-w100 -o4 -Zr -Z64K,{}", source.display()), &file);
    assert!(blocks(&content).all(|block| block == [0; BLOCK]), "a source goes before fresh content");
    // One that holds a single place shows its content: the same in every run and for every thread.
    let first = written("-w100 -o4 -t2 -Z4K", &file);
    let second = written("-w100 -o4 -Z -Z4K", &file);
    let block = blocks(&first).next().unwrap();
    assert!(blocks(&first).chain(blocks(&second)).all(|other| other == block));
    assert!(block.chunks(8).collect::<HashSet<_>>().len() == BLOCK / 8);
}

/// Bytes of many writes of an odd size.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut noise = Noise::new(seed);
    let mut content = vec![0; bytes];
    content.chunks_mut(4000).for_each(|write| SlotMut::from(write).fill_with(|| noise.next_piece()));
    content
}

#[test]
fn noise_has_nothing_for_a_compressor() {
    let content = noise(0, 4 << 20);
    // Nothing to refer back to: no 8 bytes occur twice, wherever they begin.
    let mut seen = HashSet::with_capacity(content.len());
    let repeated =
        content.windows(8).filter(|w| !seen.insert(u64::from_le_bytes((*w).try_into().unwrap()))).count();
    assert_eq!(repeated, 0);
    // No byte is more frequent than others: within five sigma.
    let mut counts = [0f64; 256];
    content.iter().for_each(|&byte| counts[usize::from(byte)] += 1.0);
    let mean = content.len() as f64 / 256.0;
    assert!(counts.iter().all(|count| (count - mean).abs() < 5.0 * mean.sqrt()), "{counts:?}");
}

#[test]
fn threads_have_noise_of_their_own() {
    let sectors = |seed| noise(seed, 1 << 16).chunks(512).map(<[u8]>::to_vec).collect::<HashSet<_>>();
    let mut all = HashSet::new();
    (0..64).for_each(|seed| all.extend(sectors(seed)));
    assert_eq!(all.len(), 64 * 128);
    assert_eq!(noise(7, 4096), noise(7, 4096), "the same seed writes the same");
}

#[test]
fn a_compressor_agrees() {
    let directory = directory();
    let (file, packed) = (directory.path().join("noise"), directory.path().join("packed"));
    std::fs::write(&file, noise(3, 8 << 20)).unwrap();
    for tool in ["zstd -q -9 -f -o", "gzip -9 -c"] {
        let line = match tool {
            t if t.starts_with("zstd") => format!("{t} {} {}", packed.display(), file.display()),
            _ => format!("sh {}", {
                let script = directory.path().join("gzip.sh");
                std::fs::write(&script, format!("gzip -9 -c {} > {}", file.display(), packed.display()))
                    .unwrap();
                script.display().to_string()
            }),
        };
        if crate::common::tool(&line).is_none() {
            eprintln!("not tried, it isn't installed: {tool}");
            continue;
        }
        assert!(std::fs::metadata(&packed).unwrap().len() >= 8 << 20, "{tool} compresses it");
    }
}
