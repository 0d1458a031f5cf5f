//! What can be wrong with a runbook: each fault says what it is and what would be right.
//!
//! Faults never show credentials: no login, no query, no token.

use reqwest::StatusCode;
use thiserror::Error;
use url::ParseError;

/// Why a runbook cannot be used. Cheap enough to clone for everybody who waited for the same one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Fault {
    #[error("it is not one ({0}); expected one such as {EXAMPLE}")]
    NotAnAddress(ParseError),
    #[error("it has a login in it, which is never sent; expected an address without one")]
    Login,
    #[error("it begins with `{0}:`; expected `https:`")]
    Scheme(String),
    #[error("runbooks may not come from `{host}`, only from {allowed} (`system.runbooks.allowed_domains`)")]
    Host { host: String, allowed: String },
    #[error(
        "runbooks may not come from port {port} of `{host}` unless `system.runbooks.allowed_domains` has `{host}:{port}`"
    )]
    Port { host: String, port: u16 },
    #[error("it is a folder; expected a file, such as {EXAMPLE}")]
    Folder,
    #[error("it is not a file in a repository; expected {EXAMPLE}")]
    NotAFile,
    #[error("the server answers {status}: {remedy}")]
    Refused { status: StatusCode, remedy: String },
    #[error("there is no connection to the server, or it broke: {0}")]
    Connection(String),
    #[error("it took longer than {0} s; expected a server that answers sooner")]
    Slow(u64),
    #[error("it has more than {0} bytes; expected a shorter text")]
    Large(usize),
    #[error("it is a web page, perhaps one to sign in; expected the address of the text itself")]
    WebPage,
    #[error("it is not a text in UTF-8; expected one")]
    NotText,
    #[error("it is empty; expected a text")]
    Empty,
    #[error("the server sends on to nowhere; expected an address in its answer")]
    Nowhere,
    #[error("it leads on more than {0} times; expected the address where it ends")]
    Redirects(usize),
    /// It was sent on, and there something is wrong.
    #[error("it leads on to {place}: {fault}")]
    Behind { place: String, fault: Box<Fault> },
}

const EXAMPLE: &str = "`https://github.com/OWNER/REPOSITORY/blob/BRANCH/PATH`";

/// How a server was asked: that decides what may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked<'a> {
    /// As anybody could.
    Openly,
    /// GitHub, with the token of this variable.
    WithToken(&'a str),
    /// GitHub, with none: this variable is not set.
    WithoutToken(&'a str),
}

impl Fault {
    /// A server that does not give the runbook.
    pub(super) fn refused(status: StatusCode, asked: Asked<'_>) -> Self {
        Self::Refused { status, remedy: remedy(status, asked) }
    }
}

fn remedy(status: StatusCode, asked: Asked<'_>) -> String {
    match (status.as_u16(), asked) {
        (404, Asked::Openly) => "expected a file that is there".to_owned(),
        // GitHub does not say whether a private repository has a file, or is there at all.
        (404, Asked::WithToken(variable)) => {
            format!("there is no such file, or the token in `{variable}` may not read it")
        }
        (404, Asked::WithoutToken(variable)) => {
            format!("there is no such file, or it is private and `{variable}` is not set")
        }
        (401 | 403, Asked::Openly) => "expected a file that is read without signing in".to_owned(),
        (401 | 403, Asked::WithToken(variable)) => {
            format!("expected a token in `{variable}` that is still valid and may read it")
        }
        (401 | 403, Asked::WithoutToken(variable)) => {
            format!("expected a file that anybody may read, or a token in `{variable}`")
        }
        (429 | 500.., _) => "it may answer later".to_owned(),
        (_, _) => "expected the text itself".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_may_help() {
        let cases = [
            (404, Asked::Openly, "404 Not Found: expected a file that is there"),
            (
                404,
                Asked::WithToken("TOKEN"),
                "404 Not Found: there is no such file, or the token in `TOKEN` may not read it",
            ),
            (
                404,
                Asked::WithoutToken("TOKEN"),
                "404 Not Found: there is no such file, or it is private and `TOKEN` is not set",
            ),
            (403, Asked::Openly, "403 Forbidden: expected a file that is read without signing in"),
            (
                401,
                Asked::WithToken("TOKEN"),
                "401 Unauthorized: expected a token in `TOKEN` that is still valid and may read it",
            ),
            (
                403,
                Asked::WithoutToken("TOKEN"),
                "403 Forbidden: expected a file that anybody may read, or a token in `TOKEN`",
            ),
            (429, Asked::WithToken("TOKEN"), "429 Too Many Requests: it may answer later"),
            (503, Asked::Openly, "503 Service Unavailable: it may answer later"),
            (304, Asked::Openly, "304 Not Modified: expected the text itself"),
        ];
        for (status, asked, said) in cases {
            let fault = Fault::refused(StatusCode::from_u16(status).unwrap(), asked);
            assert_eq!(fault.to_string(), format!("the server answers {said}"));
        }
    }
}
