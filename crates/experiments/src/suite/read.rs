//! Parser of suites: TOML with known keys only; other keys are reported with their line.

use super::command::words;
use super::{MAX_ROUNDS, MAX_TESTS, Suite, SuiteTest};
use crate::compare::{Metric, TestQuestion};
use crate::repeat::share;
use crate::selection::check_word;
use diskspd_base::limits;
use diskspd_figures::units::near::nearest;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Maximum size of a suite in bytes.
pub const MAX_BYTES: u64 = limits::SUITE.bytes;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}{}", hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default())]
pub struct SuiteError {
    /// Line number from 1.
    pub line: usize,
    pub what: String,
    pub hint: Option<String>,
}

const OF_SUITE: &[&str] = &["name", "about", "repeat", "test"];
const OF_TEST: &[&str] = &["name", "about", "command", "repeat", "metric", "same", "worse"];

/// Parses a suite.
///
/// # Errors
/// Fails with the first error.
pub fn read(text: &str) -> Result<Suite, SuiteError> {
    let source = SuiteText(text);
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        source.wrong_value(&at, error.message().to_owned())
    })?;
    let suite = Keys::from_table(&source, root.get_ref(), 0..0, "the suite", OF_SUITE)?;
    let repeat = suite.read_rounds()?;
    let Some(tests) = suite.get("test") else {
        return Err(source
            .wrong_value(&(0..0), "the suite has no test".into())
            .with_hint("add one: [[test]], below it name = \"..\" and command = \"-b4K -r -d10\""));
    };
    let list = tests.get_ref().as_array().ok_or_else(|| {
        source.wrong_value(&tests.span(), "'test' must be a list".into()).with_hint("write [[test]]")
    })?;
    if list.len() > MAX_TESTS {
        return Err(source.wrong_value(&tests.span(), format!("a suite has at most {MAX_TESTS} tests")));
    }
    let mut found: Vec<SuiteTest> = Vec::new();
    for value in list.iter() {
        let table = value.get_ref().as_table().ok_or_else(|| {
            source.wrong_value(&value.span(), "a test must be a table".into()).with_hint("write [[test]]")
        })?;
        let keys = Keys::from_table(&source, table, value.span(), "a test", OF_TEST)?;
        let test = read_test(&keys, repeat)?;
        if found.iter().any(|other| other.name == test.name) {
            let at = keys.get("name").map_or(value.span(), Spanned::span);
            return Err(source.wrong_value(&at, format!("two tests are called '{}'", test.name)));
        }
        found.push(test);
    }
    if found.is_empty() {
        return Err(source.wrong_value(&tests.span(), "the suite has no test".into()));
    }
    Ok(Suite { name: suite.name()?, about: suite.read_description()?, tests: found })
}

fn read_test(keys: &Keys, usual: Option<u32>) -> Result<SuiteTest, SuiteError> {
    let (at, line) = keys.required_key("command")?;
    let wrong = |what: String| keys.source.wrong_value(&at, what);
    let mut command = words(line).map_err(|error| wrong(error.to_string()))?;
    // As it is typed.
    if command.first().is_some_and(|word| word == "diskspd") {
        command.remove(0);
    }
    if command.is_empty() {
        return Err(wrong("'command' is empty".into()).with_hint("give options of a run: -b4K -r -d10"));
    }
    let metric = keys.text("metric")?.map(|(at, name)| {
        Metric::from_name(name).ok_or_else(|| {
            let what = format!("'{name}' is not a figure");
            keys.source
                .wrong_value(&at, what)
                .with_hint("allowed are iops, mib, mean, p50, p99, p99.9, read-p99, ..")
        })
    });
    Ok(SuiteTest {
        name: keys.name()?,
        about: keys.read_description()?,
        command,
        repeat: keys.read_rounds()?.or(usual),
        question: TestQuestion {
            metric: metric.transpose()?,
            same: keys.read_share("same")?,
            worse: keys.read_share("worse")?.unwrap_or(0.0),
        },
    })
}

/// Text with access to its lines.
struct SuiteText<'a>(&'a str);

impl SuiteText<'_> {
    fn wrong_value(&self, at: &Range<usize>, what: String) -> SuiteError {
        let before = self.0.as_bytes().get(..at.start).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        SuiteError { line, what, hint: None }
    }
}

impl SuiteError {
    fn with_hint(self, hint: impl Into<String>) -> SuiteError {
        SuiteError { hint: Some(hint.into()), ..self }
    }
}

/// Table with checked keys.
struct Keys<'a> {
    source: &'a SuiteText<'a>,
    table: &'a DeTable<'a>,
    at: Range<usize>,
    of: &'static str,
}

impl<'a> Keys<'a> {
    fn from_table(
        source: &'a SuiteText,
        table: &'a DeTable,
        at: Range<usize>,
        of: &'static str,
        allowed: &[&'static str],
    ) -> Result<Keys<'a>, SuiteError> {
        let unknown = table.iter().find(|(key, _)| !allowed.contains(&key.get_ref().as_ref()));
        if let Some((key, _)) = unknown {
            let given = key.get_ref().as_ref();
            let what = format!("{of} has no key '{given}'");
            let all = format!("allowed are {}", allowed.join(", "));
            let hint = match nearest(allowed, given.as_bytes()) {
                Some(meant) => format!("did you mean '{meant}'? {all}"),
                None => all,
            };
            return Err(source.wrong_value(&key.span(), what).with_hint(hint));
        }
        Ok(Keys { source, table, at, of })
    }

    fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    fn text(&self, key: &str) -> Result<Option<(Range<usize>, &'a str)>, SuiteError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some((value.span(), text.as_ref()))),
            _ => Err(self
                .source
                .wrong_value(&value.span(), format!("'{key}' must be a text"))
                .with_hint(format!("write {key} = \"..\""))),
        }
    }

    fn required_key(&self, key: &str) -> Result<(Range<usize>, &'a str), SuiteError> {
        self.text(key)?.ok_or_else(|| {
            let what = format!("{} has no '{key}'", self.of);
            self.source.wrong_value(&self.at, what).with_hint(format!("add {key} = \"..\""))
        })
    }

    fn name(&self) -> Result<String, SuiteError> {
        let (at, name) = self.required_key("name")?;
        check_word(name).map_err(|why| self.source.wrong_value(&at, format!("the name {why}")))?;
        Ok(name.to_owned())
    }

    fn read_description(&self) -> Result<String, SuiteError> {
        Ok(self.text("about")?.map(|(_, text)| text.trim().to_owned()).unwrap_or_default())
    }

    fn read_rounds(&self) -> Result<Option<u32>, SuiteError> {
        let Some(value) = self.get("repeat") else { return Ok(None) };
        let number = match value.get_ref() {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        match number.filter(|number| (1..=MAX_ROUNDS).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let what = format!("'repeat' must be a number of runs from 1 to {MAX_ROUNDS}");
                Err(self.source.wrong_value(&value.span(), what))
            }
        }
    }

    fn read_share(&self, key: &str) -> Result<Option<f64>, SuiteError> {
        let Some((at, text)) = self.text(key)? else { return Ok(None) };
        match share(text).filter(|share| *share < 0.5) {
            Some(share) => Ok(Some(share)),
            None => {
                let what = format!("'{key}' must be a share below 50 %");
                Err(self.source.wrong_value(&at, what).with_hint(format!("write {key} = \"5%\"")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "name = 'nightly'\nabout = 'every night'\nrepeat = 3\n\n[[test]]\nname = 'log'\n\
        about = 'commits'\ncommand = 'diskspd -b60K -w100 -d5'\nmetric = 'p99'\nsame = '3%'\nworse = '5%'\n\n\
        [[test]]\nname = 'data'\ncommand = \"-b8K -r '/a b'\"\nrepeat = 0x10\n";

    #[test]
    fn suite_file_is_parsed_completely() {
        let suite = read(GOOD).unwrap();
        assert_eq!((&*suite.name, &*suite.about, suite.tests.len()), ("nightly", "every night", 2));
        let [log, data] = &suite.tests[..] else { panic!("{suite:?}") };
        assert_eq!(log.command, ["-b60K", "-w100", "-d5"]);
        assert_eq!((log.repeat, log.question.same, log.question.worse), (Some(3), Some(0.03), 0.05));
        assert_eq!(log.question.metric.map(|metric| metric.to_string()).as_deref(), Some("p99"));
        assert_eq!((data.repeat, &data.command[2]), (Some(16), &"/a b".to_owned()));
        assert_eq!(data.question, TestQuestion::default());
    }

    #[test]
    fn suite_errors_name_line_and_allowed_keys() {
        for (text, line, words) in [
            ("", 1, "the suite has no test"),
            ("name = 'a'\ntest = []", 2, "no test"),
            ("name = 'a'\ntest = 3", 2, "[[test]]"),
            ("name = 'a'\ntest = [3]", 2, "[[test]]"),
            ("naem = 'a'", 1, "did you mean 'name'?"),
            ("name = 'a'\n[[test]]\nname = 'b'\ncomand = '-r'", 4, "did you mean 'command'?"),
            ("name = 'a'\n[[test]]\nname = 'b'\nsize = '-r'", 4, "allowed are name, about, command"),
            ("name = 'a'\n[[test]]\nname = 'b'", 2, "no 'command'"),
            ("name = 'a'\n[[test]]\ncommand = '-r'", 2, "no 'name'"),
            ("[[test]]\nname = 'b'\ncommand = '-r'", 1, "the suite has no 'name'"),
            ("name = 'a b'\n[[test]]\nname = 'b'\ncommand = '-r'", 1, "letters, digits"),
            ("name = 'a'\n[[test]]\nname = 3\ncommand = '-r'", 3, "must be a text"),
            ("name = 'a'\n[[test]]\nname = 'b'\ncommand = ''", 4, "is empty"),
            ("name = 'a'\n[[test]]\nname = 'b'\ncommand = 'diskspd'", 4, "is empty"),
            ("name = 'a'\n[[test]]\nname = 'b'\ncommand = \"-r 'x\"", 4, "not closed"),
            ("name = 'a'\nrepeat = 0", 2, "from 1 to 1000"),
            ("name = 'a'\nrepeat = '3'", 2, "from 1 to 1000"),
            ("name = 'a'\n[[test]]\nname = 'b'\ncommand = '-r'\nsame = '60%'", 5, "below 50 %"),
            ("name = 'a'\n[[test]]\nname = 'b'\ncommand = '-r'\nmetric = 'speed'", 5, "not a figure"),
            (
                "name = 'a'\n[[test]]\nname='b'\ncommand='-r'\n[[test]]\nname='b'\ncommand='-r'",
                6,
                "two tests are called 'b'",
            ),
            ("name = 'a'\nname = 'b'", 2, "duplicate"),
            ("name = \n", 1, ""),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }
}
