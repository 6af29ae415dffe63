//! A fio job option: its format and its conversion.

#[derive(Debug, Clone, Copy)]
pub struct FioOption {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub form: FioForm,
    pub kind: FioKind,
    /// Values without effect, for an option that is otherwise refused or converted differently.
    pub harmless: &'static [&'static str],
}

impl FioOption {
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

#[derive(Debug, Clone, Copy)]
pub enum FioKind {
    Same,
    Near(&'static str),
    Refused { reason: &'static str, remedy: &'static str },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FioForm {
    /// No value, 0 or 1.
    Switch,
    Number,
    Size,
    /// One size for reads, writes and trims, or one for each.
    SizeEach,
    /// Time; a bare number is in seconds.
    Seconds,
    Micros,
    Text,
}

impl FioForm {
    pub fn name(self) -> &'static str {
        match self {
            FioForm::Switch => "switch",
            FioForm::Number => "number",
            FioForm::Size => "size",
            FioForm::SizeEach => "size, or one each for reads, writes, trims",
            FioForm::Seconds => "time (seconds)",
            FioForm::Micros => "time (microseconds)",
            FioForm::Text => "text",
        }
    }
}

pub(super) const fn same(name: &'static str, aliases: &'static [&'static str], form: FioForm) -> FioOption {
    FioOption { name, aliases, form, kind: FioKind::Same, harmless: &[] }
}

pub(super) const fn approximate_option(
    name: &'static str,
    aliases: &'static [&'static str],
    form: FioForm,
    what: &'static str,
) -> FioOption {
    FioOption { name, aliases, form, kind: FioKind::Near(what), harmless: &[] }
}

/// Creates a row of an option that differs, except for values without effect.
pub(super) const fn near_unless(
    name: &'static str,
    aliases: &'static [&'static str],
    form: FioForm,
    harmless: &'static [&'static str],
    what: &'static str,
) -> FioOption {
    FioOption { name, aliases, form, kind: FioKind::Near(what), harmless }
}

pub(super) const fn refused_option(
    name: &'static str,
    aliases: &'static [&'static str],
    harmless: &'static [&'static str],
    reason: &'static str,
    remedy: &'static str,
) -> FioOption {
    FioOption { name, aliases, form: FioForm::Text, kind: FioKind::Refused { reason, remedy }, harmless }
}
