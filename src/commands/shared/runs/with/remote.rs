//! `--with 'ssh host diskspd.exe'`: the profile is copied to the host by sftp, which is part of ssh and
//! needs no shell there, and is removed after the run.

use super::WithError;
use std::ffi::OsString;
use std::path::Path;

/// Options of ssh(1) with a value, and the equivalent for sftp(1); `None` = no equivalent.
const WITH_VALUE: [(char, Option<&str>); 11] = [
    ('p', Some("-P")),
    ('i', Some("-i")),
    ('F', Some("-F")),
    ('J', Some("-J")),
    ('o', Some("-o")),
    ('c', Some("-c")),
    ('l', Some("-oUser=")),
    ('m', Some("-oMACs=")),
    ('b', Some("-oBindAddress=")),
    ('E', None),
    ('S', Some("-oControlPath=")),
];
/// Options of ssh and scp without a value.
const PLAIN_OPTIONS: &str = "46CAaqv";
/// Options of ssh that scp lacks and a copy does not need.
const OMITTED_OPTIONS: &str = "nTtxXYk";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remote {
    words: Vec<OsString>,
    host: OsString,
}

impl Remote {
    /// Returns the host of a command; `None` = local.
    ///
    /// # Errors
    /// Fails for a command of ssh for which the profile cannot be copied.
    pub(super) fn from_command(words: &[String]) -> Result<Option<Remote>, WithError> {
        let Some((program, rest)) = words.split_first() else { return Ok(None) };
        let path = Path::new(program);
        if !path.file_stem().is_some_and(|name| name.eq_ignore_ascii_case("ssh")) {
            return Ok(None);
        }
        let sftp = path.with_file_name("sftp");
        // The default would wait for passwords, which nobody could type.
        let mut copy: Vec<OsString> = vec![sftp.into(), "-q".into(), "-oBatchMode=yes".into()];
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            match word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                Some(letters) => read_option(letters, &mut rest, &mut copy)?,
                None if rest.next().is_none() => break,
                None => return Ok(Some(Remote { words: copy, host: word.into() })),
            }
        }
        Err(WithError::NoSshProgram)
    }

    pub(super) fn sftp(&self, commands: &Path) -> Vec<OsString> {
        let mut words = self.words.clone();
        words.extend(["-b".into(), commands.into(), self.host.clone()]);
        words
    }
}

fn read_option<'a>(
    letters: &str,
    rest: &mut impl Iterator<Item = &'a String>,
    copy: &mut Vec<OsString>,
) -> Result<(), WithError> {
    for (at, letter) in letters.char_indices() {
        if PLAIN_OPTIONS.contains(letter) {
            copy.push(format!("-{letter}").into());
            continue;
        }
        if OMITTED_OPTIONS.contains(letter) {
            continue;
        }
        let known = WITH_VALUE.iter().find(|(known, _)| *known == letter).and_then(|(_, sftp)| *sftp);
        let sftp = known.ok_or_else(|| WithError::SshOption(format!("-{letter}")))?;
        let attached = &letters[at + letter.len_utf8()..];
        let value = if attached.is_empty() { rest.next().map_or("", String::as_str) } else { attached };
        match sftp.ends_with('=') {
            true => copy.push(format!("{sftp}{value}").into()),
            false => copy.extend([sftp.into(), value.into()]),
        }
        return Ok(());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sftp_command(line: &str) -> Result<Option<String>, WithError> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let joined = |words: Vec<OsString>| {
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        Remote::from_command(&words).map(|remote| remote.map(|remote| joined(remote.sftp(Path::new("b")))))
    }

    #[test]
    fn sftp_gets_ssh_options() {
        let quiet = "-q -oBatchMode=yes";
        for (ssh, sftp) in [
            ("ssh win diskspd.exe", format!("sftp {quiet} -b b win")),
            (
                "/usr/bin/ssh -p 2222 -i key me@win d.exe",
                format!("/usr/bin/sftp {quiet} -P 2222 -i key -b b me@win"),
            ),
            ("ssh -p2222 -4Tl me win d.exe", format!("sftp {quiet} -P 2222 -4 -oUser=me -b b win")),
        ] {
            assert_eq!(sftp_command(ssh).unwrap(), Some(sftp), "{ssh}");
        }
        for here in ["diskspd.exe", "wine diskspd.exe", "./ssh-diskspd"] {
            assert_eq!(sftp_command(here).unwrap(), None, "{here}");
        }
        for (ssh, fault) in [
            ("ssh", WithError::NoSshProgram),
            ("ssh win", WithError::NoSshProgram),
            ("ssh -p", WithError::NoSshProgram),
            ("ssh -D 1080 win d.exe", WithError::SshOption("-D".into())),
            ("ssh -E log win d.exe", WithError::SshOption("-E".into())),
        ] {
            assert_eq!(sftp_command(ssh).unwrap_err().to_string(), fault.to_string(), "{ssh}");
        }
    }
}
