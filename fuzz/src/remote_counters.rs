//! Fuzz target: counters of the kernel's NFS and SMB clients. Any list of mounts is read without a panic,
//! and a reading shows no work relative to itself. The first line is the mount.

use diskspd::machine::io_counters::Activity;
use diskspd::machine::remote::{RemoteActivity, TcpSegments};

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mount, text) = text.split_once('\n').unwrap_or(("", &text));
    let _ = TcpSegments::parse(text);
    let found = [RemoteActivity::parse_mountstats(text, mount), RemoteActivity::parse_smb_stats(text, mount)];
    for activity in found.into_iter().flatten() {
        let since = activity.since(&activity);
        assert_eq!((since.all().requests, since.read_bytes, since.write_bytes), (0, 0, 0));
        let _ = (Activity::from(&activity), activity.all().sent_again());
    }
}
