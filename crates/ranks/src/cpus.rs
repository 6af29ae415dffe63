//! The division of CPUs between several ranks on one machine.

use std::collections::BTreeMap;

/// Host of a rank and its permitted CPUs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankCpus {
    pub machine: String,
    /// CPUs that the rank may use, ascending.
    pub cpus: Vec<u32>,
}

/// Returns the CPUs of each rank; `None` = unchanged.
///
/// Ranks on one machine with the same allowed CPUs divide them equally in order of number; the first ranks
/// get one more if there is a remainder. Nothing changes if the launcher bound the ranks to separate CPUs,
/// or if there are fewer CPUs than ranks.
pub fn share(seats: &[Option<RankCpus>]) -> Vec<Option<Vec<u32>>> {
    let mut together: BTreeMap<(&str, &[u32]), Vec<usize>> = BTreeMap::new();
    for (rank, seat) in seats.iter().enumerate() {
        if let Some(seat) = seat {
            together.entry((&seat.machine, &seat.cpus)).or_default().push(rank);
        }
    }
    let mut shares = vec![None; seats.len()];
    for ((_, cpus), ranks) in together {
        if ranks.len() < 2 || cpus.len() < ranks.len() {
            continue;
        }
        let (each, more) = (cpus.len() / ranks.len(), cpus.len() % ranks.len());
        let mut rest = cpus;
        for (place, rank) in ranks.into_iter().enumerate() {
            let (own, others) = rest.split_at(each + usize::from(place < more));
            shares[rank] = Some(own.to_vec());
            rest = others;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_seat(machine: &str, cpus: impl IntoIterator<Item = u32>) -> Option<RankCpus> {
        Some(RankCpus { machine: machine.into(), cpus: cpus.into_iter().collect() })
    }

    #[test]
    fn ranks_that_may_use_the_same_cpus_divide_them() {
        let seats = [
            sample_seat("a", 0..5),
            sample_seat("b", 0..5),
            sample_seat("a", 0..5),
            None,
            sample_seat("c", 0..1),
            sample_seat("c", 0..1),
        ];
        let shares = share(&seats);
        assert_eq!(shares, [Some(vec![0, 1, 2]), None, Some(vec![3, 4]), None, None, None]);
        // Bound by the launcher already.
        assert_eq!(share(&[sample_seat("a", 0..2), sample_seat("a", 2..4)]), [None, None]);
    }
}
