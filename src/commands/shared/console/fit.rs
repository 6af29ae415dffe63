//! The live line fitted to one line of the terminal. A longer one would wrap, and leave a part behind at each
//! update.

use crate::sys::terminal::{width, width_of};
use crate::units::visible::drives;

const CELL_SEPARATOR: &str = " | ";
/// Minimum useful length of a shortened path in columns.
const MIN_PATH_LENGTH: usize = 8;

/// Returns the leading parts that fit, without padding if necessary. A part is never cut, because half a
/// figure is wrong, except the first if it does not fit.
pub(super) fn parts(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let mut line = line.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    while width(&line) > columns {
        match line.rfind(CELL_SEPARATOR) {
            Some(end) => line.truncate(end),
            None => return start(&line, columns),
        }
    }
    line
}

/// Returns `<before>'<path>'<behind>` with the path shortened to its end, or without it if too little
/// remains.
pub(super) fn path(before: &str, path: &str, behind: &str, columns: usize) -> String {
    let path: String = path.chars().map(|c| if drives(c) { '\u{fffd}' } else { c }).collect();
    let room = columns.saturating_sub(width(before) + width(behind) + "''".len());
    if width(&path) <= room {
        return format!("{before}'{path}'{behind}");
    }
    if room < MIN_PATH_LENGTH {
        return start(&format!("{}{behind}", before.trim_end()), columns);
    }
    let mut left = room - width_of('…');
    let fits = |c: &char| match left.checked_sub(width_of(*c)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let end: Vec<char> = path.chars().rev().take_while(fits).collect();
    format!("{before}'…{}'{behind}", end.iter().rev().collect::<String>())
}

fn start(text: &str, columns: usize) -> String {
    let mut taken = 0;
    let fits = |c: &char| {
        taken += width_of(*c);
        taken <= columns
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "measure      7 s left |        500 IOPS |      1.95 MiB/s | avg 0.108 ms | p99 0.099 ms";

    #[test]
    fn long_line_drops_padding_then_its_last_parts() {
        for (columns, expected) in [
            (87, LINE),
            (86, "measure 7 s left | 500 IOPS | 1.95 MiB/s | avg 0.108 ms | p99 0.099 ms"),
            (79, "measure 7 s left | 500 IOPS | 1.95 MiB/s | avg 0.108 ms | p99 0.099 ms"),
            (69, "measure 7 s left | 500 IOPS | 1.95 MiB/s | avg 0.108 ms"),
            (39, "measure 7 s left | 500 IOPS"),
            (16, "measure 7 s left"),
            (10, "measure 7 "),
            (0, ""),
        ] {
            assert_eq!(parts(LINE, columns), expected, "{columns}");
        }
    }

    #[test]
    fn shortened_path_keeps_its_end() {
        let cases = [
            ("/mnt/a.dat", 40, "creating '/mnt/a.dat': 1 of 2 MiB"),
            ("/mnt/a.dat", 33, "creating '/mnt/a.dat': 1 of 2 MiB"),
            ("/mnt/a.dat", 32, "creating '…nt/a.dat': 1 of 2 MiB"),
            ("/mnt/disk/of/a/long/name.dat", 36, "creating '…ong/name.dat': 1 of 2 MiB"),
            ("/mnt/a.dat", 30, "creating: 1 of 2 MiB"),
            ("/mnt/a.dat", 12, "creating: 1 "),
            ("/线线线线线线", 34, "creating '…线线线线线': 1 of 2 MiB"),
            ("/m\nt", 40, "creating '/m\u{fffd}t': 1 of 2 MiB"),
        ];
        for (name, columns, expected) in cases {
            let line = path("creating ", name, ": 1 of 2 MiB", columns);
            assert_eq!(line, expected, "{name} {columns}");
            assert!(width(&line) <= columns, "{name} {columns}");
        }
    }
}
