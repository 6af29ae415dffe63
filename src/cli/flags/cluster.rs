//! `--mpi --split --hosts --shift-ranks`: one run on many hosts.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Read, Scope};
use crate::experiments::sweep::ValueForm;
use crate::profile::RawText;

const MAX_RANKS: u32 = 1_000_000;

pub(super) const FLAGS: &[Flag] = &[
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
    Flag {
        name: Long("hosts"),
        forms: &[("--hosts <count>", "let only the first ranks of the job do I/O")],
        default: "all ranks",
        scope: Scope::Invocation,
        notes: "The others wait. sweep --hosts=1,2,4,8 finds the number of hosts that saturates shared \
                storage, its fairness (Jain's index) and a host that is slower than its peers. Start one \
                rank per host.",
        carried: CarriedByFile::UserOnly,
        tested: &["hosts"],
        swept: Some(ValueForm { kilo: 1000, ..ValueForm::SIZE }),
        read: Read::Text(hosts),
        ..LINUX
    },
    Flag {
        name: Long("shift-ranks"),
        forms: &[("--shift-ranks <count>", "let each rank read the data of the rank that many before it")],
        default: "0: each rank reads its own data",
        scope: Scope::Invocation,
        notes: "So that the cache of the client that wrote the data cannot serve the reads, as with IOR's \
                -C. %r and %h in the paths of targets, and the part of --split, belong to the other \
                rank; with verify-after also in the path of the journal. Only for runs that neither write \
                nor create files.",
        carried: CarriedByFile::UserOnly,
        tested: &["hosts"],
        read: Read::Text(shift_ranks),
        ..LINUX
    },
];

fn ranks(value: &[u8]) -> Result<u32, ValueError> {
    let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    number.filter(|number| (1..=MAX_RANKS).contains(number)).ok_or_else(|| {
        ValueError::new(0, "no such number of ranks").with_expected(format!("1 to {MAX_RANKS}"))
    })
}

fn hosts(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.request.hosts = Some(ranks(value)?);
    Ok(())
}

fn shift_ranks(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.request.shift_ranks = ranks(value)?;
    Ok(())
}

fn read_mpi(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let library = (!value.is_empty()).then(|| RawText::from(value.to_vec()).as_path().to_owned());
    draft.request.mpi = Some(library);
    Ok(())
}
