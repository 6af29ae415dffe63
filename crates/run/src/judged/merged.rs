//! The storage of a program as one target: the kernel counts its I/O by process, not by file.

use diskspd_host::process_tree::OpenFiles;
use diskspd_machine::stack::Stack;
use diskspd_profile::RawText;
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_sys::page_cache;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Maximum number of files with counted dirty pages, and the time limit.
const MAX_FILES: usize = 64;
const MAX_WAIT: Nanos = SECOND / 2;

pub(super) struct Merged {
    pub stack: Stack,
    pub path: RawText,
    pub paths: Vec<RawText>,
    /// Bytes of written files that are still only in memory at the end; `None` = unknown.
    pub unwritten: Option<u64>,
}

/// Merges the targets, or the files that the processes opened.
pub(super) fn join(files: &OpenFiles, named: &[Stack], targets: &[RawText]) -> Merged {
    let without_device = files.deviceless_stacks();
    let stacks: Vec<&Stack> = match named.is_empty() {
        false => named.iter().collect(),
        true if !files.stacks().is_empty() => files.stacks(),
        true => without_device,
    };
    let paths: Vec<RawText> = match targets.is_empty() {
        false => targets.to_vec(),
        true => self::paths(files),
    };
    let written = files.files().into_iter().filter(|file| file.written).take(MAX_FILES);
    let unwritten = dirty(written.map(|file| file.path.as_path()));
    Merged { stack: join_stacks(&stacks), path: common(&paths), paths, unwritten }
}

pub(super) fn join_stacks(stacks: &[&Stack]) -> Stack {
    let with_devices: Vec<&&Stack> = stacks.iter().filter(|stack| stack.no_device_reason.is_none()).collect();
    let Some(first) = with_devices.first() else {
        let nothing = || Stack::without("no process was seen with a file or device open; name the targets");
        return stacks.first().map_or_else(nothing, |stack| (*stack).clone());
    };
    let mut all: Stack = (**first).clone();
    for stack in with_devices.iter().skip(1) {
        all.file_system = all.file_system.take().or_else(|| stack.file_system.clone());
        for name in &stack.top_devices {
            if !all.top_devices.contains(name) {
                all.top_devices.push(name.clone());
            }
        }
        for layer in &stack.layers {
            if all.layer(&layer.name).is_none() {
                all.layers.push(layer.clone());
            }
        }
        for mount in &stack.mounts {
            if !all.mounts.contains(mount) {
                all.mounts.push(mount.clone());
            }
        }
    }
    all
}

pub(super) fn paths(files: &OpenFiles) -> Vec<RawText> {
    files.files().iter().map(|file| raw(&file.path)).collect()
}

fn raw(path: &Path) -> RawText {
    RawText::from(path.as_os_str().to_owned())
}

/// Returns the only path, or the common folder of all paths.
fn common(paths: &[RawText]) -> RawText {
    match paths {
        [] => RawText::from("-"),
        [one] => one.clone(),
        [first, more @ ..] => {
            let mut folder: PathBuf = first.as_path().to_owned();
            while more.iter().any(|path| !path.as_path().starts_with(&folder)) && folder.pop() {}
            raw(&folder)
        }
    }
}

/// Returns the bytes of these files that are only in memory; `None` = unknown.
fn dirty<'a>(files: impl Iterator<Item = &'a Path>) -> Option<u64> {
    let deadline = clock::monotonic() + MAX_WAIT;
    let mut sum = None;
    for path in files {
        if clock::monotonic() >= deadline {
            return None;
        }
        // A removed file has no dirty pages.
        let Ok(file) = File::open(path) else { continue };
        sum = Some(sum.unwrap_or(0) + page_cache::dirty_bytes(&file, 0, 0).ok()?);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_named_by_folder() {
        let of = |paths: &[&str]| {
            common(&paths.iter().map(|path| RawText::from(*path)).collect::<Vec<_>>()).to_string()
        };
        assert_eq!(of(&["/a/b"]), "/a/b");
        assert_eq!(of(&["/a/b/1", "/a/b/2"]), "/a/b");
        assert_eq!(of(&["/a/1", "/b/2"]), "/");
        assert_eq!(of(&[]), "-");
    }
}
