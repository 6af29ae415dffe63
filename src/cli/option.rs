//! An option of a command: the row for parser, help, man pages and completions. Rows of several commands
//! are here, the other rows next to their readers.

use super::flag::Flag;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OptionRow {
    pub name: &'static str,
    pub value: OptionValue,
    pub help: &'static str,
    pub default: &'static str,
    /// Example of a value; empty = not needed.
    pub example: &'static str,
    /// Subcommands for which the option has an effect; empty = all.
    pub only_with: &'static [&'static str],
}

/// Value of an option. It is attached to a letter (`-d60`), and after a word's `=` or in the next
/// argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionValue {
    Switch,
    /// File name, byte by byte.
    File,
    Folder,
    OneOf(&'static [&'static str]),
    Number {
        min: u32,
        /// Maximum; `u32::MAX` = no limit.
        max: u32,
        of: &'static str,
    },
    Text {
        /// Displayed form: `<time>`. Optional values are in brackets, or empty.
        shown: &'static str,
        offered: &'static [&'static str],
    },
}

use OptionValue::{File, Folder, Number, OneOf, Switch, Text};

impl OptionValue {
    pub(super) fn value_text(&self) -> String {
        match self {
            Switch => String::new(),
            File => "<file>".to_owned(),
            Folder => "<folder>".to_owned(),
            OneOf(words) => words.join("|"),
            Number { .. } => "<n>".to_owned(),
            Text { shown, .. } => (*shown).to_owned(),
        }
    }

    pub(super) fn offered(&self) -> &'static [&'static str] {
        match self {
            OneOf(words) | Text { offered: words, .. } => words,
            Switch | File | Folder | Number { .. } => &[],
        }
    }

    pub(super) fn is_optional(&self) -> bool {
        matches!(self, Text { shown, .. } if shown.is_empty() || shown.starts_with('['))
    }
}

/// Creates a row with this value and defaults elsewhere.
pub(super) const fn row(name: &'static str, value: OptionValue, help: &'static str) -> OptionRow {
    OptionRow { name, value, help, default: "", example: "", only_with: &[] }
}

pub(super) const fn switch(name: &'static str, help: &'static str) -> OptionRow {
    row(name, Switch, help)
}

/// Returns a row whose value the command parses, with an example if it has special syntax.
pub(super) const fn text(
    name: &'static str,
    shown: &'static str,
    example: &'static str,
    help: &'static str,
) -> OptionRow {
    OptionRow { example, ..row(name, Text { shown, offered: &[] }, help) }
}

impl OptionRow {
    /// Adds the default to the description.
    pub(super) const fn with_default(self, default: &'static str) -> OptionRow {
        OptionRow { default, ..self }
    }

    pub(super) const fn with_help(self, help: &'static str) -> OptionRow {
        OptionRow { help, ..self }
    }

    pub(super) const fn with_choices(self, offered: &'static [&'static str]) -> OptionRow {
        let Text { shown, .. } = self.value else { return self };
        OptionRow { value: Text { shown, offered }, ..self }
    }

    pub(super) const fn only_with(self, only_with: &'static [&'static str]) -> OptionRow {
        OptionRow { only_with, ..self }
    }

    pub(super) fn from_flag(flag: &'static Flag) -> OptionRow {
        let ((form, help), own) = (flag.forms[0], flag.name.with_dashes());
        let (name, value) = form.split_at(own.len());
        let shown = value.trim_start_matches(['=', ' ']);
        // -h is read as text only because it can fail.
        let takes_value = flag.takes_value() && flag.forms.iter().any(|(form, _)| *form != own);
        let value = match (takes_value, shown) {
            (false, _) => Switch,
            (true, "<file>") => File,
            (true, "<folder>") => Folder,
            (true, shown) => Text { shown, offered: flag.values },
        };
        let default = if flag.default == "off" { "" } else { flag.default };
        row(name, value, help).with_default(default)
    }

    /// Whether it is a letter, with an attached value.
    pub(super) fn is_letter(&self) -> bool {
        self.name.len() == 2
    }

    pub(super) fn form(&self) -> String {
        self.option_with(&self.value.value_text())
    }

    fn option_with(&self, value: &str) -> String {
        let apart = !value.is_empty() && !value.starts_with('[') && !self.is_letter();
        format!("{}{}{value}", self.name, if apart { " " } else { "" })
    }

    pub(super) fn as_example(&self) -> Option<String> {
        (!self.example.is_empty()).then(|| self.option_with(self.example))
    }

    /// Returns its purpose, permitted numbers or words, and the default.
    pub(super) fn meaning(&self) -> String {
        let range = match self.value {
            // That there is at least one goes without saying.
            Number { min: 0 | 1, max: u32::MAX, .. } => String::new(),
            Number { min, max, .. } => format!(" ({})", numbers(min, max)),
            Text { .. } if !self.example.is_empty() => format!(" (such as {})", self.example),
            _ => String::new(),
        };
        let default = if self.default.is_empty() { String::new() } else { format!(" [{}]", self.default) };
        format!("{}{range}{default}", self.help)
    }
}

pub(super) fn numbers(min: u32, max: u32) -> String {
    if max == u32::MAX { format!("at least {min}") } else { format!("{min} to {max}") }
}

pub(super) const HELP: OptionRow = switch("--help", "print this");

pub(super) const STORE: OptionRow = row("--store", Folder, "the folder of the history, for @label and @id");
pub(super) const HTML: OptionRow = row("--html", File, "write an HTML page to this file");
pub(super) const JSON: OptionRow = row("--json", File, "write everything as JSON to this file");
pub(super) const OUT: OptionRow =
    row("--out", File, "write another report to this file, in the format of its extension");
pub(super) const DRY_RUN: OptionRow =
    switch("--dry-run", "check everything, show what the run would do, and do nothing");
pub(super) const STRICT: OptionRow =
    switch("--strict", "exit code 2 if any figures are wrong, or the device's counters cannot confirm them");
pub(super) const WITH: OptionRow =
    text("--with", "<command>", "'ssh host diskspd.exe'", "let DISKSPD itself make the runs");
pub(super) const QUIET: OptionRow = switch("--quiet", "print only errors and wrong figures");
pub(super) const AS_JSON: OptionRow = switch("--json", "as JSON, for programs");
pub(super) const VERBOSE: OptionRow = switch("-v", "with everything that was found");

pub(super) const METRIC: OptionRow =
    text("--metric", "<figure>", "", "the figure: iops, mib, mean, p50, p99, p99.9")
        .with_choices(&["iops", "mib", "mean", "p50", "p99", "p99.9"]);

pub(super) const FIGURES: &str = "iops, mib, mean, p50, p99 or p99.9";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flags;

    #[test]
    fn option_row_shows_value_range_and_default() {
        let rounds = row("--rounds", Number { min: 5, max: 100, of: "rounds" }, "give up").with_default("25");
        assert_eq!(
            (rounds.form(), rounds.meaning()),
            ("--rounds <n>".into(), "give up (5 to 100) [25]".into())
        );
        let order = row("--order", OneOf(&["given", "random"]), "order");
        assert_eq!((order.form(), order.meaning()), ("--order given|random".into(), "order".into()));
        let seconds = row("-d", Number { min: 2, max: u32::MAX, of: "seconds" }, "how long");
        assert_eq!((seconds.form(), seconds.meaning()), ("-d<n>".into(), "how long (at least 2)".into()));
        assert_eq!(text("--slo", "p99=<time>", "p99=5ms", "").as_example(), Some("--slo p99=5ms".into()));
    }

    #[test]
    fn run_option_is_shown_in_its_first_form() {
        let of = |name: &str| {
            OptionRow::from_flag(flags::all().find(|flag| flag.name.with_dashes() == name).unwrap())
        };
        assert_eq!((of("--out").value, of("--out").form()), (File, "--out <file>".into()));
        assert_eq!((of("--dry-run").value, of("-h").value), (Switch, Switch));
        assert!(of("--until-steady").value.is_optional() && !of("--repeat").value.is_optional());
        assert_eq!(of("--compat").value.offered(), ["2.2", "2.3"]);
    }
}
