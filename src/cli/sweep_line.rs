//! A command line with several values per option, and its resulting plain lines. Each value is parsed by
//! its option's row as if typed alone.

use super::error::CliError;
use super::flag::{Flag, Scope};
use super::line::{OptionOnLine, TypedLine};
use crate::experiments::sweep::{self, Axis, Setting};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepLine {
    /// Given line; the option of an axis has all its values.
    pub line: TypedLine,
    pub axes: Vec<Axis>,
}

impl SweepLine {
    /// Finds the axes of a line.
    ///
    /// # Errors
    /// Fails if values are not an axis, an option has two axes, or an option with a fixed value has a range.
    pub fn from_line(line: TypedLine) -> Result<SweepLine, CliError> {
        let mut axes: Vec<Axis> = Vec::new();
        for given in &line.options {
            let Some(axis) = option_axis(given)? else { continue };
            if axes.iter().any(|other| other.option == axis.option) {
                return Err(CliError::new(format!("{} has two ranges; give it one", axis.option)));
            }
            axes.push(axis);
        }
        Ok(SweepLine { line, axes })
    }

    pub fn line_at(&self, settings: &[Setting]) -> TypedLine {
        let mut line = self.line.clone();
        for setting in settings {
            let given = line.options.iter_mut().find(|given| sets_option(given, &setting.option));
            given.into_iter().for_each(|given| *given = given.with(&value_of(given, setting)));
        }
        line
    }

    /// Returns the depth of `-o` if it is not an axis; `None` if not given.
    pub fn plain_depth(&self) -> Option<u64> {
        let mut depths = self.line.options.iter().filter(|given| given.is_letter(b'o'));
        depths.find_map(|given| std::str::from_utf8(&given.value).ok()?.parse().ok())
    }
}

fn name(flag: &Flag, value: &str) -> String {
    let head = flag.swept.map_or("", |form| form.head(value));
    flag.name.with_dashes() + head
}

fn sets_option(given: &OptionOnLine, option: &str) -> bool {
    let Some(flag) = given.flag else { return false };
    name(flag, &String::from_utf8_lossy(&given.value)) == option
}

/// Formats a setting's value in the syntax of its option.
fn value_of(given: &OptionOnLine, setting: &Setting) -> String {
    let dashed = given.flag.map_or_else(String::new, |flag| flag.name.with_dashes());
    format!("{}{}", setting.option.strip_prefix(&dashed).unwrap_or_default(), setting.value)
}

/// Returns the axis of an option; `None` = it has one value.
fn option_axis(given: &OptionOnLine) -> Result<Option<Axis>, CliError> {
    let (Some(flag), Ok(value)) = (given.flag, std::str::from_utf8(&given.value)) else { return Ok(None) };
    let Some(form) = flag.swept else { return refuse_range(flag, given, value).map(|()| None) };
    let option = name(flag, value);
    let values = sweep::values(value, form).map_err(|why| {
        let value = value.strip_prefix(form.head(value)).unwrap_or(value);
        CliError::new(format!("{option} {value}: {why}"))
    })?;
    Ok(values.map(|values| Axis { option, values }))
}

fn refuse_range(flag: &Flag, given: &OptionOnLine, value: &str) -> Result<(), CliError> {
    if !sweep::is_range(value) {
        return Ok(());
    }
    let why = match flag.scope {
        Scope::Invocation => "it applies to all points at once",
        _ if !flag.takes_value() => "it takes no value",
        _ => "its value is the same in all points",
    };
    let what = format!("{} cannot be swept: {why}", flag.name.with_dashes());
    Err(CliError::at(&given.argument, 0, what).hint("give it one value"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Invocation, line};
    use crate::experiments::sweep::points;
    use std::ffi::OsString;

    fn parse_swept(text: &str) -> Result<SweepLine, CliError> {
        let arguments: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        SweepLine::from_line(TypedLine::from_arguments(&arguments)?)
    }

    fn line_text(line: &TypedLine) -> String {
        line::join_arguments(&line.words()).to_string()
    }

    fn expand_lines(text: &str) -> Vec<TypedLine> {
        let swept = parse_swept(text).unwrap();
        points(&swept.axes).unwrap().iter().map(|settings| swept.line_at(settings)).collect()
    }

    #[test]
    fn every_combination_is_a_plain_command_line() {
        let found: Vec<String> = expand_lines("-b4K,64K -r -o1..2 --engine sync,uring -Sh ./1,2..3")
            .iter()
            .map(line_text)
            .collect();
        assert_eq!(found.len(), 8);
        assert_eq!(found[0], "-b4K -r -o1 --engine sync -Sh ./1,2..3");
        assert_eq!(found[1], "-b4K -r -o1 --engine uring -Sh ./1,2..3");
        assert_eq!(found[7], "-b64K -r -o2 --engine uring -Sh ./1,2..3");
    }

    #[test]
    fn line_without_ranges_is_one_point() {
        let text = "-o8 -a0,1 -rdpct10/90:0/5 --engine=sim -Z1M,./f --verify=read:2,1 file";
        assert_eq!(expand_lines(text).iter().map(line_text).collect::<Vec<_>>(), [text]);
    }

    #[test]
    fn every_option_is_sweepable() {
        for (text, count, last) in [
            ("-d1..4 f", 3, "-d4 f"),
            ("-rs50..100+25 f", 3, "-rs100 f"),
            ("-o8 -oc1,4 f", 2, "-o8 -oc4 f"),
            ("-f1M..4M -b4K f", 3, "-f4M -b4K f"),
            ("-w10 --trim 5,10,20 f", 3, "-w10 --trim 20 f"),
            ("-w10 --fsync-every=1..8 f", 4, "-w10 --fsync-every=8 f"),
            ("-Su,b,h f", 3, "-Sh f"),
            ("-g100..400i f", 3, "-g400i f"),
            ("-b4K,64K -f10b f", 2, "-b64K -f10b f"),
            ("--preset fleet-general -o1,2 f", 2, "--preset fleet-general -o2 f"),
            ("-Xp.xml -d1,2 -z3 f", 2, "-Xp.xml -d2 -z3 f"),
        ] {
            let found = expand_lines(text);
            assert_eq!((found.len(), line_text(found.last().unwrap()).as_str()), (count, last), "{text}");
            for line in &found {
                let run = |line: &TypedLine| match line.read("".into()).unwrap() {
                    Invocation::Run(request) => *request,
                    other => panic!("{other:?}"),
                };
                let again = run(&TypedLine::from_arguments(&line.words()).unwrap());
                let run = run(line);
                assert_eq!((run.profile, run.run_options), (again.profile, again.run_options), "{text}");
                assert_eq!(run.profile_file, again.profile_file, "{text}");
            }
        }
    }

    #[test]
    fn invalid_axis_has_reason() {
        for (text, why) in [
            ("-o1..8 -o2..4 f", "-o has two ranges"),
            ("-o8..1 f", "-o 8..1: 8..1 is descending"),
            ("-rs8..1 f", "-rs 8..1: 8..1 is descending"),
            ("-a0..3 f", "-a cannot be swept"),
            ("--save=1..3 f", "--save cannot be swept"),
            ("--out 1..3 f", "--out cannot be swept: it applies to all points at once"),
        ] {
            let message = parse_swept(text).unwrap_err().to_string();
            assert!(message.contains(why), "{message}");
        }
    }
}
