//! The table of how each option relates to DISKSPD's, in Markdown.

use super::COMPATIBLE_VERSION;
use super::flag::Compatibility;
use super::flags::GROUPS;
use std::fmt::Write;

/// Returns the table of `docs/reference/compatibility.md`, with a final line feed.
pub fn table() -> String {
    let mut text = format!(
        "# Compatibility of the command line\n\n\
         This page compares each option with DISKSPD {COMPATIBLE_VERSION}. `diskspd compatibility` generates \
         it from the flag table.\n\n\
         General differences:\n\n\
         * Only `-` begins an option, not `/`. All options come before all targets. An option is one \
         argument.\n\
         * `#<n>` is a number of `diskspd devices`. Drives are named by block devices, not by `<X>:`.\n\
         * A unit that would change an integer (`-d1m`, `-o4K`) is refused with the intended spelling. \
         `--compat 2.2` and `--compat 2.3` keep DISKSPD's reading (`-d1`, `-o4`).\n\
         * I/Os that transfer less than a block are reported after the run, in a line for each thread and \
         target. DISKSPD warns of each during the run.\n\n\
         \"With -X\" lists options that are allowed with an XML profile. \"Tested by\" names tests in \
         `tests/`: `cargo test <name>::` and `cargo test --test engines`.\n"
    );
    for group in GROUPS {
        let _ = write!(text, "\n## {}\n\n", group.title);
        text.push_str(
            "| Option | Meaning | Default | Belongs to | With -X | Compared to DISKSPD | Tested by |\n",
        );
        text.push_str("|---|---|---|---|---|---|---|\n");
        for flag in group.flags() {
            let forms: Vec<String> = flag.forms.iter().map(|form| code_text(form.0)).collect();
            let meanings: Vec<String> = flag.forms.iter().map(|form| escape(form.1)).collect();
            let compared = match flag.compatibility {
                Compatibility::Same => "same".to_owned(),
                Compatibility::Differs(why) => format!("differs: {}", escape(why)),
                Compatibility::LinuxOnly => "Linux only".to_owned(),
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {compared} | {} |",
                forms.join("<br>"),
                meanings.join("<br>"),
                escape(flag.default),
                flag.scope.name(),
                if flag.with_profile { "yes" } else { "no" },
                flag.tested.join(", "),
            );
        }
    }
    text
}

fn code_text(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<").replace('*', "\\*")
}
