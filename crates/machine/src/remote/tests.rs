use super::*;
use crate::io_counters::Activity;

const MOUNTSTATS: &str = "device proc mounted on /proc with fstype proc
device old:/srv mounted on /mnt with fstype nfs statvers=1.1
\tbytes:\t9 9 9 9 9 9 9 9
\t        READ: 9 9 9 9 9 9 9 9 9
\t       WRITE: 9 9 9 9 9 9 9 9 9
device 127.0.0.1:/ mounted on /mnt with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=131072,wsize=131072
\tnfsv4:\tbm0=0xfdffbfff,acl=0x3,sessions,pnfs=not configured,lease_time=90
\tbytes:\t1 2 3 4 4096 8192 7 8
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\ttcp 700 1 1 0 0 24 24 0 30 0 2 0 0
\tper-op statistics
\t        NULL: 1 1 0 44 24 0 0 0 0
\t        READ: 10 12 1 2000 5000 3 40 50 2
\t       WRITE: 2 2 0 9000 200 1 8 10
\t      COMMIT: 1 1 0 200 100 0 5 5 0
device tmpfs mounted on /mnt/x with fstype tmpfs
";

#[test]
fn nfs_counters_come_from_topmost_mount() {
    let found = RemoteActivity::parse_mountstats(MOUNTSTATS, "/mnt").unwrap();
    assert_eq!((found.read_bytes, found.write_bytes), (4096, 8192));
    assert_eq!((found.read.requests, found.read.sent_again(), found.read.errors), (10, 2, 2));
    assert_eq!(found.read.times.unwrap(), CallTimes { queue_ms: 3, round_trip_ms: 40, total_ms: 50 });
    assert_eq!(found.write.errors, 0, "older kernels do not count them");
    assert_eq!(found.commit.requests, 1);
    assert_eq!(found.all().requests, 13);
    let device = Activity::from(&found);
    assert_eq!((device.read.ios, device.write.bytes, device.flushes), (10, 8192, Some(1)));
    assert_eq!(device.queue_ms, 65);
    assert_eq!(found.since(&found).all().times, Some(CallTimes::default()));
}

#[test]
fn incomplete_mount_statistics_are_refused() {
    let parse = RemoteActivity::parse_mountstats;
    assert_eq!(parse(MOUNTSTATS, "/mn"), None);
    assert_eq!(parse(MOUNTSTATS, "/proc"), None);
    assert_eq!(parse("", ""), None);
    let parallel = MOUNTSTATS.replace("pnfs=not configured", "pnfs=LAYOUT_NFSV4_1_FILES");
    assert_eq!(parse(&parallel, "/mnt"), None, "other servers have the data");
    for broken in ["bytes:\t1 2 3 4 4096 x", "READ: 10 12 1 2000 5000 3 40", "READ: "] {
        let whole = broken.split_once(':').unwrap().0;
        let line = MOUNTSTATS.lines().rev().find(|line| line.contains(&format!("{whole}:"))).unwrap();
        assert_eq!(parse(&MOUNTSTATS.replace(line, broken), "/mnt"), None, "{broken}");
    }
}

const SMB_STATS: &str = "Resources in use
CIFS Session: 1
0 session 3 share reconnects
Total vfs operations: 16 maximum at one time: 2

1) \\\\127.0.0.1\\IPC$
SMBs: 3
Bytes read: 0  Bytes written: 0
Reads: 0 total 0 failed
Writes: 0 total 0 failed
2) \\\\127.0.0.1\\Data
SMBs: 30
Bytes read: 4096  Bytes written: 8192
Open files: 0 total (local), 0 open on server
Flushes: 2 total 0 failed
Reads: 5 total 1 failed
Writes: 6 total 0 failed
";

#[test]
fn share_counters_are_matched_to_their_share() {
    let found = RemoteActivity::parse_smb_stats(SMB_STATS, "//127.0.0.1/data").unwrap();
    assert_eq!((found.read_bytes, found.write_bytes, found.reconnects), (4096, 8192, Some(0)));
    assert_eq!((found.read.requests, found.read.errors, found.write.requests), (5, 1, 6));
    assert_eq!(found.commit.requests, 2);
    assert_eq!(found.read.times, None);
    assert_eq!(RemoteActivity::parse_smb_stats(SMB_STATS, "//127.0.0.1/other"), None);
    assert_eq!(RemoteActivity::parse_smb_stats("2) \\\\a\\b\n", "//a/b"), None);
}

#[test]
fn tcp_segments_are_parsed_by_name() {
    let text = "Ip: a\nIp: 1\nTcp: InSegs OutSegs RetransSegs\nTcp: 5 7 2\n";
    assert_eq!(TcpSegments::parse(text), Some(TcpSegments { sent: 7, retransmitted: 2 }));
    assert_eq!(TcpSegments::parse("Tcp: OutSegs RetransSegs\nTcp: 5\n"), None);
}
