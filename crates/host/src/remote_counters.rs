//! Client counters of NFS and SMB mounts.

use super::root::Root;
use diskspd_machine::remote::{Protocol, RemoteActivity, RemoteMount, TcpSegments};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteReading {
    pub done: RemoteActivity,
    /// TCP segments sent by the machine; `None` = not reported.
    pub tcp: Option<TcpSegments>,
}

/// Reads the counters of a mount; `None` = missing or incomplete (pNFS).
pub fn read(root: &Root, mount: &RemoteMount) -> Option<RemoteReading> {
    let done = match mount.protocol {
        Protocol::Nfs => {
            let text = root.text("/proc/self/mountstats")?;
            RemoteActivity::parse_mountstats(&text, &escape_path(&mount.mount_point))
        }
        Protocol::Smb => {
            let text = root.text("/proc/fs/cifs/Stats")?;
            RemoteActivity::parse_smb_stats(&text, &mount.source)
        }
    }?;
    let tcp = root.text("/proc/self/net/snmp").and_then(|text| TcpSegments::parse(&text));
    Some(RemoteReading { done, tcp })
}

/// Formats a path as in the kernel's mount lists: blanks, tabs, line ends and backslashes in octal.
fn escape_path(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            ' ' => text.push_str("\\040"),
            '\t' => text.push_str("\\011"),
            '\n' => text.push_str("\\012"),
            '\\' => text.push_str("\\134"),
            other => text.push(other),
        }
    }
    text
}
