//! Misleading and honest runs of other programs under `judge`. Each misleading run must be named or be
//! undetermined, and no honest run may raise an alarm.

mod cases;
mod stage;

use crate::harness::{Arguments, Failure, apart, is_installed, table::print};
use cases::{HONEST, LIES, StagedRun};
use serde_json::Value;
use stage::Stage;

const PROGRAMS: [&str; 2] = ["fio", "sysbench"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The result is the expected verdict or finding.
    Named,
    Undetermined,
    Wrong,
}

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    apart()?;
    let kinds: Vec<&str> = LIES.iter().chain(HONEST).map(|run| run.kind).collect();
    let only = arguments.value("--only")?.unwrap_or_default();
    let honest: usize = arguments.number("--honest", 200)?;
    let markdown = arguments.flag("--markdown");
    let (below, diskspd) = (arguments.directory()?, arguments.program()?);
    arguments.finish()?;
    if !kinds.iter().any(|kind| kind.contains(&only)) {
        return Err(format!("--only {only}: one of {} is expected", kinds.join(", ")).into());
    }
    if let Some(missing) = PROGRAMS.iter().find(|program| !is_installed(program)) {
        return Err(format!("{missing} is not installed").into());
    }
    let stage = Stage::make(&below, &diskspd)?;
    let selected = |runs: &'static [StagedRun]| runs.iter().filter(|run| run.kind.contains(&only));
    let mut tallies = Tallies::default();
    for run in selected(LIES) {
        tallies.add(&stage, run)?;
    }
    for run in selected(HONEST).cycle().take(if selected(HONEST).count() > 0 { honest } else { 0 }) {
        tallies.add(&stage, run)?;
    }
    tallies.print(markdown);
    match tallies.wrong() {
        0 => Ok(()),
        count => Err(format!("{count} runs got a wrong answer").into()),
    }
}

/// Answers by kind, in the order of the kinds.
#[derive(Default)]
struct Tallies(Vec<(&'static str, Vec<Answer>)>);

impl Tallies {
    fn add(&mut self, stage: &Stage, run: &'static StagedRun) -> Result<(), Failure> {
        let (record, text) = stage.judge(run)?;
        let answer = answer(run, &record);
        if answer != Answer::Named {
            println!("{answer:?}: {}: {}: {}\n{text}", run.kind, run.command, verdict(&record));
        }
        match self.0.iter_mut().find(|(kind, _)| *kind == run.kind) {
            Some((_, answers)) => answers.push(answer),
            None => self.0.push((run.kind, vec![answer])),
        }
        Ok(())
    }

    fn print(&self, markdown: bool) {
        let count =
            |answers: &[Answer], of| answers.iter().filter(|answer| **answer == of).count().to_string();
        let row = |(kind, answers): &(&str, Vec<Answer>)| {
            let counts = [Answer::Named, Answer::Undetermined, Answer::Wrong].map(|of| count(answers, of));
            [(*kind).to_owned(), answers.len().to_string()].into_iter().chain(counts).collect()
        };
        let rows: Vec<Vec<String>> = self.0.iter().map(row).collect();
        print(&["runs", "number", "right", "undetermined", "wrong"], &rows, markdown);
    }

    fn wrong(&self) -> usize {
        self.0.iter().flat_map(|(_, answers)| answers).filter(|answer| **answer == Answer::Wrong).count()
    }
}

fn verdict(record: &Value) -> &str {
    record["judgement"]["verdicts"][0]["verdict"].as_str().unwrap_or("none")
}

fn answer(run: &StagedRun, record: &Value) -> Answer {
    let findings = record["judgement"]["findings"].as_array();
    let mut names = findings.into_iter().flatten().filter_map(|finding| finding["name"].as_str());
    let is_expected = |name: &str| run.expected.contains(&name);
    match verdict(record) {
        found if is_expected(found) || names.any(is_expected) => Answer::Named,
        "unknown" => Answer::Undetermined,
        _ => Answer::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgement_is_found_by_verdict_or_finding() {
        let run = &LIES[0];
        let of = |text: &str| answer(run, &serde_json::from_str(text).unwrap_or_default());
        assert_eq!(of(r#"{"judgement": {"verdicts": [{"verdict": "cached"}]}}"#), Answer::Named);
        assert_eq!(of(r#"{"judgement": {"verdicts": [{"verdict": "unknown"}]}}"#), Answer::Undetermined);
        assert_eq!(of(r#"{"judgement": {"verdicts": [{"verdict": "verified"}]}}"#), Answer::Wrong);
        assert_eq!(of("{}"), Answer::Wrong);
    }

    #[test]
    fn thirty_three_false_claims_are_staged() {
        let published = LIES.iter().filter(|run| run.kind.starts_with("published")).count();
        assert_eq!((LIES.len() - published, published), (30, 3));
        let mut kinds: Vec<&str> = HONEST.iter().map(|run| run.kind).collect();
        kinds.dedup();
        assert_eq!(kinds.len(), 6);
    }
}
