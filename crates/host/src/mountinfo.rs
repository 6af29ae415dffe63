//! The mounts in `/proc/self/mountinfo`.

use super::device_number::{DeviceNumber, parse_number};
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// Mount ID, the same as `mnt_id` of an open file.
    pub id: u32,
    /// Device number of the file system, which also exists without a device.
    pub number: DeviceNumber,
    pub root: String,
    pub at: String,
    pub file_system: String,
    pub source: String,
    /// Options of the mount and of the file system, joined by commas.
    pub options: String,
}

/// The mounts, in the order they were made; lines that say something else are left out.
///
/// A line is `id parent major:minor root at options [tags ..] - type source options`.
pub(super) fn parse(text: &str) -> impl Iterator<Item = Mount> + '_ {
    text.lines().filter_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ');
        let id = place.next()?.parse().ok()?;
        let mut place = place.skip(1);
        let mut kind = kind.split(' ');
        let mut mount = Mount {
            id,
            number: parse_number(place.next()?)?,
            root: unescape(place.next()?),
            at: unescape(place.next()?),
            file_system: kind.next()?.to_owned(),
            source: unescape(kind.next().unwrap_or_default()),
            options: place.next().unwrap_or_default().to_owned(),
        };
        if let Some(of_file_system) = kind.next() {
            mount.options = format!("{},{}", mount.options, of_file_system.trim());
        }
        Some(mount)
    })
}

pub(super) fn holding<'a>(mounts: &'a [Mount], place: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| place.starts_with(&mount.at))
        .max_by_key(|mount| Path::new(&mount.at).components().count())
}

/// Returns type and source of the file system of an existing path, as in mount(8); `None` = unknown.
pub fn mounted(path: &Path) -> Option<(String, String)> {
    let text = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mounts: Vec<Mount> = parse(&text).collect();
    let mount = holding(&mounts, &std::fs::canonicalize(path).ok()?)?;
    Some((mount.file_system.clone(), format!("{} {}", mount.source, mount.root)))
}

/// Decodes the kernel's escapes such as `\040` for a space.
pub(super) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let octal = match rest {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
            }
            _ => None,
        };
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { rest.get(4..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_of_the_kernel_are_undone() {
        for (text, expected) in
            [("/mnt", "/mnt"), ("/a\\040b\\134", "/a b\\"), ("\\9", "\\9"), ("\\04", "\\04"), ("", "")]
        {
            assert_eq!(unescape(text), expected);
        }
    }
}
