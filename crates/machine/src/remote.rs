//! Mounts of remote files (NFS, SMB) and their client counters, which replace the block device counters of
//! disks.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    #[default]
    Nfs,
    /// SMB of any version (`cifs`).
    Smb,
}

impl Protocol {
    /// Returns the protocol of a mount(8) file system type; `None` = its client has no counters.
    pub fn from_file_system(file_system: &str) -> Option<Protocol> {
        match file_system {
            "nfs" | "nfs4" => Some(Protocol::Nfs),
            "cifs" | "smb3" => Some(Protocol::Smb),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteMount {
    pub protocol: Protocol,
    pub source: String,
    pub mount_point: String,
}

/// Requests of one kind that the client sent: since the mount was made, or within a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteCalls {
    /// Completed or abandoned requests.
    pub requests: u64,
    /// Number of transmitted requests, including repeated ones; `None` = not counted by the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transmissions: Option<u64>,
    /// Requests without a reply in time.
    #[serde(default)]
    pub timeouts: u64,
    #[serde(default)]
    pub errors: u64,
    /// Total duration; `None` = not counted by the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<CallTimes>,
}

/// Total times of requests in ms. A request waits in the client, then has a round trip, then is processed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTimes {
    /// Wait in the client before transmission.
    pub queue_ms: u64,
    pub round_trip_ms: u64,
    pub total_ms: u64,
}

impl RemoteCalls {
    fn since(&self, earlier: &RemoteCalls) -> RemoteCalls {
        let both = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let times = self.times.zip(earlier.times).map(|(now, then)| CallTimes {
            queue_ms: now.queue_ms.saturating_sub(then.queue_ms),
            round_trip_ms: now.round_trip_ms.saturating_sub(then.round_trip_ms),
            total_ms: now.total_ms.saturating_sub(then.total_ms),
        });
        RemoteCalls {
            requests: self.requests.saturating_sub(earlier.requests),
            transmissions: both(self.transmissions, earlier.transmissions),
            timeouts: self.timeouts.saturating_sub(earlier.timeouts),
            errors: self.errors.saturating_sub(earlier.errors),
            times,
        }
    }

    fn combine_with(self, other: RemoteCalls) -> RemoteCalls {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        let times = self.times.zip(other.times).map(|(a, b)| CallTimes {
            queue_ms: a.queue_ms.saturating_add(b.queue_ms),
            round_trip_ms: a.round_trip_ms.saturating_add(b.round_trip_ms),
            total_ms: a.total_ms.saturating_add(b.total_ms),
        });
        RemoteCalls {
            requests: self.requests.saturating_add(other.requests),
            transmissions: sum(self.transmissions, other.transmissions),
            timeouts: self.timeouts.saturating_add(other.timeouts),
            errors: self.errors.saturating_add(other.errors),
            times,
        }
    }

    /// Returns the number of retransmissions; 0 = not counted by the client.
    pub fn sent_again(&self) -> u64 {
        self.transmissions.unwrap_or(0).saturating_sub(self.requests)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteActivity {
    /// Reads sent to the server.
    pub read: RemoteCalls,
    pub read_bytes: u64,
    /// Writes sent to the server.
    pub write: RemoteCalls,
    /// Bytes of these writes.
    pub write_bytes: u64,
    pub commit: RemoteCalls,
    /// Number of re-created sessions of all mounts; `None` = not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconnects: Option<u64>,
}

impl RemoteActivity {
    pub fn since(&self, earlier: &RemoteActivity) -> RemoteActivity {
        let both = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        RemoteActivity {
            read: self.read.since(&earlier.read),
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            write: self.write.since(&earlier.write),
            write_bytes: self.write_bytes.saturating_sub(earlier.write_bytes),
            commit: self.commit.since(&earlier.commit),
            reconnects: both(self.reconnects, earlier.reconnects),
        }
    }

    pub fn all(&self) -> RemoteCalls {
        self.read.combine_with(self.write).combine_with(self.commit)
    }

    /// Parses the NFS mount at this place in `/proc/self/mountstats`. `None` if missing or incomplete,
    /// because pNFS I/O to other servers is not counted here.
    ///
    /// The last mount at a place hides earlier ones. Fields are as in `fs/nfs/super.c` (`nfs_show_stats`)
    /// and `net/sunrpc/stats.c` (`rpc_clnt_show_stats`) of Linux.
    pub fn parse_mountstats(text: &str, at: &str) -> Option<RemoteActivity> {
        let here = format!(" mounted on {at} with fstype nfs");
        let begin = text.rmatch_indices(&here).map(|(begin, _)| begin).next()?;
        let block = text.get(begin..)?;
        let block = block.find("\ndevice ").and_then(|end| block.get(..end)).unwrap_or(block);
        let line = |name: &str| {
            let mut lines = block.lines().map(str::trim_start);
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        };
        let parallel = block.split(['\t', ',', '\n']).find_map(|word| word.strip_prefix("pnfs="));
        if parallel.is_some_and(|layout| layout != "not configured") {
            return None;
        }
        let numbers = |text: &str| -> Vec<u64> {
            text.split_ascii_whitespace().map_while(|field| field.parse().ok()).collect()
        };
        let bytes = numbers(line("bytes")?);
        let calls = |name: &str| {
            let fields = numbers(line(name)?);
            let at = |index: usize| fields.get(index).copied();
            Some(RemoteCalls {
                requests: at(0)?,
                transmissions: Some(at(1)?),
                timeouts: at(2)?,
                errors: at(8).unwrap_or(0),
                times: Some(CallTimes { queue_ms: at(5)?, round_trip_ms: at(6)?, total_ms: at(7)? }),
            })
        };
        let read = calls("READ")?;
        Some(RemoteActivity {
            read: calls("READ_PLUS").map_or(read, |plus| read.combine_with(plus)),
            read_bytes: *bytes.get(4)?,
            write: calls("WRITE")?,
            write_bytes: *bytes.get(5)?,
            commit: calls("COMMIT").unwrap_or_default(),
            reconnects: None,
        })
    }

    /// Parses a share (`//server/share`) in `/proc/fs/cifs/Stats`; `None` if missing. All mounts of the
    /// share have common counters.
    ///
    /// Fields are as in `cifs_stats_proc_show` and `smb2_print_stats` of Linux's SMB client.
    pub fn parse_smb_stats(text: &str, share: &str) -> Option<RemoteActivity> {
        let plain = |name: &str| name.replace('\\', "/").trim_end_matches('/').to_lowercase();
        let share = plain(share);
        let header = |line: &str| -> Option<String> {
            let (number, name) = line.split_once(") ")?;
            number.parse::<u32>().ok().map(|_| plain(name.split('\t').next().unwrap_or(name).trim()))
        };
        let mut lines = text.lines().skip_while(|line| header(line).as_ref() != Some(&share));
        lines.next()?;
        let block: Vec<&str> = lines.take_while(|line| header(line).is_none()).collect();
        let after = |name: &str| -> Option<u64> {
            let rest = block.iter().find_map(|line| Some(line.split_once(name)?.1))?;
            rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        let calls = |name: &str| -> Option<RemoteCalls> {
            let line = block.iter().find_map(|line| line.strip_prefix(name))?;
            let number = |text: &str| text.split_ascii_whitespace().next()?.parse().ok();
            let errors = line.split_once("total").and_then(|(_, rest)| number(rest)).unwrap_or(0);
            Some(RemoteCalls { requests: number(line)?, errors, ..RemoteCalls::default() })
        };
        let reconnects = || {
            let line = text.lines().find(|line| line.ends_with("share reconnects"))?;
            line.split_ascii_whitespace().next()?.parse().ok()
        };
        Some(RemoteActivity {
            read: calls("Reads:")?,
            read_bytes: after("Bytes read:")?,
            write: calls("Writes:")?,
            write_bytes: after("Bytes written:")?,
            commit: calls("Flushes:").unwrap_or_default(),
            reconnects: reconnects(),
        })
    }
}

/// TCP segments sent by this machine (its network namespace) over all connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpSegments {
    pub sent: u64,
    pub retransmitted: u64,
}

impl TcpSegments {
    /// Parses the lines `Tcp:` of `/proc/net/snmp`: names, then numbers.
    pub fn parse(text: &str) -> Option<TcpSegments> {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp:"));
        let (names, numbers) = (lines.next()?, lines.next()?);
        let value = |wanted: &str| {
            let at = names.split_ascii_whitespace().position(|name| name == wanted)?;
            numbers.split_ascii_whitespace().nth(at)?.parse().ok()
        };
        Some(TcpSegments { sent: value("OutSegs")?, retransmitted: value("RetransSegs")? })
    }

    pub fn since(&self, earlier: &TcpSegments) -> TcpSegments {
        TcpSegments {
            sent: self.sent.saturating_sub(earlier.sent),
            retransmitted: self.retransmitted.saturating_sub(earlier.retransmitted),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteFacts {
    pub name: String,
    pub activity: RemoteActivity,
    /// TCP segments sent by the machine during the measurement; `None` = not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpSegments>,
}

#[cfg(test)]
mod tests;
