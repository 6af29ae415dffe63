//! The terminal of a watched run: its features, and its drawn content.

use super::console::{AsStream, takes_sequences, window};
pub use diskspd_figures::units::wrapped::{width, width_of};
use std::env;
use std::fs::File;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// The terminal to which another process passes standard error unchanged.
#[derive(Debug)]
pub enum PassedTerminal {
    Here(File),
    /// Columns and rows of a terminal on another host.
    Elsewhere(usize, usize),
}

static PASSED_TO: OnceLock<PassedTerminal> = OnceLock::new();

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    pub columns: usize,
    pub rows: usize,
    pub colours: bool,
    /// Whether it displays block characters in one column; otherwise ASCII is used.
    pub blocks: bool,
}

/// Returns the terminal of standard error; `None` if it is not a terminal, or does not support drawing
/// (`TERM=dumb`).
pub fn screen() -> Option<Screen> {
    screen_of(&std::io::stderr()).or_else(|| match PASSED_TO.get()? {
        PassedTerminal::Here(terminal) => screen_of(terminal),
        PassedTerminal::Elsewhere(columns, rows) => find_screen(*columns, *rows, read_variable),
    })
}

/// Sets the terminal for which standard error is drawn.
pub fn pass_to(terminal: PassedTerminal) {
    // There is one launcher in the life of a process.
    let _ = PASSED_TO.set(terminal);
}

/// Returns the terminal of a stream; `None` if it is not a terminal, or does not support drawing.
pub(crate) fn screen_of(stream: &(impl IsTerminal + AsStream)) -> Option<Screen> {
    if !stream.is_terminal() || !takes_sequences(stream) {
        return None;
    }
    let size = window(stream);
    let side = |side: Option<usize>, usual| side.filter(|side| *side > 0).unwrap_or(usual);
    find_screen(
        side(size.map(|(columns, _)| columns), 80),
        side(size.map(|(_, rows)| rows), 24),
        read_variable,
    )
}

fn read_variable(name: &str) -> Option<String> {
    env::var_os(name).and_then(|value| value.into_string().ok())
}

fn find_screen(columns: usize, rows: usize, named: impl Fn(&str) -> Option<String>) -> Option<Screen> {
    let given = |name: &str| named(name).filter(|value| !value.is_empty());
    let kind = given("TERM").unwrap_or_default();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| given(name));
    let takes_blocks = |locale: String| {
        let name = locale.to_ascii_lowercase();
        // There a terminal may draw them two columns wide.
        let wide = ["zh", "ja", "ko"].iter().any(|language| name.starts_with(language));
        (name.ends_with("utf-8") || name.ends_with("utf8")) && !wide
    };
    (kind != "dumb").then(|| Screen {
        columns,
        rows,
        colours: given("NO_COLOR").is_none(),
        // Of the console's own font two of eight are missing.
        blocks: kind != "linux" && locale.is_none_or(takes_blocks),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    Plain,
    Faint,
    Rate,
    Latency,
    Good,
    Note,
    Doubtful,
    Wrong,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledText {
    pub ink: TextStyle,
    pub text: String,
}

/// Pieces of a line, from left to right.
pub type DrawnLine = Vec<StyledText>;

pub fn plain(text: impl Into<String>) -> DrawnLine {
    vec![StyledText { ink: TextStyle::Plain, text: text.into() }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_decides_terminal_output() {
        for (given, expected) in [
            (&[("TERM", "xterm"), ("LANG", "de_DE.UTF-8")][..], Some((true, true))),
            (&[], Some((true, true))),
            (&[("NO_COLOR", "1")], Some((false, true))),
            (&[("NO_COLOR", "")], Some((true, true))),
            (&[("TERM", "dumb")], None),
            (&[("TERM", "linux"), ("LANG", "C.utf8")], Some((true, false))),
            (&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")], Some((true, false))),
            (&[("LC_ALL", ""), ("LANG", "en_US.UTF-8")], Some((true, true))),
            (&[("LC_CTYPE", "ja_JP.UTF-8")], Some((true, false))),
        ] {
            let named = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
            let found = find_screen(80, 24, named).map(|screen| (screen.colours, screen.blocks));
            assert_eq!(found, expected, "{given:?}");
        }
    }
}
