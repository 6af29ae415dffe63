//! Shell completions. They offer the options, with those values that are words; and files.

use super::commands::{COMMANDS, Command, Offers};
use super::flag::{Flag, Form, Name};
use super::flags;
use super::own_option::{HELP, OptionRow};
use std::fmt::Write;

/// A shell with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// GNU bash.
    Bash,
    /// Z shell.
    Zsh,
    /// fish.
    Fish,
}

impl Shell {
    /// The shell of that name.
    pub fn from_name(name: &[u8]) -> Option<Shell> {
        match name {
            b"bash" => Some(Shell::Bash),
            b"zsh" => Some(Shell::Zsh),
            b"fish" => Some(Shell::Fish),
            _ => None,
        }
    }
}

/// The completion script of a shell; ends with a line feed.
pub fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash(),
        Shell::Zsh => zsh(),
        Shell::Fish => fish(),
    }
}

fn command_names() -> String {
    COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(" ")
}

fn takes_value(flag: &Flag) -> bool {
    // -h is read as text only because it can fail.
    flag.takes_value() && flag.forms.iter().any(|(syntax, _)| *syntax != flag.name.with_dashes())
}

/// Whether `-X` or a long option names a file.
fn takes_file(flag: &Flag) -> bool {
    flag.forms[0].0.contains("<file>")
}

/// What begins with a dash and may stand behind a command.
fn options_of(command: &Command) -> String {
    let of_runs = flags::all().filter(|_| command.offers == Offers::Line).map(|flag| flag.name.with_dashes());
    let own: Vec<String> = command.option_names().map(str::to_owned).collect();
    let others: Vec<String> = of_runs.filter(|name| !own.contains(name)).collect();
    [own, others].concat().join(" ")
}

/// The options of a command, `--help` included, and where it takes a command line the long ones of runs.
fn rows_of(command: &Command) -> Vec<OptionRow> {
    let mut rows = command.rows();
    rows.push(HELP);
    if command.offers == Offers::Line {
        let of_runs: Vec<OptionRow> = flags::all().filter_map(OptionRow::of).collect();
        let new = |row: &OptionRow| rows.iter().all(|own| own.name != row.name);
        let others: Vec<OptionRow> = of_runs.into_iter().filter(new).collect();
        rows.extend(others);
    }
    rows
}

/// bash: one of these words.
fn offer(words: &str) -> String {
    format!("COMPREPLY=($(compgen -W '{words}' -- \"$word\"))")
}

/// bash: files, or one of these options once a dash is there.
fn offer_files(options: &str) -> String {
    format!("if [[ $word == -* ]]; then {}; else COMPREPLY=($(compgen -f -- \"$word\")); fi", offer(options))
}

/// bash: what the value of an option may be; `None` = it has none, or nothing is known of it.
fn bash_value(row: &OptionRow) -> Option<String> {
    match (row.takes_file(), row.words) {
        (true, _) => Some("COMPREPLY=($(compgen -f -- \"$word\"))".to_owned()),
        (false, []) => None,
        (false, words) => Some(offer(&words.join(" "))),
    }
}

/// bash: what is offered behind each command.
fn bash_commands() -> String {
    let mut behind_command = String::new();
    for command in COMMANDS {
        let options = options_of(command);
        let action = match command.offers {
            Offers::Files | Offers::Line => offer_files(&options),
            Offers::Nothing => offer(&options),
            Offers::Words(words) => {
                let all = format!("{} {options}", words.join(" "));
                format!("if ((COMP_CWORD == 2)); then {}; else {}; fi", offer(&all), offer(&options))
            }
        };
        let values: String = rows_of(command)
            .iter()
            .filter_map(|row| {
                Some(format!("                    {}) {}; return ;;\n", row.name, bash_value(row)?))
            })
            .collect();
        let _ = write!(
            behind_command,
            "            {})\n                case $before in\n{values}                esac\n                \
             {action}; return ;;\n",
            command.name
        );
    }
    behind_command
}

fn bash() -> String {
    let (mut words, mut after_word) = (Vec::new(), String::new());
    let behind_command = bash_commands();
    for flag in flags::all() {
        let name = flag.name.with_dashes();
        match flag.name {
            Name::Letter(_) => words.extend(flag.values.iter().map(|value| format!("{name}{value}"))),
            Name::Long(_) => {
                if let Some(offered) = OptionRow::of(flag).as_ref().and_then(bash_value) {
                    let _ = writeln!(after_word, "        {name}) {offered}; return ;;");
                }
            }
        }
        words.push(name);
    }
    format!(
        "# Completions of diskspd for bash.\n\
         _diskspd() {{\n    \
         local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n    \
         # bash parts --order=given at the sign.\n    \
         if [[ $word == = ]]; then word=; \
         elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi\n    \
         if ((COMP_CWORD > 1)); then\n        \
         case ${{COMP_WORDS[1]}} in\n{behind_command}        \
         esac\n    \
         fi\n    \
         case $before in\n{after_word}    \
         esac\n    \
         case $word in\n        \
         -X*) COMPREPLY=($(compgen -P -X -f -- \"${{word#-X}}\")) ;;\n        \
         -*)\n            \
         COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n            \
         [[ $word == --* ]] || compopt -o nospace\n            \
         ;;\n        \
         *)\n            \
         COMPREPLY=($(compgen -f -- \"$word\"))\n            \
         ((COMP_CWORD > 1)) || COMPREPLY+=($(compgen -W '{}' -- \"$word\"))\n            \
         ;;\n    \
         esac\n}}\n\
         complete -o filenames -F _diskspd diskspd\n",
        words.join(" "),
        command_names()
    )
}

/// One line of help for a flag: that of its first form.
fn summary(flag: &Flag) -> &'static str {
    flag.forms[0].1
}

/// zsh: an option of a command, for `_arguments`.
fn zsh_option(row: &OptionRow) -> String {
    let help = zsh_quoted(row.help);
    let action = match (row.takes_file(), row.words) {
        (true, _) => "_files".to_owned(),
        (false, []) => " ".to_owned(),
        (false, words) => format!("({})", words.join(" ").replace(':', "\\:")),
    };
    let attached = if row.name.len() == 2 { "-" } else { "=" };
    let optional = if row.value.starts_with('[') { ":" } else { "" };
    match row.value {
        "" => format!("    '*{}[{help}]' \\\n", row.name),
        _ => format!("    '*{}{attached}[{help}]:{optional}value:{action}' \\\n", row.name),
    }
}

fn zsh_quoted(help: &str) -> String {
    help.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:")
}

fn zsh() -> String {
    let mut specs = String::new();
    for flag in flags::all() {
        let help = zsh_quoted(summary(flag));
        let (name, attached) = match flag.name {
            Name::Letter(_) => (flag.name.with_dashes().replace(':', "\\:"), "-"),
            Name::Long(_) => (flag.name.with_dashes(), "="),
        };
        let action = match (takes_file(flag), flag.values) {
            (true, _) => "_files".to_owned(),
            (false, []) => " ".to_owned(),
            (false, values) => format!("({})", values.join(" ").replace(':', "\\:")),
        };
        let alone = |(syntax, _): &Form| {
            *syntax == flag.name.with_dashes() || syntax.contains(&(flag.name.with_dashes() + "["))
        };
        let optional = if flag.forms.iter().any(alone) { ":" } else { "" };
        let _ = if takes_value(flag) {
            writeln!(specs, "    '*{name}{attached}[{help}]:{optional}value:{action}' \\")
        } else {
            writeln!(specs, "    '*{name}[{help}]' \\")
        };
    }
    let mut after = String::new();
    for command in COMMANDS {
        let own: String = command.rows().iter().chain([&HELP]).map(zsh_option).collect();
        let own_names: Vec<&str> = command.option_names().collect();
        let of_runs = |line: &&str| {
            command.offers == Offers::Line
                && own_names.iter().all(|name| !line.contains(&format!("'*{name}[=[]")))
        };
        let runs: String = specs.split_inclusive('\n').filter(of_runs).collect();
        let positional = match command.offers {
            Offers::Files | Offers::Line => "'*:file:_files'".to_owned(),
            Offers::Nothing => "'*: :'".to_owned(),
            Offers::Words(words) => format!("'1:what:({})' '*:file:_files'", words.join(" ")),
        };
        let _ = write!(
            after,
            "if (( CURRENT > 2 )) && [[ $words[2] == {} ]]; then\n    words=(\"${{(@)words[2,-1]}}\"); \
             (( CURRENT -= 1 ))\n    _arguments \\\n{own}{runs}    {positional}\n    return\nfi\n",
            command.name
        );
    }
    format!(
        "#compdef diskspd\n\
         # Completions of diskspd for zsh.\n\
         if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    \
         compadd -- {}\n\
         fi\n\
         {after}\
         _arguments \\\n{specs}    '*:target:_files'\n",
        command_names()
    )
}

fn fish() -> String {
    let mut text = "# Completions of diskspd for fish.\n".to_owned();
    let others = COMMANDS.iter().filter(|command| command.offers != Offers::Line).map(|command| command.name);
    let of_runs = format!("not __fish_seen_subcommand_from {}", others.collect::<Vec<_>>().join(" "));
    for flag in flags::all() {
        let option = match flag.name {
            Name::Letter(letter) => format!("-s '{}'", char::from(letter)),
            Name::Long(name) => format!("-l {name}"),
        };
        let value = match (takes_value(flag), takes_file(flag), flag.values) {
            (false, ..) => String::new(),
            (true, true, _) => " -r -F".to_owned(),
            (true, false, []) => " -x".to_owned(),
            (true, false, values) => format!(" -x -a '{}'", values.join(" ")),
        };
        let help = summary(flag).replace('\'', "\\'");
        let _ = writeln!(text, "complete -c diskspd -n '{of_runs}' {option}{value} -d '{help}'");
    }
    for command in COMMANDS {
        let _ = writeln!(
            text,
            "complete -c diskspd -n __fish_use_subcommand -a {} -d '{}'",
            command.name,
            command.help.replace('\'', "\\'")
        );
    }
    for command in COMMANDS {
        let seen = format!("complete -c diskspd -n '__fish_seen_subcommand_from {}'", command.name);
        let _ = match command.offers {
            Offers::Files | Offers::Line => writeln!(text, "{seen} -F"),
            Offers::Nothing => writeln!(text, "{seen} -f"),
            Offers::Words(words) => writeln!(text, "{seen} -x -a '{}'", words.join(" ")),
        };
        for row in command.rows().iter().chain([&HELP]) {
            let name = match row.name.strip_prefix("--") {
                Some(long) => format!("-l {long}"),
                None => format!("-s {}", row.name.trim_start_matches('-')),
            };
            let value = match (row.value, row.takes_file(), row.words) {
                ("", ..) => String::new(),
                (_, true, _) => " -r -F".to_owned(),
                (_, false, []) => " -x".to_owned(),
                (_, false, words) => format!(" -x -a '{}'", words.join(" ")),
            };
            let _ = writeln!(text, "{seen} {name}{value} -d '{}'", row.help.replace('\'', "\\'"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_options_behind_commands_are_offered_by_every_shell() {
        for command in COMMANDS {
            for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
                let script = script(shell);
                let mut wanted: Vec<String> = command
                    .option_names()
                    .map(|name| match (shell, name.strip_prefix("--")) {
                        (Shell::Fish, Some(long)) => format!("-l {long}"),
                        (Shell::Fish, None) => format!("-s {}", name.trim_start_matches('-')),
                        _ => name.to_owned(),
                    })
                    .collect();
                if let Offers::Words(words) = command.offers {
                    wanted.push(words.join(" "));
                }
                let place = script.find(&match shell {
                    Shell::Bash => format!(" {})", command.name),
                    Shell::Zsh => format!("== {} ]]", command.name),
                    Shell::Fish => format!("__fish_seen_subcommand_from {}'", command.name),
                });
                let behind = &script[place.unwrap()..];
                for words in wanted {
                    assert!(behind.contains(&words), "{shell:?} {} {words}", command.name);
                }
            }
        }
    }

    #[test]
    fn every_option_is_offered_by_every_shell() {
        for flag in flags::all() {
            let name = flag.name.with_dashes();
            let fish = match flag.name {
                Name::Letter(letter) => format!("-s '{}'", char::from(letter)),
                Name::Long(name) => format!("-l {name}"),
            };
            assert!(script(Shell::Fish).contains(&fish), "{name}");
            assert!(script(Shell::Zsh).contains(&format!("'*{}", name.replace(':', "\\:"))), "{name}");
            assert!(
                script(Shell::Bash).contains(&format!(" {name} ")) || name == "-b" || name == "--version"
            );
        }
    }
}
