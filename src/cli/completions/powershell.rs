//! Completions of PowerShell, on Windows and other systems (`pwsh`).

use super::offered::{ExtraCompletion, extra_completion, of_runs};
use crate::cli::commands::{COMMANDS, Command};
use crate::cli::option::{OptionRow, OptionValue};

/// Placeholder for the options of runs, in place of a command's name.
const OF_RUNS: &str = "-";
/// Placeholder for files as values, because PowerShell completes files automatically without candidates.
const FILES: &str = "@";

/// Returns the script, with a final line feed. Its rows are lines, because PowerShell's tables do not
/// distinguish `-s` and `-S`.
pub(super) fn script() -> String {
    format!("{BEGIN}{}{END}", script_rows())
}

fn script_row(command: &str, word: &str, values: &str, help: &str) -> String {
    format!("{command}|{word}|{values}|{help}\n")
}

fn script_rows() -> String {
    let mut rows = String::new();
    for command in COMMANDS {
        let runs = if command.takes_options_of_runs() { OF_RUNS } else { "" };
        rows += &script_row("", command.name, runs, command.help);
    }
    rows.extend(of_runs().iter().map(|option| of_option(OF_RUNS, option)));
    rows.extend(COMMANDS.iter().map(of_command));
    rows
}

fn of_command(command: &Command) -> String {
    let words = match extra_completion(command) {
        ExtraCompletion::Words(words) => words,
        ExtraCompletion::Nothing | ExtraCompletion::Files => String::new(),
    };
    let words = words.split_whitespace().map(|word| script_row(command.name, word, "", command.help));
    let options = command.rows_and_help();
    words.chain(options.iter().map(|option| of_option(command.name, option))).collect()
}

fn of_option(command: &str, option: &OptionRow) -> String {
    let values = match (option.value, option.value.offered()) {
        (OptionValue::File | OptionValue::Folder, _) => FILES.to_owned(),
        (_, _) if option.is_letter() => String::new(),
        (_, words) => words.join(" "),
    };
    let attached = option.value.offered().iter().filter(|_| option.is_letter());
    let attached =
        attached.map(|value| script_row(command, &format!("{}{value}", option.name), "", option.help));
    script_row(command, option.name, &values, option.help) + &attached.collect::<String>()
}

const BEGIN: &str = r"# Completions of diskspd for PowerShell.
Register-ArgumentCompleter -Native -CommandName diskspd, diskspd.exe, diskspd-lab,
    diskspd-lab.exe -ScriptBlock {
    param($word, $line, $cursor)
    # Columns: command (- = a run), option or word, its values (@ = files), description.
    $rows = @'
";

const END: &str = r#"'@ -split '\r?\n' | Where-Object { $_ } | ForEach-Object { , ($_ -split '\|', 4) }
    function offer($text, $help) {
        $kind = if ($text -like '-*') { 'ParameterName' } else { 'ParameterValue' }
        [System.Management.Automation.CompletionResult]::new($text, $text, $kind, $help)
    }
    $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } |
        ForEach-Object { $_.Extent.Text })
    $of = @('-')
    if ($before.Count -gt 1) {
        $command = @($rows | Where-Object { $_[0] -ceq '' -and $_[1] -ceq $before[1] })
        if ($command) { $of = @($before[1], $command[0][2]) | Where-Object { $_ } }
    }
    $known = @($rows | Where-Object { $of -ccontains $_[0] })
    # A value behind its option, or behind the sign.
    $option, $part, $prefix = $before[-1], $word, ''
    if ($word -cmatch '^(--[a-z0-9-]+)=(.*)$') {
        $option, $part, $prefix = $Matches[1], $Matches[2], ($Matches[1] + '=')
    }
    $row = @($known | Where-Object { $_[1] -ceq $option -and $_[2] })
    if ($row) {
        if ($row[0][2] -ceq '@') { return }
        $row[0][2] -split ' ' | Where-Object { $_.StartsWith($part, 'Ordinal') } |
            ForEach-Object { offer ($prefix + $_) $row[0][3] }
        return
    }
    # No word of a command stands behind another one.
    $names = @()
    if ($word -like '-*') { $names = $known }
    elseif ($before.Count -eq 1) { $names = @($rows | Where-Object { $_[0] -ceq '' }) }
    elseif ($before.Count -eq 2) { $names = @($known | Where-Object { $_[1] -notlike '-*' }) }
    $names | Where-Object { $_[1].StartsWith($word, 'Ordinal') } | ForEach-Object { offer $_[1] $_[3] }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powershell_rows_have_four_quoted_parts() {
        for line in script_rows().lines() {
            let parts: Vec<&str> = line.splitn(4, '|').collect();
            assert!(
                matches!(parts[..], [_, word, _, help] if !word.is_empty() && !help.is_empty()),
                "{line}"
            );
            // Such a line ends a text of PowerShell.
            assert!(!line.starts_with("'@"), "{line}");
        }
    }

    #[test]
    fn option_values_are_offered_with_their_options() {
        let rows = script_rows();
        let has = |start: &str| rows.lines().any(|line| line.starts_with(start));
        for start in [
            "|sweep|-|",
            "|report||",
            "-|--engine|auto ",
            "-|-Su||",
            "sweep|--order|interleaved ",
            "compare|--fail-if|worse ",
            "preset|sql-log||",
            "completions|powershell||",
            "report|--help||",
        ] {
            assert!(has(start), "{start}");
        }
        assert!(!has("report|--engine|") && has("-|-s|") && has("-|-S|"));
    }

    #[test]
    fn script_brackets_and_quotes_are_balanced() {
        let script = script();
        let code: String =
            script.lines().filter(|line| !line.contains('|') || line.starts_with(' ')).collect();
        for (open, close) in [('{', '}'), ('(', ')'), ('[', ']')] {
            let count = |sign| code.chars().filter(|c| *c == sign).count();
            assert_eq!(count(open), count(close), "{open}{close}");
        }
        assert_eq!(script.matches("@'\n").count(), 1);
        assert_eq!(script.matches("\n'@").count(), 1);
    }
}
