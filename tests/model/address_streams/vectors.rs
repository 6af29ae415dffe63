//! First I/Os of one thread, as DISKSPD's description states them: seed 0, blocks of 4 KiB, targets of 1 GiB.

use super::command::{Command, is_write};
use diskspd::workload::Random;

#[rustfmt::skip]
const VECTORS: &[(&str, u32, &str)] = &[
    ("-r", 0, "865058816 428027904 486690816 88510464 771170304"),
    ("-r -t2", 1, "218497024 676737024 715313152"),
    ("-r -w30", 0, "428027904 88510464W 819027968 1045860352 519360512"),
    ("-rs50", 0, "865058816 865062912 771170304 771174400 1045860352 1045864448 755654656 755658752"),
    ("-r -rdpct90/10:0/10:5/20", 0, "49774592 64262144 231276544 66056192 82477056"),
    ("-F1 -O1 -r -w100 one two weights=3,1", 0,
     "0:428027904W 0:88510464W 1:819027968W 0:1045860352W 0:519360512W 1:683659264W"),
];

#[test]
fn first_ios_match_vectors() {
    for (options, thread, expected) in VECTORS {
        let command = Command::parse(&format!("-b4K -c1G -o1 {options}"));
        let ios = command.ios(*thread, expected.split(' ').count());
        let show = |io: &diskspd::workload::NextIo| {
            let target = if expected.contains(':') { format!("{}:", io.target) } else { String::new() };
            format!("{target}{}{}", io.offset, if is_write(io) { "W" } else { "" })
        };
        assert_eq!(ios.iter().map(show).collect::<Vec<_>>().join(" "), *expected, "{options}");
    }
}

/// The seed of thread i is z + i.
#[test]
fn threads_have_consecutive_seeds() {
    let one = Command::parse("-b4K -c1G -r -w50 -t3 -z7");
    let two = Command::parse("-b4K -c1G -r -w50 -z9");
    assert_eq!(one.ios(2, 1000), two.ios(0, 1000));
    let (last, first) = (Command::parse("-c1G -r -t2 -z4294967295"), Command::parse("-c1G -r -z0"));
    assert_eq!(last.ios(1, 1000), first.ios(0, 1000), "32 bits, then from 0");
}

/// Without a floating pool, requests belong to targets in order, and no target is drawn.
#[test]
fn requests_belong_to_targets() {
    let ios = Command::parse("-b4K -c1G -F1 -o2 -s one two three").ios(0, 12);
    let ios: Vec<(u32, u64)> = ios.iter().map(|io| (io.target, io.offset / 4096)).collect();
    let expected = [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2].into_iter().zip([0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3]);
    assert_eq!(ios, expected.collect::<Vec<_>>());
}

/// A floating pool with one target does not draw a target.
#[test]
fn single_floating_target_draws_no_number() {
    let floating = Command::parse("-b4K -c1G -r -w50 -F1 -O4").ios(0, 100);
    assert_eq!(floating, Command::parse("-b4K -c1G -r -w50").ios(0, 100));
}

#[test]
fn write_slices_match_vectors() {
    let with = Command::parse("-b4K -c1G -r -w100 -Z10000").ios(0, 10_000);
    assert!(with.iter().all(|io| io.slice <= 10_000 - 4096));
    let places: std::collections::BTreeSet<u32> = with.iter().map(|io| io.slice).collect();
    assert!(places.len() > 4000, "{} of 5905 places", places.len());
    let reads = Command::parse("-b4K -c1G -r -Z10000").ios(0, 100);
    assert_eq!(reads, Command::parse("-b4K -c1G -r").ios(0, 100));
}

#[rustfmt::skip]
const FRESH: &[(usize, usize, usize)] = &[
    // A word each, the last one cut.
    (8, 0, 1), (9, 0, 2), (128, 0, 16), (135, 0, 17),
    // 16 words of 5 numbers where another one follows.
    (136, 0, 6), (137, 0, 7), (264, 0, 11), (512, 0, 31), (4096, 0, 171),
    // One more for the first bytes of an address that is odd.
    (1, 3, 1), (3, 3, 1), (4, 3, 2), (139, 3, 7), (4096, 5, 172),
];

#[test]
fn fresh_content_shifts_later_draws() {
    for &(block, odd, numbers) in FRESH {
        let mut filled = Random::new(1);
        let mut memory = vec![0u8; block + 16];
        let start = (odd + 8 - memory.as_ptr().addr() % 8) % 8;
        filled.fill_expanded(&mut memory[start..start + block]);
        let mut counted = Random::new(1);
        for _ in 0..numbers {
            counted.next_u64();
        }
        assert!(filled == counted, "-b{block} at {odd}");
    }
    // The first position, 171 numbers of content, the second position.
    let mut random = Random::new(0);
    let mut position = || random.next_u64() % (1 << 30) / 4096 * 4096;
    let first = position();
    for _ in 0..171 {
        position();
    }
    let with = Command::parse("-b4K -c1G -r -w100 -Zr").offsets(0, 2);
    assert_eq!(with, [first, position()]);
    let reads = Command::parse("-b4K -c1G -r -Zr").ios(0, 100);
    assert_eq!(reads, Command::parse("-b4K -c1G -r").ios(0, 100), "reads carry nothing");
}

#[test]
fn odd_block_content_depends_on_slot_position() {
    let one = Command::parse("-b137 -c1000000 -r1 -w100 -Zr -o1").ios(0, 2);
    let two = Command::parse("-b137 -c1000000 -r1 -w100 -Zr -o2").ios(0, 2);
    assert_eq!(one[0], two[0]);
    assert_ne!(one[1].offset, two[1].offset, "at 137 mod 8 = 1, and at 274 mod 8 = 2");
}
