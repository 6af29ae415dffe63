//! `--mpi --split`: one run on many hosts.

use crate::cli::draft::Draft;
use crate::cli::error::Problem;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Read, Scope};
use crate::profile::RawText;

pub const FLAGS: &[Flag] = &[
    Flag {
        name: Long("mpi"),
        forms: &[
            ("--mpi", "run as an MPI rank under any launcher; fails if there is only one rank"),
            ("--mpi=<library>", "the same, with this MPI library"),
        ],
        default: "detected from the variables that mpirun and srun set, with their library",
        scope: Scope::Invocation,
        notes: "All ranks make one run with one report, that of rank 0. In the paths of targets and of \
                --io-log, %r is the rank and %h the name of its host; %% is a percent sign. The library's \
                file name decides its MPI variant: libmpi_abi.so* the standard ABI of MPI 5.0, libmpi.so.12 \
                and libmpich* that of MPICH, any other Open MPI's. See docs/reference/hosts.md.",
        carried: CarriedByFile::UserOnly,
        tested: &["hosts"],
        read: Read::Optional(read_mpi),
        ..LINUX
    },
    Flag {
        name: Long("split"),
        forms: &[("--split", "each rank gets its own part of a target that several of them share")],
        default: "they overlap, as threads do",
        scope: Scope::Invocation,
        notes: "The area from -B to -f, or to the end, in parts of equal size that begin on blocks; the \
                remainder belongs to no rank. Which ranks share a target is detected and printed. Only with \
                several ranks.",
        carried: CarriedByFile::UserOnly,
        tested: &["hosts"],
        read: Read::Switch(|draft| draft.request.split = true),
        ..LINUX
    },
];

fn read_mpi(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let library = (!value.is_empty()).then(|| RawText::from(value.to_vec()).as_path().to_owned());
    draft.request.mpi = Some(library);
    Ok(())
}
