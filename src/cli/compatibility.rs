//! The table of how each option relates to DISKSPD's, in Markdown.

use super::COMPATIBLE_VERSION;
use super::flag::Compatibility;
use super::flags::GROUPS;
use std::fmt::Write;

/// The table, kept as `docs/compatibility.md`; ends with a line feed.
pub fn table() -> String {
    let mut text = format!(
        "# Compatibility of the command line\n\n\
         How each option relates to that of DISKSPD {COMPATIBLE_VERSION}. Made from the flag table by \
         `diskspd compatibility`.\n\n\
         In general: only `-` begins an option, not `/`; all options come before all targets; an option is \
         one argument; `#<n>` is\na number of `diskspd devices`; drives are named by their block devices, \
         not by `<X>:`.\n\
         I/Os that transfer less than a block are told when the run is over, in a line for each thread and \
         target;\nDISKSPD warns of each when it happens.\nThe column \"with -X\" tells which options may \
         stand beside an XML profile; \"Tested by\", which tests of\n`tests/` show what the option does: \
         `cargo test <name>::`, and `cargo test --test engines`.\n"
    );
    for group in GROUPS {
        let _ = write!(text, "\n## {}\n\n", group.title);
        text.push_str(
            "| Option | Meaning | Default | Belongs to | With -X | Compared to DISKSPD | Tested by |\n",
        );
        text.push_str("|---|---|---|---|---|---|---|\n");
        for flag in group.flags() {
            let forms: Vec<String> = flag.forms.iter().map(|form| code(form.0)).collect();
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

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<").replace('*', "\\*")
}
