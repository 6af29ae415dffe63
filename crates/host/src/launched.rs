//! Processes that a launcher started on this host.

use super::process_stat::ProcessStat;
use super::root::Root;
use diskspd_sys::rank_socket::open_terminal;
use std::collections::BTreeMap;
use std::fs::File;

/// Maximum number of processes between a rank and the terminal of its launcher.
const MAX_ANCESTORS: usize = 8;

struct Process {
    name: String,
    /// Whether the process has ended, but is not reaped by its parent.
    is_over: bool,
    parent: u32,
}

/// Counts the running children of the nearest ancestor of this process with such a name. The names are
/// prefixes. `None` if the ancestor is invisible.
pub fn running(root: &Root, parents: &[&str]) -> Option<usize> {
    children(root, std::process::id(), parents)
}

/// Returns the terminal of the nearest ancestors with such names that pass on the standard error of this
/// process; `None` if there is no such terminal, or an option of theirs changes the passed lines.
pub fn terminal(names: &[&str], changing: &[&str]) -> Option<File> {
    let root = Root::live_system();
    let mut above = process(&root, std::process::id())?.parent;
    for _ in 0..MAX_ANCESTORS {
        let ancestor = process(&root, above)?;
        if names.iter().any(|name| ancestor.name.starts_with(name)) {
            let command = root.text(format!("/proc/{above}/cmdline"))?;
            let own = std::env::args().next().unwrap_or_default();
            let mut options = command.split('\0').take_while(|word| *word != own);
            if options.any(|word| changing.contains(&word)) {
                return None;
            }
            if let Some(terminal) = open_terminal(&root.path(format!("/proc/{above}/fd/2"))) {
                return Some(terminal);
            }
        }
        above = ancestor.parent;
    }
    None
}

fn children(root: &Root, own: u32, parents: &[&str]) -> Option<usize> {
    let pids = root.names("/proc").into_iter().filter_map(|name| name.parse().ok());
    let all: BTreeMap<u32, Process> = pids.filter_map(|pid| Some((pid, process(root, pid)?))).collect();
    let mut above = all.get(&own)?.parent;
    // A circle is impossible, except between two looks.
    for _ in 0..all.len() {
        let process = all.get(&above)?;
        if parents.iter().any(|name| process.name.starts_with(name)) {
            return Some(all.values().filter(|child| child.parent == above && !child.is_over).count());
        }
        above = process.parent;
    }
    None
}

fn process(root: &Root, pid: u32) -> Option<Process> {
    let stat = ProcessStat::read(root, pid)?;
    let is_over = matches!(stat.state()?, 'Z' | 'X');
    Some(Process { name: stat.name().to_owned(), is_over, parent: stat.parent()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn running_children_of_launcher_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for (pid, stat) in [
            (1, "1 (init) S 0 1"),
            (10, "10 (hydra_pmi_proxy) S 1 10"),
            (11, "11 (sh) S 10 11"),
            (12, "12 (a ) b (c) S 11 12"),
            (13, "13 (diskspd) R 10 13"),
            (14, "14 (false) Z 10 14"),
            (15, "15 (other) S 1 15"),
        ] {
            let place = folder.path().join(format!("proc/{pid}"));
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("stat"), stat).unwrap();
        }
        let root = Root::at(folder.path());
        for (own, parents, expected) in [
            (12, &["mpirun", "hydra_pmi"][..], Some(2)),
            (13, &["hydra_pmi_proxy"], Some(2)),
            (15, &["hydra_pmi_proxy"], None),
            (99, &["hydra_pmi_proxy"], None),
            (13, &["init"], Some(2)),
        ] {
            assert_eq!(children(&root, own, parents), expected, "{own} {parents:?}");
        }
    }
}
