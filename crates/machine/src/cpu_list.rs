//! Lists of CPUs in the kernel's format.

/// Parses a list in the kernel's form: `0-3,8,10-11`. Invalid parts are skipped.
pub fn cpu_list(text: &str) -> Vec<u32> {
    let mut cpus: Vec<u32> = text.split(',').flat_map(parse_range).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// Maximum number of CPUs: 64 in each group, whose number has 16 bits.
const CPU_LIMIT: u32 = 64 << 16;

fn parse_range(text: &str) -> std::ops::Range<u32> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last && last < CPU_LIMIT => first..last + 1,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists_are_read_as_the_kernel_prints_them() {
        for (text, expected) in [
            ("0-3", vec![0, 1, 2, 3]),
            ("0,4", vec![0, 4]),
            ("8-9,0,2-3\n", vec![0, 2, 3, 8, 9]),
            ("0-1,1-2", vec![0, 1, 2]),
            ("", vec![]),
            ("3-1", vec![]),
            ("x,5,-", vec![5]),
            ("0-4294967295", vec![]),
        ] {
            assert_eq!(cpu_list(text), expected, "{text:?}");
        }
    }
}
