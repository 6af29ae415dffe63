//! `diskspd hosts`: with a stand-in for ssh, with OpenSSH's server, and with a stand-in for a launcher.

#![allow(clippy::unwrap_used)]

use super::hosts_lab::json;
use crate::common::{Ended, directory, output, skip, tool};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_diskspd");
const SIM: &str = "--engine=sim -b4K -r -z3 -c1G -d1 -W0 -L -g300i --out r.json f%r";
/// Runs the remote command here; hosts with these names fail.
const SSH: &str = "\
case \"$5\" in
  gone) echo 'ssh: no route to host' >&2; exit 255;;
  old) echo 'diskspd hosts: DiskSpd for Linux 0.0.1'; exec cat >/dev/null;;
  chatty) echo 'Welcome to this host';;
esac
exec sh -c \"$6\"";

fn script(folder: &Path, name: &str, text: &str) {
    let path = folder.join("bin").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns `diskspd hosts` with the scripts of the folder first in the path.
fn hosts(folder: &Path, line: &str) -> Command {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(PROGRAM);
    command.arg("hosts").args(line.split(' ')).current_dir(folder).env("PATH", path);
    command.env("DISKSPD_STORE", folder.join("store")).env("TMPDIR", folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, line: &str) -> Ended {
    output(&mut hosts(folder, line)).unwrap().into()
}

#[test]
fn hosts_over_ssh_make_one_record_like_ranks() {
    let folder = directory();
    script(folder.path(), "ssh", SSH);
    let ended = run(folder.path(), &format!("--ssh a,chatty,a -- {SIM}")).succeeds();
    let record = json(&folder.path().join("r.json"));
    let ranks: Vec<u64> =
        record["hosts"].as_array().unwrap().iter().map(|host| host["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, [0, 1, 2]);
    assert!(record["hosts"].as_array().unwrap().iter().all(|host| host["missing"].is_null()));
    // Three hosts are three threads of one host.
    let mut one = Command::new(PROGRAM);
    one.args(SIM.replace("f%r", "-t3 x").split(' ')).current_dir(folder.path());
    let one: Ended = output(&mut one).unwrap().into();
    assert_eq!(ended.report().total("Total IO"), one.report().total("Total IO"));
}

#[test]
fn arguments_reach_ranks_without_a_shell() {
    let folder = directory();
    script(folder.path(), "ssh", SSH);
    let mut command = hosts(folder.path(), "--ssh a,b -- --engine=sim -b4K -c1G -d1 -W0");
    let ended: Ended = output(command.arg("a 'b' $(touch made) \"c\";touch made%r")).unwrap().into();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("$(touch made)"), "{}", ended.stdout);
    assert!(!folder.path().join("made").exists());
}

#[test]
fn unreachable_and_other_hosts_are_named() {
    let folder = directory();
    script(folder.path(), "ssh", SSH);
    let gone = run(folder.path(), &format!("--ssh a,gone -- {SIM}"));
    gone.fails(1, &["gone: ssh could not connect"]);
    run(folder.path(), &format!("--ssh a,old -- {SIM}")).fails(1, &["old: it runs DiskSpd for Linux 0.0.1"]);
    let program = run(folder.path(), &format!("--ssh --program /nowhere/diskspd a,b -- {SIM}"));
    program.fails(1, &["--program"]);
    let wrong = run(folder.path(), "--ssh a,b -- --bogus x");
    wrong.fails(3, &["--bogus"]);
    assert_eq!(wrong.stderr.matches("--bogus").count(), 1, "{}", wrong.stderr);
    assert!(!folder.path().join("r.json").exists());
}

#[test]
fn lost_connection_leaves_figures_of_other_hosts() {
    let folder = directory();
    script(folder.path(), "ssh", &format!("echo $$ > pid-$5\n{SSH}").replace("exec sh -c", "sh -c"));
    let line = "--ssh a,b -- --stream s.json --out r.json --engine null -b4K -g50i -c1M -d300 -W0 f%r";
    let mut command = hosts(folder.path(), line);
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let streamed = || fs::metadata(folder.path().join("s.json")).is_ok_and(|file| file.len() > 0);
    while !streamed() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    // The stand-in and the shell that it started, which is the end on that host.
    let pid = fs::read_to_string(folder.path().join("pid-b")).unwrap();
    let group = format!("-{}", pid.trim());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    let ended: Ended = running.wait_with_output().unwrap().into();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("1 of 2 hosts"), "{}", ended.stderr);
    assert!(json(&folder.path().join("r.json"))["hosts"][1]["missing"].is_string());
}

#[test]
fn installed_launcher_is_preferred() {
    let folder = directory();
    script(
        folder.path(),
        "mpirun",
        "[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4' || echo \"$@\"",
    );
    script(folder.path(), "ssh", "exit 255");
    let ended = run(folder.path(), "a,b -- -d1 x");
    let expected = format!("--enable-recovery --host a,b -n 2 {PROGRAM} -d1 x\n");
    assert_eq!((ended.code, ended.stdout), (0, expected), "{}", ended.stderr);
    assert_eq!(run(folder.path(), "--ssh a,b -- -d1 x").code, 1);
}

/// OpenSSH server on a free port of this machine, ended on drop.
struct Server(std::process::Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn server(folder: &Path) -> Option<Server> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if tool("ssh -V").is_none() || !Path::new("/usr/sbin/sshd").exists() || !is_root {
        skip("root, ssh (openssh-client) or sshd (openssh-server) is missing");
        return None;
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for key in ["host", "user"] {
        let mut keygen = Command::new("ssh-keygen");
        let made = keygen.args(["-q", "-t", "ed25519", "-N", "", "-f", key]).current_dir(folder).status();
        assert!(made.unwrap().success());
    }
    fs::create_dir_all("/run/sshd").unwrap();
    let below = folder.display();
    let settings = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {below}/host\nAuthorizedKeysFile {below}/user.pub\n\
         StrictModes no\nPidFile none\nPermitRootLogin yes\nUsePAM no\n"
    );
    fs::write(folder.join("settings"), settings).unwrap();
    let options = format!("-F none -p {port} -i {below}/user -o UserKnownHostsFile=/dev/null");
    script(
        folder,
        "ssh",
        &format!("exec /usr/bin/ssh {options} -o StrictHostKeyChecking=no -o LogLevel=ERROR \"$@\""),
    );
    let mut sshd = Command::new("/usr/sbin/sshd");
    let server = Server(sshd.arg("-D").arg("-f").arg(folder.join("settings")).spawn().unwrap());
    let until = Instant::now() + Duration::from_secs(20);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(server)
}

#[test]
fn openssh_carries_a_sweep_over_hosts() {
    let folder = directory();
    let Some(_server) = server(folder.path()) else { return };
    let line = "--ssh 127.0.0.1,localhost -- sweep --hosts 1,2 --csv s.csv --engine=sim -b4K -r -z3 -c1G -d1 \
                -W0 -L -g300i f%r";
    run(folder.path(), line).succeeds();
    let rows = fs::read_to_string(folder.path().join("s.csv")).unwrap();
    assert_eq!(rows.lines().count(), 3, "{rows}");
}
