//! Tables of cases.

/// Returns the rows of a table, split into columns; comments are left out.
pub fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| line.split(" | ").map(str::trim).collect()).collect()
}
