//! Names of ranks, and common messages of several ranks.

use crate::cli::Exit;
use crate::finding::{Finding, Severity};
use crate::sys::standard_error::print_line;

pub(super) fn exit_of(code: u8) -> Exit {
    Exit::ALL.into_iter().find(|exit| exit.code() == code).unwrap_or(Exit::RunFailed)
}

pub(super) fn ranks(ranks: &[usize], hosts: &[String]) -> String {
    if let [rank] = ranks {
        return match hosts.get(*rank).filter(|host| !host.is_empty()) {
            Some(host) => format!("rank {rank} ({host})"),
            None => format!("rank {rank}"),
        };
    }
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *rank => *last = *rank,
            _ => runs.push((*rank, *rank)),
        }
    }
    let run = |(first, last): (usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    format!("ranks {}", runs.into_iter().map(run).collect::<Vec<_>>().join(", "))
}

/// Returns each distinct message once, after the names of its ranks, in order of first appearance.
pub(super) fn by_message(said: impl IntoIterator<Item = (usize, String)>, hosts: &[String]) -> Vec<String> {
    let mut found: Vec<(String, Vec<usize>)> = Vec::new();
    for (rank, message) in said {
        match found.iter_mut().find(|(known, _)| *known == message) {
            Some((_, who)) if who.contains(&rank) => {}
            Some((_, who)) => who.push(rank),
            None => found.push((message, vec![rank])),
        }
    }
    found.into_iter().map(|(message, who)| format!("{}: {message}", ranks(&who, hosts))).collect()
}

pub(super) fn tell_notices<'a>(noticed: impl Iterator<Item = (usize, &'a Finding)>, hosts: &[String]) {
    let serious = noticed.filter(|(rank, finding)| *rank > 0 && finding.severity != Severity::Note);
    let said = serious.map(|(rank, finding)| (rank, finding.message.clone()));
    by_message(said, hosts).into_iter().map(Finding::warning).for_each(print_line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_messages_of_ranks_are_printed_once() {
        let hosts = ["a", "b", "c", "d"].map(str::to_owned);
        let said =
            [(0, "x"), (1, "y"), (2, "x"), (3, "x"), (3, "x")].map(|(rank, text)| (rank, text.to_owned()));
        assert_eq!(by_message(said, &hosts), ["ranks 0, 2-3: x", "rank 1 (b): y"]);
        assert_eq!(ranks(&[7], &hosts), "rank 7");
    }

    #[test]
    fn recorded_exit_codes_are_recognized() {
        for exit in Exit::ALL {
            assert_eq!(exit_of(exit.code()), exit);
        }
    }
}
