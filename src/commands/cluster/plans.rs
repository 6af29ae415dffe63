//! The plans of the ranks of a job (`--dry-run`): equal plans are printed once.

use super::names::ranks;
use crate::commands::shared::job_command::{RankPlans, RankReply};

/// The plan of the first rank of each group of equal plans, with the names of all ranks of the group.
pub(super) fn group_plans(replies: &[RankReply], hosts: &[String], is_split: bool) -> RankPlans {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (rank, reply) in replies.iter().enumerate().filter(|(_, reply)| !reply.text.is_empty()) {
        match groups.iter_mut().find(|group| replies[group[0]].key == reply.key) {
            Some(group) => group.push(rank),
            None => groups.push(vec![rank]),
        }
    }
    let mut text = String::new();
    for group in groups {
        let (names, first) = (ranks(&group, hosts), &replies[group[0]]);
        text += &match group.len() {
            1 => format!("{names}:\n{}", first.text),
            _ => format!(
                "{names}: equal plans, except for seeds, CPUs, %r and %h; the plan of {}:\n{}",
                first.name, first.text
            ),
        };
    }
    if is_split {
        text += "--split: at its start, the run divides each shared target among the ranks.\n";
    }
    let failure = |reply: &RankReply| Some(format!("{}: {}", reply.name, reply.failure.as_ref()?));
    RankPlans { text, failures: replies.iter().filter_map(failure).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Exit;

    #[test]
    fn equal_plans_are_printed_once() {
        let plan = |rank: u32, key: &str, failure: Option<&str>| RankReply {
            name: format!("rank {rank}"),
            text: if failure.is_some() { String::new() } else { format!("plan {key} of {rank}\n") },
            key: key.to_owned(),
            exit: Exit::Success,
            failure: failure.map(str::to_owned),
        };
        let plans = [plan(0, "a", None), plan(1, "b", None), plan(2, "a", None), plan(3, "", Some("gone"))];
        let RankPlans { text, failures } = group_plans(&plans, &[], false);
        assert!(text.starts_with("ranks 0, 2: equal plans"), "{text}");
        assert!(text.ends_with("\nplan a of 0\nrank 1:\nplan b of 1\n"), "{text}");
        assert_eq!(failures, ["rank 3: gone"]);
        assert_eq!(group_plans(&[], &[], true).text.lines().count(), 1);
    }
}
