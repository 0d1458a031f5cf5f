//! Passwords in unnamed arguments of commands: `curl -u user:…`, `mysql -p…`, `sshpass -p …`.

use super::{random, value};
use crate::bytes::{line_within, skip_blanks};
use crate::kind::SecretKind;
use crate::quote::Quote;
use crate::span::Span;

/// Prefixes of such arguments.
pub(crate) const COMMANDS: &[&str] = &[
    " -u ",
    " -u",
    " --user ",
    " --user=",
    " --proxy-user ",
    " -p ",
    " -p",
    " -a ",
    " -w ",
    " --from-literal=",
    " --from-literal ",
    "identified by ",
    "vault login ",
    "cargo login ",
    "--password-stdin",
];

/// Commands with a login after an option.
const LOGINS: &[&str] = &["curl ", "wget ", "http ", "https ", "xh ", "grpcurl "];
/// Commands with a password as the next word.
const PASSWORDS: &[&str] = &[
    "sshpass",
    "docker login",
    "podman login",
    "helm registry login",
    "oc login",
    "az login",
    "crane auth",
    "skopeo login",
    "buildah login",
    "mongosh ",
    "mongo ",
    "mongodump ",
    "influx ",
];
/// Commands with a password directly after the option.
const JOINED: &[&str] = &["mysql", "mariadb", "mysqldump", "mysqladmin", "sshpass"];

/// Maximum length of a word, in bytes; longer ones are truncated.
const MAX_WORD: usize = 256;

/// Maximum distance between an argument and its command, in bytes.
const MAX_DISTANCE: usize = 200;

/// Returns the password in the argument that starts here.
pub(crate) fn argument(text: &[u8], start: usize, end: usize) -> Option<Span> {
    let option = text.get(start..end)?.trim_ascii();
    if option == b"--password-stdin" {
        return piped(text, start);
    }
    let first = skip_blanks(text, end);
    let (from, to) = word(text, first)?;
    let bytes = text.get(from..to)?;
    let is_blank = text.get(end - 1).is_some_and(|byte| matches!(byte, b' ' | b'='));
    if option.eq_ignore_ascii_case(b"identified by") {
        Quote::at(text, first).filter(|_| text.get(first) != Some(&b'`'))?;
        return secret(bytes, from, to);
    }
    if bytes.starts_with(b"-") {
        return None;
    }
    let before = line(text, start + 1);
    let follows = |commands: &[&str]| {
        commands.iter().any(|command| before.windows(command.len()).any(|part| part == command.as_bytes()))
    };
    match option {
        b"vault login" | b"cargo login" if random::looks_random(bytes) => secret(bytes, from, to),
        b"--from-literal=" | b"--from-literal" if follows(&["create secret "]) => {
            let sign = bytes.iter().position(|byte| *byte == b'=')? + 1;
            let (from, to) = word(text, from + sign)?;
            secret(text.get(from..to)?, from, to)
        }
        b"-a" if follows(&["http ", "https "]) => {
            let colon = bytes.iter().position(|byte| *byte == b':')?;
            secret(bytes.get(colon + 1..)?, from + colon + 1, to)
        }
        b"-u" | b"--user" | b"--proxy-user" if follows(LOGINS) => {
            let colon = bytes.iter().position(|byte| *byte == b':')?;
            secret(bytes.get(colon + 1..)?, from + colon + 1, to)
        }
        b"-p" if is_blank && follows(PASSWORDS) => secret(bytes, from, to),
        b"-p" if !is_blank && first == end && follows(JOINED) => secret(bytes, from, to),
        b"-a" if follows(&["redis-cli"]) => secret(bytes, from, to),
        b"-w" if follows(&["ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"]) => secret(bytes, from, to),
        _ => None,
    }
}

/// Returns the password that is piped into a command: `echo … | docker login --password-stdin`.
fn piped(text: &[u8], at: usize) -> Option<Span> {
    let before = line(text, at);
    let echo = before.windows(5).rposition(|word| word == b"echo ")? + 5;
    let echo = if before.get(echo..)?.starts_with(b"-n ") { echo + 3 } else { echo };
    let (from, to) = word(text, at - before.len() + echo)?;
    secret(text.get(from..to)?, from, to)
}

fn secret(bytes: &[u8], from: usize, to: usize) -> Option<Span> {
    value::is_secret(bytes.get(..bytes.len().min(512))?).then_some(Span::new(from, to, SecretKind::Password))
}

/// Returns the word that starts at `from`, without quotation marks.
fn word(text: &[u8], from: usize) -> Option<(usize, usize)> {
    if let Some((quote, from)) = Quote::at(text, from) {
        return Some((from, quote.close(text.get(..text.len().min(from + MAX_WORD))?, from).end));
    }
    let rest = line_within(text, from, MAX_WORD);
    let length = rest.iter().position(|byte| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b';' | b'|')
    });
    let end = from + length.unwrap_or(rest.len());
    (end > from).then_some((from, end))
}

/// Returns the part of the line before `at`.
fn line(text: &[u8], at: usize) -> &[u8] {
    let window = text.get(at.saturating_sub(MAX_DISTANCE)..at).unwrap_or_default();
    let start = window.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    window.get(start..).unwrap_or_default()
}
