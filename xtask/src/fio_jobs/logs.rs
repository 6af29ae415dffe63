//! Logs of I/Os: fio's iolog, and the program's own.

use crate::harness::Failure;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggedIo {
    /// read, write or trim.
    pub direction: &'static str,
    /// Byte offset.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

fn direction(word: &str) -> Option<&'static str> {
    match word {
        "read" => Some("read"),
        "write" => Some("write"),
        "trim" | "discard" => Some("trim"),
        _ => None,
    }
}

pub fn of_fio(text: &str) -> Result<Vec<LoggedIo>, Failure> {
    let io = |line: &str| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [.., action, offset, size] = words[..] else { return None };
        Some(LoggedIo {
            direction: direction(action)?,
            offset: offset.parse().ok()?,
            size: size.parse().ok()?,
        })
    };
    let ios: Vec<LoggedIo> = text.lines().filter_map(io).collect();
    if ios.is_empty() { Err("fio's log is empty".into()) } else { Ok(ios) }
}

/// Returns the I/Os of each target of each time span in the order of their starts.
pub fn own(text: &str) -> Result<Vec<Vec<LoggedIo>>, Failure> {
    let mut found: BTreeMap<(usize, usize), Vec<(u64, LoggedIo)>> = BTreeMap::new();
    let mut span = 0;
    for line in text.lines().skip(1) {
        if line.is_empty() {
            span += 1;
        }
        if line.is_empty() || line.starts_with('#') || line.starts_with("thread,") {
            continue;
        }
        let fields: Vec<&str> = line.split(',').collect();
        let read = || {
            let io = LoggedIo {
                direction: direction(fields.get(2)?)?,
                offset: fields.get(3)?.parse().ok()?,
                size: fields.get(4)?.parse().ok()?,
            };
            Some((fields.get(1)?.parse::<usize>().ok()?, fields.get(5)?.parse::<u64>().ok()?, io))
        };
        let (target, start, io) = read().ok_or_else(|| format!("the log has a line '{line}'"))?;
        found.entry((span, target)).or_default().push((start, io));
    }
    let in_order = |mut ios: Vec<(u64, LoggedIo)>| {
        ios.sort_by_key(|(start, _)| *start);
        ios.into_iter().map(|(_, io)| io).collect()
    };
    Ok(found.into_values().map(in_order).collect())
}
