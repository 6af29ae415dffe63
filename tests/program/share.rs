//! A real share: a Samba server on a loopback address, and a client in user space, because not every kernel has one.

#![allow(clippy::unwrap_used)]

use crate::common::loops;
use crate::common::{diskspd, skip};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Server of the share `data`, mounted with all others of the network; ended and unmounted on drop.
struct Server {
    process: Child,
    /// One of many loopback addresses, so that tests can run in parallel.
    address: String,
    network: PathBuf,
    directory: tempfile::TempDir,
}

impl Server {
    fn new() -> Option<Server> {
        if !rustix::process::geteuid().is_root() {
            skip("a Samba server needs root");
            return None;
        }
        let directory = crate::common::directory();
        let at = |name: &str| directory.path().join(name);
        for name in ["data", "private", "state", "network", ".smb"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let process = std::process::id();
        let address =
            format!("127.{}.{}.{}", 64 + (process >> 16) % 64, process >> 8 & 0xff, process % 254 + 1);
        let below = |name: &str| at(name).display().to_string();
        let (private, state) = (below("private"), below("state"));
        let server = format!(
            "[global]\nserver role = standalone server\nsmb ports = 445\ninterfaces = {address}/8\n\
             bind interfaces only = yes\nmap to guest = Bad User\nprivate dir = {private}\n\
             lock directory = {state}\nstate directory = {state}\ncache directory = {state}\npid directory = {state}\n\
             ncalrpc dir = {state}/rpc\nlog file = {state}/log\nload printers = no\ndisable spoolss = yes\n\
             [data]\npath = {}\nguest ok = yes\nread only = no\nforce user = root\n",
            below("data")
        );
        std::fs::write(at("server.conf"), server).unwrap();
        std::fs::write(
            at(".smb/smb.conf"),
            format!("[global]\nprivate dir = {private}\nlock directory = {state}\n"),
        )
        .unwrap();
        std::fs::write(at(".smb/smbnetfs.conf"), "auth \"guest\" \"\"\n").unwrap();
        std::fs::set_permissions(at(".smb/smbnetfs.conf"), PermissionsExt::from_mode(0o600)).unwrap();

        let mut server = Command::new("smbd");
        server.args(["--foreground", "--no-process-group", "-s"]).arg(at("server.conf"));
        let Ok(process) = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            skip("smbd is missing");
            return None;
        };
        let network = at("network");
        let server = Server { process, address, network, directory };
        if !(0..2400).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            TcpStream::connect((server.address.as_str(), 445)).is_ok()
        }) {
            skip("smbd is not responding");
            return None;
        }
        let config = format!("config={}", server.directory.path().join(".smb/smbnetfs.conf").display());
        let mount = Command::new("smbnetfs")
            .env("HOME", server.directory.path())
            .arg(&server.network)
            .args(["-o", &config])
            .output();
        if !mount.is_ok_and(|output| output.status.success()) {
            skip("smbnetfs is missing, or cannot mount");
            return None;
        }
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        crate::common::tool(&format!("umount {}", self.network.display()));
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn files_on_a_share_work_in_every_mode() {
    let Some(server) = Server::new() else { return };
    let file = server.network.join(&server.address).join("data/test.dat");
    let ended = diskspd("-c2M -b64K -r -o4 BRIEF {}", &file);
    assert!(ended.report().total("Read IO").ios > 0);
    let there = server.directory.path().join("data/test.dat");
    let pattern: Vec<u8> = (0..2 << 20).map(|i| i as u8).collect();
    assert!(std::fs::read(&there).unwrap() == pattern, "the server has what was created");
    std::fs::write(&there, vec![0xee; 2 << 20]).unwrap();
    for option in ["-Sr", "-Srw", "-Su", "-Sh"] {
        let ended = diskspd(&format!("-b4K -B1M:64K -w100 -o4 {option} BRIEF {{}}"), &file);
        assert!(ended.report().total("Write IO").ios > 0, "{option}");
    }
    let content = std::fs::read(&there).unwrap();
    assert!(content[1 << 20..][..64 << 10] == pattern[..64 << 10], "what was written is on the server");
    assert!(content[..1 << 20].iter().chain(&content[(1 << 20) + (64 << 10)..]).all(|&b| b == 0xee));

    // Only with this network mounted last do names of shares lead into it.
    let mounts = loops::run("cat", &["/proc/self/mountinfo"]).unwrap();
    let networks: Vec<&str> = mounts.lines().filter(|line| line.contains(" smbnetfs ")).collect();
    if networks.last().is_some_and(|line| line.contains(server.network.to_str().unwrap())) {
        for name in
            [format!("//{}/data/test.dat", server.address), format!("\\\\{}\\data\\test.dat", server.address)]
        {
            let ended = diskspd(&format!("-b4K -r BRIEF {name}"), Path::new(""));
            assert!(ended.report().total("Read IO").ios > 0);
        }
    }
}
