//! Inputs and outputs of a run are distinct files, each named once.

use super::{Destination, descriptor, is_standard_output, key_of};
use crate::output_error::{OutputError, OutputErrorKind};
use diskspd_sys::inode::{self, Kind};
use diskspd_sys::reach::SpotKey;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOutput {
    pub by: String,
    pub path: PathBuf,
}

const STANDARD: [(&str, &str); 3] = [
    ("/proc/self/fd/0", "standard input"),
    ("/proc/self/fd/1", "standard output"),
    ("/proc/self/fd/2", "standard error"),
];

/// Rejects an output that is the same file as a previous output or an input, even under another name. Also
/// rejects the file of standard input, output or error. It opens nothing. Devices such as `/dev/null` or a
/// terminal can be named several times.
pub(crate) fn refuse_double(
    output: &NamedOutput,
    destination: &Destination,
    earlier: &[NamedOutput],
    inputs: &[NamedOutput],
) -> Result<(), OutputError> {
    let it = identity_of(destination);
    let is_it = |other: &&NamedOutput| it.is_some() && spot_key(&other.path) == it;
    let by = &output.by;
    if let Some(input) = inputs.iter().find(is_it) {
        return Err(OutputErrorKind::Input(input.by.clone()).named_by(by));
    }
    if destination.is_standard_output()
        && let Some(other) = earlier.iter().find(|other| is_standard_output(&other.path))
    {
        return Err(OutputError::BothStandardOutput { earlier: other.by.clone(), by: by.clone() });
    }
    if let Some(other) = earlier.iter().find(is_it) {
        return Err(OutputErrorKind::Twice(other.by.clone()).named_by(by));
    }
    // Who names a descriptor means it.
    if matches!(destination, Destination::Descriptor(_)) {
        return Ok(());
    }
    let standard =
        STANDARD.iter().find(|(path, _)| it.is_some() && is_regular(path) && spot_key(Path::new(path)) == it);
    match standard {
        Some((_, name)) => Err(OutputErrorKind::Redirected(name).named_by(by)),
        None => Ok(()),
    }
}

fn is_regular(path: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// Returns `None` if several writers are possible, or the key is unknown.
fn spot_key(path: &Path) -> Option<SpotKey> {
    match std::fs::metadata(path) {
        Ok(found) if !mixes_up(Kind::from_metadata(&found)) => None,
        _ => key_of(path),
    }
}

/// Returns the identity of a resolved path.
fn identity_of(destination: &Destination) -> Option<SpotKey> {
    match destination {
        Destination::Descriptor(number) => {
            let path = descriptor(*number);
            let found = std::fs::metadata(&path).ok()?;
            let mixes = mixes_up(Kind::from_metadata(&found));
            mixes.then(|| inode::identity_at(&path).ok().map(SpotKey::There)).flatten()
        }
        Destination::Nowhere(_) => None,
        Destination::Special(spot) | Destination::File(spot) => {
            let mixes = spot.kind().is_none_or(mixes_up);
            mixes.then(|| spot.key()).flatten()
        }
    }
}

fn mixes_up(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Pipe | Kind::Socket | Kind::BlockDevice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_sys::inode::symlink;

    #[test]
    fn same_file_is_recognized_by_any_name_before_creation() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("there"), "").unwrap();
        std::fs::hard_link(at("there"), at("hard")).unwrap();
        symlink("there", at("link")).unwrap();
        symlink("new", at("to-new")).unwrap();
        let named = |path: PathBuf| NamedOutput { by: path.display().to_string(), path };
        for (one, other, same) in [
            (at("there"), at("./there"), true),
            (at("there"), at("hard"), true),
            (at("link"), at("hard"), true),
            (at("new"), at("./new"), true),
            (at("to-new"), at("new"), true),
            (at("there"), at("new"), false),
            (at("new"), at("newer"), false),
            ("/dev/null".into(), "/dev/null".into(), false),
        ] {
            let (one, other) = (named(one), named(other));
            let at = |named: &NamedOutput| Destination::at(&named.path).unwrap();
            let outputs = refuse_double(&other, &at(&other), std::slice::from_ref(&one), &[]);
            let input = refuse_double(&one, &at(&one), &[], std::slice::from_ref(&other));
            assert_eq!((outputs.is_err(), input.is_err()), (same, same), "{one:?} {other:?}");
            assert!(
                outputs
                    .err()
                    .map(|why| why.to_string())
                    .is_none_or(|why| why.contains("is also the file") && why.contains(&one.by))
            );
            assert!(
                input
                    .err()
                    .map(|why| why.to_string())
                    .is_none_or(|why| why.contains("reads") && why.contains(&other.by))
            );
        }
    }
}
