//! The MPI launcher of this machine, which starts the ranks itself.

use crate::cli::{Exit, HostsStart};
use crate::commands::shared::command_error::CommandError;
use crate::sys::mpi::CAN_LOAD;
use crate::sys::process_group::become_program;
use crate::sys::standard_error::print_line;
use std::ffi::OsString;
use std::process::{Command, Stdio};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundLauncher {
    program: &'static str,
    version: String,
    kind: LauncherKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LauncherKind {
    /// Version 4 needs an option to let the other ranks live when one is lost.
    OpenMpi4,
    OpenMpi,
    Mpich,
}

/// Finds a launcher; `None` = not installed, or this program cannot load MPI.
pub(super) fn find_launcher() -> Option<FoundLauncher> {
    let known = |program: &'static str| {
        let answer = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let (kind, version) = kind_of(&text)?;
        Some(FoundLauncher { program, version, kind })
    };
    CAN_LOAD.then(|| ["mpirun", "mpiexec"].into_iter().find_map(known)).flatten()
}

fn kind_of(text: &str) -> Option<(LauncherKind, String)> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    if first.contains("Open MPI") || first.contains("OpenRTE") {
        let kind = if first.contains(" 4.") { LauncherKind::OpenMpi4 } else { LauncherKind::OpenMpi };
        return Some((kind, first.to_owned()));
    }
    text.contains("HYDRA").then(|| {
        let version = text.lines().find_map(|line| line.trim().strip_prefix("Version:"));
        (LauncherKind::Mpich, format!("MPICH {}", version.unwrap_or_default().trim()))
    })
}

fn arguments(kind: LauncherKind, start: &HostsStart, program: &str) -> Vec<OsString> {
    let (hosts, count) = (start.hosts.join(","), start.hosts.len().to_string());
    let options = match kind {
        LauncherKind::OpenMpi4 => vec!["--enable-recovery", "--host", &hosts, "-n", &count],
        LauncherKind::OpenMpi => vec!["--host", &hosts, "-n", &count],
        LauncherKind::Mpich => vec!["-hosts", &hosts, "-n", &count],
    };
    let options = options.into_iter().map(OsString::from).chain([OsString::from(program)]);
    options.chain(start.words.iter().cloned()).collect()
}

/// Replaces this process with the launcher.
pub(super) fn replace_process(
    launcher: &FoundLauncher,
    start: &HostsStart,
    program: &str,
) -> Result<Exit, CommandError> {
    let FoundLauncher { program: name, version, kind } = launcher;
    print_line(format_args!("{name} ({version}) starts the ranks; --ssh starts them over ssh"));
    let failed = become_program(Command::new(name).args(arguments(*kind, start, program)));
    Err(CommandError::failed([format!("cannot start {name}: {failed}")]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_version() {
        let open = |version: &str| kind_of(&format!("mpirun (Open MPI) {version}\n\nReport bugs")).unwrap().0;
        assert_eq!((open("4.1.4"), open("5.0.7")), (LauncherKind::OpenMpi4, LauncherKind::OpenMpi));
        let hydra = "HYDRA build details:\n    Version:                                 4.0.2\n";
        assert_eq!(kind_of(hydra).unwrap(), (LauncherKind::Mpich, "MPICH 4.0.2".to_owned()));
        assert_eq!(kind_of("slurm 23.02"), None);
        assert_eq!(kind_of(""), None);
    }

    #[test]
    fn launcher_gets_hosts_program_and_command_line() {
        let hosts = ["a", "b"].map(str::to_owned).to_vec();
        let start = HostsStart { hosts, ssh: false, program: None, words: vec!["-d1".into(), "x y".into()] };
        let line = |kind| arguments(kind, &start, "/bin/d").join("|".as_ref());
        assert_eq!(line(LauncherKind::OpenMpi4), "--enable-recovery|--host|a,b|-n|2|/bin/d|-d1|x y");
        assert_eq!(line(LauncherKind::Mpich), "-hosts|a,b|-n|2|/bin/d|-d1|x y");
    }
}
