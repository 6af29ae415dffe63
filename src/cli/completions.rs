//! Shell completions. They offer the options, with those values that are words; and files.

mod offered;
mod powershell;

use super::Shell;
use super::commands::{COMMANDS, Command};
use super::option::{OptionRow, OptionValue};
use offered::{ExtraCompletion, extra_completion, of_runs};
use std::fmt::Write;

pub fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash_script(),
        Shell::Zsh => zsh_script(),
        Shell::Fish => fish_script(),
        Shell::PowerShell => powershell::script(),
    }
}

fn command_names() -> String {
    COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(" ")
}

fn rows_of(command: &Command) -> Vec<OptionRow> {
    let own = command.rows_and_help();
    let is_new = |row: &OptionRow| own.iter().all(|own| own.name != row.name);
    let of_runs = of_runs().into_iter().filter(|row| command.takes_options_of_runs() && is_new(row));
    let others: Vec<OptionRow> = of_runs.collect();
    [own, others].concat()
}

/// bash: completes one of these words.
fn offer_words(words: &str) -> String {
    format!("COMPREPLY=($(compgen -W '{words}' -- \"$word\"))")
}

/// bash: completes files, and after a dash one of these options.
fn offer_files(options: &str) -> String {
    format!(
        "if [[ $word == -* ]]; then {}; else COMPREPLY=($(compgen -f -- \"$word\")); fi",
        offer_words(options)
    )
}

fn bash_values(rows: &[OptionRow], indent: usize) -> String {
    let mut cases = String::new();
    for row in rows.iter().filter(|row| !row.is_letter()) {
        let offered = match (row.value, row.value.offered()) {
            (OptionValue::File, _) => "COMPREPLY=($(compgen -f -- \"$word\"))".to_owned(),
            (OptionValue::Folder, _) => "COMPREPLY=($(compgen -d -- \"$word\"))".to_owned(),
            (_, []) => continue,
            (_, words) => offer_words(&words.join(" ")),
        };
        let _ = writeln!(cases, "{:indent$}{}) {offered}; return ;;", "", row.name);
    }
    cases
}

fn bash_commands() -> String {
    let mut behind_command = String::new();
    for command in COMMANDS {
        let rows = rows_of(command);
        let options = rows.iter().map(|row| row.name).collect::<Vec<_>>().join(" ");
        let action = match extra_completion(command) {
            ExtraCompletion::Files => offer_files(&options),
            ExtraCompletion::Nothing => offer_words(&options),
            ExtraCompletion::Words(words) => {
                let first = offer_words(&format!("{words} {options}"));
                format!("if ((COMP_CWORD == 2)); then {first}; else {}; fi", offer_files(&options))
            }
        };
        let _ = write!(
            behind_command,
            "            {})\n                case $before in\n{}                esac\n                \
             {action}; return ;;\n",
            command.name,
            bash_values(&rows, 20)
        );
    }
    behind_command
}

fn bash_script() -> String {
    let rows = of_runs();
    let attached = |row: &OptionRow| {
        let words = row.value.offered().iter().filter(|_| row.is_letter());
        words.map(|word| format!("{}{word}", row.name)).chain([row.name.to_owned()]).collect::<Vec<_>>()
    };
    format!(
        "# Completions of diskspd for bash.\n\
         _diskspd() {{\n    \
         local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n    \
         # bash parts --order=given at the sign.\n    \
         if [[ $word == = ]]; then word=; \
         elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi\n    \
         if ((COMP_CWORD > 1)); then\n        \
         case ${{COMP_WORDS[1]}} in\n{}        \
         esac\n    \
         fi\n    \
         case $before in\n{}    \
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
        bash_commands(),
        bash_values(&rows, 8),
        rows.iter().flat_map(attached).collect::<Vec<_>>().join(" "),
        command_names()
    )
}

fn zsh_option(row: &OptionRow) -> String {
    let escape = |text: &str| text.replace(':', "\\:");
    let help = escape(&row.help.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]"));
    let action = match (row.value, row.value.offered()) {
        (OptionValue::File, _) => "_files".to_owned(),
        (OptionValue::Folder, _) => "_files -/".to_owned(),
        (_, []) => " ".to_owned(),
        (_, words) => format!("({})", escape(&words.join(" "))),
    };
    let (name, attached) = (escape(row.name), if row.is_letter() { "-" } else { "=" });
    let optional = if row.value.is_optional() { ":" } else { "" };
    match row.value {
        OptionValue::Switch => format!("    '*{name}[{help}]' \\\n"),
        _ => format!("    '*{name}{attached}[{help}]:{optional}value:{action}' \\\n"),
    }
}

fn zsh_options(rows: &[OptionRow]) -> String {
    rows.iter().map(zsh_option).collect()
}

fn zsh_script() -> String {
    let mut after = String::new();
    for command in COMMANDS {
        let positional = match extra_completion(command) {
            ExtraCompletion::Files => "'*:file:_files'".to_owned(),
            ExtraCompletion::Nothing => "'*: :'".to_owned(),
            ExtraCompletion::Words(words) => format!("'1:what:({words})' '*:file:_files'"),
        };
        let _ = write!(
            after,
            "if (( CURRENT > 2 )) && [[ $words[2] == {} ]]; then\n    words=(\"${{(@)words[2,-1]}}\"); \
             (( CURRENT -= 1 ))\n    _arguments \\\n{}    {positional}\n    return\nfi\n",
            command.name,
            zsh_options(&rows_of(command))
        );
    }
    format!(
        "#compdef diskspd\n\
         # Completions of diskspd for zsh.\n\
         if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    \
         compadd -- {}\n\
         fi\n\
         {after}\
         _arguments \\\n{}    '*:target:_files'\n",
        command_names(),
        zsh_options(&of_runs())
    )
}

fn fish_option(condition: &str, row: &OptionRow) -> String {
    let name = match row.name.strip_prefix("--") {
        Some(long) => format!("-l {long}"),
        None => format!("-s '{}'", row.name.trim_start_matches('-')),
    };
    let value = match (row.value, row.value.offered()) {
        (OptionValue::Switch, _) => String::new(),
        (OptionValue::File, _) => " -r -F".to_owned(),
        (OptionValue::Folder, _) => " -x -a '(__fish_complete_directories)'".to_owned(),
        (value, []) if value.is_optional() => String::new(),
        (_, []) => " -x".to_owned(),
        (_, words) => format!(" -x -a '{}'", words.join(" ")),
    };
    format!("complete -c diskspd -n '{condition}' {name}{value} -d '{}'\n", row.help.replace('\'', "\\'"))
}

fn fish_script() -> String {
    let mut text = "# Completions of diskspd for fish.\n".to_owned();
    let without = COMMANDS.iter().filter(|command| !command.takes_options_of_runs());
    let without: Vec<&str> = without.map(|command| command.name).collect();
    let run = format!("not __fish_seen_subcommand_from {}", without.join(" "));
    of_runs().iter().for_each(|row| text.push_str(&fish_option(&run, row)));
    for Command { name, help, .. } in COMMANDS {
        let help = help.replace('\'', "\\'");
        let _ = writeln!(text, "complete -c diskspd -n __fish_use_subcommand -a {name} -d '{help}'");
    }
    for command in COMMANDS {
        let seen = format!("__fish_seen_subcommand_from {}", command.name);
        let others = match extra_completion(command) {
            ExtraCompletion::Files => "-F".to_owned(),
            ExtraCompletion::Nothing => "-f".to_owned(),
            ExtraCompletion::Words(words) => format!("-x -a '{words}'"),
        };
        let _ = writeln!(text, "complete -c diskspd -n '{seen}' {others}");
        command.rows_and_help().iter().for_each(|row| text.push_str(&fish_option(&seen, row)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flag::Name;
    use crate::cli::flags;

    #[test]
    fn completions_offer_commands_and_options_in_every_shell() {
        for command in COMMANDS {
            for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
                let script = script(shell);
                let rows = command.rows_and_help();
                let mut wanted: Vec<String> = rows
                    .iter()
                    .map(|row| match (shell, row.name.strip_prefix("--")) {
                        (Shell::Fish, Some(long)) => format!("-l {long}"),
                        (Shell::Fish, None) => format!("-s '{}'", row.name.trim_start_matches('-')),
                        _ => row.name.to_owned(),
                    })
                    .collect();
                wanted.extend(rows.iter().filter_map(|row| match row.value.offered() {
                    [] => None,
                    _ if row.is_letter() && matches!(shell, Shell::Bash | Shell::PowerShell) => None,
                    words => Some(words.join(" ")),
                }));
                match (extra_completion(command), shell) {
                    (ExtraCompletion::Words(words), Shell::PowerShell) => {
                        wanted.extend(words.split(' ').map(|word| format!("{}|{word}|", command.name)));
                    }
                    (ExtraCompletion::Words(words), _) => wanted.push(words),
                    _ => {}
                }
                let place = script.find(&match shell {
                    Shell::Bash => format!(" {})", command.name),
                    Shell::Zsh => format!("== {} ]]", command.name),
                    Shell::Fish => format!("__fish_seen_subcommand_from {}'", command.name),
                    Shell::PowerShell => format!("\n{}|", command.name),
                });
                let behind = &script[place.unwrap()..];
                for words in wanted {
                    let zsh = words.replace(':', "\\:");
                    assert!(
                        behind.contains(&words) || behind.contains(&zsh),
                        "{shell:?} {} {words}",
                        command.name
                    );
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
            assert!(script(Shell::PowerShell).contains(&format!("\n-|{name}|")), "{name}");
            assert!(script(Shell::Zsh).contains(&format!("'*{}", name.replace(':', "\\:"))), "{name}");
            assert!(
                script(Shell::Bash).contains(&format!(" {name} ")) || name == "-b" || name == "--version"
            );
        }
    }
}
