//! What is run at this boot, by what the folder holds: a pure function, derived from the beginning each time.

use serde::de::{Deserializer, Error, Unexpected};
use serde::{Deserialize, Serialize};

/// The kernel that runs now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    pub release: String,
    pub version: String,
    pub boot: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootRun {
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
pub struct BootTurn {
    /// 0 = A, 1 = B.
    pub side: usize,
    pub made: usize,
    pub left: usize,
    /// The boot before this one has fewer runs than asked for.
    pub cut_short: bool,
}

impl Kernel {
    /// Whether it is the same build, of any boot.
    pub fn is_like(&self, other: &Kernel) -> bool {
        self.release == other.release && self.version == other.version
    }

    pub fn name(&self, other: Option<&Kernel>) -> String {
        match other {
            Some(other) if other.release == self.release => format!("{} ({})", self.release, self.version),
            _ => self.release.clone(),
        }
    }
}

/// The kernels of A and B, as far as they are known.
pub fn kernels(history: &[BootRun]) -> [Option<&Kernel>; 2] {
    [0, 1].map(|side| history.iter().find(|run| run.side == side).map(|run| &run.kernel))
}

pub fn boots(history: &[BootRun]) -> u32 {
    let mut boots: Vec<&str> = history.iter().map(|run| run.kernel.boot.as_str()).collect();
    boots.dedup();
    u32::try_from(boots.len()).unwrap_or(u32::MAX)
}

/// Why nothing is run at this boot. Kernels are told by their names, `to_do`: see the function of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutOfTurn {
    /// It is a third kernel.
    #[error(
        "this is kernel {here}, but the folder compares {a} with {b}; boot one of these, or name another \
         folder"
    )]
    Stranger { here: String, a: String, b: String },
    /// All runs of this boot are there.
    #[error("kernel {here} was already measured in this boot; {to_do}")]
    Done { here: String, to_do: String },
    /// Runs of this boot stand before those of another.
    #[error(
        "the runs of this boot come before those of another boot: the folder was changed or copied; name a \
         new folder"
    )]
    Disordered,
    /// It is the other kernel's turn.
    #[error("kernel {here} was measured in the boot before this one, and no other kernel since; {to_do}")]
    Again { here: String, to_do: String },
}

/// What is run at this boot, `repeat` runs each.
///
/// # Errors
/// Nothing: what to do.
pub fn turn(history: &[BootRun], here: &Kernel, repeat: usize) -> Result<BootTurn, OutOfTurn> {
    let known = kernels(history);
    let side = match known {
        [Some(a), _] if a.is_like(here) => 0,
        [_, Some(b)] if b.is_like(here) => 1,
        [None, _] => 0,
        [Some(_), None] => 1,
        [Some(a), Some(b)] => {
            return Err(OutOfTurn::Stranger {
                here: here.name(Some(a)),
                a: a.name(Some(b)),
                b: b.name(Some(a)),
            });
        }
    };
    let Some(last) = history.last() else {
        return Ok(BootTurn { side, made: 0, left: repeat, cut_short: false });
    };
    let made = history.iter().rev().take_while(|run| run.kernel.boot == last.kernel.boot).count();
    let is_cut_short = made < repeat;
    if last.kernel.boot == here.boot {
        return match is_cut_short {
            true => Ok(BootTurn { side, made, left: repeat - made, cut_short: false }),
            false => Err(OutOfTurn::Done { here: called(here, &known), to_do: to_do(&known, side) }),
        };
    }
    if history.iter().any(|run| run.kernel.boot == here.boot) {
        return Err(OutOfTurn::Disordered);
    }
    if side == last.side && !is_cut_short {
        return Err(OutOfTurn::Again { here: called(here, &known), to_do: to_do(&known, side) });
    }
    Ok(BootTurn { side, made: 0, left: repeat, cut_short: is_cut_short })
}

fn called(here: &Kernel, known: &[Option<&Kernel>; 2]) -> String {
    let other = known.iter().flatten().find(|kernel| !kernel.is_like(here));
    here.name(other.copied())
}

pub fn to_do(known: &[Option<&Kernel>; 2], measured: usize) -> String {
    let next = match known[1 - measured] {
        Some(kernel) => format!("kernel {}", kernel.name(known[measured])),
        None => "the other kernel".to_owned(),
    };
    format!("boot {next} and repeat the command")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, boot: u32) -> Kernel {
        Kernel { release: name.into(), version: "#1".into(), boot: boot.to_string() }
    }

    /// The runs of boots: kernel, boot and how many.
    fn folder(boots: &[(&str, u32, usize)]) -> Vec<BootRun> {
        let runs = boots.iter().flat_map(|(name, boot, count)| vec![kernel(name, *boot); *count]);
        let side = |kernel: &Kernel| usize::from(kernel.release != boots[0].0);
        runs.map(|kernel| BootRun { side: side(&kernel), kernel, began_ms: 0 }).collect()
    }

    #[test]
    fn kernels_take_turns_boot_by_boot() {
        let next = |side, made, left| Ok(BootTurn { side, made, left, cut_short: false });
        let after_a_cut = |side| Ok(BootTurn { side, made: 0, left: 3, cut_short: true });
        for (there, here, expected) in [
            (&[][..], kernel("old", 1), next(0, 0, 3)),
            (&[("old", 1, 2)], kernel("old", 1), next(0, 2, 1)),
            (&[("old", 1, 3)], kernel("new", 2), next(1, 0, 3)),
            (&[("old", 1, 3), ("new", 2, 1)], kernel("new", 2), next(1, 1, 2)),
            (&[("old", 1, 3), ("new", 2, 3)], kernel("old", 3), next(0, 0, 3)),
            // Cut off, and booted anew: the kernel has another try, or the other one its turn.
            (&[("old", 1, 2)], kernel("old", 2), after_a_cut(0)),
            (&[("old", 1, 2)], kernel("new", 2), after_a_cut(1)),
        ] {
            assert_eq!(turn(&folder(there), &here, 3), expected, "{there:?}");
        }
    }

    #[test]
    fn a_run_is_of_one_of_two_sides() {
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
    fn what_is_out_of_turn_is_told_with_what_to_do() {
        let both = [("old", 1, 3), ("new", 2, 3)];
        for (there, here, words) in [
            (
                &both[..1],
                kernel("old", 1),
                "kernel old was already measured in this boot; boot the other kernel and",
            ),
            (
                &both[..1],
                kernel("old", 2),
                "measured in the boot before this one, and no other kernel since; boot the other",
            ),
            (&both, kernel("new", 2), "boot kernel old and repeat the command"),
            (&both, kernel("newer", 3), "compares old with new; boot one of these"),
            (&both, kernel("old", 1), "the folder was changed"),
        ] {
            let told = turn(&folder(there), &here, 3).unwrap_err().to_string();
            assert!(told.contains(words), "{told}");
        }
        // Builds of one release are told apart.
        let rebuilt = Kernel { version: "#2".into(), ..kernel("old", 2) };
        let history = folder(&both[..1]);
        assert_eq!(turn(&history, &rebuilt, 3).map(|turn| turn.side), Ok(1));
        assert_eq!(rebuilt.name(Some(&history[0].kernel)), "old (#2)");
        assert_eq!(boots(&folder(&both)), 2);
    }
}
