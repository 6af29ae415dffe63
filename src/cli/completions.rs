//! Shell completions. They offer the options, with those values that are words; and files.

use super::commands::{COMMANDS, Command, Offers};
use super::flag::{Flag, Form, Name};
use super::flags;
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
    command.option_names().collect::<Vec<_>>().join(" ")
}

/// bash: one of these words.
fn offer(words: &str) -> String {
    format!("COMPREPLY=($(compgen -W '{words}' -- \"$word\"))")
}

/// bash: files, or one of these options once a dash is there.
fn offer_files(options: &str) -> String {
    format!("if [[ $word == -* ]]; then {}; else COMPREPLY=($(compgen -f -- \"$word\")); fi", offer(options))
}

fn bash() -> String {
    let mut words = Vec::new();
    let (mut after_word, mut behind_command) = (String::new(), String::new());
    for command in COMMANDS {
        let options = options_of(command);
        let action = match command.offers {
            Offers::Files => offer_files(&options),
            Offers::Nothing => offer(&options),
            Offers::Words(words) => {
                let all = format!("{} {options}", words.join(" "));
                format!("if ((COMP_CWORD == 2)); then {}; else {}; fi", offer(&all), offer(&options))
            }
        };
        let _ = writeln!(behind_command, "            {}) {action}; return ;;", command.name);
    }
    for flag in flags::all() {
        let name = flag.name.with_dashes();
        match flag.name {
            Name::Letter(_) => words.extend(flag.values.iter().map(|value| format!("{name}{value}"))),
            Name::Long(_) if !flag.values.is_empty() => {
                let values = flag.values.join(" ");
                let _ = writeln!(
                    after_word,
                    "        {name}) COMPREPLY=($(compgen -W '{values}' -- \"$word\")); return ;;"
                );
            }
            Name::Long(_) => {}
        }
        words.push(name);
    }
    format!(
        "# Completions of diskspd for bash.\n\
         _diskspd() {{\n    \
         local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n    \
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

fn zsh() -> String {
    let mut specs = String::new();
    for flag in flags::all() {
        let help =
            summary(flag).replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
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
        let options = options_of(command);
        let positional = match command.offers {
            Offers::Files => "_files".to_owned(),
            Offers::Nothing => ":".to_owned(),
            Offers::Words(words) => {
                format!("(( CURRENT == 3 )) && compadd -- {}", words.join(" "))
            }
        };
        let _ = write!(
            after,
            "if (( CURRENT > 2 )) && [[ $words[2] == {} ]]; then\n    compadd -- {options}\n    {positional}\n    \
             return\nfi\n",
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
        let _ = writeln!(text, "complete -c diskspd {option}{value} -d '{help}'");
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
            Offers::Files => writeln!(text, "{seen} -F"),
            Offers::Nothing => writeln!(text, "{seen} -f"),
            Offers::Words(words) => writeln!(text, "{seen} -x -a '{}'", words.join(" ")),
        };
        for (option, meaning) in command.options.iter().chain(&[("--help", "explain the command")]) {
            let name = match option.strip_prefix("--") {
                Some(long) => format!("-l {long}"),
                None => format!("-s {}", option.trim_start_matches('-')),
            };
            let _ = writeln!(text, "{seen} {name} -d '{}'", meaning.replace('\'', "\\'"));
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
