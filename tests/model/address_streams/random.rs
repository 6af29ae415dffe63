//! The generator against DISKSPD's own output (`tests/data/random/random.txt`).

use diskspd::workload::Random;

const DATA: &str = include_str!("../../data/random/random.txt");

/// Returns the words of lines that start with `kind`, without the `key=` of settings.
fn lines(kind: &str) -> impl Iterator<Item = Vec<&'static str>> {
    DATA.lines().filter_map(move |line| line.strip_prefix(kind)?.strip_prefix(' ')).map(|line| {
        line.split_whitespace().map(|word| word.split_once('=').map_or(word, |(_, value)| value)).collect()
    })
}

#[test]
fn random_streams_match_vectors() {
    let mut count = 0;
    for line in lines("rand64") {
        let mut random = Random::new(line[0].parse().unwrap());
        for (i, word) in line[1..].iter().enumerate() {
            assert_eq!(format!("{:016x}", random.next_u64()), *word, "seed {}, number {i}", line[0]);
        }
        count += 1;
    }
    assert_eq!(count, 7);
}

#[test]
fn a_32_bit_number_is_the_low_half() {
    let (mut one, mut two) = (Random::new(42), Random::new(42));
    for _ in 0..100 {
        assert_eq!(u64::from(one.next_u32()), two.next_u64() & 0xffff_ffff);
    }
}

#[test]
fn percentage_draws_match_vectors() {
    let mut count = 0;
    for line in lines("boolratio") {
        let mut random = Random::new(line[0].parse().unwrap());
        let percent = line[1].parse().unwrap();
        let draws: String =
            line[2].chars().map(|_| if random.draw_percent(percent) { '1' } else { '0' }).collect();
        assert_eq!(draws, line[2], "seed {}, {percent} %", line[0]);
        count += 1;
    }
    assert_eq!(count, 8);
}

/// Memory aligned to 64 bytes.
#[repr(align(64))]
struct Aligned([u8; 1024]);

/// Content, and the next number of the generator.
#[test]
fn buffer_fills_match_vectors() {
    let mut count = 0;
    for line in lines("randbuffer") {
        let [seed, align, length] = [0, 1, 2].map(|i| line[i].parse::<usize>().unwrap());
        let mut memory = Aligned([0xee; 1024]);
        let buffer = &mut memory.0[align..align + length];
        let mut random = Random::new(seed as u64);
        match line[3] {
            "0" => random.fill(buffer),
            _ => random.fill_expanded(buffer),
        }
        let content: String = buffer.iter().map(|byte| format!("{byte:02x}")).collect();
        let (expected, next) = if length == 0 { ("", line[4]) } else { (line[4], line[5]) };
        assert_eq!(content, expected, "{line:?}");
        assert_eq!(format!("{:016x}", random.next_u64()), next, "{line:?}");
        let outside = memory.0[..align].iter().chain(&memory.0[align + length..]);
        assert!(outside.into_iter().all(|&byte| byte == 0xee), "{line:?}");
        count += 1;
    }
    assert_eq!(count, 180);
}
