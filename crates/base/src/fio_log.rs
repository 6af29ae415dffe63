//! Result logs of fio (`write_lat_log`, `write_bw_log`, `write_iops_log`), which readers of other formats
//! refuse.

/// Whether a line belongs to a log: `time (ms), value, direction, size[, offset[, priority]]`.
pub fn is_log_line(line: &str) -> bool {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    (4..=7).contains(&cells.len()) && cells.iter().all(|cell| cell.parse::<u64>().is_ok())
}
