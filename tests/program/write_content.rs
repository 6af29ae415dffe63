//! Tests of the content of writes, read back from the target, and of the randomness of random content.

#![allow(clippy::unwrap_used)]

use crate::common::{calm_diskspd, directory, directory_with, diskspd, side_by_side};
use diskspd::cli::{self, Invocation};
use diskspd::engines::Direction;
use diskspd::profile::validate;
use diskspd::workload::{Assignment, Pattern, Random, TargetWorkload, ThreadWorkload};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

const BLOCK: usize = 4096;

fn written(line: &str, file: &Path) -> Vec<u8> {
    std::fs::write(file, vec![0xee; 1 << 20]).unwrap();
    let size = if line.contains("--bs-split") { "" } else { "-b4K" };
    diskspd(&format!("{size} {line} BRIEF {{}}"), file).report();
    std::fs::read(file).unwrap()
}

fn blocks(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.chunks(BLOCK).filter(|block| **block != [0xee; BLOCK])
}

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
fn pattern_continues_from_read_to_write_slots_on_disk() {
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
        let line = format!("-b{block} -o{requests} {line} BRIEF {{}}");
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
fn fresh_content_differs_in_every_sector() {
    let directory = directory();
    side_by_side(WAYS, |way| {
        let content = written(&format!("{way} -w100 -r -t2 -Zr"), &directory.path().join(way));
        let sectors: Vec<&[u8]> = blocks(&content).flat_map(|block| block.chunks(512)).collect();
        assert!(sectors.len() > 8 * 200, "{way}: most blocks were written");
        assert_eq!(sectors.iter().collect::<HashSet<_>>().len(), sectors.len(), "{way}: a sector repeats");
    });
}

struct Model {
    workload: ThreadWorkload,
    content: Vec<u8>,
    slot: usize,
}

impl Model {
    fn new(seed: u64, block: u32, write_ratio: u32, size: usize) -> Model {
        let workload = TargetWorkload {
            block_size: block,
            stride: 1,
            base: 0,
            region: size as u64,
            first: 0,
            pattern: Pattern::Random,
            write_ratio,
            distribution: None,
            spread: None,
            weight: 1,
            each_once: false,
            portion: None,
        };
        let assignment = Assignment { workload: &workload, requests: 1, interlocked: Arc::default() };
        let workload = ThreadWorkload::new(seed, false, &[assignment]);
        Model { workload, content: vec![0xee; size], slot: block as usize % 8 }
    }

    fn next(&mut self) -> (u64, bool) {
        let io = self.workload.next(0);
        let write = io.direction == Direction::Write;
        if write {
            let length = io.length as usize;
            let mut memory = vec![0; length + 8];
            let start = (self.slot + 8 - memory.as_ptr().addr() % 8) % 8;
            let slot = &mut memory[start..start + length];
            self.workload.generator().fill_expanded(slot);
            self.content[io.offset as usize..][..length].copy_from_slice(slot);
        }
        (io.offset, write)
    }
}

fn logged(log: &Path) -> BTreeMap<u64, Vec<(u64, bool)>> {
    let mut threads = BTreeMap::<_, Vec<_>>::new();
    for line in std::fs::read_to_string(log).unwrap().lines().skip(1).filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split(',').collect();
        let io = (columns[3].parse().unwrap(), columns[2].starts_with('w'));
        threads.entry(columns[0].parse().unwrap()).or_default().push(io);
    }
    threads
}

#[test]
fn fresh_content_and_addresses_share_the_generator() {
    const SIZE: usize = 300_000;
    let directory = directory();
    let cases = [("-b4096", 4096, 100), ("-b1001", 1001, 60), ("-b137 -Sm", 137, 50), ("-b9 -Sw", 9, 80)];
    side_by_side(cases, |(way, block, share)| {
        let paths = ["one", "two", "log"].map(|name| directory.path().join(format!("{block}{name}")));
        let [one, two, log] = &paths;
        [one, two].iter().for_each(|path| std::fs::write(path, vec![0xee; SIZE]).unwrap());
        let files = format!("{} {{}}", one.display());
        let line =
            format!("{way} -o1 -r1 -w{share} -Zr -z5 -g300i -W0 -d1 --io-log {} {files}", log.display());
        diskspd(&line, two).report();
        let logged = logged(log);
        for (thread, path) in (0..).zip([one, two]) {
            let mut model = Model::new(5 + thread, block, share, SIZE);
            let ios: Vec<(u64, bool)> = logged[&thread].iter().map(|_| model.next()).collect();
            assert!(ios.len() > 10 && ios == logged[&thread], "{line}");
            let content = std::fs::read(path).unwrap();
            // One more may have ended too late to be logged.
            let before = model.content.clone();
            model.next();
            assert!(content == before || content == model.content, "{line}: {}", path.display());
        }
    });
}

#[test]
fn simulated_and_real_addresses_agree_with_fresh_content() {
    let directory = directory();
    for (way, block, share) in [("-b512 -g1000i", 512, 100), ("-b1001 -g500i", 1001, 30)] {
        let log = directory.path().join("log");
        let line =
            format!("{way} -o1 -r1 -w{share} -Zr -c1M -W0 -d1 --engine sim --io-log {}", log.display());
        diskspd(&format!("{line} {{}}"), &directory.path().join("none")).report();
        let mut model = Model::new(0, block, share, 1 << 20);
        let ios = logged(&log).remove(&0).unwrap();
        assert!(ios.len() > 400, "{line}");
        assert!(ios.iter().all(|io| model.next() == *io), "{line}");
    }
}

#[test]
fn source_is_read_from_all_locations() {
    let (directory, source) = directory_with("source");
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
        ("-o8 -t2 --bs-split 4K/60:8K/30:64K/10", 1),
        ("-o8 -t2 -Su --bs-split 4K/50:60K/50", 512),
        // Copies of two threads to the same block would get mixed.
        ("-o4 -Sm", 1),
        ("-o1 -Smw -w50", 1),
    ];
    side_by_side(ways, |(way, alignment)| {
        let file = directory.path().join(way.replace('/', "_"));
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
fn short_empty_and_random_sources_are_handled() {
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

/// Returns the bytes of many writes with an odd size.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut content = vec![0; bytes];
    content.chunks_mut(4000).for_each(|write| random.fill_expanded(write));
    content
}

#[test]
fn random_content_is_incompressible() {
    let content = noise(0, 1 << 20);
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
fn threads_write_different_random_content() {
    let sectors = |seed| noise(seed, 1 << 16).chunks(512).map(<[u8]>::to_vec).collect::<HashSet<_>>();
    let mut all = HashSet::new();
    (0..64).for_each(|seed| all.extend(sectors(seed)));
    assert_eq!(all.len(), 64 * 128);
    assert_eq!(noise(7, 4096), noise(7, 4096), "the same seed writes the same");
}

#[test]
fn real_compressor_confirms_requested_ratio() {
    let directory = directory();
    let (file, packed) = (directory.path().join("noise"), directory.path().join("packed"));
    std::fs::write(&file, noise(3, 2 << 20)).unwrap();
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
            eprintln!("not tried, it is not installed: {tool}");
            continue;
        }
        assert!(std::fs::metadata(&packed).unwrap().len() >= 2 << 20, "{tool} compresses it");
    }
}

#[test]
fn written_content_has_requested_reduction() {
    let directory = directory();
    side_by_side(WAYS, |way| {
        let file = directory.path().join(way);
        // Reads in between bring 0xee, and must not leak into a write.
        let content = written(&format!("{way} -w60 -r --compress 60 --dedupe 25"), &file);
        assert!(blocks(&content).count() > 0, "{way}");
        for block in blocks(&content) {
            let zeros = block.iter().rev().take_while(|&&byte| byte == 0).count();
            assert!((2458..2470).contains(&zeros), "{way}: {zeros} bytes are saved");
        }
    });
}

#[test]
fn options_incompatible_with_content_are_refused() {
    for (line, rules) in [
        ("--compress 60 -w1", &[] as &[&str]),
        ("--dedupe 25 -w1 -b512", &[]),
        ("--compress 60", &["C2"]),
        ("--compress 60 -w1 -Z", &["C1"]),
        ("--dedupe 60 -w1 -Zr", &["C1"]),
        ("--compress 60 -w1 -Z1M", &["C1"]),
        ("--compress 60 -w1 -b511", &["C3"]),
    ] {
        let words = format!("diskspd {line} f.dat");
        let arguments: Vec<_> = words.split_whitespace().map(Into::into).collect();
        let Ok(Invocation::Run(request)) = cli::parse(&arguments) else { unreachable!("{line}") };
        let found = validate::validate(&request.profile, false);
        assert_eq!(found.iter().map(|found| found.name).collect::<Vec<_>>(), rules, "{line}");
    }
}
