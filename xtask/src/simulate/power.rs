//! Content of a folder after a power cut: the synced state, and for the rest any state since.
//!
//! A file's bytes are durable after a sync of the file, a name after a sync of its folder. Of other bytes
//! none, the first half, or all remain; other names remain or not, independently. Journaling file systems
//! preserve more order, but do not have to.

use super::course::RunTotals;
use crate::harness::{Failure, Random};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A name in a folder: the number of the file, and whether that is a folder.
type Named = (u64, bool);

#[derive(Default)]
struct Synced {
    bytes: HashMap<u64, Vec<u8>>,
    names: HashMap<u64, BTreeMap<OsString, Named>>,
}

#[derive(Default)]
pub struct DurableFolder(Mutex<Synced>);

impl DurableFolder {
    /// Makes the current content of a folder durable.
    ///
    /// # Errors
    /// It can't be read.
    pub fn open(root: &Path) -> io::Result<DurableFolder> {
        let disk = DurableFolder::default();
        disk.take_all(root)?;
        Ok(disk)
    }

    fn take_all(&self, folder: &Path) -> io::Result<()> {
        let names = names(folder)?;
        for (name, (number, is_folder)) in &names {
            match is_folder {
                true => self.take_all(&folder.join(name))?,
                false => {
                    let bytes = fs::read(folder.join(name))?;
                    self.change(|synced| synced.bytes.insert(*number, bytes));
                }
            }
        }
        let number = fs::metadata(folder)?.ino();
        self.change(|synced| synced.names.insert(number, names));
        Ok(())
    }

    fn change<T>(&self, what: impl FnOnce(&mut Synced) -> T) -> T {
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A file or a folder was synced.
    ///
    /// # Errors
    /// It can't be read.
    pub fn synced(&self, what: &File) -> io::Result<()> {
        let found = what.metadata()?;
        if found.is_dir() {
            let names =
                names(Path::new(&format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(what))))?;
            self.change(|synced| synced.names.insert(found.ino(), names));
        } else {
            let mut bytes = vec![0; found.len() as usize];
            what.read_exact_at(&mut bytes, 0)?;
            self.change(|synced| synced.bytes.insert(found.ino(), bytes));
        }
        Ok(())
    }

    /// Changes a folder to its state after a power cut. Files with the name prefix `left_out` stay while
    /// their folder exists.
    ///
    /// # Errors
    /// Fails if it cannot be read or written.
    pub fn cut(
        &self,
        root: &Path,
        left_out: &str,
        random: &mut Random,
        course: &mut RunTotals,
    ) -> Result<(), Failure> {
        self.settle(root, left_out, random, course)?;
        self.change(|synced| *synced = Synced::default());
        Ok(self.take_all(root)?)
    }

    fn settle(
        &self,
        folder: &Path,
        left_out: &str,
        random: &mut Random,
        course: &mut RunTotals,
    ) -> Result<(), Failure> {
        let number = fs::metadata(folder)?.ino();
        let now = names(folder)?;
        let before = self.change(|synced| synced.names.get(&number).cloned()).unwrap_or_default();
        let all: BTreeSet<&OsString> = now.keys().chain(before.keys()).collect();
        for name in all.into_iter().filter(|name| !name.to_string_lossy().starts_with(left_out)) {
            let (was, is) = (before.get(name).copied(), now.get(name).copied());
            let path = folder.join(name);
            if was != is && random.number().is_multiple_of(2) {
                // Not its number: that is another one each time.
                let was_there = was.map(|(_, is_folder)| if is_folder { "a folder" } else { "a file" });
                course.step(format_args!("a name is unchanged: {}", was_there.unwrap_or("nothing")));
                match is {
                    Some((_, true)) => fs::remove_dir_all(&path)?,
                    Some(_) => fs::remove_file(&path)?,
                    None => {}
                }
                match was {
                    Some((_, true)) => fs::create_dir(&path)?,
                    Some((file, _)) => fs::write(&path, self.bytes(file))?,
                    None => {}
                }
                continue;
            }
            match is {
                Some((_, true)) => self.settle(&path, left_out, random, course)?,
                Some((file, _)) => self.tear(&path, file, random, course)?,
                None => {}
            }
        }
        Ok(())
    }

    fn bytes(&self, file: u64) -> Vec<u8> {
        self.change(|synced| synced.bytes.get(&file).cloned()).unwrap_or_default()
    }

    fn tear(&self, path: &Path, file: u64, random: &mut Random, course: &mut RunTotals) -> io::Result<()> {
        let (now, synced) = (fs::read(path)?, self.bytes(file));
        if now == synced {
            return Ok(());
        }
        let kept = match random.number() % 3 {
            0 => synced,
            1 => now[..now.len() / 2].to_vec(),
            _ => return Ok(()),
        };
        course.step(format_args!("a file keeps {} of {} bytes", kept.len(), now.len()));
        fs::write(path, kept)
    }
}

fn names(folder: &Path) -> io::Result<BTreeMap<OsString, Named>> {
    let named = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        let found: Metadata = entry.metadata()?;
        Ok((entry.file_name(), (found.ino(), found.is_dir())))
    };
    fs::read_dir(folder)?.map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn outcomes(change: impl Fn(&Path, &DurableFolder)) -> BTreeSet<Vec<(String, Vec<u8>)>> {
        let outcome = |seed| {
            let root = tempfile::tempdir().unwrap();
            fs::write(root.path().join("old"), "old").unwrap();
            let disk = DurableFolder::open(root.path()).unwrap();
            change(root.path(), &disk);
            disk.cut(root.path(), "index", &mut Random(seed), &mut RunTotals::new(false)).unwrap();
            let read = |name: &OsString| fs::read(root.path().join(name)).unwrap();
            let found = names(root.path()).unwrap();
            found.keys().map(|name| (name.to_string_lossy().into_owned(), read(name))).collect()
        };
        (0..100).map(outcome).collect()
    }

    fn files(all: &[&[(&str, &str)]]) -> BTreeSet<Vec<(String, Vec<u8>)>> {
        let file = |(name, bytes): &(&str, &str)| ((*name).to_owned(), bytes.as_bytes().to_vec());
        all.iter().map(|files| files.iter().map(file).collect()).collect()
    }

    #[test]
    fn synced_sectors_survive_power_cut() {
        assert_eq!(outcomes(|_, _| ()), files(&[&[("old", "old")]]));
        let sync = |path: &Path, disk: &DurableFolder| disk.synced(&File::open(path).unwrap()).unwrap();
        // Neither bytes nor name.
        let found = outcomes(|root, _| fs::write(root.join("a"), "1234").unwrap());
        let old = ("old", "old");
        assert_eq!(found, files(&[&[old], &[("a", ""), old], &[("a", "12"), old], &[("a", "1234"), old]]));
        // The name is there, and all of its bytes, or none of it is.
        let found = outcomes(|root, disk| {
            fs::write(root.join("a"), "1234").unwrap();
            sync(&root.join("a"), disk);
        });
        assert_eq!(found, files(&[&[old], &[("a", "1234"), old]]));
        let found = outcomes(|root, disk| {
            fs::write(root.join("a"), "1234").unwrap();
            sync(&root.join("a"), disk);
            sync(root, disk);
            // A removal and another name that aren't synced; more bytes that aren't.
            fs::rename(root.join("a"), root.join("old")).unwrap();
            File::options().append(true).open(root.join("old")).unwrap().write_all(b"5678").unwrap();
        });
        let (a, late) = (("a", "1234"), ("old", "12345678"));
        assert!(found.contains(&vec![("old".into(), b"old".to_vec())]), "{found:?}");
        assert!(
            found.is_superset(&files(&[&[a, old], &[a, late], &[late], &[a, ("old", "1234")]])),
            "{found:?}"
        );
    }
}
