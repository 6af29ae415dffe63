//! Positions of a file's extents on its device.

use super::*;

/// Contiguous piece of a file on the device of its file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceExtent {
    pub from: u64,
    pub at: u64,
    pub length: u64,
}

/// Returns the device positions of a file below `size`, in file order, at most `most`. Pieces without a
/// known position (holes, compressed data or data only in memory) are omitted.
///
/// # Errors
/// Fails with the kernel's error; `EOPNOTSUPP` and `ENOTTY` if the file system does not support it.
pub fn places(file: impl AsFd, size: u64, most: usize) -> io::Result<Vec<DeviceExtent>> {
    let mut found = Vec::new();
    let mut covered = 0;
    while covered < size && found.len() < most {
        let map = fetch_extents(file.as_fd(), covered, size, 0)?;
        let extents = map.extents.get(..map.header.mapped as usize).unwrap_or_default();
        let known = extents.iter().filter(|extent| extent.flags & EXTENT_ELSEWHERE == 0);
        found.extend(known.map(|extent| DeviceExtent {
            from: extent.logical,
            at: extent.physical,
            length: extent.length,
        }));
        let Some(last) = extents.last().filter(|last| last.flags & EXTENT_LAST == 0) else { break };
        let end = last.logical.saturating_add(last.length);
        if end <= covered {
            break;
        }
        covered = end;
    }
    found.truncate(most);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_ranges_have_extents() {
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, &[1; 20_000]).expect("written");
        file.sync_all().expect("synced");
        match places(&file, 20_000, 100) {
            Ok(found) => {
                let covered: u64 = found.iter().map(|place| place.length).sum();
                assert!(found.is_empty() || covered >= 20_000, "{found:?}");
            }
            Err(error) => assert!(cannot_tell(&error), "{error}"),
        }
        assert_eq!(places(&file, 0, 100).ok(), Some(Vec::new()));
    }
}
