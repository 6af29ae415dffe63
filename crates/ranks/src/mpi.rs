//! The group that MPI makes.

use super::launcher::{Launcher, MpiAbi, kind_of};
use super::{RankGroup, RankMessage};
use diskspd_sys::mpi::{Abi, CAN_LOAD, MpiError, MpiWorld};
use std::path::{Path, PathBuf};

/// The ranks that a launcher started.
#[derive(Debug)]
pub struct Mpi {
    world: MpiWorld,
    pub library: String,
}

const REMEDY: &str =
    "use the launcher's MPI: load its module, set LD_LIBRARY_PATH, or name its library with --mpi=<file>";

/// Reason for the lack of a group. The run must not continue alone, because its result would look
/// complete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupJoinError {
    #[error(
        "this program is linked statically and cannot load an MPI library: install the package diskspd-glibc, \
         or run it on each host without --mpi and mpirun and merge the records (diskspd merge)"
    )]
    Static,
    /// Standard input is not the stream of `diskspd hosts`: why.
    #[error(
        "cannot reach the other ranks of diskspd hosts over standard input: {0}; unset DISKSPD_HOSTS_RANK, \
         which only diskspd hosts sets"
    )]
    NoStream(String),
    #[error(
        "this copy of the program has more rights than its user (set-uid, set-gid, or capabilities, see \
         getcap) and so loads no MPI library, which would get them too: start the ranks with a copy without \
         them"
    )]
    Privileged,
    /// No usable library; the tried libraries with their errors.
    #[error(
        "no usable MPI library to reach the other ranks; tried:{}\n{REMEDY}",
        .0.iter().map(|(library, why)| format!("\n  {library}: {why}")).collect::<String>()
    )]
    NoLibrary(Vec<(String, MpiError)>),
    #[error("{library} cannot be initialized: {why}; {REMEDY}")]
    NotBegun { library: String, why: MpiError },
    /// The library sees another number of ranks than the launcher started.
    #[error(
        "the launcher started {started} ranks, but {library} sees {seen}: this MPI library does not match \
         the launcher's; {REMEDY}"
    )]
    OtherSize { library: String, seen: usize, started: usize },
    #[error(
        "--mpi: {library} sees {seen} rank: start it with a launcher (mpirun -n 4 diskspd ..), or leave out \
         --mpi"
    )]
    Alone { library: String, seen: usize },
}

/// Joins the ranks that were started together with this one. `named`: the library to use.
///
/// # Errors
/// There is no group; why, and what to do.
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
        return Err(match launcher.size {
            Some(started) => GroupJoinError::OtherSize { library, seen, started },
            None => GroupJoinError::Alone { library, seen },
        });
    }
    let library = format!("{library} ({})", world.library());
    Ok(Mpi { world, library })
}

impl Mpi {
    /// Sends the pending messages while `patience` allows.
    pub fn flush(&mut self, mut patience: impl FnMut() -> bool) {
        while !self.world.is_sent() && patience() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Makes the launcher end all remaining ranks, including this rank and unresponsive ones.
    pub fn abort(&self, exit_code: u8) {
        self.world.abort(exit_code);
    }

    /// Leaves in order; waits for all other ranks to leave.
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

    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), String> {
        self.world.send(to, bytes).map_err(|error| error.to_string())
    }

    fn take(&mut self) -> Result<Option<RankMessage>, (usize, String)> {
        self.world.receive().map_err(|(from, why)| (from, why.to_string()))
    }
}
