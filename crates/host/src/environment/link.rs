//! The PCI Express link of a disk or its controller.

use crate::root::{number, text};
use diskspd_machine::environment::Link;
use std::path::Path;

/// Returns the link of a PCI function; `None` if it is not reported (virtual functions return `Unknown`).
pub(super) fn read_link(function: &Path) -> Option<Link> {
    let speed = |file: &str| mega_transfers(&text(&function.join(file))?);
    let width = |file: &str| number::<u64>(&function.join(file)).filter(|&width| (1..=32).contains(&width));
    Some(Link {
        speed: speed("current_link_speed")?,
        width: width("current_link_width")?,
        max_speed: speed("max_link_speed")?,
        max_width: width("max_link_width")?,
    })
}

/// Parses a speed such as `16.0 GT/s PCIe`.
fn mega_transfers(text: &str) -> Option<u64> {
    let (giga, _) = text.split_once(" GT/s")?;
    let (whole, tenth) = giga.split_once('.').unwrap_or((giga, "0"));
    let tenth: u64 = tenth.get(..1)?.parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(tenth * 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_speeds_of_old_and_new_kernels_are_read() {
        for (text, expected) in [
            ("16.0 GT/s PCIe", Some(16_000)),
            ("2.5 GT/s PCIe", Some(2_500)),
            ("8 GT/s", Some(8_000)),
            ("Unknown", None),
            ("x GT/s", None),
            ("8. GT/s", None),
            ("99999999999999999999 GT/s", None),
        ] {
            assert_eq!(mega_transfers(text), expected, "{text}");
        }
    }
}
