//! What goes wrong on the way to a server on the network.

use reqwest::StatusCode;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use thiserror::Error;

use crate::error::causes_of;

/// The error of rmcp's transport, with ours in it.
pub(crate) type TransportError = StreamableHttpError<HttpError>;

/// A request that came to nothing. Addresses are not shown: they may hold credentials.
#[derive(Debug, Error)]
pub(crate) enum HttpError {
    /// What is configured cannot be sent.
    #[error("{0}")]
    Settings(String),
    /// There is no connection, or it did not hold.
    #[error("{what}: {causes}")]
    Connection {
        /// What did not work.
        what: &'static str,
        /// Everything that lies behind it.
        causes: String,
    },
    /// The server said no.
    #[error("the server answered HTTP {status}{}{}", advice(*.status), said(.body))]
    Status {
        /// With which status.
        status: StatusCode,
        /// The beginning of what it said.
        body: String,
    },
    /// The server answered with something else.
    #[error("the server's answer is not MCP: {0}")]
    NotMcp(String),
}

impl HttpError {
    /// Whether the server is there and said no.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Settings(_) | Self::Status { .. } | Self::NotMcp(_) => true,
            Self::Connection { .. } => false,
        }
    }

    /// Whether the server said that there is nothing.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { status: StatusCode::NOT_FOUND, .. })
    }
}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        let what = if error.is_connect() {
            "no connection to the server"
        } else if error.is_timeout() {
            "the server took too long"
        } else {
            "the connection to the server broke"
        };
        let error = error.without_url();
        let causes = std::error::Error::source(&error).map_or_else(|| error.to_string(), causes_of);
        Self::Connection { what, causes }
    }
}

fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => ": it wants credentials, or others; see `bearer_token` and `headers`",
        StatusCode::FORBIDDEN => ": these credentials are not enough",
        StatusCode::NOT_FOUND => ": nothing is there; is the path of `url` right?",
        StatusCode::METHOD_NOT_ALLOWED => ": does it speak another transport? see `transport.type`",
        _ => "",
    }
}

fn said(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!(", and said: {body}") }
}
