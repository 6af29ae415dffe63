//! `diskspd baseline`: reference runs for later ones.

mod check;
mod find;
mod retest;
mod set;
mod side;

use crate::cli::{BaselineAction, BaselineRequest, Exit};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::print::print;
use crate::commands::shared::runs::stored;
use crate::store::{Baseline, Store};
use crate::sys::standard_output;
use crate::units::start_time::date_and_time;
use crate::units::table::{self, Cell, TableColumn};
use crate::units::visible;
use crate::units::wrapped::wrapped;
use find::{find_named, tests, unknown_baseline_error};

/// Executes the request.
///
/// # Errors
/// Fails if the baseline is unknown, a run cannot be read, or the request cannot be executed.
pub(crate) fn baseline(request: &BaselineRequest) -> Result<Exit, CommandError> {
    let store = stored::store(request.store.as_deref())?;
    match &request.action {
        BaselineAction::List => list_baselines(&store),
        BaselineAction::Show { name } => {
            print(&folded_text(&visible::lines(&baseline_text(name, &find_named(&store, name)?))))
        }
        BaselineAction::Set { name, runs } => set::set(&store, name, runs),
        BaselineAction::Remove { name } => match store.remove_baseline(name)? {
            true => print(&format!("{name} is forgotten; its runs stay in the history\n")),
            false => Err(unknown_baseline_error(&store, name)),
        },
        BaselineAction::Check(asked) => check::check(&store, request, asked),
    }
}

fn list_baselines(store: &Store) -> Result<Exit, CommandError> {
    let names = store.baselines()?;
    if names.is_empty() {
        return print("no baseline is set: run a suite, then diskspd baseline set NAME\n");
    }
    let rows = names.iter().map(|name| {
        let baseline = find_named(store, name)?;
        Ok(ListedBaseline { name: visible::line(name).into_owned(), baseline })
    });
    let rows: Vec<ListedBaseline> = rows.collect::<Result<_, CommandError>>()?;
    print(&table::text_within(ListedBaseline::COLUMNS, &rows, standard_output::room()))
}

struct ListedBaseline {
    name: String,
    baseline: Baseline,
}

impl ListedBaseline {
    const COLUMNS: &[TableColumn<ListedBaseline>] = &[
        TableColumn::<ListedBaseline>::words("name", |row| Cell::name_cell(&row.name)).brief(),
        TableColumn::<ListedBaseline>::words("suite", |row| {
            Cell::text(Some(&row.baseline.asked.suite).filter(|suite| !suite.is_empty()))
        })
        .brief()
        .spare(2),
        TableColumn::<ListedBaseline>::number("tests", |row| Cell::Whole(tests(&row.baseline).len() as u64))
            .brief(),
        TableColumn::<ListedBaseline>::number("runs", |row| Cell::Whole(row.baseline.runs.len() as u64))
            .brief()
            .spare(3),
        TableColumn::<ListedBaseline>::words("set", |row| Cell::text(date_and_time(row.baseline.set_at)))
            .brief()
            .spare(1),
    ];
}

/// Wraps lines at the width of the terminal.
fn folded_text(text: &str) -> String {
    let room = standard_output::room();
    let fold = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let folded = wrapped(line.trim_start(), room, indent, indent + 2);
        format!("{}{folded}\n", &line[..indent])
    };
    text.lines().map(fold).collect()
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
