//! Sizes as reports print them.

/// Parses `65536`, `64KiB`, `512B` to bytes; `None` for rounded sizes (`1.95MiB`).
pub(super) fn bytes(printed: &str) -> Option<u64> {
    let digits = printed.find(|c: char| !c.is_ascii_digit()).unwrap_or(printed.len());
    let number: u64 = printed[..digits].parse().ok()?;
    let bits = match &printed[digits..] {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        "PiB" => 50,
        _ => return None,
    };
    number.checked_mul(1 << bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_sizes_are_unknown() {
        let table = [
            ("0", Some(0)),
            ("65536", Some(65536)),
            ("512B", Some(512)),
            ("64KiB", Some(65536)),
            ("2PiB", Some(2 << 50)),
            ("1.95MiB", None),
            ("KiB", None),
            ("", None),
            ("99999999999999999TiB", None),
            ("-1", None),
        ];
        for (printed, expected) in table {
            assert_eq!(bytes(printed), expected, "{printed}");
        }
    }
}
