//! Patterns not expanded by the shell, as on Windows: `*` and `?` in the last part of a path.

use std::io;
use std::path::{Path, PathBuf};

/// Returns the sorted files that match a pattern; `None` if the path is not a pattern.
pub(crate) fn matching(path: &Path) -> Option<io::Result<Vec<PathBuf>>> {
    let pattern = path.file_name().unwrap_or_default().as_encoded_bytes();
    pattern.iter().any(|byte| b"*?".contains(byte)).then(|| list_matches(folder(path), pattern))
}

pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn list_matches(folder: &Path, pattern: &[u8]) -> io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let is_one =
        |path: &PathBuf| fits_pattern(pattern, path.file_name().unwrap_or_default().as_encoded_bytes());
    let mut found: Vec<PathBuf> = paths.filter(is_one).collect();
    found.sort();
    Ok(found)
}

fn fits_pattern(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, _) => name.is_empty(),
        (Some((b'*', rest)), _) => (0..=name.len()).any(|taken| fits_pattern(rest, &name[taken..])),
        (Some((b'?', rest)), Some((_, name))) => fits_pattern(rest, name),
        (Some((wanted, rest)), Some((found, name))) => wanted == found && fits_pattern(rest, name),
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_shell_globs() {
        for (pattern, name, expected) in [
            ("*.json", "a.json", true),
            ("*.json", "a.xml", false),
            ("run-?.json", "run-7.json", true),
            ("run-?.json", "run-17.json", false),
            ("a*b*c", "aXbYbZc", true),
            ("a", "ab", false),
        ] {
            assert_eq!(fits_pattern(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }
}
