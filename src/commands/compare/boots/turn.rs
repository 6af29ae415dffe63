//! The run due at this boot, by the folder's content: a pure function, derived from the beginning each
//! time.

use crate::experiments::compare::BootOrder;
use serde::de::{Deserializer, Error, Unexpected};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kernel {
    pub release: String,
    pub version: String,
    pub boot: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BootRun {
    /// 0 = A, 1 = B.
    #[serde(deserialize_with = "one_of_two")]
    pub side: usize,
    pub kernel: Kernel,
    /// When it began to measure, ms since 1970-01-01 00:00 UTC, and later than the one before it.
    pub began_ms: i64,
}

fn one_of_two<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    match usize::deserialize(from)? {
        side @ (0 | 1) => Ok(side),
        side => Err(Error::invalid_value(Unexpected::Unsigned(side as u64), &"side 0 (A) or 1 (B)")),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BootTurn {
    /// 0 = A, 1 = B.
    pub side: usize,
    pub made: usize,
    pub left: usize,
    /// The boot before this one has fewer runs than requested, and this boot replaces it.
    pub cut_short: bool,
}

impl Kernel {
    /// Whether it is the same kernel build, regardless of the boot.
    pub(crate) fn is_like(&self, other: &Kernel) -> bool {
        self.release == other.release && self.version == other.version
    }

    pub(crate) fn name(&self, other: Option<&Kernel>) -> String {
        match other {
            Some(other) if other.release == self.release => format!("{} ({})", self.release, self.version),
            _ => self.release.clone(),
        }
    }
}

pub(super) fn kernels(history: &[BootRun]) -> [Option<&Kernel>; 2] {
    [0, 1].map(|side| history.iter().find(|run| run.side == side).map(|run| &run.kernel))
}

/// Returns the order of the boots; `None` before the first boot.
pub(super) fn order(history: &[BootRun]) -> Option<BootOrder> {
    history.first().map(|run| BootOrder::from_first_boot(&run.kernel.boot))
}

fn by_boot(history: &[BootRun]) -> impl Iterator<Item = &[BootRun]> {
    history.chunk_by(|one, next| one.kernel.boot == next.kernel.boot)
}

/// Number of boots with all `repeat` runs. Incomplete boots do not advance the order.
pub(super) fn whole_boots(history: &[BootRun], repeat: usize) -> usize {
    by_boot(history).filter(|boot| boot.len() >= repeat).count()
}

/// Whether each run is compared: runs of a boot that was cut short are not, because another boot replaces it.
pub(super) fn compared(history: &[BootRun], repeat: usize) -> Vec<bool> {
    by_boot(history).flat_map(|boot| vec![boot.len() >= repeat; boot.len()]).collect()
}

pub(super) fn next_side(history: &[BootRun], repeat: usize) -> usize {
    order(history).map_or(0, |order| order.side(whole_boots(history, repeat)))
}

/// Reason why there is no run at this boot. Kernels are distinguished by their names; `to_do` is explained
/// at that function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum BootMismatch {
    #[error(
        "this is kernel {here}, but the folder compares {a} with {b}; boot one of these, or name another \
         folder"
    )]
    Stranger { here: String, a: String, b: String },
    /// All runs of this boot are complete.
    #[error("kernel {here} was already measured in this boot; {to_do}")]
    Done { here: String, to_do: String },
    #[error(
        "the runs of this boot come before runs of another boot: the folder was changed or copied; name a \
         new folder"
    )]
    Disordered,
    /// The next run needs the other kernel.
    #[error("the random order of the boots has the other kernel next, and this is kernel {here}; {to_do}")]
    Other { here: String, to_do: String },
}

/// Returns the run due at this boot, `repeat` runs each.
///
/// # Errors
/// Fails with the next step if no run is due.
pub(super) fn turn(history: &[BootRun], here: &Kernel, repeat: usize) -> Result<BootTurn, BootMismatch> {
    let known = kernels(history);
    let side = match known {
        [Some(a), _] if a.is_like(here) => 0,
        [_, Some(b)] if b.is_like(here) => 1,
        [None, _] => 0,
        [Some(_), None] => 1,
        [Some(a), Some(b)] => {
            return Err(BootMismatch::Stranger {
                here: here.name(Some(a)),
                a: a.name(Some(b)),
                b: b.name(Some(a)),
            });
        }
    };
    let Some(last) = history.last() else {
        return Ok(BootTurn { side, made: 0, left: repeat, cut_short: false });
    };
    let made = by_boot(history).last().map_or(0, <[BootRun]>::len);
    let is_cut_short = made < repeat;
    let due = next_side(history, repeat);
    let to_do = || to_do(&known, due, side);
    if last.kernel.boot == here.boot {
        return match is_cut_short {
            true => Ok(BootTurn { side, made, left: repeat - made, cut_short: false }),
            false => Err(BootMismatch::Done { here: kernel_name(here, &known), to_do: to_do() }),
        };
    }
    if history.iter().any(|run| run.kernel.boot == here.boot) {
        return Err(BootMismatch::Disordered);
    }
    if side != due {
        return Err(BootMismatch::Other { here: kernel_name(here, &known), to_do: to_do() });
    }
    Ok(BootTurn { side, made: 0, left: repeat, cut_short: is_cut_short })
}

fn kernel_name(here: &Kernel, known: &[Option<&Kernel>; 2]) -> String {
    let other = known.iter().flatten().find(|kernel| !kernel.is_like(here));
    here.name(other.copied())
}

/// Returns the next kernel to boot for `due`, while a kernel of side `here` runs.
pub(super) fn to_do(known: &[Option<&Kernel>; 2], due: usize, here: usize) -> String {
    let again = if due == here { " again" } else { "" };
    let next = match known[due] {
        Some(kernel) => format!("kernel {}", kernel.name(known[1 - due])),
        None => "the other kernel".to_owned(),
    };
    format!("boot {next}{again} and repeat the command")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_kernel(name: &str, boot: u32) -> Kernel {
        Kernel { release: name.into(), version: "#1".into(), boot: boot.to_string() }
    }

    /// Returns runs by boot: kernel, boot and number of runs.
    fn sample_folder(boots: &[(&str, u32, usize)]) -> Vec<BootRun> {
        let runs = boots.iter().flat_map(|(name, boot, count)| vec![sample_kernel(name, *boot); *count]);
        let side = |kernel: &Kernel| usize::from(kernel.release != boots[0].0);
        runs.map(|kernel| BootRun { side: side(&kernel), kernel, began_ms: 0 }).collect()
    }

    /// Returns the side of each boot of [`sample_folder`], whose first boot is 1: `ABBABA..`.
    fn boot_sides(boots: usize) -> Vec<usize> {
        (0..boots).map(|boot| BootOrder::from_first_boot("1").side(boot)).collect()
    }

    fn first_boots(boots: usize) -> Vec<(&'static str, u32, usize)> {
        let boot = |(number, side): (u32, usize)| (["old", "new"][side], number, 3);
        (1..).zip(boot_sides(boots)).map(boot).collect()
    }

    #[test]
    fn boots_follow_random_pairs() {
        for boots in 0..30 {
            let side = boot_sides(boots + 1)[boots];
            let here = sample_kernel(["old", "new"][side], 100);
            let expected = BootTurn { side, made: 0, left: 3, cut_short: false };
            let history = sample_folder(&first_boots(boots));
            assert_eq!(turn(&history, &here, 3), Ok(expected), "{boots}");
            if boots > 0 {
                let other = sample_kernel(["new", "old"][side], 100);
                let why = turn(&history, &other, 3).unwrap_err();
                assert!(matches!(&why, BootMismatch::Other { .. }), "{boots}: {why}");
                let last = boot_sides(boots)[boots - 1];
                let to_do = to_do(&kernels(&history), side, last);
                assert_eq!(to_do.contains(" again and repeat"), side == last, "{boots}: {to_do}");
            }
        }
    }

    #[test]
    fn incomplete_boot_does_not_advance_order() {
        let next = |side, made, left, cut_short| Ok(BootTurn { side, made, left, cut_short });
        for (boots, here, expected) in [
            (&[("old", 1, 2)][..], sample_kernel("old", 1), next(0, 2, 1, false)),
            (&[("old", 1, 3), ("new", 2, 1)], sample_kernel("new", 2), next(1, 1, 2, false)),
            (&[("old", 1, 2)], sample_kernel("old", 2), next(0, 0, 3, true)),
            (&[("old", 1, 3), ("new", 2, 1)], sample_kernel("new", 3), next(1, 0, 3, true)),
            (&[("old", 1, 3), ("new", 2, 1), ("new", 3, 2)], sample_kernel("new", 4), next(1, 0, 3, true)),
        ] {
            assert_eq!(turn(&sample_folder(boots), &here, 3), expected, "{boots:?}");
        }
        for (boots, here) in [
            (&[("old", 1, 2)][..], sample_kernel("new", 2)),
            (&[("old", 1, 3), ("new", 2, 1)], sample_kernel("old", 3)),
        ] {
            let why = turn(&sample_folder(boots), &here, 3).unwrap_err();
            assert!(matches!(why, BootMismatch::Other { .. }), "{boots:?}: {why}");
        }
        let history = sample_folder(&[("old", 1, 3), ("new", 2, 1), ("new", 3, 3)]);
        assert_eq!((whole_boots(&history, 3), order(&history)), (2, Some(BootOrder::from_first_boot("1"))));
        let cut: Vec<usize> = (0..7).filter(|run| !compared(&history, 3)[*run]).collect();
        assert_eq!(cut, [3]);
    }

    #[test]
    fn run_belongs_to_one_side() {
        let read = |side: &str| {
            let kernel = r##"{"release":"old","version":"#1","boot":"1"}"##;
            let text = format!(r#"{{"side":{side},"kernel":{kernel},"began_ms":0}}"#);
            serde_json::from_str::<BootRun>(&text).map(|run| run.side).map_err(|error| error.to_string())
        };
        assert_eq!((read("0"), read("1")), (Ok(0), Ok(1)));
        let told = read("2").unwrap_err();
        assert!(told.contains("integer `2`, expected side 0 (A) or 1 (B)"), "{told}");
    }

    #[test]
    fn refused_boot_names_the_due_kernel() {
        let both = [("old", 1, 3), ("new", 2, 3)];
        for (there, here, words) in [
            (
                &both[..1],
                sample_kernel("old", 1),
                "kernel old was already measured in this boot; boot the other kernel and",
            ),
            (&both[..1], sample_kernel("old", 2), "this is kernel old; boot the other kernel and repeat"),
            (&both, sample_kernel("newer", 3), "compares old with new; boot one of these"),
            (&both, sample_kernel("old", 1), "the folder was changed"),
        ] {
            let told = turn(&sample_folder(there), &here, 3).unwrap_err().to_string();
            assert!(told.contains(words), "{told}");
        }
        // Distinguishes builds of one release.
        let rebuilt = Kernel { version: "#2".into(), ..sample_kernel("old", 2) };
        let history = sample_folder(&both[..1]);
        assert_eq!(turn(&history, &rebuilt, 3).map(|turn| turn.side), Ok(1));
        assert_eq!(rebuilt.name(Some(&history[0].kernel)), "old (#2)");
    }
}
