//! The man pages, one of the program and one of each command, in roff's man macros.

use super::commands::{self, COMMANDS};
use super::flag::Compatibility;
use super::flags::GROUPS;
use super::{COMPATIBLE_VERSION, Exit, help};
use crate::units::wrapped::wrapped;
use std::fmt::Write;

/// Returns all pages with their names: `diskspd`, `diskspd-report`, ..
pub fn pages() -> impl Iterator<Item = (String, String)> {
    let of = |command: &commands::Command| (format!("diskspd-{}", command.name), command_page(command.name));
    std::iter::once(("diskspd".to_owned(), page())).chain(COMMANDS.iter().map(of))
}

/// Returns the man page `diskspd(1)`, with a final line feed.
pub fn page() -> String {
    let mut page = heading_line("DISKSPD");
    page.push_str(".SH NAME\ndiskspd \\- storage load generator and benchmark\n.SH SYNOPSIS\n");
    for line in help::SYNOPSIS {
        let _ = writeln!(page, "{}\n.br", escape(line));
    }
    let _ = write!(
        page,
        ".SH DESCRIPTION\nReads and writes files or block devices with a given pattern for a given time and \
         reports throughput, I/Os per second, CPU usage and, on request, latencies. Takes the command lines \
         and profiles of DISKSPD {COMPATIBLE_VERSION} and prints its reports.\n.PP\n\
         All options come before all targets. The value of a letter is attached to it.\n"
    );
    write_section(&mut page, "TARGETS", help::TARGETS);
    write_section(&mut page, "SIZE SUFFIXES", help::SIZES);
    page.push_str(".SH OPTIONS\n");
    for group in GROUPS {
        let _ = writeln!(page, ".SS {}", escape(group.title));
        for flag in group.flags() {
            for (syntax, help) in flag.forms {
                write_item(&mut page, syntax, help);
            }
            let _ = write!(page, ".br\nDefault: {}.", escape(flag.default));
            if !flag.notes.is_empty() {
                let _ = write!(page, " {}", escape(flag.notes));
            }
            if let Compatibility::Differs(why) = flag.compatibility {
                let _ = write!(page, " Other than DISKSPD: {}.", escape(why));
            }
            page.push('\n');
        }
    }
    page.push_str(".SH COMMANDS\nEach has its own page, as diskspd\\-report(1).\n");
    for command in COMMANDS {
        write_item(&mut page, format!("{} {}", command.name, command.arguments).trim_end(), command.help);
    }
    exit_status(&mut page);
    page.push_str(".SH EXAMPLES\n");
    for (line, meaning) in help::EXAMPLES {
        write_item(&mut page, line, meaning);
    }
    see_also(&mut page, COMMANDS.iter().map(|command| command.name));
    page
}

/// Returns the man page `diskspd-<command>(1)`, with a final line feed; empty for an unknown name.
pub fn command_page(name: &str) -> String {
    let Some(command) = commands::find(name.as_bytes()) else { return String::new() };
    let mut page = heading_line(&format!("DISKSPD\\-{}", name.to_uppercase()));
    let _ = writeln!(page, ".SH NAME\ndiskspd\\-{name} \\- {}", escape(command.help));
    let _ = writeln!(page, ".SH SYNOPSIS\n{}", escape(&command.usage()));
    let _ = writeln!(page, ".SH DESCRIPTION\n{}.", escape(&help::sentence(command.help)));
    page.push_str(".SH OPTIONS\n");
    for option in command.rows_and_help() {
        write_item(&mut page, &option.form(), &format!("{}.", help::sentence(&option.meaning())));
    }
    exit_status(&mut page);
    if !command.examples.is_empty() {
        page.push_str(".SH EXAMPLES\n");
        command.examples.iter().for_each(|(line, meaning)| write_item(&mut page, line, meaning));
    }
    see_also(&mut page, std::iter::empty());
    page
}

/// A page as plain text with lines of at most `columns` columns, for pagers without roff.
pub fn plain(page: &str, columns: usize) -> String {
    let mut text = String::new();
    let (mut is_term, mut indent) = (false, 0);
    for line in page.lines() {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            ".TH" | ".br" => {}
            ".SH" => {
                let _ = writeln!(text, "{}{}", if text.is_empty() { "" } else { "\n" }, unescape(rest));
                indent = 4;
            }
            ".SS" => {
                let _ = writeln!(text, "\n  {}", unescape(rest));
                indent = 4;
            }
            ".TP" => is_term = true,
            ".PP" => text.push('\n'),
            _ => {
                let words = if name == ".BR" { rest.replace(" (", "(") } else { line.to_owned() };
                let margin = if is_term { 4 } else { indent };
                let words = wrapped(&unescape(&words), columns, margin, margin);
                let _ = writeln!(text, "{}{words}", " ".repeat(margin));
                indent = if is_term { 8 } else { indent };
                is_term = false;
            }
        }
    }
    text
}

fn unescape(text: &str) -> String {
    let plain = ["\\fB", "\\fR", "\\&"].iter().fold(text.to_owned(), |text, mark| text.replace(mark, ""));
    plain.replace("\\-", "-").replace("\\e", "\\")
}

fn heading_line(title: &str) -> String {
    format!(".TH {title} 1 \"\" \"diskspd {}\"\n", env!("CARGO_PKG_VERSION"))
}

fn exit_status(page: &mut String) {
    page.push_str(".SH EXIT STATUS\n");
    for exit in Exit::ALL {
        write_item(page, &exit.code().to_string(), exit_meaning(exit));
    }
}

fn exit_meaning(exit: Exit) -> &'static str {
    match exit {
        Exit::Success => "Success.",
        Exit::RunFailed => {
            "The run failed, or an event cannot be used. -ye always ends with 1, as in DISKSPD. --bisect: \
             worse."
        }
        Exit::Doubtful => {
            "With --strict: figures are wrong or cannot be verified. doctor: something distorts figures. \
             compare, baseline check: --fail-if applies. precondition: no steady state. verify-after: \
             nothing could be verified."
        }
        Exit::Usage => "No arguments, or a wrong command line or profile.",
        Exit::Corrupt => "With --verify, and of verify-after: sectors do not hold the written data.",
        Exit::Outage => "With --fail-on-outage: a target completed nothing for that time.",
        Exit::Skip => "--bisect: worse or not is unknown, or the runs failed. git bisect skips.",
        Exit::Abort => "--bisect: a wrong command line. git bisect ends.",
        Exit::Incomplete => {
            "verify-after: the journal is damaged, so some acknowledged writes could not be verified."
        }
    }
}

fn see_also<'a>(page: &mut String, commands: impl Iterator<Item = &'a str>) {
    page.push_str(".SH SEE ALSO\n.BR diskspd (1)");
    for name in commands {
        let _ = write!(page, ",\n.BR diskspd\\-{name} (1)");
    }
    page.push('\n');
}

fn write_section(page: &mut String, title: &str, rows: &[(&str, &str)]) {
    let _ = writeln!(page, ".SH {title}");
    for (form, meaning) in rows {
        write_item(page, form, meaning);
    }
}

fn write_item(page: &mut String, term: &str, text: &str) {
    let _ = writeln!(page, ".TP\n\\fB{}\\fR\n{}", escape(term), escape(text));
}

fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flags;

    #[test]
    fn man_page_shows_every_option_form() {
        let page = page();
        for (syntax, _) in flags::all().flat_map(|flag| flag.forms) {
            assert!(page.contains(&format!("\\fB{}\\fR\n", escape(syntax))), "{syntax}");
        }
    }

    #[test]
    fn plain_page_has_no_roff_and_fits() {
        for (name, page) in pages() {
            let text = plain(&page, 60);
            let is_roff = |line: &&str| line.starts_with('.') || line.contains("\\f") || line.contains("\\-");
            assert_eq!(text.lines().find(is_roff), None, "{name}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
            assert!(words(&text).starts_with(&["NAME".to_owned(), name.clone()]), "{name}");
            let too_wide = |line: &&str| line.chars().count() > 60 && line.trim().contains(' ');
            assert_eq!(text.lines().find(too_wide), None, "{name}");
        }
    }

    #[test]
    fn manual_lines_are_not_parsed_as_macros() {
        let pages = pages().map(|(_, page)| page).collect::<String>();
        for line in pages.lines().filter(|line| line.starts_with(['.', '\''])) {
            let name = line.split(' ').next().unwrap();
            assert!([".TH", ".SH", ".SS", ".TP", ".PP", ".br", ".BR"].contains(&name), "{line}");
        }
    }

    #[test]
    fn command_page_shows_its_usage_and_options() {
        for command in COMMANDS {
            let page = command_page(command.name);
            assert!(page.contains(&format!("\n{}\n", escape(&command.usage()))), "{}", command.name);
            for option in command.rows_and_help().iter().map(|row| row.name) {
                assert!(page.contains(&format!("\\fB{}", escape(option))), "{} {option}", command.name);
            }
            assert_eq!(page.contains(".SH EXAMPLES\n"), !command.examples.is_empty(), "{}", command.name);
        }
        assert_eq!(command_page("no-command"), "");
    }
}
