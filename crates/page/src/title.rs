//! Titles of pages: the work, its targets, the machine, and the answer.

use diskspd_experiments::repetition::RepeatedWork;
use diskspd_figures::units::visible::line;
use diskspd_report::number::number;
use diskspd_report::workload_text as workload;
use diskspd_results::RunSummary;
use maud::{Markup, html};

const MAX_TARGETS: usize = 4;

/// Formats `8 KiB random reads on nvme0n1, lab-07: 76,400 IOPS`.
pub(crate) fn title(work: &str, targets: &[String], machine: Option<&str>, answer: &str) -> String {
    let name = |path: &String| match path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => path.clone(),
    };
    let on = match targets {
        [] => String::new(),
        [one] => format!(" on {}", name(one)),
        [one, more @ ..] => format!(" on {} and {} more", name(one), more.len()),
    };
    let machine = machine.map(|machine| format!(", {machine}")).unwrap_or_default();
    let answer = if answer.is_empty() { String::new() } else { format!(": {answer}") };
    line(&format!("{work}{on}{machine}{answer}")).into_owned()
}

pub(crate) fn of_work(work: &RepeatedWork, answer: &str) -> String {
    let RepeatedWork { workload, targets, machine } = work;
    let workload = if workload.is_empty() { "Runs" } else { workload };
    title(workload, targets, machine.as_deref(), answer)
}

/// Returns the title of runs, with their common work.
pub(crate) fn of_runs<'a>(runs: impl Iterator<Item = &'a RunSummary> + Clone, answer: &str) -> String {
    of_work(&common_work(runs), answer)
}

pub fn common_work<'a>(runs: impl Iterator<Item = &'a RunSummary> + Clone) -> RepeatedWork {
    let works = distinct(runs.clone().map(workload::short));
    let machines = distinct(runs.clone().filter_map(RunSummary::computer));
    of_all(&works, distinct(runs.flat_map(targets_of)), &machines)
}

pub(crate) fn of_all(works: &[String], targets: Vec<String>, machines: &[String]) -> RepeatedWork {
    let one_or = |all: &[String], name: &str| match all {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("{} {name}", several.len())),
    };
    let workload = one_or(works, "workloads").unwrap_or_default();
    RepeatedWork { workload, targets, machine: one_or(machines, "machines") }
}

pub(crate) fn targets_of(run: &RunSummary) -> Vec<String> {
    distinct(workload::targets(run).map(ToString::to_string))
}

/// Formats `12,000 to 13,000 IOPS`.
pub(crate) fn range(iops: impl Iterator<Item = f64>) -> String {
    let ends = iops.fold(None, |ends: Option<(f64, f64)>, iops| {
        let (low, high) = ends.unwrap_or((iops, iops));
        Some((low.min(iops), high.max(iops)))
    });
    match ends.map(|(low, high)| (number(low), number(high))) {
        None => "no IOPS".to_owned(),
        Some((low, high)) if low == high => format!("{low} IOPS"),
        Some((low, high)) => format!("{low} to {high} IOPS"),
    }
}

pub(crate) fn targets(paths: &[String]) -> Markup {
    html! {
        @for (number, target) in paths.iter().take(MAX_TARGETS).enumerate() {
            @if number > 0 { ", " }
            code { (line(target)) }
        }
        @if paths.len() > MAX_TARGETS { " and " (paths.len() - MAX_TARGETS) " more" }
    }
}

pub(crate) fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_names_targets_by_last_part() {
        let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        for (targets, machine, expected) in [
            (paths(&[]), None, "Reads: 5 IOPS"),
            (paths(&["/dev/nvme0n1"]), Some("a"), "Reads on nvme0n1, a: 5 IOPS"),
            (paths(&["C:\\t.dat", "b"]), None, "Reads on t.dat and 1 more: 5 IOPS"),
            (paths(&["/"]), None, "Reads on /: 5 IOPS"),
        ] {
            assert_eq!(title("Reads", &targets, machine, "5 IOPS"), expected);
        }
    }

    #[test]
    fn equal_rates_are_titled_by_one_figure() {
        let of = |iops: &[f64]| range(iops.iter().copied());
        assert_eq!((of(&[]), of(&[5.0, 5.0])), ("no IOPS".into(), "5.000 IOPS".into()));
        assert_eq!(of(&[1500.0, 1400.0]), "1,400 to 1,500 IOPS");
    }
}
