//! The planned runs of a sweep: every point is parsed by its options' rows and validated before the first
//! run.

use super::super::run_backend::{self, out_of_place};
use crate::cli::shell_quote::quoted;
use crate::cli::{SweepRequest, TypedLine, print_options};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load::ProfileCache;
use crate::commands::shared::runs::runnable::Runnable;
use crate::experiments::sweep::{
    Axis, CompletedPoint, Estimate, PointRow, Setting, Sweep, SweepAction, SweepPoint, diagonal, estimate,
    points, time_in_words,
};
use crate::finding::Finding;
use crate::host;
use crate::profile::{Profile, RunOptions};
use std::ffi::OsString;

pub(super) struct Plan {
    /// Points and their order.
    pub sweep: Sweep,
    pub points: Vec<Runnable>,
    lines: Vec<TypedLine>,
    /// Cached profile of all points (`-X`).
    xml: ProfileCache,
    /// Whole command line, quoted for a shell.
    pub command_line: String,
    pub warnings: Vec<Finding>,
}

impl Plan {
    /// Expands the axes of a sweep into points, and validates the command line of each point.
    ///
    /// # Errors
    /// Fails with the obstacles of the first impossible point, or of all points.
    pub(super) fn from_request(request: &SweepRequest) -> Result<Plan, CommandError> {
        let swept = &request.swept;
        let points = match request.settings.diagonal {
            true => diagonal(&swept.axes, swept.plain_depth()),
            false => points(&swept.axes),
        };
        let points = points.map_err(|fault| CommandError::usage_errors([fault.to_string()]))?;
        let lines: Vec<TypedLine> = points.iter().map(|settings| swept.line_at(settings)).collect();
        let xml = ProfileCache::default();
        let mut warnings = Vec::new();
        let mut runnables = Vec::new();
        for line in &lines {
            let (runnable, warned) = make_runnable(line, &xml)?;
            runnables.push(runnable);
            for warning in warned {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        let found = points.into_iter().zip(&runnables);
        let found = found.map(|(settings, runnable)| sweep_point(settings, runnable, &swept.axes)).collect();
        warnings.extend(depth_not_given(request));
        let sweep = Sweep { points: group_points(found, &swept.axes), settings: request.settings.clone() };
        let command_line = format!("diskspd sweep {}", quoted(&request.given));
        let plan = Plan { sweep, points: runnables, lines, xml, command_line, warnings };
        plan.can_offer()?;
        plan.fits_machine(request.dry_run)?;
        Ok(plan)
    }

    fn can_offer(&self) -> Result<(), CommandError> {
        let is_given = self.points.iter().any(|point| point.run_options.rate_total.is_some());
        match self.sweep.settings.curve.is_empty() {
            true => Ok(()),
            false if is_given => {
                Err(CommandError::usage_errors(["--curve sets --rate-total itself; leave out --rate-total"]))
            }
            false => match self.at_rate(1000) {
                Ok(_) => Ok(()),
                Err(not) => Err(not.at_place("--curve cannot offer rates with this command line")),
            },
        }
    }

    /// Checks that this machine can run every point. A fault of some targets alone is reported by their runs.
    /// A dry run starts no program.
    fn fits_machine(&self, dry_run: bool) -> Result<(), CommandError> {
        for runnable in self.points.iter().filter(|_| !dry_run) {
            runnable.tool().map_err(|fault| CommandError::usage_errors([fault.to_string()]))?;
        }
        let system = host::snapshot();
        let mut unfit = 0;
        let mut first = Vec::new();
        for runnable in &self.points {
            let Some(outlook) = runnable.outlook(&system) else { continue };
            // As a single run ends for it: it need not be the command line's fault.
            runnable.preflight()?;
            let is_usage = outlook.is_usage();
            let refused = outlook.messages();
            if is_usage {
                return Err(CommandError::usage_errors(refused));
            }
            unfit += usize::from(!refused.is_empty());
            if first.is_empty() {
                first = refused;
            }
        }
        if unfit > 0 && unfit == self.points.len() { Err(CommandError::usage_errors(first)) } else { Ok(()) }
    }

    /// Whether all points run in simulated time.
    pub(super) fn is_simulated(&self) -> bool {
        self.points.iter().all(|point| point.run_options.virtual_time())
    }

    /// Returns the run with this number of offered I/Os per second.
    ///
    /// # Errors
    /// Fails if it cannot be run at this rate.
    pub(super) fn at_rate(&self, rate: u64) -> Result<Runnable, CommandError> {
        make_runnable(&self.line_at_rate(rate), &self.xml).map(|(runnable, _)| runnable)
    }

    /// Returns the line with I/Os at random times, as from many independent users, regardless of earlier
    /// I/Os. Services meet such a load, and response times include its effect. Evenly spaced I/Os would
    /// queue less.
    fn line_at_rate(&self, rate: u64) -> TypedLine {
        let line = self.lines.first();
        line.map(|line| line.with_leading_option(&format!("--rate-total={rate},poisson"))).unwrap_or_default()
    }

    /// Returns the run of a slice of a point.
    ///
    /// # Errors
    /// Fails if there is no such point, or it cannot be run.
    pub(super) fn slice_at(&self, number: usize, seconds: u32) -> Result<Runnable, CommandError> {
        let line = self.lines.get(number).cloned().unwrap_or_default();
        let line = line.with_leading_option(&format!("-d{seconds}")).with_leading_option("-W0");
        make_runnable(&line, &self.xml).map(|(runnable, _)| runnable)
    }

    /// Returns the command line of a row, quoted for a shell.
    pub(super) fn command_of(&self, row: &PointRow) -> String {
        match row.what {
            SweepAction::Rate(rate) => {
                command_text(self.at_rate(rate).as_ref().ok(), &self.line_at_rate(rate))
            }
            SweepAction::Point(number) | SweepAction::Reference(number) | SweepAction::WarmUp(number) => {
                self.command_at(number)
            }
        }
    }

    fn command_at(&self, number: usize) -> String {
        self.lines.get(number).map(|line| command_text(self.points.get(number), line)).unwrap_or_default()
    }

    /// Checks that one pass over all points fits into the budget.
    ///
    /// # Errors
    /// Fails with the required time.
    pub(super) fn fits_budget(&self, history: &[CompletedPoint], needed_s: f64) -> Result<(), CommandError> {
        let mut once = self.sweep.clone();
        once.settings.repeat = crate::experiments::repeat::Repeat::Times(1);
        let one_pass_s = estimate(&once, &[]).seconds;
        match self.sweep.settings.budget_s {
            Some(budget_s) if history.is_empty() && one_pass_s > budget_s => {
                let [budget, one_pass, needed] = [budget_s, one_pass_s, needed_s].map(time_in_words);
                Err(CommandError::from(format!(
                    "--budget {budget}: one run of every point lasts {one_pass}, all requested runs last \
                     {needed}; use fewer points, or shorter runs (-d, -W)"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Lists the points and the total time, for `--dry-run`.
    pub(super) fn listed(&self) -> String {
        let commands = (0..self.lines.len()).map(|number| self.command_at(number) + "\n");
        let all = estimate(&self.sweep, &[]);
        let points = self.lines.len();
        let count = format!("{points} points, {}\n", planned_text(&all, "runs"));
        commands.collect::<String>() + &count
    }
}

/// `24 runs, about 2 min 10 s`, or the least number of short runs with the expected and the longest time.
pub(super) fn planned_text(all: &Estimate, runs: &str) -> String {
    let seconds = time_in_words(all.seconds);
    match all.longest_s {
        Some(longest) => format!(
            "at least {} short {runs}, {seconds} to {} without the time between them",
            all.runs,
            time_in_words(longest.max(all.seconds))
        ),
        None => {
            format!("{} {runs}, {}{seconds}", all.runs, if all.at_least { "at least " } else { "about " })
        }
    }
}

/// The run of a line, and its warnings.
///
/// # Errors
/// Fails if the line cannot be run in a sweep.
fn make_runnable(line: &TypedLine, xml: &ProfileCache) -> Result<(Runnable, Vec<Finding>), CommandError> {
    run_backend::runnable(line, xml, |request, profile, run_options| match out_of_place(request) {
        Some(option) => Some(format!("{option} cannot be used in a sweep, which prints a table of all runs")),
        None => (profile.time_spans.len() != 1).then(|| one_by_one(profile, run_options)),
    })
}

fn command_text(run: Option<&Runnable>, line: &TypedLine) -> String {
    let written = run.and_then(|run| {
        let with = run.with.iter().map(|command| OsString::from(format!("--with={command}")));
        let destroy = run.destroy.then(|| OsString::from("--destroy"));
        let split = run.split.then(|| OsString::from("--split"));
        let hosts = run.hosts.map(|hosts| OsString::from(format!("--hosts={hosts}")));
        let shift = (run.shift_ranks > 0).then(|| format!("--shift-ranks={}", run.shift_ranks).into());
        let words = print_options::command_line_like(line, &run.profile, &run.run_options)?;
        Some(with.chain(destroy).chain(split).chain(hosts).chain(shift).chain(words).collect::<Vec<_>>())
    });
    written.map_or_else(|| line.to_typed_text(), |words| format!("diskspd {}", quoted(&words)))
}

/// Notes that a curve cannot exceed the rate of its queue depth.
fn depth_not_given(request: &SweepRequest) -> Option<Finding> {
    let line = &request.swept.line;
    let says = b"oOX".iter().any(|letter| line.has_letter(*letter)) || line.has_long("preset");
    let option = if request.settings.objective.is_some() { "--slo" } else { "--curve" };
    (!request.settings.curve.is_empty() && !says).then(|| {
        Finding::warning(format!(
            "{option} without -o: the default depth of 2 I/Os per thread and target limits the rates; pass a \
             depth that reaches the maximum (-o32), or find it first: diskspd sweep -o1..256"
        ))
    })
}

fn one_by_one(profile: &Profile, run_options: &RunOptions) -> String {
    let count = profile.time_spans.len();
    match &run_options.preset {
        Some(name) => format!(
            "a point of a sweep has one time span, but the preset {name} has {count}; sweep them one by one: \
             diskspd preset {name} shows their command lines"
        ),
        None => format!(
            "a point of a sweep has one time span, but this profile has {count}; sweep them one by one"
        ),
    }
}

fn sweep_point(settings: Vec<Setting>, runnable: &Runnable, axes: &[Axis]) -> SweepPoint {
    let span = &runnable.profile.time_spans[0];
    let outstanding: u64 = match span.is_floating_pool() {
        true => span.request_count.into(),
        false => span
            .targets
            .iter()
            .map(|target| u64::from(span.threads_on(target)) * u64::from(target.request_count))
            .sum(),
    };
    let by_rate = axes.iter().any(Axis::is_rate) && !axes.iter().any(Axis::is_load);
    let rates = span.targets.iter().filter_map(|target| {
        span.offered_ios_per_s(target, runnable.run_options.rate_total).filter(|_| by_rate)
    });
    let rate = rates.reduce(|all, rate| all + rate).map(|rate| rate.round() as u64);
    SweepPoint {
        settings,
        load: rate.unwrap_or(outstanding.saturating_mul(runnable.hosts.map_or(1, u64::from))),
        by_rate: rate.is_some(),
        threads: span.threads(),
        group: 0,
        seconds: runnable.seconds(),
    }
}

/// Numbers groups of points whose settings differ only in load. Without a load axis, all points with the
/// same work are one group, because only their IOPS are comparable.
fn group_points(points: Vec<SweepPoint>, axes: &[Axis]) -> Vec<SweepPoint> {
    let by_load = axes.iter().any(Axis::is_load);
    let is_load = |option: &str| {
        axes.iter().any(|axis| axis.option == option && (axis.is_load() || axis.is_rate() && !by_load))
    };
    let any = axes.iter().any(|axis| is_load(&axis.option))
        || points.iter().any(|point| point.settings.len() > axes.len());
    let mut keys: Vec<Vec<String>> = Vec::new();
    let of = |point: &SweepPoint| -> Vec<String> {
        let rest = point
            .settings
            .iter()
            .filter(|setting| setting.is_work() || any && !is_load(&setting.option) && !setting.is_load());
        rest.map(|setting| setting.written()).collect()
    };
    let mut number = |point: &SweepPoint| {
        let key = of(point);
        keys.iter().position(|other| *other == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        })
    };
    points.into_iter().map(|point| SweepPoint { group: number(&point), ..point }).collect()
}
