//! A command line with axes becomes plain command lines, one per point.

use super::axis::{self, ValueForm};
use std::ffi::OsString;

/// Letters whose values may be axes, and what such a value may end with.
const LETTERS: [(char, &str); 7] =
    [('o', ""), ('O', ""), ('t', ""), ('F', ""), ('b', ""), ('w', ""), ('g', "i")];
/// Long options whose values may be axes: what says how a run is done.
pub const LONG: [&str; 4] = ["--engine", "--cpu-latency", "--prefill", RATE_TOTAL];
/// A rate for all threads and targets together.
const RATE_TOTAL: &str = "--rate-total";
const RATES: ValueForm = ValueForm { tail: "", endings: &[",poisson", ",uniform"], kilo: 1000 };
/// Points of more axes than anybody waits for.
const MOST: usize = 10_000;

/// An option that is given a value per point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// As it is written: `-o`, `--engine`.
    pub option: String,
    /// Which argument holds the values, and what stands before them in it.
    at: usize,
    before: String,
    /// In the order of the command line.
    pub values: Vec<String>,
}

impl Axis {
    /// Whether it says how much is outstanding.
    pub fn is_load(&self) -> bool {
        ["-o", "-O", "-t", "-F"].contains(&self.option.as_str())
    }

    /// Whether it says what is asked for a second.
    pub fn is_rate(&self) -> bool {
        self.option == "-g" || self.option == RATE_TOTAL
    }
}

/// One option of a point with its value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Setting {
    /// As it is written: `-o`, `--engine`.
    pub option: String,
    /// As it is written.
    pub value: String,
}

/// A point as the ordinary parser takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainLine {
    /// One per axis, in the order of the command line.
    pub settings: Vec<Setting>,
    /// The command line without the name of the program.
    pub arguments: Vec<OsString>,
}

impl Axis {
    /// Which argument holds its values.
    pub fn place(&self) -> usize {
        self.at
    }
}

/// The axes of a command line without the name of the program.
///
/// # Errors
/// A message that names the argument.
pub fn axes(arguments: &[OsString]) -> Result<Vec<Axis>, String> {
    let mut found: Vec<Axis> = Vec::new();
    let mut at = 0;
    while let Some(text) = arguments.get(at).map(|argument| argument.to_str().unwrap_or_default()) {
        let (option, before, value, form) = match option(text) {
            Some((option, Some(value), form)) => (option, &text[..text.len() - value.len()], value, form),
            Some((option, None, form)) => {
                at += 1;
                let Some(value) = arguments.get(at).and_then(|value| value.to_str()) else { break };
                (option, "", value, form)
            }
            None => {
                at += 1;
                continue;
            }
        };
        let values = axis::values(value, form).map_err(|why| format!("{option} {value}: {why}"))?;
        if let Some(values) = values {
            if found.iter().any(|axis| axis.option == option) {
                return Err(format!("{option} has two ranges; give it one"));
            }
            found.push(Axis { option: option.to_owned(), at, before: before.to_owned(), values });
        }
        at += 1;
    }
    Ok(found)
}

/// An option that may be an axis, with its value if that is attached, and how its values are written.
fn option(text: &str) -> Option<(&str, Option<&str>, ValueForm)> {
    if text.starts_with("--") {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        // What may stand alone has its value attached.
        let alone = name == "--prefill" && value.is_none();
        return (LONG.contains(&name) && !alone).then_some((
            name,
            value,
            if name == RATE_TOTAL { RATES } else { ValueForm::SIZE },
        ));
    }
    let letter = text.strip_prefix('-')?.chars().next()?;
    let (_, tail) = LETTERS.iter().find(|(known, _)| *known == letter)?;
    Some((&text[..2], Some(&text[2..]), ValueForm { tail, ..ValueForm::SIZE }))
}

/// The points of a command line: all combinations, the last axis going fastest.
///
/// # Errors
/// A message: too many.
pub fn points(arguments: &[OsString], axes: &[Axis]) -> Result<Vec<PlainLine>, String> {
    let count = axes.iter().try_fold(1_usize, |product, axis| product.checked_mul(axis.values.len()));
    let count = count.filter(|count| *count <= MOST).ok_or_else(|| {
        format!("these axes make more than {MOST} points; give fewer values, or larger steps")
    })?;
    Ok((0..count).map(|number| point(arguments, axes, number)).collect())
}

fn point(arguments: &[OsString], axes: &[Axis], number: usize) -> PlainLine {
    let mut rest = number;
    let mut line = PlainLine { settings: Vec::new(), arguments: arguments.to_vec() };
    for axis in axes.iter().rev() {
        let value = &axis.values[rest % axis.values.len()];
        rest /= axis.values.len();
        line.arguments[axis.at] = format!("{}{value}", axis.before).into();
        line.settings.insert(0, Setting { option: axis.option.clone(), value: value.clone() });
    }
    line
}

/// Those points whose threads x depth is the same (`--diagonal`): that of the smallest `-t` with the largest
/// `-o`. Where `-o` is no axis it is the depth of the smallest `-t`, and every other one gets its own.
///
/// # Errors
/// A message: there is no diagonal.
pub fn diagonal(arguments: &[OsString], axes: &[Axis]) -> Result<Vec<PlainLine>, String> {
    let numbers =
        |values: &[String]| values.iter().filter_map(|value| value.parse().ok()).collect::<Vec<u64>>();
    let find = |name: &str| axes.iter().find(|axis| axis.option == name);
    let threads = find("-t").ok_or("--diagonal: give the threads a range, as in -t1..8")?;
    let plain = arguments.iter().position(|argument| {
        argument.to_str().and_then(|text| text.strip_prefix("-o")?.parse::<u64>().ok()).is_some()
    });
    let depths = match (find("-o"), plain) {
        (Some(axis), _) => numbers(&axis.values),
        (None, Some(at)) => numbers(&[arguments[at].to_string_lossy()[2..].to_owned()]),
        (None, None) => Vec::new(),
    };
    let smallest = numbers(&threads.values).into_iter().min();
    let (Some(smallest), Some(largest)) = (smallest, depths.iter().copied().max()) else {
        return Err("--diagonal: give the depth too, as in -t1..8 -o8 or -t1..8 -o1..8".into());
    };
    let product = smallest * largest;
    let mut axes = axes.to_vec();
    if let (None, Some(at)) = (find("-o"), plain) {
        let depths =
            numbers(&threads.values).into_iter().filter(|t| *t > 0).map(|t| (product / t).to_string());
        let mut values: Vec<String> = depths.collect();
        values.dedup();
        axes.push(Axis { option: "-o".into(), at, before: "-o".into(), values });
    }
    let is_on_it = |line: &PlainLine| {
        let value = |name: &str| line.settings.iter().find(|s| s.option == name)?.value.parse::<u64>().ok();
        value("-t").zip(value("-o")).and_then(|(t, o)| t.checked_mul(o)) == Some(product)
    };
    let lines: Vec<PlainLine> = points(arguments, &axes)?.into_iter().filter(is_on_it).collect();
    match lines.len() {
        0 | 1 => Err(format!(
            "--diagonal: fewer than two points have threads x depth = {product}; choose a depth that the \
             threads divide"
        )),
        _ => Ok(lines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn lines(points: &[PlainLine]) -> Vec<String> {
        let text = |point: &PlainLine| {
            point.arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        points.iter().map(text).collect()
    }

    #[test]
    fn every_combination_is_a_plain_command_line() {
        let line = arguments("-b4K,64K -r -o1..2 --engine sync,uring -Sh ./1,2..3");
        let axes = axes(&line).unwrap();
        let found = lines(&points(&line, &axes).unwrap());
        assert_eq!(found.len(), 8);
        assert_eq!(found[0], "-b4K -r -o1 --engine sync -Sh ./1,2..3");
        assert_eq!(found[1], "-b4K -r -o1 --engine uring -Sh ./1,2..3");
        assert_eq!(found[7], "-b64K -r -o2 --engine uring -Sh ./1,2..3");
    }

    #[test]
    fn a_line_without_axes_is_one_point() {
        let line = arguments("-o8 -a0,1 -rdpct10/90:0/5 --engine=sim -Z1M,./f file");
        let axes = axes(&line).unwrap();
        assert!(axes.is_empty());
        assert_eq!(lines(&points(&line, &axes).unwrap()), [lines(&[point(&line, &axes, 0)])[0].clone()]);
    }

    #[test]
    fn the_diagonal_keeps_threads_times_depth() {
        for line in ["-t1..8 -o8 f", "-t1..8 -o1..8 f"] {
            let line = arguments(line);
            let found = diagonal(&line, &axes(&line).unwrap()).unwrap();
            assert_eq!(lines(&found), ["-t1 -o8 f", "-t2 -o4 f", "-t4 -o2 f", "-t8 -o1 f"]);
        }
        for (line, why) in
            [("-o8 f", "give the threads"), ("-t1..8 f", "give the depth"), ("-t3,5 -o7 f", "fewer than two")]
        {
            let line = arguments(line);
            let message = diagonal(&line, &axes(&line).unwrap()).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn what_makes_no_points_is_explained() {
        for (line, why) in [
            ("-o1..8 -o2..4 f", "two ranges"),
            ("-o8..1 f", "-o 8..1: 8..1 is descending"),
            ("-o1..200+1 -t1..200+1 f", "more than 10000 points"),
        ] {
            let line = arguments(line);
            let message = axes(&line).and_then(|axes| points(&line, &axes)).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
    }
}
