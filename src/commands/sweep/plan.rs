//! What a sweep is going to run: every point parsed by the ordinary parser and validated before the first.

use super::super::load;
use super::super::not_done::NotDone;
use crate::cli::typed::quoted;
use crate::cli::{self, Invocation, RunRequest, SweepRequest};
use crate::finding::{Finding, Severity};
use crate::host;
use crate::lab::sweep::{
    Axis, PlainLine, PointRow, Ran, Sweep, SweepPoint, What, axes, diagonal, estimate, offered, points,
    time_in_words,
};
use crate::plan::{LiesIn, PlanError};
use crate::profile::validate::{self, validate};
use crate::profile::{Method, Profile, ResultFormat};
use crate::run::{self, Options, Probes};
use std::ffi::OsString;

/// A command line that can be run.
pub struct Runnable {
    /// What.
    pub profile: Profile,
    /// How.
    pub method: Method,
    /// `--recreate`
    pub recreate: bool,
    /// `--destroy`
    pub destroy: bool,
}

/// All of it.
pub struct Plan {
    /// The points and how they are gone through.
    pub sweep: Sweep,
    /// How each point is run, in their order.
    pub points: Vec<Runnable>,
    lines: Vec<PlainLine>,
    /// The whole command line, as it can be typed.
    pub command_line: String,
    /// What is accepted but hardly meant.
    pub warnings: Vec<Finding>,
}

impl Plan {
    /// Expands, parses and validates.
    ///
    /// # Errors
    /// Messages about the first point that can't be run, or about all.
    pub fn of(request: &SweepRequest) -> Result<Plan, Vec<String>> {
        let one = |message: String| vec![message];
        let arguments = with_latency(&request.arguments);
        let axes = axes(&arguments).map_err(one)?;
        let lines = match request.settings.diagonal {
            true => diagonal(&arguments, &axes),
            false => points(&arguments, &axes),
        };
        let lines = lines.map_err(one)?;
        let mut warnings = Vec::new();
        let mut runnables = Vec::new();
        for line in &lines {
            let (runnable, warned) = Runnable::of(&line.arguments)?;
            runnables.push(runnable);
            for warning in warned {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        let found: Vec<SweepPoint> =
            lines.iter().zip(&runnables).map(|(line, runnable)| point(line, runnable, &axes)).collect();
        warnings.extend(depth_not_given(request));
        let sweep = Sweep { points: grouped(found, &lines, &axes), settings: request.settings.clone() };
        let command_line = format!("diskspd sweep {}", quoted(&request.given));
        let plan = Plan { sweep, points: runnables, lines, command_line, warnings };
        plan.can_offer().map_err(one)?;
        plan.fits_machine()?;
        Ok(plan)
    }

    /// A curve needs a command line that an offered rate can be put into.
    fn can_offer(&self) -> Result<(), String> {
        let is_given = self.points.iter().any(|point| point.method.rate_total.is_some());
        match self.sweep.settings.curve.is_empty() {
            true => Ok(()),
            false if is_given => Err("--curve sets --rate-total itself; leave out --rate-total".into()),
            false => self.at_rate(1000).map(drop).map_err(|why| {
                format!("--curve can't offer rates with this command line: {}", why.join("; "))
            }),
        }
    }

    /// Whether every point can be run on this machine. What only some targets lack is found when it's run.
    fn fits_machine(&self) -> Result<(), Vec<String>> {
        let system = host::snapshot();
        let mut unfit = 0;
        let mut first = Vec::new();
        for runnable in &self.points {
            run::cpu_latency_refusal(&runnable.method).map_err(|errors| texts(&errors))?;
            let options = Options {
                destroy: runnable.destroy,
                recreate: runnable.recreate,
                ..Options::from(runnable.method.clone())
            };
            let probes = Probes::default();
            let profile = run::resized(&runnable.profile);
            let Some(span) = profile.time_spans.first() else { continue };
            let refused = match run::probe_and_plan(&profile, span, &system, &options, &probes) {
                Err(errors) if errors.iter().any(|error| error.lies_in == LiesIn::Profile) => {
                    return Err(texts(&errors));
                }
                Err(errors) => texts(&errors),
                Ok(plan) => run::refusals(span, &plan, &options).iter().map(ToString::to_string).collect(),
            };
            unfit += usize::from(!refused.is_empty());
            if first.is_empty() {
                first = refused;
            }
        }
        if unfit == self.points.len() { Err(first) } else { Ok(()) }
    }

    /// All of it takes simulated time alone.
    pub fn is_simulated(&self) -> bool {
        self.points.iter().all(|point| point.method.virtual_time())
    }

    /// The command line with so many I/Os per second offered.
    ///
    /// # Errors
    /// It can't be run so.
    pub fn at_rate(&self, rate: u64) -> Result<Runnable, Vec<String>> {
        Runnable::of(&self.line_at_rate(rate)).map(|(runnable, _)| runnable)
    }

    fn line_at_rate(&self, rate: u64) -> Vec<OsString> {
        self.lines.first().map(|line| offered(&line.arguments, rate)).unwrap_or_default()
    }

    /// The command line of a row, as it can be typed.
    pub fn command_of(&self, row: &PointRow) -> String {
        let arguments = match row.what {
            What::Rate(rate) => self.line_at_rate(rate),
            What::Point(number) | What::Reference(number) => {
                self.lines.get(number).map(|line| line.arguments.clone()).unwrap_or_default()
            }
        };
        format!("diskspd {}", quoted(&arguments))
    }

    /// Whether one pass over all points fits into the budget.
    ///
    /// # Errors
    /// A message.
    pub fn fits_budget(&self, history: &[Ran], needed_s: f64) -> Result<(), String> {
        let mut once = self.sweep.clone();
        once.settings.repeat = crate::lab::repeat::Repeat::Times(1);
        let one_pass = estimate(&once, &[]).seconds;
        match self.sweep.settings.budget_s {
            Some(budget) if history.is_empty() && one_pass > budget => Err(format!(
                "--budget {}: one run of every point alone takes {}, all requested runs {}; use fewer \
                 points, or shorter runs (-d, -W)",
                time_in_words(budget),
                time_in_words(one_pass),
                time_in_words(needed_s)
            )),
            _ => Ok(()),
        }
    }

    /// The points and the time, for `--dry-run`.
    pub fn listed(&self) -> String {
        let commands = self.lines.iter().map(|line| format!("diskspd {}\n", quoted(&line.arguments)));
        let all = estimate(&self.sweep, &[]);
        let least = if all.at_least { "at least " } else { "about " };
        let count = format!(
            "{} points, {} runs, {least}{}\n",
            self.lines.len(),
            all.runs,
            time_in_words(all.seconds)
        );
        commands.collect::<String>() + &count
    }
}

impl Runnable {
    /// An ordinary command line, and its warnings.
    ///
    /// # Errors
    /// It can't be understood, breaks a rule, or asks for what a sweep has no place for.
    pub fn of(arguments: &[OsString]) -> Result<(Runnable, Vec<Finding>), Vec<String>> {
        let whole: Vec<OsString> = [OsString::from("diskspd")].iter().chain(arguments).cloned().collect();
        let named = |message: String| vec![format!("{message}\n  in: diskspd {}", quoted(arguments))];
        let request = match cli::parse(&whole) {
            Ok(Invocation::Run(request)) => request,
            Ok(_) => return Err(named("this is no command line of a run".into())),
            Err(error) => {
                return Err(named(error.to_string()));
            }
        };
        if let Some(option) = out_of_place(&request) {
            return Err(named(format!(
                "{option} can't be used in a sweep, which prints a table of all runs"
            )));
        }
        let asked = load::asked(&request).map_err(NotDone::into_messages)?;
        let (profile, method) = (asked.profile.into_owned(), asked.method.into_owned());
        if profile.time_spans.len() != 1 {
            return Err(named(one_by_one(&profile, &method)));
        }
        let findings = validate(&profile, false).into_iter().chain(validate::method(&method, &profile));
        let (errors, warnings): (Vec<_>, Vec<_>) =
            findings.partition(|found| found.severity == Severity::Error);
        if let Some(error) = errors.first() {
            return Err(named(error.message.clone()));
        }
        let warnings = warnings.into_iter().chain(request.warnings.clone()).collect();
        let (recreate, destroy) = (request.recreate, request.destroy);
        Ok((Runnable { profile, method, recreate, destroy }, warnings))
    }

    /// How long it is planned to take, s; nothing in simulated time.
    pub fn seconds(&self) -> f64 {
        let spans = self.profile.time_spans.iter();
        let planned: u64 = spans
            .map(|span| u64::from(span.warmup) + u64::from(span.duration) + u64::from(span.cooldown))
            .sum();
        if self.method.virtual_time() { 0.0 } else { planned as f64 }
    }
}

/// A curve can't find more than its depth can.
fn depth_not_given(request: &SweepRequest) -> Option<Finding> {
    let given = |letter: &str| {
        request.arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(letter.as_bytes()))
    };
    let says = ["-o", "-O", "-X", "--preset"].iter().any(|option| given(option));
    let option = if request.settings.objective.is_some() { "--slo" } else { "--curve" };
    (!request.settings.curve.is_empty() && !says).then(|| {
        Finding::warning(format!(
            "{option} without -o: the default depth of 2 I/Os per thread and target limits the rates; pass a \
             depth that reaches the maximum (-o32), or find it first: diskspd sweep -o1..256"
        ))
    })
}

/// That there are several time spans, and where the command line of each is to be found.
fn one_by_one(profile: &Profile, method: &Method) -> String {
    let count = profile.time_spans.len();
    match &method.preset {
        Some(name) => format!(
            "a point of a sweep has one time span, but the preset {name} has {count}; sweep them one by one: \
             diskspd preset {name} shows their command lines"
        ),
        None => format!(
            "a point of a sweep has one time span, but this profile has {count}; sweep them one by one"
        ),
    }
}

/// An option of a single run.
fn out_of_place(request: &RunRequest) -> Option<&'static str> {
    let given = [
        (request.profile_only, "-Rp"),
        (request.profile.result_format == ResultFormat::Xml, "-Rxml"),
        (request.save.is_some(), "--save"),
        (request.store.is_some(), "--store"),
        (request.xml_verdict, "--xml-verdict"),
        (request.text_verdict, "--text-verdict"),
        (request.profile.progress > 0, "-P"),
        (request.profile.verbose, "-v"),
    ];
    let given = given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option);
    given.or_else(|| request.follows_one_run())
}

/// The knee needs latencies: `-L`, if it isn't there.
fn with_latency(arguments: &[OsString]) -> Vec<OsString> {
    let begins = |letter: &str| arguments.iter().any(|a| a.as_encoded_bytes().starts_with(letter.as_bytes()));
    let missing = !begins("-L") && !begins("-X");
    missing.then(|| OsString::from("-L")).into_iter().chain(arguments.iter().cloned()).collect()
}

fn point(line: &PlainLine, runnable: &Runnable, axes: &[Axis]) -> SweepPoint {
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
    let rates = span
        .targets
        .iter()
        .filter_map(|target| span.offered_ios_per_s(target, runnable.method.rate_total).filter(|_| by_rate));
    let rate = rates.reduce(|all, rate| all + rate).map(|rate| rate.round() as u64);
    SweepPoint {
        settings: line.settings.clone(),
        load: rate.unwrap_or(outstanding),
        by_rate: rate.is_some(),
        threads: span.threads(),
        group: 0,
        seconds: runnable.seconds(),
    }
}

/// Numbers groups: points whose settings are the same but for the load. Where no axis says how much load
/// there is, all that do the same work are one group: only those can be compared by their IOPS.
fn grouped(points: Vec<SweepPoint>, lines: &[PlainLine], axes: &[Axis]) -> Vec<SweepPoint> {
    let by_load = axes.iter().any(Axis::is_load);
    let is_load = |option: &str| {
        axes.iter().any(|axis| axis.option == option && (axis.is_load() || axis.is_rate() && !by_load))
    };
    let any =
        axes.iter().any(|axis| is_load(&axis.option)) || lines.iter().any(|l| l.settings.len() > axes.len());
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

fn texts(errors: &[PlanError]) -> Vec<String> {
    errors.iter().map(PlanError::to_string).collect()
}
