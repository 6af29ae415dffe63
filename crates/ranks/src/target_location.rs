//! Detection of targets shared by ranks.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetLocation {
    pub machine: String,
    /// Unique number of the file in its file system (device and inode), or of a block device. For a file
    /// to be created, the number of its folder. `None` if unknown.
    pub number: Option<(u64, u64)>,
    /// Name of a file to be created in that folder.
    pub new_name: Option<String>,
    /// Identity visible to other machines: type and source of a network file system, or serial number of a
    /// disk. `None` if local or unknown.
    pub shared: Option<String>,
    /// Whether other machines may reach it in a way that `shared` does not identify.
    pub may_be_shared: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameStorage {
    Yes,
    No,
    Unknown,
}

pub fn same(a: &TargetLocation, b: &TargetLocation) -> SameStorage {
    if a.number.is_none() || b.number.is_none() || a.machine.is_empty() || b.machine.is_empty() {
        return SameStorage::Unknown;
    }
    let one = |equal: bool| if equal { SameStorage::Yes } else { SameStorage::No };
    if a.machine == b.machine {
        return one(a.number == b.number && a.new_name == b.new_name);
    }
    match (&a.shared, &b.shared) {
        // A block device is named by its serial number alone; a file by the number in its file system.
        (Some(x), Some(y)) if x == y => {
            let inode = |place: &TargetLocation| place.number.map(|(_, inode)| inode);
            let device = x.starts_with(DISK);
            one(device || (inode(a) == inode(b) && a.new_name == b.new_name))
        }
        (Some(x), Some(y)) if x.starts_with(DISK) || y.starts_with(DISK) => SameStorage::No,
        // One server may have several names.
        (Some(_), Some(_)) => SameStorage::Unknown,
        _ if a.may_be_shared && b.may_be_shared => SameStorage::Unknown,
        _ => SameStorage::No,
    }
}

pub const DISK: &str = "disk ";

/// Returns the ranks on each distinct target, in order of their first ranks, and whether the result is
/// uncertain. Indistinguishable targets count as one.
pub fn group_places(places: &[Option<TargetLocation>]) -> (Vec<Vec<usize>>, bool) {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut guessed = false;
    for (rank, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let with = |rank: &usize| places[*rank].as_ref().map_or(SameStorage::No, |other| same(place, other));
        let found = groups.iter_mut().find_map(|ranks| match with(&ranks[0]) {
            SameStorage::No => None,
            found => Some((ranks, found)),
        });
        match found {
            Some((ranks, found)) => {
                guessed |= found == SameStorage::Unknown;
                ranks.push(rank);
            }
            None => groups.push(vec![rank]),
        }
    }
    (groups, guessed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_place(machine: &str, number: (u64, u64), shared: Option<&str>) -> TargetLocation {
        TargetLocation {
            machine: machine.into(),
            number: Some(number),
            shared: shared.map(str::to_owned),
            ..TargetLocation::default()
        }
    }

    #[test]
    fn files_are_matched_by_inode_or_by_server() {
        let local = |machine, inode| sample_place(machine, (8, inode), None);
        let nfs =
            |machine, device, inode| sample_place(machine, (device, inode), Some("nfs4 server:/export"));
        let new = |machine, name: &str| TargetLocation { new_name: Some(name.into()), ..nfs(machine, 40, 2) };
        let cases = [
            (local("a", 5), local("a", 5), SameStorage::Yes),
            (local("a", 5), local("a", 6), SameStorage::No),
            (local("a", 5), local("b", 5), SameStorage::No),
            (nfs("a", 40, 7), nfs("b", 41, 7), SameStorage::Yes),
            (nfs("a", 40, 7), nfs("b", 41, 8), SameStorage::No),
            (nfs("a", 40, 7), sample_place("b", (41, 7), Some("nfs4 other:/export")), SameStorage::Unknown),
            (nfs("a", 40, 7), local("b", 7), SameStorage::No),
            (new("a", "x"), new("b", "x"), SameStorage::Yes),
            (new("a", "x"), new("b", "y"), SameStorage::No),
            (
                sample_place("a", (0, 1), Some("disk naa.5")),
                sample_place("b", (0, 9), Some("disk naa.5")),
                SameStorage::Yes,
            ),
            (
                sample_place("a", (0, 1), Some("disk naa.5")),
                sample_place("b", (0, 1), Some("disk naa.6")),
                SameStorage::No,
            ),
            (TargetLocation::default(), local("a", 5), SameStorage::Unknown),
        ];
        for (a, b, expected) in cases {
            assert_eq!(same(&a, &b), expected, "{a:?} {b:?}");
            assert_eq!(same(&b, &a), expected, "{b:?} {a:?}");
        }
    }

    #[test]
    fn ranks_with_the_same_file_are_grouped() {
        let places =
            [(0, "a", 5), (1, "a", 6), (2, "a", 5)].map(|(_, m, i)| Some(sample_place(m, (8, i), None)));
        assert_eq!(group_places(&places), (vec![vec![0, 2], vec![1]], false));
        let unknown = [Some(TargetLocation::default()), None, Some(TargetLocation::default())];
        assert_eq!(group_places(&unknown), (vec![vec![0, 2]], true));
    }
}
