//! The answer in words.

use super::answer::{NEGLIGIBLE_SHARE, SweepAnswer, groups};
use super::estimate::words as time_in_words;
use super::knee::{Knee, KneeStatus};
use super::levels::Enough;
use super::objective::{Objective, SloResult};
use super::{PointRow, Settings};
use diskspd_checks::Limiter;
use diskspd_figures::stats::replicates::Bounds;
use diskspd_figures::units::count_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRow {
    /// Topic in one or two words; empty = continuation of the previous line.
    pub name: &'static str,
    pub words: String,
}

/// The whole answer, a paragraph per group. `command` gives the command line of a row by its place.
pub fn text(
    answers: &[SweepAnswer],
    rows: &[PointRow],
    settings: &Settings,
    command: impl Fn(usize) -> String,
) -> String {
    let mut text = String::new();
    for answer in answers {
        if !answer.common.is_empty() {
            text += &format!("with {}:\n", answer.common);
        }
        let chosen = answer.chosen_row().map(|row| answer_line("use", command(row)));
        for AnswerRow { name, words } in lines(answer, rows, settings).into_iter().chain(chosen) {
            text += &format!("{name:<14}{words}\n");
        }
    }
    unanswered(answers, rows).iter().for_each(|words| text += &format!("{:<14}{words}\n", "inconclusive"));
    text
}

pub fn unanswered(answers: &[SweepAnswer], rows: &[PointRow]) -> Vec<String> {
    let groups = groups(rows);
    let mut told = Vec::new();
    if groups.len() > 1 && groups.iter().any(|places| places.len() == 1) {
        told.push(
            "-b and -w change the workload, and IOPS of different workloads cannot be ranked: add a range \
             of load (-o1..64), and each workload gets its own answer"
                .to_owned(),
        );
    }
    let answered = |places: &[usize]| {
        answers.iter().any(|answer| places.contains(&answer.highest)) || groups.len() > 1 && places.len() == 1
    };
    for places in groups.iter().filter(|places| !answered(places)) {
        told.push(format!("no point is usable: {}", left_out(places, rows)));
    }
    told
}

pub fn lines(answer: &SweepAnswer, rows: &[PointRow], settings: &Settings) -> Vec<AnswerRow> {
    let mut lines = figure_lines(answer, rows, settings);
    if let (Some(kept), Some(objective)) = (&answer.objective, settings.objective) {
        lines.push(answer_line("objective", objective_words(kept, objective, answer, rows)));
        lines.extend(bound_text(answer, rows).map(|words| answer_line("", words)));
    }
    lines.extend(limits_text(answer).map(|words| answer_line("limited by", words)));
    if let Some(threads) = &answer.threads {
        let best: Vec<String> =
            threads.best.iter().map(|(count, iops)| format!("{count}: {iops:.0}")).collect();
        let name = |at: usize| threads.best[at].0.to_string();
        let enough = match threads.enough.certain_level() {
            Some(last) if last + 1 == threads.best.len() => {
                format!("throughput rises up to {}, the most that was tried", name(last))
            }
            _ => enough_words(threads.enough, name, "enough", certainty_text(answer, rows)),
        };
        lines.push(answer_line("threads", format!("{enough}; highest IOPS by threads {}", best.join(", "))));
    }
    if let Some(hosts) = &answer.hosts {
        lines.push(answer_line("hosts", hosts.words(&point_label(&rows[hosts.row]))));
    }
    if !answer.left_out.is_empty() {
        lines.push(answer_line("left out", left_out(&answer.left_out, rows)));
    }
    lines.extend(what_would_tell(answer, rows).map(|words| answer_line("to be sure", words)));
    lines
}

fn answer_line(name: &'static str, words: impl Into<String>) -> AnswerRow {
    AnswerRow { name, words: words.into() }
}

fn point_label(row: &PointRow) -> String {
    let label = row.label();
    if label.is_empty() { "the command line".into() } else { label }
}

fn point_text(row: &PointRow) -> String {
    let Some(figures) = &row.figures else { return row.label() };
    let latency =
        figures.user_latency().map(|latency| format!(" at {} ms", latency.mean_ms)).unwrap_or_default();
    format!("{}: {:.0} IOPS{latency}", point_label(row), figures.iops)
}

fn left_out(places: &[usize], rows: &[PointRow]) -> String {
    let why = |place: &usize| {
        format!("{} ({})", point_label(&rows[*place]), rows[*place].trouble().unwrap_or("alone"))
    };
    places.iter().map(why).collect::<Vec<_>>().join(", ")
}

fn figure_lines(answer: &SweepAnswer, rows: &[PointRow], settings: &Settings) -> Vec<AnswerRow> {
    let mut highest = point_text(&rows[answer.highest]);
    if let Some((low, high)) = rows[answer.highest].iops.and_then(|iops| iops.interval(Bounds::Positive)) {
        highest += &format!(" ({low:.0} .. {high:.0}, 95 %)");
    }
    let mut lines = vec![answer_line("highest", highest)];
    match answer.as_high.as_deref() {
        _ if answer.made_of.len() == 1 => {}
        None => lines
            .push(answer_line("", "one run per point cannot separate it from the runner-up: use --repeat 5")),
        Some([]) => {}
        Some(others) => {
            let others: Vec<String> = others.iter().map(|place| point_label(&rows[*place])).collect();
            let others = others.join(", ");
            lines.push(answer_line(
                "",
                match answer.is_repeated(rows) {
                    true => format!("no significant difference to {others}"),
                    false => format!("one run per point does not separate it from {others}: use --repeat 5"),
                },
            ));
        }
    }
    if answer.rises_to_the_end && settings.curve.is_empty() {
        let words = format!("IOPS still rise at the end of the range: {}", extension_text(answer, rows));
        lines.push(answer_line("", words));
    }
    if let (Some(knee), Some(row)) = (&answer.knee, answer.knee_row) {
        lines.push(answer_line("knee", knee_words(knee, &rows[row], answer, rows)));
    }
    if answer.reports_smallest() {
        let name = |row: usize| point_label(&rows[row]);
        let words =
            enough_words(answer.smallest, name, "as good as the highest", certainty_text(answer, rows));
        lines.push(answer_line("smallest", words));
    }
    lines
}

/// Returns the certainty of a statement about several points.
fn certainty_text(answer: &SweepAnswer, rows: &[PointRow]) -> &'static str {
    if answer.is_repeated(rows) { "(95 %)" } else { "by one run per point" }
}

fn knee_words(knee: &Knee, row: &PointRow, answer: &SweepAnswer, rows: &[PointRow]) -> String {
    let (seen, unit) = (point_text(row), row.unit());
    let (low, high) = knee.between.unwrap_or((knee.load, knee.load));
    let certainty = certainty_text(answer, rows);
    match knee.told {
        KneeStatus::Found if low == high => format!("{seen}; at {low} {unit} {certainty}"),
        KneeStatus::Found => format!("{seen}; between {low} and {high} {unit} {certainty}"),
        KneeStatus::AtEnd => {
            format!("at or beyond {low} {unit} {certainty}: {}", extension_text(answer, rows))
        }
        KneeStatus::AtBegin => {
            let smaller = answer.left_out.iter().any(|place| rows[*place].load < low);
            let what = if smaller {
                "the points below it are left \
                              out"
            } else {
                "start the range at a smaller load"
            };
            format!("at or below {high} {unit} {certainty}: {what}")
        }
        KneeStatus::Anywhere => {
            format!("unknown: the knee may be anywhere from {low} to {high} {unit}")
        }
        KneeStatus::NotRepeated => {
            format!("confidence unknown from one run per point (use --repeat 5); by these figures {seen}")
        }
    }
}

fn extension_text(answer: &SweepAnswer, rows: &[PointRow]) -> String {
    let last = answer.made_of.last().map(|place| &rows[*place]);
    let load = last.map_or(0, |row| row.load);
    if answer.left_out.iter().any(|place| rows[*place].load > load) {
        return "the points beyond it are left out".into();
    }
    let loads = |row: &PointRow| {
        let of = |name: &str| row.settings.iter().find(|setting| setting.option == name).cloned();
        of("-o").or_else(|| of("-O")).or_else(|| of("-t")).or_else(|| of("-F"))
    };
    let setting = last.and_then(loads);
    let larger =
        setting.and_then(|s| Some(format!("{}{}", s.option, s.value.parse::<u64>().ok()?.checked_mul(4)?)));
    match larger {
        Some(larger) => format!("extend the range to {larger}"),
        None => "extend the range to higher rates".into(),
    }
}

/// `of` returns the name of a step.
fn enough_words(enough: Enough, of: impl Fn(usize) -> String, what: &str, certainty: &str) -> String {
    let margin = 100.0 * NEGLIGIBLE_SHARE;
    let seen = of(enough.seen);
    match (enough.least, enough.most) {
        (Some(least), Some(most)) if least == most => {
            format!("{} {} {what}, within {margin:.0} % {certainty}", of(most), verb_form(&of(most), what))
        }
        (Some(least), Some(most)) => {
            format!("{} to {} are {what}, within {margin:.0} % {certainty}", of(least), of(most))
        }
        _ => format!("unknown which is {what} within {margin:.0} %; by these figures {seen}"),
    }
}

fn verb_form(subject: &str, what: &str) -> &'static str {
    if what == "enough" && subject != "1" { "are" } else { "is" }
}

fn what_would_tell(answer: &SweepAnswer, rows: &[PointRow]) -> Option<String> {
    if answer.undecided.is_empty() {
        return None;
    }
    let of: Vec<String> = answer.undecided.iter().map(|row| point_label(&rows[*row])).collect();
    let of = if of.len() == answer.made_of.len() { "all points".into() } else { of.join(", ") };
    let done = answer.undecided.iter().map(|row| rows[*row].runs.len()).min().unwrap_or(1);
    Some(match answer.would_tell {
        Some(runs) => {
            let more: f64 = answer
                .undecided
                .iter()
                .map(|row| {
                    rows[*row].run_s * f64::from(runs).max(0.0)
                        - rows[*row].run_s * rows[*row].runs.len() as f64
                })
                .sum();
            let minutes = time_in_words(more.max(0.0));
            format!(
                "about {runs} runs of {of}, {minutes} more: use --until-sure to run just these, or --repeat \
                 {runs} for every point"
            )
        }
        None if done < 5 => format!("more runs of {of}: use --until-sure or --repeat 5"),
        None => format!(
            "{of} are so close that more repetitions will hardly separate them; --until-sure \
                         tries"
        ),
    })
}

fn objective_words(
    kept: &SloResult,
    objective: Objective,
    answer: &SweepAnswer,
    rows: &[PointRow],
) -> String {
    let of = &rows[answer.highest];
    let unit = of.unit();
    let mut text = match (kept.highest, kept.broken) {
        (Some(highest), Some(broken)) => {
            format!("{objective} is kept up to {highest:.0} {unit}, and not at {broken:.0}")
        }
        (Some(highest), None) => format!("{objective} is kept up to {highest:.0} {unit}, the highest tried"),
        (None, Some(broken)) => {
            format!("no tried load keeps {objective}, not even {broken:.0} {unit}")
        }
        (None, None) => return format!("{objective}: no latency was measured"),
    };
    text += &match (kept.repeated, kept.surely_kept, kept.surely_broken) {
        (false, ..) => "; confidence unknown from one run: use --repeat 5 or --until-sure".to_owned(),
        (true, Some(low), Some(high)) => format!("; confirmed between {low:.0} and {high:.0} (95 % each)"),
        (true, Some(low), None) => format!("; confirmed up to {low:.0} (95 %)"),
        (true, None, Some(high)) => format!("; confirmed broken from {high:.0} on (95 %)"),
        (true, None, None) if kept.too_few_ios > 0 => "; no load is confirmed".to_owned(),
        (true, None, None) => "; these repetitions vary too much for a sure answer".to_owned(),
    };
    if kept.repeated && kept.too_few_ios > 0 {
        text += &format!(
            "; {} had too few I/Os in a run for this percentile: use longer runs (-d)",
            count_of(kept.too_few_ios as usize, "load")
        );
    }
    if !of.by_rate {
        text += " (closed loop, latency from submission; --curve offers rates)";
    }
    // The row above the rates, whose latency is another one.
    let closed =
        rows.iter().find(|row| !row.is_offered()).filter(|_| of.is_offered() && kept.highest.is_none());
    let closed = closed.and_then(|row| row.figures.as_ref()?.user_latency().copied());
    if let Some(service) = closed.filter(|latency| objective.read_from(latency).ms() <= objective.limit_ms) {
        text += &format!(
            "; the run at full load shows only {} ms: a closed loop counts from submission and omits the \
             wait (coordinated omission), a rate counts from when an I/O was due",
            objective.read_from(&service)
        );
    }
    text
}

fn bound_text(answer: &SweepAnswer, rows: &[PointRow]) -> Option<String> {
    let maximum = rows.iter().find(|row| !row.is_offered()).filter(|_| rows[answer.highest].is_offered())?;
    let limiter = maximum.figures.as_ref()?.limited_by;
    let by_depth = matches!(limiter, None | Some(Limiter::Depth | Limiter::Storage | Limiter::Unclear));
    let outstanding = maximum.load;
    by_depth.then(|| {
        format!(
            "limited by the queue depth: the maximum was measured with {outstanding} outstanding I/Os, a \
             deeper queue may reach more; find the depth first (diskspd sweep -o1..{}), then pass it (-o)",
            (outstanding * 16).next_power_of_two()
        )
    })
}

fn limits_text(answer: &SweepAnswer) -> Option<String> {
    match (&answer.limits[0], &answer.limits[1]) {
        (None, None) => None,
        (below, beyond) if below == beyond => below.clone(),
        (below, beyond) => Some(format!(
            "at the smallest load by {}; at the largest by {}",
            below.as_deref().unwrap_or("something unknown"),
            beyond.as_deref().unwrap_or("something unknown")
        )),
    }
}
