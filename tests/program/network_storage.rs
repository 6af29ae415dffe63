//! Storage of other hosts: NFS and SMB, with the real clients and servers, in a virtual machine whose kernel has them.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::virtual_machine::{Outcome, VirtualMachine};
use serde_json::Value;
use std::sync::OnceLock;

const RUN: &str = "run() {
  name=$1; shift
  $DISKSPD -v --out $OUT/$name.json \"$@\" >/dev/null 2>$OUT/$name.err || echo \"$name: exit $?\"
}
";

/// Starts the kernel's server of NFS 4.2, and mounts it.
const NFS: &str = "mkdir /tmp/served /tmp/nfs
mount -t tmpfs state /var/lib/nfs
mkdir /var/lib/nfs/v4recovery
touch /var/lib/nfs/etab /var/lib/nfs/rmtab
mount -t nfsd nfsd /proc/fs/nfsd
echo 10 >/proc/fs/nfsd/nfsv4leasetime
echo 10 >/proc/fs/nfsd/nfsv4gracetime
exportfs -i -o rw,fsid=0,no_root_squash,insecure,no_subtree_check '*:/tmp/served'
rpc.mountd -N 3
rpc.nfsd -N 3 2
echo Y >/proc/fs/nfsd/v4_end_grace
head -c 2M /dev/urandom >/tmp/served/file
mount -t nfs4 -o vers=4.2,rsize=65536,wsize=65536 127.0.0.1:/ /tmp/nfs
server() { grep -E '^io|^proc4ops' /proc/net/rpc/nfsd >$OUT/$1; }
server before
run nfs-direct -b4K -r -w30 -o1 -Su -W0 -d1 /tmp/nfs/file
server after
run nfs-cached --strict -b4K -r -o1 -Sb -f64K -W1 -d1 /tmp/nfs/file
";

/// Starts Samba's server, and mounts it.
const SMB: &str = "mkdir /tmp/private /tmp/state /tmp/smb
cat >/tmp/smb.conf <<END
[global]
server role = standalone server
smb ports = 445
interfaces = 127.0.0.1/8
bind interfaces only = yes
map to guest = Bad User
private dir = /tmp/private
lock directory = /tmp/state
state directory = /tmp/state
cache directory = /tmp/state
pid directory = /tmp/state
ncalrpc dir = /tmp/state/rpc
log file = /tmp/state/log
load printers = no
disable spoolss = yes
[Data]
path = /tmp/served
guest ok = yes
read only = no
force user = root
END
smbd --daemon -s /tmp/smb.conf
mounted() { mount -t cifs -o guest,vers=2.1 //127.0.0.1/data /tmp/smb; }
for try in 1 2 3 4 5 6 7 8 9; do mounted && break; sleep 1; done
run smb-direct -b4K -r -w30 -o1 -Su -W0 -d1 /tmp/smb/file
run smb-cached --strict -b4K -r -o1 -Sb -f64K -W1 -d1 /tmp/smb/file
";

/// Packet loss, last, because it affects all local traffic of the host.
const LOSSY: &str = "tc qdisc add dev lo root netem loss 10%
run nfs-lossy -b4K -r -t4 -o1 -Su -W0 -d3 /tmp/nfs/file
";

fn outcome() -> Option<&'static Outcome> {
    static OUTCOME: OnceLock<Option<Outcome>> = OnceLock::new();
    let boot = || {
        let modules = ["nfsd", "nfsv4", "sch_netem", "cifs", "cmac", "md4", "ecb", "sha512_generic"];
        let machine = modules.into_iter().fold(VirtualMachine::new(), VirtualMachine::module);
        machine.script(&format!("{RUN}{NFS}{SMB}{LOSSY}")).run()
    };
    let outcome = OUTCOME.get_or_init(boot).as_ref()?;
    assert_eq!(outcome.exit, 0, "{}", outcome.console);
    Some(outcome)
}

struct Observed {
    record: Value,
    said: String,
}

impl Observed {
    #[track_caller]
    fn observe(outcome: &Outcome, name: &str) -> Observed {
        let record = serde_json::from_str(&outcome.text(&format!("{name}.json"))).unwrap();
        Observed { record, said: outcome.text(&format!("{name}.err")) }
    }

    fn part(&self) -> &Value {
        &self.record["judgement"]["verdicts"][0]["parts"][0]
    }

    fn done(&self, side: &str) -> u64 {
        self.facts()[side].as_u64().unwrap_or_else(|| panic!("{side} in {}", self.facts()))
    }

    fn facts(&self) -> &Value {
        let span = &self.record["hosts"][0]["results"]["time_spans"][0];
        &span["observed"]["devices"]["remote"][0]["activity"]
    }

    #[track_caller]
    fn is(&self, verdict: &str, texts: &[&str]) {
        assert_eq!(self.part()["verdict"], verdict, "{}", self.said);
        for text in texts {
            assert!(self.said.contains(text), "{text:?} in {}", self.said);
        }
    }
}

/// Returns the numbers of a line of `/proc/net/rpc/nfsd`.
fn served(text: &str, line: &str) -> Vec<u64> {
    let line = text.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    line.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

#[test]
fn nfs_verdict_uses_client_requests_confirmed_by_server() {
    let Some(outcome) = outcome() else { return };
    let direct = Observed::observe(outcome, "nfs-direct");
    direct.is("verified", &["the server read and wrote as much", "queued in the client"]);
    let [before, after] = ["before", "after"].map(|name| outcome.text(name));
    let server = |index: usize| served(&after, "io")[index] - served(&before, "io")[index];
    for (side, index) in [("read_bytes", 0), ("write_bytes", 1)] {
        let (client, server) = (direct.done(side), server(index));
        // What was in flight when accounting was switched off reached the server too; a thread has one I/O, and
        // the file is looked at before.
        assert!(client > 0 && client <= server && server <= client + (1 << 20), "{side}: {client} {server}");
    }
    let times = &direct.facts()["read"]["times"];
    assert!(times["total_ms"].as_u64() >= times["round_trip_ms"].as_u64(), "{times}");

    let answered = "served from the page cache, not by the server";
    Observed::observe(outcome, "nfs-cached").is("cached", &[answered, "is unknown to this host"]);
    assert!(outcome.console.contains("nfs-cached: exit 2"), "{}", outcome.console);
    let lossy = Observed::observe(outcome, "nfs-lossy");
    assert!(lossy.said.contains("acknowledgements were lost, or late: TCP sent"), "{}", lossy.said);
}

#[test]
fn smb_run_is_judged_by_client_counters() {
    let Some(outcome) = outcome() else { return };
    let direct = Observed::observe(outcome, "smb-direct");
    direct.is("verified", &["the server read and wrote as much", "not how long they took"]);
    assert!(direct.done("read_bytes") > 0 && direct.done("write_bytes") > 0, "{}", direct.facts());
    Observed::observe(outcome, "smb-cached").is("cached", &["served from the page cache, not by the server"]);
    assert!(outcome.console.contains("smb-cached: exit 2"), "{}", outcome.console);
}
