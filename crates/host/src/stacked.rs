//! Files that a file system keeps as files of other file systems: overlays, bindfs and their like. One file
//! then has several identities, and a loop device may be on another of them than the target.

use super::file_place::{FileLocation, NESTING};
use super::mountinfo::{self, Mount};
use super::root::Root;
use diskspd_machine::file_systems::{DataHome, FileSystemType};
use std::path::{Path, PathBuf};

/// Kind of files that contain the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// All files, because the kernel uses the data.
    Used,
    /// Files that a write changes: an overlay copies a file up before the write.
    Written,
}

#[derive(Debug, Default)]
pub(super) struct OtherMounts {
    pub paths: Vec<PathBuf>,
    /// Description of the file system that hides the location of its data.
    pub hidden_by: Option<String>,
}

/// Finds the files of other file systems with the data of a file.
pub(super) fn other_places(root: &Root, place: &FileLocation, role: Role) -> OtherMounts {
    let mut found = OtherMounts::default();
    search_places(root, place, role, NESTING, &mut found);
    found
}

fn search_places(root: &Root, place: &FileLocation, role: Role, nesting: u32, found: &mut OtherMounts) {
    let Some(mount) = place.mount(root) else { return };
    let Some(kept) = layer_paths(root, &mount, &place.path, role) else { return };
    if kept.is_empty() {
        let kind = &mount.file_system;
        found.hidden_by.get_or_insert_with(|| format!("{kind} at {}", mount.at));
    }
    for path in kept {
        if nesting > 0 && !found.paths.contains(&path) {
            found.paths.push(path.clone());
            search_places(root, &FileLocation::from_path(path), role, nesting - 1, found);
        }
    }
}

/// Returns the location of a mount's file; `None` = on its own devices or in memory, empty = unknown.
fn layer_paths(root: &Root, mount: &Mount, path: &Path, role: Role) -> Option<Vec<PathBuf>> {
    let inner = mount.inner(path);
    let mounts = root.mounts();
    // In a container a path of the host may exist by chance: then it is in the same mount.
    let is_visible = |directory: &Path| {
        directory.is_absolute()
            && root.path(directory).is_dir()
            && mountinfo::holding(&mounts, directory).is_none_or(|other| other != mount)
    };
    match FileSystemType::from_name(&mount.file_system).home {
        DataHome::Overlay => {
            let layers = Layers::parse(&mount.options);
            let upper = layers.upper.as_deref().filter(|upper| is_visible(upper));
            let copied = upper.map(|upper| upper.join(&inner));
            if role == Role::Written {
                // A file that isn't in the upper directory yet is copied there by the open for writing.
                return Some(copied.into_iter().collect());
            }
            let lower = upper.map_or_else(|| inner.clone(), |upper| lower_name(root, upper, &inner));
            let below = layers.lower.iter().filter(|layer| is_visible(layer)).map(|layer| layer.join(&lower));
            Some(copied.into_iter().chain(below).filter(|path| root.path(path).is_file()).collect())
        }
        // bindfs, eCryptfs and others name the directories that they show as their source.
        home @ (DataHome::Program | DataHome::Unknown) => {
            let parts = || mount.source.split(':').map(Path::new);
            let is_local = parts().all(Path::is_absolute);
            let sources: Vec<&Path> = parts().filter(|part| is_local && is_visible(part)).collect();
            let files = sources.iter().map(|source| source.join(&inner));
            let files = files.filter(|path| root.path(path).is_file()).collect();
            (home == DataHome::Program || !sources.is_empty()).then_some(files)
        }
        _ => None,
    }
}

#[derive(Debug, Default)]
pub(super) struct Layers {
    /// Directory of writes; `None` = read-only.
    pub upper: Option<PathBuf>,
    /// Lower directories, uppermost first.
    pub lower: Vec<PathBuf>,
}

impl Layers {
    /// Parses mount options: `upperdir=`, and either `lowerdir=` with colons or several `lowerdir+=`.
    pub(crate) fn parse(options: &str) -> Layers {
        let values = |names: &'static [&str]| {
            let options = options.split(',');
            options.filter_map(move |option| names.iter().find_map(|name| option.strip_prefix(name)))
        };
        let directory = |path: &str| PathBuf::from(mountinfo::unescape(path));
        Layers {
            upper: values(&["upperdir="]).next().map(directory),
            lower: values(&["lowerdir=", "lowerdir+=", "datadir+="])
                .flat_map(|list| list.split(':'))
                .filter(|path| !path.is_empty())
                .map(directory)
                .collect(),
        }
    }

    /// Returns all directories, uppermost first.
    pub(crate) fn all(self) -> impl Iterator<Item = PathBuf> {
        self.upper.into_iter().chain(self.lower)
    }
}

/// The name of a file in the lower directories, where a folder or the file was renamed in the overlay since
/// (Documentation/filesystems/overlayfs.rst, `redirect_dir`).
fn lower_name(root: &Root, upper: &Path, inner: &Path) -> PathBuf {
    let (mut here, mut lower) = (upper.to_owned(), PathBuf::new());
    for name in inner {
        here.push(name);
        lower.push(name);
        match redirect_path(&root.path(&here)) {
            Some(to) if to.is_absolute() => lower = to.strip_prefix("/").map(Path::to_owned).unwrap_or(to),
            Some(to) => lower.set_file_name(to),
            None => {}
        }
    }
    lower
}

fn redirect_path(path: &Path) -> Option<PathBuf> {
    let mut value = [0; 4096];
    let read = |name: &str, value: &mut [u8]| rustix::fs::getxattr(path, name, value).ok();
    let length = ["trusted.overlay.redirect", "user.overlay.redirect"]
        .into_iter()
        .find_map(|name| read(name, &mut value))?;
    Some(String::from_utf8_lossy(value.get(..length)?).into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a machine with these files, and these lines in `/proc/self/mountinfo`.
    fn sample_machine(mounts: &str, files: &[&str]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, content: &str| {
            let at = folder.path().join(path);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            std::fs::write(at, content).unwrap();
        };
        write("proc/self/mountinfo", mounts);
        files.iter().for_each(|file| write(file, ""));
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn overlay_data_is_found_in_lower_layers() {
        const OVERLAY: &str = "1 0 0:1 / / rw - ext4 /dev/vda rw\n\
            2 1 0:2 / /merged rw - overlay overlay rw,lowerdir=/low:/base,upperdir=/up,workdir=/work\n\
            3 1 0:3 / /shown rw - fuse /src rw\n\
            4 1 0:4 / /both rw - fuse.mergerfs /src:/low rw\n\
            5 1 0:5 / /far rw - fuse.sshfs user@host:/src rw\n\
            6 1 0:6 /sub /part rw - fuse /src rw\n\
            7 1 0:7 / /twice rw - fuse /merged rw\n\
            8 1 0:8 / /read ro - overlay overlay ro,lowerdir=/low:/base\n";
        let files =
            ["up/a", "low/a", "base/b", "src/a", "src/sub/a", "merged/a", "merged/b", "merged/c", "low/only"];
        let (_folder, root) = sample_machine(OVERLAY, &files);
        let table: &[(&str, Role, &[&str], bool)] = &[
            ("/plain", Role::Written, &[], false),
            ("/merged/a", Role::Written, &["/up/a"], false),
            ("/merged/a", Role::Used, &["/up/a", "/low/a"], false),
            ("/merged/b", Role::Written, &["/up/b"], false),
            ("/merged/b", Role::Used, &["/base/b"], false),
            ("/shown/a", Role::Written, &["/src/a"], false),
            ("/part/a", Role::Written, &["/src/sub/a"], false),
            ("/both/a", Role::Used, &["/src/a", "/low/a"], false),
            ("/far/a", Role::Written, &[], true),
            ("/shown/none", Role::Written, &[], true),
            ("/twice/a", Role::Written, &["/merged/a", "/up/a"], false),
            ("/read/only", Role::Used, &["/low/only"], false),
        ];
        for (path, role, expected, hidden) in table {
            let found = other_places(&root, &FileLocation::from_path(*path), *role);
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(found.paths, expected, "{path} {role:?}");
            assert_eq!(found.hidden_by.is_some(), *hidden, "{path}: {:?}", found.hidden_by);
        }
    }

    #[test]
    fn layers_of_other_namespaces_are_hidden() {
        for directories in ["lowerdir=/l,upperdir=/u", "lowerdir=low,upperdir=up"] {
            let mounts = format!("1 0 0:1 / / rw - overlay overlay rw,{directories}\n");
            let (_folder, root) = sample_machine(&mounts, &["file", "l/file", "u/file"]);
            for role in [Role::Written, Role::Used] {
                let found = other_places(&root, &FileLocation::from_path("/file"), role);
                assert!(found.paths.is_empty() && found.hidden_by.is_some(), "{directories}: {found:?}");
            }
        }
    }
}
