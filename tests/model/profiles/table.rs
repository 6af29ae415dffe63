//! Tables of cases.

/// The rows of a table: lines but comments, split into their columns.
pub fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| line.split(" | ").map(str::trim).collect()).collect()
}
