//! Parsers of flag values. An empty value, as compose files pass it for an unset variable, means the default.

use std::net::SocketAddr;
use std::path::PathBuf;

pub(super) const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
pub(super) const DEFAULT_LLM_LISTEN: &str = "127.0.0.1:50051";

/// A directory; `None` for an empty value.
pub(super) type Directory = Option<PathBuf>;

/// Parses a directory. Never fails; clap requires a `Result`.
#[allow(clippy::unnecessary_wraps, reason = "the signature of a clap parser")]
pub(super) fn directory(text: &str) -> Result<Directory, std::convert::Infallible> {
    Ok(Some(PathBuf::from(text)).filter(|_| !text.is_empty()))
}

/// Parses an address with a port. `localhost` is 127.0.0.1.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let text = if text.is_empty() { DEFAULT_LISTEN } else { text };
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let address = numeric.as_deref().unwrap_or(text);
    address
        .parse()
        .map_err(|_| "expected an IP address and a port, such as 127.0.0.1:8080 or [::1]:0".to_owned())
}

/// Parses the address of the gRPC server, which has another default.
pub(super) fn llm_address(text: &str) -> Result<SocketAddr, String> {
    address(if text.is_empty() { DEFAULT_LLM_LISTEN } else { text })
}

/// Parses the name of a token. Names appear in logs and in the dashboard, so special characters are rejected.
pub(super) fn token_name(text: &str) -> Result<String, String> {
    let is_allowed = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '@');
    if (1..=64).contains(&text.chars().count()) && text.chars().all(is_allowed) {
        return Ok(text.to_owned());
    }
    Err("expected 1 to 64 letters, digits and `-`, `_`, `.`, `@`".to_owned())
}
