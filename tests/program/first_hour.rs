//! Tests of a newcomer's first hour: the help, and the response to wrong words. The text is kept for
//! people in `tests/data/first-hour`; `UPDATE_EXPECT=1 cargo test --test program first_hour` updates it.

#![allow(clippy::unwrap_used)]

use crate::common::kept::is_kept;
use crate::common::{Ended, directory, output, skip};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn diskspd(arguments: &[&str], folder: &Path) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    command.current_dir(folder).args(arguments).env_remove("COLUMNS");
    output(&mut command).unwrap().into()
}

#[test]
fn help_matches_stored_samples() {
    let folder = directory();
    is_kept("tests/data/first-hour/no-arguments.txt", &diskspd(&[], folder.path()).stdout);
    is_kept("tests/data/first-hour/help.txt", &diskspd(&["--help"], folder.path()).stdout);
    is_kept("tests/data/first-hour/help-all.txt", &diskspd(&["--help", "all"], folder.path()).stdout);
    assert_eq!(diskspd(&["-?"], folder.path()).stdout, diskspd(&["--help", "all"], folder.path()).stdout);
    let mut all = String::new();
    for name in diskspd::cli::command_names() {
        let _ =
            writeln!(all, "$ diskspd {name} --help\n{}", diskspd(&[name, "--help"], folder.path()).stdout);
    }
    is_kept("tests/data/first-hour/help-of-commands.txt", &all);
}

#[test]
fn wrong_words_suggest_the_right_command() {
    let folder = directory();
    let mut all = String::new();
    for line in [
        "version",
        "list",
        "info",
        "run",
        "/?",
        "-h",
        "-help",
        "histroy",
        "job.fio",
        "missing.dat",
        "-d5 missing.dat",
        "--json",
        "--html=page.html test.dat",
        "--slo p99=5ms test.dat",
        "--fail-if worse test.dat",
        "-o1..64 test.dat",
        "-b4K,8K test.dat",
        "--name=job1",
        "--rw=randread --bs=4k --iodepth=32 test.dat",
        "--enigne sync test.dat",
        "-b 4K test.dat",
        "-q test.dat",
        "sweep --rpeat 2 -o1..8 test.dat",
        "sweep --iodepth=1..8 test.dat",
        "sweep -o8 test.dat",
        "compare a.json",
        "compare a.json b.json --jsno c.json",
        "report --slo p99=5ms a.json",
        "report --csv --md a.json",
        "sweep --slo",
        "sweep --order=randm -o1..8 test.dat",
        "sweep --settle soon -o1..8 test.dat",
        "precondition --rounds 3 test.dat",
        "precondition -b8K test.dat",
        "trace -d /dev/sdX",
        "history tredn",
        "history list --metric p99",
        "preset sql-oltpp",
        "help chaching",
        "verify-after run.journal -v",
        "devices nvme0n1",
        "precondition --standard custom test.dat",
        "--preset sql test.dat",
        "--slo p99=5ms -b4K test.dat",
        "--repaet 5 -b4K test.dat",
        "history label",
        "event",
        "event set",
        "-c1G C:\\test\\io.dat",
        "-c1G C:testio.dat",
        "-c1G \\\\.\\PhysicalDrive1",
        "-c1M /mnt/nmve/x.dat",
        "-c1M deep/er/x.dat",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let ended = diskspd(&words, folder.path());
        assert_eq!(ended.stdout, "", "{line}");
        assert!(ended.stderr.starts_with("ERROR: "), "{line}: {}", ended.stderr);
        let _ = writeln!(all, "$ diskspd {line}\n{}exit code {}\n", ended.stderr, ended.code);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    is_kept("tests/data/first-hour/wrong-words.txt", &all);
}

const OFFERED: [(&str, &[&str]); 12] = [
    ("diskspd sw", &["sweep"]),
    ("diskspd --engine ", &["aio", "mmap", "sync"]),
    ("diskspd sweep --order ", &["interleaved", "given", "random"]),
    ("diskspd sweep --rep", &["--repeat"]),
    ("diskspd sweep --engi", &["--engine"]),
    ("diskspd precondition --standard ", &["custom", "pts-client", "pts-enterprise"]),
    ("diskspd compare --fail-if ", &["worse", "unsure"]),
    ("diskspd rerun --str", &["--stream", "--strict"]),
    ("diskspd history unt", &["untag"]),
    ("diskspd trace --requests ", &["asked", "driver"]),
    ("diskspd preset sql-l", &["sql-log"]),
    ("diskspd help cach", &["caching"]),
];

/// Returns the completions of a shell in a file, if that shell is installed.
fn completions(shell: &str, folder: &Path) -> Option<PathBuf> {
    if Command::new(shell).arg("--version").output().is_err() {
        skip(&format!("no {shell}"));
        return None;
    }
    let file = folder.join("_diskspd");
    std::fs::write(&file, diskspd(&["completions", shell], folder).stdout).unwrap();
    Some(file)
}

fn offers(shell: &str, script: &str, folder: &Path) {
    for (line, wanted) in OFFERED {
        let mut command = Command::new(shell);
        command.current_dir(folder).env("LINE", line).args(["-c", script]);
        let ended = Ended::from(output(&mut command).unwrap());
        let offered: Vec<&str> = ended.stdout.split_whitespace().collect();
        let all = wanted.iter().all(|word| offered.contains(word));
        assert!(all, "{shell}: {line}: {offered:?} {}", ended.stderr);
    }
}

#[test]
fn bash_offers_options_and_values_of_commands() {
    let folder = directory();
    if completions("bash", folder.path()).is_some() {
        let script = "source ./_diskspd; compopt() { :; }; read -ra COMP_WORDS <<<\"$LINE\"; \
                      [[ $LINE == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                      _diskspd; printf '%s\\n' \"${COMPREPLY[@]}\"";
        offers("bash", script, folder.path());
        // As bash parts it.
        let script = "source ./_diskspd; COMP_WORDS=(diskspd sweep --order = g); COMP_CWORD=4; _diskspd; \
                      echo \"${COMPREPLY[@]}\"";
        let mut command = Command::new("bash");
        command.current_dir(folder.path()).args(["-c", script]);
        assert_eq!(Ended::from(output(&mut command).unwrap()).stdout, "given\n");
        let script = "source ./_diskspd; COMP_WORDS=(diskspd --help ca); COMP_CWORD=2; _diskspd; \
                      echo \"${COMPREPLY[@]}\"";
        let mut command = Command::new("bash");
        command.current_dir(folder.path()).args(["-c", script]);
        assert_eq!(Ended::from(output(&mut command).unwrap()).stdout, "caching\n", "a topic of the help");
    }
}

#[test]
fn fish_offers_options_and_values_of_commands() {
    let folder = directory();
    if completions("fish", folder.path()).is_some() {
        let script = "source ./_diskspd; complete -C \"$LINE\" | string replace -r '\\t.*' ''";
        offers("fish", script, folder.path());
    }
}

#[test]
fn zsh_offers_options_and_values_of_commands() {
    let folder = directory();
    if completions("zsh", folder.path()).is_none() {
        return;
    }
    let script = r#"
        zmodload zsh/zpty zsh/datetime
        # Its set-up is in a file: what is typed before its editor is there may be lost.
        print -r -- 'PS1="> "; fpath=($PWD $fpath); autoload -Uz compinit; compinit -D -u
            zle-line-init() { print -n READY }; zle -N zle-line-init' > .zshrc
        ZDOTDIR=$PWD; export ZDOTDIR; zpty z zsh -d -i
        seen= begun=$EPOCHSECONDS
        until [[ $seen == *READY* ]]; do
            (( EPOCHSECONDS > begun + 60 )) && { print -r -- "no editor: $seen"; exit }
            if zpty -r -t z chunk; then seen+=$chunk; else sleep 0.05; fi
        done
        while IFS=$'\t' read -r line wanted; do
            zpty -w -n z $'\C-U'"$line"$'\C-D'
            seen= begun=$EPOCHSECONDS
            until [[ $seen == *${~wanted}* ]] || (( EPOCHSECONDS > begun + 20 )); do
                if zpty -r -t z chunk; then seen+=$chunk; else sleep 0.05; fi
            done
            [[ $seen == *${~wanted}* ]] || print -r -- "$line: $seen"
            zpty -w -n z $'\C-U'
        done < cases; zpty -d z"#;
    let mut cases = String::new();
    for (line, wanted) in OFFERED {
        // What it can only be is completed, what it may be is listed: by its letters.
        let wanted: Vec<&str> = wanted.iter().copied().filter(|_| wanted.len() > 1).collect();
        let mut wanted = wanted;
        wanted.sort_unstable();
        if !wanted.is_empty() {
            let _ = writeln!(cases, "{line}\t{}", wanted.join("*"));
        }
    }
    std::fs::write(folder.path().join("cases"), cases).unwrap();
    let mut command = Command::new("zsh");
    command.current_dir(folder.path()).args(["-f", "-c", script]);
    let ended = Ended::from(output(&mut command).unwrap());
    assert_eq!(ended.stdout, "", "{}", ended.stderr);
}
