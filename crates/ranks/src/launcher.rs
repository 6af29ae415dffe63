//! The launcher of this process, by its environment variables: whether there are several ranks, and the
//! matching MPI libraries.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    pub name: &'static str,
    /// The variable that names it; empty = unknown.
    pub mark: &'static str,
    /// Number of started processes; `None` = not reported.
    pub size: Option<usize>,
    /// Number of this process; `None` = not reported.
    pub rank: Option<usize>,
    pub libraries: &'static [MpiLibrary],
    /// Processes started on this host; `None` = unknown.
    pub here: Option<LaunchedHere>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchedHere {
    pub size: usize,
    /// Prefixes of the names of the processes that start ranks.
    pub parents: &'static [&'static str],
}

/// MPI library, with its name for the dynamic linker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MpiLibrary {
    pub name: &'static str,
    pub kind: MpiAbi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MpiAbi {
    /// The ABI of MPI 5.0.
    Standard,
    /// ABI of MPICH, Intel MPI, Cray MPICH and MVAPICH.
    Mpich,
    OpenMpi,
}

const fn mpi_library(name: &'static str, kind: MpiAbi) -> MpiLibrary {
    MpiLibrary { name, kind }
}

const STANDARD: MpiLibrary = mpi_library("libmpi_abi.so", MpiAbi::Standard);
const STANDARD_1: MpiLibrary = mpi_library("libmpi_abi.so.1", MpiAbi::Standard);
const STANDARD_0: MpiLibrary = mpi_library("libmpi_abi.so.0", MpiAbi::Standard);
const MPICH: MpiLibrary = mpi_library("libmpi.so.12", MpiAbi::Mpich);
const MPICH_OF_DEBIAN: MpiLibrary = mpi_library("libmpich.so.12", MpiAbi::Mpich);
const OPEN_MPI: MpiLibrary = mpi_library("libmpi.so.40", MpiAbi::OpenMpi);

const FOR_OPEN_MPI: &[MpiLibrary] = &[OPEN_MPI, STANDARD, STANDARD_1, STANDARD_0];
const FOR_PMI: &[MpiLibrary] = &[MPICH, MPICH_OF_DEBIAN, STANDARD, STANDARD_1, STANDARD_0];
const FOR_PMIX: &[MpiLibrary] = &[OPEN_MPI, STANDARD, STANDARD_1, STANDARD_0, MPICH, MPICH_OF_DEBIAN];
const ANY: &[MpiLibrary] = &[STANDARD, STANDARD_1, STANDARD_0, OPEN_MPI, MPICH, MPICH_OF_DEBIAN];

/// Variables that `diskspd hosts` sets for a rank.
pub const RELAYED_RANK: &str = "DISKSPD_HOSTS_RANK";
pub const RELAYED_SIZE: &str = "DISKSPD_HOSTS_SIZE";
/// Columns and rows of the terminal that displays standard error of rank 0: `80x24`.
pub const RELAYED_SCREEN: &str = "DISKSPD_HOSTS_SCREEN";

/// Mark of each launcher, its information, and the matching libraries. The first set mark counts.
/// `SLURM_NTASKS` and similar variables are not marks, because a batch script with one process also has
/// them.
const LAUNCHERS: &[(&str, &str, &str, &str, &[MpiLibrary])] = &[
    ("diskspd hosts", RELAYED_RANK, RELAYED_SIZE, RELAYED_RANK, &[]),
    (
        "Open MPI's mpirun",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_RANK",
        FOR_OPEN_MPI,
    ),
    ("Slurm's srun with PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", FOR_PMIX),
    ("a launcher with PMI (MPICH's mpirun, srun)", "PMI_RANK", "PMI_SIZE", "PMI_RANK", FOR_PMI),
    ("a launcher with PMI (PMI_FD)", "PMI_FD", "PMI_SIZE", "PMI_RANK", FOR_PMI),
    ("Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", FOR_PMIX),
];

/// Variables with the number of processes on this host, and names of the process that started them.
const HERE: &[(&str, &[&str])] = &[
    ("OMPI_COMM_WORLD_LOCAL_SIZE", &["mpirun", "mpiexec", "orterun", "orted", "prte"]),
    ("MPI_LOCALNRANKS", &["hydra_pmi_proxy"]),
];

/// Prefixes of the names of launchers and their helpers.
pub const PROCESSES: &[&str] = &["mpirun", "mpiexec", "orterun", "prterun", "prte", "hydra_pmi_proxy"];
/// Options with which a launcher changes the lines of its ranks.
pub const CHANGES_LINES: &[&str] = &[
    "-l",
    "-prepend-rank",
    "-tag-output",
    "--tag-output",
    "--timestamp-output",
    "--output",
    "-xml",
    "--xml",
];

impl Launcher {
    /// Returns the launcher of these variables; `None` without a launcher.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Option<Launcher> {
        let number = |name: &str| variable(name)?.trim().parse().ok();
        let (name, mark, size, rank, libraries) =
            LAUNCHERS.iter().find(|(_, mark, ..)| variable(mark).is_some())?;
        let here =
            HERE.iter().find_map(|(size, parents)| Some(LaunchedHere { size: number(size)?, parents }));
        Some(Launcher { name, mark, size: number(size), rank: number(rank), libraries, here })
    }

    /// Whether it transports messages of ranks without MPI.
    pub fn relays_messages(&self) -> bool {
        self.libraries.is_empty()
    }

    pub fn unknown_launcher() -> Launcher {
        Launcher { name: "an unknown launcher", mark: "", size: None, rank: None, libraries: ANY, here: None }
    }

    /// Whether it started several processes; true if it does not report the number.
    pub fn started_several(&self) -> bool {
        self.size != Some(1)
    }

    pub fn is_first(&self) -> bool {
        self.rank.is_none_or(|rank| rank == 0)
    }
}

/// Returns the ABI of an explicitly named library, by its file name.
pub fn kind_of(file_name: &str) -> MpiAbi {
    if file_name.contains("abi") {
        MpiAbi::Standard
    } else if file_name.contains("mpich") || file_name.starts_with("libmpi.so.12") {
        MpiAbi::Mpich
    } else {
        MpiAbi::OpenMpi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_variables(variables: &[(&str, &str)]) -> Option<Launcher> {
        Launcher::detect(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launcher_and_rank_count_come_from_environment() {
        let open = from_variables(&[
            ("PMIX_RANK", "3"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_RANK", "3"),
        ]);
        let open = open.unwrap();
        assert_eq!((open.size, open.rank, open.libraries[0]), (Some(4), Some(3), OPEN_MPI));
        assert!(open.started_several() && !open.is_first());
        let hydra = from_variables(&[("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("PMI_FD", "6")]).unwrap();
        assert_eq!((hydra.size, hydra.is_first(), hydra.libraries[0]), (Some(2), true, MPICH));
        let pmix = from_variables(&[("PMIX_RANK", "1"), ("SLURM_STEP_NUM_TASKS", "64")]).unwrap();
        assert_eq!((pmix.size, pmix.rank), (Some(64), Some(1)));
        let alone = from_variables(&[("OMPI_COMM_WORLD_SIZE", "1"), ("OMPI_COMM_WORLD_RANK", "0")]).unwrap();
        assert!(!alone.started_several());
        // A batch script of Slurm is one process.
        assert_eq!(
            from_variables(&[("SLURM_NTASKS", "64"), ("SLURM_PROCID", "0"), ("SLURM_JOB_ID", "1")]),
            None
        );
        // srun without MPI started several all the same.
        assert!(
            from_variables(&[("SLURM_STEP_NUM_TASKS", "64"), ("SLURM_PROCID", "0")])
                .unwrap()
                .started_several()
        );
        assert_eq!(from_variables(&[]), None);
    }

    #[test]
    fn mpi_abi_follows_from_library_name() {
        for library in ANY {
            assert_eq!(kind_of(library.name), library.kind, "{}", library.name);
        }
        assert_eq!(kind_of("libmpi_abi.so.1.0"), MpiAbi::Standard);
    }
}
