//! The group that MPI makes.

use super::error::GroupError;
use super::launcher::{Launcher, MpiAbi, kind_of};
use super::{RankGroup, RankMessage};
use diskspd_sys::mpi::{Abi, CAN_LOAD, MpiError, MpiWorld};
use std::fmt;
use std::path::{Path, PathBuf};

/// The ranks that a launcher started.
#[derive(Debug)]
pub struct Mpi {
    world: MpiWorld,
    pub library: String,
}

/// Reason for the lack of a group. The run must not continue alone, because its result would look
/// complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupJoinError {
    /// The program is linked statically and cannot load libraries.
    Static,
    /// Standard input is not the stream of `diskspd hosts`, for this reason.
    NoStream(String),
    /// The program has more privileges than its user.
    Privileged,
    /// No usable library; the tried libraries with their errors.
    NoLibrary(Vec<(String, MpiError)>),
    NotBegun {
        library: String,
        why: MpiError,
    },
    /// The library reports another number of ranks than the launcher.
    OtherSize {
        library: String,
        seen: usize,
        /// Number of processes that the launcher reported; `None` = only `--mpi` was given.
        started: Option<usize>,
        /// The variable by which the launcher was found.
        mark: &'static str,
    },
}

impl fmt::Display for GroupJoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remedy = "use the launcher's MPI: load its module, set LD_LIBRARY_PATH, or name its library with \
                      --mpi=<file>";
        match self {
            GroupJoinError::Static => f.write_str(
                "this program is linked statically and cannot load an MPI library: install the package \
                 diskspd-glibc, or run it on each host without --mpi and mpirun and merge the records \
                 (diskspd merge)",
            ),
            GroupJoinError::NoStream(why) => write!(
                f,
                "cannot reach the other ranks of diskspd hosts over standard input: {why}; unset \
                 DISKSPD_HOSTS_RANK, which only diskspd hosts sets"
            ),
            GroupJoinError::Privileged => f.write_str(
                "this copy of the program has more rights than its user (set-uid, set-gid, or \
                 capabilities, see getcap) and so loads no MPI library, which would get them too: start \
                 the ranks with a copy without them",
            ),
            GroupJoinError::NoLibrary(tried) => {
                f.write_str("no usable MPI library to reach the other ranks; tried:")?;
                for (library, why) in tried {
                    write!(f, "\n  {library}: {why}")?;
                }
                write!(f, "\n{remedy}")
            }
            GroupJoinError::NotBegun { library, why } => {
                write!(f, "{library} cannot be initialized: {why}; {remedy}")
            }
            GroupJoinError::OtherSize { library, seen, started: Some(started), mark } => write!(
                f,
                "the launcher started {started} ranks, but {library} sees {seen}: this MPI library does not \
                 match the launcher's; {remedy}; or unset {mark} if another launcher set it"
            ),
            GroupJoinError::OtherSize { library, seen, started: None, .. } => write!(
                f,
                "--mpi: {library} sees {seen} rank: start it with a launcher (mpirun -n 4 diskspd ..), or \
                 leave out --mpi"
            ),
        }
    }
}

/// Joins the ranks that were started together with this one. `named`: the library to use.
///
/// # Errors
/// Fails with the cause and a remedy.
pub(crate) fn join(launcher: &Launcher, named: Option<&Path>) -> Result<Mpi, GroupJoinError> {
    if !CAN_LOAD {
        return Err(GroupJoinError::Static);
    }
    let file_name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let candidates: Vec<(PathBuf, MpiAbi)> = match named {
        Some(path) => vec![(path.to_owned(), kind_of(&file_name(path)))],
        None => launcher.libraries.iter().map(|library| (library.name.into(), library.kind)).collect(),
    };
    let mut tried = Vec::new();
    for (path, kind) in candidates {
        let library = path.display().to_string();
        let abi = match kind {
            MpiAbi::Standard => Abi::Standard,
            MpiAbi::Mpich => Abi::Mpich,
            MpiAbi::OpenMpi => Abi::OpenMpi,
        };
        match MpiWorld::join(&path, abi) {
            Ok(world) => return check_world(world, library, launcher),
            Err(MpiError::Privileged) => return Err(GroupJoinError::Privileged),
            Err(why) if why.is_before_start() => tried.push((library, why)),
            Err(why) => return Err(GroupJoinError::NotBegun { library, why }),
        }
    }
    Err(GroupJoinError::NoLibrary(tried))
}

fn check_world(world: MpiWorld, library: String, launcher: &Launcher) -> Result<Mpi, GroupJoinError> {
    let seen = world.size();
    let agrees = launcher.size.is_none_or(|started| started == seen);
    if !agrees || seen < 2 {
        return Err(GroupJoinError::OtherSize { library, seen, started: launcher.size, mark: launcher.mark });
    }
    let library = format!("{library} ({})", world.library());
    Ok(Mpi { world, library })
}

impl Mpi {
    /// Sends pending messages while `patience` returns true.
    pub fn flush(&mut self, mut patience: impl FnMut() -> bool) {
        while !self.world.is_sent() && patience() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Makes the launcher end all remaining ranks, including this rank and unresponsive ones.
    pub fn abort(&self, exit_code: u8) {
        self.world.abort(exit_code);
    }

    /// Leaves in order; waits for all other ranks.
    ///
    /// # Errors
    /// Fails with MPI's error.
    pub fn finalize(self) -> Result<(), MpiError> {
        self.world.finalize()
    }
}

impl RankGroup for Mpi {
    fn rank(&self) -> usize {
        self.world.rank()
    }

    fn size(&self) -> usize {
        self.world.size()
    }

    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), GroupError> {
        Ok(self.world.send(to, bytes)?)
    }

    fn take(&mut self) -> Result<Option<RankMessage>, (usize, GroupError)> {
        self.world.receive().map_err(|(from, why)| (from, why.into()))
    }
}
