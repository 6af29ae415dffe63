//! `diskspd baseline`: reference runs for later ones.

mod again;
mod check;
mod find;
mod set;
mod side;

use super::command_error::CommandError;
use super::{print, stored};
use crate::cli::{BaselineAction, BaselineRequest, Exit};
use crate::store::{Baseline, Store};
use crate::units::start_time::date_and_time;
use crate::units::visible;
use find::{find_named, tests, unknown};

/// Executes the request.
///
/// # Errors
/// Fails if the baseline is unknown, a run cannot be read, or the request cannot be executed.
pub fn baseline(request: &BaselineRequest) -> Result<Exit, CommandError> {
    let store = stored::store(request.store.as_deref())?;
    match &request.action {
        BaselineAction::List => list_baselines(&store),
        BaselineAction::Show { name } => {
            print(&visible::lines(&baseline_text(name, &find_named(&store, name)?)))
        }
        BaselineAction::Set { name, runs } => set::set(&store, name, runs),
        BaselineAction::Remove { name } => match store.remove_baseline(name)? {
            true => print(&format!("{name} is forgotten; its runs stay in the history\n")),
            false => Err(unknown(&store, name)),
        },
        BaselineAction::Check(asked) => check::check(&store, request, asked),
    }
}

fn list_baselines(store: &Store) -> Result<Exit, CommandError> {
    let names = store.baselines()?;
    if names.is_empty() {
        return print("no baseline is set: run a suite, then diskspd baseline set NAME\n");
    }
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for name in &names {
        let about = find_named(store, name)?;
        text += &format!(
            "{name:<width$}  {} tests, {} runs, set {}\n",
            tests(&about).len(),
            about.runs.len(),
            date_and_time(about.set_at).unwrap_or_default()
        );
    }
    print(&visible::lines(&text))
}

fn baseline_text(name: &str, baseline: &Baseline) -> String {
    let set = date_and_time(baseline.set_at).unwrap_or_default();
    let mut text = format!("{name}: set {set}\n");
    if !baseline.asked.suite.is_empty() {
        text += &format!("suite {}: {}\n", baseline.asked.suite, baseline.asked.about);
    }
    for test in tests(baseline) {
        let ids = baseline.runs.iter().filter(|run| run.test == test).map(|run| format!("@{}", run.id));
        let ids: Vec<String> = ids.collect();
        text += &format!("\n{test}, {} runs: {}\n", ids.len(), ids.join(" "));
        let Some(asked) = baseline.asked.tests.iter().find(|asked| asked.name == test) else { continue };
        for line in [&asked.about, &asked.command].into_iter().filter(|line| !line.is_empty()) {
            text += &format!("  {line}\n");
        }
        let percent = |share: f64| format!("{} %", share * 100.0);
        let goals = [
            asked.metric.as_ref().map(|metric| format!("decided by {metric}")),
            asked.same.map(|share| format!("the same within {}", percent(share))),
            (asked.worse > 0.0).then(|| format!("fails when worse by {}", percent(asked.worse))),
        ];
        let goals: Vec<String> = goals.into_iter().flatten().collect();
        if !goals.is_empty() {
            text += &format!("  {}\n", goals.join(", "));
        }
    }
    text
}
