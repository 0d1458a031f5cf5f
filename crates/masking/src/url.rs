//! Passwords in URLs: `scheme://user:password@host`, and the formats of MySQL and Oracle.
//!
//! Only the password is masked; user and host are useful in an investigation. Parameters like `?token=` are
//! handled by `pair`.

use crate::bytes::Class;
use crate::kind::SecretKind;
use crate::pair::{random, value};
use crate::span::Span;

/// Web schemes; every other scheme counts as a database or broker.
const WEB: &[&str] =
    &["http", "https", "ftp", "ftps", "sftp", "ssh", "git", "git+https", "git+ssh", "ws", "wss"];

/// Maximum distance to the end of the password, in bytes.
const MAX_AUTHORITY: usize = 512;

/// Returns the password in the URL whose `://` is at `at`.
pub(crate) fn find(text: &[u8], at: usize) -> Option<Span> {
    let kind = kind(text, at)?;
    let from = at + 3;
    let window = text.get(from..text.len().min(from + MAX_AUTHORITY))?;
    let end = window.iter().position(|byte| ends_address(*byte)).unwrap_or(window.len());
    let host = host_sign(window.get(..end)?)?;
    let user_info = window.get(..host)?;
    let Some(colon) = user_info.iter().position(|byte| *byte == b':') else {
        return is_token(user_info).then_some(Span::new(from, from + host, kind));
    };
    let (user, password) = (user_info.get(..colon)?, user_info.get(colon + 1..)?);
    // Git hosts accept a token as the user.
    let start = if is_token(user) { from } else { from + colon + 1 };
    (value::is_secret(password) || start == from).then_some(Span::new(start, from + host, kind))
}

fn is_token(user: &[u8]) -> bool {
    user.len() >= 16 && random::looks_random(user)
}

/// Start of the host in data source names of MySQL's driver for Go.
pub(crate) const HOSTS: &[&str] = &["@tcp(", "@unix("];

/// Returns the password in a data source name whose `@` is at `at`: `user:password@tcp(host)/name`.
pub(crate) fn find_before(text: &[u8], at: usize) -> Option<Span> {
    let window = text.get(at.saturating_sub(MAX_AUTHORITY)..at)?;
    let length = window.iter().rev().take_while(|byte| !ends_address(**byte) && **byte != b'=').count();
    let user_info = window.get(window.len() - length..)?;
    let colon = user_info.iter().position(|byte| *byte == b':')?;
    let password = user_info.get(colon + 1..)?;
    let is_address = password.starts_with(b"//");
    (!is_address && value::is_secret(password)).then_some(Span::new(
        at - password.len(),
        at,
        SecretKind::ConnectionString,
    ))
}

/// Prefixes of a login in connection strings of Oracle.
pub(crate) const LOGINS: &[&str] = &["jdbc:oracle:thin:", "jdbc:oracle:oci:", "sqlplus "];

/// Returns the password in the login at `from`: `user/password@host`.
pub(crate) fn find_login(text: &[u8], from: usize) -> Option<Span> {
    let window = text.get(from..text.len().min(from + MAX_AUTHORITY))?;
    let end = window.iter().position(|byte| ends_address(*byte)).unwrap_or(window.len());
    let login = window.get(..window.get(..end)?.iter().rposition(|byte| *byte == b'@')?)?;
    let slash = login.iter().position(|byte| *byte == b'/')?;
    let start = from + slash + 1;
    value::is_secret(login.get(slash + 1..)?).then_some(Span::new(
        start,
        from + login.len(),
        SecretKind::ConnectionString,
    ))
}

fn kind(text: &[u8], at: usize) -> Option<SecretKind> {
    let window = text.get(at.saturating_sub(32)..at)?;
    let is_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let length = window.iter().rev().take_while(is_scheme).count();
    let scheme = window.get(window.len() - length..)?;
    if scheme.is_empty() {
        return None;
    }
    let is_web = WEB.iter().any(|name| scheme.eq_ignore_ascii_case(name.as_bytes()));
    Some(if is_web { SecretKind::UrlCredentials } else { SecretKind::ConnectionString })
}

fn ends_address(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\') || byte == 0x7f
}

/// Returns the `@` before the host: the last one before the path, or a later one if the password contains a
/// `/`.
fn host_sign(address: &[u8]) -> Option<usize> {
    let authority =
        address.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(address.len());
    let last_at = |part: &[u8]| part.iter().rposition(|byte| *byte == b'@');
    if let Some(at) = last_at(address.get(..authority)?) {
        return Some(at);
    }
    let colon = address.get(..authority)?.iter().position(|byte| *byte == b':')?;
    let port = address.get(colon + 1..authority)?;
    let has_user = colon > 0 && address.get(..colon)?.iter().all(|byte| Class::Name.has(*byte));
    let is_port = port.iter().all(u8::is_ascii_digit) && authority < address.len();
    let at = address.iter().position(|byte| *byte == b'@')?;
    // A path may contain an `@`: `http://host:8080/@scope`, `http://host/a@b`.
    (!is_port && (has_user || colon == 0)).then_some(at)
}
