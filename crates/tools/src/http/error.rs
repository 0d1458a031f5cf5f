//! Errors of HTTP requests to servers.

use reqwest::StatusCode;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use thiserror::Error;

use crate::error::with_sources;

/// The error of rmcp's transport around ours.
pub(crate) type TransportError = StreamableHttpError<HttpError>;

/// A failed request. URLs are not shown: they may contain credentials.
#[derive(Debug, Error)]
pub(crate) enum HttpError {
    /// The configured URL, header or token is invalid.
    #[error("{0}")]
    Settings(String),
    /// The connection failed or broke.
    #[error("{what}: {causes}")]
    Connection {
        /// What failed.
        what: &'static str,
        /// The chain of causes.
        causes: String,
    },
    /// The server responded with an error status.
    #[error("the server returned HTTP {status}{}{}", advice(*.status), quote(.body))]
    Status {
        /// The status.
        status: StatusCode,
        /// The beginning of the body.
        body: String,
    },
    /// The response is not MCP.
    #[error("the response of the server is not MCP: {0}")]
    NotMcp(String),
}

impl HttpError {
    /// Returns whether the server is reachable and rejected the request.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Settings(_) | Self::Status { .. } | Self::NotMcp(_) => true,
            Self::Connection { .. } => false,
        }
    }

    /// Returns whether the server responded with 404.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { status: StatusCode::NOT_FOUND, .. })
    }
}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        let what = if error.is_connect() {
            "no connection to the server"
        } else if error.is_timeout() {
            "the request to the server timed out"
        } else {
            "the connection to the server broke"
        };
        let error = error.without_url();
        let causes = std::error::Error::source(&error).map_or_else(|| error.to_string(), with_sources);
        Self::Connection { what, causes }
    }
}

fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => ": check `bearer_token` and `headers`",
        StatusCode::FORBIDDEN => ": the credentials do not have permission",
        StatusCode::NOT_FOUND => ": check the path in `url`",
        StatusCode::METHOD_NOT_ALLOWED => ": it may use another transport; check `transport.type`",
        _ => "",
    }
}

fn quote(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("; response: {body}") }
}
