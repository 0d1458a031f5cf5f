//! Why a runbook cannot be used. Each fault names the problem and the remedy.
//!
//! Faults never contain credentials: no login, no query, no token.

use reqwest::StatusCode;
use thiserror::Error;
use url::ParseError;

/// Why a runbook cannot be used. Cloned for every caller that waited for the same fetch.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum RunbookFault {
    #[error("the URL is invalid ({0}); use one such as {EXAMPLE}")]
    NotAnAddress(ParseError),
    #[error("the URL contains a login, which is never sent; remove it")]
    Login,
    #[error("the scheme is `{0}`; use `https`")]
    Scheme(String),
    #[error("host `{host}` is not allowed; allowed are {allowed} (`system.runbooks.allowed_domains`)")]
    Host { host: String, allowed: String },
    #[error(
        "port {port} of `{host}` is not allowed; add `{host}:{port}` to `system.runbooks.allowed_domains`"
    )]
    Port { host: String, port: u16 },
    #[error("the URL is a folder; use the URL of a file, such as {EXAMPLE}")]
    Folder,
    #[error("the URL is not a file in a repository; use {EXAMPLE}")]
    NotAFile,
    #[error(
        "`system.runbooks.repo_url` is not a GitHub repository; use `https://github.com/OWNER/REPOSITORY/tree/BRANCH/FOLDER` or the \
         path of a folder"
    )]
    NotARepository,
    #[error("it is not a file of the folder `system.runbooks.repo_url`")]
    NotInFolder,
    #[error("there is no folder with runbooks; set `system.runbooks.repo_url` to the path of one")]
    NoFolder,
    #[error("cannot read it: {0}")]
    Unreadable(String),
    #[error("the list of files is not valid: {0}")]
    InvalidListing(String),
    #[error("the server returned {status}: {remedy}")]
    Refused { status: StatusCode, remedy: String },
    #[error("the connection to the server failed: {0}")]
    Connection(String),
    #[error("the server did not respond within {0} s")]
    Slow(u64),
    #[error("it has more than {0} bytes; shorten it")]
    Large(usize),
    #[error("it is a web page, perhaps a sign-in page; use the URL of the text itself")]
    WebPage,
    #[error("it is not UTF-8 text")]
    NotText,
    #[error("it is empty")]
    Empty,
    #[error("the server sent a redirect without a valid location")]
    InvalidRedirect,
    #[error("it has more than {0} redirects; use the final URL")]
    Redirects(usize),
    /// The target of a redirect has a fault.
    #[error("it redirects to {target}: {fault}")]
    Redirected { target: String, fault: Box<RunbookFault> },
}

const EXAMPLE: &str = "`https://github.com/OWNER/REPOSITORY/blob/BRANCH/PATH`";

/// The credentials of a request, which determine the remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestCredentials<'a> {
    /// None; the host is not GitHub.
    None,
    /// The GitHub token of this variable.
    Token(&'a str),
    /// None; the host is GitHub and this variable is not set.
    MissingToken(&'a str),
}

impl RunbookFault {
    /// Creates the fault for an HTTP status.
    pub(super) fn refused(status: StatusCode, credentials: RequestCredentials<'_>) -> Self {
        Self::Refused { status, remedy: remedy(status, credentials) }
    }
}

fn remedy(status: StatusCode, credentials: RequestCredentials<'_>) -> String {
    match (status.as_u16(), credentials) {
        (404, RequestCredentials::None) => "the file does not exist".to_owned(),
        // GitHub does not reveal whether a private repository or a file in it exists.
        (404, RequestCredentials::Token(variable)) => {
            format!("the file does not exist, or the token in `{variable}` has no access to it")
        }
        (404, RequestCredentials::MissingToken(variable)) => {
            format!("the file does not exist, or it is private and `{variable}` is not set")
        }
        (401 | 403, RequestCredentials::None) => "the file requires a sign-in; use a public one".to_owned(),
        (401 | 403, RequestCredentials::Token(variable)) => {
            format!("the token in `{variable}` is not valid or has no access to the file")
        }
        (401 | 403, RequestCredentials::MissingToken(variable)) => {
            format!("the file is not public; set a token in `{variable}`")
        }
        (429 | 500.., _) => "the server may recover later".to_owned(),
        (_, _) => "the response is not the text".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_http_status_has_a_remedy() {
        let cases = [
            (404, RequestCredentials::None, "404 Not Found: the file does not exist"),
            (
                404,
                RequestCredentials::Token("TOKEN"),
                "404 Not Found: the file does not exist, or the token in `TOKEN` has no access to it",
            ),
            (
                404,
                RequestCredentials::MissingToken("TOKEN"),
                "404 Not Found: the file does not exist, or it is private and `TOKEN` is not set",
            ),
            (403, RequestCredentials::None, "403 Forbidden: the file requires a sign-in; use a public one"),
            (
                401,
                RequestCredentials::Token("TOKEN"),
                "401 Unauthorized: the token in `TOKEN` is not valid or has no access to the file",
            ),
            (
                403,
                RequestCredentials::MissingToken("TOKEN"),
                "403 Forbidden: the file is not public; set a token in `TOKEN`",
            ),
            (429, RequestCredentials::Token("TOKEN"), "429 Too Many Requests: the server may recover later"),
            (503, RequestCredentials::None, "503 Service Unavailable: the server may recover later"),
            (304, RequestCredentials::None, "304 Not Modified: the response is not the text"),
        ];
        for (status, credentials, expected) in cases {
            let fault = RunbookFault::refused(StatusCode::from_u16(status).unwrap(), credentials);
            assert_eq!(fault.to_string(), format!("the server returned {expected}"));
        }
    }
}
