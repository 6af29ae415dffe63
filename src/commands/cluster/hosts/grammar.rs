//! `diskspd hosts`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::{OptionRow, switch, text};
use crate::cli::requests::{HostsRequest, HostsStart};

/// Maximum number of hosts, limited by the open files of a process.
const MAX_HOSTS: usize = 4096;

const SSH: OptionRow = switch("--ssh", "start the ranks over ssh even if an MPI launcher is installed");
const PROGRAM: OptionRow = text("--program", "<file>", "/opt/diskspd", "path of diskspd on the hosts")
    .with_default("the path of this program");
const SERVE: OptionRow = switch("--serve", "be the other end on a host: diskspd hosts starts it over ssh");

pub(super) const HOSTS: Command = Command {
    name: "hosts",
    arguments: "[--ssh] [--program <file>] <host>,<host>[,..] -- <command line>",
    help: "run a command line on several hosts, one rank each: with mpirun where it is installed, else over \
           ssh (docs/reference/hosts.md)",
    options: &[SSH, PROGRAM, SERVE],
    exclusive: &[&[SSH, SERVE], &[PROGRAM, SERVE]],
    takes: Operands::Program,
    examples: &[
        ("diskspd hosts a,b,c -- -b4K -o32 -r -d60 -W10 -L -c100G /data/%h.dat", "one run on three hosts"),
        (
            "diskspd hosts --ssh a,b -- sweep --hosts 1,2 -b64K -r -d30 -c10G /mnt/shared/%r.dat",
            "a sweep over the number of hosts, without MPI",
        ),
    ],
    make,
};

fn make(line: CommandLine) -> Result<Invocation, CliError> {
    let words = line.line.clone().unwrap_or_default();
    if line.has_option(&SERVE) {
        return match line.words.is_empty() && words.is_empty() {
            true => Ok(Invocation::Hosts(HostsRequest::Serve)),
            false => Err(CliError::new("hosts --serve takes no host and no command line")
                .hint("leave out --serve: diskspd hosts a,b -- OPTIONS TARGETS")),
        };
    }
    let [list] = &line.words[..] else {
        return Err(CliError::new("expected one list of hosts before --")
            .hint("separate hosts with commas: diskspd hosts a,b,c -- -b4K -d60 TARGET"));
    };
    let hosts: Vec<String> = list.to_string_lossy().split(',').map(str::to_owned).collect();
    if let Some(wrong) = hosts.iter().find(|host| !is_host(host)) {
        return Err(CliError::new(format!("'{wrong}' is not a host name"))
            .hint("use names and addresses of letters, digits and . - _ : @, separated by commas"));
    }
    if hosts.len() < 2 || hosts.len() > MAX_HOSTS {
        return Err(CliError::new(format!("expected 2 to {MAX_HOSTS} hosts, found {}", hosts.len()))
            .hint("name several hosts: diskspd hosts a,b -- OPTIONS TARGETS"));
    }
    if words.is_empty() || words[0] == "hosts" {
        return Err(CliError::new("hosts: no command line is given after --").hint(
            "write options and targets, or a command such as sweep: diskspd hosts a,b -- -d60 TARGET",
        ));
    }
    let program = |text: &str| match is_plain_path(text) {
        true => Ok(text.to_owned()),
        false => Err("an absolute path of letters, digits and / . - _ +".to_owned()),
    };
    let program = line.read_value(&PROGRAM, program)?;
    Ok(Invocation::Hosts(HostsRequest::Start(HostsStart {
        hosts,
        ssh: line.has_option(&SSH),
        program,
        words,
    })))
}

/// Whether a word is the name of a host and not an option, for ssh and for launchers.
fn is_host(word: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_:@".contains(letter);
    word.len() <= 255
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.chars().all(plain)
}

pub fn is_plain_path(path: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/.-_+".contains(letter);
    path.starts_with('/') && path.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;

    #[test]
    fn hosts_and_command_line_are_separated() {
        let Invocation::Hosts(request) = parsed("hosts a,root@b.example,10.0.0.1 -- -d1 --ssh x").unwrap()
        else {
            panic!("another command");
        };
        let expected = HostsStart {
            hosts: ["a", "root@b.example", "10.0.0.1"].map(str::to_owned).to_vec(),
            ssh: false,
            program: None,
            words: ["-d1", "--ssh", "x"].map(Into::into).to_vec(),
        };
        assert_eq!(request, HostsRequest::Start(expected));
        assert_eq!(parsed("hosts --serve").unwrap(), Invocation::Hosts(HostsRequest::Serve));
    }

    #[test]
    fn unsafe_names_and_missing_parts_are_refused() {
        for line in [
            "hosts",
            "hosts a,b",
            "hosts a,b --",
            "hosts a,b -- hosts a,b -- x",
            "hosts a -- -d1 x",
            "hosts a,,b -- -d1 x",
            "hosts a,-oProxyCommand=x -- -d1 x",
            "hosts a,b;x -- -d1 x",
            "hosts a,$(x) -- -d1 x",
            "hosts a b -- -d1 x",
            "hosts --program x a,b -- -d1 x",
            "hosts --program /x;y a,b -- -d1 x",
            "hosts --serve a,b -- -d1 x",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
